//! The oracle: assertions about made executions, and the inspectors that it adds to observe
//! objects.
//!
//! In and out: tests and values in text form. No JVM runs, but a compiler and the classes of a JDK
//! are needed.
#![allow(clippy::unwrap_used)]

#[path = "common/jdks.rs"]
mod jdks;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use jdks::jdks;
use tracewright::execution::TargetClass;
use tracewright::execution::{ArgumentValue, ContainerKind, Execution, HeldValues, Interaction, RunEnd, Snapshot, Thrown};
use tracewright::oracle::{
    Accessibility, AssertedTest, DiscardReason, Fact, IgnoredResults, MutantOutcome, ObservedTest, StateOptions,
    append_inspectors, mutant_outcome, observe_tests, state_assertions,
};
use tracewright::program::{ClassName, Cluster, ClusterConfig, MethodRef, Program};
use tracewright::project::Project;
use tracewright::search::{GoalRegistry, Search, SearchConfig};
use tracewright::testcase::{StatementKind, TestCase, VarId, check};
use tracewright_trace::{BranchSlot, LineSlot};

const SOURCES: &[(&str, &str)] = &[
    (
        "p/Box.java",
        "package p; public class Box {
            public enum Kind { FULL { }, EMPTY }
            enum Secret { ONE }
            private static class Hidden extends IllegalStateException { }
            int sum;
            public Box(int sum) { this.sum = sum; }
            public int get() { return sum; }
            public long ticket() { return System.nanoTime(); }
            public Object self() { return this; }
            public Box copy() { return new Box(sum); }
            public String text() { return \"\" + sum; }
            public void fill(int[] cells) { java.util.Arrays.fill(cells, sum); }
            public void list(java.util.List<Integer> cells, java.io.Writer out) { cells.add(sum); }
            public int[] cells() { return new int[sum]; }
            public Object[] objects() { return new Object[] { this }; }
            public Kind kind() { return sum == 0 ? Kind.EMPTY : Kind.FULL; }
            public boolean equals(Object other) { return other instanceof Box && ((Box) other).sum == sum; }
            public int hashCode() { return sum; }
            public void fail() { if (sum == 1) throw new Hidden(); throw new IllegalArgumentException(\"no \" + sum); }
            public static void run() { }
        }",
    ),
    (
        "p/Faults.java",
        "package p; public class Faults {
            @Deprecated String injected; String own;
            public static int checked(int x) { assert x > 0 && x < 9 : x; return x; }
            public static int thrown(int x) {
                assert x > 0;
                if (x > 3) throw new AssertionError(x);
                return x; }
            public int length() { return own.length(); }
            public int ask() { String home = System.getProperty(\"none\"); return home.length(); }
            public int size(String text) { return text.length() + injected.length(); }
            public static String first(java.util.List<String> names) { return names.get(0); }
            public static int[] cells(int count) { return new int[count]; }
        }",
    ),
    (
        "p/Till.java",
        "package p; public class Till {
            public abstract static class Answer { }
            public static class Paid extends Answer { }
            private static class Refused extends Answer { }
            public Answer pay(int sum) { return sum > 9 ? new Refused() : new Paid(); }
            public Paid paid() { return new Paid(); }
            public java.util.List<String> bills() { return new java.util.ArrayList<>(); }
            public Receipt receipt() { return new Receipt(1, bills()); }
            public record Receipt(int number, java.util.List<String> bills) { }
            public record Trimmed(String text) {
                public boolean equals(Object other) { return other == this; }
                public int hashCode() { return 1; } }
            public static class Amount {
                public Amount(int sum, String name) { }
                public int component1() { return 1; }
                public String component2() { return null; }
                public Amount copy(int sum, String name) { return this; }
                public boolean equals(Object other) { return true; }
                public int hashCode() { return 1; } }
            public static class Split {
                public Split(int sum) { }
                public int component1() { return 1; }
                public Split copy(int sum) { return this; } }
            public record Listed(java.util.ArrayList<String> bills) { }
            public record Scaled(int size) { public Scaled(double size) { this((int) size); } }
        }",
    ),
    (
        "p/Ignoring.java",
        "package p; public class Ignoring {
            void run(java.util.List<String> list, java.util.Map<String, Long> map) {
                list.add(\"a\"); map.put(\"a\", 1L);
                if (list.remove(\"b\")) map.clear();
            }
        }",
    ),
    (
        "p/Account.java",
        "package p; public class Account {
            private int sum; private final String owner;
            public Account(String owner) { this.owner = owner; }
            public void add(int amount) { sum += amount; }
            public int getSum() { return sum; }
            public String getOwner() { return owner; }
            public int getRank() { return owner.length(); }
            public String getKind() { return \"account\"; }
        }",
    ),
    (
        "p/Desk.java",
        "package p; public class Desk {
            public Reply ask() { return new Reply(); } }
         class Shelf { java.util.List<Wide> all() { return new java.util.ArrayList<>(); } }
         enum Grade implements Level { HIGH }",
    ),
    ("p/Level.java", "package p; public interface Level { }"),
    (
        "p/Reply.java",
        "package p; public class Reply {
            private final int code = 2; private final Level level = Grade.HIGH;
            public int getCode() { return code; }
            public Level getLevel() { return level; }
            @Deprecated public int getNumber() { return code; }
            public Object getBody() { return code; }
            public int component1() { return code; }
            public Reply copy(int code) { return this; } }",
    ),
    (
        "p/Bank.java",
        "package p; public class Bank {
            private final Accounts accounts;
            public Bank(Accounts accounts) { this.accounts = accounts; }
            public void pay() {
                Wide wide = accounts.find();
                if (wide == null) { accounts.log(\"none\"); throw new IllegalStateException(\"none\"); }
                wide.setH(3); } }
         interface Accounts { Wide find(); void log(String text); }",
    ),
    (
        "p/Table.java",
        "package p; public class Table {
            void open(javax.swing.table.DefaultTableModel model) { model.setRowCount(2); model.addColumn(\"a\"); }
        }",
    ),
    (
        "p/Wide.java",
        "package p; public class Wide {
            private int a, b, c, d, e, f, g, h;
            public void setH(int h) { this.h = h; }
            public int getA() { return a; } public int getB() { return b; } public int getC() { return c; }
            public int getD() { return d; } public int getE() { return e; } public int getF() { return f; }
            public int getG() { return g; } public int getH() { return h; }
        }",
    ),
];

/// The classes above, compiled by the oldest JDK.
fn program() -> Arc<Program> {
    static PROGRAM: OnceLock<(tempfile::TempDir, Arc<Program>)> = OnceLock::new();
    let (_, program) = PROGRAM.get_or_init(|| {
        let jdk = &jdks()[0];
        let folder = tempfile::tempdir().unwrap();
        let classes = tracewright_test_support::compile_java(&jdk.home, 17, folder.path(), SOURCES);
        let program = Program::new(Project::open(&[classes], &jdk.home).unwrap());
        (folder, Arc::new(program))
    });
    Arc::clone(program)
}

/// An observed test in the text form of asserted tests; `acted` is the index of the first
/// inspector.
fn observed(text: &str) -> ObservedTest {
    let AssertedTest { test, acted, target, .. } = text.parse().unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(check(&test, &*program()), Ok(()), "{text}");
    ObservedTest { test, acted, target }
}

/// A snapshot: `-` for none, `object CLASS`, `object CLASS same N`, `holding VALUE` for an object with
/// the contents of a stated container, or a value as in `assert v0 equals VALUE`.
fn snapshot(text: &str) -> Snapshot {
    if let Some(container) = text.strip_prefix("holding ") {
        return holding(snapshot(container));
    }
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        ["-"] => Snapshot::Absent,
        ["object", class, ref rest @ ..] => Snapshot::Object {
            class: ClassName::new(class),
            same_as: rest.last().map(|number| number.parse().unwrap()),
            size: None,
            contents: None,
            to_string: None,
        },
        _ => {
            let asserted: AssertedTest = format!("assert v0 equals {text}\n").parse().unwrap();
            match asserted.assertions.into_iter().next().unwrap().fact {
                Fact::Equals(snapshot) => snapshot,
                other => panic!("{other:?}"),
            }
        }
    }
}

/// The object that an assertion states as this value.
fn holding(stated: Snapshot) -> Snapshot {
    let Snapshot::Container(HeldValues { kind, elements }) = stated else { return stated };
    let class = match &kind {
        ContainerKind::List => ClassName::new("java/util/ArrayList"),
        ContainerKind::Set => ClassName::new("java/util/HashSet"),
        ContainerKind::Map => ClassName::new("java/util/HashMap"),
        ContainerKind::Optional => ClassName::new("java/util/Optional"),
        ContainerKind::Record(class) | ContainerKind::Value(class) => class.clone(),
    };
    let contents = Some(HeldValues { kind, elements: elements.into_iter().map(holding).collect() });
    Snapshot::Object { class, same_as: None, size: None, contents, to_string: None }
}

fn ended(end: RunEnd, snapshots: &[&str]) -> Execution {
    let snapshots: Vec<Snapshot> = snapshots.iter().map(|text| snapshot(text)).collect();
    Execution {
        classes: vec![None; snapshots.len()],
        outputs: vec![None; snapshots.len()],
        final_snapshots: snapshots.clone(),
        snapshots,
        ..Execution::without_measurements(end)
    }
}

fn completed(snapshots: &[&str]) -> Execution {
    ended(RunEnd::Completed, snapshots)
}

/// A completed execution whose variables have other values at its end.
fn changed(snapshots: &[&str], last: &[&str]) -> Execution {
    Execution { final_snapshots: last.iter().map(|text| snapshot(text)).collect(), ..completed(snapshots) }
}

fn threw(statement: u32, class: &str, message: Option<&str>, thrown_by: &str) -> RunEnd {
    let message = message.map(|text| text.encode_utf16().collect());
    let frames = vec![(ClassName::new(thrown_by), "method".to_owned(), 1)];
    RunEnd::Threw { statement, thrown: Thrown { class: ClassName::new(class), message, in_project: true, frames } }
}

fn state(observed: &ObservedTest, executions: &[Execution]) -> Result<AssertedTest, DiscardReason> {
    let program = program();
    let options = StateOptions { volatile: vec!["/tmp/run-17".into()], ..StateOptions::default() };
    let stated = state_assertions(observed, executions, &Accessibility::new(&program, "p"), &options)?;
    // The asserted test has a complete text form, and is a legal test case.
    assert_eq!(stated.to_string().parse::<AssertedTest>().as_ref(), Ok(&stated));
    assert_eq!(check(&stated.test, &*program), Ok(()), "{stated}");
    assert!(stated.acted as usize <= stated.test.len(), "{stated}");
    Ok(stated)
}

/// The `assert` and `throws` lines of the asserted test.
#[track_caller]
fn stated(observed: &ObservedTest, executions: &[Execution]) -> Vec<String> {
    let stated = state(observed, executions).unwrap_or_else(|reason| panic!("{reason}"));
    let text = stated.to_string();
    text.lines().filter(|line| line.starts_with("assert ") || line.starts_with("throws ")).map(str::to_owned).collect()
}

const READ: &str = "target p/Box.ticket ()J
v0: I = int 3
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: I = call method p/Box.get ()I on v1 ()
v3: J = call method p/Box.ticket ()J on v1 ()
";

#[test]
fn values_that_differ_between_executions_are_not_asserted() {
    let observed = observed(READ);
    let first = completed(&["-", "object p/Box", "int 3", "long 5"]);
    let same = completed(&["-", "object p/Box", "int 3", "long 5"]);
    let other = completed(&["-", "object p/Box", "int 3", "long 6"]);
    assert_eq!(stated(&observed, &[first.clone(), same]), ["assert v2 equals int 3", "assert v3 equals long 5"]);
    assert_eq!(stated(&observed, &[first.clone(), other.clone()]), ["assert v2 equals int 3"]);
    // The third execution counts as well. A test case without executions is not observed.
    assert_eq!(stated(&observed, &[first.clone(), first.clone(), other]), ["assert v2 equals int 3"]);
    assert_eq!(state(&observed, &[]), Err(DiscardReason::NotObserved));
    // Floating-point zeros and NaNs are compared by their bits, as `assertEquals` does.
    let zero = completed(&["-", "object p/Box", "double 0.0", "long 5"]);
    let minus = completed(&["-", "object p/Box", "double -0.0", "long 5"]);
    assert_eq!(stated(&observed, &[zero, minus]), ["assert v3 equals long 5"]);
}

#[test]
fn executions_with_different_ends_make_no_test() {
    let observed = observed(READ);
    let seen = ["-", "object p/Box", "int 3", "long 5"];
    let good = completed(&seen);
    let bad = |end: RunEnd| state(&observed, &[good.clone(), ended(end, &seen)]);
    let npe = "java/lang/NullPointerException";
    assert_eq!(bad(threw(3, npe, None, "p/Box")), Err(DiscardReason::Unstable));
    assert_eq!(bad(RunEnd::Budget { statement: 2 }), Err(DiscardReason::Endless));
    assert_eq!(bad(RunEnd::Timeout { statement: 2 }), Err(DiscardReason::Endless));
    assert_eq!(bad(RunEnd::Refused { statement: 2, what: "exit".into() }), Err(DiscardReason::Refused("exit".into())));
    assert_eq!(bad(RunEnd::Exhausted { statement: 2, what: "stack".into() }), Err(DiscardReason::Exhausted("stack".into())));
    assert_eq!(bad(RunEnd::Died), Err(DiscardReason::Died));
    assert_eq!(bad(RunEnd::Unrun), Err(DiscardReason::NotObserved));
    assert_eq!(bad(RunEnd::Illegal { statement: 1, why: "cast".into() }), Err(DiscardReason::Illegal("cast".into())));
    let running = Execution { left_running: true, ..good.clone() };
    assert_eq!(state(&observed, &[good.clone(), running]), Err(DiscardReason::LeftRunning));
    // Two executions that throw at different statements, or different exceptions, are unstable.
    let two = |a: RunEnd, b: RunEnd| state(&observed, &[ended(a, &seen), ended(b, &seen)]);
    assert_eq!(two(threw(2, npe, None, "p/Box"), threw(3, npe, None, "p/Box")), Err(DiscardReason::Unstable));
    assert_eq!(two(threw(3, npe, None, "p/Box"), threw(3, "java/io/IOException", None, "p/Box")), Err(DiscardReason::Unstable));
}

const SAME: &str = "target p/Box.self ()Ljava/lang/Object;
v0: I = int 3
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: Ljava/lang/Object; = call method p/Box.self ()Ljava/lang/Object; on v1 ()
v3: Lp/Box; = call method p/Box.copy ()Lp/Box; on v1 ()
";

#[test]
fn identical_objects_are_asserted_as_same() {
    let observed = observed(SAME);
    let own = completed(&["-", "object p/Box", "object p/Box same 1", "object p/Box"]);
    assert_eq!(stated(&observed, &[own.clone(), own.clone()]), ["assert v2 same v1", "assert v3 not-null"]);
    // Identical in one execution and distinct in the next: there is no assertion at all.
    let other = completed(&["-", "object p/Box", "object p/Box", "object p/Box"]);
    assert_eq!(stated(&observed, &[own, other]), ["assert v3 not-null"]);
    let null = completed(&["-", "object p/Box", "null", "null"]);
    assert_eq!(stated(&observed, &[null.clone(), null]), ["assert v2 null", "assert v3 null"]);
}

#[test]
fn no_object_is_asserted_to_be_the_same_as_a_literal() {
    let observed = observed(
        "v0: I = int 3
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: Ljava/lang/Object; = call method p/Box.self ()Ljava/lang/Object; on v1 ()
",
    );
    let seen = completed(&["-", "object p/Box", "object p/Box same 0"]);
    assert_eq!(stated(&observed, &[seen.clone(), seen]), ["assert v2 not-null"]);
}

const FILL: &str = "target p/Box.fill ([I)V
v0: I = int 7
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: [I = array I 2 ()
v3: V = call method p/Box.fill ([I)V on v1 (v2)
";

#[test]
fn arrays_are_asserted_with_their_final_elements() {
    let given = observed(FILL);
    let before = ["-", "object p/Box", "array I 2 [int 0, int 0]", "-"];
    let after = ["-", "object p/Box", "array I 2 [int 7, int 7]", "-"];
    let filled = changed(&before, &after);
    assert_eq!(stated(&given, &[filled.clone(), filled.clone()]), ["assert v2 equals array I 2 [int 7, int 7]"]);
    // An unchanged array is not asserted, nor one that changes differently in each execution.
    let untouched = completed(&before);
    assert_eq!(stated(&given, &[untouched.clone(), untouched.clone()]), [""; 0]);
    assert_eq!(stated(&given, &[filled, untouched]), [""; 0]);

    // A later call changes a returned array, so it is asserted at the end of the test.
    let returned = observed(
        "target p/Box.fill ([I)V
v0: I = int 2
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: [I = call method p/Box.cells ()[I on v1 ()
v3: V = call method p/Box.fill ([I)V on v1 (v2)
",
    );
    let two = ["-", "object p/Box", "array I 2 [int 2, int 2]", "-"];
    let seen = changed(&before, &two);
    assert_eq!(stated(&returned, &[seen.clone(), seen.clone()]), ["assert v2 equals array I 2 [int 2, int 2]"]);
    assert_eq!(stated(&returned, &[seen.clone(), changed(&before, &after)]), [""; 0]);
}

#[test]
fn what_the_test_itself_made_for_the_call_is_not_asserted() {
    let given = |target: &str, call: &str| {
        observed(&format!(
            "target {target}
v0: I = int 3
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: Ljava/util/Optional; = call method java/util/Optional.of (Ljava/lang/Object;)Ljava/util/Optional; (v1)
v3: I = call method p/Box.get ()I on v1 ()
v4: Lp/Till; = new p/Till.<init> ()V ()
v5: {call}
"
        ))
    };
    let seen = completed(&["-", "object p/Box", "object java/util/Optional", "int 3", "object p/Till", "int 3"]);
    let lines = |target: &str, call: &str| stated(&given(target, call), &[seen.clone(), seen.clone()]);
    let bills = "Ljava/util/List; = call method p/Till.bills ()Ljava/util/List; on v4 ()";
    assert_eq!(lines("p/Till.bills ()Ljava/util/List;", bills), ["assert v5 equals int 3"]);
    // What the class under test returned before is worth an assertion.
    let kind = "Lp/Box$Kind; = call method p/Box.kind ()Lp/Box$Kind; on v1 ()";
    let both = ["assert v2 not-null", "assert v3 equals int 3", "assert v5 equals int 3"];
    assert_eq!(lines("p/Box.kind ()Lp/Box$Kind;", kind), both);
}

#[test]
fn what_the_call_wrote_to_its_arguments_is_asserted() {
    let test = "target p/Box.list (Ljava/util/List;Ljava/io/Writer;)V
v0: I = int 7
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: Ljava/util/ArrayList; = new java/util/ArrayList.<init> ()V ()
v3: Ljava/io/StringWriter; = new java/io/StringWriter.<init> ()V ()
v4: V = call method p/Box.list (Ljava/util/List;Ljava/io/Writer;)V on v1 (v2, v3)
";
    let test: AssertedTest = test.parse().unwrap();
    let observed = append_inspectors(&test.test, &cluster(&program(), "p/Box"));
    let names = inspectors(&observed);
    // In front of what the receiver shows.
    assert_eq!(names[..2], ["size", "toString"]);
    let run = |list: [&str; 2], text: &str| {
        let inspected = names.len() - 2;
        let snapshots = |list: &str, written: &str| {
            let mut all: Vec<Snapshot> = ["-", "object p/Box", list, "object java/io/StringWriter", "-"].map(snapshot).into();
            all.extend(["int 1", &format!("string \"{text}\"")].map(snapshot));
            all.extend(vec![Snapshot::Absent; inspected]);
            if let Snapshot::Object { to_string, .. } = &mut all[3] {
                *to_string = Some(written.encode_utf16().collect());
            }
            all
        };
        let completed = completed(&[]);
        Execution { snapshots: snapshots(list[0], ""), final_snapshots: snapshots(list[1], text), ..completed }
    };
    let lines = |list: [&str; 2], text: &str| stated(&observed, &[run(list, text), run(list, text)]);
    let (empty, one) = ("holding container list []", "holding container list [boxed int 7]");
    assert_eq!(lines([empty, one], ""), ["assert v2 equals container list [boxed int 7]"]);
    assert_eq!(lines([empty, empty], "a").len(), 1);
    assert!(lines([empty, empty], "a")[0].ends_with("equals string \"a\""));
    // The list holds what the test cannot state: its size is asserted.
    assert!(lines([empty, "object java/util/ArrayList"], "")[0].ends_with("equals int 1"));
    assert_eq!(lines([empty, empty], ""), [""; 0]);
}

#[test]
fn only_the_length_of_long_arrays_and_object_arrays_is_asserted() {
    let observed = observed(
        "v0: I = int 2
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: [I = call method p/Box.cells ()[I on v1 ()
v3: [Ljava/lang/Object; = call method p/Box.objects ()[Ljava/lang/Object; on v1 ()
",
    );
    let cells = format!("array I 17 [{}]", ["int 1"; 17].join(", "));
    let objects = Snapshot::Array {
        element: snapshot_type("Ljava/lang/Object;"),
        length: 1,
        elements: Some(vec![snapshot("object p/Box same 1")]),
    };
    let mut seen = completed(&["-", "object p/Box", &cells, "-"]);
    seen.snapshots[3] = objects.clone();
    seen.final_snapshots[3] = objects;
    let expected = ["assert v2 equals array I 17", "assert v3 equals array Ljava/lang/Object; 1"];
    assert_eq!(stated(&observed, &[seen.clone(), seen]), expected);
}

fn snapshot_type(descriptor: &str) -> tracewright::program::JavaType {
    tracewright::program::JavaType::parse(descriptor).unwrap()
}

#[test]
fn machine_dependent_strings_are_asserted_only_as_non_null() {
    let observed = observed(
        "target p/Box.text ()Ljava/lang/String;
v0: I = int 2
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: Ljava/lang/String; = call method p/Box.text ()Ljava/lang/String; on v1 ()
",
    );
    let run = |text: &str| completed(&["-", "object p/Box", &format!("string \"{text}\"")]);
    for text in ["2", "", "a@b.example", "no Box@12", "\\ud800 \\u0000"] {
        let expected = format!("assert v2 equals string \"{text}\"");
        assert_eq!(stated(&observed, &[run(text), run(text)]), [expected]);
    }
    for text in ["p.Box@1b2c3d4e", "in /tmp/run-17/x", "p.Box$$Lambda/0x1", "Thread[main,5,main]", &"x".repeat(401)] {
        assert_eq!(stated(&observed, &[run(text), run(text)]), ["assert v2 not-null"], "{text}");
    }
}

#[test]
fn enum_constants_are_asserted_if_the_test_can_name_them() {
    let observed = observed(
        "target p/Box.kind ()Lp/Box$Kind;
v0: I = int 2
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: Lp/Box$Kind; = call method p/Box.kind ()Lp/Box$Kind; on v1 ()
",
    );
    let run = |value: &str| completed(&["-", "object p/Box", value]);
    // A constant with a body has an anonymous class; the assertion names its enum.
    let stated = |value: &str| stated(&observed, &[run(value), run(value)]);
    assert_eq!(stated("enum p/Box$Kind$1 FULL"), ["assert v2 equals enum p/Box$Kind FULL"]);
    assert_eq!(stated("enum p/Box$Kind EMPTY"), ["assert v2 equals enum p/Box$Kind EMPTY"]);
    assert_eq!(stated("enum p/Box$Kind GONE"), ["assert v2 not-null"]);
    // A class without constants of an enum may have constants all the same.
    let order = "enum java/nio/ByteOrder BIG_ENDIAN";
    assert_eq!(stated(order), [format!("assert v2 equals {order}")]);
    assert_eq!(stated("enum java/nio/ByteOrder MIDDLE"), ["assert v2 not-null"]);
    assert_eq!(stated("class Lp/Box;"), ["assert v2 equals class Lp/Box;"]);
    assert_eq!(stated("class Lp/Box$Hidden;"), ["assert v2 not-null"]);
    assert_eq!(stated("boxed char 97"), ["assert v2 equals boxed char 97"]);
}

#[test]
fn the_class_of_a_result_is_asserted_where_it_is_one_of_the_cases_of_a_type() {
    let result_of = |call: &str, class: &str| {
        let observed = observed(&format!("v0: Lp/Till; = new p/Till.<init> ()V ()\nv1: I = int 3\nv2: {call}\n"));
        let run = completed(&["object p/Till", "-", class]);
        let stated = stated(&observed, &[run.clone(), run]).pop().expect("an assertion");
        stated.splitn(3, ' ').last().expect("a fact").to_owned()
    };
    let pay = "Lp/Till$Answer; = call method p/Till.pay (I)Lp/Till$Answer; on v0 (v1)";
    assert_eq!(result_of(pay, "object p/Till$Paid"), "instance p/Till$Paid");
    // The test cannot name it.
    assert_eq!(result_of(pay, "object p/Till$Refused"), "not-null");
    let paid = "Lp/Till$Paid; = call method p/Till.paid ()Lp/Till$Paid; on v0 ()";
    assert_eq!(result_of(paid, "object p/Till$Paid"), "not-null");
    let bills = "Ljava/util/List; = call method p/Till.bills ()Ljava/util/List; on v0 ()";
    assert_eq!(result_of(bills, "object java/util/ArrayList"), "not-null");
}

const FAIL: &str = "target p/Box.run ()V
v0: I = int 2
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: I = call method p/Box.get ()I on v1 ()
v3: V = call method p/Box.fail ()V on v1 ()
v4: V = call method p/Box.run ()V ()
";

#[test]
fn containers_and_records_are_asserted_whole() {
    let given = observed(
        "target p/Till.bills ()Ljava/util/List;
acted 2
v0: Lp/Till; = new p/Till.<init> ()V ()
v1: Ljava/util/List; = call method p/Till.bills ()Ljava/util/List; on v0 ()
v2: I = call interface-method java/util/List.size ()I on v1 ()
",
    );
    let seen = |contents: &str, last: &str| {
        let snapshots =
            |contents: &str| ["object p/Till".to_owned(), format!("holding container {contents}"), "int 1".to_owned()];
        let (first, last) = (snapshots(contents), snapshots(last));
        changed(&first.each_ref().map(String::as_str), &last.each_ref().map(String::as_str))
    };
    let lines = |contents: &str, last: &str| stated(&given, &[seen(contents, last), seen(contents, last)]);
    let whole = |contents: &str| [format!("assert v1 equals container {contents}")];
    let parts = ["assert v2 equals int 1"];
    for contents in [
        "list [string \"a\", null]",
        "set [boxed int 1]",
        "map [string \"a\", boxed char 98]",
        "optional []",
        "record p/Till$Receipt [boxed int 1, container list [string \"a\"]]",
        "record p/Till$Receipt [boxed int 1, null]",
        "record p/Till$Amount [boxed int 1, string \"a\"]",
        "value java/math/BigDecimal [string \"29.00\"]",
        "optional [container value java/time/LocalDate [string \"2024-01-31\"]]",
    ] {
        assert_eq!(lines(contents, contents), whole(contents), "{contents}");
    }
    // The contents at the end of the test count.
    assert_eq!(lines("list []", "list [string \"a\"]"), whole("list [string \"a\"]"));
    for contents in [
        "set [null]",
        "list [boxed double 0.3333333333333333]",
        // A path of this machine.
        "value java/net/URI [string \"file:/tmp/run-17/x\"]",
        // Without an `equals` of its own, and with another number of components.
        "record p/Till$Split [boxed int 1]",
        "record p/Till$Amount [boxed int 1]",
        // Its own `equals`, a parameter that takes no list of `List.of`, and two constructors that `1`
        // could mean.
        "record p/Till$Trimmed [string \"a\"]",
        "record p/Till$Listed [container list []]",
        "record p/Till$Scaled [boxed int 1]",
    ] {
        assert_eq!(lines(contents, contents), parts, "{contents}");
    }
}

#[test]
fn only_stable_parts_of_exceptions_are_asserted() {
    let observed = observed(FAIL);
    let seen = ["-", "object p/Box", "int 2", "-", "-"];
    let runs = |ends: [RunEnd; 2]| ends.map(|end| ended(end, &seen));
    let both = |class: &str, message: Option<&str>, by: &str| {
        stated(&observed, &runs([threw(3, class, message, by), threw(3, class, message, by)]))
    };
    let iae = "java/lang/IllegalArgumentException";
    assert_eq!(both(iae, Some("no 2"), "p/Box"), ["throws java/lang/IllegalArgumentException \"no 2\""]);
    // Messages of the JDK may differ in its next version and are not asserted.
    assert_eq!(both(iae, Some("no 2"), "java/util/Objects"), ["throws java/lang/IllegalArgumentException"]);
    assert_eq!(both("java/lang/ArithmeticException", Some("/ by zero"), "p/Box"), ["throws java/lang/ArithmeticException"]);
    for text in ["", "in /tmp/run-17/x", "p.Box@1b2c3d4e", &"x".repeat(121)] {
        assert_eq!(both(iae, Some(text), "p/Box"), ["throws java/lang/IllegalArgumentException"], "{text}");
    }
    // For an inaccessible exception class, its accessible superclass is asserted.
    assert_eq!(both("p/Box$Hidden", None, "p/Box"), ["throws java/lang/IllegalStateException"]);
    let differing = [threw(3, iae, Some("no 2"), "p/Box"), threw(3, iae, Some("no 3"), "p/Box")];
    assert_eq!(stated(&observed, &runs(differing)), ["throws java/lang/IllegalArgumentException"]);
    // Messages that depend on earlier runs or on the machine.
    for class in ["java/lang/ExceptionInInitializerError", "java/lang/NoClassDefFoundError", "java/lang/StackOverflowError"] {
        let ends = [threw(3, class, None, "p/Box"), threw(3, class, None, "p/Box")];
        assert_eq!(state(&observed, &runs(ends)), Err(DiscardReason::Unsuitable(ClassName::new(class))));
    }
}

#[test]
fn a_test_ends_with_the_throwing_call_and_its_exception() {
    let observed = observed(FAIL);
    let seen = ["-", "object p/Box", "int 2", "-", "-"];
    let iae = || threw(3, "java/lang/IllegalArgumentException", Some("no 2"), "p/Box");
    let test = state(&observed, &[ended(iae(), &seen), ended(iae(), &seen)]).unwrap();
    let expected = "target p/Box.fail ()V
v0: I = int 2
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: I = call method p/Box.get ()I on v1 ()
v3: V = call method p/Box.fail ()V on v1 ()
throws java/lang/IllegalArgumentException \"no 2\"
";
    assert_eq!(test.to_string(), expected);
    assert_eq!(test.fault, None);
    let cast = || threw(3, "java/lang/ClassCastException", Some("class p.Box cannot be cast to class p.Other"), "p/Box");
    let test = state(&observed, &[ended(cast(), &seen), ended(cast(), &seen)]).unwrap();
    assert_eq!(test.fault.as_deref(), Some("undeclared ClassCastException"));
    assert_eq!(test.expected.unwrap().message, None);
}

const INSPECTED: &str = "target p/Account.add (I)V
acted 4
v0: Ljava/lang/String; = string \"me\"
v1: Lp/Account; = new p/Account.<init> (Ljava/lang/String;)V (v0)
v2: I = int 5
v3: V = call method p/Account.add (I)V on v1 (v2)
v4: I = call method p/Account.getSum ()I on v1 ()
v5: I = call method p/Account.getRank ()I on v1 ()
v6: Ljava/lang/String; = call method p/Account.getOwner ()Ljava/lang/String; on v1 ()
";

/// Simulates a JVM whose methods return given values or end the run. Also returns the number of
/// test cases in each round.
fn observe_by(
    tests: &mut [ObservedTest],
    gives: impl Fn(u32, &str) -> Result<&'static str, RunEnd>,
) -> (Vec<Execution>, Vec<usize>) {
    let mut rounds = Vec::new();
    let executions = observe_tests(tests, |tests| -> Result<Vec<Execution>, ()> {
        rounds.push(tests.len());
        let execute = |test: &TestCase| {
            let mut seen = Vec::new();
            for (index, statement) in test.statements.iter().enumerate() {
                let given = match &statement.kind {
                    StatementKind::Call { method, .. } => gives(index as u32, &method.name),
                    StatementKind::Construct { .. } => Ok("object p/Account"),
                    _ => Ok("-"),
                };
                match given {
                    Ok(text) => seen.push(text),
                    Err(end) => {
                        seen.resize(test.statements.len(), "-");
                        return ended(end, &seen);
                    }
                }
            }
            completed(&seen)
        };
        Ok(tests.iter().map(execute).collect())
    });
    (executions.unwrap(), rounds)
}

#[test]
fn an_inspector_that_ends_the_run_loses_only_its_own_observation() {
    type End = fn(u32) -> RunEnd;
    let ends: [End; 6] = [
        |statement| threw(statement, "java/lang/NullPointerException", None, "p/Account"),
        |statement| RunEnd::Budget { statement },
        |statement| RunEnd::Timeout { statement },
        |statement| RunEnd::Illegal { statement, why: "access".into() },
        |statement| RunEnd::Refused { statement, what: "writing".into() },
        |statement| RunEnd::Exhausted { statement, what: "memory".into() },
    ];
    let harmless = || observed(&INSPECTED.replace("getRank", "getSum"));
    for end in ends {
        let mut tests = [harmless(), observed(INSPECTED), harmless()];
        let (executions, rounds) = observe_by(&mut tests, |index, name| match name {
            "getSum" => Ok("int 5"),
            "getOwner" => Ok("string \"me\""),
            "add" => Ok("-"),
            _ => Err(end(index)),
        });
        assert_eq!(rounds, [3, 1], "only the interrupted test is observed again");
        let runs = [executions[1].clone(), executions[1].clone()];
        assert_eq!(stated(&tests[1], &runs), ["assert v4 equals int 5", "assert v5 equals string \"me\""], "{:?}", end(0));
        assert_eq!((&tests[0], &tests[2]), (&harmless(), &harmless()));
    }
    // It is unknown which inspector ended the JVM, so the test keeps none.
    let mut tests = [observed(INSPECTED)];
    let (executions, _) = observe_by(&mut tests, |_, name| if name == "add" { Ok("-") } else { Err(RunEnd::Died) });
    assert_eq!((tests[0].test.len(), &executions[0].end), (4, &RunEnd::Completed));
}

#[test]
fn a_test_whose_inspectors_all_fail_is_observed_a_bounded_number_of_times() {
    let inspector = "= call method p/Account.getRank ()I on v1 ()\n";
    let text: String = (6..20).map(|index| format!("v{index}: I {inspector}")).collect();
    let mut tests = [observed(&(INSPECTED.split("v6:").next().unwrap().to_owned() + &text))];
    let gives = |index: u32, name: &str| match name {
        "getRank" => Err(threw(index, "java/lang/IllegalStateException", None, "p/Account")),
        "getSum" => Ok("int 5"),
        _ => Ok("-"),
    };
    let (executions, rounds) = observe_by(&mut tests, gives);
    assert!(rounds.len() <= 8, "{rounds:?}");
    assert_eq!(executions[0].end, RunEnd::Completed);
    assert_eq!(stated(&tests[0], &executions), ["assert v4 equals int 5"]);
}

#[test]
fn observations_are_kept_if_no_time_is_left_to_repeat_them() {
    let mut tests = [observed(INSPECTED)];
    let mut rounds = 0;
    let interrupted = threw(5, "java/lang/NullPointerException", None, "p/Account");
    let executions = observe_tests(&mut tests, |_| -> Result<Vec<Execution>, ()> {
        rounds += 1;
        let seen = ["-", "object p/Account", "-", "-", "int 5", "-", "-"];
        Ok(vec![ended(if rounds == 1 { interrupted.clone() } else { RunEnd::Unrun }, &seen)])
    });
    assert_eq!(stated(&tests[0], &executions.unwrap()), ["assert v4 equals int 5"]);
}

#[test]
fn an_inspector_that_ends_one_run_alone_costs_no_test() {
    let observed = observed(INSPECTED);
    let seen = ["-", "object p/Account", "-", "-", "int 5", "-", "-"];
    for end in [threw(5, "java/lang/NullPointerException", None, "p/Account"), RunEnd::Budget { statement: 5 }] {
        let runs =
            [ended(end.clone(), &seen), completed(&["-", "object p/Account", "-", "-", "int 5", "int 2", "string \"me\""])];
        // Later values were not observed in every execution.
        let test = state(&observed, &runs).unwrap();
        assert_eq!((test.expected.as_ref(), test.acted), (None, 4), "{end:?}");
        let expected = INSPECTED.split("v5:").next().unwrap().to_owned() + "assert v4 equals int 5\n";
        assert_eq!(test.to_string(), expected, "{end:?}");
    }
    // A refused call must not be part of a test.
    let refused = RunEnd::Refused { statement: 5, what: "writing".into() };
    assert_eq!(state(&observed, &[ended(refused, &seen)]), Err(DiscardReason::Refused("writing".into())));
}

#[test]
fn a_single_inspector_can_be_removed() {
    let observed = observed(INSPECTED);
    let without = observed.without_inspector(5).unwrap();
    let seen = completed(&["-", "object p/Account", "-", "-", "int 5", "string \"me\""]);
    assert_eq!(
        stated(&without, &[seen.clone(), seen]),
        ["assert v4 equals int 5", "assert v5 equals string \"me\""],
        "the one behind it has moved up"
    );
    let before = observed.truncated_at(5).unwrap();
    assert_eq!((before.test.len(), before.acted), (5, 4));
    // Statements of the test itself cannot be removed, nor statements that do not exist.
    assert_eq!((observed.without_inspector(3), observed.without_inspector(7), observed.truncated_at(3)), (None, None, None));
}

#[test]
fn values_that_the_test_itself_made_are_not_asserted() {
    let text = "target p/Box.get ()I
v0: Z = true
v1: Ljava/lang/Boolean; = call method java/lang/Boolean.valueOf (Z)Ljava/lang/Boolean; (v0)
v2: Z = call method java/lang/Boolean.booleanValue ()Z on v1 ()
v3: Ljava/util/ArrayList; = new java/util/ArrayList.<init> ()V ()
v4: Z = call method java/util/ArrayList.add (Ljava/lang/Object;)Z on v3 (v1)
v5: I = call method java/util/ArrayList.size ()I on v3 ()
v6: I = int 3
v7: Lp/Box; = new p/Box.<init> (I)V (v6)
v8: Z = call method java/util/ArrayList.add (Ljava/lang/Object;)Z on v3 (v7)
v9: I = call method java/util/ArrayList.size ()I on v3 ()
v10: I = call method p/Box.get ()I on v7 ()
v11: Ljava/lang/Integer; = call method java/lang/Integer.valueOf (I)Ljava/lang/Integer; (v10)
v12: I = call method java/lang/Integer.intValue ()I on v11 ()
";
    let seen = completed(&[
        "-",
        "boxed true",
        "true",
        "object java/util/ArrayList",
        "true",
        "int 1",
        "-",
        "object p/Box",
        "true",
        "int 2",
        "int 3",
        "boxed int 3",
        "int 3",
    ]);
    let stated = stated(&observed(text), &[seen.clone(), seen]);
    // Every object after the first one of the class under test may depend on it: a list that
    // contains it, a number it returned. That the list took it is no news.
    for kept in ["assert v9 equals int 2", "assert v10 equals int 3", "assert v12 equals int 3"] {
        assert!(stated.contains(&kept.to_owned()), "{kept}: {stated:?}");
    }
    for gone in ["assert v1 ", "assert v2 ", "assert v4 ", "assert v5 ", "assert v8 "] {
        assert!(!stated.iter().any(|line| line.starts_with(gone)), "{gone}: {stated:?}");
    }
}

#[test]
fn no_fact_is_asserted_twice() {
    // The call under test is an inspector.
    let twice = INSPECTED
        .replace("v3: V = call method p/Account.add (I)V on v1 (v2)", "v3: I = call method p/Account.getSum ()I on v1 ()");
    let seen = completed(&["-", "object p/Account", "-", "int 0", "int 0", "int 2", "string \"me\""]);
    let lines = stated(&observed(&twice.replace("p/Account.add (I)V", "p/Account.getSum ()I")), &[seen.clone(), seen]);
    assert_eq!(lines, ["assert v2 equals int 0", "assert v3 equals int 2", "assert v4 equals string \"me\""]);
    // A result that is the receiver is observed once.
    let same = "target p/Box.self ()Ljava/lang/Object;
acted 3
v0: I = int 3
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: Lp/Box; = call method p/Box.copy ()Lp/Box; on v1 ()
v3: I = call method p/Box.get ()I on v2 ()
v4: I = call method p/Box.get ()I on v1 ()
v5: Z = call method java/lang/Object.equals (Ljava/lang/Object;)Z on v1 (v1)
";
    let seen = completed(&["-", "object p/Box", "object p/Box same 1", "int 3", "int 3", "true"]);
    let lines = stated(&observed(same), &[seen.clone(), seen]);
    assert_eq!(lines, ["assert v2 same v1", "assert v3 equals int 3"], "nor that an object equals itself");
    let seen = completed(&["-", "object p/Box", "object p/Box", "int 3", "int 3", "true"]);
    assert_eq!(stated(&observed(same), &[seen.clone(), seen]).len(), 2, "two objects are looked at both");
}

#[test]
fn inspectors_without_an_assertion_are_removed() {
    let observed = observed(INSPECTED);
    let seen = completed(&["-", "object p/Account", "-", "-", "int 5", "int 2", "string \"me\""]);
    let test = state(&observed, &[seen.clone(), seen]).unwrap();
    assert_eq!(test.assertions.len(), 3, "{test}");
    let kept = test.retain_assertions(&[false, false, true]);
    let expected = INSPECTED.split("v4:").next().unwrap().to_owned()
        + "v4: Ljava/lang/String; = call method p/Account.getOwner ()Ljava/lang/String; on v1 ()
assert v4 equals string \"me\"
";
    assert_eq!(kept.to_string(), expected);
    assert_eq!(test.retain_assertions(&[true, true, true]), test);
    let none = test.retain_assertions(&[false, false, false]);
    assert_eq!((none.test.len(), none.acted, none.assertions.len()), (4, 4, 0), "{none}");
}

#[test]
fn an_inspector_that_asks_a_mock_tells_nothing_about_the_object() {
    let observed = observed(INSPECTED);
    let mut seen = completed(&["-", "object p/Account", "-", "-", "int 5", "int 2", "string \"me\""]);
    let method = MethodRef::new(ClassName::new("p/Bank"), "rate", "()I");
    seen.interactions.push(Interaction { statement: 5, mock: VarId(0), method, arguments: Vec::new() });
    let test = state(&observed, &[seen.clone(), seen]).unwrap();
    let subjects: Vec<u32> = test.assertions.iter().map(|assertion| assertion.subject.0).collect();
    assert_eq!(subjects, [4, 5], "{test}");
}

/// The test of a call of `p/Faults` that throws in a line of a method.
fn faulty(call: &str, class: &str, message: &str, thrown_in: (&str, i32)) -> AssertedTest {
    let observed = observed(&format!("v0: Lp/Faults; = new p/Faults.<init> ()V ()\n{call}"));
    let last = observed.test.len() as u32 - 1;
    let frames = vec![(ClassName::new("p/Faults"), thrown_in.0.to_owned(), thrown_in.1)];
    let message = Some(message.encode_utf16().collect());
    let thrown = Thrown { class: ClassName::new(class), message, in_project: true, frames };
    let seen = vec!["-"; observed.test.len()];
    let run = || ended(RunEnd::Threw { statement: last, thrown: thrown.clone() }, &seen);
    state(&observed, &[run(), run()]).unwrap()
}

#[test]
fn a_failing_assert_is_told_from_an_error_that_code_throws() {
    let call = |method: &str| format!("v1: I = int -1\nv2: I = call method p/Faults.{method} (I)I (v1)\n");
    let error = |method: &str, line| faulty(&call(method), "java/lang/AssertionError", "-1", (method, line));
    let checked = error("checked", 3);
    assert_eq!(checked.fault.as_deref(), Some("an assert of the class failed"));
    assert_eq!(checked.assumes, Some(ClassName::new("p/Faults")));
    // Without lines, a method that throws the error in another way, too, is in doubt.
    for (line, is_assert) in [(5, true), (6, false), (0, false)] {
        let test = error("thrown", line);
        assert_eq!((test.fault.is_some(), test.assumes.is_some()), (is_assert, is_assert), "line {line}");
    }
}

#[test]
fn an_exception_is_a_fault_only_where_the_class_alone_is_to_blame() {
    let null = "Cannot invoke \"String.length()\" because ";
    let npe = "java/lang/NullPointerException";
    let instance = |method: &str| format!("v1: I = call method p/Faults.{method} ()I on v0 ()\n");
    let size = |text: &str| {
        format!("v1: Ljava/lang/String; = {text}\nv2: I = call method p/Faults.size (Ljava/lang/String;)I on v0 (v1)\n")
    };
    let cells = |count: i32| format!("v1: I = int {count}\nv2: [I = call method p/Faults.cells (I)[I (v1)\n");
    let list = "v1: Ljava/util/ArrayList; = new java/util/ArrayList.<init> ()V ()\nv2: I = int 1\n\
         v3: Ljava/lang/Integer; = call method java/lang/Integer.valueOf (I)Ljava/lang/Integer; (v2)\n\
         v4: Z = call method java/util/ArrayList.add (Ljava/lang/Object;)Z on v1 (v3)\n\
         v5: Ljava/lang/String; = call method p/Faults.first (Ljava/util/List;)Ljava/lang/String; (v1)\n";
    let cast = "class java.lang.Integer cannot be cast to class java.lang.String";
    let field = |name: &str| format!("{null}\"this.{name}\" is null");
    for (call, class, message, method, is_fault) in [
        (instance("length"), npe, field("own"), "length", true),
        (instance("length"), npe, "own".into(), "length", false),
        (instance("length"), npe, format!("{null}\"<local1>.own\" is null"), "length", true),
        (instance("length"), npe, format!("{null}\"p.Box.sum\" is null"), "length", false),
        (size("string \"a\""), npe, field("injected"), "size", false),
        (size("null"), npe, field("own"), "size", false),
        (instance("ask"), npe, format!("{null}\"<local1>\" is null"), "ask", false),
        (list.into(), "java/lang/ClassCastException", cast.into(), "first", false),
        (instance("length"), "java/lang/ClassCastException", cast.into(), "length", true),
        (cells(-1), "java/lang/NegativeArraySizeException", "-1".into(), "cells", false),
        (cells(1), "java/lang/NegativeArraySizeException", "-1".into(), "cells", true),
    ] {
        let fault = faulty(&call, class, &message, (method, 0)).fault;
        assert_eq!(fault.is_some(), is_fault, "{method}: {message}: {fault:?}");
    }
}

#[test]
fn broken_contracts_are_faults() {
    let observed = observed(
        "target p/Box.equals (Ljava/lang/Object;)Z
v0: I = int 2
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
v2: Z = call method p/Box.equals (Ljava/lang/Object;)Z on v1 (v1)
",
    );
    let fault = |value: &str| {
        let run = completed(&["-", "object p/Box", value]);
        state(&observed, &[run.clone(), run]).unwrap().fault
    };
    assert_eq!(fault("false").as_deref(), Some("an object is not equal to itself"));
    assert_eq!(fault("true"), None);
}

fn cluster(program: &Arc<Program>, name: &str) -> Cluster {
    let package = name.starts_with("java/").then(|| "elsewhere".to_owned());
    let config = ClusterConfig { test_package: package, ..ClusterConfig::default() };
    Cluster::build(program, &ClassName::new(name), &config).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of the added inspectors.
fn inspectors(observed: &ObservedTest) -> Vec<String> {
    let added = &observed.test.statements[observed.acted as usize..];
    let name = |kind: &StatementKind| match kind {
        StatementKind::Call { method, .. } => method.name.to_string(),
        StatementKind::GetField { field, .. } => field.name.to_string(),
        other => panic!("no inspector: {other:?}"),
    };
    added.iter().map(|statement| name(&statement.kind)).collect()
}

#[test]
fn the_object_that_a_test_changed_is_observed() {
    let program = program();
    let test = INSPECTED.lines().skip(2).take(4).collect::<Vec<_>>().join("\n").parse::<TestCase>().unwrap();
    let observed = append_inspectors(&test, &cluster(&program, "p/Account"));
    assert_eq!(observed.target.as_ref().map(|target| target.name.to_string()).as_deref(), Some("add"));
    // What the call may have changed comes first, and a constant tells nothing.
    assert_eq!(inspectors(&observed).first().map(String::as_str), Some("getSum"));
    let found: BTreeSet<String> = inspectors(&observed).into_iter().collect();
    assert_eq!(found, ["getOwner", "getRank", "getSum"].map(str::to_owned).into(), "{observed:?}");
}

#[test]
fn getters_tell_what_the_first_element_of_a_list_is() {
    let test: TestCase =
        "v0: Lp/Shelf; = new p/Shelf.<init> ()V ()\nv1: Ljava/util/List; = call method p/Shelf.all ()Ljava/util/List; on v0 ()\n"
            .parse()
            .unwrap();
    let observed = append_inspectors(&test, &cluster(&program(), "p/Shelf")).test.to_string();
    assert!(
        observed.contains(": Lp/Wide; = call interface-method java/util/List.get (I)Ljava/lang/Object; on v1 ("),
        "{observed}"
    );
    assert!(["getA", "getD"].iter().all(|getter| observed.contains(&format!("p/Wide.{getter} ()I on v"))), "{observed}");
}

#[test]
fn getters_tell_the_state_of_a_result_that_no_test_makes() {
    let test: TestCase =
        "v0: Lp/Desk; = new p/Desk.<init> ()V ()\nv1: Lp/Reply; = call method p/Desk.ask ()Lp/Reply; on v0 ()\n".parse().unwrap();
    let observed = append_inspectors(&test, &cluster(&program(), "p/Desk"));
    // Neither a deprecated method nor `component1`, which says the same as a getter.
    assert_eq!(inspectors(&observed), ["getCode", "getLevel", "getBody"]);
}

const ANSWERED: &str = "v0: Lp/Wide; = new p/Wide.<init> ()V ()
v1: Lp/Accounts; = mock p/Accounts (p/Accounts.find ()Lp/Wide; v0)
v2: Lp/Bank; = new p/Bank.<init> (Lp/Accounts;)V (v1)
v3: V = call method p/Bank.pay ()V on v2 ()
";

#[test]
fn what_a_mock_returns_is_observed() {
    let program = program();
    let observed = append_inspectors(&ANSWERED.parse().unwrap(), &cluster(&program, "p/Bank"));
    let names = inspectors(&observed);
    // More getters than a test asserts: what the code sets under a condition comes first.
    assert_eq!(names, ["getH", "getA", "getB", "getC", "getD", "getE", "getF", "getG"]);
    let mut seen = vec!["object p/Wide", "object p/Accounts", "object p/Bank", "-", "int 3"];
    seen.extend(["int 0"; 7]);
    let facts = stated(&observed, &[completed(&seen), completed(&seen)]);
    assert!(facts.iter().any(|fact| fact.ends_with("equals int 3")), "{facts:?}");
    assert_eq!(facts.iter().filter(|fact| fact.ends_with("equals int 0")).count(), 5, "{facts:?}");
}

#[test]
fn what_the_code_sets_in_an_object_of_a_library_is_observed() {
    let text = "v0: Lp/Table; = new p/Table.<init> ()V ()
v1: Ljavax/swing/table/DefaultTableModel; = new javax/swing/table/DefaultTableModel.<init> ()V ()
v2: V = call method p/Table.open (Ljavax/swing/table/DefaultTableModel;)V on v0 (v1)
";
    let observed = append_inspectors(&text.parse().unwrap(), &cluster(&program(), "p/Table"));
    assert_eq!(inspectors(&observed), ["getRowCount"], "its columns have no getter without arguments");
}

#[test]
fn whether_the_thread_is_interrupted_is_asked_where_a_mock_interrupts_the_call() {
    let first = |class: &str| {
        let text = ANSWERED.replace("p/Wide; = new p/Wide", &format!("{class}; = new {class}")).replace(" v0)", " throws v0)");
        inspectors(&append_inspectors(&text.parse().unwrap(), &cluster(&program(), "p/Bank"))).first().cloned()
    };
    assert_eq!(first("java/lang/InterruptedException").as_deref(), Some("interrupted"));
    assert_eq!(first("java/lang/IllegalStateException"), None);
}

#[test]
fn calls_before_an_exception_are_facts_too() {
    let text =
        ANSWERED.replace("p/Accounts.find ()Lp/Wide; v0", "").replace("v0: Lp/Wide; = new p/Wide.<init> ()V ()", "v0: I = int 1");
    let observed = observed(&format!("target p/Bank.pay ()V\n{text}"));
    let log = Interaction {
        statement: 3,
        mock: VarId(1),
        method: MethodRef::new(ClassName::new("p/Accounts"), "log", "(Ljava/lang/String;)V"),
        arguments: vec![ArgumentValue { snapshot: snapshot("string \"none\""), variable: None, inspected: Vec::new() }],
    };
    let seen = ["int 1", "object p/Accounts", "object p/Bank", "-"];
    let end = || threw(3, "java/lang/IllegalStateException", Some("none"), "p/Bank");
    let execution = Execution { interactions: vec![log], ..ended(end(), &seen) };
    let facts = stated(&observed, &[execution.clone(), execution.clone()]);
    let expected = "assert v0 called 1 p/Accounts.log (Ljava/lang/String;)V (equals string \"none\")";
    assert_eq!(facts, [expected, "throws java/lang/IllegalStateException \"none\""]);
    // A mutant that removes the call is killed by its verification alone.
    let test = state(&observed, &[execution.clone(), execution.clone()]).unwrap();
    let outcome = |execution: &Execution| mutant_outcome(&test, execution, &|found, wanted| found == wanted);
    let renumbered = |execution: &Execution| {
        let mut execution = execution.clone();
        if let RunEnd::Threw { statement, .. } = &mut execution.end {
            *statement = 2;
        }
        execution.snapshots.remove(0);
        execution.final_snapshots.remove(0);
        execution.interactions.iter_mut().for_each(|call| (call.statement, call.mock) = (2, VarId(0)));
        execution
    };
    assert_eq!(outcome(&renumbered(&execution)), MutantOutcome::Survived);
    let removed = Execution { interactions: Vec::new(), ..renumbered(&execution) };
    assert_eq!(outcome(&removed), MutantOutcome::KilledByAssertion(vec![0]));
}

#[test]
fn calls_whose_result_is_thrown_away_are_known() {
    let program = program();
    let ignored = IgnoredResults::of_classes(&program, [ClassName::new("p/Ignoring")].iter());
    let is_ignored =
        |class: &str, name: &str, descriptor: &str| ignored.contains(&MethodRef::new(ClassName::new(class), name, descriptor));
    assert!(is_ignored("java/util/List", "add", "(Ljava/lang/Object;)Z"));
    assert!(is_ignored("java/util/Map", "put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"));
    assert!(!is_ignored("java/util/List", "remove", "(Ljava/lang/Object;)Z"));
    assert!(!is_ignored("java/util/Map", "clear", "()V"));
}

#[test]
fn a_map_is_observed_by_its_size_and_text() {
    let program = program();
    let test: TestCase = "v0: Ljava/util/TreeMap; = new java/util/TreeMap.<init> ()V ()
v1: Ljava/lang/String; = string \"a\"
v2: Ljava/lang/Object; = call method java/util/TreeMap.put (Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object; on v0 (v1, v1)
"
    .parse()
    .unwrap();
    let observed = append_inspectors(&test, &cluster(&program, "java/util/TreeMap"));
    assert_eq!(observed.acted, 3);
    assert_eq!(observed.test.statements[..3], test.statements[..]);
    let names = inspectors(&observed);
    assert!(names.contains(&"size".to_owned()) && names.contains(&"toString".to_owned()), "{names:?}");
    let receivers = observed.test.statements[3..].iter().all(
        |statement| matches!(statement.kind, StatementKind::Call { receiver: Some(VarId(0)), ref args, .. } if args.is_empty()),
    );
    assert!(receivers, "{observed:?}");
}

/// Prefixes of the names of JDK methods that change their receiver.
const CHANGES: &[&str] = &[
    "add", "append", "clear", "compute", "delete", "drain", "ensure", "insert", "merge", "move", "next", "offer", "poll", "pop",
    "push", "put", "remove", "replace", "retain", "reverse", "set", "sort", "trim", "write", "read", "close", "skip", "reset",
];

#[test]
fn no_inspector_that_may_change_state_is_added() {
    let program = program();
    for name in
        ["java/util/TreeMap", "java/util/ArrayDeque", "java/lang/StringBuilder", "java/util/Scanner", "p/Box", "p/Account"]
    {
        let cluster = cluster(&program, name);
        let classes = [TargetClass { name: ClassName::new(name), branch_base: BranchSlot(0), line_base: LineSlot(0) }];
        let goals = GoalRegistry::of_classes(&program, &classes, &cluster);
        let mut search = Search::new(Arc::clone(&program), &cluster, goals, SearchConfig::default(), 3);
        let mut added = 0;
        for test in (0..5).flat_map(|_| search.ask(100)) {
            let observed = append_inspectors(&test, &cluster);
            let acted = observed.acted as usize;
            assert_eq!((acted, &observed.test.statements[..acted]), (test.len(), &test.statements[..]));
            assert_eq!(check(&observed.test, &*program), Ok(()), "{name}:\n{}", observed.test);
            assert!(observed.test.len() <= acted + 20, "{}", observed.test);
            for statement in &observed.test.statements[acted..] {
                added += 1;
                match &statement.kind {
                    StatementKind::Call { method, receiver: Some(receiver), args, .. } => {
                        assert!(receiver.index() < acted, "{}", observed.test);
                        assert!(args.is_empty() || &*method.name == "equals", "{}", observed.test);
                        let changes = CHANGES.iter().any(|change| method.name.starts_with(change));
                        assert!(!changes && &*method.name != "fill" && &*method.name != "fail", "{method:?}");
                        assert_ne!(statement.ty, snapshot_type("V"));
                    }
                    StatementKind::GetField { receiver: Some(receiver), .. } => assert!(receiver.index() < acted),
                    other => panic!("{name}: no inspector: {other:?}"),
                }
            }
        }
        assert!(added > 100, "{name}: {added}");
    }
}

#[test]
fn the_text_form_is_complete() {
    let floats = "target p/Box.get ()I
fault \"a \\\"quoted\\\" fault\"
assumes p/Box
acted 1
v0: I = int 3
v1: Lp/Box; = new p/Box.<init> (I)V (v0)
assert v1 equals float bits:7fc00000
assert v1 equals double -0.0
assert v1 equals string \"\\ud800\\u0000]\\\", [\"
assert v1 equals array [Ljava/lang/String; 2 [array Ljava/lang/String; 1 [string \"], [\"], null]
assert v1 equals array Lp/Box$Kind; 1 [enum p/Box$Kind FULL]
assert v1 equals container list [string \"]\", null]
assert v1 equals container map [boxed int 1, container record p/Box [container optional []]]
assert v1 same v0
throws p/Box \"\\u000a\"
";
    let parsed: AssertedTest = floats.parse().unwrap();
    assert_eq!(parsed.to_string(), floats);
    for (line, text) in [
        (1, "assert x null"),
        (1, "assert v0 equals"),
        (2, "v0: I = int 3\nassert v0 equals array I"),
        (2, "v0: I = int 3\nassert v0 same 1"),
        (1, "assert v0 equals container bag []"),
        (1, "assert v0 equals container map [int 1]"),
        (1, "acted some"),
        (1, "target p/Box"),
        (1, "fault unquoted"),
        (1, "throws p/Box unquoted"),
    ] {
        let error = text.parse::<AssertedTest>().expect_err(text);
        assert_eq!(error.line, line, "{text}: {}", error.reason);
    }
}
