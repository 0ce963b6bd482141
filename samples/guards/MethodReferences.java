// Feature: method references, bound and unbound, and composed functions
package samples.guards;

import java.util.function.Function;
import java.util.function.Supplier;

public class MethodReferences {
    private static int twice(int x) {
        return x * 2;
    }

    public static boolean composes(String text) {
        Function<String, Integer> length = String::length;
        Function<String, Integer> doubled = length.andThen(MethodReferences::twice);
        Supplier<String> trimmed = text::trim;
        if (doubled.apply(trimmed.get()) == 6 && length.apply(text) == 5 && trimmed.get().equals("fox")) {
            return true; // goal: reached
        }
        return false;
    }
}
