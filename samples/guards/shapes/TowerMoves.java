// Feature: three discs moved to another peg, a wrong move starts again
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

public class TowerMoves {
    public enum Peg { LEFT, MIDDLE, RIGHT }

    private enum Disc { LARGE, MEDIUM, SMALL }

    private final Map<Peg, List<Disc>> pegs = new EnumMap<>(Peg.class);

    public TowerMoves() {
        restart();
    }

    private void restart() {
        pegs.put(Peg.LEFT, new ArrayList<>(List.of(Disc.values())));
        pegs.put(Peg.MIDDLE, new ArrayList<>());
        pegs.put(Peg.RIGHT, new ArrayList<>());
    }

    public void move(Peg from, Peg to) {
        List<Disc> source = pegs.get(from);
        List<Disc> target = pegs.get(to);
        if (source.isEmpty() || !fits(source.get(source.size() - 1), target)) {
            restart();
            return;
        }
        target.add(source.remove(source.size() - 1));
    }

    private static boolean fits(Disc disc, List<Disc> target) {
        return target.isEmpty() || target.get(target.size() - 1).compareTo(disc) < 0;
    }

    public boolean isMoved() {
        if (pegs.get(Peg.RIGHT).equals(List.of(Disc.values()))) {
            return true; // goal: reached
        }
        return false;
    }
}
