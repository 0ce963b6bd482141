// Feature: Math.abs of the smallest int is negative
package samples.guards;

public class AbsoluteMinimum {
    public static int distance(int here, int there) {
        if (here > 4_711 && there > -900_000) {
            int distance = Math.abs(there - here);
            if (distance < 0) {
                return -1; // goal: reached
            }
            return distance;
        }
        return 0;
    }
}
