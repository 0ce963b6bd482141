// Idea: a text is the prefix followed by the rest
// Verdict: right, the rest begins where the prefix ends; paths: few
package samples.asserts;

public class PrefixAndRest {

    public static void main(String[] args) {
        String text = Inputs.nextString();
        String prefix = Inputs.nextString();
        if (prefix.length() > 4 || !text.startsWith(prefix)) {
            return;
        }
        String rest = text.substring(prefix.length());
        assert rest.length() <= text.length();
        assert prefix.concat(rest).equals(text);
        if (prefix.equals("ab")) {
            assert text.charAt(1) == 'b';
        }
    }
}
