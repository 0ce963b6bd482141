package refactorings;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EmptyStackException;
import java.util.Objects;

public class Stack {
    private final int limit;
    private final Deque<String> items = new ArrayDeque<>();

    public Stack(int limit) {
        this.limit = limit;
    }

    public boolean push(String item) {
        Objects.requireNonNull(item, "item");
        boolean fits = size() < limit;
        if (fits) {
            items.addLast(item);
        }
        return fits;
    }

    public String pop() {
        String last = items.pollLast();
        if (last == null) {
            throw new EmptyStackException();
        }
        return last;
    }

    public String peek() {
        return items.peekLast();
    }

    public int size() {
        return items.size();
    }

    public String joined(String separator) {
        return String.join(String.valueOf((Object) separator), items);
    }
}
