// Feature: a NullPointerException, caught
package samples.guards;

public class NullPointer {
    public static int length(int key) {
        String[] names = new String[40];
        for (int i = 0; i < names.length; i++) {
            names[i] = i * 13 % 40 == 17 ? null : "n" + i;
        }
        try {
            return names[(key & 0xFFFF) % 40].length() + (key >>> 16);
        } catch (NullPointerException missing) {
            if (key >>> 16 == 4_660) {
                return -1; // goal: reached
            }
            return -2;
        }
    }
}
