package refactorings;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.Optional;

public class Dates {
    public static boolean isWeekend(LocalDate date) {
        DayOfWeek day = date.getDayOfWeek();
        return day.compareTo(DayOfWeek.FRIDAY) > 0;
    }

    public static LocalDate later(LocalDate one, LocalDate other) {
        return other.isBefore(one) ? one : other;
    }

    public static int quarter(LocalDate date) {
        return (date.getMonthValue() + 2) / 3;
    }

    public static Optional<LocalDate> parsed(String text) {
        if (text == null || !text.matches("[0-9]{8}")) {
            return Optional.empty();
        }
        int number = Integer.parseInt(text);
        int day = number % 100;
        int month = number / 100 % 100;
        boolean exists = 1 <= month && month <= 12 && 1 <= day && day <= 28;
        return exists ? Optional.of(LocalDate.of(number / 10_000, month, day)) : Optional.empty();
    }

    public static String age(LocalDate born, LocalDate day) {
        boolean isBefore = day.getDayOfYear() - born.getDayOfYear() < 0;
        int years = day.getYear() - born.getYear() - (isBefore ? 1 : 0);
        String unit = years == 1 ? "year" : "years";
        return years + " " + unit;
    }
}
