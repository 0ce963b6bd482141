// Source: jtestcraft §6.3, Table 6.1; written after the description there.
// Idea: a circular list with a header entry; null and other elements take different branches of the same loop.
package samples;

import java.util.NoSuchElementException;

public class LinkedList {
    private static final class Entry {
        private final Object element;
        private Entry next;
        private Entry previous;

        private Entry(Object element) {
            this.element = element;
        }
    }

    /** Before the first entry and after the last one. */
    private final Entry header = new Entry(null);
    private int size;

    public LinkedList() {
        header.next = header;
        header.previous = header;
    }

    public int size() {
        return size;
    }

    public void add(Object element) {
        addBefore(element, header);
    }

    /** Puts the element in this place; those from there on move up. */
    public void add(int index, Object element) {
        if (index == size) { // feasible: 2 of 2
            addBefore(element, header);
        } else {
            addBefore(element, entry(index));
        }
    }

    public Object get(int index) {
        return entry(index).element;
    }

    /** Place of the first equal element, -1 when there is none. */
    public int indexOf(Object element) {
        int index = 0;
        for (Entry entry = header.next; entry != header; entry = entry.next) { // feasible: 2 of 2
            if (element == null ? entry.element == null : element.equals(entry.element)) { // feasible: 6 of 6
                return index;
            }
            index++;
        }
        return -1;
    }

    /** Takes out the first equal element; whether there was one. */
    public boolean remove(Object element) {
        int index = indexOf(element);
        if (index < 0) { // feasible: 2 of 2
            return false;
        }
        unlink(entry(index));
        return true;
    }

    public Object removeLast() {
        if (size == 0) { // feasible: 2 of 2
            throw new NoSuchElementException("empty");
        }
        Entry last = header.previous;
        unlink(last);
        return last.element;
    }

    private void addBefore(Object element, Entry after) {
        Entry entry = new Entry(element);
        entry.next = after;
        entry.previous = after.previous;
        after.previous.next = entry;
        after.previous = entry;
        size++;
    }

    private void unlink(Entry entry) {
        entry.previous.next = entry.next;
        entry.next.previous = entry.previous;
        size--;
    }

    /** From the nearer end. */
    private Entry entry(int index) {
        if (index < 0 || index >= size) { // feasible: 4 of 4
            throw new IndexOutOfBoundsException("no element " + index);
        }
        Entry entry = header;
        if (index < size / 2) { // feasible: 2 of 2
            for (int i = 0; i <= index; i++) { // feasible: 2 of 2
                entry = entry.next;
            }
        } else {
            for (int i = size; i > index; i--) { // feasible: 2 of 2
                entry = entry.previous;
            }
        }
        return entry;
    }
}
