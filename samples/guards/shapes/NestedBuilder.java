// Feature: a builder whose parts are opened and closed at certain depths
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class NestedBuilder {
    public enum Tag { TABLE, ROW, CELL }

    private final NestedBuilder parent;
    private final List<Tag> written;
    private boolean isOpen = true;

    public NestedBuilder() {
        parent = null;
        written = new ArrayList<>();
    }

    private NestedBuilder(NestedBuilder parent) {
        this.parent = parent;
        written = parent.written;
    }

    public NestedBuilder open(Tag tag) {
        if (!isOpen) {
            throw new IllegalStateException("closed");
        }
        written.add(tag);
        return new NestedBuilder(this);
    }

    public NestedBuilder close() {
        if (!isOpen || parent == null) {
            throw new IllegalStateException("nothing to close");
        }
        isOpen = false;
        written.add(null);
        return parent;
    }

    public boolean isTable() {
        if (parent == null && written.equals(Arrays.asList(
                Tag.TABLE, Tag.ROW, Tag.CELL, null, Tag.CELL, null, null,
                Tag.ROW, Tag.CELL, null, null, null))) {
            return true; // goal: reached
        }
        return false;
    }
}
