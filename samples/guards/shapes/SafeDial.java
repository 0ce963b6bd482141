// Feature: nine calls in order, any other call starts again
package samples.guards.shapes;

public class SafeDial {
    private enum Move { LEFT, RIGHT, PRESS, PULL, KNOCK, NONE }

    private enum State {
        LOCKED(Move.LEFT), ONE(Move.PRESS), TWO(Move.RIGHT), THREE(Move.RIGHT), FOUR(Move.PULL),
        FIVE(Move.KNOCK), SIX(Move.LEFT), SEVEN(Move.KNOCK), EIGHT(Move.PULL), OPEN(Move.NONE);

        private final Move wanted;

        State(Move wanted) {
            this.wanted = wanted;
        }
    }

    private State state = State.LOCKED;

    public void turnLeft() {
        move(Move.LEFT);
    }

    public void turnRight() {
        move(Move.RIGHT);
    }

    public void press() {
        move(Move.PRESS);
    }

    public void pull() {
        move(Move.PULL);
    }

    public void knock() {
        move(Move.KNOCK);
    }

    private void move(Move move) {
        state = state.wanted == move ? State.values()[state.ordinal() + 1] : State.LOCKED;
    }

    public boolean isOpen() {
        if (state == State.OPEN) {
            return true; // goal: reached
        }
        return false;
    }
}
