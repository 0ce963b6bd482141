package dev.tracewright.runner;

/** A statement cannot be performed as it is written: a fault of the test case, not of the code under test. */
final class Illegal extends Exception {
    private static final long serialVersionUID = 1;

    /** The statement, where it is known; else -1. */
    final int statement;

    Illegal(String why) {
        this(-1, why);
    }

    Illegal(int statement, String why) {
        super(why, null, false, false);
        this.statement = statement;
    }
}
