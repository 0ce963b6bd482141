// Feature: a switch on boxes and strings with guards
package samples.guards;

public class BoxPatterns {
    private static Object parse(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException none) {
            return text;
        }
    }

    public static int weigh(String text) {
        switch (parse(text)) {
            case null -> {
                return -1;
            }
            case Integer number when number > 4_000 && number % 11 == 5 -> {
                return number; // goal: reached
            }
            case Integer number -> {
                return -number;
            }
            case String word when word.length() > 3 && word.endsWith("kg") -> {
                return 3; // goal: reached
            }
            default -> {
                return 0;
            }
        }
    }
}
