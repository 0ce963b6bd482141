// Feature: a narrow range of doubles
package samples.guards;

public class DoubleRange {
    public static boolean inWindow(double frequency) {
        if (frequency > 433.92 && frequency < 433.9200001) {
            return true; // goal: reached
        }
        return false;
    }
}
