package dev.tracewright.runner;

/**
 * A statement cannot be executed as it is written. This is a fault of the test case, not of the
 * code under test.
 */
final class Illegal extends Exception {
    private static final long serialVersionUID = 1;

    /** Index of the statement, or -1 where it is unknown. */
    final int statement;

    Illegal(String why) {
        this(-1, why);
    }

    Illegal(int statement, String why) {
        super(why, null, false, false);
        this.statement = statement;
    }
}
