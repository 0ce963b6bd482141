// Feature: two robots with the same two arms, and one hand for both arms
package samples.guards.shapes;

public class SharedHand {
    public static class Hand {
        private Object held;

        public void hold(Object thing) {
            held = thing;
        }
    }

    public static class Arm {
        private final Hand hand;
        private SharedHand body;

        public Arm(Hand hand) {
            this.hand = hand;
        }

        public void mount(SharedHand robot) {
            body = robot;
        }
    }

    private final Arm left;
    private final Arm right;
    private SharedHand greeted;

    public SharedHand(Arm left, Arm right) {
        this.left = left;
        this.right = right;
    }

    public void greet(SharedHand robot) {
        greeted = robot;
    }

    public boolean isEntangled() {
        if (left == null || right == null || left == right) {
            return false;
        }
        if (left.hand == right.hand && left.hand != null && left.hand.held instanceof SharedHand other
                && isTwin(other)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isTwin(SharedHand other) {
        return other != this && other.left == right && other.right == left && left.body == this
                && right.body == other && greeted == other && other.greeted == this;
    }
}
