// Idea: three numbers in a certain order open a lock that should stay closed
// Verdict: wrong, 30, 34, 64
package samples.asserts;

public class StepLock {

    static class Lock {
        private int state = 0;
        private int previous = 0;
        private int sum = 0;

        void enter(int number) {
            if (state == 0 && number > 20) {
                state = 1;
            } else if (state == 1 && number == previous + 4) {
                state = 2;
            } else if (state == 2 && number == sum) {
                state = 3;
            } else {
                state = 0;
            }
            previous = number;
            sum += number;
        }
    }

    static class Guard {
        static void watch(Lock lock) {
            for (int i = 0; i < 3; i++) {
                lock.enter(Inputs.nextInt());
                assert lock.state < 3 : "the lock is open";
            }
        }
    }

    public static void main(String[] args) {
        Guard.watch(new Lock());
    }
}
