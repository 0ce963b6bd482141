// Feature: a full cache of twenty keys, the first of them used again
package samples.guards.shapes;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

public class LruOfTwenty {
    private final Map<Integer, Object> entries = new LinkedHashMap<>(32, 0.75f, true);
    private Object first;
    private Object last;
    private boolean hasDropped;

    public void put(int key) {
        Object value = new Object();
        if (first == null) {
            first = value;
        }
        last = value;
        entries.put(key, value);
        if (entries.size() > 20) {
            Iterator<Object> oldest = entries.values().iterator();
            oldest.next();
            oldest.remove();
            hasDropped = true;
        }
    }

    public boolean contains(int key) {
        return entries.get(key) != null;
    }

    public boolean isRenewed() {
        if (isFull() && endsWithFirst()) {
            return true; // goal: reached
        }
        return false;
    }

    private boolean isFull() {
        return !hasDropped && entries.size() == 20;
    }

    private boolean endsWithFirst() {
        Object[] values = entries.values().toArray();
        return values[19] == first && values[18] == last;
    }
}
