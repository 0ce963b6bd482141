// Feature: an ArrayStoreException, caught
package samples.guards;

public class WrongStore {
    public static int store(int kind, int at) {
        Object[] cells = kind * 7 == 7_777 * 7 ? new Integer[5] : new Object[5];
        try {
            cells[at] = "text";
            return 1;
        } catch (ArrayStoreException wrong) {
            if (at == 3) {
                return -1; // goal: reached
            }
            return 0;
        }
    }
}
