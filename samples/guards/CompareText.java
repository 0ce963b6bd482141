// Feature: String.compareTo
package samples.guards;

public class CompareText {
    public static boolean between(String word) {
        if (word.compareTo("mango") > 0 && word.compareTo("mangrove") < 0 && word.length() == 7) {
            return true; // goal: reached
        }
        return false;
    }
}
