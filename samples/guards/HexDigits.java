// Feature: Character.digit of four characters
package samples.guards;

public class HexDigits {
    public static int parse(char a, char b, char c, char d) {
        int value = 0;
        for (char digit : new char[] {a, b, c, d}) {
            int part = Character.digit(digit, 16);
            if (part < 0) {
                return -1;
            }
            value = value * 16 + part;
        }
        if (value == 47_789) {
            return 1; // goal: reached
        }
        return 0;
    }
}
