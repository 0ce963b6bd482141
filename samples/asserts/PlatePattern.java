// Idea: a pattern accepts a third digit
// Verdict: wrong, "AB-123"
package samples.asserts;

import java.util.regex.Pattern;

public class PlatePattern {

    private static final Pattern PLATE = Pattern.compile("[A-Z]{2}-[0-9]{2,3}");

    static int number(String plate) {
        return Integer.parseInt(plate.substring(3));
    }

    public static void main(String[] args) {
        String plate = Inputs.nextString();
        if (!PLATE.matcher(plate).matches()) {
            return;
        }
        assert plate.charAt(2) == '-';
        assert number(plate) < 100 : "the number has more than two digits";
    }
}
