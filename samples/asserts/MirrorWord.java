// Idea: the two middle letters are never compared
// Verdict: wrong, "rabcar"
package samples.asserts;

public class MirrorWord {

    static boolean isMirror(String word) {
        for (int i = 0; i < word.length() / 2 - 1; i++) {
            if (word.charAt(i) != word.charAt(word.length() - 1 - i)) {
                return false;
            }
        }
        return true;
    }

    public static void main(String[] args) {
        String word = Inputs.nextString();
        if (word.length() != 6 || !word.startsWith("ra")) {
            return;
        }
        if (isMirror(word)) {
            String reversed = new StringBuilder(word).reverse().toString();
            assert reversed.equals(word) : word + " is not a mirror word";
        }
    }
}
