// Feature: Math.floorMod and Math.floorDiv
package samples.guards;

public class FloorModulo {
    public static String weekday(int day) {
        if (day < -1000 && Math.floorMod(day, 7) == 5 && Math.floorDiv(day, 365) == -41) {
            return "Friday"; // goal: reached
        }
        return "another day";
    }
}
