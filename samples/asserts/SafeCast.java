// Idea: an object is checked before it is cast
// Verdict: right, each cast follows a check of the same class; paths: few
package samples.asserts;

public class SafeCast {

    static Object pick(int kind, int number, String text) {
        switch (kind) {
            case 1:
                return number;
            case 2:
                return text;
            default:
                return null;
        }
    }

    static int size(Object value) {
        if (value instanceof Integer) {
            return (Integer) value;
        }
        if (value instanceof String) {
            return ((String) value).length();
        }
        return -1;
    }

    public static void main(String[] args) {
        int kind = Inputs.nextInt();
        int number = Inputs.nextInt();
        String text = Inputs.nextString();
        int size = size(pick(kind, number, text));
        if (kind == 1) {
            assert size == number;
        } else if (kind == 2) {
            assert size == text.length();
        } else {
            assert size == -1;
        }
    }
}
