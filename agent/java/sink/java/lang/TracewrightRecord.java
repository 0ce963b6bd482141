package java.lang;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The probes of recorded programs, where runs begin and end by themselves: at the outermost entry
 * of recorded code in a thread, and at its exit. Flows in: operands and site numbers from rewritten
 * code; flows out: entries and exits to {@link TracewrightRun}, all other events to {@link
 * TracewrightTrace}. Must not know the format of events.
 *
 * <p>Most code of a test suite runs for a short time only, and most of its runs are skipped. So a
 * probe must be cheap to compile, and cheap where no run is recorded: it is one load, one
 * comparison, and a call that is not inlined.
 */
public final class TracewrightRecord {
    private TracewrightRecord() {}

    // The prefix `t` stands for trace, as in `TracewrightTrace`; `r` stands for run. The operands
    // are those of the instruction, then the site where the event has one.

    @ForceInline
    private static void branch(boolean taken) {
        TracewrightTrace.branch(taken ? 1 : 0);
    }

    public static void tIcmpEq(int a, int b) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a == b);
        }
    }

    public static void tIcmpNe(int a, int b) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a != b);
        }
    }

    public static void tIcmpLt(int a, int b) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a < b);
        }
    }

    public static void tIcmpGe(int a, int b) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a >= b);
        }
    }

    public static void tIcmpGt(int a, int b) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a > b);
        }
    }

    public static void tIcmpLe(int a, int b) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a <= b);
        }
    }

    public static void tIfEq(int a) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a == 0);
        }
    }

    public static void tIfNe(int a) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a != 0);
        }
    }

    public static void tIfLt(int a) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a < 0);
        }
    }

    public static void tIfGe(int a) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a >= 0);
        }
    }

    public static void tIfGt(int a) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a > 0);
        }
    }

    public static void tIfLe(int a) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a <= 0);
        }
    }

    public static void tAcmpEq(Object a, Object b) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a == b);
        }
    }

    public static void tAcmpNe(Object a, Object b) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a != b);
        }
    }

    public static void tNullEq(Object a) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a == null);
        }
    }

    public static void tNullNe(Object a) {
        if (TracewrightOpenRuns.anyRecorded()) {
            branch(a != null);
        }
    }

    public static void tSwitch(int key) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeSwitch(key);
        }
    }

    @ForceInline
    private static void writeSwitch(int key) {
        TracewrightTrace.tSwitch(key);
    }

    public static void tRoom() {
        if (TracewrightOpenRuns.anyRecorded()) {
            makeRoom();
        }
    }

    @ForceInline
    private static void makeRoom() {
        TracewrightTrace.tRoom();
    }

    public static void tExit() {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeExit();
        }
    }

    @ForceInline
    private static void writeExit() {
        TracewrightTrace.tExit();
    }

    public static void tCaught(Object value, int site) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeCaught(value, site);
        }
    }

    @DontInline
    private static void writeCaught(Object value, int site) {
        TracewrightTrace.tCaught(value, site);
    }

    public static void tLoad(int value) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeLoad(value);
        }
    }

    @ForceInline
    private static void writeLoad(int value) {
        TracewrightTrace.tLoad(value);
    }

    public static void tLoad(float value) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeLoad(value);
        }
    }

    @ForceInline
    private static void writeLoad(float value) {
        TracewrightTrace.tLoad(value);
    }

    public static void tLoad(long value) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeLoad(value);
        }
    }

    @ForceInline
    private static void writeLoad(long value) {
        TracewrightTrace.tLoad(value);
    }

    public static void tLoad(double value) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeLoad(value);
        }
    }

    @ForceInline
    private static void writeLoad(double value) {
        TracewrightTrace.tLoad(value);
    }

    public static void tLoad(Object value) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeLoad(value);
        }
    }

    @DontInline
    private static void writeLoad(Object value) {
        TracewrightTrace.tLoad(value);
    }

    public static void tRet(int site) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeReturn(site);
        }
    }

    @ForceInline
    private static void writeReturn(int site) {
        TracewrightTrace.tRet(site);
    }

    public static void tRet(int value, int site) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeReturn(value, site);
        }
    }

    @ForceInline
    private static void writeReturn(int value, int site) {
        TracewrightTrace.tRet(value, site);
    }

    public static void tRet(float value, int site) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeReturn(value, site);
        }
    }

    @ForceInline
    private static void writeReturn(float value, int site) {
        TracewrightTrace.tRet(value, site);
    }

    public static void tRet(long value, int site) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeReturn(value, site);
        }
    }

    @ForceInline
    private static void writeReturn(long value, int site) {
        TracewrightTrace.tRet(value, site);
    }

    public static void tRet(double value, int site) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeReturn(value, site);
        }
    }

    @ForceInline
    private static void writeReturn(double value, int site) {
        TracewrightTrace.tRet(value, site);
    }

    public static void tRet(Object value, int site) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeReturn(value, site);
        }
    }

    @DontInline
    private static void writeReturn(Object value, int site) {
        TracewrightTrace.tRet(value, site);
    }

    public static void tArg(int value, int index) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeArgument(value, index);
        }
    }

    @ForceInline
    private static void writeArgument(int value, int index) {
        TracewrightTrace.tArg(value, index);
    }

    public static void tArg(float value, int index) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeArgument(value, index);
        }
    }

    @ForceInline
    private static void writeArgument(float value, int index) {
        TracewrightTrace.tArg(value, index);
    }

    public static void tArg(long value, int index) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeArgument(value, index);
        }
    }

    @ForceInline
    private static void writeArgument(long value, int index) {
        TracewrightTrace.tArg(value, index);
    }

    public static void tArg(double value, int index) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeArgument(value, index);
        }
    }

    @ForceInline
    private static void writeArgument(double value, int index) {
        TracewrightTrace.tArg(value, index);
    }

    public static void tArg(Object value, int index) {
        if (TracewrightOpenRuns.anyRecorded()) {
            writeArgument(value, index);
        }
    }

    @DontInline
    private static void writeArgument(Object value, int index) {
        TracewrightTrace.tArg(value, index);
    }

    public static void rEntry(int entry) {
        entered(null, entry, false);
    }

    /** The same of a method of an object. */
    public static void rEntry(Object object, int entry) {
        entered(object, entry, false);
    }

    /**
     * Entry of a constructor. Until {@link #rMade}, no handler observes its end.
     */
    public static void rEntryOfConstructor(int entry) {
        entered(null, entry, true);
    }

    @ForceInline
    private static void entered(Object object, int entry, boolean constructor) {
        if (!isIgnored(entry)) {
            enter(object, entry, constructor);
        }
    }

    /** Whether the thread is in a run for which entry and exit of this method change nothing. */
    @ForceInline
    private static boolean isIgnored(int entry) {
        TracewrightBuffer buffer = TracewrightTrace.inside;
        return buffer != null && buffer.owner == Thread.currentThread() && buffer.ignores(entry);
    }

    private static void enter(Object object, int entry, boolean constructor) {
        TracewrightBuffer buffer = own();
        if (buffer != null && !buffer.ignores(entry) && buffer.run.enter(buffer, object, entry, constructor)) {
            TracewrightTrace.entry(buffer, entry);
        }
    }

    /** The buffer of this thread, whether its run is recorded or not; null: the thread has none. */
    private static TracewrightBuffer own() {
        TracewrightBuffer buffer = TracewrightTrace.inside;
        return buffer != null && buffer.owner == Thread.currentThread() ? buffer : TracewrightRun.own();
    }

    /**
     * A constructor is about to call another one of its class, which has probes. An
     * exception that leaves the other one leaves this one too.
     */
    public static void rCalls(int entry, int other) {
        TracewrightBuffer buffer = own();
        if (buffer != null && !buffer.ignores(entry)) {
            buffer.run.calls(buffer, entry, other);
        }
    }

    /** A constructor's object is initialised. */
    public static void rMade(int entry) {
        TracewrightBuffer buffer = own();
        if (buffer != null && !buffer.ignores(entry)) {
            buffer.run.made(entry);
        }
    }

    /** A method of a generated test is entered: its calls are no runs. */
    public static void rSuppress() {
        TracewrightBuffer buffer = own();
        if (buffer != null && !buffer.recording) {
            buffer.run.enter(buffer, null, TracewrightRun.SUPPRESSED, false);
        }
    }

    /** It is left by a return or an exception. */
    public static void rSuppressEnd() {
        TracewrightBuffer buffer = own();
        if (buffer != null && !buffer.recording && buffer.run.leave(TracewrightRun.SUPPRESSED)) {
            buffer.run.returned(buffer, null);
        }
    }

    public static void rExit(int entry) {
        if (!isIgnored(entry)) {
            exit(null, entry);
        }
    }

    /** The same with the object that is returned, or that a constructor made. */
    public static void rExit(Object result, int entry) {
        if (!isIgnored(entry)) {
            exit(result, entry);
        }
    }

    private static void exit(Object result, int entry) {
        TracewrightBuffer buffer = own();
        if (buffer == null || buffer.ignores(entry)) {
            return;
        }
        if (buffer.recording) {
            TracewrightTrace.exit(buffer);
        }
        if (buffer.run.leave(entry)) {
            buffer.run.returned(buffer, result);
        }
    }

    /** An exception leaves a method. The probe never throws: that would replace the exception. */
    @DontInline
    public static void rThrown(Object value, int entry) {
        try {
            TracewrightBuffer buffer = own();
            if (buffer == null) {
                return;
            }
            if (value instanceof StackOverflowError) {
                buffer.run.doubt(buffer);
            }
            if (buffer.ignores(entry)) {
                return;
            }
            if (buffer.run.leaveByException(entry)) {
                buffer.run.threw(buffer, value);
            } else if (buffer.recording) {
                TracewrightTrace.leftBy(buffer, value, entry);
            }
        } catch (Throwable exhausted) {
            // Stack or heap is exhausted: the open run ends where the next one begins.
        }
    }
}
