// Feature: a balanced tree that has turned in each of the four ways, in order
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class AvlRotations {
    private enum Turn { LEFT, RIGHT, LEFT_RIGHT, RIGHT_LEFT }

    private record Node(int key, Node left, Node right) {
    }

    private final List<Turn> turns = new ArrayList<>();
    private Node root;

    public void insert(int key) {
        root = insert(root, key);
    }

    private Node insert(Node node, int key) {
        if (node == null) {
            return new Node(key, null, null);
        }
        if (key < node.key) {
            return balance(node.key, insert(node.left, key), node.right);
        }
        return key > node.key ? balance(node.key, node.left, insert(node.right, key)) : node;
    }

    private Node balance(int key, Node left, Node right) {
        int lean = height(left) - height(right);
        if (lean > 1) {
            boolean isInner = height(left.right) > height(left.left);
            turns.add(isInner ? Turn.LEFT_RIGHT : Turn.RIGHT);
            return turnRight(new Node(key, isInner ? turnLeft(left) : left, right));
        }
        if (lean < -1) {
            boolean isInner = height(right.left) > height(right.right);
            turns.add(isInner ? Turn.RIGHT_LEFT : Turn.LEFT);
            return turnLeft(new Node(key, left, isInner ? turnRight(right) : right));
        }
        return new Node(key, left, right);
    }

    private static Node turnLeft(Node node) {
        Node up = node.right;
        return new Node(up.key, new Node(node.key, node.left, up.left), up.right);
    }

    private static Node turnRight(Node node) {
        Node up = node.left;
        return new Node(up.key, up.left, new Node(node.key, up.right, node.right));
    }

    private static int height(Node node) {
        return node == null ? 0 : 1 + Math.max(height(node.left), height(node.right));
    }

    public boolean hasTurned() {
        if (turns.equals(List.of(Turn.LEFT_RIGHT, Turn.LEFT, Turn.RIGHT_LEFT, Turn.RIGHT, Turn.LEFT))) {
            return true; // goal: reached
        }
        return false;
    }
}
