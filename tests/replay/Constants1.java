package replay;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** The native methods are place holders: their calls become constants (`tests/common/constants.rs`). */
public class Constants1 {
    enum Color {
        RED, GREEN
    }

    static class Cell {
        int value;

        Cell(int value) {
            this.value = value;
        }

        int sum(int other) {
            return value + other;
        }
    }

    static native MethodHandle doubled();

    static native MethodHandle cell();

    static native MethodHandle value();

    static native MethodHandle sum();

    static native String nothing();

    static native Class<?> intClass();

    static native Color red();

    static native Boolean truth();

    static native int made();

    static native int own();

    static int twice(int value) {
        return 2 * value;
    }

    static native Object text();

    static String makeText() {
        return "text";
    }

    static int make() {
        return 42;
    }

    static Object own(MethodHandles.Lookup lookup, String name, Class<?> type, int value) {
        return value;
    }

    public static int handles(int a) throws Throwable {
        int r = (int) doubled().invokeExact(a);
        Cell cell = (Cell) cell().invokeExact(r);
        Object boxed = doubled().invoke(Integer.valueOf(a));
        long wide = (long) doubled().invoke((short) 4);
        int held = (int) value().invokeExact(cell);
        if ((int) sum().invokeExact(cell, 3) > 20) {
            return 1;
        }
        return held == 8 ? 2 : (Integer) boxed == 6 ? 3 : wide == 8 ? 4 : 5;
    }

    public static int constants(int a) {
        if (nothing() != null || intClass() != int.class || truth() != Boolean.TRUE) {
            return -1;
        }
        Object text = text();
        int doubled = twice(a);
        if (doubled > 20 && text != null) {
            return 4;
        }
        Color color = a > 6 ? Color.RED : Color.GREEN;
        return color == red() ? 1 : a == 3 ? 2 : 3;
    }

    public static int primitives(int a) {
        int made = made() + own();
        return a > made ? 1 : 2;
    }
}
