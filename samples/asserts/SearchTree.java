// Idea: a value that is already in the tree is counted again
// Verdict: wrong, 5, 9, 5
package samples.asserts;

public class SearchTree {

    private static class Node {
        final int value;
        Node left;
        Node right;

        Node(int value) {
            this.value = value;
        }
    }

    private Node root;
    private int size = 0;

    void insert(int value) {
        root = insert(root, value);
        size++;
    }

    private Node insert(Node node, int value) {
        if (node == null) {
            return new Node(value);
        }
        if (value < node.value) {
            node.left = insert(node.left, value);
        } else if (value > node.value) {
            node.right = insert(node.right, value);
        }
        return node;
    }

    static int count(Node node) {
        return node == null ? 0 : 1 + count(node.left) + count(node.right);
    }

    public static void main(String[] args) {
        SearchTree tree = new SearchTree();
        for (int i = 0; i < 3; i++) {
            int value = Inputs.nextInt();
            if (value < 1) {
                return;
            }
            tree.insert(value);
        }
        assert count(tree.root) == tree.size;
    }
}
