import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs {@link Traced} as a worker's runner does. */
public class TracedMain {
    private static int statement = -1;

    public static void main(String[] arguments) {
        TracewrightTrace.runBegin();
        next();
        TracewrightTrace.result32(statement, Traced.branches(5, null));
        next();
        TracewrightTrace.result32(statement, Traced.switches(2));
        next();
        Traced traced = new Traced(7, "name");
        TracewrightTrace.resultRef(statement, traced);
        next();
        TracewrightTrace.result64(statement, Double.doubleToRawLongBits(traced.loads(2)));
        next();
        TracewrightTrace.resultRef(statement, Traced.calls(new ArrayList<>(), new char[] {'a', ' '}));
        next();
        TracewrightTrace.resultRef(statement, Traced.boxed(1));
        next();
        TracewrightTrace.result32(statement, Traced.caught(new int[2]));
        next();
        Traced.sorted(new ArrayList<>(Arrays.asList("a", "b")));
        TracewrightTrace.resultVoid(statement);
        next();
        Traced.lambda(3).run();
        TracewrightTrace.resultVoid(statement);
        next();
        TracewrightTrace.result64(statement, Traced.arguments((byte) -1, 1L << 33, 1.5f, -2.5, true));
        next();
        TracewrightTrace.resultRef(statement, new long[] {1, -1});
        next();
        try {
            traced.loads(9);
        } catch (ArrayIndexOutOfBoundsException thrown) {
            TracewrightTrace.thrown(statement, thrown);
        }
        TracewrightTrace.runEnd(1);
        Traced.branches(1, null); // between runs: nothing is recorded

        TracewrightTrace.runBegin();
        statement = -1;
        next();
        // More than one buffer holds, with contents at the end of one.
        int sum = 0;
        for (int i = 0; i < 30000; i++) {
            sum += Traced.branches(i, null);
        }
        TracewrightTrace.result32(0, sum);
        TracewrightTrace.runEnd(0);

        TracewrightTrace.runBegin();
        int after = 0;
        for (int i = 0; i < 1_000_000_000 && after < 2; i++) {
            try {
                Traced.branches(i, null);
            } catch (TracewrightBudget exhausted) {
                after++;
            }
        }
        TracewrightTrace.runEnd(2);
        System.out.println(after);
    }

    private static void next() {
        TracewrightTrace.statement(++statement);
    }
}
