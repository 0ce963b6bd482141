package dev.tracewright.runner;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Locale;

/**
 * Texts of values of the JDK whose {@code equals} compares values, such that the text alone gives an
 * equal value. Flows in: an object; flows out: the text, from which the engine writes an expression.
 * Calls no code under test.
 */
final class JdkValues {
    private static final int LONGEST = 120;
    /** The text of a large number takes long. */
    private static final int MOST_BITS = 256;
    private static final String TIMES = "java.time.";
    /** Digits of milliseconds. */
    private static final int MILLISECONDS = 3;

    private JdkValues() {}

    /** The text; null for an object of another class, and for a value that has none. */
    static String textOf(Object value) {
        String text = switch (value.getClass().getName()) {
            case "java.math.BigDecimal" -> ((BigDecimal) value).unscaledValue().bitLength() > MOST_BITS ? null : value.toString();
            case "java.math.BigInteger" -> ((BigInteger) value).bitLength() > MOST_BITS ? null : value.toString();
            case "java.net.URI" -> reread(value, value.toString());
            case "java.util.Locale" -> reread(value, ((Locale) value).toLanguageTag());
            case "java.time.ZonedDateTime" -> reread(value, value.toString());
            case "java.time.Duration", "java.time.Instant", "java.time.LocalDate", "java.time.LocalDateTime", "java.time.LocalTime",
                    "java.time.MonthDay", "java.time.OffsetDateTime", "java.time.OffsetTime", "java.time.Period", "java.time.Year",
                    "java.time.YearMonth", "java.time.ZoneOffset", "java.time.ZoneRegion", "java.util.Currency", "java.util.UUID" ->
                    value.toString();
            default -> null;
        };
        boolean isUsable = text != null && text.length() <= LONGEST;
        return isUsable && !(value.getClass().getName().startsWith(TIMES) && (isOfToday(text) || isOfClock(text))) ? text : null;
    }

    /** The text, where it gives an equal value; else null. */
    private static String reread(Object value, String text) {
        Object read = value instanceof URI ? URI.create(text)
                : value instanceof Locale ? Locale.forLanguageTag(text) : ZonedDateTime.parse(text);
        return read.equals(value) ? text : null;
    }

    /** Whether it is a time of day with more than milliseconds: a person writes no such time, but a clock shows it. */
    private static boolean isOfClock(String text) {
        int point = text.indexOf(':') < 0 ? -1 : text.lastIndexOf('.');
        int digits = 0;
        while (point >= 0 && point + 1 + digits < text.length() && Character.isDigit(text.charAt(point + 1 + digits))) {
            digits++;
        }
        return digits > MILLISECONDS;
    }

    /** Whether the date is today in some time zone, or its month or year is: it may be another tomorrow. */
    private static boolean isOfToday(String text) {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        for (int days = -1; days <= 1; days++) {
            String day = today.plusDays(days).toString();
            boolean isMonthDay = text.startsWith("--") && day.endsWith(text.substring(1));
            if (isMonthDay || text.length() >= 4 && (day.startsWith(text) || text.startsWith(day))) {
                return true;
            }
        }
        return false;
    }
}
