// Feature: String.replace of a character
package samples.guards;

public class ReplaceChar {
    public static boolean isPath(String path) {
        if (path.replace('\\', '/').equals("a/b/c") && path.indexOf('/') == 3) {
            return true; // goal: reached
        }
        return false;
    }
}
