package demo;

/** Control dependence. The comments explain each line; the golden has the computed dependences. */
class Flow {
    static int branches(int a, int b) {
        int result = 0;
        if (a > 0) {
            result = 1;
            if (b > 0) {
                result = 2;
            }
        } else {
            result = 3;
        }
        return result;
    }

    static int loops(int n) {
        int sum = 0;
        while (n > 0) {
            if (n == 5) {
                continue;
            }
            sum += n;
            n--;
        }
        return sum;
    }

    static String switches(int kind) {
        switch (kind) {
            case 1:
                return "one";
            case 7:
                return "seven";
            default:
                kind++;
        }
        return "other";
    }

    static int handlers(String text) {
        int value = 0;
        if (text != null) {
            try {
                value = Integer.parseInt(text);
            } catch (NumberFormatException exception) {
                value = -1;
            }
        }
        return value;
    }

    static void endless(int n) {
        while (true) {
            if (n > 0) {
                n++;
            }
        }
    }
}
