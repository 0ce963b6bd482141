// Feature: a TreeMap and its neighbours
package samples.guards;

import java.util.TreeMap;

public class TreeMapFloor {
    public static String grade(int points, int bonus) {
        TreeMap<Integer, String> grades = new TreeMap<>();
        grades.put(0, "E");
        grades.put(510, "C");
        grades.put(905, "A");
        grades.put(bonus, "bonus");
        if (grades.size() == 4 && grades.floorKey(points) == bonus && bonus > 905 && points - bonus == 44) {
            return grades.get(bonus); // goal: reached
        }
        return grades.lastEntry().getValue();
    }
}
