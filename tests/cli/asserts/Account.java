package asserts;

public class Account {
    private int cents;
    public void pay(int amount) {
        cents += amount;
    }
    public void take(int amount) {
        cents -= amount;
        assert cents >= 0;
    }
    public int cents() {
        return cents;
    }
}
