import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Calls the methods of {@link Mutated} and prints their results: without a mutant, and with each mutant
 * that changes them.
 */
public class MutatedMain {
    interface Call {
        Object make() throws Throwable;
    }

    private static final Map<String, Call> CALLS = new TreeMap<>();

    public static void main(String[] arguments) {
        int mutants = Integer.parseInt(arguments[0]);
        for (Method method : Mutated.class.getDeclaredMethods()) {
            Class<?>[] types = method.getParameterTypes();
            if (!method.isSynthetic() && java.lang.reflect.Modifier.isStatic(method.getModifiers()) && types.length > 0) {
                calls(method, types);
            }
        }
        for (Mutated.Kind kind : Mutated.Kind.values()) {
            CALLS.put("twice " + kind, kind::twice);
        }
        CALLS.put("sum", () -> new Mutated.Pair(3, 4).sum());
        CALLS.put("later", Mutated.LATER::get);
        Map<String, String> plain = new TreeMap<>();
        Map<String, List<Integer>> infected = new TreeMap<>();
        for (Map.Entry<String, Call> call : CALLS.entrySet()) {
            plain.put(call.getKey(), run(call.getValue(), 0));
            List<Integer> differ = new ArrayList<>();
            for (int noted : TracewrightMutants.noted()) {
                if ((noted & 1) != 0) {
                    differ.add(noted >> 1);
                }
            }
            infected.put(call.getKey(), differ);
        }
        for (int mutant = 1; mutant <= mutants; mutant++) {
            for (Map.Entry<String, Call> call : CALLS.entrySet()) {
                String mutated = run(call.getValue(), mutant);
                if (!mutated.equals(plain.get(call.getKey()))) {
                    boolean foreseen = infected.get(call.getKey()).contains(mutant);
                    System.out.println(mutant + "|" + call.getKey() + "|" + plain.get(call.getKey()) + "|" + mutated + "|" + foreseen);
                }
            }
        }
        // And nothing is left on.
        for (Map.Entry<String, Call> call : CALLS.entrySet()) {
            if (!run(call.getValue(), 0).equals(plain.get(call.getKey()))) {
                System.out.println("0|" + call.getKey() + "|||false");
            }
        }
    }

    private static void calls(Method method, Class<?>[] types) {
        Object[][] choices = new Object[types.length][];
        for (int i = 0; i < types.length; i++) {
            choices[i] = values(types[i]);
        }
        for (int first = 0; first < choices[0].length; first++) {
            for (int second = 0; second < (types.length > 1 ? choices[1].length : 1); second++) {
                int[] at = {first, second};
                // Arguments are made anew for every call.
                Call call = () -> {
                    Object[] arguments = new Object[types.length];
                    for (int i = 0; i < arguments.length; i++) {
                        arguments[i] = values(types[i])[at[i]];
                    }
                    method.setAccessible(true);
                    return method.invoke(null, arguments);
                };
                Object[] shown = new Object[types.length];
                for (int i = 0; i < shown.length; i++) {
                    shown[i] = text(choices[i][at[i]]);
                }
                CALLS.put(method.getName() + Arrays.toString(shown), call);
            }
        }
    }

    private static Object[] values(Class<?> type) {
        if (type == int.class || type == Integer.class) return new Object[] {6, 2};
        if (type == long.class || type == Long.class) return new Object[] {6L, 3L};
        if (type == float.class || type == Float.class) return new Object[] {6f, 4f};
        if (type == double.class || type == Double.class) return new Object[] {6.0, 4.0};
        if (type == boolean.class || type == Boolean.class) return new Object[] {true, false};
        if (type == byte.class || type == Byte.class) return new Object[] {(byte) 3};
        if (type == short.class || type == Short.class) return new Object[] {(short) 3};
        if (type == char.class || type == Character.class) return new Object[] {'c'};
        if (type == int[].class) return new Object[] {new int[] {1, 2}};
        if (type == String.class) return new Object[] {"two"};
        if (type == Optional.class) return new Object[] {Optional.of("o")};
        if (type == Stream.class) return new Object[] {Stream.of("s")};
        if (type == List.class) return new Object[] {new ArrayList<>(List.of(7, 8))};
        if (type == Map.class) return new Object[] {Map.of("k", "v")};
        if (type == Set.class) return new Object[] {Set.of("e")};
        if (type == java.util.Iterator.class) return new Object[] {List.of("i").iterator()};
        if (type == Thread.class) return new Object[] {Thread.currentThread()};
        if (type == java.io.StringReader.class) return new Object[] {new java.io.StringReader("r")};
        return new Object[] {"x", null};
    }

    private static String run(Call call, int mutant) {
        // Only what ends is called here: the budget is the loop's own end.
        TracewrightSearch.begin(100_000);
        TracewrightMutants.begin(mutant);
        try {
            return text(call.make());
        } catch (InvocationTargetException thrown) {
            return thrown.getCause().getClass().getSimpleName();
        } catch (Throwable thrown) {
            return thrown.getClass().getSimpleName();
        } finally {
            TracewrightMutants.end();
            TracewrightSearch.end();
        }
    }

    private static String text(Object value) {
        if (value instanceof int[] array) return Arrays.toString(array);
        if (value instanceof Thread) return "thread";
        if (value instanceof Stream<?> stream) return "stream of " + stream.count();
        if (value instanceof java.util.Iterator<?>) return "iterator";
        if (value instanceof java.io.Reader) return "reader";
        return String.valueOf(value);
    }
}
