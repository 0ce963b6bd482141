// Feature: Enum.valueOf, and its exception
package samples.guards;

public class EnumValueOf {
    enum Planet { VENUS, MARS, SATURN }

    public static int order(String name) {
        try {
            Planet planet = Planet.valueOf(name.toUpperCase());
            if (planet == Planet.MARS && name.charAt(1) == 'a' && name.charAt(0) == 'M') {
                return planet.ordinal(); // goal: reached
            }
            return 0;
        } catch (IllegalArgumentException unknown) {
            return -1;
        }
    }
}
