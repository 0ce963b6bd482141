package refactorings;

public class Account {
    private long balance;
    private int bookings;
    private boolean closed;

    public void deposit(long amount) {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        if (amount <= 0) {
            throw new IllegalArgumentException("amount " + amount);
        }
        balance = balance + amount;
        bookings = bookings + 1;
    }

    public boolean withdraw(long amount) {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        if (amount <= 0 || amount > balance) {
            return false;
        }
        balance -= amount;
        bookings++;
        return true;
    }

    public long close() {
        long rest = balance;
        balance = 0;
        closed = true;
        return rest;
    }

    public void transfer(Account other, long amount) {
        if (withdraw(amount)) {
            other.deposit(amount);
        }
    }

    public String statement() {
        String text = balance + " after " + bookings + " bookings";
        if (closed) {
            text = text + ", closed";
        }
        return text;
    }

    public long getBalance() {
        return balance;
    }

    public int getBookings() {
        return bookings;
    }
}
