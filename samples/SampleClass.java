// Source: tardis, Listing 1; constructor named like the class, `A` read as `a`.
// Idea: the path that returns "Yes" through nested loops constrains five inputs at once; one branch is infeasible.
package samples;

public class SampleClass {
    private final int[] a;
    private final int[] b;

    public SampleClass(
            int a0, int a1, int a2, int a3, int a4,
            int b0, int b1, int b2, int b3, int b4,
            int b5, int b6, int b7, int b8, int b9) {
        a = new int[] {a0, a1, a2, a3, a4};
        b = new int[] {b0, b1, b2, b3, b4, b5, b6, b7, b8, b9};
        for (int i = 0; i < b.length; i++) { // feasible: 2 of 2
            if (b[i] < 0) throw new RuntimeException(); // feasible: 2 of 2
        }
    }

    public String run() {
        int k = 0;
        boolean flag = true;
        for (int i = 0; i < a.length; i++) { // feasible: 2 of 2
            if (a[i] > i * 1000) { // feasible: 2 of 2
                for (int j = 0; j < b.length; j++) { // feasible: 2 of 2
                    if (b[j] < -a[i]) { // feasible: 1 of 2, infeasible: b[j] >= 0 and -a[i] < 0
                        k = 1;
                    }
                }
            } else {
                flag = false;
            }
        }
        assert (k == 0); // feasible: 1 of 2, infeasible: k stays 0
        if (flag) { // feasible: 2 of 2
            return "Yes";
        } else {
            return null;
        }
    }
}
