package law;

/** A test makes it a class of the boot loader, with a wrong stack map frame. */
public class Broken {
    static int frames(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i % 3 == 0 ? 1 : 2;
        }
        return sum;
    }
}
