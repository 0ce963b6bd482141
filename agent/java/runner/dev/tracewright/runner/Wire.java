package dev.tracewright.runner;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Frames over two pipes, big-endian: length of kind and payload (4 bytes), kind (1 byte), payload.
 * The other end is src/jvm/wire.rs, which names the payloads.
 */
final class Wire {
    /** Frames from the engine. */
    static final int CONFIG = 1, DEFINE = 2, RUN = 3, COMPILE = 4, MUTATE = 5, JUNIT = 6;

    /** Frames to the engine. */
    static final int READY = 1, RESULT = 2, FATAL = 3, COMPILED = 4, CLASSES = 5, TEST_STARTED = 6, TEST_FINISHED = 7,
            DONE = 8;

    private static final int HEAD = 5;

    private final InputStream in;
    private final OutputStream out;
    private final byte[] waiting = new byte[32 << 10];
    private int waitingLength;

    Wire(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    /** The next frame; null: the engine has gone. */
    Reader read() throws IOException {
        byte[] head = fill(new byte[4]);
        if (head == null) {
            return null;
        }
        byte[] frame = fill(new byte[new Reader(head, 0, 4).int32()]);
        return frame == null ? null : new Reader(frame, 0, frame.length);
    }

    /**
     * Plain reads: the bulk reads of {@code FileInputStream} ask for the position, which a pipe
     * does not have.
     */
    private byte[] fill(byte[] bytes) throws IOException {
        for (int at = 0; at < bytes.length;) {
            int count = in.read(bytes, at, bytes.length - at);
            if (count < 0) {
                return null;
            }
            at += count;
        }
        return bytes;
    }

    /** Sends the frame, and those that wait, in one write. */
    synchronized void write(Writer frame) throws IOException {
        enqueue(frame);
        flush();
    }

    /**
     * The frame may wait for others: a system call and the thread that it wakes cost as much as a
     * short run.
     */
    synchronized void enqueue(Writer frame) throws IOException {
        frame.close();
        if (frame.length > waiting.length - waitingLength) {
            flush();
        }
        if (frame.length > waiting.length) {
            out.write(frame.bytes, 0, frame.length);
            return;
        }
        System.arraycopy(frame.bytes, 0, waiting, waitingLength, frame.length);
        waitingLength += frame.length;
    }

    synchronized void flush() throws IOException {
        if (waitingLength > 0) {
            int length = waitingLength;
            waitingLength = 0;
            out.write(waiting, 0, length);
            out.flush();
        }
    }

    void fatal(Throwable thrown) {
        try {
            Throwable cause = thrown;
            while (cause instanceof java.lang.reflect.InvocationTargetException && cause.getCause() != null) {
                cause = cause.getCause();
            }
            StringBuilder text = new StringBuilder(cause.toString());
            StackTraceElement[] frames = cause.getStackTrace();
            for (int i = 0; i < Math.min(4, frames.length); i++) {
                text.append(" at ").append(frames[i]);
            }
            write(new Writer(FATAL).string(text.toString()));
        } catch (Throwable ignored) {
            // The engine has gone, or memory is exhausted: the end of this process says so.
        }
    }

    static final class Reader {
        private final byte[] bytes;
        private int at;
        private final int end;

        Reader(byte[] bytes, int at, int end) {
            this.bytes = bytes;
            this.at = at;
            this.end = end;
        }

        boolean more() {
            return at < end;
        }

        int int8() {
            return bytes[at++];
        }

        int uint8() {
            return bytes[at++] & 0xff;
        }

        int uint16() {
            return uint8() << 8 | uint8();
        }

        int int32() {
            return uint16() << 16 | uint16();
        }

        long int64() {
            return (long) int32() << 32 | int32() & 0xffff_ffffL;
        }

        /** A string in UTF-8. */
        String string() throws EOFException {
            int length = length();
            String string = new String(bytes, at, length, StandardCharsets.UTF_8);
            at += length;
            return string;
        }

        /** A string in UTF-16 code units. */
        String chars() throws EOFException {
            int length = int32();
            if (length < 0 || length > (end - at) / 2) {
                throw new EOFException();
            }
            char[] chars = new char[length];
            for (int i = 0; i < length; i++) {
                chars[i] = (char) uint16();
            }
            return new String(chars);
        }

        /** A part of the frame with its own length. */
        Reader part() throws EOFException {
            int length = length();
            Reader part = new Reader(bytes, at, at + length);
            at += length;
            return part;
        }

        private int length() throws EOFException {
            int length = int32();
            if (length < 0 || length > end - at) {
                throw new EOFException();
            }
            return length;
        }
    }

    static final class Writer {
        private byte[] bytes = new byte[512];
        private int length;

        Writer(int kind) {
            reset(kind);
        }

        /** Begins a new frame in the same memory. */
        Writer reset(int kind) {
            if (bytes.length > 1 << 20) {
                bytes = new byte[512];
            }
            length = 0;
            return int32(0).int8(kind);
        }

        Writer append(Writer other) {
            // The head of the other frame is left out.
            int count = other.length - HEAD;
            room(count);
            System.arraycopy(other.bytes, HEAD, bytes, length, count);
            length += count;
            return this;
        }

        int position() {
            return length;
        }

        private void close() {
            int end = length;
            length = 0;
            int32(end - 4);
            length = end;
        }

        private void room(int more) {
            if (length + more > bytes.length) {
                bytes = java.util.Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
            }
        }

        Writer int8(int value) {
            room(1);
            bytes[length++] = (byte) value;
            return this;
        }

        Writer int16(int value) {
            room(2);
            bytes[length++] = (byte) (value >> 8);
            bytes[length++] = (byte) value;
            return this;
        }

        Writer int32(int value) {
            room(4);
            bytes[length++] = (byte) (value >> 24);
            bytes[length++] = (byte) (value >> 16);
            bytes[length++] = (byte) (value >> 8);
            bytes[length++] = (byte) value;
            return this;
        }

        /** Overwrites a number at a position. */
        void int32At(int position, int value) {
            int end = length;
            length = position;
            int32(value);
            length = end;
        }

        Writer int64(long value) {
            return int32((int) (value >> 32)).int32((int) value);
        }

        Writer string(String string) {
            byte[] utf8 = string.getBytes(StandardCharsets.UTF_8);
            int32(utf8.length);
            room(utf8.length);
            System.arraycopy(utf8, 0, bytes, length, utf8.length);
            length += utf8.length;
            return this;
        }

        Writer chars(String string) {
            int count = string.length();
            int32(count);
            room(2 * count);
            for (int i = 0; i < count; i++) {
                int16(string.charAt(i));
            }
            return this;
        }
    }
}
