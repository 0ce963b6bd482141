// Source: jtestcraft §6.3, Table 6.1; written after the description there.
// Idea: the number of children of a removed node decides the path; each shape of the tree needs its own calls.
package samples;

public class BinSearchTree {
    private static final class Node {
        private Integer key;
        private Node left;
        private Node right;

        private Node(Integer key) {
            this.key = key;
        }
    }

    private Node root;
    private int size;

    public int size() {
        return size;
    }

    /** Whether the key was taken: null is not, nor one that is there already. */
    public boolean insert(Integer key) {
        if (key == null) { // feasible: 2 of 2
            return false;
        }
        if (root == null) { // feasible: 2 of 2
            root = new Node(key);
            size++;
            return true;
        }
        Node node = root;
        while (true) {
            int order = key.compareTo(node.key);
            if (order == 0) { // feasible: 2 of 2
                return false;
            }
            Node next = order < 0 ? node.left : node.right; // feasible: 2 of 2
            if (next == null) { // feasible: 2 of 2
                if (order < 0) { // feasible: 2 of 2
                    node.left = new Node(key);
                } else {
                    node.right = new Node(key);
                }
                size++;
                return true;
            }
            node = next;
        }
    }

    public boolean contains(Integer key) {
        Node node = root;
        while (node != null) { // feasible: 2 of 2
            int order = key.compareTo(node.key);
            if (order == 0) { // feasible: 2 of 2
                return true;
            }
            node = order < 0 ? node.left : node.right; // feasible: 2 of 2
        }
        return false;
    }

    /** Whether the key was there. */
    public boolean remove(Integer key) {
        Node parent = null;
        Node node = root;
        while (node != null) { // feasible: 2 of 2
            int order = key.compareTo(node.key);
            if (order == 0) { // feasible: 2 of 2
                removeNode(parent, node);
                size--;
                return true;
            }
            parent = node;
            node = order < 0 ? node.left : node.right; // feasible: 2 of 2
        }
        return false;
    }

    private void removeNode(Node parent, Node node) {
        if (node.left != null && node.right != null) { // feasible: 4 of 4
            // The next greater key moves here; its own node has no left child.
            Node above = node;
            Node next = node.right;
            while (next.left != null) { // feasible: 2 of 2
                above = next;
                next = next.left;
            }
            node.key = next.key;
            removeNode(above, next);
            return;
        }
        Node child = node.left != null ? node.left : node.right; // feasible: 2 of 2
        if (parent == null) { // feasible: 2 of 2
            root = child;
        } else if (parent.left == node) { // feasible: 2 of 2
            parent.left = child;
        } else {
            parent.right = child;
        }
    }
}
