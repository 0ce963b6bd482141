package hostile;

/** Ends the JVM without shutdown hooks. */
public class HaltsJvm {
    public int run(int status) {
        if (status > 0) {
            Runtime.getRuntime().halt(status);
        }
        return -status;
    }

    public boolean isFailure(int status) {
        return status != 0;
    }
}
