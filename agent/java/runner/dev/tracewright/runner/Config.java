package dev.tracewright.runner;

import java.io.EOFException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;

/** The configuration that the engine sends before any other frame, and again where other classes follow. */
final class Config {
    static final int OFF = 0, SEARCH = 1, TRACE = 2, MUTANTS = 3;

    /** The only folder that code under test may write to. */
    final String temporary;
    /** The configuration file of the agent, where it has to be read again; else empty. */
    final String agent;
    final int mode;
    final long eventBudget;
    final long candidateNanos;
    /** Least limit of an execution; executions that reach the limit shorten it. */
    final long leastNanos;
    /** Wall-clock limit of an execution whose own time counts; 0: its wall-clock time counts. */
    final long hangNanos;
    final long graceNanos;
    final boolean pinsSalt;
    final int salt;
    /** Whether to initialise the targets before the first test case. */
    final boolean prepares;
    /** Name of the thread that executes test cases. */
    final String thread;
    final URL[] classpath;
    /** Binary names of the target classes in the engine's order, each with its first slots. */
    final String[] targets;
    final int[] branchBases;
    final int[] lineBases;
    /** Methods that describe the arguments of calls on mocks. */
    final Interactions.Inspector[] inspectors;

    Config(Wire.Reader in) throws EOFException, MalformedURLException {
        temporary = in.string();
        agent = in.string();
        mode = in.uint8();
        eventBudget = in.int64();
        candidateNanos = in.int32() * 1_000_000L;
        leastNanos = in.int32() * 1_000_000L;
        hangNanos = in.int32() * 1_000_000L;
        graceNanos = in.int32() * 1_000_000L;
        pinsSalt = in.uint8() != 0;
        salt = in.int32();
        prepares = in.uint8() != 0;
        thread = in.string();
        classpath = new URL[in.int32()];
        for (int i = 0; i < classpath.length; i++) {
            classpath[i] = Path.of(in.string()).toUri().toURL();
        }
        targets = new String[in.int32()];
        branchBases = new int[targets.length];
        lineBases = new int[targets.length];
        for (int i = 0; i < targets.length; i++) {
            targets[i] = in.string();
            branchBases[i] = in.int32();
            lineBases[i] = in.int32();
        }
        inspectors = new Interactions.Inspector[in.int32()];
        for (int i = 0; i < inspectors.length; i++) {
            inspectors[i] = new Interactions.Inspector(in.string(), in.string(), in.string());
        }
    }
}
