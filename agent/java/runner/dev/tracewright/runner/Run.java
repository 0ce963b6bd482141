package dev.tracewright.runner;

/** One execution of a program inside a window of the watch. */
final class Run {
    private final Program program;
    private final Config config;
    /** Receives the snapshots; null: none are wanted. */
    private final Wire.Writer observed;
    private final Snapshots snapshots;
    private final Threads threads;
    /** The active mutant; 0: none. */
    private final int mutant;
    /** All snapshots were taken. */
    boolean observedWhole;
    Object[] values;
    /** The class of each value when its statement had run: later statements may fill a list that a call returned. */
    final byte[] outputs;
    private Interactions interactions;
    End end;

    Run(Program program, Config config, Threads threads, Wire.Writer observed, Snapshots snapshots) {
        this(program, config, threads, observed, snapshots, 0);
    }

    Run(Program program, Config config, Threads threads, Wire.Writer observed, Snapshots snapshots, int mutant) {
        this.threads = threads;
        this.mutant = mutant;
        this.program = program;
        this.config = config;
        this.observed = observed;
        this.snapshots = snapshots;
        this.values = new Object[program.statements.length];
        this.outputs = new byte[program.statements.length];
    }

    /**
     * Executes the statements, and waits until the threads that they started have ended or rest:
     * what these do belongs to the run. False: the watchdog has taken over, and this thread must touch
     * nothing any more.
     */
    boolean execute(Watch watch) throws Throwable {
        boolean traced = config.mode == Config.TRACE;
        Sink.refused();
        interactions = program.begin();
        // Observing runs more code under test than the statements do.
        Sink.begin(observed == null || snapshots.isPlain() ? config.eventBudget : config.eventBudget * 2);
        Mutants.begin(mutant);
        watch.enter();
        try {
            if (traced) {
                Sink.runBegin();
            }
            end = perform(watch, traced);
            interactions.end();
            watch.pause();
            threads.await();
            watch.resume();
            if (traced) {
                Sink.runEnd(end.kind);
            }
            if (observed != null) {
                snapshots();
                observedWhole = true;
            }
        } catch (Throwable late) {
            // The stop arrived outside of a statement, or the description of an exception failed.
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
                interactions.begin(i);
                values[i] = statement.perform(values);
                interactions.end();
                outputs[i] = (byte) Outputs.of(statement.shape, values, i);
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

    /**
     * Takes the snapshots of statements that did not run, then all snapshots once more, and
     * describes the calls on mocks.
     */
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
        interactions.write(observed, values, snapshots, config.inspectors);
    }

    boolean fitForObservation() {
        return end.kind == End.COMPLETED || end.kind == End.THREW;
    }
}
