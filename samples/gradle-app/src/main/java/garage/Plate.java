package garage;

import org.apache.commons.lang3.StringUtils;

/** A number plate such as {@code B-XY 123}: town, letters, number. */
public final class Plate {
    private final String town;
    private final int number;

    private Plate(String town, int number) {
        this.town = town;
        this.number = number;
    }

    public static Plate parse(String text) {
        if (StringUtils.isBlank(text)) {
            throw new IllegalArgumentException("no plate");
        }
        String trimmed = text.trim();
        int dash = trimmed.indexOf('-');
        if (dash < 1 || dash > 3) {
            throw new IllegalArgumentException("no town in " + text);
        }
        String digits = StringUtils.substringAfterLast(trimmed, " ");
        if (!StringUtils.isNumeric(digits) || digits.length() > 4) {
            throw new IllegalArgumentException("no number in " + text);
        }
        return new Plate(trimmed.substring(0, dash), Integer.parseInt(digits));
    }

    public boolean isLocal(String here) {
        return town.equals(here);
    }

    public boolean isRound() {
        return number % 100 == 0;
    }
}
