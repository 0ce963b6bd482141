package refactorings;

public class Account {
    private int bookings;
    private long sum;
    private boolean open = true;

    public void deposit(long amount) {
        requireOpen();
        if (amount < 1) {
            throw new IllegalArgumentException("amount " + amount);
        }
        book(amount);
    }

    public boolean withdraw(long amount) {
        requireOpen();
        boolean covered = amount > 0 && amount <= sum;
        if (covered) {
            book(-amount);
        }
        return covered;
    }

    public long close() {
        open = false;
        long rest = sum;
        sum -= rest;
        return rest;
    }

    public void transfer(Account other, long amount) {
        if (!withdraw(amount)) {
            return;
        }
        other.deposit(amount);
    }

    public String statement() {
        StringBuilder text = new StringBuilder().append(sum).append(" after ").append(bookings).append(" bookings");
        return open ? text.toString() : text.append(", closed").toString();
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException("closed");
        }
    }

    private void book(long amount) {
        ++bookings;
        sum += amount;
    }

    public long getBalance() {
        return sum;
    }

    public int getBookings() {
        return bookings;
    }
}
