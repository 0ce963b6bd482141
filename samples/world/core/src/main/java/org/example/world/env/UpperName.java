package org.example.world.env;

/** Turns names into constants by the rules of the default locale. */
public class UpperName {

    public String constant(String name) {
        StringBuilder text = new StringBuilder();
        for (char c : name.toCharArray()) { // feasible: 2 of 2
            if (Character.isUpperCase(c) && text.length() > 0) { // feasible: 4 of 4
                text.append('_');
            }
            text.append(c);
        }
        return text.toString().toUpperCase();
    }

    public boolean isTitle(String name) {
        return constant(name).equals("TITLE");
    }
}
