// Feature: what one call leaves in an object for the next
package samples.guards;

public class InstanceState {
    private int balance;
    private boolean open;

    public InstanceState(int balance) {
        this.balance = balance % 500;
    }

    public void unlock(int pin) {
        open = pin == balance * 3 + 7;
    }

    public boolean pay(int amount) {
        if (open && amount - balance == 8_080) {
            return true; // goal: reached
        }
        return false;
    }
}
