package hostile;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Arrays;

/** Writes a gigabyte, through {@code System.out} or past it. */
public class PrintsMuch {
    private static final int BLOCK = 1 << 20;

    public int print(int blocks) {
        String block = "x".repeat(BLOCK);
        for (int i = 0; i < blocks; i++) {
            System.out.println(block);
        }
        return blocks;
    }

    public int printBehind(int blocks) throws IOException {
        byte[] block = new byte[BLOCK];
        Arrays.fill(block, (byte) 'x');
        try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            for (int i = 0; i < blocks; i++) {
                out.write(block);
            }
        }
        return blocks;
    }

    public boolean isMuch(int blocks) {
        return blocks > 1000;
    }
}
