// Feature: five kinds of scopes, entered in order and none left
package samples.guards.shapes;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

public class NestedScopes {
    public enum Kind { METHOD, LOOP, TRY, BLOCK, LAMBDA }

    private static final List<Kind> WANTED =
            List.of(Kind.METHOD, Kind.TRY, Kind.LOOP, Kind.TRY, Kind.LAMBDA, Kind.BLOCK);

    private final Deque<Kind> open = new ArrayDeque<>();
    private Kind closed;

    public void enter(Kind kind) {
        open.addLast(kind);
    }

    public void leave(Kind kind) {
        if (!open.isEmpty() && open.peekLast() == kind) {
            closed = open.removeLast();
        } else {
            open.clear();
        }
    }

    public boolean isInside() {
        if (closed == Kind.LAMBDA && List.copyOf(open).equals(WANTED)) {
            return true; // goal: reached
        }
        return false;
    }
}
