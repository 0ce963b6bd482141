// Feature: a switch on the characters of a string
package samples.guards;

public class RomanNumeral {
    private static int value(char numeral) {
        return switch (numeral) {
            case 'I' -> 1;
            case 'V' -> 5;
            case 'X' -> 10;
            case 'L' -> 50;
            case 'C' -> 100;
            default -> throw new IllegalArgumentException("no numeral: " + numeral);
        };
    }

    public static boolean isNinetyFour(String numeral) {
        int sum = 0;
        int last = 0;
        for (int i = numeral.length() - 1; i >= 0; i--) {
            int value = value(numeral.charAt(i));
            sum += value < last ? -value : value;
            last = value;
        }
        if (sum == 94 && numeral.length() == 4) {
            return true; // goal: reached
        }
        return false;
    }
}
