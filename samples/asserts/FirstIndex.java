// Idea: the first place of a letter is looked up
// Verdict: right, indexOf gives the first place and no earlier one; paths: few
package samples.asserts;

public class FirstIndex {

    public static void main(String[] args) {
        String text = Inputs.nextString();
        if (text.length() > 5) {
            return;
        }
        int index = text.indexOf('a');
        if (index < 0) {
            assert !text.startsWith("a");
            assert !text.endsWith("a");
            return;
        }
        assert index < text.length();
        assert text.charAt(index) == 'a';
        assert text.substring(0, index).indexOf('a') == -1;
        assert text.lastIndexOf('a') >= index;
    }
}
