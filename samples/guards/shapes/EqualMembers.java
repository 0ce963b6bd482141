// Feature: a set with four members that have become equal
package samples.guards.shapes;

import java.util.HashSet;
import java.util.Set;

public class EqualMembers {
    public static class Label {
        private int number;

        public Label(int number) {
            this.number = number;
        }

        public void change(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Label label && label.number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    private final Set<Label> labels = new HashSet<>();

    public void add(Label label) {
        labels.add(label);
    }

    public boolean areEqual(Label kept, Label lost) {
        if (areFourLike(kept) && labels.contains(kept) && !labels.contains(lost) && isMember(lost)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean areFourLike(Label label) {
        return labels.stream().filter(member -> member.equals(label)).count() == 4;
    }

    private boolean isMember(Label label) {
        return labels.stream().anyMatch(member -> member == label);
    }
}
