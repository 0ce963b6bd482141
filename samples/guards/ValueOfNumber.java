// Feature: String.valueOf of an int
package samples.guards;

public class ValueOfNumber {
    public static boolean isVanity(int number) {
        String text = String.valueOf(number);
        if (text.length() == 6 && text.endsWith("777") && number % 13 == 0) {
            return true; // goal: reached
        }
        return false;
    }
}
