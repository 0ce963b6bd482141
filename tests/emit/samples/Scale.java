package p;

/** A class without state. */
public class Scale {
    public int grams(int kilograms) {
        if (kilograms < 0) {
            throw new IllegalArgumentException("less than nothing");
        }
        return 1000 * kilograms;
    }
}
