// Feature: two ints in one long
package samples.guards;

public class LongFromInts {
    public static boolean isRoute(int from, int to) {
        long route = (long) from << 32 | to & 0xFFFF_FFFFL;
        if (route * 3 == 0x1111_2222_3333_4443L * 3 - 6) {
            return true; // goal: reached
        }
        return false;
    }
}
