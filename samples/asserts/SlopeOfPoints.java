// Idea: the slope of two equal points is not a number
// Verdict: wrong, 2.0, 3.0, 2.0, 3.0
package samples.asserts;

public class SlopeOfPoints {

    static double slope(double x1, double y1, double x2, double y2) {
        return (y2 - y1) / (x2 - x1);
    }

    static boolean inRange(double value) {
        return value >= 1.0 && value <= 1000.0;
    }

    public static void main(String[] args) {
        double x1 = Inputs.nextDouble();
        double y1 = Inputs.nextDouble();
        double x2 = Inputs.nextDouble();
        double y2 = Inputs.nextDouble();
        if (!inRange(x1) || !inRange(y1) || !inRange(x2) || !inRange(y2)) {
            return;
        }
        double slope = slope(x1, y1, x2, y2);
        boolean rising = slope > 0;
        boolean falling = slope < 0;
        boolean flat = slope == 0;
        assert rising || falling || flat;
    }
}
