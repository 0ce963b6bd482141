// Source: the FindMaximum program (sats, Table 4), written after its name.
// Idea: the length and the elements of an array are inputs.
package samples;

public final class FindMaximum {
    private FindMaximum() {
    }

    public static int findMaximum(int[] values) {
        if (values.length == 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("no values");
        }
        int maximum = values[0];
        for (int i = 1; i < values.length; i++) { // feasible: 2 of 2
            if (values[i] > maximum) { // feasible: 2 of 2
                maximum = values[i];
            }
        }
        return maximum;
    }
}
