//! One text for a key and for the property of what is found by it.
//!
//! In: a test, the names of parameters. Out: for texts that the call under test gets, those of the properties
//! with the same name in the objects that mocks answer with. Must not know whether the test shows the same
//! with them.
//!
//! In a test that a search has found, `find("sku2")` may give a product with the key `sku`. No repository does
//! that. A reader looks for the reason.

use super::distinct_values::Exchange;
use crate::program::MethodRef;
use crate::testcase::{AnswerOutcome, Literal, StatementKind, TestCase, VarId};

/// The names of the parameters of a method, where they say something.
type ParameterNames<'a> = &'a dyn Fn(&MethodRef) -> Vec<Option<String>>;

/// The exchanges to try for a test. The call under test is the last of its first `acted` statements.
pub(super) fn same_keys(names: ParameterNames<'_>, test: &TestCase, acted: u32) -> Vec<Exchange> {
    let Some(call) = acted.checked_sub(1).map(|last| &test.statement(VarId(last)).kind) else { return Vec::new() };
    let held = answered_texts(names, test, acted);
    let mut found = Vec::new();
    for (key, word) in named_texts(names, test, call) {
        let other = held.iter().find(|(text, property)| *property == word && test.literal(*text) != test.literal(key));
        found.extend(other.and_then(|(text, _)| Some(vec![(key, test.literal(*text)?.clone())])));
    }
    found
}

/// The texts in objects that mocks answer with, each with the name of its property.
fn answered_texts(names: ParameterNames<'_>, test: &TestCase, acted: u32) -> Vec<(VarId, String)> {
    let mut is_answered = vec![false; test.len()];
    for statement in test.statements.iter().take(acted as usize) {
        let StatementKind::Stub { answers, .. } = &statement.kind else { continue };
        for outcome in answers.iter().flat_map(|answer| &answer.outcomes) {
            if let AnswerOutcome::Returns(value) = outcome {
                test.definition_cone(*value).into_iter().zip(&mut is_answered).for_each(|(needed, all)| *all |= needed);
            }
        }
    }
    let made_of = |statement: &StatementKind| match statement {
        StatementKind::Call { receiver: Some(receiver), .. } => is_answered[test.begin_of_chain(*receiver).index()],
        _ => false,
    };
    let statements = test.statements.iter().enumerate().take(acted as usize);
    let of_answers = statements.filter(|(index, statement)| is_answered[*index] || made_of(&statement.kind));
    of_answers.flat_map(|(_, statement)| named_texts(names, test, &statement.kind)).collect()
}

/// The texts that a call or construction gets, each with the name of its parameter.
fn named_texts(names: ParameterNames<'_>, test: &TestCase, kind: &StatementKind) -> Vec<(VarId, String)> {
    let (method, args): (&MethodRef, &[VarId]) = match kind {
        StatementKind::Construct { constructor, args } => (constructor, args),
        StatementKind::Call { method, args, .. } => (method, args),
        _ => return Vec::new(),
    };
    let is_text = |variable: VarId| matches!(test.literal(variable), Some(Literal::Str(_)));
    let named = args.iter().zip(names(method)).filter(|(variable, _)| is_text(**variable));
    named.filter_map(|(variable, name)| Some((*variable, name?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_property_of_what_it_finds() {
        let text = "\
v0: Ljava/lang/String; = string \"one\"
v1: Lp/Form; = new p/Form.<init> ()V ()
v2: V = call method p/Form.setName (Ljava/lang/String;)V on v1 (v0)
v3: Lp/Forms; = mock p/Forms (p/Forms.find (Ljava/lang/String;)Lp/Form; v1)
v4: Ljava/lang/String; = string \"other\"
v5: Lp/Form; = new p/Form.<init> ()V ()
v6: V = call method p/Form.setName (Ljava/lang/String;)V on v5 (v4)
";
        let test: TestCase = text.parse().expect("well-formed");
        let names = |method: &MethodRef| match &*method.name {
            "setName" => vec![Some("name".to_owned())],
            _ => vec![Some("key".to_owned())],
        };
        assert_eq!(same_keys(&names, &test, 7), [vec![(VarId(4), Literal::Str("one".encode_utf16().collect()))]]);
        assert_eq!(same_keys(&names, &test, 3), Vec::<Exchange>::new(), "it is the property of what is found");
        assert_eq!(same_keys(&|_| vec![None], &test, 7), Vec::<Exchange>::new());
    }
}
