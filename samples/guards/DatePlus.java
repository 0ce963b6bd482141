// Feature: LocalDate arithmetic
package samples.guards;

import java.time.LocalDate;

public class DatePlus {
    public static boolean falls(int days) {
        LocalDate date = LocalDate.of(2024, 2, 27).plusDays(days);
        if (days > 0 && date.getMonthValue() == 3 && date.getDayOfMonth() == 1 && date.getYear() == 2_031) {
            return true; // goal: reached
        }
        return false;
    }
}
