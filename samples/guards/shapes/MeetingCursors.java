// Feature: a cursor from each end, both at the middle element
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class MeetingCursors {
    private enum Step { FORWARD, BACK }

    public static class Cursor {
        private final MeetingCursors chain;
        private final List<Step> steps = new ArrayList<>();
        private int at;

        private Cursor(MeetingCursors chain, int at) {
            this.chain = chain;
            this.at = at;
        }

        public void forward() {
            at++;
            steps.add(Step.FORWARD);
        }

        public void back() {
            at--;
            steps.add(Step.BACK);
        }
    }

    private final List<Object> items = new ArrayList<>();

    public void add(Object item) {
        items.add(item);
    }

    public Cursor first() {
        return new Cursor(this, 0);
    }

    public Cursor last() {
        return new Cursor(this, items.size() - 1);
    }

    public boolean meet(Cursor one, Cursor other) {
        if (one.chain == this && other.chain == this && one.at == other.at && isAtMiddle(one, other)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isAtMiddle(Cursor one, Cursor other) {
        return items.get(one.at) == null && items.indexOf(null) == items.lastIndexOf(null)
                && one.steps.equals(List.of(Step.FORWARD, Step.FORWARD))
                && other.steps.equals(List.of(Step.BACK, Step.BACK));
    }
}
