// Feature: boxes are the same object up to 127
package samples.guards;

public class BoxCache {
    public static boolean same(int first, int second) {
        Integer a = first;
        Integer b = second / 3;
        if (a != b && a.equals(b) && first % 100 == 77) {
            return true; // goal: reached
        }
        return false;
    }
}
