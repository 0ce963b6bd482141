package java.lang;

/** The trace events of one thread that are not yet flushed. Only its owner touches it, so nothing here is synchronised. */
final class TracewrightBuffer {
    /** An event may begin below this position. */
    static final int LIMIT = 1 << 16;
    /** Room for the longest event with its contents: 4 + 3 + 2 * {@link TracewrightSink#CONTENT_BOUND}. */
    private static final int SLACK = 8 + 2 * TracewrightSink.CONTENT_BOUND;

    final Thread owner;
    final int[] words;
    /** Where the next event goes. Set after an event is written whole, so that an error in between leaves no half event. */
    int position;
    /** Position right after the last EXIT event: a result recorded there comes from a callee that was recorded itself. */
    int exitAt = -1;
    /** Words of this run that were flushed. */
    long flushed;
    /** The cap is reached: every event throws. */
    boolean exhausted;
    /** Objects whose contents this run has written, by identity hash: a direct-mapped cache. */
    final Object[] written = new Object[256];
    boolean anyWritten;

    TracewrightBuffer(Thread owner, boolean recording) {
        this.owner = owner;
        this.words = new int[recording ? LIMIT + SLACK : 0];
    }

    void forget() {
        if (anyWritten) {
            java.util.Arrays.fill(written, null);
            anyWritten = false;
        }
        exitAt = -1;
    }
}
