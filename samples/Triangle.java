// Source: the triangle classification program (sats, Table 4), after its usual form in the testing literature.
// Idea: sums and equalities of three inputs; random triples are hardly ever isosceles.
package samples;

public final class Triangle {
    public static final int INVALID = 0;
    public static final int SCALENE = 1;
    public static final int ISOSCELES = 2;
    public static final int EQUILATERAL = 3;

    private Triangle() {
    }

    public static int classify(int a, int b, int c) {
        if (a <= 0 || b <= 0 || c <= 0) { // feasible: 6 of 6
            return INVALID;
        }
        int equal = 0;
        if (a == b) { // feasible: 2 of 2
            equal += 1;
        }
        if (a == c) { // feasible: 2 of 2
            equal += 2;
        }
        if (b == c) { // feasible: 2 of 2
            equal += 3;
        }
        if (equal == 0) { // feasible: 2 of 2
            if (a + b <= c || b + c <= a || a + c <= b) { // feasible: 6 of 6
                return INVALID;
            }
            return SCALENE;
        }
        if (equal > 3) { // feasible: 2 of 2
            return EQUILATERAL;
        }
        if (equal == 1 && a + b > c) { // feasible: 4 of 4
            return ISOSCELES;
        }
        if (equal == 2 && a + c > b) { // feasible: 4 of 4
            return ISOSCELES;
        }
        if (equal == 3 && b + c > a) { // feasible: 4 of 4
            return ISOSCELES;
        }
        return INVALID;
    }
}
