// Feature: a header in a byte array
package samples.guards;

public class ByteHeader {
    public static int version(byte[] file) {
        if (file.length < 6 || (file[0] & 0xFF) != 0x89 || file[1] != 'P') {
            return -1;
        }
        int version = (file[2] & 0xFF) << 8 | file[3] & 0xFF;
        if (version == 0x1F2E && file[4] + file[5] == 255 - 20) {
            return version; // goal: reached
        }
        return 0;
    }
}
