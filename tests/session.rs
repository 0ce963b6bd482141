//! Recording a program from the command line, replaying its session, and generating tests from it.

#[path = "common/jdks.rs"]
mod jdks;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use jdks::jdks;
use tracewright::carving::CallIndex;
use tracewright::jvm::Jdk;
use tracewright::program::{ClassName, Cluster, ClusterConfig, Program};
use tracewright::project::{JdkImage, Project};
use tracewright::recording::{Session, SessionClasses};
use tracewright::report::{Report, SessionReport};
use tracewright::search::{GoalRegistry, Search, SearchConfig};
use tracewright::testcase::{CarvedSequence, Literal};
use tracewright_test_support::{agent_library, compile_java};
use tracewright_trace::session::{MAGIC, Process, Record, Records, SessionError, encode_record};

const SUBJECT: &str = r#"
package demo;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Shop {
    static final Map<String, Integer> PRICES = new HashMap<>();
    static int sold;

    static {
        PRICES.put("tea", 3);
        PRICES.put("ink", 12);
    }

    private final List<String> basket = new ArrayList<>();
    private int total;

    public Shop add(String name, int count) {
        if (count <= 0) {
            throw new IllegalArgumentException("count " + count);
        }
        for (int i = 0; i < count; i++) {
            basket.add(name.trim());
            total += PRICES.getOrDefault(name, 1);
        }
        sold++;
        return this;
    }

    public int total() {
        return basket.size() > 3 ? total - total / 10 : total;
    }

    /** No solver turns this round, no chance finds it. */
    public static String unlock(String code) {
        long state = 17;
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < code.length(); i++) {
                state = Long.rotateLeft(state * 0x9e3779b97f4a7c15L ^ code.charAt(i), 17 + i);
            }
        }
        if (state == 6189930681386183770L) {
            return "open";
        }
        return "shut";
    }

    public static int squares(int[] values) {
        int sum = 0;
        for (int value : values) {
            sum += value * value;
        }
        return sum;
    }
}
"#;

/// The caller of the recorded code, which is not recorded, like a test framework.
const MAIN: &str = r#"
package org.junit.demo;

import demo.Shop;

public class Main {
    public static void main(String[] arguments) throws Exception {
        Shop shop = new Shop();
        shop.add("tea", 2).add(" ink", 1).add("ink", 2);
        try {
            shop.add("tea", 0);
        } catch (IllegalArgumentException thrown) {
            System.out.println(thrown.getMessage());
        }
        Thread[] threads = new Thread[2];
        for (int t = 0; t < threads.length; t++) {
            int count = t + 2;
            threads[t] = new Thread(() -> {
                for (int round = 1; round < 30; round++) {
                    new Shop().add("tea", count).add("ink", round % 5 + 1).total();
                    Shop.squares(new int[round % 7]);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(shop.total() + " " + Shop.squares(new int[] {1, 2, 3}) + " " + Shop.unlock("Rosebud-1941"));
        if (arguments.length > 0) {
            System.exit(Integer.parseInt(arguments[0]));
        }
    }
}
"#;

/// The program, after cargo has built the agent beside it.
fn tracewright() -> Command {
    let folder = agent_library().parent().map(Path::to_path_buf).expect("a folder");
    let mut command = Command::new(folder.join("tracewright"));
    command.env_remove("JAVA_TOOL_OPTIONS");
    command
}

fn java(jdk: &Jdk) -> PathBuf {
    Path::new(&jdk.home).join("bin/java")
}

fn record(jdk: &Jdk, classes: &Path, session: &Path, flags: &[&str], main: &str, arguments: &[&str]) -> Output {
    tracewright()
        .args(["record", "--session"])
        .arg(session)
        .arg("--")
        .arg(java(jdk))
        .args(flags)
        .arg("-cp")
        .arg(classes)
        .arg(format!("org.junit.demo.{main}"))
        .args(arguments)
        .output()
        .expect("tracewright runs")
}

const SHOP: [(&str, &str); 2] = [("demo/Shop.java", SUBJECT), ("org/junit/demo/Main.java", MAIN)];

/// A compiled program with its recorded session.
struct Recorded {
    folder: tempfile::TempDir,
    classes: PathBuf,
    session: PathBuf,
    output: Output,
}

/// `flags` are options of the JVM.
fn recorded(jdk: &Jdk, sources: &[(&str, &str)], flags: &[&str], main: &str, arguments: &[&str]) -> Recorded {
    let folder = tempfile::tempdir().expect("a folder");
    let classes = compile_java(&jdk.home, 17, folder.path(), sources);
    let session = folder.path().join("session");
    let output = record(jdk, &classes, &session, flags, main, arguments);
    Recorded { folder, classes, session, output }
}

fn replayed(session: &Path) -> SessionReport {
    let output = tracewright().arg("replay").arg(session).arg("--json").output().expect("tracewright runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the report alone is on standard output")
}

#[test]
fn a_recorded_run_replays() {
    for jdk in jdks() {
        let Recorded { folder: _folder, classes, session, output: first } = recorded(jdk, &SHOP, &[], "Main", &["3"]);
        assert_eq!(first.status.code(), Some(3), "{}", String::from_utf8_lossy(&first.stderr));
        assert_eq!(String::from_utf8_lossy(&first.stdout), "count 0\n28 14 open\n");
        // The JVM reports that it has read the variable; there is no other message.
        assert_eq!(String::from_utf8_lossy(&first.stderr).lines().count(), 1);

        let report = replayed(&session);
        let totals = &report.totals;
        assert_eq!((totals.divergences, totals.dropped_runs), (0, 0), "{}", report.text());
        assert!(totals.unsupported.is_empty(), "{}", report.text());
        let add = report.methods.iter().find(|method| method.name == "add").expect("`add` was called");
        assert!(add.runs >= 5 && add.events > add.runs, "{}", report.text());
        let share = totals.instructions.replayed as f64 / totals.instructions.executed as f64;
        assert!(share > 0.7 && share <= 1.0, "{}", report.text());
        assert!(report.methods.iter().all(|method| method.class.starts_with("demo.")), "{}", report.text());

        // A second run adds to the session. The figures do not depend on the number of cores.
        assert!(record(jdk, &classes, &session, &[], "Main", &[]).status.success());
        let both = replayed(&session);
        assert_eq!(both.totals.processes, 2);
        assert!(both.totals.runs > totals.runs, "{}", both.text());
        let alone = tracewright::engine::replay_session(&session, 1).expect("a report");
        assert_eq!(alone, tracewright::engine::replay_session(&session, 3).expect("a report"));

        // The session has copies of the classes, so the originals can be removed.
        std::fs::remove_dir_all(&classes).expect("removed");
        let without = replayed(&session);
        assert_eq!(without.totals.divergences, 0, "{}", without.text());
        assert_eq!(without.totals.runs, both.totals.runs);
    }
}

const ENDS: &str = r#"
package demo;

import java.io.StringWriter;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;

public class Ends {
    private final String text;
    private final int length;

    public Ends(String text) {
        this(text, checked(text));
    }

    private Ends(String text, int length) {
        this.text = text;
        // An instance of a subclass that unrecorded code created has that subclass as its class.
        this.length = length + (getClass() == Ends.class ? 0 : shift());
    }

    protected int shift() {
        return 100;
    }

    /** The elements of one do not fit into an array made for the other. */
    public static Object[] joined(Object[] left, Object[] right) {
        Object[] all = (Object[]) Array.newInstance(left.getClass().getComponentType(), left.length + right.length);
        System.arraycopy(left, 0, all, 0, left.length);
        System.arraycopy(right, 0, all, left.length, right.length);
        return all;
    }

    /** Another of its own class: the object that is made is none of the arguments. */
    public Ends(Ends left, Ends right) {
        this(left.text + right.text, left.length + right.length);
    }

    static int checked(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("empty");
        }
        return text.length();
    }

    /** What leaves the recorded call is caught by code that is not recorded, and the run goes on. */
    public static String caughtOutside(String text) throws Exception {
        FutureTask<Integer> task = new FutureTask<>(() -> checked(text));
        task.run();
        return task.toString().contains("exceptionally") ? "failed" : "length " + task.get();
    }

    /** Nothing tells that the constructor is left: its argument throws. */
    public static int lengthOf(String text) {
        return new Ends(text).length;
    }

    public static int lengthOrZero(String text) {
        try {
            return lengthOf(text);
        } catch (IllegalArgumentException thrown) {
            return 0;
        }
    }

    /** Longer than a run may be, and cut in calls of code that is not recorded. */
    public static int rotated(int seed, int rounds) {
        int sum = seed;
        for (int i = 0; i < rounds; i++) {
            sum += Integer.rotateRight(sum ^ i, 7) + Integer.rotateRight(sum + i, 12) + Integer.rotateRight(sum - i, 3);
        }
        return sum;
    }

    /** A buffer that code which is not recorded had in its hands: its text is not known from then on. */
    public static String written(String text) throws Exception {
        StringWriter writer = new StringWriter(4);
        for (int i = 0; i < 9; i++) {
            writer.write("&#");
            writer.write(Integer.toString(i));
            if (i == 4) {
                Method append = StringBuffer.class.getMethod("append", String.class);
                append.invoke(writer.getBuffer(), text);
            }
        }
        return writer.toString();
    }

    /** Where it throws, the constructors that called it are left as well, and cannot say so. */
    static class Base {
        final int size;

        Base(int size) {
            if (size < 0) {
                throw new IllegalArgumentException("negative");
            }
            this.size = size;
        }
    }

    public static class Derived extends Base {
        public Derived(int size) {
            this(size, 1);
        }

        Derived(int size, int factor) {
            super(size * factor);
        }
    }

    /** What it was given has nothing to do with what it makes, though both are of one class and one length. */
    public static Object[][] renewed(Object[][] given) {
        Object[][] made = {new Object[given.length]};
        made.hashCode();
        Arrays.asList(made).toString();
        Object[] row = given[0];
        return row[0] == null ? null : made;
    }

    public static String numbered(int count) {
        StringWriter writer = new StringWriter(2 * count);
        for (int i = 0; i < count; i++) {
            writer.write("&#");
            writer.write(Integer.toString(i, 10));
            writer.write(';');
        }
        return writer.toString();
    }

    public static int twice(int value) {
        return 2 * value;
    }

    /** The letters of these locales are not known, so each text is told by what it holds. */
    public static int distinct(String[] texts) {
        TreeSet<String> distinct = new TreeSet<>();
        int sum = 0;
        for (String text : texts) {
            if (distinct.add(text.toLowerCase(Locale.forLanguageTag("tr")))) {
                sum += 1 + Integer.valueOf(text.length() + 1000) / 1000;
            }
        }
        return sum;
    }

    @Override
    public String toString() {
        return text + length;
    }
}
"#;

const ENDS_MAIN: &str = r#"
package org.junit.demo;

import demo.Ends;

public class EndsMain {
    public static void main(String[] arguments) throws Exception {
        System.out.println(new Ends(new Ends("ab"), new Ends("c")));
        System.out.println(Ends.caughtOutside("") + " " + Ends.caughtOutside("abc"));
        System.out.println(Ends.lengthOrZero("") + " " + Ends.lengthOrZero("abcd"));
        try {
            Ends.lengthOf("");
        } catch (IllegalArgumentException thrown) {
            System.out.println(thrown.getMessage());
        }
        System.out.println(new Ends("sub") {} + " " + new Ends("shift") {
            @Override
            protected int shift() {
                return 1000;
            }
        });
        System.out.println(Ends.joined(new Integer[] {1}, new Integer[] {2}).length + Ends.written("between"));
        try {
            try {
                new Ends.Derived(-1);
            } catch (IllegalArgumentException thrown) {
                System.out.println(thrown.getMessage() + deeper(8));
            }
            System.out.println(Ends.renewed(new Object[][] {{"first"}})[0].length);
            System.out.println(Ends.numbered(40));
            System.out.println(Ends.distinct(new String[] {"a", "b", "B", "c", "A", "d", "a", "e"}));
            Ends.joined(new Integer[] {1}, new String[] {"two"});
        } catch (ArrayStoreException thrown) {
            System.out.println("refused");
        }
        int sum = 0;
        for (int rounds = 100_000; rounds < 100_016; rounds++) {
            sum += Ends.rotated(rounds, rounds);
        }
        for (int round = 0; round < 100_000; round++) {
            sum += Ends.lengthOrZero("abcd");
        }
        System.out.println(sum);
    }

    static int deeper(int frames) {
        return frames == 0 ? Ends.twice(3) : deeper(frames - 1);
    }
}
"#;

const PROGRAM_OF_ENDS: [(&str, &str); 2] = [("demo/Ends.java", ENDS), ("org/junit/demo/EndsMain.java", ENDS_MAIN)];

/// Exceptions that unrecorded code catches, constructors that throw before the object is
/// initialised, and truncated runs. Each was a divergence on the test suite of a library.
#[test]
fn unusual_ends_of_runs_are_replayed() {
    for jdk in jdks() {
        let Recorded { folder: _folder, classes, session, output } = recorded(jdk, &PROGRAM_OF_ENDS, &[], "EndsMain", &[]);
        let plain = Command::new(java(jdk)).arg("-cp").arg(&classes).arg("org.junit.demo.EndsMain").output().expect("java runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&plain.stdout));
        let report = replayed(&session);
        assert_eq!(report.totals.divergences, 0, "{}", report.text());
        let of = |name: &str| report.methods.iter().filter(|method| method.name == name).map(|method| method.runs).sum::<u64>();
        assert!(of("caughtOutside") == 2 && of("lengthOrZero") == 2 && of("lengthOf") == 1, "{}", report.text());
        assert!(of("<init>") == 5 && of("joined") == 2 && of("twice") == 1, "{}", report.text());
        // The runs have a common prefix and are truncated.
        assert_eq!(report.totals.unsupported.get("limit of events of the run"), Some(&of("rotated")), "{}", report.text());
        let instructions = &report.totals.instructions;
        assert!(instructions.replayed as f64 > 0.9 * instructions.executed as f64, "{}", report.text());
        // Of a hundred thousand calls with the same path, nearly all are skipped.
        let counted = |reason: &str| report.totals.session.get(reason).copied().unwrap_or_default();
        let passed = counted("runs passed over: the method showed nothing new");
        assert!(passed > 90_000 && passed + counted("runs repeated: the same path") >= 98_000, "{}", report.text());
    }
}

/// Among thousands of strings, two have the same identity hash; here all of them do.
#[test]
fn different_texts_may_have_one_identity_hash() {
    for jdk in jdks() {
        let flags = ["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2"];
        let Recorded { folder: _folder, session, output, .. } = recorded(jdk, &PROGRAM_OF_ENDS, &flags, "EndsMain", &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report = replayed(&session);
        let distinct: Vec<_> = report.methods.iter().filter(|method| method.name == "distinct").collect();
        assert_eq!(distinct.len(), 1, "{}", report.text());
        assert!(distinct[0].runs == 1 && distinct[0].divergences.is_empty(), "{}", report.text());
    }
}

/// The history of an object is known even if its runs are not kept.
#[test]
fn carved_call_sequences_keep_the_order_of_calls() {
    let jdk = &jdks()[0];
    let Recorded { folder: _folder, session, output, .. } = recorded(jdk, &SHOP, &[], "Main", &[]);
    assert!(output.status.success());
    let recorded = Session::open(&session).expect("a session").processes.remove(0);
    let image = Arc::new(JdkImage::open(&jdk.home).expect("a JDK"));
    let program = Arc::new(Program::new(SessionClasses::new(&recorded, image)));
    let index = CallIndex::new(Arc::new(recorded), Arc::clone(&program));
    let past = index.carve(&BTreeSet::from([ClassName::new("demo/Shop")]), &program);
    let lives: Vec<String> = past.sequences.iter().map(CarvedSequence::to_string).collect();
    for life in &past.sequences {
        assert_eq!(life.to_string().parse::<CarvedSequence>().as_ref(), Ok(life));
    }
    // The first call of `total` has a receiver to which two items were added.
    let total = lives.iter().find(|life| life.contains("demo/Shop.total")).expect("`total` was called");
    let calls: Vec<&str> = total.lines().filter(|line| line.contains("demo/Shop")).collect();
    assert!(calls[0].contains("new demo/Shop"), "{total}");
    assert!(calls.iter().filter(|call| call.contains("demo/Shop.add")).count() >= 2, "{total}");
    assert!(lives.iter().any(|life| life.contains("demo/Shop.squares") && life.contains("array I 3 (")), "{lives:?}");
    assert!(past.literals.contains(&Literal::Str("Rosebud-1941".encode_utf16().collect())), "{:?}", past.literals);
    // Both outcomes of every jump of `add` are covered.
    let add = past.covered.branches.iter().filter(|branch| &*branch.method.name == "add").count();
    assert_eq!(add, 4, "{:?}", past.covered.branches);
    assert!(past.runs > 5);
}

/// An outermost call may be of a bridge method, of a class that is not accessible, or on an object
/// whose creation was not recorded.
const PURSE: &str = r#"
package demo;

import java.util.Iterator;

public class Purse implements Comparable<Purse>, Cloneable, Iterable<Integer> {
    private int[] coins = {};

    public void put(int coin) {
        coins = java.util.Arrays.copyOf(coins, coins.length + 1);
        coins[coins.length - 1] = coin;
    }

    public int compareTo(Purse other) {
        return coins.length < other.coins.length ? -1 : coins.length > other.coins.length ? 1 : 0;
    }

    public Iterator<Integer> iterator() {
        return new Coins();
    }

    private class Coins implements Iterator<Integer> {
        private int at;

        public boolean hasNext() {
            return at < coins.length;
        }

        public Integer next() {
            return coins[at++];
        }
    }

    public boolean holds(int coin) {
        for (int one : coins) {
            if (one == coin) {
                return true;
            }
        }
        return false;
    }
}
"#;
const SPENDER: &str = r#"
package org.junit.demo;

import demo.Purse;
import java.util.Iterator;

public class Main {
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static void main(String[] arguments) throws Exception {
        Purse purse = new Purse();
        purse.put(5);
        purse.put(20);
        ((Comparable) purse).compareTo(new Purse());
        Iterator<Integer> coins = purse.iterator();
        while (coins.hasNext()) {
            coins.next();
        }
        java.lang.reflect.Method clone = Object.class.getDeclaredMethod("clone");
        clone.setAccessible(true);
        ((Purse) clone.invoke(purse)).holds(20);
    }
}
"#;

#[test]
fn carved_call_sequences_become_calls_of_a_test() {
    let jdk = &jdks()[0];
    let sources = [("demo/Purse.java", PURSE), ("org/junit/demo/Main.java", SPENDER)];
    let flags = ["--add-opens=java.base/java.lang=ALL-UNNAMED"];
    let Recorded { folder: _folder, session, output, classes } = recorded(jdk, &sources, &flags, "Main", &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let recorded = Session::open(&session).expect("a session").processes.remove(0);
    let image = Arc::new(JdkImage::open(&jdk.home).expect("a JDK"));
    let index = CallIndex::new(Arc::new(recorded.clone()), Arc::new(Program::new(SessionClasses::new(&recorded, image))));
    let program = Arc::new(Program::new(Project::open(&[classes], &jdk.home).expect("a project")));
    let name = ClassName::new("demo/Purse");
    let cluster = Cluster::build(&program, &name, &ClusterConfig::default()).expect("a cluster");
    let goals = GoalRegistry::of_classes(&program, &[], &cluster);
    let mut search = Search::new(Arc::clone(&program), &cluster, goals, SearchConfig::default(), 1);
    let past = index.carve(&BTreeSet::from([name, ClassName::new("demo/Purse$Coins")]), &program);
    let mut tests: Vec<String> = Vec::new();
    for life in &past.sequences {
        tests.extend(search.fill_carved_sequence(life, false).map(|test| test.to_string()));
    }
    let with = |words: &[&str]| {
        let found = tests.iter().find(|test| words.iter().all(|word| test.contains(word)));
        assert!(found.is_some(), "{words:?} in {tests:#?}");
    };
    with(&["Purse.put", "Purse.compareTo (Ldemo/Purse;)I"]);
    with(&["Purse.iterator", "Iterator.hasNext", "Iterator.next"]);
    // The creation of the clone was not recorded, so the original takes its place.
    with(&["int 5", "int 20", "Purse.holds"]);
}

/// Goals that recorded tests cover get no new tests, and recorded calls are the start of new tests.
#[test]
fn generation_starts_from_a_session() {
    let jdk = &jdks()[0];
    let Recorded { folder, classes, session, output } = recorded(jdk, &SHOP, &[], "Main", &[]);
    assert!(output.status.success());
    let generate = |name: &str, limit: [&str; 2], more: &[&str]| {
        let output = tracewright()
            .args(["generate", "--class", "demo.Shop", "--progress", "none", "--classpath"])
            .arg(&classes)
            .arg("--out")
            .arg(folder.path().join(name))
            .arg("--report")
            .arg(folder.path().join(name))
            .args(limit)
            .args(more)
            .output()
            .expect("tracewright runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report = std::fs::read_to_string(folder.path().join(name).join("report.json")).expect("a report");
        let report: Report = serde_json::from_str(&report).expect("a report");
        let tests = std::fs::read_to_string(folder.path().join(name).join("demo/ShopTracewrightTest.java"));
        (report.classes[0].clone(), tests.unwrap_or_default())
    };
    let steps = ["--steps", "300"];
    let at = session.to_str().expect("a path");
    let (alone, tests) = generate("alone", steps, &[]);
    assert!(alone.recorded_tests.is_none() && !tests.contains("Rosebud-1941"), "{tests}");
    let (all, tests) = generate("all", steps, &["--session", at, "--all"]);
    let existing = all.recorded_tests.expect("a session was given");
    assert!(tests.contains("Rosebud-1941") && tests.contains("open"), "{tests}");
    assert!(
        existing.call_sequences > 3 && existing.values > 3 && existing.branches >= 10 && existing.goals_left_out == 0,
        "{existing:?}"
    );
    assert!(all.goals.branch.covered > alone.goals.branch.covered, "{all:?}");
    let (rest, tests) = generate("rest", steps, &["--session", at]);
    let existing = rest.recorded_tests.expect("a session was given");
    assert!(existing.goals_left_out >= existing.branches + existing.lines && existing.goals_left_out > 20, "{existing:?}");
    assert!(rest.tests < all.tests && !tests.contains("Rosebud-1941"), "{tests}");
    // With a time budget, the session is read during the search and used before it ends, however
    // little the search does.
    let (timed, tests) = generate("timed", ["--budget", "4s"], &["--session", at]);
    assert_eq!(timed.recorded_tests, Some(existing));
    assert!(!tests.contains("Rosebud-1941"), "{tests}");
}

/// An unreadable session is reported before any test is written, for one class and for several.
#[test]
fn an_unreadable_session_gives_one_sentence() {
    let jdk = &jdks()[0];
    let Recorded { folder, classes, session, output } = recorded(jdk, &SHOP, &[], "Main", &[]);
    assert!(output.status.success());
    let generate = |session: &Path, limit: [&str; 2]| {
        let mut command = tracewright();
        command.current_dir(folder.path()).args(["generate", "--class", "demo.Shop", "--class", "org.junit.demo.Main"]);
        command.args(["--progress", "none", "--out", "out", "--report", "out"]).args(limit).arg("--classpath").arg(&classes);
        let output = command.arg("--session").arg(session).output().expect("tracewright runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(std::fs::read_dir(folder.path().join("out")).map_or(0, Iterator::count) == 0);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let foreign = folder.path().join("foreign");
    std::fs::create_dir(&foreign).expect("a folder");
    std::fs::write(foreign.join("1.session"), "something else").expect("written");
    let said = generate(&foreign, ["--steps", "300"]);
    assert!(said.contains("1.session: ") && said.lines().count() == 1, "{said}");
    // The JDK of the recording is missing, which shows only when the session is read.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    let bytes = std::fs::read(&Session::open(&session).expect("a session").processes[0].file).expect("readable");
    let mut moved = MAGIC.to_vec();
    for record in Records::new(&bytes).expect("a session") {
        let record = match record.expect("a whole record").1 {
            Record::Process(process) => Record::Process(Process { jdk_home: "/no/such/jdk".into(), ..process }),
            record => record,
        };
        encode_record(&record, &mut moved);
    }
    std::fs::write(elsewhere.join("1.session"), moved).expect("written");
    for limit in [["--steps", "300"], ["--budget", "10s"]] {
        let said = generate(&elsewhere, limit);
        assert!(said.contains("/no/such/jdk") && said.lines().count() == 1, "{said}");
    }
}

/// A damaged run, and a run with a missing part, end with a reason.
#[test]
fn damaged_sessions_are_read_as_far_as_they_go() {
    let jdk = &jdks()[0];
    let Recorded { folder: _folder, session, output, .. } = recorded(jdk, &SHOP, &[], "Main", &[]);
    assert!(output.status.success());
    let whole = Session::open(&session).expect("a session");
    let bytes = std::fs::read(&whole.processes[0].file).expect("readable");
    let runs = whole.processes[0].runs.len();
    // The file grows, as during recording, so its old index is not used.
    let growing = tempfile::tempdir().expect("a folder");
    let mut found = Vec::new();
    for cut in (0..bytes.len()).step_by(bytes.len() / 40) {
        std::fs::write(growing.path().join("1.session"), &bytes[..cut]).expect("written");
        let process = Session::open(growing.path()).expect("the beginning of a session").processes.remove(0);
        assert!(process.runs.iter().all(|run| run.place.offset + run.place.length <= cut as u64));
        // With the stored index.
        let again = Session::open(growing.path()).expect("the same").processes.remove(0);
        assert_eq!((&again.runs, &again.cut, again.calls().count()), (&process.runs, &process.cut, process.calls().count()));
        found.push(process.runs.len());
    }
    assert!(found.is_sorted() && found.last().is_some_and(|last| *last <= runs && *last > runs / 2), "{found:?}");
    // A changed byte in the content of the middle record, then one in its length.
    let places: Vec<_> = Records::new(&bytes).expect("a session").map(|record| record.expect("a whole record").0).collect();
    let middle = places[places.len() / 2].offset;
    let damage = |at: u64, name: &str| {
        let mut damaged = bytes.clone();
        damaged[at as usize] ^= 1;
        std::fs::write(growing.path().join(name), &damaged).expect("written");
        Session::open(growing.path()).expect("a session").processes.pop().expect("a process").cut
    };
    let cut = damage(middle + 5, "2.session");
    assert!(matches!(cut, Some(SessionError::Damaged { byte, .. }) if byte == middle), "{cut:?}");
    assert!(!growing.path().join("2.outline").exists());
    // A record that claims to be 16 MiB longer than it is looks like the end of a file that still grows.
    let cut = damage(middle + 4, "3.session");
    assert!(matches!(cut, Some(SessionError::Truncated { byte }) if byte == middle), "{cut:?}");
    // The file is shorter than its index says.
    std::fs::write(&whole.processes[0].file, &bytes[..bytes.len() / 2]).expect("written");
    let read = whole.processes[0].read_runs(&whole.processes[0].runs);
    assert!(read.iter().any(Result::is_ok) && read.iter().any(Result::is_err));
}

#[test]
fn each_wrong_use_of_record_gives_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let output = tracewright().current_dir(folder.path()).args(arguments).output().expect("tracewright runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run(&["replay", "nowhere"]);
    assert_eq!(code, Some(2));
    assert_eq!(said, "tracewright: nowhere is no folder with a session: it holds no file *.session\n");
    let (code, said) = run(&["record", "--session", "with space", "--", "true"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("without spaces"), "{said}");
    assert_eq!(run(&["record", "--", "false"]).0, Some(1));
    assert_eq!(run(&["record", "--", "sh", "-c", "kill -9 $$"]).0, Some(137));
    assert_eq!(run(&["record", "--", "/no/such/program"]).0, Some(2));
}
