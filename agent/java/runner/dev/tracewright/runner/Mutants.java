package dev.tracewright.runner;

import java.io.EOFException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The agent's {@code java.lang.TracewrightMutants}, found by name as {@link Sink} is. Without an
 * agent no mutant is ever active.
 */
final class Mutants {
    private static final Class<?> MUTANTS = Sink.find("java.lang.TracewrightMutants");
    private static final MethodHandle BEGIN = method("begin", void.class, int.class);
    private static final MethodHandle END = method("end", void.class);
    private static final MethodHandle NOTED = method("noted", int[].class);
    private static final int[] NOTHING = {};

    private Mutants() {}

    /** Activates a mutant. 0: none, and infected mutants are noted. */
    static void begin(int mutant) throws Throwable {
        if (BEGIN != null) {
            BEGIN.invokeExact(mutant);
        }
    }

    static void end() throws Throwable {
        if (END != null) {
            END.invokeExact();
        }
    }

    static int[] noted() throws Throwable {
        return NOTED == null ? NOTHING : (int[]) NOTED.invokeExact();
    }

    private static MethodHandle method(String name, Class<?> returned, Class<?>... parameters) {
        if (MUTANTS == null) {
            return null;
        }
        try {
            return MethodHandles.lookup().findStatic(MUTANTS, name, MethodType.methodType(returned, parameters));
        } catch (ReflectiveOperationException wrong) {
            throw new LinkageError("the agent and the runner do not fit: no " + name, wrong);
        }
    }

    /**
     * Test cases, and the mutants that each of them runs under: the payload of a {@link
     * Wire#MUTATE} frame.
     */
    static final class Batch {
        private final Program[] programs;
        private final int[] tests;
        private final int[] mutants;

        Batch(Wire.Reader in, Project project) throws EOFException {
            programs = new Program[in.int32()];
            for (int i = 0; i < programs.length; i++) {
                programs[i] = new Program(in.part(), project);
            }
            tests = new int[in.int32()];
            mutants = new int[tests.length];
            for (int i = 0; i < tests.length; i++) {
                tests[i] = in.int32();
                mutants[i] = in.int32();
            }
        }

        int count() {
            return tests.length;
        }

        Program program(int index) {
            return programs[tests[index]];
        }

        int mutant(int index) {
            return mutants[index];
        }
    }
}
