package shop.stock;

import java.util.Map;
import java.util.TreeMap;

/** How many there are of each article. */
public class Shelf {
    private final Map<String, Integer> pieces = new TreeMap<>();

    public void put(String article, int count) {
        if (count <= 0) {
            throw new IllegalArgumentException("nothing to put: " + count);
        }
        pieces.merge(article, count, Math::addExact);
    }

    /** @return how many were there to take, at most {@code count} */
    public int take(String article, int count) {
        int there = pieces.getOrDefault(article, 0);
        if (there <= count) {
            pieces.remove(article);
            return there;
        }
        pieces.put(article, there - count);
        return count;
    }

    public int count(String article) {
        return pieces.getOrDefault(article, 0);
    }
}
