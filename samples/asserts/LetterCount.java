// Idea: every letter of a text is counted in one of two groups
// Verdict: right, each letter adds one to exactly one counter; paths: many
package samples.asserts;

public class LetterCount {

    public static void main(String[] args) {
        String text = Inputs.nextString();
        int capitals = 0;
        int others = 0;
        int end = Math.min(text.length(), 1000);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                capitals++;
            } else {
                others++;
            }
        }
        assert capitals + others == end;
        if (end > 0 && text.charAt(0) == 'Q') {
            assert capitals > 0;
        }
    }
}
