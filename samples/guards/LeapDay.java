// Feature: LocalDate of three ints
package samples.guards;

import java.time.LocalDate;

public class LeapDay {
    public static boolean isLast(int year, int month, int day) {
        LocalDate date = LocalDate.of(year, month, day);
        if (date.isLeapYear() && date.getDayOfYear() == 366 && year > 2_100) {
            return true; // goal: reached
        }
        return false;
    }
}
