// Idea: a number is kept only if it is large enough
// Verdict: right, numbers that are too small give the other value; paths: few
package samples.asserts;

import java.util.Optional;

public class OptionalChoice {

    static Optional<Integer> aboveTen(int number) {
        return number > 10 ? Optional.of(number) : Optional.empty();
    }

    public static void main(String[] args) {
        int number = Inputs.nextInt();
        int reduced = aboveTen(number).map(n -> n - 10).orElse(0);
        assert reduced >= 0;
        if (number > 10) {
            assert reduced < number;
        } else {
            assert reduced == 0;
        }
        assert aboveTen(number).isPresent() == (reduced > 0);
    }
}
