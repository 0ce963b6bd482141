package dev.tracewright.runner;

/** One pass over a program inside a window of the watch. */
final class Run {
    private final Program program;
    private final Config config;
    /** Takes the snapshots; null when none are wanted. */
    private final Wire.Writer observed;
    private final Snapshots snapshots;
    /** The mutant that is on, 0 for none. */
    private final int mutant;
    /** Every snapshot was taken. */
    boolean observedWhole;
    Object[] values;
    End end;

    Run(Program program, Config config, Wire.Writer observed, Snapshots snapshots) {
        this(program, config, observed, snapshots, 0);
    }

    Run(Program program, Config config, Wire.Writer observed, Snapshots snapshots, int mutant) {
        this.mutant = mutant;
        this.program = program;
        this.config = config;
        this.observed = observed;
        this.snapshots = snapshots;
        this.values = new Object[program.statements.length];
    }

    /** False when the watchdog has taken over: nothing may be touched any more. */
    boolean execute(Watch watch) throws Throwable {
        boolean traced = config.mode == Config.TRACE;
        Sink.refused();
        // Observing runs more of the code under test than the statements themselves.
        Sink.begin(observed == null || snapshots.isPlain() ? config.eventBudget : config.eventBudget * 2);
        Mutants.begin(mutant);
        watch.enter();
        try {
            if (traced) {
                Sink.runBegin();
            }
            end = perform(watch, traced);
            if (traced) {
                Sink.runEnd(end.kind);
            }
            if (observed != null) {
                snapshots();
                observedWhole = true;
            }
        } catch (Throwable late) {
            // The stop arrived outside a statement, or describing what was thrown failed.
            end = End.of(watch.statement, late);
        }
        if (!watch.leave()) {
            return false;
        }
        Mutants.end();
        Sink.end();
        String refused = Sink.refused();
        if (refused != null && end.kind != End.REFUSED) {
            end = End.refused(end.statement, refused, null);
        }
        return true;
    }

    private End perform(Watch watch, boolean traced) throws Throwable {
        Program.Statement[] statements = program.statements;
        for (int i = 0; i < statements.length; i++) {
            Program.Statement statement = statements[i];
            watch.statement = i;
            if (traced) {
                Sink.statement(i);
            }
            try {
                values[i] = statement.perform(values);
            } catch (Throwable thrown) {
                if (traced && !(thrown instanceof Illegal)) {
                    Sink.thrown(i, thrown);
                }
                String refused = Sink.refused();
                return refused != null ? End.refused(i, refused, thrown) : End.of(i, thrown);
            }
            if (traced) {
                result(i, statement.shape, values[i]);
            }
            String refused = Sink.refused();
            if (refused != null) {
                return End.refused(i, refused, null);
            }
            if (observed != null) {
                snapshots.write(observed, statement.shape, values, i);
            }
        }
        return End.completed(statements.length);
    }

    private static void result(int index, char shape, Object value) throws Throwable {
        switch (shape) {
            case 'V' -> Sink.resultVoid(index);
            case 'L' -> Sink.resultRef(index, value);
            case 'Z' -> Sink.result32(index, (boolean) value ? 1 : 0);
            case 'C' -> Sink.result32(index, (char) value);
            case 'J' -> Sink.result64(index, (long) value);
            case 'D' -> Sink.result64(index, Double.doubleToRawLongBits((double) value));
            case 'F' -> Sink.result32(index, Float.floatToRawIntBits((float) value));
            default -> Sink.result32(index, ((Number) value).intValue());
        }
    }

    /** Those of the statements that did not run, then all of them once more. */
    private void snapshots() {
        for (int i = end.statement; i < values.length; i++) {
            observed.int8(Snapshots.ABSENT);
        }
        for (int i = 0; i < values.length; i++) {
            if (i < end.statement) {
                snapshots.write(observed, program.statements[i].shape, values, i);
            } else {
                observed.int8(Snapshots.ABSENT);
            }
        }
    }

    boolean fitForObservation() {
        return end.kind == End.COMPLETED || end.kind == End.THREW;
    }
}
