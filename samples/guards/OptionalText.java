// Feature: Optional of a string that may be null
package samples.guards;

import java.util.Optional;

public class OptionalText {
    public static String name(String given) {
        String name = Optional.ofNullable(given).map(String::trim).filter(text -> text.length() == 3).orElse("none");
        if (name.charAt(0) == '#' && given.length() == 6) {
            return name; // goal: reached
        }
        return "other";
    }
}
