package refactorings;

import java.util.ArrayList;
import java.util.List;

public class Loops {
    public static int sum(int[] values) {
        int sum = 0;
        for (int i = 0; i < values.length; i++) {
            sum += values[i];
        }
        return sum;
    }

    public static int indexOf(String[] names, String name) {
        for (int i = 0; i < names.length; i++) {
            if (name.equals(names[i])) {
                return i;
            }
        }
        return -1;
    }

    public static List<String> longWords(List<String> words, int least) {
        List<String> found = new ArrayList<>();
        for (String word : words) {
            if (word.length() >= least) {
                found.add(word);
            }
        }
        return found;
    }

    public static int digits(long number) {
        int digits = 0;
        do {
            digits++;
            number /= 10;
        } while (number != 0);
        return digits;
    }

    public static String repeat(char letter, int count) {
        String text = "";
        for (int i = 0; i < count; i++) {
            text += letter;
        }
        return text;
    }
}
