// Source: jtestcraft §6.3, Table 6.1; written after the description there.
// Idea: the array grows only after several pushes: a long sequence, not a clever value.
package samples;

public class IntStack {
    private static final int INITIAL_CAPACITY = 3;

    private int[] elements = new int[INITIAL_CAPACITY];
    private int size;

    public void push(int element) {
        if (size == elements.length) { // feasible: 2 of 2
            int[] larger = new int[elements.length * 2];
            for (int i = 0; i < size; i++) { // feasible: 2 of 2
                larger[i] = elements[i];
            }
            elements = larger;
        }
        elements[size] = element;
        size++;
    }

    public int pop() {
        if (size == 0) { // feasible: 2 of 2
            throw new IllegalStateException("empty");
        }
        size--;
        return elements[size];
    }

    public boolean isEmpty() {
        return size == 0; // feasible: 2 of 2
    }
}
