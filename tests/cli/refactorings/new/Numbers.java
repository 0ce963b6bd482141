package refactorings;

public class Numbers {
    public static int gcd(int a, int b) {
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

    public static long power(int base, int exponent) {
        long result = 1;
        int left = exponent;
        while (left > 0) {
            result = base * result;
            left--;
        }
        return result;
    }

    public static double mean(double... values) {
        int count = values.length;
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum = sum + values[i];
        }
        return count == 0 ? Double.NaN : sum / count;
    }

    public static boolean isPrime(int number) {
        if (number < 4) {
            return number == 2 || number == 3;
        }
        if (number % 2 == 0) {
            return false;
        }
        for (int i = 3; i <= number / i; i += 2) {
            if (number % i == 0) {
                return false;
            }
        }
        return true;
    }

    public static int bits(int number) {
        return Integer.bitCount(number);
    }
}
