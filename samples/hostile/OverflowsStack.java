package hostile;

/** Recursion that has no end below zero. */
public class OverflowsStack {
    public long sum(long number) {
        return number == 0 ? 0 : number + sum(number - 1);
    }

    public boolean isPositive(long number) {
        return number > 0;
    }
}
