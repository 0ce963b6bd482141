//! What the code under test may have influenced: only that is worth an assertion.
//!
//! In: a test case. Out: for each statement, whether its value may come from the project, and whether
//! the class under test had a part in it. Must not know values.

use super::fault::top_level;
use super::observe::{is_value, thread_interrupted};
use crate::program::{ClassName, JavaType, Program};
use crate::testcase::{StatementKind, TestCase, VarId};

/// Methods that put something into a collection or a map.
const FILLING: [&str; 8] = ["add", "addAll", "addFirst", "addLast", "offer", "push", "put", "putAll"];

/// For each statement, whether code of the project may have influenced its value: results of the
/// project, their arguments, and values derived from either. A call does not influence immutable
/// arguments. What a collection of the JDK that the test makes answers when it is filled is not
/// influenced.
pub(super) fn influenced(test: &TestCase, program: &Program) -> Vec<bool> {
    let mut influenced = vec![false; test.statements.len()];
    for (index, statement) in test.statements.iter().enumerate() {
        let mut touched =
            asks_for_interrupt(&statement.kind) || owner(&statement.kind).is_some_and(|owner| program.is_project(owner));
        statement.kind.for_each_use(|used| touched |= influenced[used.index()]);
        if touched {
            influenced[index] = !fills_own_collection(test, &statement.kind, |class| program.is_project(class));
            statement.kind.for_each_use(|used| mark_changeable(test, used, &mut influenced));
        }
    }
    influenced
}

/// For each statement, whether the class under test had a part in its value when it was made: it is a
/// result of that class, or derived from one, or from an object that the class got before.
pub(super) fn made_by_tested(test: &TestCase, tested: &ClassName, program: &Program) -> Vec<bool> {
    let family = top_level(program, tested);
    made_by(test, |class| {
        let is_related = program.is_subclass(tested, class) || program.is_subclass(class, tested);
        is_related && program.is_project(class) || top_level(program, class) == family
    })
}

fn made_by(test: &TestCase, is_own: impl Fn(&ClassName) -> bool) -> Vec<bool> {
    let mut made = vec![false; test.statements.len()];
    // What a call changed was made without it, but what is read from it then was not.
    let mut reached = made.clone();
    for (index, statement) in test.statements.iter().enumerate() {
        let mut touched = asks_for_interrupt(&statement.kind) || owner(&statement.kind).is_some_and(&is_own);
        statement.kind.for_each_use(|used| touched |= reached[used.index()]);
        made[index] = touched;
        reached[index] |= touched;
        if touched {
            statement.kind.for_each_use(|used| mark_changeable(test, used, &mut reached));
        }
    }
    made
}

/// Whether the call tells whether the thread is interrupted, which the code under test decides.
fn asks_for_interrupt(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Call { method, .. } if *method == thread_interrupted())
}

/// The class whose member the statement uses.
fn owner(kind: &StatementKind) -> Option<&ClassName> {
    match kind {
        StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => Some(&method.owner),
        StatementKind::GetField { field, .. } => Some(&field.owner),
        _ => None,
    }
}

/// Marks the value where a call can change it, and what a writer or stream of the JDK writes to.
fn mark_changeable(test: &TestCase, value: VarId, marked: &mut [bool]) {
    marked[value.index()] |= !is_lasting(test, value);
    if let StatementKind::Construct { constructor, args } = &test.statement(value).kind
        && constructor.owner.package() == "java/io"
    {
        args.iter().for_each(|wrapped| mark_changeable(test, *wrapped, marked));
    }
}

/// Whether no call changes the value.
fn is_lasting(test: &TestCase, variable: VarId) -> bool {
    match test.type_of(variable) {
        JavaType::Class(class) => is_value(class),
        JavaType::Array(_) => false,
        _ => true,
    }
}

/// Whether the call puts something into a collection or map of the JDK that the test itself makes.
fn fills_own_collection(test: &TestCase, kind: &StatementKind, is_project: impl Fn(&ClassName) -> bool) -> bool {
    let StatementKind::Call { method, receiver: Some(receiver), .. } = kind else { return false };
    let is_own = match &test.statement(*receiver).kind {
        StatementKind::Construct { constructor: maker, .. } | StatementKind::Call { method: maker, receiver: None, .. } => {
            !is_project(&maker.owner)
        }
        _ => false,
    };
    is_own && FILLING.contains(&&*method.name) && method.owner.internal().starts_with("java/util/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_under_test_has_a_part_in_what_it_returns_and_in_what_comes_from_it() {
        let text = "\
v0: Lp/V; = new p/V.<init> ()V ()
v1: Ljava/util/Optional; = call method java/util/Optional.of (Ljava/lang/Object;)Ljava/util/Optional; (v0)
v2: Lp/S; = new p/S.<init> ()V ()
v3: Lp/R; = call method p/S.work (Lp/V;)Lp/R; on v2 (v0)
v4: I = call method p/R.size ()I on v3 ()
v5: I = call method p/V.size ()I on v0 ()
v6: Lp/V; = new p/V.<init> ()V ()
v7: I = call method p/V.size ()I on v6 ()
";
        let test: TestCase = text.parse().expect("well-formed");
        let made = made_by(&test, |class| class.internal() == "p/S");
        assert_eq!(made, [false, false, true, true, true, true, false, false]);
        let asked: TestCase = "v0: Z = call method java/lang/Thread.interrupted ()Z ()\n".parse().expect("well-formed");
        assert_eq!(made_by(&asked, |_| false), [true]);
    }

    #[test]
    fn what_a_writer_writes_to_is_reached_through_it() {
        let text = "\
v0: Ljava/io/StringWriter; = new java/io/StringWriter.<init> ()V ()
v1: Ljava/io/PrintWriter; = new java/io/PrintWriter.<init> (Ljava/io/Writer;)V (v0)
v2: V = call method p/S.print (Ljava/io/PrintWriter;)V (v1)
v3: Ljava/lang/String; = call method java/lang/Object.toString ()Ljava/lang/String; on v0 ()
";
        let test: TestCase = text.parse().expect("well-formed");
        assert_eq!(made_by(&test, |class| class.internal() == "p/S"), [false, false, true, true]);
    }

    #[test]
    fn filling_a_collection_of_the_test_tells_nothing() {
        let fills = |maker: &str, method: &str| {
            let text = format!(
                "v0: Ljava/util/ArrayList; = {maker}\n\
                 v1: Ljava/lang/String; = string \"a\"\n\
                 v2: Z = call method java/util/ArrayList.{method} (Ljava/lang/Object;)Z on v0 (v1)\n"
            );
            let test: TestCase = text.parse().expect("well-formed");
            fills_own_collection(&test, &test.statements[2].kind, |class| class.internal().starts_with("p/"))
        };
        assert!(fills("new java/util/ArrayList.<init> ()V ()", "add"));
        assert!(!fills("new java/util/ArrayList.<init> ()V ()", "contains"));
        assert!(!fills("call method p/A.all ()Ljava/util/ArrayList; ()", "add"));
    }
}
