// Feature: String.hashCode
package samples.guards;

public class StringHash {
    public static boolean collides(String key) {
        if (key.length() == 2 && key.hashCode() == "Hg".hashCode() && key.charAt(0) != 'H') {
            return true; // goal: reached
        }
        return false;
    }
}
