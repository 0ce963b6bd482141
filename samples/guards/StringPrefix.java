// Feature: String.startsWith, with an offset, too
package samples.guards;

public class StringPrefix {
    public static boolean isLocal(String address) {
        if (address.startsWith("ftp://") && address.startsWith("10.", 6) && address.length() == 12 && address.charAt(11) == '7') {
            return true; // goal: reached
        }
        return false;
    }
}
