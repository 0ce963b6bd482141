// Idea: a float counter stops growing at two to the power of 24
// Verdict: wrong, 16777216
package samples.asserts;

public class FloatCounter {

    private float count;

    FloatCounter(int start) {
        count = start;
    }

    void increase() {
        count = count + 1;
    }

    float count() {
        return count;
    }

    public static void main(String[] args) {
        int start = Inputs.nextInt();
        if (start < 0 || start > 16777216) {
            return;
        }
        FloatCounter counter = new FloatCounter(start);
        float before = counter.count();
        counter.increase();
        assert counter.count() > before : "the counter did not grow";
    }
}
