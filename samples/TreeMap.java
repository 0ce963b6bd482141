// Source: jtestcraft §6.3, Table 6.1; written after the description there.
// Idea: a red-black tree; rebalancing after a removal needs many entries with certain colours on either side.
package samples;

import java.util.Objects;

public class TreeMap {
    private static final class Entry {
        private Integer key;
        private Object value;
        private boolean red;
        private Entry left;
        private Entry right;
        private Entry parent;
    }

    /** Stands for every child that is not there, and for the parent of the root; always black. */
    private final Entry none = new Entry();
    private Entry root = none;
    private int size;

    public int size() {
        return size;
    }

    /** The value of the key, null when there is none. */
    public Object get(Integer key) {
        Entry entry = entry(key);
        return entry == none ? null : entry.value; // feasible: 2 of 2
    }

    /** The value that the key had before, null when it had none. */
    public Object put(Integer key, Object value) {
        Objects.requireNonNull(key, "key");
        Entry parent = none;
        Entry entry = root;
        int order = 0;
        while (entry != none) { // feasible: 2 of 2
            order = key.compareTo(entry.key);
            if (order == 0) { // feasible: 2 of 2
                Object before = entry.value;
                entry.value = value;
                return before;
            }
            parent = entry;
            entry = order < 0 ? entry.left : entry.right; // feasible: 2 of 2
        }
        Entry added = new Entry();
        added.key = key;
        added.value = value;
        added.left = none;
        added.right = none;
        added.parent = parent;
        if (parent == none) { // feasible: 2 of 2
            root = added;
        } else if (order < 0) { // feasible: 2 of 2
            parent.left = added;
        } else {
            parent.right = added;
        }
        fixAfterIns(added);
        size++;
        return null;
    }

    /** The value that the key had, null when it had none. */
    public Object remove(Integer key) {
        Entry entry = entry(key);
        if (entry == none) { // feasible: 2 of 2
            return null;
        }
        Object value = entry.value;
        delEntry(entry);
        size--;
        return value;
    }

    private Entry entry(Integer key) {
        Entry entry = root;
        while (entry != none) { // feasible: 2 of 2
            int order = key.compareTo(entry.key);
            if (order == 0) { // feasible: 2 of 2
                return entry;
            }
            entry = order < 0 ? entry.left : entry.right; // feasible: 2 of 2
        }
        return none;
    }

    private void fixAfterIns(Entry entry) {
        entry.red = true;
        while (entry.parent.red) { // feasible: 2 of 2
            Entry parent = entry.parent;
            Entry above = parent.parent;
            boolean left = parent == above.left; // feasible: 2 of 2
            Entry uncle = left ? above.right : above.left; // feasible: 2 of 2
            if (uncle.red) { // feasible: 2 of 2
                parent.red = false;
                uncle.red = false;
                above.red = true;
                entry = above;
            } else if (left) { // feasible: 2 of 2
                if (entry == parent.right) { // feasible: 2 of 2
                    entry = parent;
                    rotateLeft(entry);
                }
                entry.parent.red = false;
                above.red = true;
                rotateRight(above);
            } else {
                if (entry == parent.left) { // feasible: 2 of 2
                    entry = parent;
                    rotateRight(entry);
                }
                entry.parent.red = false;
                above.red = true;
                rotateLeft(above);
            }
        }
        root.red = false;
    }

    private void delEntry(Entry entry) {
        if (entry.left != none && entry.right != none) { // feasible: 4 of 4
            // What the next greater key holds moves here; its own entry has no left child.
            Entry next = entry.right;
            while (next.left != none) { // feasible: 2 of 2
                next = next.left;
            }
            entry.key = next.key;
            entry.value = next.value;
            entry = next;
        }
        Entry child = entry.left != none ? entry.left : entry.right; // feasible: 2 of 2
        child.parent = entry.parent;
        replace(entry, child);
        if (!entry.red) { // feasible: 2 of 2
            fixAfterDel(child);
        }
    }

    /** Paths through this entry have one black entry too few. */
    private void fixAfterDel(Entry entry) {
        while (entry != root && !entry.red) { // feasible: 4 of 4
            Entry parent = entry.parent;
            if (entry == parent.left) { // feasible: 2 of 2
                Entry other = parent.right;
                if (other.red) { // feasible: 2 of 2
                    other.red = false;
                    parent.red = true;
                    rotateLeft(parent);
                    other = parent.right;
                }
                if (!other.left.red && !other.right.red) { // feasible: 4 of 4
                    other.red = true;
                    entry = parent;
                } else {
                    if (!other.right.red) { // feasible: 2 of 2
                        other.left.red = false;
                        other.red = true;
                        rotateRight(other);
                        other = parent.right;
                    }
                    other.red = parent.red;
                    parent.red = false;
                    other.right.red = false;
                    rotateLeft(parent);
                    entry = root;
                }
            } else {
                Entry other = parent.left;
                if (other.red) { // feasible: 2 of 2
                    other.red = false;
                    parent.red = true;
                    rotateRight(parent);
                    other = parent.left;
                }
                if (!other.right.red && !other.left.red) { // feasible: 4 of 4
                    other.red = true;
                    entry = parent;
                } else {
                    if (!other.left.red) { // feasible: 2 of 2
                        other.right.red = false;
                        other.red = true;
                        rotateLeft(other);
                        other = parent.left;
                    }
                    other.red = parent.red;
                    parent.red = false;
                    other.left.red = false;
                    rotateRight(parent);
                    entry = root;
                }
            }
        }
        entry.red = false;
    }

    private void rotateLeft(Entry entry) {
        Entry up = entry.right;
        entry.right = up.left;
        if (up.left != none) { // feasible: 2 of 2
            up.left.parent = entry;
        }
        up.parent = entry.parent;
        replace(entry, up);
        up.left = entry;
        entry.parent = up;
    }

    private void rotateRight(Entry entry) {
        Entry up = entry.left;
        entry.left = up.right;
        if (up.right != none) { // feasible: 2 of 2
            up.right.parent = entry;
        }
        up.parent = entry.parent;
        replace(entry, up);
        up.right = entry;
        entry.parent = up;
    }

    /** Puts another entry where this one hangs. */
    private void replace(Entry entry, Entry other) {
        if (entry.parent == none) { // feasible: 2 of 2
            root = other;
        } else if (entry == entry.parent.left) { // feasible: 2 of 2
            entry.parent.left = other;
        } else {
            entry.parent.right = other;
        }
    }
}
