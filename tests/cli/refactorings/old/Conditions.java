package refactorings;

public class Conditions {
    public enum Season { SPRING, SUMMER, AUTUMN, WINTER }

    public static boolean isLeap(int year) {
        if (year % 4 != 0) {
            return false;
        }
        if (year % 100 != 0) {
            return true;
        }
        return year % 400 == 0;
    }

    public static String grade(int points) {
        if (points >= 90) {
            return "A";
        } else if (points >= 75) {
            return "B";
        } else if (points >= 50) {
            return "C";
        } else {
            return "F";
        }
    }

    public static int month(Season season) {
        switch (season) {
            case SPRING:
                return 3;
            case SUMMER:
                return 6;
            case AUTUMN:
                return 9;
            default:
                return 12;
        }
    }

    public static boolean isOutside(double x, double low, double high) {
        return x < low || x > high;
    }

    public static int clamp(int value, int low, int high) {
        if (low > high) {
            throw new IllegalArgumentException(low + " > " + high);
        }
        if (value < low) {
            return low;
        }
        if (value > high) {
            return high;
        }
        return value;
    }
}
