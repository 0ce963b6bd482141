// Feature: Double.parseDouble
package samples.guards;

public class ParseDouble {
    public static boolean isRate(String text) {
        double rate = Double.parseDouble(text);
        if (rate > 7.25 && rate < 7.26) {
            return true; // goal: reached
        }
        return false;
    }
}
