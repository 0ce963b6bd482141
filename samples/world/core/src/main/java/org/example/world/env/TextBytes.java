package org.example.world.env;

import java.nio.charset.Charset;

/** Bytes of texts in the default charset. */
public class TextBytes {

    public byte[] encode(String text) {
        return text.getBytes();
    }

    public String charset() {
        return Charset.defaultCharset().name();
    }

    public int length(String text) {
        if (text.isEmpty()) { // feasible: 2 of 2
            return 0;
        }
        return encode(text).length;
    }

    public boolean isWide() {
        return length("\u00e4") > 1; // environment: the charset
    }

    public static boolean isAscii(String text) {
        for (char c : text.toCharArray()) { // feasible: 2 of 2
            if (c > 127) { // feasible: 2 of 2
                return false;
            }
        }
        return true;
    }
}
