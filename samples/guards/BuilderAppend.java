// Feature: StringBuilder.append
package samples.guards;

public class BuilderAppend {
    public static boolean spells(char a, int b, boolean c) {
        StringBuilder builder = new StringBuilder();
        builder.append(a).append(b).append('/').append(c);
        if (builder.toString().equals("Q604/true")) {
            return true; // goal: reached
        }
        return false;
    }
}
