/** A compute kernel: sorting, hash probing, a tokenizer, recursion, fields. */
public class Kernel {
    private int state;
    private final int[] keys = new int[1024];
    private final int[] values = new int[1024];

    static int sort(int[] a) {
        for (int i = 1; i < a.length; i++) {
            int value = a[i];
            int j = i - 1;
            while (j >= 0 && a[j] > value) {
                a[j + 1] = a[j];
                j--;
            }
            a[j + 1] = value;
        }
        return a[a.length / 2];
    }

    int probe(int n) {
        int hits = 0;
        for (int i = 1; i <= n; i++) {
            int key = i * 0x9E3779B9 | 1;
            int slot = key >>> 22;
            while (keys[slot] != 0 && keys[slot] != key) {
                slot = slot + 1 & 1023;
            }
            if (keys[slot] == key) {
                hits++;
            } else {
                keys[slot] = key;
            }
            values[slot] += i;
        }
        return hits;
    }

    static int tokens(String text) {
        int count = 0;
        boolean inside = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case ' ':
                case ',':
                    inside = false;
                    break;
                default:
                    if (!inside) {
                        count++;
                    }
                    inside = true;
            }
        }
        return count;
    }

    static int fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    int fields(int n) {
        for (int i = 0; i < n; i++) {
            state = state * 31 + i;
            if ((state & 7) == 3) {
                state ^= n;
            }
        }
        return state;
    }

    /** Arithmetic as in number classes: small methods, divisions, objects. */
    static long fractions(int n) {
        long numerator = 0;
        long denominator = 1;
        for (int i = 1; i <= n; i++) {
            long d = i % 7 + 1;
            numerator = numerator * d + denominator;
            denominator *= d;
            long g = gcd(Math.abs(numerator), denominator);
            numerator /= g;
            denominator /= g;
            if (denominator > 1 << 20) {
                denominator = 1;
            }
        }
        return numerator + denominator;
    }

    static long gcd(long a, long b) {
        while (b != 0) {
            long rest = a % b;
            a = b;
            b = rest;
        }
        return a == 0 ? 1 : a;
    }

    /** Library calls: strings and collections. */
    static int library(int n) {
        java.util.Map<String, Integer> counts = new java.util.HashMap<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < n; i++) {
            String key = "key" + i % 13;
            counts.merge(key, 1, Integer::sum);
            text.append(key).append(i);
        }
        return counts.size() + text.toString().indexOf("key12") + text.toString().hashCode();
    }

    static long run(String part, int seed) {
        switch (part) {
            case "sort": {
                int[] a = new int[300];
                int x = seed;
                for (int i = 0; i < a.length; i++) {
                    x = x * 1103515245 + 12345;
                    a[i] = x >>> 8;
                }
                return sort(a);
            }
            case "hash":
                return new Kernel().probe(600) + new Kernel().probe(seed);
            case "tokens":
                return tokens("the quick, brown fox jumps over, the lazy dog ".repeat(20));
            case "recursion":
                return fibonacci(16);
            case "fields":
                return new Kernel().fields(5000);
            case "fractions":
                return fractions(1000);
            case "library":
                return library(500);
            default:
                throw new IllegalArgumentException(part);
        }
    }
}
