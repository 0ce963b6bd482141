package refactorings;

import java.util.ArrayList;
import java.util.EmptyStackException;
import java.util.List;

public class Stack {
    private final List<String> items = new ArrayList<>();
    private final int limit;

    public Stack(int limit) {
        this.limit = limit;
    }

    public boolean push(String item) {
        if (item == null) {
            throw new NullPointerException("item");
        }
        if (items.size() >= limit) {
            return false;
        }
        items.add(item);
        return true;
    }

    public String pop() {
        if (items.isEmpty()) {
            throw new EmptyStackException();
        }
        return items.remove(items.size() - 1);
    }

    public String peek() {
        return items.isEmpty() ? null : items.get(items.size() - 1);
    }

    public int size() {
        return items.size();
    }

    public String joined(String separator) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                text.append(separator);
            }
            text.append(items.get(i));
        }
        return text.toString();
    }
}
