// Feature: an interface that the test implements
package samples.guards;

public class InterfaceStub {
    public interface Sensor {
        int read();
    }

    public static boolean alarms(Sensor sensor, int limit) {
        int value = sensor.read();
        if (value > limit && value - limit < 5 && limit > 3_000) {
            return true; // goal: reached
        }
        return false;
    }
}
