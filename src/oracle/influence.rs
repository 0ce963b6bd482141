//! What the code under test may have influenced: only that is worth an assertion.
//!
//! In: a test case. Out: for each statement, whether its value may come from the project. Must not
//! know values.

use super::observe::is_value;
use crate::program::{ClassName, JavaType, Program};
use crate::testcase::{StatementKind, TestCase};

/// Methods that put something into a collection or a map.
const FILLING: [&str; 8] = ["add", "addAll", "addFirst", "addLast", "offer", "push", "put", "putAll"];

/// For each statement, whether code of the project may have influenced its value: results of the
/// project, their arguments, and values derived from either. A call does not influence immutable
/// arguments. What a collection of the JDK that the test makes answers when it is filled is not
/// influenced.
pub(super) fn influenced(test: &TestCase, program: &Program) -> Vec<bool> {
    let mut influenced = vec![false; test.statements.len()];
    for (index, statement) in test.statements.iter().enumerate() {
        let owner = match &statement.kind {
            StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => Some(&method.owner),
            StatementKind::GetField { field, .. } => Some(&field.owner),
            _ => None,
        };
        let mut touched = owner.is_some_and(|owner| program.is_project(owner));
        statement.kind.for_each_use(|used| touched |= influenced[used.index()]);
        if touched {
            influenced[index] = !fills_own_collection(test, &statement.kind, |class| program.is_project(class));
            statement.kind.for_each_use(|used| {
                let lasting = match test.type_of(used) {
                    JavaType::Class(class) => is_value(class),
                    JavaType::Array(_) => false,
                    _ => true,
                };
                influenced[used.index()] |= !lasting;
            });
        }
    }
    influenced
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
