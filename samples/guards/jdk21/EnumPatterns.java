// Feature: a switch with enum constants and types together
package samples.guards;

public class EnumPatterns {
    sealed interface Card permits Suit, Joker { }

    enum Suit implements Card { CLUBS, HEARTS, SPADES }

    record Joker(int colour) implements Card { }

    private static Card card(int number) {
        return number < 0 ? new Joker(number) : Suit.values()[number % 3];
    }

    public static int value(int first, int second) {
        int sum = 0;
        for (int number : new int[] {first, second}) {
            sum = switch (card(number)) {
                case Suit.HEARTS -> sum * 10 + 1;
                case Suit.SPADES -> sum * 10 + 2;
                case Suit.CLUBS -> sum * 10 + 3;
                case Joker joker -> sum + joker.colour();
            };
        }
        if (sum == 2 - 8_765) {
            return sum; // goal: reached
        }
        return 0;
    }
}
