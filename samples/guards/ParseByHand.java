// Feature: a number parser of one's own
package samples.guards;

public class ParseByHand {
    public static int amount(String text) {
        int value = 0;
        int at = 0;
        boolean negative = !text.isEmpty() && text.charAt(0) == '-';
        if (negative) {
            at = 1;
        }
        for (; at < text.length(); at++) {
            char digit = text.charAt(at);
            if (digit < '0' || digit > '9') {
                throw new NumberFormatException(text);
            }
            value = value * 10 + digit - '0';
        }
        if (negative && value == 8_642) {
            return -value; // goal: reached
        }
        return value;
    }
}
