// Feature: records in records, and a check in the constructor
package samples.guards;

public class RecordComponents {
    record Range(int low, int high) {
        Range {
            if (low > high) {
                throw new IllegalArgumentException("empty");
            }
        }

        int size() {
            return high - low;
        }
    }

    record Pair(Range first, Range second) { }

    public static boolean touches(int a, int b, int c) {
        Pair pair = new Pair(new Range(a, b), new Range(b + 1, c));
        if (pair.first().size() == 123 && pair.second().size() == 456 && pair.first().low() == -7) {
            return true; // goal: reached
        }
        return false;
    }
}
