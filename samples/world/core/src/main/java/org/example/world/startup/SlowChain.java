package org.example.world.startup;

/** Three classes whose initialisers take 100 ms each, one after the other. */
public class SlowChain {

    static class First {
        static final int BASE = pause(10);
    }

    static class Second {
        static final int BASE = pause(First.BASE * 2);
    }

    static class Third {
        static final int BASE = pause(Second.BASE * 2);
    }

    static int pause(int value) {
        try {
            Thread.sleep(100);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return value;
    }

    public int fee(int amount) {
        if (amount <= 0) { // feasible: 2 of 2
            return 0;
        }
        return amount > Third.BASE ? Third.BASE : amount; // feasible: 2 of 2
    }
}
