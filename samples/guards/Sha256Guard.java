// Feature: a cryptographic hash
package samples.guards;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

public class Sha256Guard {
    public static boolean opens(String password) throws NoSuchAlgorithmException {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(password.getBytes());
        if (hash[0] == 0x2B && hash[1] == 0x5C && hash[2] == 0x11 && hash[3] == 0x70 && hash[4] == -1) {
            return true; // goal: cannot, nobody turns SHA-256 around
        }
        return false;
    }
}
