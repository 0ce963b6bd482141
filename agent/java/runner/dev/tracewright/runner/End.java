package dev.tracewright.runner;

import java.util.ArrayList;
import java.util.List;

/** How a run ended. The engine reads it as {@code RunEnd}. */
final class End {
    /**
     * The first five are the verdicts of a trace ({@code Verdict} in native/trace/src/event.rs).
     */
    static final int COMPLETED = 0, THREW = 1, BUDGET = 2, REFUSED = 3, EXHAUSTED = 4, ILLEGAL = 5, TIMEOUT = 6;
    private static final int MOST_FRAMES = 8;
    private static final int LONGEST_CHAIN = 16;
    private static final int LONGEST_MESSAGE = 4096;
    private static final String OWN_PACKAGE = End.class.getPackageName() + ".";

    final int kind;
    final int statement;
    /** What was refused or exhausted, or why the test case is illegal. */
    final String what;
    private Class<?> thrown;
    private String message;
    private boolean inProject;
    private List<StackTraceElement> frames = List.of();
    /**
     * A class may be left in the erroneous state (JVMS §5.5), which only a fresh class loader ends.
     */
    final boolean brokeInitialisation;
    /** The heap was exhausted. */
    final boolean heapExhausted;

    private End(int kind, int statement, String what, boolean brokeInitialisation, boolean heapExhausted) {
        this.kind = kind;
        this.statement = statement;
        this.what = what;
        this.brokeInitialisation = brokeInitialisation;
        this.heapExhausted = heapExhausted;
    }

    static End completed(int statements) {
        return new End(COMPLETED, statements, null, false, false);
    }

    static End timeout(int statement) {
        return new End(TIMEOUT, statement, null, false, false);
    }

    static End refused(int statement, String what, Throwable thrown) {
        return new End(REFUSED, statement, what, breaksInitialisation(thrown), false);
    }

    static End illegal(int statement, String why) {
        return new End(ILLEGAL, statement, why, false, false);
    }

    /**
     * Calls code under test (overridden getters of exceptions), so it belongs into the window of
     * the run.
     */
    static End of(int statement, Throwable thrown) {
        if (thrown instanceof Illegal illegal) {
            return illegal(statement, illegal.getMessage());
        }
        boolean broke = breaksInitialisation(thrown);
        Throwable at = thrown;
        for (int i = 0; at != null && i < LONGEST_CHAIN; i++) {
            if (Sink.isBudget(at)) {
                return new End(BUDGET, statement, null, broke, false);
            }
            if (Sink.isRefusal(at)) {
                return new End(REFUSED, statement, messageOf(at), broke, false);
            }
            if (at instanceof VirtualMachineError) {
                boolean heap = at instanceof OutOfMemoryError;
                String text = at.getClass().getSimpleName() + (heap && at.getMessage() != null ? ": " + at.getMessage() : "");
                return new End(EXHAUSTED, statement, text, broke, heap);
            }
            at = causeOf(at);
        }
        End end = new End(THREW, statement, null, broke, false);
        end.thrown = thrown.getClass();
        // The error of an initialiser has no message: its cause says what failed (JVMS §5.5).
        Throwable cause = thrown instanceof ExceptionInInitializerError ? causeOf(thrown) : null;
        end.message = cause == null ? messageOf(thrown) : nameAndMessage(cause);
        end.describeFrames(thrown);
        return end;
    }

    boolean sameAs(End other) {
        return kind == other.kind && statement == other.statement && thrown == other.thrown;
    }

    void write(Wire.Writer out, ClassTable classes) {
        out.int8(kind);
        if (kind == COMPLETED) {
            return;
        }
        out.int32(statement);
        if (kind == THREW) {
            classes.write(out, thrown);
            if (message == null) {
                out.int8(0);
            } else {
                out.int8(1).chars(message);
            }
            out.int8(inProject ? 1 : 0).int8(frames.size());
            for (StackTraceElement frame : frames) {
                out.string(frame.getClassName()).string(frame.getMethodName()).int32(frame.getLineNumber());
            }
        } else if (kind >= REFUSED && kind <= ILLEGAL) {
            out.string(what == null ? "" : what);
        }
    }

    private void describeFrames(Throwable thrown) {
        StackTraceElement[] all;
        try {
            all = thrown.getStackTrace();
        } catch (Throwable ignored) {
            return;
        }
        // Frames above the runner; those directly before it belong to reflection.
        int end = 0;
        while (end < all.length && !all[end].getClassName().startsWith(OWN_PACKAGE)) {
            end++;
        }
        while (end > 0 && end < all.length && isCallMachinery(all[end - 1].getClassName())) {
            end--;
        }
        frames = new ArrayList<>();
        // Errors of linking come from the JVM, whichever code ran (JVMS §5.4).
        boolean decided = thrown instanceof LinkageError;
        for (int i = 0; i < end; i++) {
            if (!decided && all[i].getModuleName() == null) {
                inProject = true;
                decided = true;
            }
            if (frames.size() < MOST_FRAMES) {
                frames.add(all[i]);
            }
        }
    }

    private static boolean isCallMachinery(String className) {
        return className.startsWith("java.lang.invoke.") || className.startsWith("jdk.internal.reflect.");
    }

    private static boolean breaksInitialisation(Throwable thrown) {
        Throwable at = thrown;
        for (int i = 0; at != null && i < LONGEST_CHAIN; i++) {
            if (at instanceof ExceptionInInitializerError) {
                return true;
            }
            // Other errors of this class mean that a class is not on the class path.
            if (at instanceof NoClassDefFoundError) {
                String message = messageOf(at);
                return message != null && message.startsWith("Could not initialize class");
            }
            at = causeOf(at);
        }
        return false;
    }

    private static Throwable causeOf(Throwable thrown) {
        try {
            return thrown.getCause();
        } catch (Throwable ignored) {
            return null;
        }
    }

    private static String nameAndMessage(Throwable thrown) {
        String message = messageOf(thrown);
        return message == null ? thrown.getClass().getName() : thrown.getClass().getName() + ": " + message;
    }

    private static String messageOf(Throwable thrown) {
        try {
            String message = thrown.getMessage();
            return message == null || message.length() > LONGEST_MESSAGE ? null : message;
        } catch (Throwable ignored) {
            return null;
        }
    }
}
