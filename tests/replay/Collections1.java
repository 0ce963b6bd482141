package replay;

import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Library code that is interpreted from its own bytecode. */
public class Collections1 {
    /** A key with its own equals, hashCode and order. */
    static final class Key implements Comparable<Key> {
        final int a;
        final int b;

        Key(int a, int b) {
            this.a = a;
            this.b = b;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key && ((Key) other).a == a && ((Key) other).b == b;
        }

        @Override
        public int hashCode() {
            return 31 * a + b;
        }

        @Override
        public int compareTo(Key other) {
            return a != other.a ? Integer.compare(a, other.a) : Integer.compare(b, other.b);
        }
    }

    public static int list(int a, int b) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            list.add(i * 100);
        }
        list.add(a);
        list.add(3, b);
        list.remove(0);
        if (list.get(12) > 40) {
            return list.size();
        }
        return list.get(2) == 5 ? 1 : list.indexOf(700);
    }

    public static int bounds(int a, int b) {
        List<String> list = new ArrayList<>();
        list.add("x");
        list.add("y");
        try {
            return list.get(a).equals("y") ? 1 : 2;
        } catch (IndexOutOfBoundsException e) {
            return 3;
        }
    }

    public static int linked(int a, int b) {
        LinkedList<Integer> list = new LinkedList<>();
        list.add(a);
        list.addFirst(b);
        list.addLast(7);
        int sum = 0;
        for (int x : list) {
            sum += x;
            if (x > 9) {
                sum -= 2 * x;
            }
        }
        list.removeFirst();
        return list.getFirst() > sum ? 1 : 0;
    }

    public static int deque(int a, int b) {
        Deque<Integer> deque = new ArrayDeque<>();
        deque.push(a);
        deque.push(b);
        deque.offerLast(5);
        int r = deque.pop();
        if (r > 4) {
            return deque.peekLast();
        }
        try {
            deque.pop();
            deque.pop();
            return deque.pop();
        } catch (NoSuchElementException e) {
            return -1;
        }
    }

    public static int map(int a, int b) {
        Map<Integer, Integer> map = new HashMap<>();
        map.put(1, 10);
        map.put(2, 20);
        map.put(33, 30);
        Integer found = map.get(a);
        if (found == null) {
            map.put(a, b);
            return map.size();
        }
        return found == 30 ? 1 : 2;
    }

    public static int keys(int a, int b) {
        Map<Key, Integer> map = new HashMap<>();
        map.put(new Key(a, 1), 1);
        map.merge(new Key(b, 1), 5, Math::max);
        return map.getOrDefault(new Key(3, 1), -1) + map.size();
    }

    public static int named(int a, int b) {
        Map<String, Integer> map = new LinkedHashMap<>();
        map.put("one", a);
        map.put("two", b);
        map.put("three", 3);
        int sum = 0;
        for (Map.Entry<String, Integer> entry : map.entrySet()) {
            sum = sum * 2 + entry.getValue();
        }
        return map.containsKey("two") && sum > 20 ? sum : map.get("one");
    }

    public static int tree(int a, int b) {
        TreeMap<Integer, String> map = new TreeMap<>();
        map.put(a, "a");
        map.put(b, "b");
        map.put(4, "c");
        map.put(9, "d");
        if (map.firstKey() < 0) {
            return map.size();
        }
        Map.Entry<Integer, String> entry = map.floorEntry(5);
        return entry == null ? -1 : entry.getKey();
    }

    public static int ordered(int a, int b) {
        TreeMap<Key, Integer> map = new TreeMap<>();
        map.put(new Key(a, b), 1);
        map.put(new Key(b, a), 2);
        return map.firstEntry().getValue() + map.size();
    }

    public static int set(int a, int b) {
        Set<Integer> set = new HashSet<>();
        set.add(a);
        set.add(b);
        set.add(2);
        return set.contains(7) ? 100 : set.size();
    }

    public static int iterate(int a, int b) {
        List<Integer> list = new ArrayList<>(Arrays.asList(a, 4, b, 9));
        Iterator<Integer> iterator = list.iterator();
        while (iterator.hasNext()) {
            if (iterator.next() > 5) {
                iterator.remove();
            }
        }
        return list.size();
    }

    public static int queue(int a, int b) {
        PriorityQueue<Integer> queue = new PriorityQueue<>();
        queue.add(a);
        queue.add(b);
        queue.add(3);
        return queue.poll() == 3 ? 1 : queue.peek();
    }

    public static int optional(int a, int b) {
        Optional<Integer> optional = a > 3 ? Optional.of(b) : Optional.empty();
        if (!optional.isPresent()) {
            return optional.orElse(17);
        }
        return optional.get() > 6 ? 1 : 2;
    }

    public static int objects(int a, int b) {
        Integer x = a;
        Integer y = b;
        if (Objects.equals(x, y)) {
            return 1;
        }
        if (Objects.hash(a, b) == 31 * (31 + 2) + 3) {
            return 2;
        }
        try {
            return Objects.checkIndex(a, 5);
        } catch (IndexOutOfBoundsException e) {
            return 3;
        }
    }

    public static int arrays(int a, int b) {
        int[] numbers = {5, a, 3, b};
        int[] copy = Arrays.copyOf(numbers, 6);
        if (Arrays.equals(numbers, new int[] {5, 7, 3, 2})) {
            return 1;
        }
        Arrays.sort(copy);
        Arrays.fill(numbers, 0, 2, a);
        return copy[0] < -2 ? Arrays.hashCode(numbers) : copy[5];
    }

    public static int mathematics(int a, int b) {
        int r = Math.floorMod(a, 7);
        if (r == 3) {
            return Integer.bitCount(b);
        }
        return Math.floorDiv(a, 3) > 5 ? Integer.highestOneBit(b) : Integer.reverse(a) > 0 ? 1 : 2;
    }

    public static int parse(String text) {
        try {
            return Integer.parseInt(text) > 5 ? 1 : 2;
        } catch (NumberFormatException e) {
            return 3;
        }
    }

    public static int big(int a, int b) {
        BigInteger x = BigInteger.valueOf(a);
        BigInteger y = BigInteger.valueOf(b).multiply(BigInteger.TEN);
        if (x.compareTo(y) > 0) {
            return 1;
        }
        return x.add(y).signum() < 0 ? 2 : x.add(BigInteger.ONE).intValue();
    }

    public static int time(int a, int b) {
        Duration duration = Duration.ofSeconds(a).plusMinutes(b);
        if (duration.isNegative()) {
            return -1;
        }
        LocalDate date = LocalDate.of(2024, 2, 28).plusDays(a & 3);
        return date.getMonthValue() == 3 ? date.getDayOfMonth() : duration.compareTo(Duration.ofMinutes(5));
    }

    public static int helpers(int a, int b) {
        List<Integer> list = new ArrayList<>();
        Collections.addAll(list, a, b, 6);
        if (Collections.max(list) == 6) {
            return 1;
        }
        Collections.reverse(list);
        Collections.sort(list);
        return list.get(0) < 0 ? 2 : list.get(1);
    }

    public static int mixed(int a, int b) {
        List<Integer> list = new ArrayList<>();
        list.add(a);
        // Not interpreted: it asks the machine.
        String text = String.format("%s", list.size());
        list.add(b);
        return list.get(1) > 3 ? text.length() : list.size();
    }

    /** Its superclass's fields are read by recorded code. */
    static final class Tracked extends ArrayList<Integer> {
        int adds;

        @Override
        public boolean add(Integer x) {
            adds++;
            return super.add(x);
        }

        int changes() {
            return modCount;
        }
    }

    public static int tracked(int a, int b) {
        Tracked list = new Tracked();
        list.add(a);
        list.addAll(List.of(1, 2));
        int before = list.changes();
        list.removeIf(x -> x > 1);
        list.add(b);
        list.sort((x, y) -> x - y);
        return list.changes() - before + list.adds > 4 ? list.size() : list.get(0);
    }

    public static int half(int a, int b) {
        Map<Integer, Integer> map = new HashMap<>();
        map.put(5, a);
        // The table grows before what cannot be interpreted comes.
        for (int i = 10; i < 24; i++) {
            int value = i + b;
            map.computeIfAbsent(i, key -> value);
        }
        return map.get(12) > 20 ? map.get(5) : map.size();
    }

    public static int identities(int a, int b) {
        Integer x = a;
        Integer y = b;
        if (x == y) {
            return 1;
        }
        Object first = new Object();
        Object second = a > 3 ? first : new Object();
        List<Object> list = new ArrayList<>();
        list.add(first);
        return list.contains(second) ? 2 : x.equals(y) ? 3 : 4;
    }

    public static int atomic(int a, int b) {
        AtomicInteger counter = new AtomicInteger(a);
        counter.addAndGet(b);
        if (counter.incrementAndGet() > 10) {
            return counter.get();
        }
        return counter.compareAndSet(3, 9) ? 1 : counter.getAndIncrement();
    }

    public static int concurrent(int a, int b) {
        ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
        map.put(1, a);
        map.put(2, b);
        map.putIfAbsent(1, 7);
        return map.get(1) > 4 ? map.size() : map.get(2);
    }
}
