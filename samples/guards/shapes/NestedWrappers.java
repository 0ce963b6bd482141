// Feature: objects of different classes nested five deep
package samples.guards.shapes;

public class NestedWrappers {
    public static class Coin {
    }

    public abstract static class Wrapper {
        private final Object content;

        Wrapper(Object content) {
            this.content = content;
        }

        boolean wraps(Class<?>... kinds) {
            Object inner = this;
            for (Class<?> kind : kinds) {
                if (!(inner instanceof Wrapper wrapper) || wrapper.getClass() != kind) {
                    return false;
                }
                inner = wrapper.content;
            }
            return inner instanceof Coin;
        }
    }

    public static class Box extends Wrapper {
        public Box(Object content) {
            super(content);
        }
    }

    public static class Bag extends Wrapper {
        public Bag(Object content) {
            super(content);
        }
    }

    public static class Jar extends Wrapper {
        public Jar(Object content) {
            super(content);
        }
    }

    public static boolean isPacked(Wrapper outer, Wrapper other) {
        if (outer != null && outer.wraps(Box.class, Jar.class, Bag.class, Jar.class, Box.class)
                && other != null && other.wraps(Bag.class, Jar.class, Box.class)) {
            return true; // goal: reached
        }
        return false;
    }
}
