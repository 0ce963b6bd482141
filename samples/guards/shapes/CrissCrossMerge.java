// Feature: two branches merged in both orders, and the merges again
package samples.guards.shapes;

public class CrissCrossMerge {
    private final CrissCrossMerge first;
    private final CrissCrossMerge second;

    public CrissCrossMerge(CrissCrossMerge first, CrissCrossMerge second) {
        if (first == null && second != null || first != null && first == second) {
            throw new IllegalArgumentException("a merge needs two commits");
        }
        this.first = first;
        this.second = second;
    }

    public boolean isCrissCross() {
        if (isMerge() && crosses() && first.crosses() && haveOneBase(first.first.first, first.first.second)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isMerge() {
        return second != null;
    }

    private boolean crosses() {
        return first.isMerge() && second.isMerge() && first.first == second.second
                && first.second == second.first;
    }

    private static boolean haveOneBase(CrissCrossMerge one, CrissCrossMerge other) {
        return !one.isMerge() && !other.isMerge() && one.first != null && one.first == other.first
                && one.first.first == null;
    }
}
