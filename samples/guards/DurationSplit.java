// Feature: Duration, taken apart
package samples.guards;

import java.time.Duration;

public class DurationSplit {
    public static boolean isLap(long millis) {
        Duration lap = Duration.ofMillis(millis);
        if (lap.toMinutes() == 83 && lap.toSecondsPart() == 17 && lap.toMillisPart() == 905) {
            return true; // goal: reached
        }
        return false;
    }
}
