// Idea: an account refuses to go below zero
// Verdict: right, an amount above the balance leads to an exception and no change; paths: few
package samples.asserts;

public class CheckedWithdrawal {

    static class RefusedException extends Exception {
        final int missing;

        RefusedException(int missing) {
            this.missing = missing;
        }
    }

    static class Account {
        private int balance;

        Account(int balance) {
            this.balance = balance;
        }

        void withdraw(int amount) throws RefusedException {
            if (amount > balance) {
                throw new RefusedException(amount - balance);
            }
            balance -= amount;
        }
    }

    public static void main(String[] args) {
        int start = Inputs.nextInt();
        int amount = Inputs.nextInt();
        if (start < 0 || amount < 0) {
            return;
        }
        Account account = new Account(start);
        try {
            account.withdraw(amount);
            assert account.balance == start - amount;
        } catch (RefusedException e) {
            assert e.missing > 0;
            assert account.balance == start;
        }
        assert account.balance >= 0;
    }
}
