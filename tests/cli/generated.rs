//! Generated members: tests use them, and they are no goals.

use crate::subject::{Subject, end};

const SOURCES: [(&str, &str); 6] = [
    (
        "lombok/Generated.java",
        "package lombok; import java.lang.annotation.*; @Retention(RetentionPolicy.CLASS) public @interface Generated {}",
    ),
    (
        "p/Account.java",
        "package p; import lombok.Generated; public class Account {\n\
         private int points; private String name;\n\
         @Generated public Account() {}\n\
         @Generated public void setPoints(int points) { this.points = points; }\n\
         @Generated public String getName() { return name; }\n\
         @Generated public boolean equals(Object other) { return other instanceof Account && ((Account) other).points == points; }\n\
         @Generated public int hashCode() { return points; }\n\
         public String grade() { return points > 4711 ? \"gold\" : \"plain\"; }\n}",
    ),
    (
        "p/Dto.java",
        "package p; import lombok.Generated; @Generated public class Dto {\n\
         private int size;\n\
         public int getSize() { return size > 3 ? 3 : size; }\n}",
    ),
    (
        "p/Range.java",
        "package p; public record Range(int from, int to) {\n\
         public boolean isEmpty() {\n return from >= to; } }",
    ),
    ("p/Side.java", "package p; public enum Side { LEFT, RIGHT }"),
    ("p/Level.java", "package p; public enum Level { LOW, HIGH;\n public boolean isHigh() { return this == HIGH; } }"),
];

#[test]
fn generated_members_are_no_goals() {
    let subject = Subject::of(&SOURCES);
    let mut command = subject.generate("p.Account");
    for class in ["p.Dto", "p.Range", "p.Level", "p.Side"] {
        command.args(["--class", class]);
    }
    command.args(["--steps", "600"]);
    let ended = end(&mut command);
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    let class = |name: &str| report.classes.iter().find(|class| class.name == name).expect("reported");
    let methods = |name: &str| class(name).methods.iter().map(|method| method.name.as_str()).collect::<Vec<_>>();
    assert_eq!(methods("p.Account"), ["grade"]);
    assert_eq!(methods("p.Range"), ["<init>", "isEmpty"]);
    assert_eq!(methods("p.Level"), ["isHigh"]);
    for name in ["p.Account", "p.Range", "p.Level"] {
        let branches = &class(name).goals.branch;
        assert_eq!((branches.covered, branches.total), (2, 2), "{name}\n{}", subject.source(name));
    }
    assert_eq!(class("p.Account").goals.line.total, 1);
    // A setter is no goal, and no test asserts what a getter returns, but a test needs it.
    let source = subject.source("p.Account");
    assert!(source.contains("setPoints(") && !source.contains("getName_"), "{source}");
    for name in ["p.Dto", "p.Side"] {
        let reason = class(name).reason.as_deref().unwrap_or_default();
        assert!(reason.contains("all of its methods are generated"), "{name}: {reason}");
        assert_eq!(class(name).tests, 0, "{name}");
    }
    assert!(!ended.out.contains("getSize") && !ended.err.contains("getSize"), "{}{}", ended.out, ended.err);
}
