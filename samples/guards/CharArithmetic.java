// Feature: letters that are rotated
package samples.guards;

public class CharArithmetic {
    private static char rotate(char letter) {
        if (letter < 'a' || letter > 'z') {
            return letter;
        }
        return (char) ('a' + (letter - 'a' + 13) % 26);
    }

    public static boolean isSecret(char a, char b, char c) {
        if (rotate(a) == 'k' && rotate(b) == 'e' && rotate(c) == 'y') {
            return true; // goal: reached
        }
        return false;
    }
}
