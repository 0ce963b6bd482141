// Feature: several remainders of one number
package samples.guards;

public class RemainderChain {
    public static boolean isBirthday(int x) {
        if (x > 0 && x % 101 == 17 && x % 103 == 29 && x % 97 == 5) {
            return true; // goal: reached
        }
        return false;
    }
}
