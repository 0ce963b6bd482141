/** Prints the nanoseconds of processor time that this thread took for one kernel, a line a round; arguments: part, rounds, kernels a round. */
public class KernelMain {
    public static void main(String[] arguments) {
        String part = arguments[0];
        int rounds = Integer.parseInt(arguments[1]);
        int repeat = Integer.parseInt(arguments[2]);
        int mode = 0;
        try {
            mode = TracewrightSink.mode;
        } catch (NoClassDefFoundError plain) {
            // no agent
        }
        long sum = 0;
        for (int round = 0; round < rounds; round++) {
            if (mode == 2) {
                TracewrightSink.runBegin();
            } else if (mode == 1) {
                TracewrightSink.begin(1L << 40);
            }
            long start = cpuTime();
            for (int i = 0; i < repeat; i++) {
                sum += Kernel.run(part, i);
            }
            System.out.println((cpuTime() - start) / repeat);
            if (mode == 2) {
                TracewrightSink.runEnd(0);
            } else if (mode == 1) {
                TracewrightSink.end();
            }
        }
        System.err.print(sum == 42 ? " " : "");
    }

    /** Processor time: the machine may have other work, and the drain thread runs beside this one. */
    private static long cpuTime() {
        return java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
