// Feature: an ArrayDeque as stack and queue
package samples.guards;

import java.util.ArrayDeque;

public class DequeFlow {
    public static boolean evaluate(int a, int b, int c) {
        ArrayDeque<Integer> stack = new ArrayDeque<>();
        stack.push(a);
        stack.push(b);
        stack.addLast(c);
        int top = stack.pop() - stack.pollLast();
        stack.push(top * 2);
        if (stack.pop() == 1_024 && stack.peekFirst() == 512 && stack.size() == 1) {
            return true; // goal: reached
        }
        return false;
    }
}
