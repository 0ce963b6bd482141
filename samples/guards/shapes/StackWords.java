// Feature: a stack brought into a pattern by five operations
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class StackWords {
    public static class Token {
    }

    private final Token one;
    private final Token other;
    private final List<Token> stack = new ArrayList<>();

    public StackWords(Token one, Token other) {
        if (one == null || other == null || one == other) {
            throw new IllegalArgumentException("two tokens are needed");
        }
        this.one = one;
        this.other = other;
        stack.add(one);
        stack.add(other);
    }

    private Token fromTop(int place) {
        return stack.get(stack.size() - 1 - place);
    }

    public void duplicate() {
        stack.add(fromTop(0));
    }

    public void over() {
        stack.add(fromTop(1));
    }

    public void swap() {
        stack.add(stack.remove(stack.size() - 2));
    }

    public void rotate() {
        stack.add(stack.remove(stack.size() - 3));
    }

    public void drop() {
        stack.remove(stack.size() - 1);
    }

    public boolean isPattern() {
        if (stack.equals(List.of(other, one, one, other, one, other, other, other, one))) {
            return true; // goal: reached
        }
        return false;
    }
}
