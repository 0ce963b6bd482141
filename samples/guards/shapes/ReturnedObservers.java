// Feature: observers that were removed and registered again in reverse order
package samples.guards.shapes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class ReturnedObservers {
    public static class Observer {
        private Object heard;

        private void hear(Object event) {
            heard = event;
        }
    }

    private final List<Observer> observers = new ArrayList<>();
    private final List<Observer> arrivals = new ArrayList<>();
    private final List<Observer> departures = new ArrayList<>();
    private Object event;

    public void register(Observer observer) {
        if (observer == null || observers.contains(observer)) {
            throw new IllegalArgumentException("null or registered");
        }
        observers.add(observer);
        if (!arrivals.contains(observer)) {
            arrivals.add(observer);
        }
    }

    public void remove(Observer observer) {
        if (observers.remove(observer)) {
            departures.add(observer);
        }
    }

    public void fire() {
        event = new Object();
        for (Observer observer : observers) {
            observer.hear(event);
        }
    }

    public boolean isReversed(Observer one, Observer other) {
        if (one != other && departures.equals(arrivals) && haveHeard(one, other)) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean haveHeard(Observer one, Observer other) {
        List<Observer> reversed = new ArrayList<>(arrivals);
        Collections.reverse(reversed);
        return reversed.equals(observers) && arrivals.indexOf(one) == 0 && arrivals.indexOf(other) == 1
                && event != null && one.heard == event && other.heard == event;
    }
}
