import java.time.Duration;
import java.time.Instant;

/** Prints what this JVM thinks of the time: whether dates are later, how long nothing takes. */
public class ClockMain {
    private static final int TIMES = 20_000;

    public static void main(String[] arguments) throws Exception {
        // The machine's date.
        Instant real = Instant.ofEpochSecond(Long.parseLong(arguments[0]));
        System.out.println("days later: " + Duration.between(real, Instant.now()).toDays()
                + " and " + (System.currentTimeMillis() / 1000 - real.getEpochSecond()) / 86_400);
        // Often enough that the JIT compiles it.
        long shortest = Long.MAX_VALUE;
        long uneven = 0;
        for (int i = 0; i < TIMES; i++) {
            long before = System.nanoTime();
            shortest = Math.min(shortest, System.nanoTime() - before);
            uneven |= before % 20_000_000;
        }
        System.out.println("shortest: " + (shortest == 0 ? "0" : shortest >= 5_000_000 ? "5 ms or more" : "less"));
        System.out.println("whole steps: " + (uneven == 0));
        boolean[] ran = new boolean[1];
        Thread thread = new Thread(() -> ran[0] = true);
        thread.setDaemon(true);
        thread.start();
        boolean isEarly = arguments.length > 1 && arguments[1].equals("at once");
        if (!isEarly) {
            // Long enough for a thread, unless it is late on purpose.
            thread.join(arguments.length == 1 ? 0 : 200);
        }
        System.out.println("ran: " + ran[0]);
        if (!ran[0]) {
            System.out.flush();
            Runtime.getRuntime().halt(0);
        }
    }
}
