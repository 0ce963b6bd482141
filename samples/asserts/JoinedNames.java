// Idea: a name contains the comma that joins two names
// Verdict: wrong, "id,", "b"
package samples.asserts;

public class JoinedNames {

    static String join(String first, String second) {
        StringBuilder builder = new StringBuilder();
        builder.append(first).append(',').append(second);
        return builder.toString();
    }

    static String firstName(String joined) {
        return joined.substring(0, joined.indexOf(','));
    }

    public static void main(String[] args) {
        String first = Inputs.nextString();
        String second = Inputs.nextString();
        if (first.length() != 3 || !first.startsWith("id") || second.isEmpty()) {
            return;
        }
        String joined = join(first, second);
        assert joined.length() == first.length() + second.length() + 1;
        assert firstName(joined).equals(first);
    }
}
