package asserts;

public class Stack {
    private final int[] cells = new int[4];
    private int size;
    public void push(int x) {
        assert size < cells.length : "overflow";
        cells[size++] = x;
    }
    public int pop() {
        assert size > 0 : "underflow";
        return cells[--size];
    }
}
