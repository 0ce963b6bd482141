package demo;

import java.util.List;
import java.util.Objects;

/** Conditions. The golden has what the bytecode tells of each, for both ways. */
class Conditions {
    static final int MOST = 50_000;
    private int reserved;
    private boolean blocked;
    Kind kind;

    enum Kind {
        OLD, NEW
    }

    int compared(int count, long total, double price, char sign, String text) {
        if (count < 1) {
            return 1;
        }
        if (total >= 5_000_000_000L || price <= 0.0) {
            return 2;
        }
        if (sign == '-' && text != null) {
            return 3;
        }
        if (this.reserved == count) {
            return 4;
        }
        return count > MOST ? 5 : 6;
    }

    boolean asked(List<String> names, Conditions other, Object value, Integer boxed) {
        if (names.isEmpty() || !names.contains("a")) {
            return true;
        }
        if (blocked) {
            return false;
        }
        if (other.kind == Kind.NEW && Objects.equals(other, value)) {
            return true;
        }
        if (value instanceof String) {
            return false;
        }
        int size = names.size();
        if (size > boxed) {
            return true;
        }
        return names.get(0).trim().length() == 0;
    }

    static int computed(int[] cells, int first, int second) {
        if (cells.length == 0) {
            return 0;
        }
        if (first + second > cells[0]) {
            return 1;
        }
        int number = (first > second ? first : second);
        synchronized (cells) {
            if (number == 7) {
                return 2;
            }
        }
        for (int cell : cells) {
            if (Math.abs(cell) == first) {
                return 3;
            }
        }
        return 4;
    }

    String getTitle() {
        return "title";
    }

    int properties(Conditions other, int limit) {
        String kept = other.getTitle();
        if (kept == null) {
            return 0;
        }
        String changed = getTitle();
        if (changed.isEmpty()) {
            changed = "none";
        }
        if (changed.equals(kept)) {
            return 1;
        }
        int length = getTitle().length();
        return length > limit ? 2 : 3;
    }
}
