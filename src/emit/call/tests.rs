//! Calls of the sample program as javac sees them.

use super::*;
use crate::emit::tests::sample_program;

/// The plan of a call of `owner.name descriptor` with arguments of these types (signatures; empty:
/// null).
fn plan(
    (owner, name, descriptor): (&str, &str, &str),
    receiver: Option<&str>,
    arguments: &[&str],
) -> Result<CallPlan, Unprintable> {
    let program = sample_program();
    let access = Accessibility::new(&program, "p");
    let method = MethodRef::new(ClassName::new(owner), name, descriptor);
    let arguments: Vec<Static> = arguments.iter().map(|signature| GenericType::parse(signature)).collect();
    plan_call(&access, &method, receiver.and_then(GenericType::parse).as_ref(), None, &arguments)
}

#[test]
fn a_null_selects_the_most_specific_overload() {
    let wide = plan(("p/Calls", "take", "(Ljava/lang/Object;)V"), None, &[""]).expect("a plan");
    assert_eq!((wide.arguments, wide.alone), (vec![Adapt::Cast], false));
    let narrow = plan(("p/Calls", "take", "(Ljava/lang/String;)V"), None, &[""]).expect("a plan");
    assert_eq!(narrow.arguments, [Adapt::Plain]);
}

#[test]
fn a_primitive_is_cast_to_a_reference_parameter() {
    let boxed = plan(("p/Calls", "take", "(Ljava/lang/Object;)V"), None, &["I"]).expect("a plan");
    assert_eq!(boxed.arguments, [Adapt::Cast]);
}

#[test]
fn only_a_box_that_no_other_overload_takes_may_be_a_primitive() {
    let boxes = |name: &str, descriptor: &str, arguments: &[&str]| {
        plan(("p/Numbers", name, descriptor), None, arguments).expect("a plan").boxes
    };
    let (long, text) = ("Ljava/lang/Long;", "Ljava/lang/String;");
    assert_eq!(boxes("alone", "(Ljava/lang/Long;I)V", &[long, "I"]), [true, false]);
    assert_eq!(boxes("text", "(Ljava/lang/Long;)V", &[long]), [true]);
    assert_eq!(boxes("text", "(Ljava/lang/String;)V", &[text]), [false]);
    assert_eq!(boxes("wide", "(Ljava/lang/Long;)V", &[long]), [false]);
    assert_eq!(boxes("primitive", "(Ljava/lang/Long;)V", &[long]), [false]);
}

#[test]
fn a_null_for_varargs_is_cast_to_the_array() {
    let all = plan(("p/Calls", "all", "([Ljava/lang/Object;)V"), None, &[""]).expect("a plan");
    assert_eq!((all.arguments, all.varargs, all.alone), (vec![Adapt::Cast], true, true));
}

#[test]
fn a_member_with_so_many_arguments_is_a_rival_of_varargs() {
    let program = sample_program();
    let has_rival = |name: &str, descriptor: &str, arity: usize| {
        has_rival_with_arity(&program, &MethodRef::new(ClassName::new("p/Calls"), name, descriptor), arity)
    };
    assert!(!has_rival("all", "([Ljava/lang/Object;)V", 1));
    assert!(has_rival("take", "(Ljava/lang/Object;)V", 1), "it has an overload for texts");
    assert!(!has_rival("take", "(Ljava/lang/Object;)V", 2));
}

#[test]
fn the_type_arguments_of_the_receiver_determine_the_result() {
    let get = ("p/Box", "get", "()Ljava/lang/Object;");
    let exact = plan(get, Some("Lp/Box<Ljava/lang/String;>;"), &[]).expect("a plan");
    assert_eq!(exact.returns, GenericType::parse("Ljava/lang/String;").expect("a signature"));
    for receiver in ["Lp/Box;", "Lp/Box<*>;"] {
        assert_eq!(plan(get, Some(receiver), &[]).expect("a plan").returns, GenericType::object(), "{receiver}");
    }
}

#[test]
fn an_argument_that_the_type_arguments_exclude_needs_a_raw_receiver() {
    let set = ("p/Box", "set", "(Ljava/lang/Object;)V");
    let exact = Some("Lp/Box<Ljava/lang/String;>;");
    assert_eq!(plan(set, exact, &["Ljava/lang/String;"]).expect("a plan").arguments, [Adapt::Plain]);
    assert_eq!(plan(set, exact, &["Ljava/lang/Object;"]).expect("a plan").arguments, [Adapt::RawReceiver]);
    assert_eq!(plan(set, Some("Lp/Box;"), &["Ljava/lang/Object;"]).expect("a plan").arguments, [Adapt::Plain]);
}

#[test]
fn other_type_arguments_are_dropped() {
    let fill = ("p/Calls", "fill", "(Lp/Box;)V");
    let adapt = |argument: &str| plan(fill, None, &[argument]).expect("a plan").arguments;
    assert_eq!(adapt("Lp/Box<Ljava/lang/String;>;"), [Adapt::Plain]);
    assert_eq!(adapt("Lp/Box;"), [Adapt::Plain]);
    assert_eq!(adapt("Lp/Box<Ljava/lang/Object;>;"), [Adapt::Raw]);
}

#[test]
fn missing_methods_and_arguments_have_no_plan() {
    let missing = plan(("p/Calls", "missing", "()V"), None, &[]);
    assert!(matches!(missing, Err(Unprintable::Malformed(_))), "{missing:?}");
    let count = plan(("p/Calls", "size", "(I)I"), None, &[]);
    assert!(matches!(count, Err(Unprintable::Malformed(_))), "{count:?}");
}
