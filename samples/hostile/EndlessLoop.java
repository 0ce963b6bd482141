package hostile;

/** Never returns for numbers below one. */
public class EndlessLoop {
    public int halvings(int number) {
        int halvings = 0;
        while (number != 1) {
            number = number > 1 ? number / 2 : number;
            halvings++;
        }
        return halvings;
    }

    public boolean isOdd(int number) {
        return number % 2 != 0;
    }
}
