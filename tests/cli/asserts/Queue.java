package asserts;

import java.util.ArrayList;
import java.util.List;

public class Queue {
    private final List<String> names = new ArrayList<>();
    public void add(String name) {
        names.add(name);
        assert names.size() < 3 : "full";
    }
    public String first() {
        assert !names.isEmpty() : "empty";
        return names.get(0);
    }
}
