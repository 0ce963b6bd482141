import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Static state of every kind. */
public class Stateful {
    static final int CONSTANT = 5;
    static final String TEXT = "text";
    static int counter = 10;
    static final int[] TABLE = {1, 2, 3};
    static final List<String> LIST = new ArrayList<>();
    static final String[] NAMES = {"a", "b"};
    static final Object FIXED = Integer.valueOf(7);
    static final Second SECOND = new Second();

    static int readTable(int i) {
        return TABLE[i];
    }

    static void writeTable() {
        TABLE[0] = 99;
    }

    static void count() {
        counter++;
    }

    static int readList() {
        return LIST.size();
    }

    static void add() {
        LIST.add("x");
    }

    static Object readFixed() {
        return FIXED + NAMES[0] + TEXT + CONSTANT + Kind.ONE + Kind.values().length;
    }

    static void second() {
        Second.value++;
        Above.inherited++;
    }

    static void below() {
        Below.inherited++;
    }

    static void endless() {
        while (true) {
            counter += 0;
        }
    }

    static void recursive() {
        recursive();
    }

    static void stubborn() {
        while (true) {
            try {
                while (true) {
                    counter += 0;
                }
            } catch (Throwable again) {
                if (counter++ > 20) {
                    throw again;
                }
            }
        }
    }

    /** A thread that stays in this class. {@code begun} runs when the thread has met its probes. */
    static Thread left(Runnable begun) {
        Thread thread = new Thread(() -> {
            counter += 0;
            begun.run();
            endless();
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static String deep() {
        List<int[]> list = MAP.get("list");
        list.get(0)[1]++;
        list.add(new int[3]);
        MAP.put("more", null);
        Kind.TWO.uses++;
        Constants.LIST.add(Kind.TWO.uses);
        return deeply();
    }

    static String deeply() {
        return MAP.size() + " " + MAP.get("list").size() + " " + MAP.get("list").get(0)[1] + " " + Kind.TWO.uses + " "
                + Constants.LIST;
    }

    /** The levels of a logger and of one below it. */
    static String level() {
        boolean below = BELOW.isLoggable(Level.FINE);
        return LOG.getLevel() + " " + below + " " + LOG.getHandlers().length + " " + LOG.getUseParentHandlers();
    }

    static String quiet() {
        LOG.setLevel(Level.FINE);
        LOG.addHandler(new java.util.logging.ConsoleHandler());
        LOG.setUseParentHandlers(false);
        return level();
    }

    static final Logger LOG = Logger.getLogger("p.stateful");
    static final Logger BELOW = Logger.getLogger("p.stateful.below");

    static int late() {
        return Late.VALUE + LIST.size();
    }

    static final Map<String, List<int[]>> MAP = new HashMap<>();

    static {
        MAP.put("list", new ArrayList<>(List.of(new int[] {1, 2})));
    }

    interface Constants {
        List<Integer> LIST = new ArrayList<>();
    }

    static class Late {
        static final int VALUE = 100 + LIST.size();

        static {
            LIST.add("late");
        }
    }

    static int later() {
        return 10 * LIST.size() + Later.VALUE + LIST.size();
    }

    static class Later {
        static int VALUE = 100;

        static {
            LIST.add("later");
        }
    }

    enum Kind {
        ONE, TWO;

        int uses;
    }

    static class Second {
        static int value = 1;
    }

    static class Above {
        static int inherited = 3;
    }

    static class Below extends Above {
    }
}
