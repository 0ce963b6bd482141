package p;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Results whose equals compares what they hold. */
public class Ledger {
    public record Entry(String name, long cents, List<String> tags) {}

    public record Pair<A, B>(A left, B right) {}

    public static List<String> names() {
        return Arrays.asList("a", null);
    }

    public static Collection<String> none() {
        return Collections.emptySet();
    }

    public static Object nothing() {
        return Collections.singletonList(null);
    }

    public static Set<Integer> codes() {
        return Set.of(2, 1);
    }

    public static Map<String, Long> prices() {
        return Map.of("a", 1L);
    }

    public static Optional<Character> first() {
        return Optional.of('a');
    }

    public static Entry entry() {
        return new Entry(null, 5, List.of("x", "y"));
    }

    public static Pair<Byte, Optional<String>> pair() {
        return new Pair<>((byte) 1, Optional.empty());
    }

    public static List<Entry> entries() {
        return List.of(new Entry("a", 0, Collections.emptyList()));
    }

    static java.math.BigDecimal total() {
        return new java.math.BigDecimal("29.00");
    }

    static List<java.math.BigDecimal> totals() {
        return List.of(java.math.BigDecimal.ZERO, total());
    }

    static java.time.LocalDate due() {
        return java.time.LocalDate.of(2024, 1, 31);
    }

    static java.time.Duration delay() {
        return java.time.Duration.ofSeconds(90);
    }

    static void fill(List<String> names) {
        names.add("a");
    }
}
