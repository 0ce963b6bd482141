//! Texts and numbers in place of objects that a call only takes as elements.
//!
//! In: a test. Out: the test with texts or numbers where it gives other objects for parameters of type `Object`. Must
//! not know whether it then shows the same.
//!
//! A search puts a queue into itself, or an `ArrayList` into a map as the key, since it has such an object at hand. A
//! reader looks for the reason. A person puts in a text, or a number where texts do something else.

use crate::execution::Snapshot;
use crate::oracle::{AssertedTest, Fact};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Methods that are asked about objects of their own class.
const COMPARISONS: [&str; 2] = ["equals", "compareTo"];
/// The text and the number. Which one suits is found later.
const TEXT: &str = "text";
const NUMBER: i32 = 2;
/// Elements of a test that are exchanged at once, at most.
const MOST: usize = 8;

/// The kind of value in place of an object.
#[derive(Clone, Copy)]
enum PlainElement {
    Text,
    Number,
}

/// The test with texts in place of all such objects, then with numbers, then with a text in place of one of them each,
/// then with a number; the last is to be tried first. Where one form holds, the others are those of the test before.
pub(super) fn with_plain_elements(test: &AssertedTest) -> Vec<AssertedTest> {
    let places: Vec<(u32, usize)> = elements(test).into_iter().take(MOST).collect();
    let kinds = [PlainElement::Text, PlainElement::Number];
    let all = kinds.iter().filter(|_| places.len() > 1).filter_map(|plain| with_all(test, &places, *plain));
    let single = kinds.iter().flat_map(|plain| places.iter().filter_map(|place| exchanged(test, *place, *plain)));
    let mut found: Vec<AssertedTest> = all.chain(single).collect();
    found.reverse();
    found
}

fn with_all(test: &AssertedTest, places: &[(u32, usize)], plain: PlainElement) -> Option<AssertedTest> {
    // From the last one on: what is put in front of a call leaves the numbers before it.
    let (mut last, mut moved) = (None, 0);
    places.iter().rev().try_fold(test.clone(), |changed, (call, position)| {
        moved = if last == Some(*call) { moved } else { 0 };
        last = Some(*call);
        let exchanged = exchanged(&changed, (call + moved, *position), plain)?;
        moved += exchanged.acted - changed.acted;
        Some(exchanged)
    })
}

/// The calls and arrays, and the positions of their values, that may be any object, and that a person would not give.
fn elements(test: &AssertedTest) -> Vec<(u32, usize)> {
    let own = test.test.statements.iter().enumerate().take(test.acted as usize);
    own.flat_map(|(call, statement)| {
        let (taken, args) = match &statement.kind {
            StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. } => {
                let is_comparison = COMPARISONS.contains(&&*method.name);
                (if is_comparison { Vec::new() } else { method.parameters() }, &args[..])
            }
            StatementKind::Array { element, elements, .. } => (vec![element.clone(); elements.len()], &elements[..]),
            _ => (Vec::new(), [].as_slice()),
        };
        let is_any = |(_, (argument, ty)): &(usize, (&VarId, JavaType))| {
            *ty == JavaType::class("java/lang/Object") && is_made(test, **argument)
        };
        let found = args.iter().zip(taken).enumerate().filter(is_any).map(|(position, _)| (call as u32, position));
        found.collect::<Vec<_>>()
    })
    .collect()
}

/// Whether the test makes the object, and it is no number.
fn is_made(test: &AssertedTest, argument: VarId) -> bool {
    match &test.test.statement(argument).kind {
        StatementKind::Construct { .. } | StatementKind::Array { .. } => true,
        StatementKind::Call { method, .. } => &*method.name != "valueOf",
        _ => false,
    }
}

/// The test with a text or number for this argument. What was the same object equals it then.
fn exchanged(test: &AssertedTest, (call, position): (u32, usize), plain: PlainElement) -> Option<AssertedTest> {
    let mut inserted = TestCase::default();
    let value = match plain {
        PlainElement::Text => {
            let units: Vec<u16> = TEXT.encode_utf16().collect();
            inserted.push(StatementKind::Literal(Literal::Str(units.clone())), JavaType::class("java/lang/String"));
            Snapshot::Str(Some(units))
        }
        PlainElement::Number => {
            inserted.push(StatementKind::Literal(Literal::Int(NUMBER)), JavaType::INT);
            let boxes = MethodRef::new(ClassName::new("java/lang/Integer"), "valueOf", "(I)Ljava/lang/Integer;");
            inserted.push_static_call(&boxes, vec![VarId(call)]);
            Snapshot::Boxed(Box::new(Snapshot::Int(NUMBER)))
        }
    };
    let count = inserted.len() as u32;
    let mut changed = test.with_statements(call, inserted.statements);
    let (StatementKind::Call { args, .. } | StatementKind::Construct { args, .. } | StatementKind::Array { elements: args, .. }) =
        &mut changed.test.statements[(call + count) as usize].kind
    else {
        return None;
    };
    let before = std::mem::replace(args.get_mut(position)?, VarId(call + count - 1));
    for assertion in &mut changed.assertions {
        let is_element = changed.test.type_of(assertion.subject) == &JavaType::class("java/lang/Object");
        if is_element && assertion.fact == Fact::SameAs(before) {
            assertion.fact = Fact::Equals(value.clone());
        }
    }
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<String> {
        let test: AssertedTest = text.parse().expect("well-formed");
        // The best first.
        with_plain_elements(&test).iter().rev().map(AssertedTest::to_string).collect()
    }

    #[test]
    fn a_queue_holds_a_text_in_place_of_itself() {
        let made = "target p/Queue.get ()Ljava/lang/Object;\nacted 3\nv0: Lp/Queue; = new p/Queue.<init> ()V ()\n";
        let add = "call method p/Queue.add (Ljava/lang/Object;)V on v0";
        let get = "Ljava/lang/Object; = call method p/Queue.get ()Ljava/lang/Object; on v0 ()\n";
        let found = forms(&format!("{made}v1: V = {add} (v0)\nv2: {get}assert v2 same v0\n"));
        let text = "v1: Ljava/lang/String; = string \"text\"\n";
        let made = made.replace("acted 3\n", "");
        let expected = format!("{made}{text}v2: V = {add} (v1)\nv3: {get}assert v3 equals string \"text\"\n");
        assert_eq!(found[0], expected);
        assert!(found[1].contains("assert v4 equals boxed int 2"), "{found:?}");
    }

    #[test]
    fn numbers_and_what_is_compared_stay() {
        let made = "acted 3\nv0: Lp/Queue; = new p/Queue.<init> ()V ()\n";
        let equals = "v1: Z = call method p/Queue.equals (Ljava/lang/Object;)Z on v0 (v0)\n";
        assert!(forms(&format!("{made}{equals}")).is_empty());
        let box_of = "call method java/lang/Integer.valueOf (I)Ljava/lang/Integer;";
        let boxed = format!("v1: I = int 2\nv2: Ljava/lang/Integer; = {box_of} (v1)\n");
        let add = "v3: V = call method p/Queue.add (Ljava/lang/Object;)V on v0 (v2)\n";
        assert!(forms(&format!("{}{boxed}{add}", made.replace("acted 3", "acted 4"))).is_empty());
        let both = "v1: V = call method p/Queue.put (Ljava/lang/Object;Ljava/lang/Object;)V on v0 (v0, v0)\n";
        let forms = forms(&format!("{}{both}", made.replace("acted 3", "acted 2")));
        assert_eq!(forms.len(), 6, "both, and each of them, and the same with numbers");
        let exchanged = ["(v2, v1)", "(v4, v2)", "(v1, v0)", "(v0, v1)", "(v2, v0)", "(v0, v2)"];
        assert!(forms.iter().zip(exchanged).all(|(form, given)| form.contains(given)), "{forms:?}");
    }

    #[test]
    fn what_an_array_of_objects_holds_becomes_a_text() {
        let array = |element: &str| {
            let made = "acted 3\nv0: Lp/Queue; = new p/Queue.<init> ()V ()\n";
            let array = format!("v1: [L{element}; = array L{element}; 1 (v0)\n");
            forms(&format!("{made}{array}v2: V = call method p/Queue.addAll ([L{element};)V on v0 (v1)\n"))
        };
        assert!(array("java/lang/Object")[0].contains("= array Ljava/lang/Object; 1 (v1)"), "{:?}", array("java/lang/Object"));
        assert!(array("p/Queue").is_empty());
    }
}
