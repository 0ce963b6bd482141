// Feature: groups of a Matcher
package samples.guards;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class RegexGroups {
    private static final Pattern VERSION = Pattern.compile("v(\\d+)\\.(\\d+)");

    public static boolean isOld(String text) {
        Matcher matcher = VERSION.matcher(text);
        if (matcher.matches() && Integer.parseInt(matcher.group(1)) == 3 && matcher.group(2).equals("14")) {
            return true; // goal: reached
        }
        return false;
    }
}
