package dev.tracewright.runner;

import java.util.Arrays;

/**
 * Reads the slots of the sink. Adds to a run what the initialisers of the targets that it used have
 * covered.
 */
final class Slots {
    private final Config config;
    /** First slots behind those of each target. */
    private final int[] branchEnds;
    private final int[] lineEnds;
    private double[] initialBranches = {};
    private byte[] initialLines = {};
    private boolean hasInitial;

    Slots(Config config) {
        this.config = config;
        branchEnds = ends(config.branchBases);
        lineEnds = ends(config.lineBases);
    }

    private static int[] ends(int[] bases) {
        int[] ends = new int[bases.length];
        for (int i = 0; i < bases.length; i++) {
            int end = Integer.MAX_VALUE;
            for (int base : bases) {
                if (base > bases[i] && base < end) {
                    end = base;
                }
            }
            ends[i] = end;
        }
        return ends;
    }

    void clearInitial() {
        hasInitial = false;
    }

    /** After initialisers have run: what the sink holds now is their coverage. */
    void addInitial() throws Throwable {
        double[] branches = Sink.branches();
        byte[] lines = Sink.lines();
        if (!hasInitial) {
            hasInitial = true;
            initialBranches = new double[branches.length];
            Arrays.fill(initialBranches, Double.NaN);
            initialLines = new byte[lines.length];
        }
        mergeBranches(branches, initialBranches, 0, branches.length);
        mergeLines(lines, initialLines, 0, lines.length);
    }

    /** Writes the slots that the last run has reached. */
    void write(Wire.Writer out, Program program) throws Throwable {
        double[] branches = Sink.branches();
        byte[] lines = Sink.lines();
        for (int i = 0; i < config.targets.length && hasInitial; i++) {
            int branchEnd = Math.min(branchEnds[i], branches.length);
            int lineEnd = Math.min(lineEnds[i], lines.length);
            if (anyLine(lines, config.lineBases[i], lineEnd) || program.names(config.targets[i])) {
                mergeBranches(initialBranches, branches, config.branchBases[i], branchEnd);
                mergeLines(initialLines, lines, config.lineBases[i], lineEnd);
            }
        }
        int at = out.position();
        out.int32(0);
        int count = 0;
        for (int slot = 0; slot < branches.length; slot++) {
            double distance = branches[slot];
            if (distance == distance) {
                out.int32(slot).int64(Double.doubleToRawLongBits(distance));
                count++;
            }
        }
        out.int32At(at, count);
        at = out.position();
        out.int32(0);
        count = 0;
        for (int slot = 0; slot < lines.length; slot++) {
            if (lines[slot] != 0) {
                out.int32(slot);
                count++;
            }
        }
        out.int32At(at, count);
    }

    private static boolean anyLine(byte[] lines, int from, int to) {
        for (int slot = from; slot < to; slot++) {
            if (lines[slot] != 0) {
                return true;
            }
        }
        return false;
    }

    private static void mergeBranches(double[] from, double[] into, int begin, int end) {
        for (int slot = begin; slot < end; slot++) {
            double distance = from[slot];
            if (distance == distance && !(into[slot] <= distance)) {
                into[slot] = distance;
            }
        }
    }

    private static void mergeLines(byte[] from, byte[] into, int begin, int end) {
        for (int slot = begin; slot < end; slot++) {
            into[slot] |= from[slot];
        }
    }
}
