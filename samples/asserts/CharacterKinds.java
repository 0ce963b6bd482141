// Idea: the library and a plain comparison agree on the kind of a letter
// Verdict: right, they agree on all letters below 128; paths: few
package samples.asserts;

public class CharacterKinds {

    public static void main(String[] args) {
        char c = Inputs.nextChar();
        if (c >= 128) {
            return;
        }
        boolean digit = c >= '0' && c <= '9';
        boolean capital = c >= 'A' && c <= 'Z';
        assert Character.isDigit(c) == digit;
        assert Character.isUpperCase(c) == capital;
        if (digit) {
            assert Character.getNumericValue(c) == c - '0';
        }
        if (capital) {
            assert Character.toLowerCase(c) == c + 32;
        }
    }
}
