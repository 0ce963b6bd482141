// Feature: a checksum, bit by bit
package samples.guards;

public class Crc8 {
    private static int update(int crc, byte data) {
        crc ^= data & 0xFF;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 0x80) != 0 ? crc << 1 ^ 0x107 : crc << 1;
        }
        return crc & 0xFF;
    }

    public static boolean verify(byte kind, byte size, byte sum) {
        int crc = update(update(0, kind), size);
        if (kind == 0x4D && size > 90 && crc == (sum & 0xFF)) {
            return true; // goal: reached
        }
        return false;
    }
}
