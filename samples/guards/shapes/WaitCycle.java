// Feature: three owners of locks that wait in a circle, and one that waits for them
package samples.guards.shapes;

public class WaitCycle {
    public static class Lock {
        private WaitCycle owner;
    }

    private Lock wanted;

    public void take(Lock lock) {
        if (lock.owner != null || wanted != null) {
            throw new IllegalStateException("the lock or the owner is not free");
        }
        lock.owner = this;
    }

    public void awaitLock(Lock lock) {
        if (lock.owner == null || lock.owner == this) {
            throw new IllegalStateException("there is nothing to wait for");
        }
        wanted = lock;
    }

    private WaitCycle blocker() {
        return wanted == null ? null : wanted.owner;
    }

    public boolean isStuck() {
        if (blocker() != null && blocker().isInCircle() && !isInCircle()) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isInCircle() {
        WaitCycle second = blocker();
        WaitCycle third = second == null ? null : second.blocker();
        return third != null && third != this && third.blocker() == this;
    }
}
