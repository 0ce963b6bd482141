//! Workers that execute harmless code: ends, values, classes, state between test cases.
//!
//! Every test runs on every JDK, without the agent and so without probes.
#![allow(clippy::unwrap_used)]

#[path = "common/jdks.rs"]
mod jdks;
#[path = "common/test_case.rs"]
mod test_case;
#[path = "common/worker.rs"]
mod worker;

use std::time::{Duration, Instant};

use jdks::jdks;
use test_case::parse_test;
use tracewright::execution::{ContainerKind, Execution, HeldValues, RunEnd, Snapshot, ValueClass};
use tracewright::jvm::{
    ArchiveKind, ClassArchives, Compiler, DiagnosticKind, JunitEnd, JunitJvm, JunitPool, JunitWorker, JvmError, ProbeMode,
    SearchWorker, Surroundings, TestOutcome,
};
use tracewright::program::{ClassName, JavaType, MethodRef, SettingNames};
use tracewright::testcase::{TestCase, VarId};
use tracewright_test_support::{compile_java, junit_console_jar};
use worker::config;

const SUBJECT: &str = r#"
package p;
import java.util.*;
public class Subject {
    public enum Color { RED, GREEN { } }
    public class Inner { }
    public int number = 4;
    static final int FIXED = 1;
    protected String text;
    public Subject() {}
    Subject(String text) { this.text = text; }
    static long add(long a, int b) { return a + b; }
    protected char first() { return text.charAt(0); }
    private int hidden() { return 1; }
    public Object self() { return this; }
    public int divide(int by) { return number / by; }
    public void fail() { throw new IllegalStateException("broken"); }
    public record Held(int number, java.util.Set<String> names, Object none) { }
    public static Object record() { return new Held(3, new java.util.LinkedHashSet<>(List.of("b", "a")), null); }
    public static Object map() { return new java.util.TreeMap<>(java.util.Map.of("l", "w", "k", "v")); }
    public static Object many() { return java.util.Collections.nCopies(11, "a"); }
    public static Object values() {
        return List.of(new java.math.BigDecimal("29.00"), java.time.LocalDate.of(2024, 1, 31), java.time.ZoneId.of("Europe/Berlin"),
            java.time.Instant.ofEpochMilli(5), java.time.Duration.ofNanos(7));
    }
    public static Object today() { return java.time.LocalDate.now(); }
    public static Object ticked() { return java.time.Instant.ofEpochSecond(9, 123456789); }
    public static final class Data {
        private final java.math.BigDecimal amount; private final String name; private int other;
        public Data(java.math.BigDecimal amount, String name) { this.amount = amount; this.name = name; }
        public java.math.BigDecimal component1() { throw new IllegalStateException(); }
        public String component2() { return name; }
        public Data copy(java.math.BigDecimal amount, String name) { return new Data(amount, name); }
    }
    public static final class Split {
        private final String name = "a";
        public String component1() { return name; }
    }
    public static Object data() { return new Data(java.math.BigDecimal.ONE, "a"); }
    public static Object split() { return new Split(); }
    public static Object opaque() { return List.of(new Subject()); }
    public void unlinked() { throw new NoClassDefFoundError("q/Nowhere"); }
    public List<String> list() { return new ArrayList<>(List.of("a", "b")); }
    public double[] array() { return new double[] { 1, Double.NaN }; }
    public Color color() { return Color.GREEN; }
    public Integer boxed() { return 7; }
    public String describe(Comparator<String> comparator) { return comparator.compare("a", "b") + "" + comparator.reversed().compare("a", "b"); }
    public int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
    public int forever(int n) { while (true) { n++; } }
    public long waiting() throws Exception { Thread.sleep(100000); return 1; }
    public Object hoard() { List<long[]> all = new ArrayList<>(); while (true) all.add(new long[1 << 20]); }
    public String toString() { return "Subject " + number + " of " + text; }
    public static String zone() { return TimeZone.getDefault().getID() + Locale.getDefault() + System.getProperty("file.encoding"); }
    public static String order() { return Set.of("a", "b", "c", "d", "e", "f", "g", "h").toString(); }
    public static int hash() { return new Object().hashCode(); }
    public static String spoil() { System.setProperty("user.dir", "/"); Locale.setDefault(Locale.GERMANY); System.setOut(null);
        Thread.currentThread().interrupt(); return zone(); }
    private static final ThreadLocal<Integer> LOCAL = new ThreadLocal<>();
    public static int local() { Integer before = LOCAL.get(); LOCAL.set(1); return before == null ? 0 : before; }
    public static void spawn() { new Thread(() -> { while (true) {} }).start(); }
    public abstract static class Gauge<T extends CharSequence> implements Comparable<T> {
        final String seen;
        protected Gauge() { seen = name() + unit() + wide(1L, "x") + (byte) small() + on(); }
        protected abstract String name();
        abstract char unit();
        public abstract double wide(long a, CharSequence b);
        abstract byte small();
        abstract boolean on();
        abstract void tell(int[] all, double d);
        abstract int[] cells();
        public String show() { tell(null, 1); return seen + compareTo(null) + cells(); }
    }
    public abstract static class Closed { private Closed() {} public abstract int m(); }
    public static class Sealed<T> implements Comparable<Sealed<T>> {
        static int made;
        int count = 3;
        private Sealed() { made++; }
        public int size() { return 100 / count; }
        public T first() { throw new IllegalStateException(); }
        protected String name(String a, int b) { return a; }
        String name(Object a, int b) { return "x"; }
        public java.util.List<T> all() { return null; }
        public java.util.Optional<T> found() { return null; }
        public Integer boxed() { return null; }
        public Sealed<T> self() { return this; }
        public void touch() { count++; }
        @Override public int compareTo(Sealed<T> other) { return 7; }
        @Override public boolean equals(Object other) { return true; }
        @Override public int hashCode() { return 1; }
        private int own() { return count; }
    }
    public static class Below extends Sealed<String> {
        private Below() { }
        @Override public String first() { return "own"; }
        public static native void nothing();
        public final int fixed() { return count; }
    }
    public static String probe(Sealed<String> mock) {
        mock.touch();
        mock.all().add("x");
        Sealed<?> raw = mock;
        return mock.size() + " " + mock.first() + raw.first() + " " + mock.name("a", 1) + mock.name((Object) "a", 1) + " " + mock.all().size() + " "
            + mock.found().isPresent() + mock.boxed() + mock.self() + " " + mock.compareTo(mock) + mock.compareTo(null) + " "
            + mock.equals(mock) + mock.equals("") + (mock.hashCode() == System.identityHashCode(mock)) + " " + mock.count + mock.own() + Sealed.made
            + mock.toString().startsWith("Mock for ");
    }
    public interface Crud<T, I> { T find(I id); void save(T it); default String title() { return "own"; } }
    public interface Notes extends Crud<Note, Integer> { @Override Note find(Integer id); int count() throws java.io.IOException; }
    public static class Note { public final String text; public Note(String text) { this.text = text; }
        public String getText() { return text; } @Override public boolean equals(Object o) { return o instanceof Note n && n.text.equals(text); } }
    public static String keep(Notes notes) {
        Crud<Note, Integer> crud = notes;
        String seen = crud.find(1) == null ? "none" : notes.find(1).text;
        notes.save(new Note(seen));
        try { seen += notes.count(); seen += notes.count(); } catch (java.io.IOException wrong) { seen += "!"; }
        return seen + notes.title() + notes.find(2) + notes.equals(notes);
    }
    public static Object lambda() { return (Runnable) () -> {}; }
    public static int waits(int millis) throws InterruptedException { Thread.sleep(millis); return millis; }
}
"#;

/// Runs the test cases in one batch with observation. Only code that hangs reaches the limit.
fn execute(texts: &[&str]) -> Vec<Vec<Execution>> {
    execute_within(HANGS, texts)
}

/// Longer than any code of the subject takes on a busy machine, unless it hangs.
const HANGS: Duration = Duration::from_secs(30);

/// [`execute`] for a batch with code that hangs, which takes the whole limit. The limit is short
/// and grows until the ends are the expected ones: on a busy machine, other code may need more.
fn execute_until(texts: &[&str], expected: &[RunEnd]) -> Vec<Vec<Execution>> {
    let as_expected = |executions: &Vec<Execution>| executions.iter().map(|execution| &execution.end).eq(expected);
    let tries = [1, 4, 16].map(Duration::from_secs).into_iter().map(|limit| execute_within(limit, texts));
    tries.into_iter().find(|all| all.iter().all(as_expected)).unwrap_or_else(|| execute_within(HANGS, texts))
}

fn execute_within(limit: Duration, texts: &[&str]) -> Vec<Vec<Execution>> {
    jdks()
        .iter()
        .map(|jdk| {
            let folder = tempfile::tempdir().unwrap();
            let classes = compile_java(&jdk.home, 17, folder.path(), &[("p/Subject.java", SUBJECT)]);
            let mut config = config(jdk, None, classes, folder.path(), ProbeMode::Search);
            (config.candidate_timeout, config.least_timeout) = (limit, limit);
            config.argument_inspectors = vec![getter()];
            let mut worker = SearchWorker::start(config).unwrap();
            let tests: Vec<TestCase> = texts.iter().map(|text| parse_test(text)).collect();
            worker.execute(&tests, true).unwrap()
        })
        .collect()
}

/// The inspector of arguments of mocks.
fn getter() -> MethodRef {
    MethodRef::new(ClassName::new("p/Subject$Note"), "getText", "()Ljava/lang/String;")
}

fn text(units: &str) -> Vec<u16> {
    units.encode_utf16().collect()
}

#[test]
fn values_are_observed() {
    for executions in execute(&["v0: Lp/Subject; = new p/Subject.<init> ()V ()
v1: I = get p/Subject.number I on v0
v2: J = call method p/Subject.add (JI)J (v1, v1)
v3: Ljava/lang/Object; = call method p/Subject.self ()Ljava/lang/Object; on v0 ()
v4: Ljava/util/List; = call method p/Subject.list ()Ljava/util/List; on v0 ()
v5: [D = call method p/Subject.array ()[D on v0 ()
v6: Lp/Subject$Color; = call method p/Subject.color ()Lp/Subject$Color; on v0 ()
v7: Ljava/lang/Integer; = call method p/Subject.boxed ()Ljava/lang/Integer; on v0 ()
v8: I = int 9
v9: V = put p/Subject.number I on v0 value v8
v10: Ljava/lang/Class; = class [Lp/Subject;
v11: Ljava/lang/Object; = call method p/Subject.lambda ()Ljava/lang/Object; ()
"])
    {
        let execution = &executions[0];
        assert_eq!(execution.end, RunEnd::Completed);
        let subject = |number: i32| Snapshot::Object {
            class: ClassName::new("p/Subject"),
            same_as: None,
            size: None,
            contents: None,
            to_string: Some(text(&format!("Subject {number} of null"))),
        };
        let Snapshot::Object { same_as: Some(0), .. } = execution.snapshots[3] else { panic!("{:?}", execution.snapshots[3]) };
        assert_eq!(execution.snapshots[0], subject(4));
        assert_eq!(execution.final_snapshots[0], subject(9));
        assert_eq!(execution.snapshots[1..3], [Snapshot::Int(4), Snapshot::Long(8)]);
        let (positive, present) = (Some(ValueClass::Positive), Some(ValueClass::Present));
        let given = Some(ValueClass::Given);
        assert_eq!(execution.outputs[..4], [present, positive, positive, given]);
        assert_eq!(execution.outputs[7..], [positive, positive, None, present, present]);
        assert_eq!(
            execution.snapshots[4],
            Snapshot::Object {
                class: ClassName::new("java/util/ArrayList"),
                same_as: None,
                size: Some(2),
                contents: Some(HeldValues { kind: ContainerKind::List, elements: strings(&["a", "b"]) }),
                to_string: None
            }
        );
        assert_eq!(
            execution.snapshots[5],
            Snapshot::Array {
                element: JavaType::DOUBLE,
                length: 2,
                elements: Some(vec![Snapshot::Double(1f64.to_bits()), Snapshot::Double(0x7ff8 << 48)])
            }
        );
        let green = Snapshot::Enum { class: ClassName::new("p/Subject$Color"), constant: "GREEN".into() };
        assert_eq!(execution.snapshots[6], green);
        assert_eq!(execution.snapshots[7], Snapshot::Boxed(Box::new(Snapshot::Int(7))));
        assert_eq!(execution.snapshots[9], Snapshot::Absent);
        assert_eq!(execution.snapshots[10], Snapshot::ClassLiteral(JavaType::parse("[Lp/Subject;").unwrap()));
        assert_eq!(execution.classes[1], None);
        assert_eq!(execution.classes[4], Some(JavaType::class("java/util/ArrayList")));
        assert_eq!(execution.classes[11], Some(JavaType::class("java/lang/Runnable")));
    }
}

#[test]
fn a_list_that_a_call_returned_empty_stays_that_where_the_test_fills_it() {
    for executions in execute(&["v0: Ljava/util/ArrayList; = new java/util/ArrayList.<init> ()V ()
v1: Z = call method java/util/ArrayList.add (Ljava/lang/Object;)Z on v0 (v0)
"])
    {
        let execution = &executions[0];
        assert_eq!(execution.end, RunEnd::Completed);
        assert_eq!(execution.outputs, [Some(ValueClass::Empty), Some(ValueClass::True)]);
    }
}

fn strings(texts: &[&str]) -> Vec<Snapshot> {
    texts.iter().map(|content| Snapshot::Str(Some(text(content)))).collect()
}

#[test]
fn what_containers_and_records_hold_is_observed() {
    for executions in execute(&["v0: Ljava/lang/Object; = call method p/Subject.record ()Ljava/lang/Object; ()
v1: Ljava/lang/Object; = call method p/Subject.map ()Ljava/lang/Object; ()
v2: Ljava/lang/Object; = call method p/Subject.many ()Ljava/lang/Object; ()
v3: Ljava/lang/Object; = call method p/Subject.opaque ()Ljava/lang/Object; ()
"])
    {
        let contents = |variable: usize| match &executions[0].snapshots[variable] {
            Snapshot::Object { contents, .. } => contents.clone(),
            other => panic!("{other:?}"),
        };
        let record = contents(0).expect("a record");
        assert_eq!(record.kind, ContainerKind::Record(ClassName::new("p/Subject$Held")));
        assert_eq!(record.elements[0], Snapshot::Boxed(Box::new(Snapshot::Int(3))));
        let Snapshot::Object { contents: Some(inner), .. } = &record.elements[1] else { panic!("{record:?}") };
        assert_eq!(*inner, HeldValues { kind: ContainerKind::Set, elements: strings(&["a", "b"]) });
        assert_eq!(record.elements[2], Snapshot::Null);
        let map = contents(1).expect("a map");
        assert_eq!(map, HeldValues { kind: ContainerKind::Map, elements: strings(&["k", "v", "l", "w"]) });
        // Eleven elements are too many, and an object of the project says nothing by its contents.
        assert_eq!((contents(2), contents(3)), (None, None));
    }
}

#[test]
fn constants_of_their_class_say_what_a_list_holds() {
    for executions in execute(&["v0: Ljava/nio/ByteOrder; = get java/nio/ByteOrder.BIG_ENDIAN Ljava/nio/ByteOrder;
v1: Ljava/util/List; = call method java/util/Collections.singletonList (Ljava/lang/Object;)Ljava/util/List; (v0)
v2: Ljava/lang/Object; = new java/lang/Object.<init> ()V ()
v3: Ljava/util/List; = call method java/util/Collections.singletonList (Ljava/lang/Object;)Ljava/util/List; (v2)
"])
    {
        let contents = |variable: usize| match &executions[0].snapshots[variable] {
            Snapshot::Object { contents, .. } => contents.clone(),
            other => panic!("{other:?}"),
        };
        let order = Snapshot::Enum { class: ClassName::new("java/nio/ByteOrder"), constant: "BIG_ENDIAN".into() };
        assert_eq!(contents(1), Some(HeldValues { kind: ContainerKind::List, elements: vec![order] }));
        assert_eq!((contents(0), contents(3)), (None, None), "by itself, the constant is an object");
    }
}

#[test]
fn values_of_the_jdk_and_data_classes_are_observed() {
    for executions in execute(&["v0: Ljava/lang/Object; = call method p/Subject.values ()Ljava/lang/Object; ()
v1: Ljava/lang/Object; = call method p/Subject.today ()Ljava/lang/Object; ()
v2: Ljava/lang/Object; = call method p/Subject.data ()Ljava/lang/Object; ()
v3: Ljava/lang/Object; = call method p/Subject.split ()Ljava/lang/Object; ()
v4: Ljava/lang/Object; = call method p/Subject.ticked ()Ljava/lang/Object; ()
"])
    {
        let held = |snapshot: &Snapshot| match snapshot {
            Snapshot::Object { contents, .. } => contents.clone(),
            other => panic!("{other:?}"),
        };
        let contents = |variable: usize| held(&executions[0].snapshots[variable]);
        let value = |class: &str, text: &str| {
            Some(HeldValues { kind: ContainerKind::Value(ClassName::new(class)), elements: strings(&[text]) })
        };
        let values: Vec<Option<HeldValues>> = contents(0).expect("a list").elements.iter().map(held).collect();
        assert_eq!(
            values,
            [
                value("java/math/BigDecimal", "29.00"),
                value("java/time/LocalDate", "2024-01-31"),
                value("java/time/ZoneId", "Europe/Berlin"),
                value("java/time/Instant", "1970-01-01T00:00:00.005Z"),
                value("java/time/Duration", "PT0.000000007S")
            ]
        );
        // Tomorrow it is another one. So is what only a clock shows.
        assert_eq!([contents(1), contents(4)], [None, None]);
        // No code of the class runs.
        let data = contents(2).expect("a data class");
        assert_eq!(data.kind, ContainerKind::Record(ClassName::new("p/Subject$Data")));
        assert_eq!((held(&data.elements[0]), &data.elements[1]), (value("java/math/BigDecimal", "1"), &strings(&["a"])[0]));
        assert_eq!(contents(3), None);
    }
}

#[test]
fn every_end_has_its_verdict() {
    for executions in execute(&[
        "v0: Lp/Subject; = new p/Subject.<init> ()V ()\nv1: I = int 0\nv2: I = call method p/Subject.divide (I)I on v0 (v1)\n",
        "v0: Lp/Subject; = new p/Subject.<init> ()V ()\nv1: V = call method p/Subject.fail ()V on v0 ()\n",
        "v0: Lp/Subject; = new p/Subject.<init> ()V ()\nv1: C = call method p/Subject.first ()C on v0 ()\n",
        "v0: Lp/Subject; = new p/Subject.<init> ()V ()\nv1: I = call method p/Subject.hidden ()I on v0 ()\n",
        "v0: Lp/Subject; = null\nv1: V = call method p/Subject.fail ()V on v0 ()\n",
        "v0: I = int 5\nv1: Lq/Nowhere; = new q/Nowhere.<init> (I)V (v0)\n",
        "v0: Lp/Subject; = new p/Subject.<init> ()V ()\nv1: I = int 1000000\nv2: I = call method p/Subject.deep (I)I on v0 (v1)\n",
        "v0: Lp/Subject; = new p/Subject.<init> ()V ()\nv1: Ljava/lang/Object; = call method p/Subject.hoard ()Ljava/lang/Object; on v0 ()\n",
        "v0: I = int 1\nv1: V = put p/Subject.FIXED I value v0\n",
        "v0: I = int 1\nv1: J = call method p/Subject.add (JI)J (v0, v0)\n",
        "v0: Lp/Subject; = null\nv1: Lp/Subject$Inner; = new p/Subject$Inner.<init> (Lp/Subject;)V (v0)\n",
        "v0: Lp/Subject; = new p/Subject.<init> ()V ()\nv1: V = call method p/Subject.unlinked ()V on v0 ()\n",
    ]) {
        let ends: Vec<&RunEnd> = executions.iter().map(|execution| &execution.end).collect();
        let RunEnd::Threw { statement: 2, thrown } = ends[0] else { panic!("{:?}", ends[0]) };
        assert_eq!(thrown.class, ClassName::new("java/lang/ArithmeticException"));
        assert_eq!(thrown.message, Some(text("/ by zero")));
        assert!(thrown.in_project);
        assert_eq!(thrown.frames.len(), 1);
        assert_eq!((thrown.frames[0].0.internal(), thrown.frames[0].1.as_str()), ("p/Subject", "divide"));
        let RunEnd::Threw { statement: 1, thrown } = ends[1] else { panic!("{:?}", ends[1]) };
        assert_eq!(thrown.message, Some(text("broken")));
        let RunEnd::Threw { statement: 1, thrown } = ends[2] else { panic!("{:?}", ends[2]) };
        assert_eq!(thrown.class, ClassName::new("java/lang/NullPointerException"));
        assert!(matches!(ends[3], RunEnd::Illegal { statement: 1, why } if why.contains("private")), "{:?}", ends[3]);
        assert!(matches!(ends[4], RunEnd::Illegal { statement: 1, why } if why.contains("null")), "{:?}", ends[4]);
        assert!(matches!(ends[5], RunEnd::Illegal { statement: 1, why } if why.contains("q/Nowhere")), "{:?}", ends[5]);
        assert!(matches!(ends[6], RunEnd::Exhausted { statement: 2, what } if what == "StackOverflowError"), "{:?}", ends[6]);
        assert!(
            matches!(ends[7], RunEnd::Exhausted { statement: 1, what } if what.starts_with("OutOfMemoryError")),
            "{:?}",
            ends[7]
        );
        assert!(matches!(ends[8], RunEnd::Illegal { statement: 1, why } if why.contains("final")), "{:?}", ends[8]);
        assert_eq!(ends[9], &RunEnd::Completed);
        // The receiver is the enclosing instance, as in `outer.new Inner()`.
        assert!(matches!(ends[10], RunEnd::Illegal { statement: 1, why } if why.contains("null")), "{:?}", ends[10]);
        // The JVM throws such errors while it links code of the project.
        let RunEnd::Threw { statement: 1, thrown } = ends[11] else { panic!("{:?}", ends[11]) };
        assert!(!thrown.in_project);
        assert!(executions.iter().all(|execution| !execution.left_running));
    }
}

#[test]
fn changed_state_is_restored() {
    let zone = "v0: Ljava/lang/String; = call method p/Subject.zone ()Ljava/lang/String; ()\n";
    let spoil = "v0: Ljava/lang/String; = call method p/Subject.spoil ()Ljava/lang/String; ()\n";
    for executions in execute(&[zone, spoil, zone]) {
        assert_eq!(executions[0].snapshots, [Snapshot::Str(Some(text("UTCen_USUTF-8")))]);
        assert_eq!(executions[1].snapshots, [Snapshot::Str(Some(text("UTCde_DEUTF-8")))]);
        assert_eq!(executions[2].snapshots, executions[0].snapshots);
    }
}

#[test]
fn thread_locals_do_not_outlive_a_run() {
    let local = "v0: I = call method p/Subject.local ()I ()\n";
    for executions in execute(&[local, local]) {
        assert_eq!(executions[0].snapshots, [Snapshot::Int(0)]);
        assert_eq!(executions[1].snapshots, [Snapshot::Int(0)]);
    }
}

/// The process that the test below kills: it starts a worker and waits.
#[test]
#[ignore = "runs inside another test"]
fn engine_that_is_killed() {
    let folder = std::path::PathBuf::from(std::env::var_os("TRACEWRIGHT_TEST_FOLDER").unwrap());
    let classes = compile_java(&jdks()[0].home, 17, &folder, &[("p/Subject.java", SUBJECT)]);
    let _worker = SearchWorker::start(config(&jdks()[0], None, classes, &folder, ProbeMode::Search)).unwrap();
    std::fs::write(folder.join("started"), "").unwrap();
    std::thread::sleep(Duration::from_secs(120));
}

#[cfg(target_os = "linux")]
#[test]
fn workers_end_when_the_engine_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "engine_that_is_killed", "--ignored"])
        .env("TRACEWRIGHT_TEST_FOLDER", folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let wait_until = |condition: &dyn Fn() -> bool| {
        (0..600).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            condition()
        })
    };
    assert!(wait_until(&|| folder.path().join("started").exists()));
    // The number of processes with the folder in their command line.
    let name = folder.path().to_string_lossy().into_owned();
    let jvms = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter(|process| {
                std::fs::read(process.path().join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(&name))
            })
            .count()
    };
    assert_eq!(jvms(), 1);
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert!(wait_until(&|| jvms() == 0));
}

#[test]
fn sources_of_randomness_are_pinned() {
    let order = "v0: Ljava/lang/String; = call method p/Subject.order ()Ljava/lang/String; ()\n";
    let hash = "v0: I = call method p/Subject.hash ()I ()\n";
    let first = execute(&[order, hash]);
    for (first, again) in first.iter().zip(execute(&[order, hash])) {
        assert_eq!(first, &again);
        assert_ne!(first[0].snapshots, [Snapshot::Absent]);
    }
}

#[test]
fn varied_surroundings_reverse_the_order_of_sets() {
    let order = parse_test("v0: Ljava/lang/String; = call method p/Subject.order ()Ljava/lang/String; ()\n");
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let classes = compile_java(&jdk.home, 17, folder.path(), &[("p/Subject.java", SUBJECT)]);
        let seen = |is_varied: bool| {
            let mut config = config(jdk, None, classes.clone(), folder.path(), ProbeMode::Search);
            if is_varied {
                let [_, other, _] = Surroundings::variants(&SettingNames::default());
                config.vary_surroundings(other);
            }
            let executions = SearchWorker::start(config).unwrap().execute(std::slice::from_ref(&order), true).unwrap();
            match &executions[0].snapshots[0] {
                Snapshot::Str(Some(units)) => String::from_utf16_lossy(units),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            seen(false).chars().filter(char::is_ascii_alphabetic).rev().collect::<String>(),
            seen(true).chars().filter(char::is_ascii_alphabetic).collect::<String>()
        );
    }
}

#[test]
fn stubs_return_the_given_values() {
    for executions in execute(&["v0: Lp/Subject; = new p/Subject.<init> ()V ()
v1: I = int 5
v2: Ljava/util/Comparator; = stub java/util/Comparator (java/util/Comparator.compare (Ljava/lang/Object;Ljava/lang/Object;)I v1)
v3: Ljava/lang/String; = call method p/Subject.describe (Ljava/util/Comparator;)Ljava/lang/String; on v0 (v2)
v4: Ljava/util/Comparator; = stub java/util/Comparator ()
v5: Ljava/lang/String; = call method p/Subject.describe (Ljava/util/Comparator;)Ljava/lang/String; on v0 (v4)
v6: Ljava/util/Iterator; = stub java/util/Iterator ()
v7: Z = call interface-method java/util/Iterator.hasNext ()Z on v6 ()
v8: V = call interface-method java/util/Iterator.remove ()V on v6 ()
"])
    {
        let execution = &executions[0];
        let RunEnd::Threw { statement: 8, thrown } = &execution.end else { panic!("{:?}", execution.end) };
        assert_eq!(thrown.class, ClassName::new("java/lang/UnsupportedOperationException"));
        assert_eq!(execution.snapshots[3], Snapshot::Str(Some(text("55"))));
        assert_eq!(execution.snapshots[5], Snapshot::Str(Some(text("00"))));
        assert_eq!(execution.snapshots[7], Snapshot::Boolean(false));
    }
}

#[test]
fn abstract_classes_are_extended() {
    let gauge = "v0: Ljava/lang/String; = string \"n\"
v1: C = char 117
v2: D = double 2.5
v3: B = byte -3
v4: Z = true
v5: I = int 9
v6: Lp/Subject$Gauge; = stub p/Subject$Gauge (p/Subject$Gauge.name ()Ljava/lang/String; v0, p/Subject$Gauge.unit ()C v1, p/Subject$Gauge.wide (JLjava/lang/CharSequence;)D v2, p/Subject$Gauge.small ()B v3, p/Subject$Gauge.on ()Z v4, java/lang/Comparable.compareTo (Ljava/lang/Object;)I v5)
v7: Ljava/lang/String; = call method p/Subject$Gauge.show ()Ljava/lang/String; on v6 ()
v8: Ljava/io/Writer; = stub java/io/Writer ()
v9: Ljava/lang/String; = string \"x\"
v10: V = call method java/io/Writer.write (Ljava/lang/String;)V on v8 (v9)
";
    let closed = "v0: Lp/Subject$Closed; = stub p/Subject$Closed ()\n";
    for executions in execute(&[gauge, closed]) {
        assert_eq!(executions[0].end, RunEnd::Completed);
        assert_eq!(executions[0].snapshots[7], Snapshot::Str(Some(text("nu2.5-3true9null"))));
        assert!(matches!(&executions[1].end, RunEnd::Illegal { statement: 0, .. }), "{:?}", executions[1].end);
    }
}

/// A mock of an interface runs no default method. Its answers depend on arguments and on the number
/// of calls, and its calls are reported with their arguments.
#[test]
fn mocks_of_interfaces_answer_by_call_and_report_their_calls() {
    let kept = "v0: I = int 1
v1: Ljava/lang/Integer; = call method java/lang/Integer.valueOf (I)Ljava/lang/Integer; (v0)
v2: Ljava/lang/String; = string \"a\"
v3: Lp/Subject$Note; = new p/Subject$Note.<init> (Ljava/lang/String;)V (v2)
v4: Ljava/io/IOException; = new java/io/IOException.<init> ()V ()
v5: Lp/Subject$Notes; = mock p/Subject$Notes (p/Subject$Notes.find (Ljava/lang/Integer;)Lp/Subject$Note; for v1 v3, p/Subject$Notes.count ()I v0 then throws v4)
v6: Ljava/lang/String; = call method p/Subject.keep (Lp/Subject$Notes;)Ljava/lang/String; (v5)
";
    for executions in execute(&[kept]) {
        assert_eq!(executions[0].snapshots[6], Snapshot::Str(Some(text("a1!nullnulltrue"))), "{:?}", executions[0].end);
        let calls: Vec<(&str, u32, VarId)> =
            executions[0].interactions.iter().map(|call| (&*call.method.name, call.statement, call.mock)).collect();
        let names: Vec<&str> = calls.iter().map(|call| call.0).collect();
        // The bridge of the redeclared method leads to the method itself.
        assert_eq!(names, ["find", "find", "save", "count", "count", "title", "find"]);
        assert!(calls.iter().all(|call| (call.1, call.2) == (6, VarId(5))), "{calls:?}");
        assert_eq!(executions[0].interactions[0].method.to_string(), "p/Subject$Notes.find(Ljava/lang/Integer;)Lp/Subject$Note;");
        let first = &executions[0].interactions[0].arguments[0];
        assert_eq!(first.snapshot, Snapshot::Boxed(Box::new(Snapshot::Int(1))));
        // The saved object equals that of a variable, but is another one.
        let saved = &executions[0].interactions[2].arguments[0];
        assert_eq!(saved.variable, None);
        assert_eq!(saved.inspected, [(getter(), Snapshot::Str(Some(text("a"))))]);
    }
}

/// Mocks return the values of Mockito's `RETURNS_DEFAULTS` and run no code of the class.
#[test]
fn mocks_return_defaults_and_run_no_code() {
    let bare = "v0: Lp/Subject$Sealed; = mock p/Subject$Sealed ()
v1: Ljava/lang/String; = call method p/Subject.probe (Lp/Subject$Sealed;)Ljava/lang/String; (v0)
";
    let answered = "v0: I = int 5
v1: Ljava/lang/String; = string \"f\"
v2: Ljava/lang/Integer; = null
v3: Lp/Subject$Below; = mock p/Subject$Below (p/Subject$Sealed.size ()I v0, p/Subject$Below.first ()Ljava/lang/String; v1, p/Subject$Sealed.name (Ljava/lang/Object;I)Ljava/lang/String; v1, p/Subject$Sealed.boxed ()Ljava/lang/Integer; v2)
v4: Ljava/lang/String; = call method p/Subject.probe (Lp/Subject$Sealed;)Ljava/lang/String; (v3)
";
    let jdk = "v0: I = int 5
v1: Ljava/util/Calendar; = mock java/util/Calendar (java/util/Calendar.getMinimum (I)I v0)
v2: I = call method java/util/Calendar.getMinimum (I)I on v1 (v0)
v3: I = call method java/util/Calendar.getMaximum (I)I on v1 (v0)
";
    let wrong = "v0: Ljava/lang/String; = mock java/lang/String ()\n";
    for executions in execute(&[bare, answered, jdk, wrong]) {
        let text = |executed: usize, at: usize| match &executions[executed].snapshots[at] {
            Snapshot::Str(Some(units)) => String::from_utf16_lossy(units),
            other => panic!("{other:?} after {:?}", executions[executed].end),
        };
        assert_eq!(text(0, 1), "0 nullnull nullnull 0 false0null 01 truefalsetrue 000true");
        assert_eq!(text(1, 4), "5 ff nullf 0 falsenullnull 01 truefalsetrue 000true");
        assert_eq!(executions[2].snapshots[2..], [Snapshot::Int(5), Snapshot::Int(0)]);
        assert!(matches!(&executions[3].end, RunEnd::Illegal { statement: 0, .. }), "{:?}", executions[3].end);
    }
}

#[test]
fn endless_code_costs_at_most_one_jvm() {
    let forever =
        "v0: Lp/Subject; = new p/Subject.<init> ()V ()\nv1: I = int 0\nv2: I = call method p/Subject.forever (I)I on v0 (v1)\n";
    let fine = "v0: Lp/Subject; = new p/Subject.<init> ()V ()\n";
    let spawn = "v0: V = call method p/Subject.spawn ()V ()\n";
    let waiting = "v0: Lp/Subject; = new p/Subject.<init> ()V ()\nv1: J = call method p/Subject.waiting ()J on v0 ()\n";
    let late = |statement| RunEnd::Timeout { statement };
    let ends = [late(2), RunEnd::Completed, RunEnd::Completed, RunEnd::Completed, late(1)];
    for executions in execute_until(&[forever, fine, spawn, fine, waiting], &ends) {
        assert!(executions.iter().map(|execution| &execution.end).eq(&ends), "{executions:?}");
        let left_running: Vec<bool> = executions.iter().map(|execution| execution.left_running).collect();
        assert_eq!(left_running, [false, false, true, false, false]);
    }
}

#[test]
fn the_compiler_reports_by_file_and_line() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let mut compiler = Compiler::start(jdk, folder.path(), None).unwrap();
        let out = folder.path().join("out");
        let source = |text: &str| vec![("p/A.java".to_string(), text.to_string())];
        let wrong = compiler
            .compile(&source("package p;\nclass A {\n int x = \"\";\n}\n"), &[], 11, &out, Duration::from_secs(60))
            .unwrap();
        let errors: Vec<_> = wrong.iter().filter(|diagnostic| diagnostic.kind == DiagnosticKind::Error).collect();
        assert_eq!(errors.len(), 1, "{wrong:?}");
        assert_eq!((errors[0].file.as_str(), errors[0].line), ("p/A.java", 3));
        assert!(!out.join("p/A.class").exists());
        let right = compiler.compile(&source("package p;\nclass A {}\n"), &[], 11, &out, Duration::from_secs(60)).unwrap();
        assert!(right.iter().all(|diagnostic| diagnostic.kind != DiagnosticKind::Error), "{right:?}");
        let class = std::fs::read(out.join("p/A.class")).unwrap();
        assert_eq!(class[7], 55, "class file version of Java 11");
    }
}

#[test]
fn junit_4_and_5_run_in_a_jvm_of_their_own() {
    let Some(junit) = junit_console_jar() else { return };
    let five = "package p; import org.junit.jupiter.api.*; class FiveTest {
        @Test void fine() {} @Test void wrong() { Assertions.assertEquals(1, 2); } @Disabled @Test void off() {}
        @Test void asserts() { boolean on = false; assert on = true; Assertions.assertTrue(on); } }";
    let four = "package p; import org.junit.*; public class FourTest { @Test public void fine() {}
        @Test public void wrong() { throw new RuntimeException(\"x\"); } @Ignore @Test public void off() {} }";
    let once_five = "package p; import org.junit.jupiter.api.*; class OnceFiveTest { static int runs;
        @Test void counts() { Assertions.assertEquals(1, ++runs); } @Test void fine() {} }";
    let once_four = "package p; import org.junit.*; public class OnceFourTest { static int runs;
        @Test public void counts() { Assert.assertEquals(1, ++runs); } @Test public void fine() {} }";
    let rows = "package p; import org.junit.jupiter.api.*; import org.junit.jupiter.params.*;
        import org.junit.jupiter.params.provider.*; class RowsTest {
        @ParameterizedTest @ValueSource(ints = {1, 2}) void fine(int row) { Assertions.assertTrue(row > 0); }
        @ParameterizedTest @CsvSource({\"1, 1\", \"2, 3\", \"4, 4\"}) void wrong(int row, int x) { Assertions.assertEquals(x, row); }
        @ParameterizedTest @CsvSource({\"1\", \"x\"}) void unreadable(int row) { } }";
    let hang = "package p; import org.junit.jupiter.api.*; class HangTest { @Test void hangs() { while (true) {} } }";
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("classes");
        let sources: Vec<_> = [
            ("p/FiveTest.java", five),
            ("p/FourTest.java", four),
            ("p/OnceFiveTest.java", once_five),
            ("p/OnceFourTest.java", once_four),
            ("p/RowsTest.java", rows),
            ("p/HangTest.java", hang),
        ]
        .map(|(path, text)| (path.to_string(), text.to_string()))
        .to_vec();
        let mut compiler = Compiler::start(jdk, folder.path(), None).unwrap();
        let diagnostics = compiler.compile(&sources, std::slice::from_ref(&junit), 17, &out, Duration::from_secs(60)).unwrap();
        assert!(diagnostics.iter().all(|diagnostic| diagnostic.kind != DiagnosticKind::Error), "{diagnostics:?}");
        let seconds = Duration::from_secs;
        let start = |assertions: bool| {
            let worker = JunitWorker::start(&JunitJvm {
                order_seed: 7,
                assertions,
                surroundings: Surroundings {
                    time_zone: "Asia/Tokyo".into(),
                    locale: "de_DE".into(),
                    encoding: "ISO-8859-1".into(),
                    ..Surroundings::default()
                },
                ..JunitJvm::of(jdk, &junit, &out, folder.path())
            });
            worker.unwrap()
        };
        let names = |classes: &[&str]| classes.iter().map(|class| class.to_string()).collect::<Vec<String>>();
        let run = |worker: JunitWorker, classes: &[&str]| worker.run(&names(classes), seconds(240), seconds(60)).unwrap();
        let waiting = start(true);
        // A worker waits for its first request without a limit.
        std::thread::sleep(seconds(2));
        let outcome = run(waiting, &["p.FiveTest", "p.FourTest"]).0;
        assert_eq!(outcome.end, JunitEnd::Completed);
        let of = |class: &str, method: &str| &outcome.tests[&(class.to_string(), method.to_string())];
        for class in ["p.FiveTest", "p.FourTest"] {
            assert_eq!(of(class, "fine"), &TestOutcome::Passed);
            assert!(matches!(of(class, "wrong"), TestOutcome::Failed(_)));
            assert_eq!(of(class, "off"), &TestOutcome::Skipped);
        }
        assert_eq!(of("p.FiveTest", "asserts"), &TestOutcome::Passed);
        assert_eq!(outcome.tests.len(), 7);
        // Every test runs again after all others: static state is then as these left it.
        let twice = run(start(true), &["p.OnceFiveTest", "p.OnceFourTest"]).0;
        for class in ["p.OnceFiveTest", "p.OnceFourTest"] {
            let of = |method: &str| &twice.tests[&(class.to_string(), method.to_string())];
            assert!(matches!(of("counts"), TestOutcome::Failed(_)), "{twice:?}");
            assert_eq!(of("fine"), &TestOutcome::Passed);
        }
        // One outcome stands for all rows of a parameterized test: it fails where one of them does.
        let outcome = run(start(true), &["p.RowsTest"]).0;
        let of = |method: &str| &outcome.tests[&("p.RowsTest".to_string(), method.to_string())];
        assert_eq!(of("fine"), &TestOutcome::Passed);
        assert!(["wrong", "unreadable"].iter().all(|method| matches!(of(method), TestOutcome::Failed(_))), "{outcome:?}");
        assert_eq!(outcome.tests.len(), 3);
        let outcome = run(start(false), &["p.FiveTest"]).0;
        assert!(matches!(outcome.tests[&("p.FiveTest".into(), "asserts".into())], TestOutcome::Failed(_)));
        let running = ("p.HangTest".to_string(), "hangs".to_string());
        let hanging = names(&["p.HangTest"]);
        assert_eq!(start(false).run(&hanging, seconds(240), seconds(5)).unwrap().0.end, JunitEnd::Hung { running });
        // The limit of the whole run ends before one test can be named as hanging.
        let short = Duration::from_millis(10);
        assert_eq!(start(false).run(&hanging, short, seconds(2)).unwrap().0.end, JunitEnd::OutOfTime);
    }
}

#[test]
fn a_jvm_runs_tests_of_several_classes_unless_they_leave_something_behind() {
    let Some(junit) = junit_console_jar() else { return };
    let subject = "package p; public class Subject {
        public static int count; public static int next() { return ++count; } }";
    let count = |name: &str| {
        format!(
            "package p; import org.junit.jupiter.api.*; class {name} {{
            @BeforeEach void begin() {{ Subject.count = Math.min(Subject.count, 1); }}
            @Test void isFirst() {{ Assertions.assertTrue(Subject.next() <= 2); }}
            @Test void isAlone() {{ Assertions.assertNull(System.getProperty(\"left\"));
                System.setProperty(\"left\", \"x\"); System.clearProperty(\"left\"); }}
            @AfterAll static void end() {{ System.setProperty(\"left.{name}\", \"x\"); }} }}"
        )
    };
    let property = "package p; import org.junit.jupiter.api.*; class PropertyTest {
        @Test void isGone() { Assertions.assertNull(System.getProperty(\"left.FirstTest\")); }
        @Test void isFresh() { Assertions.assertEquals(0, Subject.count); } }";
    let thread = "package p; import org.junit.jupiter.api.*; class ThreadTest {
        @Test void leavesOne() { Thread t = new Thread(() -> { try { Thread.sleep(60000); } catch (InterruptedException e) { } });
            t.setDaemon(true); t.start(); } }";
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        let mut compiler = Compiler::start(jdk, folder.path(), None).unwrap();
        let mut compile = |path: &str, text: &str, class_path: &[std::path::PathBuf], out: &std::path::Path| {
            let sources = [(path.to_owned(), text.to_owned())];
            let messages = compiler.compile(&sources, class_path, 17, out, Duration::from_secs(60)).unwrap();
            assert!(messages.iter().all(|message| message.kind != DiagnosticKind::Error), "{messages:?}");
        };
        compile("p/Subject.java", subject, &[], &own);
        let jvm = |name: &str| JunitJvm {
            agent_library: Some(tracewright_test_support::agent_library()),
            classpath: vec![own.clone()],
            own: vec![own.clone()],
            order_seed: 7,
            ..JunitJvm::of(jdk, &junit, &folder.path().join(name), folder.path())
        };
        let class_path = [own.clone(), junit.clone()];
        let pool = JunitPool::default();
        let mut run = |name: &str, text: &str| {
            let jvm = jvm(name);
            compile(&format!("p/{name}.java"), text, &class_path, &jvm.classes);
            let worker = pool.take(&jvm).unwrap();
            let is_new = worker.is_new();
            let (outcome, worker) = worker.run(&[format!("p.{name}")], Duration::from_secs(60), Duration::from_secs(30)).unwrap();
            assert!(outcome.is_clean(), "{outcome:?}");
            worker.into_iter().for_each(|worker| pool.put(worker));
            (is_new, !pool.has(&jvm))
        };
        assert_eq!(run("FirstTest", &count("FirstTest")), (true, false));
        assert_eq!(run("PropertyTest", property), (false, false));
        assert_eq!(run("SecondTest", &count("SecondTest")), (false, false));
        assert_eq!(run("ThreadTest", thread), (false, true));
        assert_eq!(run("ThirdTest", &count("ThirdTest")), (true, false));
        // Another machine is another JVM.
        let other =
            JunitJvm { surroundings: Surroundings { locale: "de_DE".into(), ..Surroundings::default() }, ..jvm("OtherTest") };
        assert!(pool.take(&other).unwrap().is_new());
    }
}

/// A JVM says when everything is loaded. What requests need may be missing: then the tests say so. A JVM without it
/// runs no tests that send requests. One that has run nothing serves other tests than those that it was started for.
#[test]
fn a_jvm_that_waits_for_tests_has_loaded_what_they_need() {
    let Some(junit) = junit_console_jar() else { return };
    let jdk = &jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let text = "package p; import org.junit.jupiter.api.*; class SomeTest { @Test void passes() {} }";
    for requests in [true, false] {
        let out = folder.path().join(format!("requests-{requests}"));
        let mut compiler = Compiler::start(jdk, folder.path(), None).unwrap();
        let sources = [("p/SomeTest.java".to_owned(), text.to_owned())];
        assert_eq!(compiler.compile(&sources, std::slice::from_ref(&junit), 17, &out, Duration::from_secs(60)).unwrap(), []);
        let jvm = JunitJvm { requests, ..JunitJvm::of(jdk, &junit, &out, folder.path()) };
        let mut worker = JunitWorker::start(&jvm).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while !worker.has_loaded() {
            assert!(Instant::now() < until, "the JVM does not say that it has loaded everything");
            std::thread::sleep(Duration::from_millis(20));
        }
        let pool = JunitPool::default();
        let limit = Duration::from_secs(60);
        let (outcome, worker) = worker.run(&["p.SomeTest".to_owned()], limit, limit).unwrap();
        assert!(outcome.is_clean(), "{outcome:?}");
        pool.put(worker.expect("a test that leaves nothing behind"));
        let with_requests = JunitJvm { requests: true, ..jvm.clone() };
        assert_eq!(pool.has(&with_requests), requests);
        assert_eq!(pool.take(&with_requests).unwrap().is_new(), !requests);

        let pool = JunitPool::default();
        pool.put(JunitWorker::start(&JunitJvm { classes: folder.path().join("other"), ..jvm.clone() }).unwrap());
        let other = pool.take(&jvm).unwrap();
        assert!(!other.is_new());
        let (outcome, _) = other.run(&["p.SomeTest".to_owned()], limit, limit).unwrap();
        assert!(outcome.is_clean(), "{outcome:?}");
    }
}

#[test]
fn a_worker_whose_deadline_is_over_does_not_start() {
    let jdk = &jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(jdk, None, folder.path().to_path_buf(), folder.path(), ProbeMode::Search);
    config.deadline = Some(Instant::now());
    assert!(matches!(SearchWorker::start(config), Err(JvmError::Late)));
}

#[test]
fn results_of_a_batch_that_was_given_up_are_not_taken_for_those_of_the_next() {
    let jdk = &jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let classes = compile_java(&jdk.home, 17, folder.path(), &[("p/Subject.java", SUBJECT)]);
    let mut worker = SearchWorker::start(config(jdk, None, classes, folder.path(), ProbeMode::Search)).unwrap();
    let waits = |millis: u32| parse_test(&format!("v0: I = int {millis}\nv1: I = call method p/Subject.waits (I)I (v0)\n"));
    // The first wait outlives the deadline. What is left of the batch ends soon, or never.
    for last in [200, 1_000_000] {
        worker.set_deadline(Some(Instant::now() + Duration::from_millis(1)));
        let given_up = worker.execute(&[waits(200), waits(last)], true).unwrap();
        assert_eq!(given_up.len(), 2);
        assert_eq!(given_up[1].end, RunEnd::Unrun, "{given_up:?}");
        worker.set_deadline(None);
        let next = worker.execute(&[waits(7), waits(8)], true).unwrap();
        let values: Vec<&Snapshot> = next.iter().map(|execution| &execution.snapshots[1]).collect();
        assert_eq!(values, [&Snapshot::Int(7), &Snapshot::Int(8)]);
    }
}

/// Each timeout halves the limit of the following test cases, down to `least_timeout`.
#[test]
fn each_timeout_halves_the_limit_of_later_tests() {
    let jdk = &jdks()[0];
    let folder = tempfile::tempdir().unwrap();
    let classes = compile_java(&jdk.home, 17, folder.path(), &[("p/Subject.java", SUBJECT)]);
    let late = RunEnd::Timeout { statement: 1 };
    let expected = [RunEnd::Completed, late.clone(), late, RunEnd::Completed];
    // At each scale, a test sleeps for more than its limit or for less. A busy machine adds to the
    // time of a test, and needs a larger scale.
    let ends_at = |scale: u32| -> Vec<RunEnd> {
        let mut config = config(jdk, None, classes.clone(), folder.path(), ProbeMode::Search);
        let waits = |millis: u32| parse_test(&format!("v0: I = int {millis}\nv1: I = call method p/Subject.waits (I)I (v0)\n"));
        config.candidate_timeout = scale * Duration::from_millis(2000);
        config.least_timeout = scale * Duration::from_millis(900);
        let mut worker = SearchWorker::start(config).unwrap();
        let executions = worker.execute(&[waits(scale * 1100), waits(1_000_000), waits(scale * 1100), waits(75)], false);
        executions.unwrap().into_iter().map(|execution| execution.end).collect()
    };
    let found = [1, 4, 16].into_iter().map(ends_at).find(|ends| ends[..] == expected);
    assert!(found.is_some(), "{:?}", ends_at(16));
}

#[test]
fn jvms_begin_with_the_classes_that_others_have_left() {
    let Some(junit) = junit_console_jar() else { return };
    let limit = Duration::from_secs(120);
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("classes");
        let archives = ClassArchives::open(&folder.path().join("cache"), jdk, &junit).unwrap();
        let tests = "import org.junit.jupiter.api.*;
            class FineTest { @Test void fine() { Assertions.assertEquals(1, 1); } }";
        let sources = [("FineTest.java".to_owned(), tests.to_owned())];
        let libraries = std::slice::from_ref(&junit);
        let archive = archives.begin(ArchiveKind::Compiler).unwrap().expect("there is none yet");
        let mut compiler = Compiler::start_archiving(jdk, folder.path(), archive).unwrap();
        compiler.compile(&sources, libraries, 17, &out, limit).unwrap();
        assert!(!archives.has(ArchiveKind::Compiler));
        assert!(compiler.leave_classes(limit));
        let run = JunitJvm { archives: Some(archives.clone()), ..JunitJvm::of(jdk, &junit, &out, folder.path()) };
        let archive = archives.begin(ArchiveKind::Junit).unwrap().expect("there is none yet");
        let names = ["FineTest".to_owned()];
        assert!(JunitWorker::start_archiving(&run, archive).unwrap().leave_classes(&names, limit).unwrap());
        // JVMs that begin with them do the same work.
        let again = folder.path().join("again");
        let mut compiler = Compiler::start(jdk, folder.path(), Some(&archives)).unwrap();
        compiler.compile(&sources, libraries, 17, &again, limit).unwrap();
        assert!(again.join("FineTest.class").exists());
        let outcome = JunitWorker::start(&run).unwrap().run(&names, limit, limit).unwrap().0;
        assert!(outcome.is_clean(), "{outcome:?}");
        // With `-Xshare:on` a JVM does not start where an archive does not fit.
        let files = archives.folder();
        let path = std::env::join_paths([&files.join("tracewright-runner.jar"), &junit, &out]).unwrap();
        let console = std::process::Command::new(jdk.java())
            .arg("-Xshare:on")
            .arg(format!("-XX:SharedArchiveFile={}", files.join("junit.jsa").display()))
            .args(["-Xlog:class+load", "-cp"])
            .arg(path)
            .args(["org.junit.platform.console.ConsoleLauncher", "engines"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&console.stdout);
        let is_of_junit = |line: &str| line.contains("org.junit.platform.commons.");
        let is_shared = |line: &str| is_of_junit(line) && line.contains("shared objects file (top)");
        assert!(console.status.success() && said.lines().any(is_shared), "{said}");
    }
}
