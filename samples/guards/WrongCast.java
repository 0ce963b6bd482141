// Feature: a ClassCastException, caught
package samples.guards;

public class WrongCast {
    public static int read(int tag) {
        Object value = tag * 5 == 60_015 ? "text" : Integer.valueOf(tag);
        try {
            return (Integer) value;
        } catch (ClassCastException wrong) {
            return -1; // goal: reached
        }
    }
}
