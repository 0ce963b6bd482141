import java.util.List;

class Small<T extends Comparable<T>> implements Runnable {
    static final long LIMIT = 1L << 33;
    private static final String TEXT = "line\n\"quoted\" \u20ac \ud800";
    private List<? extends T> items;

    sealed interface Shape permits Square {}

    record Square(int side, List<String> names) implements Shape {}

    Small(List<? extends T> items) throws IllegalArgumentException {
        if (items == null || items.isEmpty()) {
            throw new IllegalArgumentException(items == null ? "null" : "empty");
        }
        this.items = items;
    }

    @Override
    public synchronized void run() {
        Runnable greeting = () -> System.out.println(items.get(0) + " of " + items.size());
        greeting.run();
    }

    static int grade(int points, double factor) {
        try {
            switch (points / 10) {
                case 10, 9: return 1;
                case 8: return 2;
                default: return (int) (points * factor / 300_000.5f);
            }
        } catch (ArithmeticException e) {
            return -LIMIT > 0 ? 70_000 : -7;
        } finally {
            int[][] grid = new int[3][4];
            grid[1][2] += TEXT.length();
        }
    }

    native void outside();
}
