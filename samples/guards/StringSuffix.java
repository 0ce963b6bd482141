// Feature: String.endsWith
package samples.guards;

public class StringSuffix {
    public static boolean isArchive(String file) {
        if (file.endsWith(".tgz") && file.startsWith("v2") && file.length() == 8) {
            return true; // goal: reached
        }
        return false;
    }
}
