// Idea: the colon is forgotten when the parts are counted
// Verdict: wrong, "ab:xy"
package samples.asserts;

public class WordAfterColon {

    public static void main(String[] args) {
        String text = Inputs.nextString();
        if (text.length() != 5) {
            return;
        }
        int colon = text.indexOf(':');
        if (colon < 0) {
            return;
        }
        String name = text.substring(0, colon);
        String value = text.substring(colon + 1);
        if (name.equals("ab") && value.startsWith("x")) {
            assert name.length() + value.length() == text.length();
        } else {
            assert name.length() + value.length() < text.length();
        }
    }
}
