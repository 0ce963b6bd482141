package hostile;

import java.util.ArrayList;
import java.util.List;

/** Keeps everything, in a static field too. */
public class ExhaustsHeap {
    private static final List<long[]> KEPT = new ArrayList<>();

    public int keep(int blocks) {
        for (int i = 0; i != blocks; i++) {
            KEPT.add(new long[1 << 17]);
        }
        return KEPT.size();
    }

    public boolean isMany(int blocks) {
        return blocks > 100;
    }
}
