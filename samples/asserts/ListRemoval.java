// Idea: the first value of a linked list is never removed
// Verdict: wrong, 7, 1, 2, 7
package samples.asserts;

public class ListRemoval {

    private static class Node {
        final int value;
        Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    private Node head;

    void add(int value) {
        head = new Node(value, head);
    }

    void remove(int value) {
        Node node = head;
        while (node != null && node.next != null) {
            if (node.next.value == value) {
                node.next = node.next.next;
            } else {
                node = node.next;
            }
        }
    }

    boolean contains(int value) {
        for (Node node = head; node != null; node = node.next) {
            if (node.value == value) {
                return true;
            }
        }
        return false;
    }

    public static void main(String[] args) {
        int unwanted = Inputs.nextInt();
        if (unwanted == 0) {
            return;
        }
        ListRemoval list = new ListRemoval();
        for (int i = 0; i < 3; i++) {
            list.add(Inputs.nextInt());
        }
        list.remove(unwanted);
        assert !list.contains(unwanted);
    }
}
