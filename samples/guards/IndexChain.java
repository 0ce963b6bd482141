// Feature: elements of an array as indices into it
package samples.guards;

public class IndexChain {
    public static boolean follows(int[] next) {
        if (next.length < 4) {
            return false;
        }
        int at = next[next[next[0]]];
        if (at == 1_234 && next[0] != next[next[0]]) {
            return true; // goal: reached
        }
        return false;
    }
}
