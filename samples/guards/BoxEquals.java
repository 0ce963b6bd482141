// Feature: boxes of different types are not equal
package samples.guards;

public class BoxEquals {
    public static boolean mixes(Integer count, Long total) {
        if (!total.equals(count) && total.intValue() == count + 1_500 && count.hashCode() == 4_321) {
            return true; // goal: reached
        }
        return false;
    }
}
