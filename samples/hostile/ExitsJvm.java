package hostile;

/** Ends the JVM the polite way. */
public class ExitsJvm {
    public int run(int status) {
        if (status > 0) {
            System.exit(status);
        }
        return -status;
    }

    public boolean isFailure(int status) {
        return status != 0;
    }
}
