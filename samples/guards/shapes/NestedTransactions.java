// Feature: values kept from transactions of depth one and three, one rolled back
package samples.guards.shapes;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

public class NestedTransactions {
    public enum Slot { NAME, PLACE, DATE }

    private static class Transaction {
        private final Transaction outer;
        private final Map<Slot, Transaction> before;

        Transaction(Transaction outer, Map<Slot, Transaction> before) {
            this.outer = outer;
            this.before = before;
        }

        boolean isOutermost() {
            return outer == null;
        }

        boolean isThird() {
            return outer != null && outer.outer != null && outer.outer.isOutermost();
        }
    }

    private Map<Slot, Transaction> writers = new EnumMap<>(Slot.class);
    private final Set<Slot> undone = EnumSet.noneOf(Slot.class);
    private Transaction current;

    public void begin() {
        current = new Transaction(current, new EnumMap<>(writers));
    }

    public void put(Slot slot) {
        if (current != null) {
            writers.put(slot, current);
        }
    }

    public void commit() {
        current = current.outer;
    }

    public void rollback() {
        undone.addAll(writers.keySet());
        writers = current.before;
        undone.removeAll(writers.keySet());
        current = current.outer;
    }

    public boolean isSettled() {
        if (current == null && isKept(Slot.NAME) && isKept(Slot.PLACE) && writers.get(Slot.NAME).isOutermost()
                && writers.get(Slot.PLACE).isThird() && undone.equals(EnumSet.of(Slot.DATE))) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isKept(Slot slot) {
        return writers.get(slot) != null && writers.get(Slot.DATE) == null;
    }
}
