// Feature: String.matches
package samples.guards;

public class RegexMatches {
    public static boolean isPlate(String plate) {
        if (plate.matches("[A-F]{2}-\\d{3}[xyz]?") && plate.length() == 7) {
            return true; // goal: reached
        }
        return false;
    }
}
