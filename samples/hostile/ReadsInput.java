package hostile;

import java.io.IOException;

/** Waits for what nobody types. */
public class ReadsInput {
    public int read() throws IOException {
        return System.in.read();
    }

    public boolean isEnd(int character) {
        return character < 0;
    }
}
