// Idea: the number of moves for eight disks does not fit into a byte
// Verdict: wrong, 8
package samples.asserts;

public class TowerMoves {

    private byte moves = 0;

    void move(int disks, int from, int to, int spare) {
        if (disks == 0) {
            return;
        }
        move(disks - 1, from, spare, to);
        moves++;
        move(disks - 1, spare, to, from);
    }

    public static void main(String[] args) {
        int disks = Inputs.nextInt();
        if (disks < 1 || disks > 8) {
            return;
        }
        TowerMoves tower = new TowerMoves();
        tower.move(disks, 1, 3, 2);
        assert tower.moves == (1 << disks) - 1;
    }
}
