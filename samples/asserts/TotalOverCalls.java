// Idea: a static total is kept over many calls of main
// Verdict: right, each call compares the total with its value before; paths: many
package samples.asserts;

public class TotalOverCalls {

    static class Ledger {
        private static long total = 0;

        static void book(int amount) {
            total += amount;
        }
    }

    static class Clerk {
        static void bookAll(int count) {
            long before = Ledger.total;
            long booked = 0;
            for (int i = 0; i < count; i++) {
                int amount = Inputs.nextInt();
                Ledger.book(amount);
                booked += amount;
            }
            assert Ledger.total - before == booked;
        }
    }

    public static void main(String[] args) {
        int count = Inputs.nextInt();
        if (count < 0 || count > 200) {
            return;
        }
        Clerk.bookAll(count);
    }
}
