// Feature: sorting with a comparator of one's own
package samples.guards;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

public class SortComparator {
    record Job(int priority, int size) { }

    public static boolean schedules(int a, int b, int c) {
        List<Job> jobs = new ArrayList<>(List.of(new Job(a, 1), new Job(b, 2), new Job(c, 3)));
        jobs.sort(Comparator.comparingInt(Job::priority).reversed());
        if (jobs.get(0).size() == 2 && jobs.get(1).size() == 3 && jobs.get(2).priority() == 4_050) {
            return true; // goal: reached
        }
        return false;
    }
}
