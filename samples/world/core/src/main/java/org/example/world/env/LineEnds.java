package org.example.world.env;

/** Joins lines by the separator of the platform. */
public class LineEnds {

    public String join(String first, String second) {
        if (first.isEmpty()) { // feasible: 2 of 2
            return second;
        }
        return first + System.lineSeparator() + second;
    }

    public boolean isUnix() {
        return System.lineSeparator().length() == 1; // environment: the platform
    }

    public static int count(String text) {
        int count = 0;
        for (int i = 0; i < text.length(); i++) { // feasible: 2 of 2
            if (text.charAt(i) == '\n') { // feasible: 2 of 2
                count++;
            }
        }
        return count;
    }
}
