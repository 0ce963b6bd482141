// Feature: an abstract class that the test extends
package samples.guards;

public abstract class AbstractStub {
    private final int offset;

    protected AbstractStub(int offset) {
        this.offset = offset;
    }

    protected abstract int measure();

    public boolean isExact() {
        if (measure() - offset == 2_468 && offset > 100) {
            return true; // goal: reached
        }
        return false;
    }
}
