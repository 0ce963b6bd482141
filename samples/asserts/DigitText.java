// Idea: a small number is written as text and read back
// Verdict: right, the text of a number parses to the same number; paths: few
package samples.asserts;

public class DigitText {

    static int read(String text) {
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            value = value * 10 + (text.charAt(i) - '0');
        }
        return value;
    }

    public static void main(String[] args) {
        int number = Inputs.nextInt();
        if (number < 0 || number > 999) {
            return;
        }
        String text = String.valueOf(number);
        assert text.length() >= 1 && text.length() <= 3;
        assert read(text) == number;
        assert Integer.parseInt(text) == number;
    }
}
