// Idea: one value too many fits into a full ring buffer
// Verdict: wrong, 1, 1, 1, 1, 2
package samples.asserts;

public class RingBufferFull {

    private final int[] slots = new int[3];
    private int head = 0;
    private int count = 0;

    boolean put(int value) {
        if (count > slots.length) {
            return false;
        }
        slots[(head + count) % slots.length] = value;
        count++;
        return true;
    }

    int take() {
        int value = slots[head];
        head = (head + 1) % slots.length;
        count--;
        return value;
    }

    public static void main(String[] args) {
        RingBufferFull buffer = new RingBufferFull();
        int written = 0;
        int read = 0;
        for (int i = 0; i < 6; i++) {
            int action = Inputs.nextInt();
            if (action == 1) {
                if (buffer.put(written + 1)) {
                    written++;
                }
            } else if (action == 2 && buffer.count > 0) {
                read++;
                assert buffer.take() == read : "the values come out in the wrong order";
            } else {
                return;
            }
        }
    }
}
