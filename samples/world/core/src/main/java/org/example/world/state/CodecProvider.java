package org.example.world.state;

/** A provider that a static setter replaces. */
public class CodecProvider {

    /** What encodes texts. */
    public interface Codec {
        String encode(String text);
    }

    private static final Codec DEFAULT = text -> "<" + text + ">";
    private static Codec codec = DEFAULT;

    public static Codec getCodec() {
        return codec;
    }

    /** Sets the codec; null restores the default. */
    public static void setCodec(Codec replacement) {
        codec = replacement == null ? DEFAULT : replacement; // feasible: 2 of 2
    }

    public static boolean isDefault() {
        return codec == DEFAULT; // feasible: 2 of 2
    }

    public static String encode(String text) {
        if (text == null) { // feasible: 2 of 2
            return "-";
        }
        return text.isEmpty() ? "<>" : codec.encode(text); // feasible: 2 of 2
    }
}
