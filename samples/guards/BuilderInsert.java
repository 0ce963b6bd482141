// Feature: StringBuilder.insert and deleteCharAt
package samples.guards;

public class BuilderInsert {
    public static boolean edits(String word, int at) {
        if (word.length() != 4 || at < 1 || at > 3) {
            return false;
        }
        StringBuilder builder = new StringBuilder(word);
        builder.insert(at, '#').deleteCharAt(0);
        if (builder.toString().equals("ow#l")) {
            return true; // goal: reached
        }
        return false;
    }
}
