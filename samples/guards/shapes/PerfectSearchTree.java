// Feature: a search tree of fifteen keys in which all levels are full
package samples.guards.shapes;

public class PerfectSearchTree {
    private static class Node {
        private final int key;
        private Node left;
        private Node right;

        Node(int key) {
            this.key = key;
        }
    }

    private Node root;

    public void insert(int key) {
        root = insert(root, key);
    }

    private static Node insert(Node node, int key) {
        if (node == null) {
            return new Node(key);
        }
        if (key < node.key) {
            node.left = insert(node.left, key);
        } else if (key > node.key) {
            node.right = insert(node.right, key);
        }
        return node;
    }

    public boolean isPerfect() {
        if (isFull(root, 4)) {
            return true; // goal: reached
        }
        return false;
    }

    private static boolean isFull(Node node, int levels) {
        if (levels == 0) {
            return node == null;
        }
        return node != null && isFull(node.left, levels - 1) && isFull(node.right, levels - 1);
    }
}
