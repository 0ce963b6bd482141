// Idea: a fee is taken after the balance has been checked
// Verdict: wrong, 50, 20, 30
package samples.asserts;

public class AccountFee {

    static class OverdrawnException extends RuntimeException {
    }

    static class Account {
        protected int balance;

        Account(int balance) {
            this.balance = balance;
        }

        void withdraw(int amount) {
            if (amount > balance) {
                throw new OverdrawnException();
            }
            balance -= amount;
        }
    }

    static class FeeAccount extends Account {
        FeeAccount(int balance) {
            super(balance);
        }

        @Override
        void withdraw(int amount) {
            super.withdraw(amount);
            if (amount > 25) {
                balance--;
            }
        }
    }

    public static void main(String[] args) {
        int start = Inputs.nextInt();
        if (start < 1 || start > 1000) {
            return;
        }
        Account account = new FeeAccount(start);
        try {
            for (int i = 0; i < 2; i++) {
                int amount = Inputs.nextInt();
                if (amount < 1 || amount > 1000) {
                    return;
                }
                account.withdraw(amount);
            }
        } catch (OverdrawnException e) {
            return;
        }
        assert account.balance >= 0;
    }
}
