package org.example.world.java21;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A virtual thread that takes messages until it gets the last one. */
public class VirtualMailbox {

    private static final String LAST = "";

    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    private final List<String> received = new ArrayList<>();
    private Thread reader;

    public void open() {
        if (reader != null) { // feasible: 2 of 2
            throw new IllegalStateException("open already");
        }
        reader = Thread.ofVirtual().name("mailbox").start(this::read);
    }

    private void read() {
        try {
            for (String message = queue.take(); !message.equals(LAST); message = queue.take()) { // feasible: 2 of 2
                received.add(message.length() > 10 ? message.substring(0, 10) : message); // feasible: 2 of 2
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    public void send(String message) {
        if (message.isEmpty()) { // feasible: 2 of 2
            throw new IllegalArgumentException("no message");
        }
        queue.add(message);
    }

    public List<String> close() throws InterruptedException {
        if (reader == null) { // feasible: 2 of 2
            return List.of();
        }
        queue.add(LAST);
        reader.join();
        return received;
    }
}
