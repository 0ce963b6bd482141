// Feature: String.join and repeat
package samples.guards;

public class StringJoin {
    public static boolean joins(String a, String b) {
        if (String.join("/", a, b, a).equals("x/yz/x") && "ab".repeat(b.length()).equals("abab")) {
            return true; // goal: reached
        }
        return false;
    }
}
