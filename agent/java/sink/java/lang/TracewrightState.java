package java.lang;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.concurrent.ExecutorService;
import jdk.internal.misc.Unsafe;

/**
 * Puts back what a run did to objects that static fields hold. Flows in: objects when a run first
 * reads them from a static field, and classes before a run first writes one of their static fields;
 * flows out: those objects and fields as they were. Must not run code of the objects that it
 * examines.
 *
 * <p>A run reaches older objects only through static fields. So it can have changed only what was
 * reachable from them. Objects keep their identity, and no initialiser runs again.
 *
 * <p>A captured graph stays valid for later runs, since it is put back after each run that used it.
 * An object belongs to one graph only.
 */
final class TracewrightState {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    /** Objects of one graph, at most. */
    private static final int MOST_OBJECTS = 60_000;
    /** Elements of the arrays of one graph, at most. */
    private static final long MOST_CELLS = 4_000_000;
    /** Of a logger, the configuration is state, and so are those of the loggers below it. */
    private static final String LOGGER = "java.util.logging.Logger";
    /** Stands for a graph that cannot be captured. */
    private static final Graph NONE = new Graph();
    /** Roots that the run looked up last. */
    private static final Object[] recent = new Object[8];
    private static int recentNext;

    /** Of every captured object. */
    private static IdentityHashMap<Object, Graph> owners = new IdentityHashMap<>();
    /** Pools that outlive a run, since static fields lead to them. */
    private static IdentityHashMap<Object, Boolean> keptPools = new IdentityHashMap<>();
    private static Graph[] used = new Graph[16];
    private static int usedCount;
    private static Class<?>[] written = new Class<?>[16];
    private static Object[][] writtenReferences = new Object[16][];
    private static long[][] writtenValues = new long[16][];
    private static int writtenCount;
    /** Classes whose state differed when it was put back last. */
    private static Class<?>[] changed = new Class<?>[4];
    private static int changedCount;

    private TracewrightState() {}

    /** Where the instance fields of a class are. */
    static final class Layout {
        /** No instance changes, and none leads to other objects. */
        boolean leaf;
        /** Not to be captured as the value of a static field: its state lies outside its fields. */
        boolean opaque;
        /** References to follow. */
        long[] references;
        /** Those of the references that are not final. */
        long[] changing;
        /** Fields of primitive types that are not final, and their sizes in bytes. */
        long[] values;
        byte[] sizes;
        /** Where a logger keeps weak references to the loggers below it; -1 for other classes. */
        long children = -1;
    }

    /** Objects and what they held. */
    private static final class Graph {
        /** The class from whose static field the graph was read first. */
        Class<?> holder;
        Object[] arrays;
        Object[] copies;
        Object[] objects;
        Layout[] layouts;
        /** Of all objects, one after the other. */
        Object[] references;
        long[] values;
        /** Graphs that are reached from this one. */
        Graph[] needs;
        boolean inUse;
    }

    // ---------------------------------------------------------------------------------------- runs

    /** Begins a run. */
    static void begin() {
        for (int i = 0; i < usedCount; i++) {
            used[i].inUse = false;
            used[i] = null;
        }
        usedCount = 0;
        writtenCount = 0;
        Arrays.fill(recent, null);
    }

    /** Forgets all objects: their class loader is given up. */
    static void forget() {
        begin();
        Arrays.fill(written, null);
        Arrays.fill(writtenReferences, null);
        Arrays.fill(changed, null);
        changedCount = 0;
        owners = new IdentityHashMap<>();
        keptPools = new IdentityHashMap<>();
    }

    /** Whether an object that outlives a run leads to this pool. */
    static boolean isKept(ExecutorService pool) {
        return keptPools.containsKey(pool);
    }

    /**
     * An initialiser uses an object from a static field of another class, and may change it for
     * good. So graphs captured in earlier runs are captured anew. True: this run has used the
     * object before, so that the changes of the initialiser will be undone.
     */
    static boolean initialiserReads(Object root) {
        Graph graph = owners.get(root);
        if (graph == null) {
            return false;
        }
        owners.values().removeIf(known -> !known.inUse);
        return graph.inUse;
    }

    /** The run reads an object from a static field of this class. False: it cannot be put back. */
    static boolean read(Object root, Class<?> holder) {
        for (Object known : recent) {
            if (known == root) {
                return true;
            }
        }
        Graph graph = owners.get(root);
        if (graph == null) {
            if (isNew(root, holder)) {
                return true;
            }
            graph = capture(root);
            if (graph != NONE) {
                graph.holder = holder;
            }
        }
        if (graph == NONE) {
            return false;
        }
        use(graph);
        recent[recentNext++ & 7] = root;
        return true;
    }

    /**
     * Whether the run has written the static fields of the class before, and they did not hold this
     * object then.
     */
    private static boolean isNew(Object value, Class<?> holder) {
        for (int i = 0; i < writtenCount; i++) {
            if (written[i] == holder) {
                for (Object held : writtenReferences[i]) {
                    if (held == value) {
                        return false;
                    }
                }
                return true;
            }
        }
        return false;
    }

    private static void use(Graph graph) {
        if (graph.inUse) {
            return;
        }
        graph.inUse = true;
        if (usedCount == used.length) {
            used = Arrays.copyOf(used, 2 * usedCount);
        }
        used[usedCount++] = graph;
        for (Graph needed : graph.needs) {
            use(needed);
        }
    }

    /** Before the run writes a static field of this class. False: its fields cannot be put back. */
    static boolean write(Class<?> holder) {
        for (int i = writtenCount; --i >= 0;) {
            if (written[i] == holder) {
                return true;
            }
        }
        TracewrightClasses.StaticFields statics = TracewrightClasses.staticFields(holder);
        int fields = statics.kinds.length;
        Object[] references = new Object[fields];
        long[] values = new long[fields];
        for (int i = 0; i < fields; i++) {
            char kind = statics.kinds[i];
            if (kind == 'L') {
                references[i] = UNSAFE.getReference(statics.base, statics.offsets[i]);
            } else if (kind != 0) {
                values[i] = get(statics.base, statics.offsets[i], size(kind));
            }
        }
        if (writtenCount == written.length) {
            written = Arrays.copyOf(written, 2 * writtenCount);
            writtenReferences = Arrays.copyOf(writtenReferences, 2 * writtenCount);
            writtenValues = Arrays.copyOf(writtenValues, 2 * writtenCount);
        }
        written[writtenCount] = holder;
        writtenReferences[writtenCount] = references;
        writtenValues[writtenCount++] = values;
        return true;
    }

    /** After the run: puts back everything that the run used. */
    static void restore() {
        changedCount = 0;
        for (int i = 0; i < usedCount; i++) {
            if (restore(used[i])) {
                noteChanged(used[i].holder);
            }
        }
        for (int i = 0; i < writtenCount; i++) {
            TracewrightClasses.StaticFields statics = TracewrightClasses.staticFields(written[i]);
            boolean differs = false;
            for (int field = 0; field < statics.kinds.length; field++) {
                char kind = statics.kinds[field];
                long offset = statics.offsets[field];
                if (kind == 'L') {
                    differs |= UNSAFE.getReference(statics.base, offset) != writtenReferences[i][field];
                    UNSAFE.putReference(statics.base, offset, writtenReferences[i][field]);
                } else if (kind != 0) {
                    differs |= get(statics.base, offset, size(kind)) != writtenValues[i][field];
                    put(statics.base, offset, size(kind), writtenValues[i][field]);
                }
            }
            if (differs) {
                noteChanged(written[i]);
            }
        }
    }

    private static void noteChanged(Class<?> type) {
        for (int i = 0; i < changedCount; i++) {
            if (changed[i] == type) {
                return;
            }
        }
        if (changedCount == changed.length) {
            changed = Arrays.copyOf(changed, 2 * changedCount);
        }
        changed[changedCount++] = type;
    }

    /** The classes whose static state the last call of {@link #restore} found changed. */
    static Class<?>[] changed() {
        return Arrays.copyOf(changed, changedCount);
    }

    /** Returns whether anything had changed. */
    private static boolean restore(Graph graph) {
        boolean differs = false;
        for (int i = 0; i < graph.arrays.length; i++) {
            Object array = graph.arrays[i];
            Object copy = graph.copies[i];
            if (!equal(array, copy)) {
                System.arraycopy(copy, 0, array, 0, TracewrightClasses.length(copy));
                differs = true;
            }
        }
        int reference = 0;
        int value = 0;
        for (int i = 0; i < graph.objects.length; i++) {
            Object object = graph.objects[i];
            Layout layout = graph.layouts[i];
            for (long offset : layout.changing) {
                Object before = graph.references[reference++];
                if (UNSAFE.getReference(object, offset) != before) {
                    UNSAFE.putReference(object, offset, before);
                    differs = true;
                }
            }
            for (int field = 0; field < layout.values.length; field++) {
                long before = graph.values[value++];
                long offset = layout.values[field];
                int size = layout.sizes[field];
                if (get(object, offset, size) != before) {
                    put(object, offset, size, before);
                    differs = true;
                }
            }
        }
        return differs;
    }

    private static boolean equal(Object array, Object copy) {
        if (array instanceof Object[]) {
            Object[] now = (Object[]) array;
            Object[] before = (Object[]) copy;
            for (int i = 0; i < before.length; i++) {
                if (now[i] != before[i]) {
                    return false;
                }
            }
            return true;
        } else if (array instanceof byte[]) {
            return Arrays.equals((byte[]) array, (byte[]) copy);
        } else if (array instanceof char[]) {
            return Arrays.equals((char[]) array, (char[]) copy);
        } else if (array instanceof int[]) {
            return Arrays.equals((int[]) array, (int[]) copy);
        } else if (array instanceof long[]) {
            return Arrays.equals((long[]) array, (long[]) copy);
        } else if (array instanceof boolean[]) {
            return Arrays.equals((boolean[]) array, (boolean[]) copy);
        } else if (array instanceof short[]) {
            return Arrays.equals((short[]) array, (short[]) copy);
        } else if (array instanceof float[]) {
            // Bits, not numbers: 0.0 and -0.0 differ.
            return Arrays.equals((float[]) array, (float[]) copy);
        }
        return Arrays.equals((double[]) array, (double[]) copy);
    }

    // ------------------------------------------------------------------------------------- capture

    private static Graph capture(Object root) {
        if (layout(root.getClass()).opaque) {
            owners.put(root, NONE);
            return NONE;
        }
        Graph graph = new Graph();
        ArrayDeque<Object> pending = new ArrayDeque<>();
        ArrayList<Object> all = new ArrayList<>();
        ArrayList<Graph> needs = new ArrayList<>();
        ArrayList<Object> arrays = new ArrayList<>();
        ArrayList<Object> objects = new ArrayList<>();
        ArrayList<Object> references = new ArrayList<>();
        long[] values = new long[16];
        int valueCount = 0;
        long cells = 0;
        boolean whole = visit(root, graph, pending, all, needs);
        while (whole && !pending.isEmpty()) {
            Object object = pending.pop();
            Class<?> type = object.getClass();
            if (type.isArray()) {
                cells += TracewrightClasses.length(object);
                arrays.add(object);
                if (object instanceof Object[]) {
                    for (Object element : (Object[]) object) {
                        whole &= visit(element, graph, pending, all, needs);
                    }
                }
            } else {
                Layout layout = layout(type);
                for (long offset : layout.references) {
                    whole &= visit(UNSAFE.getReference(object, offset), graph, pending, all, needs);
                }
                for (Object child : children(object, layout)) {
                    whole &= visit(child, graph, pending, all, needs);
                }
                if (layout.changing.length + layout.values.length > 0) {
                    objects.add(object);
                    for (long offset : layout.changing) {
                        references.add(UNSAFE.getReference(object, offset));
                    }
                    for (int field = 0; field < layout.values.length; field++) {
                        if (valueCount == values.length) {
                            values = Arrays.copyOf(values, 2 * valueCount);
                        }
                        values[valueCount++] = get(object, layout.values[field], layout.sizes[field]);
                    }
                }
            }
            whole &= all.size() <= MOST_OBJECTS && cells <= MOST_CELLS;
        }
        if (!whole) {
            for (Object object : all) {
                owners.remove(object);
            }
            owners.put(root, NONE);
            return NONE;
        }
        graph.arrays = arrays.toArray();
        graph.copies = new Object[graph.arrays.length];
        for (int i = 0; i < graph.arrays.length; i++) {
            graph.copies[i] = TracewrightClasses.copy(graph.arrays[i]);
        }
        graph.objects = objects.toArray();
        graph.layouts = new Layout[graph.objects.length];
        for (int i = 0; i < graph.objects.length; i++) {
            graph.layouts[i] = layout(graph.objects[i].getClass());
        }
        graph.references = references.toArray();
        graph.values = Arrays.copyOf(values, valueCount);
        graph.needs = needs.toArray(new Graph[0]);
        return graph;
    }

    /** The loggers below a logger. */
    private static ArrayList<Object> children(Object object, Layout layout) {
        ArrayList<Object> children = new ArrayList<>();
        if (layout.children >= 0 && UNSAFE.getReference(object, layout.children) instanceof ArrayList) {
            for (Object child : (ArrayList<?>) UNSAFE.getReference(object, layout.children)) {
                children.add(((Reference<?>) child).get());
            }
        }
        return children;
    }

    /** False: the object belongs to what cannot be captured. */
    private static boolean visit(Object object, Graph graph, ArrayDeque<Object> pending, ArrayList<Object> all, ArrayList<Graph> needs) {
        if (object == null) {
            return true;
        }
        if (!object.getClass().isArray() && layout(object.getClass()).leaf) {
            if (object instanceof ExecutorService) {
                keptPools.put(object, Boolean.TRUE);
            }
            return true;
        }
        Graph owner = owners.get(object);
        if (owner == null) {
            owners.put(object, graph);
            all.add(object);
            pending.push(object);
            return true;
        }
        if (owner != graph && owner != NONE && !needs.contains(owner)) {
            needs.add(owner);
        }
        return owner != NONE;
    }

    // ------------------------------------------------------------------------------------- layouts

    static Layout layout(Class<?> type) {
        TracewrightClasses.Info info = TracewrightClasses.INSTANCE.get(type);
        if (info.layout == null) {
            info.layout = layoutOf(type);
        }
        return info.layout;
    }

    private static Layout layoutOf(Class<?> type) {
        Layout layout = new Layout();
        if (type.isArray()) {
            return layout;
        }
        layout.leaf = !Enum.class.isAssignableFrom(type) && !TracewrightClasses.isMutable(type);
        if (layout.leaf) {
            return layout;
        }
        layout.opaque = isOpaque(type);
        if (layout.opaque) {
            layout.leaf = true;
            return layout;
        }
        ArrayList<Field> references = new ArrayList<>();
        ArrayList<Field> values = new ArrayList<>();
        for (Class<?> c = type; c != null && c != Object.class && c != Enum.class && c != Reference.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    (field.getType().isPrimitive() ? values : references).add(field);
                }
            }
        }
        if (type.getName().equals(LOGGER)) {
            for (Field field : references) {
                if (field.getName().equals("kids")) {
                    layout.children = UNSAFE.objectFieldOffset(field);
                }
            }
            references.removeIf(field -> !field.getName().equals("config"));
            values.clear();
        }
        values.removeIf(field -> Modifier.isFinal(field.getModifiers()));
        // A final reference to an immutable value leads nowhere.
        references.removeIf(field -> Modifier.isFinal(field.getModifiers()) && Modifier.isFinal(field.getType().getModifiers())
                && !field.getType().isArray() && !field.getType().isEnum() && !TracewrightClasses.isMutable(field.getType()));
        layout.references = offsets(references);
        references.removeIf(field -> Modifier.isFinal(field.getModifiers()));
        layout.changing = offsets(references);
        layout.values = offsets(values);
        layout.sizes = new byte[layout.values.length];
        for (int i = 0; i < layout.sizes.length; i++) {
            layout.sizes[i] = (byte) size(values.get(i).getType().descriptorString().charAt(0));
        }
        layout.leaf = layout.references.length + layout.values.length == 0;
        return layout;
    }

    private static long[] offsets(ArrayList<Field> fields) {
        long[] offsets = new long[fields.size()];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = UNSAFE.objectFieldOffset(fields.get(i));
        }
        return offsets;
    }

    /**
     * Of the JDK, only classes whose state lies in their fields and is not shared with the JVM are
     * captured.
     */
    private static boolean isOpaque(Class<?> type) {
        if (type.getClassLoader() != null && !Thread.class.isAssignableFrom(type) && !ClassLoader.class.isAssignableFrom(type)) {
            return false;
        }
        if (type.isHidden()) {
            // A lambda of the JDK.
            return false;
        }
        String name = type.getName();
        if (name.equals(LOGGER) || name.equals(LOGGER + "$ConfigurationData")) {
            return false;
        }
        if (name.startsWith("java.util.")) {
            return name.startsWith("logging.", 10) || name.startsWith("prefs.", 10) || name.startsWith("zip.", 10)
                    || name.startsWith("jar.", 10) || name.startsWith("spi.", 10) || name.startsWith("Timer", 10)
                    || name.startsWith("ServiceLoader", 10) || name.startsWith("ResourceBundle", 10)
                    || name.startsWith("concurrent.", 10)
                            && (name.contains("Executor") || name.contains("ForkJoin") || name.contains("ThreadPool"));
        }
        return !(name.startsWith("java.text.") || name.startsWith("java.math.") || name.startsWith("java.time.")
                || name.startsWith("java.nio.Heap") || name.equals("java.lang.StringBuilder") || name.equals("java.lang.StringBuffer")
                || name.startsWith("java.io.ByteArray") || name.startsWith("java.io.CharArray") || name.startsWith("java.io.String")
                || Throwable.class.isAssignableFrom(type) || type == Object.class || Enum.class.isAssignableFrom(type));
    }

    private static int size(char kind) {
        switch (kind) {
            case 'Z':
            case 'B':
                return 1;
            case 'C':
            case 'S':
                return 2;
            case 'I':
            case 'F':
                return 4;
            default:
                return 8;
        }
    }

    private static long get(Object object, long offset, int size) {
        switch (size) {
            case 1:
                return UNSAFE.getByte(object, offset);
            case 2:
                return UNSAFE.getShort(object, offset);
            case 4:
                return UNSAFE.getInt(object, offset);
            default:
                return UNSAFE.getLong(object, offset);
        }
    }

    private static void put(Object object, long offset, int size, long value) {
        switch (size) {
            case 1:
                UNSAFE.putByte(object, offset, (byte) value);
                break;
            case 2:
                UNSAFE.putShort(object, offset, (short) value);
                break;
            case 4:
                UNSAFE.putInt(object, offset, (int) value);
                break;
            default:
                UNSAFE.putLong(object, offset, value);
        }
    }
}
