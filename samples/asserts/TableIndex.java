// Idea: the absolute value of the smallest int is negative
// Verdict: wrong, -2147483647, 1
package samples.asserts;

public class TableIndex {

    private final int[] uses = new int[7];

    int index(int from, int to) {
        return Math.abs(from - to) % uses.length;
    }

    void use(int from, int to) {
        uses[index(from, to)]++;
    }

    int total() {
        int total = 0;
        for (int count : uses) {
            total += count;
        }
        return total;
    }

    public static void main(String[] args) {
        int from = Inputs.nextInt();
        int to = Inputs.nextInt();
        TableIndex table = new TableIndex();
        table.use(from, to);
        table.use(to, from);
        assert table.total() == 2;
    }
}
