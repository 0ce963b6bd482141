// Feature: a string as the input of a small automaton
package samples.guards;

public class Brackets {
    public static boolean isNested(String text) {
        char[] open = new char[text.length()];
        int depth = 0;
        int deepest = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '(' || c == '[') {
                open[depth++] = c;
                deepest = Math.max(deepest, depth);
            } else if (c == ')' || c == ']') {
                if (depth == 0 || open[--depth] != (c == ')' ? '(' : '[')) {
                    return false;
                }
            }
        }
        if (depth == 0 && deepest == 3 && text.charAt(2) == '[') {
            return true; // goal: reached
        }
        return false;
    }
}
