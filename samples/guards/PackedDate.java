// Feature: fields taken out of an int by shifts and masks
package samples.guards;

public class PackedDate {
    public static String read(int packed) {
        int year = (packed >>> 9 & 0x7F) + 1980;
        int month = packed >> 5 & 0xF;
        int day = packed & 0x1F;
        if (year == 2077 && month == 10 && day == 23) {
            return "the day"; // goal: reached
        }
        return year + "-" + month + "-" + day;
    }
}
