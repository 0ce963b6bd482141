// Feature: entries that went three times to the far level of a cache and came back
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.List;

public class TwoLevelCache {
    private enum Move { LOADED, DEMOTED, PROMOTED }

    private static class Entry {
        private final int key;
        private final List<Move> moves = new ArrayList<>(List.of(Move.LOADED));

        Entry(int key) {
            this.key = key;
        }

        boolean cameBackOften() {
            return moves.equals(List.of(Move.LOADED, Move.DEMOTED, Move.PROMOTED,
                    Move.DEMOTED, Move.PROMOTED, Move.DEMOTED, Move.PROMOTED));
        }
    }

    private final List<Entry> near = new ArrayList<>();
    private final List<Entry> far = new ArrayList<>();

    public void get(int key) {
        Entry entry = take(near, key);
        if (entry == null) {
            entry = take(far, key);
            if (entry == null) {
                entry = new Entry(key);
            } else {
                entry.moves.add(Move.PROMOTED);
            }
        }
        near.add(entry);
        if (near.size() > 2) {
            Entry demoted = near.remove(0);
            demoted.moves.add(Move.DEMOTED);
            far.add(demoted);
        }
        if (far.size() > 2) {
            far.remove(0);
        }
    }

    private static Entry take(List<Entry> level, int key) {
        for (Entry entry : level) {
            if (entry.key == key) {
                level.remove(entry);
                return entry;
            }
        }
        return null;
    }

    public boolean isBusy() {
        if (!near.isEmpty() && near.stream().allMatch(Entry::cameBackOften)) {
            return true; // goal: reached
        }
        return false;
    }
}
