//! Classes that cannot be tested, each for another cause: the report names the cause.

use crate::subject::{Subject, end, program};
use std::process::Command;

const SOURCES: [(&str, &str); 7] = [
    ("dep/Base.java", "package dep; public class Base { public static int one() { return 1; } }"),
    ("p/Heir.java", "package p; public class Heir extends dep.Base { public int f(int x) { return x; } }"),
    (
        "p/User.java",
        "package p; public class User { public static int own(int x) { return x > 3 ? 1 : 0; } \
         public static int foreign(int x) { return x + dep.Base.one(); } \
         public static class Part { public static int half(int x) { return x / 2; } } }",
    ),
    (
        "p/Native.java",
        "package p; public class Native { static { System.loadLibrary(\"nowhere\"); } public static int f(int x) { return x; } }",
    ),
    (
        "p/Broken.java",
        "package p; public class Broken { static final int SIZE = Integer.parseInt(\"many\"); \
         public static int f(int x) { return x + SIZE; } }",
    ),
    (
        "p/Deleter.java",
        "package p; public class Deleter { public static void run() { new java.io.File(\"/tracewright\").delete(); } }",
    ),
    (
        "p/Needy.java",
        "package p; public abstract class Needy { private Needy() { } public int f(int x) { return x > 2 ? x : 0; } \
         abstract int level(); }",
    ),
];

/// The classes lie in a jar that the class path names by a wildcard, in an argument file.
#[test]
fn each_untested_method_has_the_cause_that_holds() {
    let subject = Subject::of(&SOURCES);
    let folder = subject.folder.path();
    std::fs::remove_file(subject.classes().join("dep/Base.class")).expect("it was compiled");
    std::fs::create_dir_all(folder.join("lib")).expect("writable");
    let mut jar = Command::new(subject.jdk.home.join("bin/jar"));
    jar.current_dir(folder).args(["--create", "--file", "lib/app.JAR", "-C", "classes", "."]);
    assert!(jar.status().expect("jar starts").success());
    let mut arguments = String::from("generate\n--classpath\nlib/*:nowhere.jar\n--steps\n300\n--progress\nplain\n");
    for class in ["Heir", "User", "Native", "Broken", "Deleter", "Needy"] {
        arguments += &format!("--class\np.{class}\n");
    }
    std::fs::write(folder.join("arguments"), arguments).expect("writable");
    let ended = end(program().current_dir(folder).arg("@arguments"));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let warnings: Vec<&str> = ended.err.lines().take_while(|line| !line.contains(": starting")).collect();
    assert!(warnings.contains(&"class path entry nowhere.jar does not exist and is ignored, as java ignores it"), "{warnings:?}");
    assert!(warnings.contains(&"the class path lacks dep.Base, which p.User needs in foreign"), "{warnings:?}");

    let report = std::fs::read_to_string(folder.join("tracewright-report/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let class = |name: &str| report["classes"].as_array().expect("classes").iter().find(|class| class["name"] == name);
    let class = |name: &str| class(name).unwrap_or_else(|| panic!("{name} in {report}"));
    let heir = class("p.Heir")["reason"].as_str().expect("a reason");
    assert!(heir.contains("superclass dep.Base, which p.Heir needs, is not on the class path"), "{heir}");
    // The methods that need nothing are tested, those of the nested class too.
    assert!(class("p.User")["tests"].as_u64() >= Some(3), "{}", class("p.User"));
    for (name, method, cause, reason) in [
        ("p.User", "foreign", "missing-class", "it needs dep.Base, which is not on the class path"),
        ("p.Native", "f", "native-library", "UnsatisfiedLinkError: no nowhere in java.library.path"),
        ("p.Broken", "f", "initialiser", "java.lang.NumberFormatException: For input string: \"many\""),
        ("p.Deleter", "run", "refused", "changing a file (java.io.File.delete)"),
        ("p.Needy", "f", "needs", "no instance of p.Needy could be made, because"),
    ] {
        let methods = class(name)["methods"].as_array().expect("methods");
        let method = methods.iter().find(|found| found["name"] == method).expect("the method");
        assert_eq!(method["cause"], cause, "{method}");
        assert!(method["reason"].as_str().is_some_and(|found| found.contains(reason)), "{method}");
        assert!(ended.out.contains(method["remedy"].as_str().expect("a remedy")), "{}", ended.out);
    }
}
