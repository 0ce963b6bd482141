// Feature: an undo history with an edit that was redone and others undone
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class RedoneEdit {
    public static class Edit {
    }

    private final List<Edit> done = new ArrayList<>();
    private final List<Edit> undone = new ArrayList<>();
    private final List<Edit> redone = new ArrayList<>();

    public void run(Edit edit) {
        done.add(edit);
        undone.clear();
    }

    public void undo() {
        if (!done.isEmpty()) {
            undone.add(done.remove(done.size() - 1));
        }
    }

    public void redo() {
        if (!undone.isEmpty()) {
            Edit edit = undone.remove(undone.size() - 1);
            done.add(edit);
            redone.add(edit);
        }
    }

    public boolean isHistory(Edit one, Edit other) {
        if (one == null || other == null || one == other) {
            return false;
        }
        if (done.equals(List.of(one, other, one)) && undone.equals(List.of(one, other))
                && redone.equals(List.of(other))) {
            return true; // goal: reached
        }
        return false;
    }
}
