package refactorings;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.Optional;

public class Dates {
    public static boolean isWeekend(LocalDate date) {
        return date.getDayOfWeek() == DayOfWeek.SATURDAY || date.getDayOfWeek() == DayOfWeek.SUNDAY;
    }

    public static LocalDate later(LocalDate one, LocalDate other) {
        if (one.isAfter(other)) {
            return one;
        }
        return other;
    }

    public static int quarter(LocalDate date) {
        int month = date.getMonthValue();
        if (month <= 3) {
            return 1;
        }
        if (month <= 6) {
            return 2;
        }
        return month <= 9 ? 3 : 4;
    }

    public static Optional<LocalDate> parsed(String text) {
        if (text == null || text.length() != 8) {
            return Optional.empty();
        }
        for (int i = 0; i < 8; i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return Optional.empty();
            }
        }
        int year = Integer.parseInt(text.substring(0, 4));
        int month = Integer.parseInt(text.substring(4, 6));
        int day = Integer.parseInt(text.substring(6));
        if (month < 1 || month > 12 || day < 1 || day > 28) {
            return Optional.empty();
        }
        return Optional.of(LocalDate.of(year, month, day));
    }

    public static String age(LocalDate born, LocalDate day) {
        int years = day.getYear() - born.getYear();
        if (day.getDayOfYear() < born.getDayOfYear()) {
            years--;
        }
        return years + (years == 1 ? " year" : " years");
    }
}
