// Feature: a switch on strings
package samples.guards;

public class StringSwitch {
    public static int run(String first, String second) {
        int stack = 1;
        for (String command : new String[] {first.trim(), second.toLowerCase()}) {
            switch (command) {
                case "double" -> stack *= 2;
                case "triple" -> stack *= 3;
                case "negate" -> stack = -stack;
                default -> stack = 0;
            }
        }
        if (stack == -3 && first.length() == 8 && second.charAt(0) == 'N') {
            return stack; // goal: reached
        }
        return 0;
    }
}
