//! Objects of the JDK that exist to be written to, as arguments of the call under test. In: a test
//! case; out: which of its objects the call can write to, and what reads them. Must not know values.
//!
//! What the test itself put there says nothing. An object is compared with what it was right after it
//! was made, so only those count that nothing but the call uses.

use crate::program::{ClassName, MethodRef};
use crate::testcase::{StatementKind, TestCase, VarId};

/// Classes whose text is what was written to them.
const TEXTS: [&str; 5] = [
    "java/io/StringWriter",
    "java/io/CharArrayWriter",
    "java/io/ByteArrayOutputStream",
    "java/lang/StringBuilder",
    "java/lang/StringBuffer",
];
/// Classes whose methods end lines.
const PRINTERS: [&str; 3] = ["java/io/PrintWriter", "java/io/PrintStream", "java/io/BufferedWriter"];
/// Classes that hold one value, with the descriptor of its getter.
const HOLDERS: [(&str, &str); 4] = [
    ("java/util/concurrent/atomic/AtomicInteger", "()I"),
    ("java/util/concurrent/atomic/AtomicLong", "()J"),
    ("java/util/concurrent/atomic/AtomicBoolean", "()Z"),
    ("java/util/concurrent/atomic/AtomicReference", "()Ljava/lang/Object;"),
];

/// The objects that the last of the first `acted` statements can write to: its arguments, and what the
/// writers and streams among them write to.
pub(super) fn written_arguments(test: &TestCase, acted: u32) -> Vec<VarId> {
    let Some(call) = (acted as usize).checked_sub(1).map(|last| &test.statements[last].kind) else { return Vec::new() };
    let (receiver, args) = match call {
        StatementKind::Call { receiver, args, .. } => (*receiver, args),
        StatementKind::Construct { args, .. } => (None, args),
        _ => return Vec::new(),
    };
    let mut open: Vec<VarId> = args.iter().rev().copied().collect();
    let mut found = Vec::new();
    while let Some(object) = open.pop() {
        if found.contains(&object) || receiver == Some(object) {
            continue;
        }
        let Some(class) = made_class(test, object) else { continue };
        match &test.statement(object).kind {
            _ if is_text(class) || is_holder(class) || is_collection(class) => found.push(object),
            StatementKind::Construct { args, .. } if class.package() == "java/io" => open.extend(args.iter().rev()),
            _ => {}
        }
    }
    found
}

/// Whether the inspector reads an object to which the call under test can write.
pub(super) fn reads_written(test: &TestCase, acted: u32, subject: VarId) -> bool {
    match &test.statement(subject).kind {
        StatementKind::Call { receiver: Some(receiver), .. } if subject.0 >= acted => {
            written_arguments(test, acted).contains(receiver)
        }
        _ => false,
    }
}

/// Whether the inspector reads a text to which lines are printed: `println` ends them as the operating system does.
pub(crate) fn reads_printed_lines(test: &TestCase, subject: VarId) -> bool {
    let StatementKind::Call { receiver: Some(text), .. } = &test.statement(subject).kind else { return false };
    let prints = |kind: &StatementKind| match kind {
        StatementKind::Construct { constructor, args } => PRINTERS.contains(&constructor.owner.internal()) && args.contains(text),
        _ => false,
    };
    made_class(test, *text).is_some_and(is_text) && test.statements.iter().any(|statement| prints(&statement.kind))
}

/// The method that tells what was written to the object; `None` where a collection says it as a whole.
pub(super) fn reader_of(test: &TestCase, object: VarId) -> Option<MethodRef> {
    let class = made_class(test, object)?;
    if is_text(class) {
        return Some(MethodRef::new(ClassName::new("java/lang/Object"), "toString", "()Ljava/lang/String;"));
    }
    if let Some((_, descriptor)) = HOLDERS.iter().find(|(holder, _)| *holder == class.internal()) {
        return Some(MethodRef::new(class.clone(), "get", descriptor));
    }
    is_collection(class).then(|| MethodRef::new(class.clone(), "size", "()I"))
}

/// The class of an object of the JDK that the test constructs.
fn made_class(test: &TestCase, object: VarId) -> Option<&ClassName> {
    match &test.statement(object).kind {
        StatementKind::Construct { constructor, .. } if constructor.owner.internal().starts_with("java/") => {
            Some(&constructor.owner)
        }
        _ => None,
    }
}

fn is_text(class: &ClassName) -> bool {
    TEXTS.contains(&class.internal())
}

fn is_holder(class: &ClassName) -> bool {
    HOLDERS.iter().any(|(holder, _)| *holder == class.internal())
}

fn is_collection(class: &ClassName) -> bool {
    let kinds = ["List", "Set", "Map", "Deque", "Queue", "Vector", "Stack", "Properties", "Hashtable"];
    class.package().starts_with("java/util") && kinds.iter().any(|kind| class.local_name().ends_with(kind))
}

/// Whether the call under test alone uses the object, or a writer or stream around it.
pub(super) fn is_only_given(test: &TestCase, acted: u32, object: VarId) -> bool {
    let mut carriers = vec![object];
    let between = test.statements.iter().enumerate().take(acted as usize - 1).skip(object.index() + 1);
    for (index, statement) in between {
        if !statement.kind.uses().iter().any(|used| carriers.contains(used)) {
            continue;
        }
        match &statement.kind {
            StatementKind::Construct { constructor, .. } if constructor.owner.package() == "java/io" => {
                carriers.push(VarId(index as u32));
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(u32, Option<String>)> {
        let test: TestCase = text.parse().expect("well-formed");
        let acted = test.len() as u32;
        let reader = |object: VarId| reader_of(&test, object).map(|method| method.name.to_string());
        let written = written_arguments(&test, acted).into_iter().filter(|object| is_only_given(&test, acted, *object));
        written.map(|object| (object.0, reader(object))).collect()
    }

    #[test]
    fn what_a_writer_writes_to_is_read() {
        let text = "\
v0: Ljava/io/StringWriter; = new java/io/StringWriter.<init> ()V ()
v1: Ljava/io/PrintWriter; = new java/io/PrintWriter.<init> (Ljava/io/Writer;)V (v0)
v2: Ljava/util/ArrayList; = new java/util/ArrayList.<init> ()V ()
v3: Lp/V; = new p/V.<init> ()V ()
v4: V = call method p/S.print (Ljava/io/PrintWriter;Ljava/util/List;Lp/V;)V (v1, v2, v3)
";
        assert_eq!(found(text), [(0, Some("toString".into())), (2, Some("size".into()))]);
    }

    #[test]
    fn lines_are_printed_through_a_printer() {
        let reads = |made: &str| {
            let text = format!(
                "v0: Ljava/io/StringWriter; = new java/io/StringWriter.<init> ()V ()\n\
                 v1: Ljava/io/Writer; = new {made}.<init> (Ljava/io/Writer;)V (v0)\n\
                 v2: Ljava/lang/String; = call method java/lang/Object.toString ()Ljava/lang/String; on v0 ()\n"
            );
            reads_printed_lines(&text.parse().expect("well-formed"), VarId(2))
        };
        assert!(reads("java/io/PrintWriter") && !reads("java/io/FilterWriter"));
    }

    #[test]
    fn what_the_test_itself_put_there_says_nothing() {
        let text = "\
v0: Ljava/util/ArrayList; = new java/util/ArrayList.<init> ()V ()
v1: Ljava/lang/String; = string \"a\"
v2: Z = call method java/util/ArrayList.add (Ljava/lang/Object;)Z on v0 (v1)
v3: V = call method p/S.fill (Ljava/util/List;)V (v0)
";
        assert_eq!(found(text), []);
    }
}
