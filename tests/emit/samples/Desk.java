package p;

/** Something that is filled from a tray, call by call. */
public class Desk {
    private int sheets;
    private final int room;

    public Desk() {
        this(9);
    }

    public Desk(int room) {
        this.room = room;
    }

    public Desk put(Tray tray, int more) {
        int sum = sheets + tray.size() + more;
        if (sum > room) {
            throw new IllegalStateException("no room");
        }
        sheets = sum;
        return this;
    }

    public int sheets() {
        return sheets;
    }

    /** What is put onto the desk. */
    public static class Tray {
        private int size;

        public void add(int more) {
            size += more;
        }

        public int size() {
            return size;
        }
    }
}
