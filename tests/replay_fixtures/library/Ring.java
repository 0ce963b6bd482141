package library;

import java.util.Comparator;
import java.util.Iterator;

/** A growing list of numbers that stands for a library: it is executed without probes, so the replay interprets it. */
public class Ring implements Iterable<Integer> {
    private static final int SMALLEST = 2;
    private int[] numbers = new int[SMALLEST];
    private int size;

    public void add(int number) {
        if (size == numbers.length) {
            int[] longer = new int[size * 2];
            System.arraycopy(numbers, 0, longer, 0, size);
            numbers = longer;
        }
        numbers[size++] = number;
    }

    public int get(int index) {
        if (index < 0 || index >= size) {
            throw new IndexOutOfBoundsException();
        }
        return numbers[index];
    }

    public boolean contains(int number) {
        for (int i = 0; i < size; i++) {
            if (numbers[i] == number) {
                return true;
            }
        }
        return false;
    }

    public int size() {
        return size;
    }

    /** Insertion sort; the comparator belongs to the recorded code. */
    public void sort(Comparator<Integer> comparator) {
        for (int i = 1; i < size; i++) {
            for (int j = i; j > 0 && comparator.compare(numbers[j - 1], numbers[j]) > 0; j--) {
                int swapped = numbers[j];
                numbers[j] = numbers[j - 1];
                numbers[j - 1] = swapped;
            }
        }
    }

    @Override
    public Iterator<Integer> iterator() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < size;
            }

            @Override
            public Integer next() {
                return get(next++);
            }
        };
    }
}
