package org.example.world.threads;

import java.util.concurrent.CompletableFuture;

/** Prices that a future computes in the common pool. */
public class PriceFuture {

    public CompletableFuture<Integer> quote(int amount) {
        return CompletableFuture.supplyAsync(() -> price(amount));
    }

    public CompletableFuture<String> label(int amount) {
        return quote(amount).thenApply(PriceFuture::rank).exceptionally(error -> "wrong");
    }

    static String rank(int price) {
        return price > 100 ? "dear" : "cheap"; // feasible: 2 of 2
    }

    public int best(int first, int second) {
        return quote(first).thenCombine(quote(second), Math::min).join();
    }

    static int price(int amount) {
        if (amount < 0) { // feasible: 2 of 2
            throw new IllegalArgumentException("amount: " + amount);
        }
        return amount >= 10 ? amount * 9 : amount * 10; // feasible: 2 of 2
    }
}
