// Idea: a mask for the month is one bit too small
// Verdict: wrong, 31, 8, 2024
package samples.asserts;

public class PackedDate {

    static int pack(int day, int month, int year) {
        return (year << 9) | (month << 5) | day;
    }

    static int day(int packed) {
        return packed & 0x1f;
    }

    static int month(int packed) {
        return (packed >> 5) & 0x7;
    }

    static int year(int packed) {
        return packed >> 9;
    }

    public static void main(String[] args) {
        int day = Inputs.nextInt();
        int month = Inputs.nextInt();
        int year = Inputs.nextInt();
        if (day < 1 || day > 31 || month < 1 || month > 12 || year < 1900 || year > 2100) {
            return;
        }
        int packed = pack(day, month, year);
        assert day(packed) == day;
        assert year(packed) == year;
        assert month(packed) == month;
    }
}
