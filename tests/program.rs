//! The program model: class path, JDK image, hierarchy, generics, control dependence and cluster.
//!
//! In: classes that javac compiles, the installed JDKs and the development jars. Out: goldens in
//! `tests/program`, which `UPDATE_EXPECT=1` writes anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tracewright::changes::{self, ClassState, EarlierClasses};
use tracewright::program::generics::{ClassSignature, MethodSignature};
use tracewright::program::{
    BranchOutcome, ClassModel, ClassName, ClassOrigin, Cluster, ClusterConfig, Decision, GenericType, JavaType, MethodModel,
    MethodRef, Program, RouteEnd, TargetError, find_target, setting_names, targets,
};
use tracewright::project::{JdkImage, Project};
use tracewright_test_support::{check_golden, compile_files, development_jar, jdks, spring_jars, write_sources};

/// Compiles sources (file name, text) with the oldest JDK, so that goldens depend less on the
/// machine.
fn compiled(sources: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let classes = folder.path().join("classes");
    let files = write_sources(folder.path(), sources);
    compile_files(&jdks()[0].home, &["--release", "17", "-Xlint:none"], &classes, &files);
    (folder, classes)
}

fn program_of(entries: &[PathBuf]) -> Arc<Program> {
    Arc::new(Program::new(Project::open(entries, &jdks()[0].home).expect("opens")))
}

fn program_from(sources: &[(&str, &str)]) -> (tempfile::TempDir, Arc<Program>) {
    let (folder, classes) = compiled(sources);
    let program = program_of(&[classes]);
    (folder, program)
}

/// A program that has the names of its local variables.
fn program_with_names(file: &str, text: &str) -> (tempfile::TempDir, Arc<Program>) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let classes = folder.path().join("classes");
    let files = write_sources(folder.path(), &[(file, text)]);
    compile_files(&jdks()[0].home, &["-g", "--release", "17", "-Xlint:none"], &classes, &files);
    let program = program_of(&[classes]);
    (folder, program)
}

fn check(golden: &str, found: &str) {
    check_golden(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program").join(golden), found);
}

fn cluster_of(program: &Arc<Program>, class: &str) -> Cluster {
    let target = find_target(program, class).expect("a target");
    Cluster::build(program, &target.name, &ClusterConfig::default()).expect("a cluster")
}

fn refused(program: &Arc<Program>, class: &str) -> String {
    match find_target(program, class) {
        Err(error) => error.to_string(),
        Ok(target) => match Cluster::build(program, &target.name, &ClusterConfig::default()) {
            Err(error) => error.to_string(),
            Ok(cluster) => panic!("{class} has a cluster:\n{cluster}"),
        },
    }
}

#[test]
fn jdk_images_know_their_packages_and_classes() {
    for jdk in jdks() {
        let image = JdkImage::open(&jdk.home).expect("opens");
        assert_eq!(u32::from(image.release()), jdk.version);
        for (package, exported) in [("java/lang", true), ("java/util/function", true), ("java/sql", true)] {
            assert_eq!(image.exports(package), exported, "{package}");
        }
        for internal in ["jdk/internal/misc", "sun/nio/cs", "java/util/nowhere"] {
            assert!(!image.exports(internal), "{internal}");
        }
        assert_eq!(image.module_of("java/sql"), Some("java.sql"));
        assert!(image.bytes(&ClassName::new("java/lang/String")).is_some_and(|bytes| bytes.starts_with(b"\xCA\xFE\xBA\xBE")));
        assert_eq!(image.bytes(&ClassName::new("java/lang/Strink")), None);
    }
}

/// Every class of `java.base` has a model, every generic signature parses, and control dependence
/// is defined.
#[test]
fn every_class_of_java_base_is_modelled() {
    for jdk in jdks() {
        let image = JdkImage::open(&jdk.home).expect("opens");
        let classes = image.classes_of_module("java.base");
        assert!(classes.len() > 5000, "{}", classes.len());
        for (position, name) in classes.iter().enumerate() {
            let bytes = image.bytes(name).expect("listed");
            let class = ClassModel::parse(&bytes, ClassOrigin::Jdk).unwrap_or_else(|error| panic!("{name}: {error}"));
            if let Some(signature) = class.file.signature().expect("well-formed") {
                assert!(ClassSignature::parse(signature).is_some(), "{name} {signature}");
            }
            for field in class.file.fields() {
                if let Some(signature) = field.signature().expect("well-formed") {
                    assert!(GenericType::parse(signature).is_some(), "{name} {signature}");
                }
            }
            for method in &class.methods {
                if let Some(signature) = class.file.method(method.index).signature().expect("well-formed") {
                    assert!(MethodSignature::parse(signature).is_some(), "{name} {signature}");
                }
                assert_eq!(method.signature.arguments.len(), method.parameters.len());
                // A twentieth of the classes, because all of them would take a minute.
                if position % 20 == 0
                    && let (Some(code), Some(control)) = (class.code(method), class.control_dependence(method))
                {
                    for instruction in &code.instructions {
                        for decision in control.depends_on(instruction.bci) {
                            let deciding = code.instruction_at(decision.bci).expect("a decision is an instruction");
                            assert!(deciding.op.is_conditional_jump() || deciding.op.is_switch(), "{name} {deciding:?}");
                        }
                        let always = control.depends_on(instruction.bci).is_empty();
                        assert_eq!(control.level(instruction.bci) == 0, always, "{name}.{} {}", method.name(), instruction.bci);
                    }
                }
            }
        }
    }
}

const CENSUS: &str = r#"
import java.lang.invoke.MethodType;
import java.lang.reflect.*;
import java.util.*;

class Census {
    public static void main(String[] names) throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        for (String name : names) classes.add(Class.forName(name, false, null));
        for (Class<?> of : classes)
            for (Class<?> sub : classes)
                System.out.println("sub " + sub.getName() + " " + of.getName() + " " + of.isAssignableFrom(sub));
        for (Class<?> c : classes) {
            if (c.isInterface()) continue;
            for (Method m : c.getMethods()) {
                if (Modifier.isStatic(m.getModifiers())) continue;
                String descriptor = MethodType.methodType(m.getReturnType(), m.getParameterTypes()).toMethodDescriptorString();
                System.out.println("run " + c.getName() + " " + m.getName() + " " + descriptor + " " + m.getDeclaringClass().getName());
            }
        }
    }
}
"#;

/// Subtyping and method selection agree with reflection in the JVM.
#[test]
fn hierarchy_agrees_with_the_jvm() {
    let names = [
        "java.lang.Object",
        "java.lang.String",
        "java.lang.Integer",
        "java.lang.Number",
        "java.lang.Comparable",
        "java.lang.Iterable",
        "java.util.Collection",
        "java.util.List",
        "java.util.ArrayList",
        "java.util.LinkedList",
        "java.util.AbstractList",
        "java.util.Vector",
        "java.util.Stack",
        "java.util.Map",
        "java.util.HashMap",
        "java.util.LinkedHashMap",
        "java.util.TreeMap",
        "java.util.concurrent.ConcurrentHashMap",
        "java.util.Properties",
        "java.util.ArrayDeque",
        "java.util.PriorityQueue",
        "java.util.concurrent.CopyOnWriteArrayList",
        "java.lang.StringBuilder",
        "java.io.PrintStream",
        "java.io.StringReader",
        "java.util.GregorianCalendar",
        "java.time.LocalDate",
        "java.time.ZonedDateTime",
        "java.util.concurrent.ConcurrentSkipListMap",
        "java.lang.Thread",
        "java.util.concurrent.TimeUnit",
        "java.lang.IllegalArgumentException",
        "java.util.Collections$CheckedMap",
    ];
    let jdk = &jdks()[0];
    let (_folder, classes) = compiled(&[("Census.java", CENSUS)]);
    let output = Command::new(jdk.tool("java")).arg("-cp").arg(&classes).arg("Census").args(names).output().expect("java starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let program = program_of(&[classes]);
    let mut selections = 0;
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["sub", sub, of, expected] => {
                let found = program.is_subclass(&ClassName::from_binary(sub), &ClassName::from_binary(of));
                assert_eq!(found.to_string(), expected, "{line}");
            }
            ["run", class, name, descriptor, declaring] => {
                let class = ClassName::from_binary(class);
                let resolved = program.resolve_method(&class, name, descriptor).unwrap_or_else(|| panic!("unresolved: {line}"));
                let selected = program.select_method(&class, &resolved).unwrap_or_else(|| panic!("not selected: {line}"));
                assert_eq!(selected.class.name.binary(), declaring, "{line}");
                // The method that resolution finds in a superclass selects the same body.
                for ancestor in program.superclass_chain(&class) {
                    if let Some(resolved) = program.resolve_method(&ancestor.name, name, descriptor) {
                        let selected = program.select_method(&class, &resolved).expect("selected");
                        assert_eq!(selected.class.name.binary(), declaring, "{line} through {}", ancestor.name);
                    }
                }
                selections += 1;
            }
            _ => panic!("{line}"),
        }
    }
    assert!(selections > 500, "{selections}");
}

#[test]
fn package_private_methods_are_overridden_in_their_package_only() {
    let (_folder, program) = program_from(&[
        (
            "a/A.java",
            "package a; public class A { void m() {} public void call() { m(); } private void p() {} static void s() {} }",
        ),
        ("b/B.java", "package b; public class B extends a.A { void m() {} void p() {} }"),
        ("a/C.java", "package a; public class C extends b.B { void m() {} }"),
    ]);
    let selected = |runtime: &str, owner: &str, name: &str| {
        let resolved = program.resolve_method(&ClassName::new(owner), name, "()V").expect("resolved");
        program.select_method(&ClassName::new(runtime), &resolved).expect("selected").class.name.to_string()
    };
    assert_eq!(selected("b/B", "a/A", "m"), "a/A");
    assert_eq!(selected("b/B", "b/B", "m"), "b/B");
    assert_eq!(selected("a/C", "a/A", "m"), "a/C");
    assert_eq!(selected("a/C", "b/B", "m"), "b/B");
    assert_eq!(selected("b/B", "a/A", "p"), "a/A");
}

#[test]
fn type_arguments_are_carried_to_supertypes() {
    let (_folder, program) = program_from(&[(
        "g/Texts.java",
        "package g; import java.util.*; public class Texts extends ArrayList<String> { static class Pairs<A, B> extends HashMap<B, List<A>> {} }",
    )]);
    let seen = |ty: &str, ancestor: &str| {
        let ty = GenericType::parse(ty).expect("well-formed");
        program.as_super(&ty, &ClassName::new(ancestor)).map(|seen| seen.to_string())
    };
    for (ty, ancestor, expected) in [
        ("Lg/Texts;", "java/util/Collection", Some("java.util.Collection<java.lang.String>")),
        (
            "Lg/Texts$Pairs<Ljava/lang/Integer;[J>;",
            "java/util/Map",
            Some("java.util.Map<long[], java.util.List<java.lang.Integer>>"),
        ),
        ("Lg/Texts$Pairs;", "java/util/Map", Some("java.util.Map")),
        ("Lg/Texts;", "java/util/Map", None),
        ("[I", "java/lang/Object", Some("java.lang.Object")),
    ] {
        assert_eq!(seen(ty, ancestor).as_deref(), expected, "{ty} as {ancestor}");
    }
    let functional =
        |name: &str| program.functional_method(&ClassName::new(name)).map(|method| method.method().name().to_string());
    assert_eq!(functional("java/util/Comparator").as_deref(), Some("compare"));
    assert_eq!(functional("java/util/function/BinaryOperator").as_deref(), Some("apply"));
    assert_eq!(functional("java/util/Iterator"), None);
    assert_eq!(functional("java/lang/Object"), None);
}

#[test]
fn control_dependence_by_lines() {
    let (_folder, program) = program_from(&[("demo/Flow.java", include_str!("program/Flow.java"))]);
    let class = program.class(&ClassName::new("demo/Flow")).expect("there");
    let mut text = String::new();
    for method in class.methods.iter().filter(|method| !method.is_constructor()) {
        let (code, control) = (class.code(method).expect("code"), class.control_dependence(method).expect("code"));
        writeln!(text, "{}", method.name()).expect("written");
        for entry in &code.line_numbers {
            let decisions: Vec<String> = control
                .depends_on(entry.bci)
                .iter()
                .map(|decision| format!("{}/{}", code.line_of(decision.bci).unwrap_or(0), decision.outcome))
                .collect();
            writeln!(text, "  line {} level {}: {}", entry.line, control.level(entry.bci), decisions.join(" ")).expect("written");
        }
    }
    check("Flow.txt", &text);
}

#[test]
fn plain_members_of_records_and_of_kotlin_only_hold_values() {
    let metadata = "package kotlin; import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) public @interface Metadata {}";
    let members = "{
        final int amount;
        CLASS(int amount) { this.amount = amount; }
        int getAmount() { return amount; }
        int doubled() { if (amount < 0) { throw new IllegalStateException(); } return 2 * amount; }
        record Part(int size) {}
    }";
    let class = |before: &str, name: &str| format!("package demo; {before} class {name} {}", members.replace("CLASS", name));
    let (money, bean) = (class("@kotlin.Metadata", "Money"), class("", "Bean"));
    let sources = [("kotlin/Metadata.java", metadata), ("demo/Money.java", &money), ("demo/Bean.java", &bean)];
    let (_folder, program) = program_from(&sources);
    let holding = |target: &str, class: &str| -> Vec<String> {
        let class = program.class(&ClassName::new(class)).expect("there");
        let is_held = |method: &&MethodModel| program.only_holds_values(&ClassName::new(target), &method.reference);
        class.methods.iter().filter(is_held).map(|method| method.name().to_owned()).collect()
    };
    assert_eq!(holding("demo/Money", "demo/Money"), ["getAmount"]);
    assert_eq!(holding("demo/Bean", "demo/Bean"), [""; 0]);
    assert_eq!(holding("demo/Bean", "demo/Bean$Part"), ["<init>"]);
    assert_eq!(holding("demo/Bean$Part", "demo/Bean$Part"), [""; 0], "its constructor is all there is to test");
    let makes = |method: &str, class: &str| {
        program.makes_object(&MethodRef::new(ClassName::new("demo/Bean"), method, "()I"), &ClassName::new(class))
    };
    assert!(makes("doubled", "java/lang/IllegalStateException"));
    assert!(!makes("doubled", "java/lang/RuntimeException") && !makes("getAmount", "java/lang/IllegalStateException"));
}

#[test]
fn constructors_that_only_keep_arguments_call_nothing_with_them() {
    let source = "package demo; import java.util.*;
        class Keeper {
            final List<String> names = new ArrayList<>(16);
            final StringBuilder text = new StringBuilder(\"a\");
            final Runnable first;
            Keeper(Runnable first) { this.first = Objects.requireNonNull(first); }
            Keeper(Runnable first, int count) { this(first); first.run(); }
            Keeper(Runnable first, String text) { this(first); Helper.take(first); }
            Keeper(Runnable first, long count) { this.first = first; new Thread(first); }
            Keeper(Runnable first, char mark) { this(first); text.append(\"mark \" + mark); }
            Keeper(Runnable first, byte mark) { this(first); begin(); }
            void begin() { first.run(); }
        }
        class Helper { static void take(Runnable first) { first.run(); } }";
    let (_folder, program) = program_from(&[("demo/Keeper.java", source)]);
    let class = program.class(&ClassName::new("demo/Keeper")).expect("there");
    let constructors = class.methods.iter().filter(|method| method.is_constructor());
    let mocks = [ClassName::new("java/lang/Runnable")];
    let keeping: Vec<bool> = constructors.map(|method| program.only_keeps_arguments(&method.reference, &mocks)).collect();
    assert_eq!(keeping, [true, false, false, false, true, false]);
}

#[test]
fn constructors_that_only_set_fields_do_nothing_else() {
    let source = "package demo; import java.util.*;
        class Holder {
            static int made;
            final List<String> names = new ArrayList<>(16);
            Runnable later = () -> made++;
            int size;
            Holder() { this(new int[3]); }
            Holder(int[] values) { size = values.length; fill(); }
            Holder(int size) { made = size; }
            Holder(long size) { new Thread(later).start(); }
            Holder(char mark) { System.out.println(mark); }
            void fill() { size++; }
        }
        class Printer extends Holder { void fill() { System.out.println(size); } }
        class Chain extends Holder {
            Chain() { this(1); }
            Chain(int a) { this(a, 1); }
            Chain(int a, int b) { this(a, b, 1); }
            Chain(int a, int b, int c) { this(a, b, c, 1); }
            Chain(int a, int b, int c, int d) { this(a, b, c, d, 1); }
            Chain(int a, int b, int c, int d, int e) { this(a, b, c, d, e, 1); }
            Chain(int a, int b, int c, int d, int e, int f) { refill(); }
            void refill() { fill(); if (size < 9) refill(); }
        }";
    let (_folder, program) = program_from(&[("demo/Holder.java", source)]);
    let plain = |class: &str| -> Vec<bool> {
        let class = program.class(&ClassName::new(class)).expect("there");
        let constructors = class.methods.iter().filter(|method| method.is_constructor());
        constructors.map(|method| program.only_sets_fields(&method.reference)).collect()
    };
    assert_eq!(plain("demo/Holder"), [true, true, false, false, false]);
    assert_eq!(plain("demo/Printer"), [false]);
    // However long the chain is, and where a method calls itself.
    assert_eq!(plain("demo/Chain"), [true; 7]);
}

#[test]
fn public_methods_that_make_objects_of_hidden_classes_are_known() {
    let source = "package demo; import java.util.*;
        public class Bag<E> {
            public Iterator<E> iterator() { return walk(); }
            public ListIterator<E> walk() { return walk(0); }
            public ListIterator<E> walk(int from) { if (from > 9) throw new NoSuchElementException(); return new Walk<>(this, from); }
            public Object last(Walk<E> walk) { new Walk<>(this, 1); return walk; }
            public int count() { return new Walk<>(this, 1).at; }
            public static <T> Iterator<T> of(Bag<T> bag) { return new Walk<>(bag, 0); }
            Iterator<E> hidden() { return new Walk<>(this, 0); }
            static class Walk<E> implements ListIterator<E> {
                int at;
                protected Walk(Bag<E> bag, int from) { at = from; }
                public boolean hasNext() { return false; }
                public E next() { return null; }
                public boolean hasPrevious() { return false; }
                public E previous() { return null; }
                public int nextIndex() { return at; }
                public int previousIndex() { return at - 1; }
                public void remove() { }
                public void set(E e) { }
                public void add(E e) { }
                void check() { }
            }
            static class Names implements Iterator<String> {
                public boolean hasNext() { return false; }
                public String next() { return null; }
            }
        }";
    let (_folder, program) = program_from(&[("demo/Bag.java", source)]);
    let [bag, walk, names] = ["demo/Bag", "demo/Bag$Walk", "demo/Bag$Names"].map(ClassName::new);
    let makers: Vec<String> =
        program.public_makers(&bag, &walk).iter().map(|(method, is_static)| format!("{method} {is_static}")).collect();
    assert_eq!(
        makers,
        [
            "demo/Bag.iterator()Ljava/util/Iterator; false",
            "demo/Bag.walk()Ljava/util/ListIterator; false",
            "demo/Bag.walk(I)Ljava/util/ListIterator; false",
            "demo/Bag.of(Ldemo/Bag;)Ljava/util/Iterator; true"
        ]
    );
    let constructor = |class: &ClassName, descriptor: &str| MethodRef::new(class.clone(), "<init>", descriptor);
    assert!(program.is_hidden_constructor(&constructor(&walk, "(Ldemo/Bag;I)V")) && program.is_hidden_class(&walk));
    assert!(!program.is_hidden_constructor(&constructor(&bag, "()V")) && !program.is_hidden_class(&bag));
    let above = |class: &ClassName, name: &str, descriptor: &str, ty: &str| {
        let found = program.method_above(&ClassName::new(ty), &MethodRef::new(class.clone(), name, descriptor))?;
        Some(found.method().reference.to_string())
    };
    let previous = |ty: &str| above(&walk, "previous", "()Ljava/lang/Object;", ty);
    assert_eq!(previous("java/util/ListIterator").as_deref(), Some("java/util/ListIterator.previous()Ljava/lang/Object;"));
    assert_eq!([previous("java/util/Iterator"), above(&walk, "check", "()V", "java/util/ListIterator")], [None, None]);
    // The interface returns any object.
    let next = above(&names, "next", "()Ljava/lang/String;", "java/util/Iterator");
    assert_eq!(next.as_deref(), Some("java/util/Iterator.next()Ljava/lang/Object;"));
    let called = MethodRef::new(ClassName::new("java/util/Iterator"), "next", "()Ljava/lang/Object;");
    let below = program.method_below(&names, &called).map(|method| method.to_string());
    assert_eq!(below.as_deref(), Some("demo/Bag$Names.next()Ljava/lang/String;"));
}

#[test]
fn conditions_have_the_names_of_the_source() {
    let (_folder, program) = program_with_names("demo/Conditions.java", include_str!("program/Conditions.java"));
    let class = program.class(&ClassName::new("demo/Conditions")).expect("there");
    let mut text = String::new();
    for method in class.methods.iter().filter(|method| !method.is_constructor()) {
        let code = class.code(method).expect("code");
        writeln!(text, "{}", method.name()).expect("written");
        for jump in code.instructions.iter().filter(|instruction| instruction.op.is_conditional_jump()) {
            let way = |outcome| {
                let branch = BranchOutcome { method: method.reference.clone(), bci: jump.bci, outcome };
                program.source_condition(&branch).map(|condition| condition.to_string()).unwrap_or_default()
            };
            let line = code.line_of(jump.bci).unwrap_or(0);
            writeln!(text, "  line {line}: {} | {}", way(0), way(1)).expect("written");
        }
    }
    check("Conditions.txt", &text);
}

/// The branches of the method that went so, in the order of the code: `-` where the run did not come.
fn ways(class: &ClassModel, name: &str, outcomes: &str) -> BTreeSet<BranchOutcome> {
    let method = class.methods.iter().find(|method| method.name() == name).expect("there");
    let code = class.code(method).expect("code");
    let jumps = code.instructions.iter().filter(|instruction| instruction.op.is_conditional_jump());
    let pairs = jumps.zip(outcomes.chars());
    let taken = |(bci, outcome): (u32, char)| match outcome {
        '-' => Vec::new(),
        'b' => vec![(bci, 0), (bci, 1)],
        digit => vec![(bci, digit.to_digit(2).expect("0 or 1"))],
    };
    let all = pairs.flat_map(|(jump, outcome)| taken((jump.bci, outcome)));
    all.map(|(bci, outcome)| BranchOutcome { method: method.reference.clone(), bci, outcome }).collect()
}

#[test]
fn the_conditions_that_decided_how_a_run_ended() {
    let (_folder, program) = program_with_names("demo/Decisions.java", include_str!("program/Decisions.java"));
    let class = program.class(&ClassName::new("demo/Decisions")).expect("there");
    let send = MethodRef::new(class.name.clone(), "send", "()V");
    let refused = ClassName::new("java/lang/IllegalArgumentException");
    let decided = |name: &str, outcomes: &str, end: RouteEnd<'_>| {
        let method = class.methods.iter().find(|method| method.name() == name).expect("there");
        let route = program.route(&method.reference, &ways(&class, name, outcomes)).expect("a body");
        let said = |decision: Decision| {
            let conditions = decision.operands.iter().filter_map(|branch| program.source_condition(branch));
            let conditions: Vec<String> = conditions.map(|condition| condition.to_string()).collect();
            format!("{}{}", conditions.join(" and "), if decision.passes_check { ", a check" } else { "" })
        };
        route.decisions(end).into_iter().map(said).collect::<Vec<String>>()
    };
    let lacks_both = "!roles.contains(\"staff\") and !roles.contains(\"admin\")";
    assert_eq!(decided("isStaff", "01", RouteEnd::Returned), [lacks_both]);
    assert_eq!(decided("isStaff", "1-", RouteEnd::Returned), ["roles.contains(\"staff\")"]);
    assert_eq!(decided("isStaff", "00", RouteEnd::Returned), ["roles.contains(\"admin\")"]);
    assert_eq!(decided("notice", "00", RouteEnd::Called(&send)), ["count > 9 and isOpen"]);
    assert_eq!(decided("notice", "01", RouteEnd::Avoided(&send)), ["count > 9 and !isOpen"]);
    assert_eq!(decided("notice", "1-", RouteEnd::Avoided(&send)), Vec::<String>::new(), "`isOpen` was not asked");
    assert_eq!(decided("notice", "1-", RouteEnd::Returned), ["count <= 9"]);
    assert_eq!(decided("notice", "1-", RouteEnd::Called(&send)), Vec::<String>::new(), "no such call");
    assert_eq!(decided("checked", "01", RouteEnd::Returned), ["percent >= 0 and percent <= 100, a check"]);
    assert_eq!(decided("checked", "00", RouteEnd::Threw(&refused)), ["percent > 100"]);
    assert_eq!(decided("checked", "1-", RouteEnd::Threw(&refused)), ["percent < 0"]);
    assert_eq!(decided("named", "11", RouteEnd::Returned), ["last != null"]);
    assert_eq!(decided("named", "10", RouteEnd::Returned), ["last == null"]);
    assert_eq!(decided("bound", "00", RouteEnd::Returned), ["item instanceof java.lang.String and text.isEmpty()"]);
    assert_eq!(decided("parsed", "1-", RouteEnd::Returned), Vec::<String>::new(), "an exception decided");
    assert_eq!(decided("parsed", "0-", RouteEnd::Returned), ["text.isEmpty()"]);
    assert_eq!(decided("longest", "bb", RouteEnd::Returned), Vec::<String>::new(), "a loop went on and ended");
}

#[test]
fn the_queries_whose_results_a_method_demands() {
    let (_folder, program) = program_with_names("demo/Decisions.java", include_str!("program/Decisions.java"));
    let class = program.class(&ClassName::new("demo/Decisions")).expect("there");
    let method = class.methods.iter().find(|method| method.name() == "demanded").expect("there");
    let demanded = |exception: &str| -> Vec<String> {
        let found = program.demanded_queries(&method.reference, &ClassName::new(exception));
        found.iter().map(|query| query.name.to_string()).collect()
    };
    assert_eq!(demanded("java/lang/IllegalStateException"), ["findByName", "first"], "and none behind a filter");
    assert_eq!(demanded("java/util/NoSuchElementException"), ["findByName", "first"]);
    assert_eq!(demanded("java/lang/IllegalArgumentException"), Vec::<String>::new());
}

#[test]
fn the_cluster_of_a_class_with_everything() {
    let (_folder, program) = program_from(&[("demo/Shapes.java", include_str!("program/Shapes.java"))]);
    let cluster = cluster_of(&program, "demo.Shapes");
    check("Shapes.txt", &cluster.to_string());
    assert_eq!(cluster.to_string(), cluster_of(&program, "demo.Shapes").to_string());
    let names: Vec<String> = targets(&program, &ClassName::new("demo/Shapes")).iter().map(ClassName::binary).collect();
    for nested in ["demo.Shapes", "demo.Shapes$Kind", "demo.Shapes$Hidden", "demo.Shapes$1"] {
        assert!(names.iter().any(|name| name == nested), "{nested} in {names:?}");
    }
}

#[test]
fn type_variables_are_bound_by_receiver_wanted_value_and_choice() {
    let (_folder, program) = program_from(&[(
        "g/Box.java",
        "package g; import java.util.*;
         public class Box<E> {
             public Box(E first) {}
             public void put(E more) {}
             public static <K extends Comparable<K>, V> Map<K, List<V>> group(K key, V value) { return null; }
             public static <N extends Number> N same(N number, Class<? extends N> type) { return number; }
         }",
    )]);
    let cluster = cluster_of(&program, "g.Box");
    let bind = |name: &str, receiver: Option<&str>, wanted: Option<&str>, pick: usize| {
        let callable =
            cluster.callables.iter().find(|callable| &*callable.method.name == name && callable.project).expect("there");
        let parse = |text: &str| GenericType::parse(text).expect("well-formed");
        let (receiver, wanted) = (receiver.map(parse), wanted.map(parse));
        let binding =
            cluster.bind(callable, receiver.as_ref(), wanted.as_ref(), &mut |candidates| pick.min(candidates.len() - 1));
        binding.parameters.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(bind("put", Some("Lg/Box<Ljava/lang/Long;>;"), None, 0), "java.lang.Long");
    assert_eq!(bind("put", None, None, 0), "java.lang.String");
    assert_eq!(bind("put", None, None, 9), "java.lang.Object");
    assert_eq!(bind("<init>", None, Some("Lg/Box<[I>;"), 0), "int[]");
    assert_eq!(
        bind("group", None, Some("Ljava/util/Map<Ljava/lang/Character;Ljava/util/List<+Ljava/util/Date;>;>;"), 0),
        "java.lang.Character, java.util.Date"
    );
    assert_eq!(bind("group", None, None, 1), "java.lang.Integer, java.lang.Integer");
    assert_eq!(bind("same", None, None, 0), "java.lang.Integer, java.lang.Class<java.lang.Integer>");
}

#[test]
fn hints_tell_setters_from_getters() {
    let (_folder, program) = program_from(&[(
        "h/Account.java",
        "package h; import java.util.*;
         public class Account {
             private int balance; private final List<String> log = new ArrayList<>(); private final int[] counts = new int[4];
             public int getBalance() { return balance; }
             public void deposit(int amount) { if (amount > 500) throw new IllegalArgumentException(\"too much\"); change(amount); }
             private void change(int by) { balance += by; log.add(\"changed\"); counts[0]++; }
             public Account copy() { Account copy = new Account(); return copy; }
             public boolean drain() { boolean had = balance > 0; balance = 0; return had; }
             public String describe() { return \"Account of \" + balance; }
         }",
    )]);
    let cluster = cluster_of(&program, "h.Account");
    let of = |name: &str| cluster.callables.iter().find(|callable| &*callable.method.name == name).expect("there");
    let names = |fields: &[tracewright::program::FieldRef]| fields.iter().map(|field| field.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&of("getBalance").hints.reads), ["balance"]);
    assert!(of("getBalance").hints.observer && of("describe").hints.observer && of("copy").hints.observer);
    assert_eq!(names(&of("deposit").hints.writes), ["balance", "counts", "log"]);
    assert!(!of("drain").hints.observer && !of("deposit").hints.observer);
    assert_eq!(names(&of("copy").hints.writes), Vec::<String>::new());
    assert!([499, 500, 501].iter().all(|value| of("deposit").constants.ints.contains(value)));
    // Direct callees of changed methods.
    assert!(of("deposit").constants.strings.contains(&"changed".encode_utf16().collect()));
    let account = JavaType::class("h/Account");
    let members = |ids: &[tracewright::program::cluster::CallableId]| {
        ids.iter().map(|id| cluster.callable(*id).method.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(members(cluster.modifiers(&account)), ["deposit", "drain"]);
    assert_eq!(members(cluster.inspectors(&account)), ["getBalance", "describe"]);
}

#[test]
fn private_and_foreign_members_are_left_out() {
    let (_folder, program) = program_from(&[
        (
            "a/Base.java",
            "package a; public abstract class Base { protected Base() {} protected void hook() {} public void open() {} void near() {} }",
        ),
        (
            "b/Leaf.java",
            "package b; public class Leaf extends a.Base { private void mine() {} void ours() {} void take(java.util.List<sun.misc.Unsafe> list) {} }",
        ),
        ("b/User.java", "package b; public class User { public static void use(a.Base base) {} }"),
    ]);
    let cluster = cluster_of(&program, "b.Leaf");
    let names: Vec<&str> = cluster.under_test.iter().map(|id| &*cluster.callable(*id).method.name).collect();
    assert_eq!(names, ["<init>", "ours", "take", "open"]);
    assert!(cluster.under_test.iter().all(|id| cluster.callable(*id).method.owner.internal() == "b/Leaf"));
    // A parameter of an abstract class is created by the subclass on the class path.
    let cluster = cluster_of(&program, "b.User");
    assert_eq!(cluster.choices(&JavaType::class("a/Base"))[0].ty, JavaType::class("b/Leaf"));
    // From another package, only the public API is accessible.
    let config = ClusterConfig { test_package: Some("elsewhere".into()), ..ClusterConfig::default() };
    let cluster = Cluster::build(&program, &ClassName::new("b/Leaf"), &config).expect("a cluster");
    let names: Vec<&str> = cluster.under_test.iter().map(|id| &*cluster.callable(*id).method.name).collect();
    assert_eq!(names, ["<init>", "open"]);
}

/// The parts of Mockito that the cluster checks for.
const MOCKITO: [(&str, &str); 2] = [
    ("org/mockito/Mockito.java", "package org.mockito; public class Mockito extends ArgumentMatchers {}"),
    ("org/mockito/ArgumentMatchers.java", "package org.mockito; public class ArgumentMatchers {}"),
];

#[test]
fn types_without_a_producer_are_mocked() {
    let subject = [
        (
            "a/Locked.java",
            "package a; public class Locked { private Locked() {} public int size() { return 1; } public void touch() {} \
          public String name(Object of) { return null; } public int unused() { return 2; } int near() { return 3; } \
          public int many(int... all) { return 4; } public static int shared() { return 5; } public Locked self() { return this; } }",
        ),
        (
            "a/Partial.java",
            "package a; public abstract class Partial { protected Partial(int n) {} public abstract long total(); public Partial twice(Partial other) { return other; } }",
        ),
        ("a/Fixed.java", "package a; public class Fixed { private Fixed() {} public final int size() { return 1; } }"),
        ("a/Shut.java", "package a; public final class Shut { private Shut() {} }"),
        ("a/Needs.java", "package a; public class Needs { public Needs(Shut shut) {} public boolean ok() { return false; } }"),
        ("a/Node.java", "package a; public class Node { public Node(Node next) {} public int depth() { return 1; } }"),
        ("a/Holder.java", "package a; public class Holder { public Holder(Locked locked) {} public int held() { return 1; } }"),
        (
            "a/Kind.java",
            "package a; public sealed abstract class Kind { private Kind() {} static final class One extends Kind { private One() {} } }",
        ),
        (
            "b/User.java",
            "package b; import a.*; public class User { public int use(Locked locked, Partial partial, Needs needs, Node node, Holder holder) { \
          locked.touch(); return locked.size() + locked.name(null).length() + locked.many(1) + Locked.shared() + (int) partial.total() \
          + (needs.ok() ? 1 : 0) + node.depth() + holder.held() + locked.hashCode() + locked.self().size(); } \
          public int fixed(Fixed fixed, Shut shut, Kind kind) { return fixed.size() + shut.hashCode() + kind.hashCode(); } }",
        ),
    ];
    let ways = |cluster: &Cluster| -> Vec<String> {
        let shown = cluster.to_string();
        shown.lines().filter(|line| line.starts_with("type a.")).map(str::to_string).collect()
    };
    let (_folder, program) = program_from(&subject);
    let without = cluster_of(&program, "b.User");
    assert!(!without.has_mocks());
    let (_folder, program) = program_from(&[&subject[..], &MOCKITO].concat());
    let cluster = cluster_of(&program, "b.User");
    assert!(cluster.has_mocks());
    assert_eq!(
        ways(&cluster),
        [
            "type a.Fixed: none, no constructor, factory or constant of it can be named",
            "type a.Holder: new a.Holder(Locked):4",
            "type a.Kind: none, it is abstract and no subclass or factory can be called",
            "type a.Locked: mock(a.Locked,5):3",
            "type a.Needs: mock(a.Needs,1):3 new a.Needs(Shut):10",
            "type a.Node: new a.Node(Node):10",
            "type a.Partial: mock(a.Partial,1):3",
            "type a.Shut: none, no constructor, factory or constant of it can be named",
        ]
    );
    // The class under test is never mocked.
    assert!(!cluster_of(&program, "a.Partial").to_string().contains("mock("));
}

/// With Mockito, collaborators are mocks, functions lambdas, values and collections real objects.
#[test]
fn objects_are_made_by_their_role() {
    let subject = [
        (
            "r/Crud.java",
            "package r; public interface Crud<T, I> { java.util.Optional<T> findById(I id); <S extends T> S save(S it); }",
        ),
        (
            "r/Owners.java",
            "package r; public interface Owners extends Crud<Owner, Integer> { void flush() throws java.io.IOException; }",
        ),
        (
            "r/Owner.java",
            "package r; public class Owner { private String name; public void setName(String name) { this.name = name; } public String getName() { return name; } }",
        ),
        ("r/Model.java", "package r; public interface Model { void add(String name); int size(); }"),
        (
            "r/MapModel.java",
            "package r; public class MapModel implements Model { public void add(String name) {} public int size() { return 0; } }",
        ),
        (
            "r/Mailer.java",
            "package r; public class Mailer { private final Owners owners; public Mailer(Owners owners) { this.owners = owners; } public int mail(Owner owner) { return owners.hashCode(); } }",
        ),
        ("r/Audit.java", "package r; public interface Audit { void tell(String what); }"),
        ("r/Link.java", "package r; public interface Link { static Link open() { return null; } void send(String what); }"),
        (
            "r/Component.java",
            "package r; import java.lang.annotation.*; @Retention(RetentionPolicy.RUNTIME) public @interface Component { }",
        ),
        (
            "r/LinkedAudit.java",
            "package r; @Component public class LinkedAudit implements Audit { private final Link link; \
          public LinkedAudit(Link link) { this.link = link; } public void tell(String what) { link.send(what); } }",
        ),
        ("r/Rule.java", "package r; public interface Rule { boolean holds(Owner owner); }"),
        ("r/Mapper.java", "package r; public abstract class Mapper { public abstract String map(Owner owner); }"),
        (
            "r/RealMapper.java",
            "package r; public class RealMapper extends Mapper { public String map(Owner owner) { return null; } }",
        ),
        (
            "r/Service.java",
            "package r; public class Service { private final Owners owners; private final Mailer mailer; private final Audit audit; \
          private Mapper mapper; public void setMapper(Mapper mapper) { this.mapper = mapper; } \
          public Service(Owners owners, Mailer mailer, Audit audit) { this.owners = owners; this.mailer = mailer; this.audit = audit; } \
          public int run(Model model, Rule rule, java.util.List<Owner> all, java.sql.Connection link) throws Exception { \
          Owner owner = owners.findById(3).get(); owners.save(owner); audit.tell(owner.getName()); model.add(\"x\"); link.commit(); \
          mapper.map(owner); try { owners.flush(); } catch (IllegalStateException late) { return 0; } \
          return rule.holds(owner) ? mailer.mail(owner) + model.size() : all.size(); } }",
        ),
    ];
    let (_folder, program) = program_from(&[&subject[..], &MOCKITO].concat());
    let cluster = cluster_of(&program, "r.Service");
    let shown = cluster.to_string();
    let ways = |ty: &str| shown.lines().find(|line| line.starts_with(&format!("type {ty}: "))).unwrap_or_default().to_string();
    // Real objects that need collaborators are left out; cheap ones come first.
    assert_eq!(ways("r.Owners"), "type r.Owners: mock(r.Owners,3):3");
    assert_eq!(ways("r.Mailer"), "type r.Mailer: mock(r.Mailer,1):3");
    assert_eq!(ways("r.Model"), "type r.Model: new r.MapModel():1 mock(r.Model,2):3");
    assert_eq!(ways("java.sql.Connection"), "type java.sql.Connection: mock(java.sql.Connection,1):3");
    assert_eq!(ways("r.Mapper"), "type r.Mapper: new r.RealMapper():1 mock(r.Mapper,1):3");
    // A function that the class holds is a collaborator as well. Only a container makes `LinkedAudit`,
    // although a test could build it.
    assert_eq!(ways("r.Audit"), "type r.Audit: mock(r.Audit,1):3");
    assert_eq!(ways("r.Rule"), "type r.Rule: stub(r.Rule,1):3");
    assert!(ways("r.Owner").starts_with("type r.Owner: new r.Owner():1"), "{shown}");
    assert!(!ways("java.util.List").contains("stub(") && !ways("java.util.List").contains("mock("), "{shown}");
    // Nothing calls methods on an object that can only be a mock.
    assert!(!shown.lines().any(|line| line.contains("Owners.save") && line.starts_with("modif")), "{shown}");
    let (_folder, program) = program_from(&subject);
    let shown = cluster_of(&program, "r.Service").to_string();
    assert!(shown.contains("stub(r.Owners,") && !shown.contains("mock("), "{shown}");
}

/// Producers of objects other than constructors and static methods of the same class.
#[test]
fn objects_come_from_builders_chains_subclasses_and_files() {
    let (_folder, program) = program_from(&[
        (
            "q/Plan.java",
            "package q; public final class Plan { private final int n; private Plan(int n) { this.n = n; }
             static Plan of(int n) { return new Plan(n); } public Plan more() { return new Plan(n + 1); }
             public int left(Plan other) { return n - other.n; } }",
        ),
        ("q/Trip.java", "package q; public class Trip { private Trip() {} public static class Hidden {} Object o(Trip t) { return t; }
             static Trip make() { return new Trip(); } }"),
        ("q/Ship.java", "package q; public class Ship { Ship(int a, int b, int c, int d, int e, int f) {} }"),
        ("q/ShipBuilder.java", "package q; public class ShipBuilder { public ShipBuilder mast(int n) { return this; } public Ship create() { return null; } }"),
        ("q/Token.java", "package q; public class Token { private Token() {} }"),
        ("q/Office.java", "package q; public class Office { Token issue(int day) { return null; } }"),
        ("a/Root.java", "package a; public abstract class Root { protected abstract long at(int x); protected void hook() {} abstract void near(); }"),
        ("a/Bush.java", "package a; public abstract class Bush { protected Bush() {} protected abstract long at(int x); protected void hook() {} }"),
        ("q/Leaf.java", "package q; public class Leaf extends a.Bush { protected long at(int x) { return x; } }"),
        (
            "q/User.java",
            "package q; public class User { void use(Plan p, Ship s, Token t, a.Root r) {} void files(java.io.File f, java.nio.file.Path p) {}
             void others(java.net.URL u, java.nio.channels.ReadableByteChannel c, java.time.Clock k, java.util.concurrent.Future<String> f,
             java.util.logging.Logger l, org.w3c.dom.Element e, javax.xml.stream.XMLStreamReader x, java.util.TimerTask t) {} }",
        ),
    ]);
    let shown = |class: &str, ty: &str| {
        let cluster = cluster_of(&program, class);
        let text = cluster.to_string();
        let line = text.lines().find(|line| line.starts_with(&format!("type {ty}:"))).map(String::from);
        line.unwrap_or_else(|| panic!("{ty} in {text}"))
    };
    assert_eq!(shown("q.Plan", "q.Plan"), "type q.Plan: q.Plan.of(int):2 q.Plan.more():3");
    assert_eq!(shown("q.User", "q.Plan"), "type q.Plan: q.Plan.of(int):2 q.Plan.more():3");
    assert_eq!(shown("q.User", "q.Ship"), "type q.Ship: q.ShipBuilder.create():2 new q.Ship(int,int,int,int,int,int):7");
    assert_eq!(shown("q.User", "q.Token"), "type q.Token: q.Office.issue(int):3");
    // A test cannot implement a package-private method of another package.
    assert!(shown("q.User", "a.Root").contains("none, it has abstract methods that are private to another package"));
    for (ty, ways) in [
        ("java.io.File", "new java.io.File(String):2 java.nio.file.Path.toFile():"),
        ("java.nio.file.Path", "java.nio.file.Files.createTempFile(String,String,FileAttribute[]):4"),
        ("java.nio.file.Path", "java.nio.file.Files.write(Path,byte[],OpenOption[]):"),
        ("java.net.URL", "new java.net.URL(String):2"),
        ("java.nio.channels.ReadableByteChannel", "java.nio.channels.Channels.newChannel(InputStream):"),
        ("java.time.Clock", "java.time.Clock.fixed(Instant,ZoneId):"),
        ("java.util.concurrent.Future", "java.util.concurrent.CompletableFuture.completedFuture(Object):"),
        ("java.util.logging.Logger", "java.util.logging.Logger.getLogger(String):2"),
        ("org.w3c.dom.Element", "org.w3c.dom.Document.createElement(String):"),
        ("javax.xml.stream.XMLStreamReader", "javax.xml.stream.XMLInputFactory.createXMLStreamReader(Reader):"),
    ] {
        let line = shown("q.User", ty);
        assert!(line.contains(ways), "{line}");
    }
    let leaf = cluster_of(&program, "q.Leaf");
    assert_eq!(leaf.remarks, ["1 protected methods that q.Leaf inherits from other packages can be called by a subclass only"]);
}

#[test]
fn each_bad_target_has_a_message_of_one_sentence() {
    let (folder, program) = program_from(&[
        (
            "p/Fraction.java",
            "package p; public class Fraction { private Fraction() {} private static class Inner { void m() {} } @interface Marked {}
             interface Empty { void only(); } static abstract class Alone { private Alone() {} void m() {} }
             static abstract class Open { protected abstract int n(); int m() { return n(); } } static class Closed { private Closed() {} }
             static class Tools { private Tools() {} static int twice(int n) { return 2 * n; } } }",
        ),
        ("q/Fraction.java", "package q; public class Fraction { }"),
    ]);
    let message = refused(&program, "p.Fracton");
    assert!(message.contains("p.Fracton is not on the class path; did you mean p.Fraction or q.Fraction?"), "{message}");
    assert!(refused(&program, "x.y.Unlike").contains("check the name and --classpath"));
    assert!(refused(&program, "p.Fraction.Marked").contains("is an annotation"));
    assert!(refused(&program, "p.Fraction$Inner").contains("is private, so no test can name it; name p.Fraction instead"));
    assert!(refused(&program, "java.lang.String").contains("belongs to the JDK"));
    assert!(refused(&program, "p.Fraction$Empty").contains("an interface without default or static methods"));
    assert!(refused(&program, "p.Fraction.Closed").contains("it has no constructor or method"));
    let cluster = cluster_of(&program, "p.Fraction.Tools");
    assert_eq!(cluster.under_test.len(), 1);
    let cluster = cluster_of(&program, "p.Fraction$Alone");
    assert!(cluster.remarks[0].contains("is abstract and the class path has no subclass"), "{:?}", cluster.remarks);
    assert_eq!(cluster.cost(&JavaType::class("p/Fraction$Alone")), None);
    let cluster = cluster_of(&program, "p.Fraction$Open");
    assert!(cluster.remarks[0].contains("its methods are called on an anonymous subclass"), "{:?}", cluster.remarks);
    assert!(cluster.cost(&JavaType::class("p/Fraction$Open")).is_some());
    // A class file of a later version of Java.
    let file = folder.path().join("classes/q/Fraction.class");
    let mut bytes = fs::read(&file).expect("there");
    bytes[6..8].copy_from_slice(&99u16.to_be_bytes());
    fs::write(&file, bytes).expect("written");
    let program = program_of(&[folder.path().join("classes")]);
    let message = refused(&program, "q.Fraction");
    assert!(message.contains("needs Java 55, but the JDK in use is"), "{message}");
    fs::write(&file, b"\xCA\xFE\xBA\xBE\0\0\0\x3D").expect("written");
    let program = program_of(&[folder.path().join("classes")]);
    assert!(matches!(find_target(&program, "q.Fraction"), Err(TargetError::Malformed { .. })));
}

#[test]
fn methods_can_be_chosen_by_name() {
    let (_folder, program) = program_from(&[(
        "m/M.java",
        "package m; public class M { public void f(int a) {} public void f(long a) {} public void g() {} }",
    )]);
    let build = |name: &str, descriptor: Option<&str>| {
        let methods = vec![(name.to_string(), descriptor.map(str::to_string))];
        Cluster::build(&program, &ClassName::new("m/M"), &ClusterConfig { methods, ..ClusterConfig::default() })
    };
    assert_eq!(build("f", None).expect("a cluster").under_test.len(), 2);
    assert_eq!(build("f", Some("(J)V")).expect("a cluster").under_test.len(), 1);
    assert!(build("h", None).expect_err("refused").to_string().contains("check --method"));
}

#[test]
fn clusters_of_commons_lang() {
    let Some(jar) = development_jar("commons-lang3-3.14") else { return };
    let program = program_of(&[jar]);
    let fraction = cluster_of(&program, "org.apache.commons.lang3.math.Fraction");
    assert_eq!(fraction.own, 27);
    assert_eq!(fraction.unbuildable().count(), 0);
    let ty = JavaType::class("org/apache/commons/lang3/math/Fraction");
    assert_eq!(fraction.cost(&ty), Some(1));
    assert!(fraction.choices(&JavaType::class("java/lang/Object")).iter().any(|choice| choice.ty == ty));
    assert!(fraction.constants.ints.contains(&10000));
    let mut totals = BTreeMap::new();
    for (class, own) in [("CharRange", 13), ("BooleanUtils", 0)] {
        let cluster = cluster_of(&program, &format!("org.apache.commons.lang3.{class}"));
        assert!(cluster.own >= own.max(1), "{class}: {}", cluster.own);
        assert_eq!(cluster.unbuildable().map(|(ty, _)| ty.to_string()).collect::<Vec<_>>(), Vec::<String>::new(), "{class}");
        totals.insert(class, cluster.under_test.len());
    }
    assert!(totals["BooleanUtils"] > 40, "{totals:?}");
}

/// The changed and impacted methods between two versions of the sources, one line each.
fn change(name: &str, before: &[(&str, &str)], now: &[(&str, &str)]) -> String {
    let (_folder, old) = program_from(before);
    let (_other, new) = program_from(now);
    let states = old.source().project_classes().into_iter().map(|class| {
        let state = ClassState::of(&old.class(&class).expect("readable").file);
        (class, Some(state))
    });
    let mut earlier = EarlierClasses { classes: states.collect() };
    let classes = new.source().project_classes();
    for class in &classes {
        earlier.classes.entry(class.clone()).or_insert(None);
    }
    let changed = changes::changed_methods(&earlier, &new);
    let reached = changes::affected_methods(&new, &classes, &changed);
    let text = |methods: &BTreeSet<MethodRef>| {
        let names = methods.iter().map(|method| format!("{}.{}", method.owner.local_name(), method.name));
        names.collect::<Vec<_>>().join(" ")
    };
    format!("{name}: {} -> {}", text(&changed), text(&reached))
}

#[test]
fn a_change_impacts_its_callers_and_no_other_method() {
    let base = "package p;
        interface Shape { int area(); }
        class Square implements Shape { int side; public int area() { return side * side; } }
        class Table { static final int[] SIZES = {1, 2}; static int first() { return SIZES[0]; } }
        class User {
            int twice(Shape shape) { return 2 * shape.area(); }
            int quiet(int x) { return x + 1; }
            int large() { return quiet(100000) + 123456; }
            Runnable lambda() { return () -> quiet(7); }
            Runnable other() { return () -> twice(null); }
        }";
    let with = |from: &str, to: &str| {
        assert!(base.contains(from), "{from}");
        [("p/A.java", base.replace(from, to))]
    };
    let said = |name: &str, now: &[(&str, String)]| {
        let now: Vec<(&str, &str)> = now.iter().map(|(file, text)| (*file, text.as_str())).collect();
        change(name, &[("p/A.java", base)], &now)
    };
    for (name, now, expected) in [
        ("lines", with("package p;", "package p;\n\n"), " -> "),
        (
            "constants before others",
            with("class User {", "class User { String aaa() { return \"aaa\" + 98765; }"),
            "User.aaa -> User.aaa",
        ),
        (
            "an override",
            with("side * side", "side + side"),
            "Square.area -> Square.area User.lambda$other$1 User.other User.twice",
        ),
        (
            "a lambda before others",
            with("Runnable lambda()", "Runnable early() { return () -> { }; } Runnable lambda()"),
            "User.early -> User.early User.lambda$early$0",
        ),
        ("the body of a lambda", with("quiet(7)", "quiet(8)"), "User.lambda -> User.lambda User.lambda$lambda$0"),
        ("an initialiser", with("{1, 2}", "{1, 3}"), "Table.<clinit> -> Table.<clinit> Table.<init> Table.first"),
        (
            "a superclass",
            with("class Table {", "class Table extends Square {"),
            "Table.<clinit> Table.<init> Table.first -> Table.<clinit> Table.<init> Table.first",
        ),
    ] {
        assert_eq!(said(name, &now), format!("{name}: {expected}"));
    }
    // An added class and a removed method.
    let gone = "package p; class A { int f() { return 1; } } class B extends A { int f() { return 2; } } class C { int g(B b) { return b.f(); } }";
    let now =
        "package p; class A { int f() { return 1; } } class B extends A { } class C { int g(B b) { return b.f(); } } class D { }";
    let found = change("inheritance", &[("p/A.java", gone)], &[("p/A.java", now)]);
    assert_eq!(found, "inheritance: B.f D.<init> -> B.f C.g D.<init>");
}

/// A controller with every kind of value that a request may hold.
const CONTROLLER: &str = r#"
package p;
import java.time.LocalDate;
import java.util.*;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.*;
@Controller
@RequestMapping(path = "/owners/{owner:\\d+}", params = "v=2")
public class Owners {
    enum Kind { CAT, DOG }
    public static class Pet {
        private String name;
        public void setName(String name) { this.name = name; }
        public void setBorn(LocalDate born) { }
        public void setTags(List<String> tags) { }
        public void setOwner(Pet owner) { }
    }
    @ModelAttribute Pet pet(@PathVariable("owner") int owner, @RequestParam(required = false) Kind kind) { return new Pet(); }
    @GetMapping public String list(@RequestParam(defaultValue = "1") int page, @RequestParam Optional<String> q, Model model) {
        model.addAttribute("pets", List.of());
        return "owners/list";
    }
    @PostMapping({"/pets", "/cats"}) public String add(Pet pet, @RequestHeader("X-Token") String token) { return "redirect:/"; }
    @PutMapping("/pets/{pet}") @ResponseBody public Pet put(@PathVariable UUID pet, @RequestBody Pet body) { return body; }
    @RequestMapping(value = "/all", method = RequestMethod.DELETE) public String clear() { return "owners/cleared"; }
    @GetMapping("/files/**") public String files() { return "files"; }
    public String plain() { return "none"; }
}
"#;

#[test]
fn requests_follow_the_annotations_of_a_controller() {
    let Some(jars) = spring_jars() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let classes = folder.path().join("classes");
    let files = write_sources(folder.path(), &[("p/Owners.java", CONTROLLER)]);
    let class_path = std::env::join_paths(&jars).expect("a class path").into_string().expect("UTF-8");
    let options = ["--release", "17", "-Xlint:none", "-parameters", "-cp", &class_path];
    compile_files(&jdks()[0].home, &options, &classes, &files);
    let requests = |entries: &[PathBuf]| -> Vec<String> {
        let text = cluster_of(&program_of(entries), "p.Owners").to_string();
        text.lines().filter_map(|line| line.strip_prefix("request ")).map(String::from).collect()
    };
    let all: Vec<PathBuf> = std::iter::once(classes.clone()).chain(jars.iter().cloned()).collect();
    assert_eq!(
        requests(&all),
        [
            "get /owners/{owner:integer} page=integer? q=text? kind=CAT|DOG? v=2 -> p.Owners.list",
            "post /owners/{owner:integer}/pets name=text? born=date? tags=text? kind=CAT|DOG? v=2 header X-Token=text -> p.Owners.add",
            "post /owners/{owner:integer}/cats name=text? born=date? tags=text? kind=CAT|DOG? v=2 header X-Token=text -> p.Owners.add",
            "put /owners/{owner:integer}/pets/{pet:uuid} kind=CAT|DOG? v=2 \
             body {name:text,born:date,tags:[text],owner:{name:text,born:date,tags:[text],owner:{name:text,born:date,tags:[text]}}} \
             -> p.Owners.put",
            "delete /owners/{owner:integer}/all kind=CAT|DOG? v=2 -> p.Owners.clear",
        ]
    );
    let is_test = |jar: &PathBuf| jar.file_name().is_some_and(|name| name.to_string_lossy().starts_with("spring-test-"));
    let without: Vec<PathBuf> = all.into_iter().filter(|jar| !is_test(jar)).collect();
    assert!(requests(&without).is_empty());
}

#[test]
fn objects_whose_methods_the_code_calls_are_built_up_however_far_they_are() {
    let entity = |name: &str| {
        format!(
            "package t; public class {name} {{ private int size; public void setSize(int size) {{ this.size = size; }} public int size() {{ return size; }} }}"
        )
    };
    let (_folder, program) = program_from(&[
        ("t/T.java", "package t; public class T { public int use(A a) { return a.b.c.near.size(); } }"),
        ("t/A.java", "package t; public class A { final B b; public A(B b) { this.b = b; } }"),
        ("t/B.java", "package t; public class B { final C c; public B(C c) { this.c = c; } }"),
        (
            "t/C.java",
            "package t; public class C { final Near near; final Far far; public C(Near near, Far far) { this.near = near; this.far = far; } }",
        ),
        ("t/Near.java", &entity("Near")),
        ("t/Far.java", &entity("Far")),
    ]);
    let text = cluster_of(&program, "t.T").to_string();
    assert!(text.contains("modifiers t.Near.setSize(int)") && !text.contains("modifiers t.Far.setSize(int)"), "{text}");
}

#[test]
fn texts_that_the_code_looks_up_or_parses_are_constants() {
    let (_folder, program) = program_from(&[(
        "t/T.java",
        "package t; public class T { enum Kind { SMALL, LARGE } \
         public int use(String kind, String day) { return Kind.valueOf(kind).ordinal() + java.time.LocalDate.parse(day).getDayOfYear(); } }",
    )]);
    let cluster = cluster_of(&program, "t.T");
    let texts: Vec<String> = cluster.constants.strings.iter().map(|text| String::from_utf16_lossy(text)).collect();
    for expected in ["SMALL", "LARGE", "2020-02-29"] {
        assert!(texts.iter().any(|text| text == expected), "{texts:?}");
    }
}

#[test]
fn code_that_draws_random_numbers_without_a_seed_is_known() {
    let (_folder, program) = program_from(&[(
        "Dice.java",
        "import java.util.*;\n\
         class Dice { private final Random random = new Random(); int roll() { return random.nextInt(6); } }\n\
         class Deck { List<String> mixed(List<String> cards) { Collections.shuffle(cards); return cards; } }\n\
         class Table { Dice dice; int play() { return dice.roll(); } }\n\
         class Fixed { List<String> mixed(List<String> cards) { Collections.shuffle(cards, new Random(1)); return cards; } }",
    )]);
    let draws = |name: &str| setting_names(&program, &[ClassName::new(name)]).draws_random;
    assert_eq!(["Dice", "Deck", "Table", "Fixed"].map(draws), [true, true, true, false]);
}

#[test]
fn methods_that_read_or_write_state_do_not_only_give_a_result() {
    let (_folder, program) = program_from(&[(
        "Rates.java",
        "class Rates {\n\
         static int rate = 3; static final int fixed = Integer.parseInt(\"3\"); static final int[] table = {1, 2};\n\
         static final String NAME = new String(\"x\"); int last;\n\
         static int plain(int a) { return new Pair(a, a + 1).sum() + fixed + NAME.length(); }\n\
         static int reads(int a) { return a * rate; }\n\
         static int writes(int a) { rate = a; return a; }\n\
         static int looksUp(int a) { return table[a & 1]; }\n\
         static int remembers(Rates rates, int a) { rates.last = a; return a; }\n\
         static int calls(int a) { return reads(a) + 1; }\n\
         static int prints(int a) { System.out.println(a); return a; } }\n\
         class Pair { final int a, b; Pair(int a, int b) { this.a = a; this.b = b; } int sum() { return a + b; } }",
    )]);
    let class = program.class(&ClassName::new("Rates")).expect("compiled");
    let only_gives = |name: &str| {
        let method = class.methods.iter().find(|method| &*method.reference.name == name).expect("a method");
        changes::only_gives_a_result(&program, &method.reference)
    };
    assert!(only_gives("plain"));
    for other in ["reads", "writes", "looksUp", "remembers", "calls", "prints"] {
        assert!(!only_gives(other), "{other}");
    }
}

#[test]
fn names_of_settings_are_found_where_a_helper_reads_them() {
    let (_folder, program) = program_from(&[(
        "Machine.java",
        "class Machine {\n\
         static String system() { return Settings.text(\"os.name\", \"none\"); }\n\
         static String mode() { return Settings.variable(\"APP_MODE\"); }\n\
         static String word() { return Settings.plain(\"no.setting\"); } }\n\
         class Settings {\n\
         static String text(String name, String otherwise) { String value = text(name); return value == null ? otherwise : value; }\n\
         private static String text(String name) { return System.getProperty(name); }\n\
         static String variable(String name) { return System.getenv(name); }\n\
         static String plain(String name) { return name; } }",
    )]);
    let names = setting_names(&program, &[ClassName::new("Machine")]);
    let of = |names: &std::collections::BTreeSet<String>| names.iter().cloned().collect::<Vec<String>>();
    assert_eq!(of(&names.properties), ["none", "os.name"]);
    assert_eq!(of(&names.variables), ["APP_MODE"]);
}
