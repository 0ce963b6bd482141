// Feature: a list of three nodes with certain values
package samples.guards;

public class LinkedNodes {
    private static final class Node {
        final int value;
        final Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    private Node head;

    public void push(int value) {
        head = new Node(value, head);
    }

    public boolean isChain() {
        if (head != null && head.next != null && head.next.next != null) {
            Node third = head.next.next;
            if (head.value * 2 == head.next.value && head.next.value - 5 == third.value && third.value == 605) {
                return true; // goal: reached
            }
        }
        return false;
    }
}
