// Feature: an inner class that reads and writes its outer object
package samples.guards;

public class InnerClass {
    private int level;

    class Valve {
        private final int step;

        Valve(int step) {
            this.step = step;
        }

        void turn() {
            level = level * 2 + step;
        }
    }

    public static boolean fills(int first, int second) {
        InnerClass tank = new InnerClass();
        Valve valve = tank.new Valve(first);
        valve.turn();
        valve.turn();
        tank.new Valve(second).turn();
        if (tank.level == 6_541 && second == first + 3) {
            return true; // goal: reached
        }
        return false;
    }
}
