package heaps;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Methods over heaps. A static method {@code make} with one int parameter makes a heap of its return type. Every other
 * public method is a method under test. A static method {@code prepare} sets the static fields of its class first.
 */
public class Heaps {
    /** Pseudo-random numbers from a seed, mostly small ones. */
    static class Draw {
        private int state;

        Draw(int seed) {
            state = seed * 0x9E3779B1 + 12345;
        }

        int below(int bound) {
            state = state * 1664525 + 1013904223;
            return (state >>> 16) % bound;
        }
    }

    /** Linked lists, some with cycles. */
    public static class Node {
        int value;
        Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }

        public static Node make(int seed) {
            Draw draw = new Draw(seed);
            Node first = null;
            Node last = null;
            for (int i = draw.below(4); i > 0; i--) {
                first = new Node(draw.below(5), first);
                last = last == null ? first : last;
            }
            if (last != null && draw.below(4) == 0) {
                last.next = draw.below(2) == 0 ? first : last;
            }
            return first;
        }

        public boolean contains(int wanted) {
            int steps = 0;
            for (Node node = this; node != null && steps < 6; node = node.next) {
                if (node.value == wanted) {
                    return true;
                }
                steps++;
            }
            return false;
        }

        public boolean isCyclic() {
            Node slow = this;
            Node fast = this.next;
            while (fast != null && fast.next != null) {
                if (slow == fast) {
                    return true;
                }
                slow = slow.next;
                fast = fast.next.next;
            }
            return false;
        }

        public int removeZeros() {
            int removed = 0;
            Node before = this;
            for (int i = 0; i < 5 && before.next != null; i++) {
                if (before.next.value == 0) {
                    before.next = before.next.next;
                    removed++;
                } else {
                    before = before.next;
                }
            }
            return removed;
        }

        public static boolean same(Node a, Node b) {
            return a != null && (a == b || (b != null && a.next == b.next));
        }

        public static int second(Node node) {
            return node.next.next.value > 2 ? 1 : 0;
        }

        public static int ignored(Node node, int x) {
            node = new Node(x, null);
            return node.value > 2 ? 1 : 0;
        }

        public static int overwritten(Node node, int x) {
            if (node == null) {
                return 0;
            }
            node.value = x * 2;
            Node tail = new Node(3, node.next);
            node.next = tail;
            if (node.value == 4) {
                return 1;
            }
            return node.next.value == 3 && node.next.next == null ? 2 : 3;
        }
    }

    /** Trees with parent pointers, some of which are wrong. */
    public static class Tree {
        Tree left;
        Tree right;
        Tree parent;
        long key;

        static Tree grow(Draw draw, int depth, Tree parent) {
            if (depth == 0 || draw.below(4) == 0) {
                return null;
            }
            Tree tree = new Tree();
            tree.parent = draw.below(7) == 0 ? tree : parent;
            tree.key = draw.below(6) - 2;
            tree.left = grow(draw, depth - 1, tree);
            tree.right = grow(draw, depth - 1, tree);
            return tree;
        }

        public static Tree make(int seed) {
            return grow(new Draw(seed), 3, null);
        }

        public boolean isLinked() {
            return (left == null || left.parent == this && left.isLinked())
                    && (right == null || right.parent == this && right.isLinked());
        }

        public static boolean find(Tree tree, long key) {
            while (tree != null) {
                if (tree.key == key) {
                    return true;
                }
                tree = key < tree.key ? tree.left : tree.right;
            }
            return false;
        }

        public int depth() {
            int l = left == null ? 0 : left.depth();
            int r = right == null ? 0 : right.depth();
            return 1 + (l > r ? l : r);
        }
    }

    /** Arrays of numbers, references and arrays. */
    public static class Table {
        int[] numbers;
        Node[] nodes;
        int[][] grid;
        Object[] things;

        public static Table make(int seed) {
            Draw draw = new Draw(seed);
            Table table = new Table();
            if (draw.below(6) > 0) {
                table.numbers = new int[draw.below(4)];
                for (int i = 0; i < table.numbers.length; i++) {
                    table.numbers[i] = draw.below(4);
                }
            }
            if (draw.below(6) > 0) {
                table.nodes = new Node[draw.below(4)];
                for (int i = 0; i < table.nodes.length; i++) {
                    int kind = draw.below(4);
                    table.nodes[i] = kind == 0 ? null : kind == 1 && i > 0 ? table.nodes[i - 1] : new Node(draw.below(3), null);
                }
            }
            table.grid = new int[draw.below(3)][];
            for (int i = 0; i < table.grid.length; i++) {
                table.grid[i] = draw.below(4) == 0 ? null : new int[draw.below(3)];
                if (table.grid[i] != null && table.grid[i].length > 0) {
                    table.grid[i][0] = draw.below(3);
                }
            }
            Object[] kinds = { null, table, "text", Integer.valueOf(draw.below(300)), new Node(1, null), new int[2] };
            table.things = new Object[] { kinds[draw.below(6)], kinds[draw.below(6)] };
            return table;
        }

        public int sum() {
            int sum = 0;
            for (int number : numbers) {
                sum += number;
            }
            return sum > 4 ? 1 : 0;
        }

        public int pick(int index) {
            return numbers[index] == 2 ? 1 : 0;
        }

        public int put(int index, int value) {
            numbers[index] = value;
            return numbers[0] == 3 ? 1 : 0;
        }

        public int set(int value) {
            numbers[0] = value;
            nodes[0] = null;
            return numbers[0] == 3 ? 1 : nodes[0] == null ? 2 : 3;
        }

        public int firstNull() {
            for (int i = 0; i < nodes.length; i++) {
                if (nodes[i] == null) {
                    return i;
                }
            }
            return -1;
        }

        public int nodeAt(int index) {
            return nodes[index].value > 1 ? 1 : 0;
        }

        public boolean repeats() {
            for (int i = 1; i < nodes.length; i++) {
                if (nodes[i] == nodes[i - 1]) {
                    return true;
                }
            }
            return false;
        }

        public int gridSum() {
            int sum = 0;
            for (int[] row : grid) {
                for (int i = 0; row != null && i < row.length; i++) {
                    sum += row[i];
                }
            }
            return sum == 2 ? 1 : 0;
        }

        public int gridAt(int x, int y) {
            return grid[x][y] == 1 ? 1 : 0;
        }

        public int copied() {
            Node[] copy = new Node[nodes.length + 1];
            System.arraycopy(nodes, 0, copy, 1, nodes.length);
            copy[0] = new Node(7, null);
            return copy[copy.length - 1] == null ? 0 : copy[copy.length - 1].value == 7 ? 1 : 2;
        }

        public int cloned() {
            int[] copy = numbers.clone();
            copy[0]++;
            Node[] others = nodes.clone();
            nodes[0] = null;
            return copy[0] == numbers[0] + 1 && others[0] != null && others[0].value == copy[0] ? 1 : 0;
        }

        public int shift() {
            System.arraycopy(nodes, 0, nodes, 1, nodes.length - 1);
            return nodes[1] == null ? 0 : nodes[1].value == 1 ? 1 : 2;
        }

        public int kind() {
            Object thing = things[0];
            if (thing instanceof Node) {
                return ((Node) thing).value;
            }
            if (thing instanceof Integer) {
                return (Integer) thing > 100 ? 10 : 11;
            }
            if (thing == this) {
                return 12;
            }
            return ((String) things[1]).length() == 4 ? 13 : 14;
        }
    }

    /** Static fields, constants, an enum. */
    public static class Statics {
        enum Color {
            RED, GREEN, BLUE
        }

        static int count;
        static Node head;
        static final Node SENTINEL = new Node(1, null);
        static String label;
        Color color;
        Node node;

        public static void prepare(int seed) {
            Draw draw = new Draw(seed);
            count = draw.below(4);
            head = draw.below(4) == 0 ? SENTINEL : Node.make(seed);
            label = draw.below(3) == 0 ? null : "label" + draw.below(3);
            SENTINEL.value = draw.below(3);
        }

        public static Statics make(int seed) {
            Draw draw = new Draw(seed);
            Statics made = new Statics();
            made.color = draw.below(4) == 0 ? null : Color.values()[draw.below(3)];
            made.node = draw.below(3) == 0 ? SENTINEL : draw.below(2) == 0 ? head : Node.make(seed);
            return made;
        }

        public static int next(int limit) {
            if (count++ >= limit) {
                return -1;
            }
            return count == 2 ? 1 : 0;
        }

        public static int first() {
            if (head == null) {
                head = new Node(4, null);
            }
            return head.value == 4 ? 1 : 0;
        }

        public boolean isRed() {
            return color == Color.RED;
        }

        public int isSentinel() {
            if (node == SENTINEL) {
                return 1;
            }
            return node == head ? 2 : 3;
        }

        public static int sentinelValue() {
            return SENTINEL.value == 2 ? 1 : 0;
        }

        public static boolean labelled(String with) {
            return label != null && label.equals(with);
        }

        public int ordinal() {
            switch (color) {
                case RED:
                    return 1;
                case BLUE:
                    return 2;
                default:
                    return 3;
            }
        }
    }

    /** Strings and boxes. */
    public static class Card {
        String name;
        String other;
        Integer age;
        Object any;
        StringBuilder notes;
        double weight;
        char grade;

        public static Card make(int seed) {
            Draw draw = new Draw(seed);
            String[] names = { null, "", "a", "ab", "abc", "zebra" };
            Card card = new Card();
            card.name = names[draw.below(6)];
            card.other = draw.below(3) == 0 ? card.name : names[draw.below(6)];
            card.age = draw.below(5) == 0 ? null : Integer.valueOf(draw.below(3) * 100);
            card.any = draw.below(2) == 0 ? card.name : (Object) card.age;
            card.notes = new StringBuilder(draw.below(2) == 0 ? "n" : "");
            card.weight = draw.below(5) / 2.0 - 1;
            card.grade = (char) ('a' + draw.below(4));
            return card;
        }

        public int nameLength() {
            return name.length() > 2 ? 1 : 0;
        }

        public int initial() {
            if (name == null || name.isEmpty()) {
                return -1;
            }
            return name.charAt(0) == 'a' ? 1 : 0;
        }

        public boolean sameNames() {
            return name != null && name.equals(other);
        }

        public boolean isAdult() {
            return age != null && age >= 100;
        }

        public int adults(Integer limit) {
            return age.compareTo(limit) < 0 ? 1 : age.equals(limit) ? 2 : 3;
        }

        public int what() {
            if (any instanceof String) {
                return ((String) any).startsWith("ab") ? 1 : 2;
            }
            return any == null ? 3 : ((Integer) any).intValue() == 100 ? 4 : 5;
        }

        public boolean note() {
            notes.append(grade);
            return notes.length() > 1;
        }

        public int weigh(double limit) {
            return weight < limit ? 1 : weight == limit ? 2 : 3;
        }

        public int graded() {
            switch (grade) {
                case 'a':
                    return 1;
                case 'c':
                    return 2;
                default:
                    return 3;
            }
        }
    }

    /** Objects of the library. */
    public static class Shelf {
        List<Integer> list = new ArrayList<>();
        Map<String, Integer> map = new HashMap<>();
        List<Node> nodes = new ArrayList<>(2);

        public static Shelf make(int seed) {
            Draw draw = new Draw(seed);
            Shelf shelf = new Shelf();
            for (int i = draw.below(4); i > 0; i--) {
                shelf.list.add(draw.below(3) * 100);
            }
            for (int i = draw.below(3); i > 0; i--) {
                shelf.map.put(draw.below(2) == 0 ? "a" : "b", draw.below(3));
            }
            for (int i = draw.below(4); i > 0; i--) {
                shelf.nodes.add(draw.below(4) == 0 ? null : new Node(draw.below(3), null));
            }
            return shelf;
        }

        public int mixed() {
            return nodes.hashCode() > 0 ? 1 : 0;
        }

        public boolean isFull() {
            return list.size() > 2;
        }

        public int at(int index) {
            return list.get(index) > 100 ? 1 : 0;
        }

        public boolean holds(Integer wanted) {
            return list.contains(wanted);
        }

        public int total() {
            int total = 0;
            for (int each : list) {
                total += each;
            }
            return total > 250 ? 1 : 0;
        }

        public int added(int value) {
            list.add(value);
            return list.get(list.size() - 1) == 7 ? 1 : 0;
        }

        public int grown() {
            nodes.add(new Node(9, null));
            nodes.add(new Node(8, null));
            return nodes.get(0) == null ? 0 : nodes.get(0).value == 2 ? 1 : 2;
        }

        public int mapped() {
            Integer found = map.get("a");
            return found == null ? -1 : found > 1 ? 1 : 0;
        }

        public boolean isEmpty() {
            return map.isEmpty();
        }
    }

    /** Library code with interfaces, copied elements and callbacks. */
    public static class Store {
        Collection<Integer> numbers;
        Deque<Node> queue = new ArrayDeque<>();
        LinkedList<String> words = new LinkedList<>();
        TreeMap<Integer, Node> sorted = new TreeMap<>();
        Optional<Integer> maybe;
        AtomicInteger counter;
        char[] letters;
        int[] data;
        StringBuilder left;
        StringBuilder right;

        public static Store make(int seed) {
            Draw draw = new Draw(seed);
            Store store = new Store();
            store.numbers = draw.below(3) == 0 ? new HashSet<>() : draw.below(2) == 0 ? new LinkedList<>() : new ArrayList<>();
            for (int i = draw.below(4); i > 0; i--) {
                store.numbers.add(draw.below(4));
            }
            for (int i = draw.below(3); i > 0; i--) {
                store.queue.add(new Node(draw.below(3), null));
            }
            for (int i = draw.below(3); i > 0; i--) {
                store.words.add(draw.below(2) == 0 ? "ab" : "b");
            }
            for (int i = draw.below(4); i > 0; i--) {
                store.sorted.put(draw.below(5), draw.below(3) == 0 ? null : new Node(draw.below(3), null));
            }
            store.maybe = draw.below(3) == 0 ? Optional.empty() : Optional.of(draw.below(3));
            store.counter = new AtomicInteger(draw.below(3));
            store.letters = "abc".substring(draw.below(4)).toCharArray();
            store.data = new int[draw.below(4)];
            for (int i = 0; i < store.data.length; i++) {
                store.data[i] = draw.below(3);
            }
            store.left = new StringBuilder(draw.below(2) == 0 ? "x" : "yz");
            store.right = draw.below(3) == 0 ? store.left : new StringBuilder("x");
            return store;
        }

        public int counted(int wanted) {
            int count = 0;
            for (int number : numbers) {
                count += number == wanted ? 1 : 0;
            }
            return count > 1 ? 1 : 0;
        }

        public int streamed() {
            return numbers.stream().filter(number -> number > 1).count() > 1 ? 1 : 0;
        }

        public int each() {
            int[] sum = new int[1];
            numbers.forEach(number -> sum[0] += number);
            return sum[0] > 3 ? 1 : 0;
        }

        public int taken() {
            Node node = queue.poll();
            return node == null ? -1 : node.value == 2 && queue.isEmpty() ? 1 : 0;
        }

        public int firstWord() {
            return words.getFirst().length() == 2 ? 1 : 0;
        }

        public boolean hasWord(String word) {
            return words.indexOf(word) > 0;
        }

        public int lookedUp(int key) {
            Node node = sorted.get(key);
            return node == null ? 0 : node.value == 1 ? 1 : 2;
        }

        public int maybe() {
            return maybe.isPresent() && maybe.get() == 2 ? 1 : 0;
        }

        public int counter() {
            return counter.incrementAndGet() == 3 ? 1 : 0;
        }

        public int spelled() {
            return new String(letters).equals("bc") ? 1 : 0;
        }

        public int filled(int value) {
            Arrays.fill(data, value);
            return data.length > 1 && data[1] == 2 ? 1 : 0;
        }

        public int longer() {
            int[] copy = Arrays.copyOf(data, data.length + 1);
            copy[data.length] = 2;
            return copy[0] == 2 ? 1 : 0;
        }

        public boolean sameData(Store other) {
            return Arrays.equals(data, other.data);
        }

        public int ordered() {
            Arrays.sort(data);
            return data[data.length - 1] == 2 ? 1 : 0;
        }

        public int builders() {
            left.append('!');
            return right.length() == 2 ? 1 : right.charAt(0) == 'x' ? 2 : 3;
        }
    }

    /** Hidden fields, and dispatch on the class of the receiver. */
    public static class Base {
        int value;
        Base link;

        public static Base make(int seed) {
            Draw draw = new Draw(seed);
            Base base = draw.below(2) == 0 ? new Base() : new Derived();
            base.value = draw.below(3);
            if (base instanceof Derived) {
                ((Derived) base).value = draw.below(3);
            }
            base.link = draw.below(3) == 0 ? null : draw.below(3) == 0 ? base : draw.below(2) == 0 ? new Base() : new Derived();
            return base;
        }

        int weight() {
            return value;
        }

        public int linked() {
            return link == null ? -1 : link.weight() == 0 ? 0 : 1;
        }

        public int both() {
            int mine = value;
            return mine == weight() ? 1 : 0;
        }
    }

    public static class Derived extends Base {
        int value;

        @Override
        int weight() {
            return value + super.value;
        }

        public static Derived make(int seed) {
            Derived derived = new Derived();
            derived.value = seed & 3;
            ((Base) derived).value = seed >> 2 & 3;
            return derived;
        }

        public boolean hides() {
            return value > super.value;
        }
    }

    /** A record, and a constructor. */
    public record Pair(int number, Node node) {
        public static Pair make(int seed) {
            return new Pair(seed & 1, new Draw(seed).below(3) == 0 ? null : Node.make(seed));
        }

        public boolean isLike(Pair other) {
            return number == other.number() && node == other.node();
        }
    }

    public static class Made {
        final int size;

        public Made(Node node) {
            int count = 0;
            while (node != null && count < 4) {
                count++;
                node = node.next;
            }
            this.size = count > 2 ? 1 : 0;
        }
    }

    /** A list of any length. */
    public static class Long {
        Long next;

        public static Long make(int length) {
            Long first = null;
            for (int i = 0; i < length; i++) {
                Long made = new Long();
                made.next = first;
                first = made;
            }
            return first;
        }

        public int length() {
            return next == null ? 1 : 1 + next.length();
        }
    }

    /** Cases without an exact condition: each is counted, and its condition holds for its own run. */
    public static class Opaque {
        Node node;
        Integer box;
        Runnable task;

        public static Opaque make(int seed) {
            Opaque made = new Opaque();
            made.node = Node.make(seed);
            made.box = (seed & 1) == 0 ? null : (seed & 6) * 50;
            made.task = (seed & 2) == 0 ? null : () -> made.node = null;
            return made;
        }

        public int hashed() {
            return node != null && (System.identityHashCode(node) & 1) == 0 ? 1 : 0;
        }

        public boolean sameBox(Integer other) {
            return box != null && box == other;
        }

        public int run() {
            if (task != null) {
                task.run();
            }
            return node == null ? 0 : 1;
        }

        public int asked(IntSupplier supplier) {
            return supplier != null && supplier.getAsInt() == 2 ? 1 : 0;
        }

        public int later() {
            Runnable task = () -> node = node == null ? new Node(1, null) : node.next;
            task.run();
            return node == null ? 0 : node.value;
        }

        public int reflected() throws ReflectiveOperationException {
            Object found = Opaque.class.getDeclaredField("node").get(this);
            return found == null ? 0 : node.value > 2 ? 1 : 2;
        }
    }
}
