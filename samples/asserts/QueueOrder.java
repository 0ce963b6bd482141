// Idea: a queue made of two stacks gives the values in the order they came
// Verdict: right, moving a stack to another one turns its order around; paths: few
package samples.asserts;

public class QueueOrder {

    private final int[] in = new int[4];
    private final int[] out = new int[4];
    private int inSize = 0;
    private int outSize = 0;

    void put(int value) {
        in[inSize] = value;
        inSize++;
    }

    int take() {
        if (outSize == 0) {
            while (inSize > 0) {
                inSize--;
                out[outSize] = in[inSize];
                outSize++;
            }
        }
        outSize--;
        return out[outSize];
    }

    public static void main(String[] args) {
        int first = Inputs.nextInt();
        int second = Inputs.nextInt();
        int third = Inputs.nextInt();
        boolean takeEarly = Inputs.nextBoolean();
        QueueOrder queue = new QueueOrder();
        queue.put(first);
        queue.put(second);
        if (takeEarly) {
            assert queue.take() == first;
            queue.put(third);
        } else {
            queue.put(third);
            assert queue.take() == first;
        }
        assert queue.take() == second;
        assert queue.take() == third;
    }
}
