//! Objects that come from streams and members that come from reflection.

use crate::subject::{Subject, end};

const SOURCES: [(&str, &str); 2] = [
    (
        "p/Ledger.java",
        "package p; import java.io.*; public class Ledger implements Serializable {\n\
         private static final long serialVersionUID = 1L;\n\
         private transient int total; private final int limit;\n\
         public Ledger(int limit) { this.limit = limit; }\n\
         public void add(int amount) { total += amount; }\n\
         public int total() { return total; }\n\
         private void writeObject(ObjectOutputStream out) throws IOException {\n\
         out.defaultWriteObject();\n\
         out.writeBoolean(total > limit);\n\
         if (total > limit) { out.writeInt(total); } }\n\
         private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {\n\
         in.defaultReadObject();\n\
         total = in.readBoolean() ? in.readInt() : 0; }\n\
         @Override public int hashCode() { return total; }\n\
         @Override public boolean equals(Object other) {\n\
         return other instanceof Ledger && ((Ledger) other).total == total; } }",
    ),
    (
        "p/Unit.java",
        "package p; public final class Unit implements java.io.Serializable {\n\
         private static final long serialVersionUID = 1L;\n\
         public static final Unit ONE = new Unit(1);\n\
         private final int value;\n\
         private Unit(int value) { this.value = value; }\n\
         public static Unit of(int value) { return value == 1 ? ONE : new Unit(value); }\n\
         private Object readResolve() { return value == 1 ? ONE : this; } }",
    ),
];

/// It takes members, and types that are not only classes.
const NAMES: (&str, &str) = (
    "p/Names.java",
    "package p; import java.lang.reflect.*; public class Names {\n\
     public int count; public static java.util.List<String> all;\n\
     public static String of(Field field) {\n\
     return Modifier.isStatic(field.getModifiers()) ? \"static \" + field.getName() : field.getName(); }\n\
     public static int parameters(Method method) {\n\
     return method.isVarArgs() ? -1 : method.getParameterCount(); }\n\
     public static String join(String... parts) { return String.join(\"-\", parts); }\n\
     public static boolean isGeneric(Type type) {\n\
     if (type instanceof Class) { return false; }\n\
     return type instanceof ParameterizedType; } }",
);

#[test]
fn members_are_looked_up() {
    let subject = Subject::of(&[NAMES]);
    let ended = end(subject.generate("p.Names").args(["--steps", "2000", "--seed", "1"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    let report = subject.report();
    let (class, source) = (&report.classes[0], subject.source("p.Names"));
    assert_eq!((class.goals.branch.covered, class.discarded.uncompilable), (class.goals.branch.total, 0), "{source}");
    assert!(source.contains("Names.class.getDeclaredField("), "{source}");
}

#[test]
fn objects_are_written_and_read() {
    let subject = Subject::of(&SOURCES);
    let ended = end(subject.generate("p.Ledger").args(["--class", "p.Unit", "--steps", "6000", "--seed", "1"]));
    assert_eq!(ended.status, 0, "{}", ended.err);
    for class in subject.report().classes {
        let (branches, source) = (&class.goals.branch, subject.source(&class.name));
        assert_eq!(branches.covered, branches.total, "{}\n{source}", class.name);
        assert_eq!(class.discarded.uncompilable, 0, "{}: {:?}", class.name, class.discarded);
        assert!(source.contains(".writeObject(") && source.contains(".readObject()"), "{source}");
    }
    let ledger = subject.source("p.Ledger");
    assert!(ledger.contains("restoresLedger() ") && ledger.contains("assertEquals(ledger, result)"), "{ledger}");
}
