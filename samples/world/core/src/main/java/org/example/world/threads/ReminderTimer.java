package org.example.world.threads;

import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;

/** Reminders from a timer whose thread is no daemon. */
public class ReminderTimer {

    private final Timer timer = new Timer("reminders");
    private final List<String> due = new ArrayList<>();

    public void remind(String text, int millis) {
        if (millis < 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("in the past: " + millis);
        }
        String words = text.isEmpty() ? "something" : text; // feasible: 2 of 2
        timer.schedule(new TimerTask() {
            @Override
            public void run() {
                synchronized (due) {
                    due.add(words);
                    due.notifyAll();
                }
            }
        }, millis);
    }

    public int due() {
        synchronized (due) {
            return due.size();
        }
    }

    /** Waits for a reminder, at most as long as given. */
    public boolean await(int millis) throws InterruptedException {
        if (millis < 1 || millis > 1000) { // feasible: 4 of 4
            throw new IllegalArgumentException("millis: " + millis);
        }
        synchronized (due) {
            if (due.isEmpty()) { // environment: time that passes
                due.wait(millis);
            }
            return !due.isEmpty(); // environment: time that passes
        }
    }

    public void cancel() {
        timer.cancel();
    }
}
