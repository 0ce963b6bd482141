// Feature: a tree of depth three with a zigzag
package samples.guards;

public class TreeShape {
    private static final class Node {
        final int key;
        Node left;
        Node right;

        Node(int key) {
            this.key = key;
        }
    }

    private Node root;

    public void insert(int key) {
        if (root == null) {
            root = new Node(key);
            return;
        }
        Node node = root;
        while (node.key != key) {
            Node next = key < node.key ? node.left : node.right;
            if (next == null) {
                next = new Node(key);
                if (key < node.key) {
                    node.left = next;
                } else {
                    node.right = next;
                }
            }
            node = next;
        }
    }

    public boolean zigzags() {
        if (root != null && root.left != null && root.left.right != null) {
            if (root.left.right.key - root.left.key == 300 && root.key - root.left.right.key == 30) {
                return true; // goal: reached
            }
        }
        return false;
    }
}
