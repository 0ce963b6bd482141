package refactorings;

import java.util.List;
import java.util.stream.Collectors;

public class Loops {
    public static int sum(int[] values) {
        int total = 0;
        for (int value : values) {
            total = value + total;
        }
        return total;
    }

    public static int indexOf(String[] names, String name) {
        int index = 0;
        while (index < names.length) {
            if (name.equals(names[index])) {
                return index;
            }
            index++;
        }
        return -1;
    }

    public static List<String> longWords(List<String> words, int least) {
        return words.stream().filter(word -> word.length() >= least).collect(Collectors.toList());
    }

    public static int digits(long number) {
        int digits = 1;
        while (number > 9 || number < -9) {
            digits++;
            number /= 10;
        }
        return digits;
    }

    public static String repeat(char letter, int count) {
        StringBuilder text = new StringBuilder();
        while (text.length() < count) {
            text.append(letter);
        }
        return text.toString();
    }
}
