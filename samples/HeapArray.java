// Source: jtestcraft §6.3, Table 6.1; written after the description there.
// Idea: the order of several objects decides the path, through an interface (Comparable).
package samples;

@SuppressWarnings({"unchecked", "rawtypes"})
public class HeapArray {
    private Comparable[] elements = new Comparable[2];
    private int size;

    /** Whether the element was taken: null is not. */
    public boolean insert(Comparable element) {
        if (element == null) { // feasible: 2 of 2
            return false;
        }
        if (size == elements.length) { // feasible: 2 of 2
            Comparable[] larger = new Comparable[2 * size];
            System.arraycopy(elements, 0, larger, 0, size);
            elements = larger;
        }
        elements[size] = element;
        heapifyUp(size);
        size++;
        return true;
    }

    /** The greatest element, null when there is none. */
    public Comparable extractMax() {
        if (size == 0) { // feasible: 2 of 2
            return null;
        }
        Comparable maximum = elements[0];
        size--;
        elements[0] = elements[size];
        elements[size] = null;
        heapifyDown(0);
        return maximum;
    }

    private void heapifyUp(int index) {
        while (index > 0) { // feasible: 2 of 2
            int parent = (index - 1) / 2;
            if (elements[parent].compareTo(elements[index]) >= 0) { // feasible: 2 of 2
                return;
            }
            swap(index, parent);
            index = parent;
        }
    }

    private void heapifyDown(int index) {
        while (2 * index + 1 < size) { // feasible: 2 of 2
            int child = 2 * index + 1;
            if (child + 1 < size) { // feasible: 2 of 2
                if (elements[child + 1].compareTo(elements[child]) > 0) { // feasible: 2 of 2
                    child++;
                }
            }
            if (elements[index].compareTo(elements[child]) >= 0) { // feasible: 2 of 2
                return;
            }
            swap(index, child);
            index = child;
        }
    }

    private void swap(int i, int j) {
        Comparable element = elements[i];
        elements[i] = elements[j];
        elements[j] = element;
    }
}
