// Feature: a full ring buffer with the same token on both sides of its seam
package samples.guards.shapes;

public class RingSeam {
    public static class Token {
    }

    private static class Slot {
        private Token token;
        private Slot next;
    }

    private final Slot origin = new Slot();
    private Slot head = origin;
    private Slot tail = origin;

    public RingSeam() {
        Slot slot = origin;
        for (int i = 1; i < 5; i++) {
            slot.next = new Slot();
            slot = slot.next;
        }
        slot.next = origin;
    }

    public boolean offer(Token token) {
        if (token == null || tail.token != null) {
            return false;
        }
        tail.token = token;
        tail = tail.next;
        return true;
    }

    public Token poll() {
        Token token = head.token;
        if (token != null) {
            head.token = null;
            head = head.next;
        }
        return token;
    }

    public boolean isWrapped(Token seam, Token rest) {
        Slot third = origin.next.next;
        if (head == third.next && seam != rest && rest != null && origin.token == seam
                && third.next.next.token == seam && areAll(rest, origin.next, third, third.next)) {
            return true; // goal: reached
        }
        return false;
    }

    private static boolean areAll(Token token, Slot... slots) {
        for (Slot slot : slots) {
            if (slot.token != token) {
                return false;
            }
        }
        return true;
    }
}
