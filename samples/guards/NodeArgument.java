// Feature: an argument whose fields hold objects
package samples.guards;

public class NodeArgument {
    public static final class Box {
        private final Box inner;
        private final int size;

        public Box(Box inner, int size) {
            this.inner = inner;
            this.size = size;
        }
    }

    public static boolean nests(Box box) {
        if (box != null && box.inner != null && box.inner.inner != null) {
            if (box.size > box.inner.size + 100 && box.inner.size == box.inner.inner.size * 3 && box.inner.inner.size == 77) {
                return true; // goal: reached
            }
        }
        return false;
    }
}
