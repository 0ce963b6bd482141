package dev.tracewright.runner;

import java.io.EOFException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Path;

/** What the engine says once, before anything else. */
final class Config {
    static final int OFF = 0, SEARCH = 1, TRACE = 2, MUTANTS = 3;

    /** The only folder that code under test may write to. */
    final String temporary;
    final int mode;
    final long eventBudget;
    final long candidateNanos;
    /** What executions that reach the limit leave of it. */
    final long leastNanos;
    final long graceNanos;
    final boolean pinsSalt;
    final int salt;
    /** Initialise the targets ahead of the test cases. */
    final boolean prepares;
    final URL[] classpath;
    /** Binary names of the target classes and where their slots begin, in the engine's order. */
    final String[] targets;
    final int[] branchBases;
    final int[] lineBases;

    Config(Wire.Reader in) throws EOFException, MalformedURLException {
        temporary = in.string();
        mode = in.uint8();
        eventBudget = in.int64();
        candidateNanos = in.int32() * 1_000_000L;
        leastNanos = in.int32() * 1_000_000L;
        graceNanos = in.int32() * 1_000_000L;
        pinsSalt = in.uint8() != 0;
        salt = in.int32();
        prepares = in.uint8() != 0;
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
    }
}
