// Feature: a C inside a B inside an A, by instanceof, that refers to the A
package samples.guards.shapes;

public class EnvelopeChain {
    public static class Clerk {
        private Object desk;

        public void sitAt(Object place) {
            desk = place;
        }

        Object place() {
            return desk;
        }
    }

    public static class Chief extends Clerk {
    }

    public static class Letter {
        private final Object author;

        public Letter(Object author) {
            this.author = author;
        }
    }

    public static class Desk {
        private Object drawer;

        public void store(Object thing) {
            drawer = thing;
        }
    }

    private Object content;

    public void insert(Object thing) {
        content = thing;
    }

    public boolean isReturned() {
        if (content instanceof Letter letter
                && letter.author instanceof Clerk clerk && !(clerk instanceof Chief)
                && clerk.place() instanceof Desk desk && desk.drawer instanceof Letter reply
                && reply != letter && reply.author instanceof Chief chief && chief.place() == this) {
            return true; // goal: reached
        }
        return false;
    }
}
