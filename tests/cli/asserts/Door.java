package asserts;

public class Door {
    private boolean open;
    private boolean locked;
    public void open() {
        open = true;
    }
    public void close() {
        open = false;
    }
    public void lock() {
        locked = true;
        check();
    }
    public void unlock() {
        locked = false;
    }
    private void check() {
        assert !(open && locked) : "locked while open";
    }
}
