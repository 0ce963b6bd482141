package asserts;

public class Code {
    public static char letter(int number) {
        char c = (char) ('a' + number % 30);
        assert c >= 'a' && c <= 'z';
        return c;
    }
}
