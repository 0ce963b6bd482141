// Source: jtestcraft §6.3, Table 6.1 (first used by Rostra); written after the description there.
// Idea: a bounded stack without duplicates; equality needs two stacks with related histories.
package samples;

public class UBStack {
    private static final int CAPACITY = 4;

    private final int[] elements = new int[CAPACITY];
    private int size;

    public boolean isEmpty() {
        return size == 0; // feasible: 2 of 2
    }

    public int getSize() {
        return size;
    }

    /** Puts the element on top; one that is a member moves there. A full stack takes no new member. */
    public void push(int element) {
        int found = indexOf(element);
        if (found >= 0) { // feasible: 2 of 2
            for (int i = found; i < size - 1; i++) { // feasible: 2 of 2
                elements[i] = elements[i + 1];
            }
            elements[size - 1] = element;
        } else if (size < CAPACITY) { // feasible: 2 of 2
            elements[size] = element;
            size++;
        }
    }

    public void pop() {
        if (size > 0) { // feasible: 2 of 2
            size--;
        }
    }

    /** The element on top, -1 when there is none. */
    public int top() {
        if (size < 1) { // feasible: 2 of 2
            return -1;
        }
        return elements[size - 1];
    }

    public boolean isMember(int element) {
        return indexOf(element) >= 0; // feasible: 2 of 2
    }

    private int indexOf(int element) {
        for (int i = 0; i < size; i++) { // feasible: 2 of 2
            if (elements[i] == element) { // feasible: 2 of 2
                return i;
            }
        }
        return -1;
    }

    /** Equal when both hold the same members, in whatever order. */
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof UBStack)) { // feasible: 2 of 2
            return false;
        }
        UBStack stack = (UBStack) other;
        if (size != stack.size) { // feasible: 2 of 2
            return false;
        }
        for (int i = 0; i < size; i++) { // feasible: 2 of 2
            if (!stack.isMember(elements[i])) { // feasible: 2 of 2
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        int sum = size;
        for (int i = 0; i < size; i++) { // feasible: 2 of 2
            sum += elements[i];
        }
        return sum;
    }
}
