// Feature: a PriorityQueue
package samples.guards;

import java.util.PriorityQueue;

public class QueueOrder {
    public static boolean orders(int a, int b, int c) {
        PriorityQueue<Integer> queue = new PriorityQueue<>();
        queue.add(a);
        queue.add(b);
        queue.add(c);
        int first = queue.poll();
        int second = queue.poll();
        if (first == c && second == a && second - first == 1_111 && b == 2_222) {
            return true; // goal: reached
        }
        return false;
    }
}
