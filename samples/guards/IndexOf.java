// Feature: String.indexOf and lastIndexOf of characters
package samples.guards;

public class IndexOf {
    public static String user(String address) {
        int colon = address.indexOf(':');
        int at = address.indexOf('@', colon + 1);
        if (colon == 3 && at == 6 && address.lastIndexOf('@') == 8) {
            return address.substring(0, colon); // goal: reached
        }
        return "";
    }
}
