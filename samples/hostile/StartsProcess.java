package hostile;

import java.io.IOException;

/** Runs another program. */
public class StartsProcess {
    public int run(String path) throws IOException, InterruptedException {
        return new ProcessBuilder("/bin/sh", "-c", "echo spoilt > " + path).start().waitFor();
    }

    public int runByRuntime(String path) throws IOException, InterruptedException {
        return Runtime.getRuntime().exec(new String[] {"/usr/bin/touch", path}).waitFor();
    }

    public boolean isAbsolute(String path) {
        return path.startsWith("/");
    }
}
