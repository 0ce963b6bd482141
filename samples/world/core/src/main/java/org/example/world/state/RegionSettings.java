package org.example.world.state;

import java.util.Locale;

/** Sets the default locale of the JVM. */
public class RegionSettings {

    public void choose(String region) {
        switch (region) { // feasible: 4 of 4
            case "de" -> Locale.setDefault(Locale.GERMANY);
            case "fr" -> Locale.setDefault(Locale.FRANCE);
            case "tr" -> Locale.setDefault(new Locale.Builder().setLanguage("tr").setRegion("TR").build());
            default -> throw new IllegalArgumentException("no such region: " + region);
        }
    }

    public String current() {
        return Locale.getDefault().toLanguageTag();
    }

    public static boolean isKnown(String region) {
        return region.equals("de") || region.equals("fr") || region.equals("tr"); // feasible: 6 of 6
    }
}
