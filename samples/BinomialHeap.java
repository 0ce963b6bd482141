// Source: jtestcraft §6.3, Table 6.1; written after the description there.
// Idea: the number of calls decides which trees of 1, 2, 4, ... nodes exist; the order of keys, which one is split.
package samples;

public class BinomialHeap {
    /** The root of a tree of 2^degree nodes, none of them with a lesser key than its parent. */
    private static final class Node {
        private int key;
        private int degree;
        private Node parent;
        /** The child of the greatest degree. */
        private Node child;
        private Node sibling;

        private Node(int key) {
            this.key = key;
        }
    }

    /** The first root; degrees ascend along the siblings. */
    private Node roots;
    private int size;

    public int size() {
        return size;
    }

    public void insert(int key) {
        roots = unionNodes(roots, new Node(key));
        size++;
    }

    /** The least key, null when there is none. */
    public Integer findMin() {
        Node least = leastRoot();
        return least == null ? null : (Integer) least.key; // feasible: 2 of 2
    }

    /** Takes out the least key; null when there is none. */
    public Integer extractMin() {
        Node least = leastRoot();
        if (least == null) { // feasible: 2 of 2
            return null;
        }
        removeRoot(least);
        return least.key;
    }

    /** Takes out one such key; whether there was one. */
    public boolean delete(int key) {
        Node node = find(roots, key);
        if (node == null) { // feasible: 2 of 2
            return false;
        }
        removeRoot(rise(node, true));
        return true;
    }

    /** Makes one such key a lesser one; whether there was one, and the other one is less. */
    public boolean decrease(int from, int to) {
        if (to >= from) { // feasible: 2 of 2
            return false;
        }
        Node node = find(roots, from);
        if (node == null) { // feasible: 2 of 2
            return false;
        }
        node.key = to;
        rise(node, false);
        return true;
    }

    private Node leastRoot() {
        Node least = roots;
        for (Node node = roots; node != null; node = node.sibling) { // feasible: 2 of 2
            if (node.key < least.key) { // feasible: 2 of 2
                least = node;
            }
        }
        return least;
    }

    private static Node find(Node first, int key) {
        for (Node node = first; node != null; node = node.sibling) { // feasible: 2 of 2
            if (node.key == key) { // feasible: 2 of 2
                return node;
            }
            if (node.key < key) { // feasible: 2 of 2
                Node found = find(node.child, key);
                if (found != null) { // feasible: 2 of 2
                    return found;
                }
            }
        }
        return null;
    }

    /** Moves the key up while it is less than the one above, or all the way; the node where it is then. */
    private static Node rise(Node node, boolean allTheWay) {
        while (node.parent != null && (allTheWay || node.key < node.parent.key)) { // feasible: 6 of 6
            int key = node.key;
            node.key = node.parent.key;
            node.parent.key = key;
            node = node.parent;
        }
        return node;
    }

    /** Takes one root out; its children become roots. */
    private void removeRoot(Node root) {
        if (roots == root) { // feasible: 2 of 2
            roots = root.sibling;
        } else {
            Node before = roots;
            while (before.sibling != root) { // feasible: 2 of 2
                before = before.sibling;
            }
            before.sibling = root.sibling;
        }
        Node children = null;
        Node child = root.child;
        while (child != null) { // feasible: 2 of 2
            Node next = child.sibling;
            child.parent = null;
            child.sibling = children;
            children = child;
            child = next;
        }
        roots = unionNodes(roots, children);
        size--;
    }

    /** One list of roots, no two of the same degree, of two such lists. */
    private static Node unionNodes(Node a, Node b) {
        Node first = merge(a, b);
        if (first == null) { // feasible: 2 of 2
            return null;
        }
        Node before = null;
        Node node = first;
        Node next = node.sibling;
        while (next != null) { // feasible: 2 of 2
            boolean threeAlike = next.sibling != null && next.sibling.degree == node.degree; // feasible: 4 of 4
            if (node.degree != next.degree || threeAlike) { // feasible: 4 of 4
                before = node;
                node = next;
            } else if (node.key <= next.key) { // feasible: 2 of 2
                node.sibling = next.sibling;
                putBelow(next, node);
            } else {
                if (before == null) { // feasible: 2 of 2
                    first = next;
                } else {
                    before.sibling = next;
                }
                putBelow(node, next);
                node = next;
            }
            next = node.sibling;
        }
        return first;
    }

    /** By ascending degree. */
    private static Node merge(Node a, Node b) {
        Node head = new Node(0);
        Node last = head;
        while (a != null && b != null) { // feasible: 4 of 4
            if (a.degree <= b.degree) { // feasible: 2 of 2
                last.sibling = a;
                a = a.sibling;
            } else {
                last.sibling = b;
                b = b.sibling;
            }
            last = last.sibling;
        }
        last.sibling = a != null ? a : b; // feasible: 2 of 2
        return head.sibling;
    }

    private static void putBelow(Node child, Node parent) {
        child.parent = parent;
        child.sibling = parent.child;
        parent.child = child;
        parent.degree++;
    }
}
