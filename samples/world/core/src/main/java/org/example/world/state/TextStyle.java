package org.example.world.state;

/** Static styles that can be changed. */
public class TextStyle {

    public static final TextStyle SHORT = new TextStyle(",", 20);
    public static final TextStyle LONG = new TextStyle(", ", 80);

    private static TextStyle defaultStyle = SHORT;

    private String separator;
    private final int width;

    private TextStyle(String separator, int width) {
        this.separator = separator;
        this.width = width;
    }

    public static TextStyle getDefault() {
        return defaultStyle;
    }

    public static void setDefault(TextStyle style) {
        if (style == null) { // feasible: 2 of 2
            throw new IllegalArgumentException("no style");
        }
        defaultStyle = style;
    }

    public String getSeparator() {
        return separator;
    }

    public void setSeparator(String separator) {
        this.separator = separator == null ? "" : separator; // feasible: 2 of 2
    }

    public static String join(String... parts) {
        String text = String.join(defaultStyle.separator, parts);
        return text.length() > defaultStyle.width ? text.substring(0, defaultStyle.width) : text; // feasible: 2 of 2
    }
}
