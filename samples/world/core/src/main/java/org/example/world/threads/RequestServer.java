package org.example.world.threads;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/** A server whose loop takes requests from a queue. */
public class RequestServer {

    /** A request and where its answer goes. */
    private static final class Request {
        final String text;
        final CompletableFuture<String> answer = new CompletableFuture<>();

        Request(String text) {
            this.text = text;
        }
    }

    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private Thread loop;

    public void start() {
        if (loop != null) { // feasible: 2 of 2
            throw new IllegalStateException("started already");
        }
        loop = new Thread(this::serve, "request server");
        loop.start();
    }

    public String ask(String text) {
        if (loop == null) { // feasible: 2 of 2
            throw new IllegalStateException("not started");
        }
        Request request = new Request(text);
        requests.add(request);
        return request.answer.join();
    }

    public boolean isRunning() {
        return loop != null && loop.isAlive(); // feasible: 3 of 4, infeasible: a loop that ended by itself
    }

    public void stop() throws InterruptedException {
        if (loop != null) { // feasible: 2 of 2
            loop.interrupt();
            loop.join();
            loop = null;
        }
    }

    private void serve() {
        try {
            while (true) {
                Request request = requests.take();
                request.answer.complete(answer(request.text));
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    static String answer(String text) {
        if (text == null || text.isEmpty()) { // feasible: 4 of 4
            return "400";
        }
        if (text.startsWith("GET ")) { // feasible: 2 of 2
            return "200 " + text.substring(4);
        }
        return text.startsWith("PUT ") ? "201" : "405"; // feasible: 2 of 2
    }
}
