// Feature: String.indexOf of a text
package samples.guards;

public class IndexOfText {
    public static boolean quotes(String line) {
        int begin = line.indexOf("<!");
        int end = line.indexOf("!>");
        if (begin == 2 && end == 6) {
            return true; // goal: reached
        }
        return false;
    }
}
