// Feature: a tree in which one place is null
package samples.guards.shapes;

public class NullLeaf {
    private final NullLeaf left;
    private final NullLeaf right;
    private boolean taken;

    public NullLeaf(NullLeaf left, NullLeaf right) {
        this.left = adopt(left);
        this.right = adopt(right);
    }

    private static NullLeaf adopt(NullLeaf child) {
        if (child != null) {
            if (child.taken) {
                throw new IllegalArgumentException("the child has a parent");
            }
            child.taken = true;
        }
        return child;
    }

    public boolean lacksOneLeaf() {
        if (isFork(left) && isFork(left.left) && isHalf(right)) {
            return true; // goal: reached
        }
        return false;
    }

    private static boolean isFork(NullLeaf node) {
        return node != null && node.left != null && isLeaf(node.right);
    }

    private static boolean isHalf(NullLeaf node) {
        return node != null && node.left == null && isLeaf(node.right);
    }

    private static boolean isLeaf(NullLeaf node) {
        return node != null && node.left == null && node.right == null;
    }
}
