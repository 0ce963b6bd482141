/**
 * Warms up the part of {@link Kernel} that its argument names. Then, for each line of input, runs as
 * many kernels as the line says, and prints their processor time in nanoseconds.
 */
public class KernelMain {
    /** Kernels a run, of a few million events. */
    private static final int RUN = 100;
    private static long sum;

    public static void main(String[] arguments) throws java.io.IOException {
        int mode = 0;
        try {
            mode = TracewrightSink.mode;
        } catch (NoClassDefFoundError plain) {
            // no agent
        }
        for (int round = 0; round < 40; round++) {
            measure(arguments[0], mode, 100);
        }
        java.io.BufferedReader input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null;) {
            System.out.println(measure(arguments[0], mode, Long.parseLong(line)));
        }
        System.err.print(sum == 42 ? " " : "");
    }

    private static long measure(String part, int mode, long repeat) {
        long time = 0;
        for (long done = 0; done < repeat; done += RUN) {
            if (mode == 2) {
                TracewrightTrace.runBegin();
            } else if (mode == 1) {
                TracewrightSearch.begin(1L << 40);
            }
            long start = cpuTime();
            for (int i = 0; i < Math.min(RUN, repeat - done); i++) {
                sum += Kernel.run(part, i);
            }
            time += cpuTime() - start;
            if (mode == 2) {
                TracewrightTrace.runEnd(0);
            } else if (mode == 1) {
                TracewrightSearch.end();
            }
        }
        return time;
    }

    /** Processor time: the machine may have other work, and the drain thread runs beside this one. */
    private static long cpuTime() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
