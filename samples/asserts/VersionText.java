// Idea: a leading zero is lost when a version is parsed
// Verdict: wrong, "07.4"
package samples.asserts;

public class VersionText {

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static String normal(String text) {
        int major = Integer.parseInt(text.substring(0, 2));
        int minor = Integer.parseInt(text.substring(3));
        return major + "." + minor;
    }

    public static void main(String[] args) {
        String text = Inputs.nextString();
        if (text.length() != 4 || text.charAt(2) != '.') {
            return;
        }
        if (!isDigit(text.charAt(0)) || !isDigit(text.charAt(1)) || !isDigit(text.charAt(3))) {
            return;
        }
        assert normal(text).equals(text);
    }
}
