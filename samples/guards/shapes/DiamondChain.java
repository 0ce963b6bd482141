// Feature: five nodes above each other, each the left and the right child of the one above
package samples.guards.shapes;

public class DiamondChain {
    public interface Node {
        boolean isDiamond(Node[] below, int level);
    }

    public static class Leaf implements Node {
        @Override
        public boolean isDiamond(Node[] below, int level) {
            return level == 0;
        }
    }

    public static class Fork implements Node {
        private final Node left;
        private final Node right;

        public Fork(Node left, Node right) {
            this.left = left;
            this.right = right;
        }

        @Override
        public boolean isDiamond(Node[] below, int level) {
            if (level == 0 || left == null || left != right) {
                return false;
            }
            below[level - 1] = left;
            return left.isDiamond(below, level - 1);
        }
    }

    public static boolean hasFive(Node top, Node middle, Node bottom) {
        Node[] below = new Node[5];
        if (top != null && top.isDiamond(below, 5) && below[2] == middle && below[0] == bottom) {
            return true; // goal: reached
        }
        return false;
    }
}
