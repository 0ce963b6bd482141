// Feature: a switch on the type of an object
package samples.guards;

public class PatternSwitch {
    sealed interface Event permits Key, Click, Tick { }

    record Key(char letter) implements Event { }

    record Click(int x, int y) implements Event { }

    record Tick(long millis) implements Event { }

    private static Event event(int code) {
        return switch (code & 3) {
            case 0 -> new Key((char) (code >> 2));
            case 1 -> new Click(code >> 2, code >> 16);
            default -> new Tick(code);
        };
    }

    public static String handle(int code) {
        switch (event(code)) {
            case Key key -> {
                return "key " + key.letter();
            }
            case Click click when click.y() == 321 && click.x() % 1000 == 7 -> {
                return "click"; // goal: reached
            }
            case Click click -> {
                return "elsewhere " + click.x();
            }
            case Tick tick -> {
                return "tick " + tick.millis();
            }
        }
    }
}
