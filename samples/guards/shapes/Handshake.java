// Feature: two state machines that advance by each other's calls
package samples.guards.shapes;

public class Handshake {
    private enum State { IDLE, CALLING, CALLED, WAITING, OPEN, SENT, RECEIVED, CLOSED }

    private State state = State.IDLE;
    private Handshake peer;

    public void hello(Handshake other) {
        peer = other;
        other.peer = this;
        step(other, State.IDLE, State.CALLING, State.IDLE, State.CALLED);
    }

    public void answer(Handshake other) {
        step(other, State.CALLED, State.WAITING, State.CALLING, State.OPEN);
    }

    public void confirm(Handshake other) {
        step(other, State.OPEN, State.OPEN, State.WAITING, State.OPEN);
    }

    public void send(Handshake other) {
        step(other, State.OPEN, State.SENT, State.OPEN, State.RECEIVED);
    }

    public void close(Handshake other) {
        step(other, State.RECEIVED, State.CLOSED, State.SENT, State.CLOSED);
    }

    private void step(Handshake other, State mine, State myNext, State its, State itsNext) {
        boolean isAllowed = other != this && peer == other && state == mine && other.state == its;
        state = isAllowed ? myNext : State.IDLE;
        other.state = isAllowed ? itsNext : State.IDLE;
    }

    public static boolean isFinished(Handshake one, Handshake other) {
        if (areClosed(one, other) && one.peer == other) {
            return true; // goal: reached
        }
        return false;
    }

    private static boolean areClosed(Handshake one, Handshake other) {
        return one.state == State.CLOSED && other.state == State.CLOSED;
    }
}
