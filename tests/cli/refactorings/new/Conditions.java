package refactorings;

public class Conditions {
    public enum Season { SPRING, SUMMER, AUTUMN, WINTER }

    public static boolean isLeap(int year) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    public static String grade(int points) {
        if (points < 50) {
            return "F";
        }
        if (points < 75) {
            return "C";
        }
        return points < 90 ? "B" : "A";
    }

    public static int month(Season season) {
        return 3 * (season.ordinal() + 1);
    }

    public static boolean isOutside(double x, double low, double high) {
        return x > high || x < low;
    }

    public static int clamp(int value, int low, int high) {
        requireOrder(low, high);
        return value < low ? low : value > high ? high : value;
    }

    private static void requireOrder(int low, int high) {
        if (high < low) {
            throw new IllegalArgumentException(low + " > " + high);
        }
    }
}
