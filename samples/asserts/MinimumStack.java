// Idea: a stack remembers the smallest value below each place
// Verdict: right, the smallest value is kept for every height; paths: few
package samples.asserts;

public class MinimumStack {

    private final int[] values = new int[3];
    private final int[] minimums = new int[3];
    private int size = 0;

    void push(int value) {
        values[size] = value;
        if (size == 0 || value < minimums[size - 1]) {
            minimums[size] = value;
        } else {
            minimums[size] = minimums[size - 1];
        }
        size++;
    }

    int pop() {
        size--;
        return values[size];
    }

    int minimum() {
        return minimums[size - 1];
    }

    public static void main(String[] args) {
        int first = Inputs.nextInt();
        int second = Inputs.nextInt();
        int third = Inputs.nextInt();
        MinimumStack stack = new MinimumStack();
        stack.push(first);
        stack.push(second);
        stack.push(third);
        int minimum = stack.minimum();
        assert minimum <= first && minimum <= second && minimum <= third;
        assert stack.pop() == third;
        assert stack.minimum() >= minimum;
        assert stack.pop() == second;
        assert stack.minimum() == first;
    }
}
