package java.lang;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The events of a trace. Flows in: operands and site numbers from rewritten code, statements and
 * results of the sequence runner; flows out: event words in the buffer of the thread. Must not know
 * where buffers go.
 */
public final class TracewrightTrace {
    private TracewrightTrace() {}

    /** Called once by the agent. {@code eventCap}: words that a run may record. */
    static void configure(long eventCap, boolean everyThread) {
        TracewrightTrace.eventCap = eventCap > Long.MAX_VALUE / 4 ? Long.MAX_VALUE : 4 * eventCap;
        TracewrightTrace.everyThread = everyThread;
    }

    private static final byte BRANCH_NOT = 1;
    private static final byte BRANCH_TAKEN = 2;
    private static final byte SWITCH = 3;
    private static final byte LOAD32 = 4;
    private static final byte LOAD64 = 5;
    private static final byte LOADREF = 6;
    private static final byte RET_VOID = 7;
    private static final byte RET32 = 8;
    private static final byte RET64 = 9;
    private static final byte RETREF = 10;
    private static final byte ENTRY = 11;
    private static final byte ARG32 = 12;
    private static final byte ARG64 = 13;
    private static final byte ARGREF = 14;
    private static final byte EXIT = 15;
    private static final byte CAUGHT = 16;
    private static final byte STATEMENT = 17;
    private static final byte RESULT32 = 18;
    private static final byte RESULT64 = 19;
    static final byte RESULTREF = 20;
    private static final byte RESULT_VOID = 21;
    static final byte THROWN = 22;
    private static final byte RUN_BEGIN = 23;
    private static final byte RUN_END = 24;

    /**
     * The buffer of the thread that wrote last; null before the first run. Threads that race for it
     * each find their own buffer, or ask again.
     */
    static TracewrightBuffer cached;
    /**
     * The buffer of the thread that last entered or left a method in an open run, recorded or not.
     * Nothing keeps a thread that has ended alive.
     */
    static TracewrightBuffer inside;
    /** Bytes a run may record. */
    private static long eventCap;
    /** All threads record, from their first event on; else the owner of a run does. */
    static boolean everyThread;

    /**
     * The buffer of a thread that is not that of {@code cached}; null: the thread records nothing.
     */
    private static TracewrightBuffer other() {
        if (TracewrightRun.enabled) {
            return ofRecordedProgram();
        }
        if (TracewrightSink.mode != TracewrightSink.TRACE) {
            return null;
        }
        if (everyThread) {
            TracewrightBuffer own = TracewrightBuffer.own(eventCap, true);
            cached = own;
            return own;
        }
        if (TracewrightSink.runs != 0) {
            TracewrightSink.foreign();
        }
        return null;
    }

    /** The same in a recorded program. Not inlined: every probe would become larger. */
    @DontInline
    private static TracewrightBuffer ofRecordedProgram() {
        TracewrightBuffer own = inside;
        if (own != null && own.owner == Thread.currentThread()) {
            // In a run that is skipped, or over its limit: probes must not look anything up.
            return own.recording ? own : null;
        }
        own = TracewrightRun.current();
        if (own != null) {
            cached = own;
        }
        return own;
    }

    // The following methods are inlined into all probes; the compiler has limits for large methods.
    // Their branches are next to never taken: where paths meet in a loop, compiled code reads the
    // position from memory again.

    @ForceInline
    private static TracewrightBuffer buffer() {
        TracewrightBuffer buffer = cached;
        return buffer != null && buffer.owner == Thread.currentThread() ? buffer : other();
    }

    /** As {@link #buffer}, with room for the next events. */
    @ForceInline
    private static TracewrightBuffer room() {
        TracewrightBuffer buffer = buffer();
        if (buffer != null && buffer.isFull()) {
            buffer.flush();
        }
        return buffer;
    }

    /** Probe at back edges. */
    public static void tRoom() {
        room();
    }

    /** Hands the bytes to the drain thread, and returns when they are written. */
    static native void drain(long address, long length, int thread);

    /** Returns when everything handed over so far is written. */
    private static native void awaitDrain();

    // Probes. The prefix `t` stands for trace. The operands are those of the instruction, then the
    // site where the event has one. Outcomes of comparisons are computed without a jump, which
    // could be mispredicted.

    /** {@code taken}: 0 or 1. */
    @ForceInline
    static void branch(int taken) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.write(buffer, BRANCH_NOT + taken);
        }
    }

    public static void tIcmpEq(int a, int b) {
        branch(~(a - b | b - a) >>> 31);
    }

    public static void tIcmpNe(int a, int b) {
        branch((a - b | b - a) >>> 31);
    }

    public static void tIcmpLt(int a, int b) {
        branch((int) ((long) a - b >>> 63));
    }

    public static void tIcmpGe(int a, int b) {
        branch((int) (~((long) a - b) >>> 63));
    }

    public static void tIcmpGt(int a, int b) {
        branch((int) ((long) b - a >>> 63));
    }

    public static void tIcmpLe(int a, int b) {
        branch((int) (~((long) b - a) >>> 63));
    }

    public static void tIfEq(int a) {
        branch(~(a | -a) >>> 31);
    }

    public static void tIfNe(int a) {
        branch((a | -a) >>> 31);
    }

    public static void tIfLt(int a) {
        branch(a >>> 31);
    }

    public static void tIfGe(int a) {
        branch(~a >>> 31);
    }

    public static void tIfGt(int a) {
        branch(~(a | a - 1) >>> 31);
    }

    public static void tIfLe(int a) {
        branch((a | a - 1) >>> 31);
    }

    public static void tAcmpEq(Object a, Object b) {
        branch(a == b ? 1 : 0);
    }

    public static void tAcmpNe(Object a, Object b) {
        branch(a != b ? 1 : 0);
    }

    public static void tNullEq(Object a) {
        branch(a == null ? 1 : 0);
    }

    public static void tNullNe(Object a) {
        branch(a != null ? 1 : 0);
    }

    public static void tSwitch(int key) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.write(buffer, SWITCH, key);
        }
    }

    public static void tLoad(int value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.write(buffer, LOAD32, value);
        }
    }

    public static void tLoad(float value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.write(buffer, LOAD32, Float.floatToRawIntBits(value));
        }
    }

    public static void tLoad(long value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.write(buffer, LOAD64, value);
        }
    }

    public static void tLoad(double value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.write(buffer, LOAD64, Double.doubleToRawLongBits(value));
        }
    }

    public static void tLoad(Object value) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, LOADREF);
            TracewrightEvents.reference(buffer, at + 1, value);
        }
    }

    public static void tRet(int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, RET_VOID, site);
        }
    }

    public static void tRet(int value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, RET32, site, value);
        }
    }

    public static void tRet(float value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, RET32, site, Float.floatToRawIntBits(value));
        }
    }

    public static void tRet(long value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, RET64, site, value);
        }
    }

    public static void tRet(double value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, RET64, site, Double.doubleToRawLongBits(value));
        }
    }

    public static void tRet(Object value, int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, RETREF);
            TracewrightBuffer.UNSAFE.putInt(at + 1, site);
            TracewrightEvents.result(buffer, at + 5, value);
        }
    }

    public static void tEntry(int site) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, ENTRY, site);
        }
    }

    public static void tArg(int value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.argument(buffer, ARG32, index, value);
        }
    }

    public static void tArg(float value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.argument(buffer, ARG32, index, Float.floatToRawIntBits(value));
        }
    }

    public static void tArg(long value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.argument(buffer, ARG64, index, value);
        }
    }

    public static void tArg(double value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.argument(buffer, ARG64, index, Double.doubleToRawLongBits(value));
        }
    }

    public static void tArg(Object value, int index) {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, ARGREF);
            TracewrightBuffer.UNSAFE.putByte(at + 1, (byte) index);
            if (buffer.run != null && value != null && value.getClass().isArray() && buffer.run.isOutermost()) {
                // Code without probes may have filled the array.
                TracewrightEvents.describe(buffer, at + 2, value, System.identityHashCode(value), true);
            } else {
                TracewrightEvents.reference(buffer, at + 2, value);
            }
        }
    }

    public static void tExit() {
        TracewrightBuffer buffer = buffer();
        if (buffer != null) {
            TracewrightEvents.write(buffer, EXIT);
            buffer.exitAt = buffer.at;
        }
    }

    /**
     * Probe at a handler. It never throws: a handler that leaves a monitor covers itself, and would
     * run for ever.
     */
    public static void tCaught(Object value, int site) {
        try {
            TracewrightBuffer buffer = room();
            if (buffer != null) {
                long at = buffer.at;
                TracewrightBuffer.UNSAFE.putByte(at, CAUGHT);
                TracewrightBuffer.UNSAFE.putInt(at + 1, site);
                TracewrightEvents.reference(buffer, at + 5, value);
            }
        } catch (TracewrightBudget exhausted) {
            // The next probe throws it.
        }
    }

    /** A method of a recorded program is entered. */
    static void entry(TracewrightBuffer buffer, int site) {
        TracewrightEvents.write(buffer, ENTRY, site);
    }

    /** A method of a recorded program is left by a return. */
    static void exit(TracewrightBuffer buffer) {
        if (buffer.isFull()) {
            buffer.flush();
        }
        if (buffer.recording) {
            TracewrightEvents.write(buffer, EXIT);
            buffer.exitAt = buffer.at;
        }
    }

    /** A method of a recorded program is left by an exception: code without probes may catch it. */
    static void leftBy(TracewrightBuffer buffer, Object thrown, int site) {
        if (buffer.isFull()) {
            buffer.flush();
        }
        long at = buffer.at;
        TracewrightBuffer.UNSAFE.putByte(at, THROWN);
        TracewrightBuffer.UNSAFE.putInt(at + 1, site);
        TracewrightEvents.reference(buffer, at + 5, thrown);
    }

    /**
     * Writes the last events of a run: the object that it ended with, if any, and its verdict. The
     * object is described anew, for readers of the last events only.
     */
    static void ended(TracewrightBuffer buffer, int verdict, byte kind, Object value) {
        if (value != null) {
            TracewrightClasses.Info info = TracewrightEvents.info(value.getClass());
            if (info.id == 0) {
                info.id = TracewrightEvents.announce(info.type);
            }
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, kind);
            TracewrightBuffer.UNSAFE.putInt(at + 1, 0);
            TracewrightBuffer.UNSAFE.putInt(at + 5, System.identityHashCode(value));
            TracewrightBuffer.UNSAFE.putInt(at + 9, info.id);
            TracewrightBuffer.UNSAFE.putInt(at + 13, info.array ? java.lang.reflect.Array.getLength(value) : 0);
            buffer.at = at + 17;
        }
        TracewrightEvents.write(buffer, RUN_END, verdict);
    }

    static void began(TracewrightBuffer buffer) {
        TracewrightEvents.write(buffer, (int) RUN_BEGIN);
    }

    // Events of the runner.

    /** Begins a run; this thread owns it. */
    public static void runBegin() {
        TracewrightBuffer before = cached;
        if (before != null && !everyThread) {
            before.recording = false;
        }
        TracewrightBuffer buffer = TracewrightBuffer.own(eventCap, everyThread);
        TracewrightStatics.forgetRun();
        TracewrightSink.startRun();
        buffer.begin();
        TracewrightEvents.write(buffer, RUN_BEGIN);
        cached = buffer;
    }

    public static void statement(int index) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, STATEMENT, index);
        }
    }

    public static void result32(int index, int value) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, RESULT32, index, value);
        }
    }

    public static void result64(int index, long value) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, RESULT64, index, value);
        }
    }

    /**
     * A result; arrays of primitives come with their contents, as after a call of code without
     * probes.
     */
    public static void resultRef(int index, Object value) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, RESULTREF);
            TracewrightBuffer.UNSAFE.putInt(at + 1, index);
            TracewrightEvents.result(buffer, at + 5, value);
        }
    }

    public static void resultVoid(int index) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            TracewrightEvents.write(buffer, RESULT_VOID, index);
        }
    }

    public static void thrown(int index, Throwable value) {
        TracewrightBuffer buffer = room();
        if (buffer != null) {
            long at = buffer.at;
            TracewrightBuffer.UNSAFE.putByte(at, THROWN);
            TracewrightBuffer.UNSAFE.putInt(at + 1, index);
            TracewrightEvents.reference(buffer, at + 5, value);
        }
    }

    /**
     * Ends the run, and returns after the drain thread has written everything. Never throws for a
     * used-up budget.
     */
    public static void runEnd(int verdict) {
        TracewrightBuffer buffer = cached;
        TracewrightSink.endRun();
        if (buffer != null && buffer.owner == Thread.currentThread() && buffer.recording) {
            buffer.end(RUN_END, verdict);
            buffer.recording = everyThread;
            awaitDrain();
        }
    }
}
