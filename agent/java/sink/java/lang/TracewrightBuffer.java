package java.lang;

/**
 * The buffer of the thread that owns the run. A constant array, so that compiled probes know its address and length; made when the first run
 * is recorded. Only the owner touches it, so nothing here is synchronised.
 */
final class TracewrightBuffer {
    /**
     * From this position on the buffer wants to be flushed. Asked at method entries, after calls, at back edges and before contents, not at
     * each event: in between, a method's sites run at most once each.
     */
    static final int LIMIT = 1 << 14;
    /**
     * Far more than what one method's sites write without being asked: of 64 KiB of code, at least 7 bytes a site with its probe, at most 4
     * words a site. A power of two, so that {@code position & MASK} is in bounds.
     */
    private static final int SIZE = 1 << 17;
    static final int MASK = SIZE - 1;
    static final int[] WORDS = new int[SIZE];

    private TracewrightBuffer() {}
}
