//! The program as users run it: class files in, passing tests out.

use crate::subject::{Subject, end, samples};
use std::io::{BufRead, BufReader};
use tracewright_test_support::mockito_jars;

/// The sum of the numbers `N` of all comments `feasible: N` in a sample.
fn feasible(sample: &str) -> usize {
    let text = std::fs::read_to_string(samples().join(sample)).expect("a sample");
    text.lines()
        .filter_map(|line| line.split_once("// feasible:"))
        .map(|(_, rest)| {
            let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<usize>().expect("a number of outcomes")
        })
        .sum()
}

/// Generates tests with `steps` executions and queries. The numbers leave room.
#[track_caller]
fn covers_every_feasible_branch(sample: &str, class: &str, steps: &str) {
    covers_every_feasible_branch_with(sample, class, &["--steps", steps]);
}

#[track_caller]
fn covers_every_feasible_branch_with(sample: &str, class: &str, arguments: &[&str]) {
    let subject = Subject::of_samples(&[sample]);
    let ended = end(subject.generate(class).args(arguments));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    let covered = report.classes[0].goals.branch.covered;
    assert_eq!(covered, feasible(sample), "{sample}\n{}", subject.source(class));
    assert_eq!(report.classes[0].replay.divergences, 0, "{:?}", report.classes[0].replay.divergence_examples);
}

#[test]
fn triangle() {
    covers_every_feasible_branch("Triangle.java", "samples.Triangle", "3000");
}

#[test]
fn find_maximum() {
    covers_every_feasible_branch("FindMaximum.java", "samples.FindMaximum", "6000");
}

#[test]
fn sample_class_returns_yes() {
    covers_every_feasible_branch("SampleClass.java", "samples.SampleClass", "30000");
}

#[test]
fn int_stack() {
    covers_every_feasible_branch("IntStack.java", "samples.IntStack", "6000");
}

#[test]
fn ub_stack() {
    covers_every_feasible_branch("UBStack.java", "samples.UBStack", "6000");
}

#[test]
fn heap_array() {
    covers_every_feasible_branch("HeapArray.java", "samples.HeapArray", "2000");
}

#[test]
fn bin_search_tree() {
    covers_every_feasible_branch("BinSearchTree.java", "samples.BinSearchTree", "6000");
}

#[test]
fn binomial_heap() {
    // The last three branches need a heap of a rare shape, as those of TreeMap below do.
    covers_every_feasible_branch_with("BinomialHeap.java", "samples.BinomialHeap", &["--steps", "30000", "--seed", "3"]);
}

#[test]
fn linked_list() {
    covers_every_feasible_branch("LinkedList.java", "samples.LinkedList", "6000");
}

#[test]
fn tree_map() {
    // Two rotations need a tree of a rare shape: with some seeds, so many steps find one of them only.
    covers_every_feasible_branch_with("TreeMap.java", "samples.TreeMap", &["--steps", "30000", "--seed", "5"]);
}

#[test]
fn seed_and_steps_give_the_same_bytes() {
    let mut outputs = Vec::new();
    for _ in 0..2 {
        let subject = Subject::of_samples(&["Triangle.java"]);
        let ended = end(subject.generate("samples.Triangle").args(["--seed", "7", "--steps", "3000"]));
        assert_eq!(ended.status, 0, "{}", ended.err);
        let mut report = subject.report();
        report.jvm = Default::default();
        for class in &mut report.classes {
            class.seconds = 0.0;
            class.solver.seconds = 0.0;
            class.search.per_second = 0.0;
            class.mutants.per_second = 0.0;
            // The written tests kill most mutants.
            let mutants = class.goals.mutant;
            assert!(class.mutants.runs > 0 && mutants.covered * 10 > mutants.total * 7, "{mutants:?}");
            assert_eq!(class.mutants.surviving.len(), mutants.total - mutants.covered);
        }
        outputs.push((subject.source("samples.Triangle"), serde_json::to_string_pretty(&report).expect("text")));
    }
    assert_eq!(outputs[0].0, outputs[1].0);
    assert_eq!(outputs[0].1, outputs[1].1);
}

#[test]
fn the_search_kills_mutants_beyond_covering_branches() {
    // Branch coverage needs neither equal operands nor sums that depend on signs.
    let subject = Subject::of(&[(
        "p/Band.java",
        "package p; public class Band { public static int grade(int speed, int limit) { if (speed <= limit) return 0; \
         if (speed > limit + 20) return 2; return 1; } \
         public static long price(int width, int height, int rate) { return (long) width * height - rate % 7 + (rate >> 2); } }",
    )]);
    let killed = |strategy: &str| {
        let ended = end(subject.generate("p.Band").args(["--steps", "6000", "--strategy", strategy]));
        assert_eq!(ended.status, 0, "{}", ended.err);
        subject.report().classes[0].goals.mutant
    };
    let random = killed("random");
    assert!(random.covered < random.total, "no mutant is left to kill: {random:?}");
    let hunted = killed("search");
    assert_eq!(hunted.covered, hunted.total, "{}", subject.source("p.Band"));
}

#[test]
fn a_file_edited_by_hand_is_not_overwritten() {
    let subject = Subject::of_samples(&["Triangle.java"]);
    let generate = || subject.generate("samples.Triangle");
    assert_eq!(end(generate().args(["--steps", "300"])).status, 0);
    // An unchanged generated file is replaced.
    assert_eq!(end(generate().args(["--steps", "400"])).status, 0);
    let file = subject.out().join("samples/TriangleTracewrightTest.java");
    let edited = subject.source("samples.Triangle").replacen("{", "{ // mine", 1);
    std::fs::write(&file, &edited).expect("writable");
    let ended = end(generate().args(["--steps", "300"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(ended.out.contains("TriangleTracewrightTest.java"), "a message names the file: {}", ended.out);
    assert_eq!(subject.source("samples.Triangle"), edited);
    // It is noticed before the search.
    let report = std::fs::read_to_string(subject.folder.path().join("report/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!((&report["classes"][0]["search"]["executions"], &report["jvm"]["started"]), (&0.into(), &0.into()));
}

#[test]
fn junit_4_and_kinds_of_classes() {
    let subject = Subject::of(&[
        ("p/Shape.java", "package p; public interface Shape { int corners(); static Shape square() { return () -> 4; } }"),
        (
            "p/Colour.java",
            "package p; public enum Colour { RED, GREEN; public Colour other() { return this == RED ? GREEN : RED; } }",
        ),
        (
            "p/Account.java",
            "package p; public abstract class Account { protected int sum; public int add(int x) { if (x < 0) throw new \
             IllegalArgumentException(\"negative: \" + x); return sum += x; } \
             public static class Plain extends Account { } }",
        ),
        (
            "p/Once.java",
            "package p; public final class Once { private Once() { } public static int next(int x) { return x + 1; } }",
        ),
        (
            "p/Meter.java",
            "package p; public abstract class Meter { private final int first; protected Meter() { first = read(); } \
             protected abstract int read(); public int rise() { return read() - first; } }",
        ),
    ]);
    for class in ["p.Shape", "p.Colour", "p.Account", "p.Once", "p.Meter"] {
        let ended = end(subject.generate(class).args(["--steps", "400", "--junit", "4"]));
        assert_eq!(ended.status, 0, "{}", ended.err);
        let source = subject.source(class);
        assert!(source.contains("org.junit.Test") && !source.contains("jupiter"), "{source}");
        let report = subject.report();
        assert!(report.classes[0].tests > 0);
        if class == "p.Meter" {
            assert!(source.contains("new Meter() {") && source.contains("rise()"), "{source}");
            assert!(report.classes[0].remarks[0].contains("anonymous subclass"), "{:?}", report.classes[0].remarks);
        }
    }
}

/// A class with a branch that no search covers, which keeps it running until it is ended.
#[cfg(unix)]
fn locked_subject() -> Subject {
    Subject::of(&[(
        "p/Lock.java",
        "package p; public class Lock { public int open(int a, String key) { if (a > 10) return 1; \
         if (key.hashCode() == 123456789 && key.length() == 40) return 2; return 3; } }",
    )])
}

/// The program while it searches that class and has covered something, and the rest of its progress.
#[cfg(unix)]
fn searching(subject: &Subject, budget: &str) -> (std::process::Child, std::io::Lines<BufReader<std::process::ChildStderr>>) {
    let mut child = subject
        .generate_showing("json", "p.Lock")
        .args(["--budget", budget])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut progress = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let covers_branches = |line: &str| {
        let line: Option<serde_json::Value> = serde_json::from_str(line).ok();
        line.is_some_and(|line| line["branches"]["covered"].as_u64().is_some_and(|covered| covered >= 3))
    };
    assert!(progress.any(|line| covers_branches(&line.expect("readable"))), "nothing was covered");
    (child, progress)
}

#[test]
#[cfg(unix)]
fn a_killed_program_takes_its_engine_with_it() {
    let subject = locked_subject();
    let (mut child, progress) = searching(&subject, "2m");
    child.kill().expect("it runs");
    // The pipe closes when the last process that writes to it has ended.
    progress.for_each(drop);
    let status = child.wait().expect("it ends");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(libc::SIGKILL));
    assert!(!subject.source_file("p.Lock").exists(), "the engine has gone on to the end");
}

#[test]
#[cfg(unix)]
fn an_interrupt_keeps_what_was_found() {
    let subject = locked_subject();
    // The interrupt comes when the search has covered something, however long that takes.
    let (mut child, progress) = searching(&subject, "20m");
    let pid = i32::try_from(child.id()).expect("a process number");
    // SAFETY: `kill` has no memory effects; the process is our own child and has not been waited
    // for.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGINT) }, 0);
    progress.for_each(drop);
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    let source = subject.source("p.Lock");
    assert!(["@Test", "@ParameterizedTest"].iter().any(|test| source.contains(test)), "{source}");
    assert!(subject.report().classes[0].tests > 0);
    let left: Vec<_> =
        std::fs::read_dir(subject.out().join("p")).expect("a folder").map(|entry| entry.expect("readable").file_name()).collect();
    assert_eq!(left, ["LockTracewrightTest.java"], "no incomplete file");
}

/// Collaborators of a service, whose answers are entities with fields. `save` overrides a generic
/// method, and `countVisits` declares an exception.
const SERVICE: [(&str, &str); 5] = [
    (
        "p/Crud.java",
        "package p; public interface Crud<T, I> { java.util.Optional<T> findById(I id); <S extends T> S save(S entity); }",
    ),
    (
        "p/OwnerRepo.java",
        "package p; public interface OwnerRepo extends Crud<Owner, Integer> { java.util.List<Owner> findByName(String name); \
         int countVisits(Integer id) throws java.io.IOException; }",
    ),
    ("p/Mail.java", "package p; public interface Mail { void send(String to, String text); }"),
    (
        "p/Owner.java",
        "package p; public class Owner { private String name; private int visits; \
         public String getName() { return name; } public void setName(String name) { this.name = name; } \
         public int getVisits() { return visits; } public void setVisits(int visits) { this.visits = visits; } }",
    ),
    (
        "p/OwnerService.java",
        "package p; public class OwnerService { private final OwnerRepo owners; private final Mail mail; \
         public OwnerService(OwnerRepo owners, Mail mail) { this.owners = owners; this.mail = mail; } \
         public String greet(int id) { java.util.Optional<Owner> found = owners.findById(id); if (!found.isPresent()) return \"nobody\"; \
         return found.get().getName() == null ? \"anonymous\" : found.get().getVisits() > 5 ? \"dear\" : \"hello\"; } \
         public boolean visit(int id) { Owner owner = owners.findById(id).orElse(null); if (owner == null) return false; \
         owner.setVisits(owner.getVisits() + 1); owners.save(owner); mail.send(owner.getName(), \"booked\"); return true; } \
         public int load(Integer id) { try { return owners.countVisits(id) > 10 ? 10 : 1; } catch (java.io.IOException wrong) { return -1; } } \
         public int named(String name) { int n = 0; for (Owner owner : owners.findByName(name)) if (owner.getVisits() > 0) n++; return n; } }",
    ),
];

fn services_use_mocks_of_their_collaborators(subject: &Subject, class_path: &std::ffi::OsStr) {
    let mut command = crate::subject::program();
    command.current_dir(subject.folder.path()).args([
        "generate",
        "--progress",
        "none",
        "--class",
        "p.OwnerService",
        "--steps",
        "6000",
    ]);
    command.arg("--classpath").arg(class_path).arg("--out").arg(subject.out());
    command.arg("--report").arg(subject.folder.path().join("report"));
    let ended = end(&mut command);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    let (class, source) = (&report.classes[0], subject.source("p.OwnerService"));
    assert_eq!(class.goals.branch.covered, class.goals.branch.total, "{:?}\n{source}", class.discarded);
    assert_eq!(class.replay.divergences, 0, "{:?}", class.replay.divergence_examples);
    // Real entities as answers, an exception that the method declares, and the calls that matter.
    for expected in ["mock(OwnerRepo.class)", "new Owner()", "thenThrow(", "verify(mail).send("] {
        assert!(source.contains(expected), "no {expected}: {source}");
    }
    // Entities are built, and a repository is no anonymous class.
    assert!(!source.contains("mock(Owner.class)") && !source.contains("new OwnerRepo()"), "{source}");
}

#[test]
fn types_without_a_producer_are_mocked_if_mockito_is_on_the_class_path() {
    let Some(jars) = mockito_jars() else { return };
    let gate = [
        (
            "q/Session.java",
            "package q; public class Session { private Session() {} public int level() { return 1; } \
             public String user(String realm, int index) throws java.io.IOException { return realm; } \
             public java.util.List<String> roles() { return null; } }",
        ),
        (
            "p/Gate.java",
            "package p; import q.Session; public class Gate { \
             public static int pass(Session session) { if (session.level() == 417) return 1; return session.roles().isEmpty() ? 2 : 3; } \
             public static String greet(Session session) throws java.io.IOException { String user = session.user(\"r\", 2); \
             return user == null ? \"nobody\" : user.equals(\"root\") ? \"hail\" : \"hello\"; } }",
        ),
    ];
    let subject = Subject::of(&[&gate[..], &SERVICE].concat());
    let mut class_path = vec![subject.classes()];
    class_path.extend(jars.iter().cloned());
    let class_path = std::env::join_paths(&class_path).expect("a class path");
    let mut command = crate::subject::program();
    command.current_dir(subject.folder.path()).args(["generate", "--progress", "none", "--class", "p.Gate", "--steps", "4000"]);
    command.arg("--classpath").arg(&class_path).arg("--out").arg(subject.out());
    command.arg("--report").arg(subject.folder.path().join("report"));
    let ended = end(&mut command);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    let (class, source) = (&report.classes[0], subject.source("p.Gate"));
    assert_eq!(class.goals.branch.covered, class.goals.branch.total, "{:?}\n{source}", class.discarded);
    assert_eq!(class.replay.divergences, 0, "{:?}", class.replay.divergence_examples);
    assert!(source.contains("when(session.level()).thenReturn(417);"), "{source}");
    assert!(source.contains("when(session.user(eq(\"r\"), anyInt())).thenReturn(user);"), "{source}");
    assert!(source.contains("\"root, hail\""), "{source}");
    // A return value without influence is not written: a mock returns an empty list by default.
    let hails = source.split("void ").find(|test| test.contains("thenReturn(user)")).unwrap_or_default();
    assert!(!hails.contains("roles()") && !hails.contains("level()"), "{hails}");
    services_use_mocks_of_their_collaborators(&subject, &class_path);
    // Without Mockito, no test has a mock.
    let ended = end(subject.generate("p.Gate").args(["--steps", "500"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    assert!(!subject.source("p.Gate").contains("mockito"));
}
