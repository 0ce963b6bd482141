import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs {@link Traced} as a worker's runner does. */
public class TracedMain {
    private static int statement = -1;

    public static void main(String[] arguments) {
        TracewrightSink.runBegin();
        next();
        TracewrightSink.result32(statement, Traced.branches(5, null));
        next();
        TracewrightSink.result32(statement, Traced.switches(2));
        next();
        Traced traced = new Traced(7, "name");
        TracewrightSink.resultRef(statement, traced);
        next();
        TracewrightSink.result64(statement, Double.doubleToRawLongBits(traced.loads(2)));
        next();
        TracewrightSink.resultRef(statement, Traced.calls(new ArrayList<>(), new char[] {'a', ' '}));
        next();
        TracewrightSink.resultRef(statement, Traced.boxed(1));
        next();
        TracewrightSink.result32(statement, Traced.caught(new int[2]));
        next();
        Traced.sorted(new ArrayList<>(Arrays.asList("a", "b")));
        TracewrightSink.resultVoid(statement);
        next();
        Traced.lambda(3).run();
        TracewrightSink.resultVoid(statement);
        next();
        TracewrightSink.result64(statement, Traced.arguments((byte) -1, 1L << 33, 1.5f, -2.5, true));
        next();
        TracewrightSink.resultRef(statement, new long[] {1, -1});
        next();
        try {
            traced.loads(9);
        } catch (ArrayIndexOutOfBoundsException thrown) {
            TracewrightSink.thrown(statement, thrown);
        }
        TracewrightSink.runEnd(1);
        Traced.branches(1, null); // between runs: nothing is recorded

        TracewrightSink.runBegin();
        statement = -1;
        next();
        // More than one buffer holds, with contents at the end of one.
        int sum = 0;
        for (int i = 0; i < 30000; i++) {
            sum += Traced.branches(i, null);
        }
        TracewrightSink.result32(0, sum);
        TracewrightSink.runEnd(0);

        TracewrightSink.runBegin();
        int after = 0;
        for (int i = 0; i < 1_000_000_000 && after < 2; i++) {
            try {
                Traced.branches(i, null);
            } catch (TracewrightBudget exhausted) {
                after++;
            }
        }
        TracewrightSink.runEnd(2);
        System.out.println(after);
    }

    private static void next() {
        TracewrightSink.statement(++statement);
    }
}
