//! Public methods in place of constructors that only the package sees.
//!
//! In: a test. Out: forms of it in which an object of a hidden class comes from a public method: of an argument of
//! the constructor, of another object of the class under test, or a static one. Must not know whether a form shows
//! the same.
//!
//! A search finds the constructor of an iterator, since tests lie in its package. It then makes iterators that no
//! caller gets: one behind the end of an empty list, where `listIterator(2)` throws an exception. A test with
//! `new TreeList.TreeListIterator<>(list, 0)` names a class that readers need not know. A person writes
//! `list.listIterator(0)`.
//!
//! The public method declares an interface. Calls on the object become calls of its methods; where it lacks one, there
//! is no form. Byte code tells which methods return new objects of the class (`program::makers`), and a run whether
//! this call does. Goals and names know the method of the hidden class: [`with_methods_run`] puts it back.

use crate::execution::{Execution, Snapshot};
use crate::oracle::{Accessibility, AssertedTest};
use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::testcase::{Literal, Statement, StatementKind, TestCase, VarId, check};

/// Forms of one construction, at most.
const MOST: usize = 6;
/// Smaller numbers that are tried in place of one that the public method may refuse.
const SMALLER: usize = 2;

/// A test in which a public method makes an object of a hidden class.
#[derive(Debug)]
pub(super) struct PubliclyMade {
    pub(super) test: AssertedTest,
    object: VarId,
    class: ClassName,
}

impl PubliclyMade {
    /// Whether the method gave an object of the class in this execution.
    pub(super) fn is_made(&self, execution: &Execution) -> bool {
        class_in(execution, self.object) == Some(&self.class)
    }
}

/// What has to be known of classes.
pub(super) trait MakerFacts {
    /// Whether only the package sees the constructor.
    fn is_hidden(&self, constructor: &MethodRef) -> bool;
    /// The public methods of `holder` that return new objects of the class, each with whether it is static.
    fn makers(&self, holder: &ClassName, made: &ClassName) -> Vec<(MethodRef, bool)>;
    /// The method of the type that a call of `method` on an object of a subtype runs as well, and whether its owner is
    /// an interface.
    fn above(&self, ty: &ClassName, method: &MethodRef) -> Option<(MethodRef, bool)>;
    /// Whether each use fits the declared types.
    fn is_legal(&self, test: &TestCase) -> bool;
}

impl MakerFacts for Accessibility<'_> {
    fn is_hidden(&self, constructor: &MethodRef) -> bool {
        self.program().is_hidden_constructor(constructor)
    }

    fn makers(&self, holder: &ClassName, made: &ClassName) -> Vec<(MethodRef, bool)> {
        let mut found = self.program().public_makers(holder, made);
        found.retain(|(maker, _)| self.can_name_class(&maker.owner) && self.can_name(&maker.return_type()));
        found
    }

    fn above(&self, ty: &ClassName, method: &MethodRef) -> Option<(MethodRef, bool)> {
        let found = self.program().method_above(ty, method).filter(|found| self.can_use_method(found.method()))?;
        Some((found.method().reference.clone(), found.class.is_interface()))
    }

    fn is_legal(&self, test: &TestCase) -> bool {
        check(test, self.program()).is_ok()
    }
}

/// The forms of the test, the best of each construction first. `class`: the class under test, whose objects tests make
/// in their own way.
pub(super) fn with_public_makers(facts: &dyn MakerFacts, class: &ClassName, test: &AssertedTest) -> Vec<PubliclyMade> {
    let mut found = Vec::new();
    for object in (0..test.acted.saturating_sub(1)).map(VarId) {
        if let StatementKind::Construct { constructor, args } = &test.test.statement(object).kind
            && constructor.owner != *class
            && test.target.as_ref() != Some(constructor)
            && facts.is_hidden(constructor)
        {
            let calls = calls_of_makers(facts, class, test, object, (&constructor.owner, args));
            let forms = calls.into_iter().filter_map(|call| made_by(facts, test, object, &constructor.owner, call));
            found.extend(forms.take(MOST));
        }
    }
    found
}

/// A call of a public method, with a smaller number for one of its arguments.
struct MakerCall {
    method: MethodRef,
    receiver: Option<VarId>,
    args: Vec<VarId>,
    smaller: Option<(usize, i32)>,
}

/// The calls that may make the object, those with the most arguments of the constructor first.
fn calls_of_makers(
    facts: &dyn MakerFacts,
    class: &ClassName,
    test: &AssertedTest,
    object: VarId,
    (made, args): (&ClassName, &[VarId]),
) -> Vec<MakerCall> {
    let is_object = |variable: &VarId| {
        let is_reference = test.test.type_of(*variable).is_reference();
        is_reference && test.test.literal(*variable).is_none()
    };
    let is_of_class = |variable: &VarId| *test.test.type_of(*variable) == JavaType::Class(class.clone());
    let others = (0..object.0).map(VarId).filter(|other| !args.contains(other) && is_of_class(other));
    let mut calls: Vec<MakerCall> = Vec::new();
    for holder in args.iter().copied().chain(others).filter(is_object) {
        let JavaType::Class(holding) = test.test.type_of(holder) else { continue };
        let rest: Vec<VarId> = args.iter().copied().filter(|argument| *argument != holder).collect();
        for (method, _) in facts.makers(holding, made).into_iter().filter(|(_, is_static)| !is_static) {
            let given = arguments_for(test, &method, &rest);
            calls.extend(given.map(|args| MakerCall { method, receiver: Some(holder), args, smaller: None }));
        }
    }
    for (method, _) in facts.makers(class, made).into_iter().filter(|(_, is_static)| *is_static) {
        let given = arguments_for(test, &method, args);
        calls.extend(given.map(|args| MakerCall { method, receiver: None, args, smaller: None }));
    }
    calls.sort_by_key(|call| std::cmp::Reverse(call.args.len()));
    let smaller: Vec<MakerCall> = calls.iter().flat_map(|call| with_smaller_numbers(test, call)).collect();
    let place = calls.iter().position(|call| call.args.is_empty()).unwrap_or(calls.len());
    calls.splice(place..place, smaller);
    calls
}

/// The arguments of the constructor for the parameters of the method, in their order.
fn arguments_for(test: &AssertedTest, method: &MethodRef, args: &[VarId]) -> Option<Vec<VarId>> {
    let mut rest = args.iter().copied();
    let suits = |argument: VarId, parameter: &JavaType| {
        let ty = test.test.type_of(argument);
        ty == parameter || ty.is_reference() && parameter.is_reference()
    };
    method.parameters().iter().map(|parameter| rest.find(|argument| suits(*argument, parameter))).collect()
}

/// The call with smaller numbers in place of one.
fn with_smaller_numbers(test: &AssertedTest, call: &MakerCall) -> Vec<MakerCall> {
    let number = |(position, argument): (usize, &VarId)| match test.test.literal(*argument) {
        Some(Literal::Int(number)) => Some((position, *number)),
        _ => None,
    };
    let Some((position, number)) = call.args.iter().enumerate().find_map(number) else { return Vec::new() };
    let smaller = (1..number).rev().take(SMALLER).chain((number < 0).then_some(0));
    let with = |smaller: i32| MakerCall {
        method: call.method.clone(),
        args: call.args.clone(),
        smaller: Some((position, smaller)),
        ..*call
    };
    smaller.map(with).collect()
}

/// The test in which the call makes the object; `None` where the declared type lacks a method that the test calls.
fn made_by(
    facts: &dyn MakerFacts,
    test: &AssertedTest,
    object: VarId,
    class: &ClassName,
    call: MakerCall,
) -> Option<PubliclyMade> {
    let MakerCall { method, receiver, mut args, smaller } = call;
    let (mut changed, mut object) = (test.clone(), object);
    if let Some((position, number)) = smaller {
        let literal = Statement { kind: StatementKind::Literal(Literal::Int(number)), ty: JavaType::INT };
        changed = changed.with_statements(object.0, vec![literal]);
        args[position] = object;
        object.0 += 1;
    }
    let ty = method.return_type();
    let JavaType::Class(returned) = ty.clone() else { return None };
    changed.test.statements[object.index()] =
        Statement { kind: StatementKind::Call { method, interface: false, receiver, args }, ty };
    for statement in &mut changed.test.statements[object.index() + 1..] {
        if let StatementKind::Call { method, interface, receiver, .. } = &mut statement.kind
            && *receiver == Some(object)
        {
            (*method, *interface) = facts.above(&returned, method)?;
            statement.ty = method.return_type();
        }
    }
    facts.is_legal(&changed.test).then(|| PubliclyMade { test: changed, object, class: class.clone() })
}

/// The test with the constructors and methods of hidden classes that its calls ran, in place of the public methods;
/// `None` where it ran none.
pub(super) fn with_methods_run(program: &Program, test: &TestCase, execution: &Execution) -> Option<TestCase> {
    let hidden_class = |variable: VarId| {
        let class = class_in(execution, variable)?;
        let is_declared = *test.type_of(variable) == JavaType::Class(class.clone());
        (!is_declared && program.is_hidden_class(class)).then_some(class)
    };
    let mut changed = test.clone();
    for (place, statement) in (0..).map(VarId).zip(&mut changed.statements) {
        let StatementKind::Call { method, receiver, .. } = &mut statement.kind else { continue };
        if let Some(own) = receiver.and_then(hidden_class).and_then(|class| program.method_below(class, method)) {
            *method = own;
        } else if let Some(made) = hidden_class(place) {
            let holder = receiver.and_then(|receiver| class_in(execution, receiver)).unwrap_or(&method.owner);
            let constructor = program.constructor_called(method, holder, made);
            if let Some(constructor) = constructor {
                statement.kind = StatementKind::Construct { constructor, args: Vec::new() };
            }
        }
    }
    (changed != *test).then_some(changed)
}

/// Whether the test calls the method of a hidden class by a supertype, on an object that a public method makes.
pub(super) fn calls_hidden(program: &Program, test: &TestCase, method: &MethodRef) -> bool {
    let is_call = |called: &MethodRef| {
        let is_above = called.owner != method.owner && program.is_subclass(&method.owner, &called.owner);
        is_above && program.method_below(&method.owner, called).as_ref() == Some(method)
    };
    let makes = |called: &MethodRef| program.constructor_called(called, &called.owner, &method.owner).is_some();
    program.is_hidden_class(&method.owner) && test.called_methods().any(is_call) && test.called_methods().any(makes)
}

/// The class of the object that the variable had.
fn class_in(execution: &Execution, variable: VarId) -> Option<&ClassName> {
    match execution.snapshots.get(variable.index())? {
        Snapshot::Object { class, .. } => Some(class),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `p/List` makes its hidden iterators by two methods, and `p/Lists` by a static one.
    struct Toy;

    impl MakerFacts for Toy {
        fn is_hidden(&self, constructor: &MethodRef) -> bool {
            constructor.owner.internal() == "p/List$It"
        }

        fn makers(&self, holder: &ClassName, made: &ClassName) -> Vec<(MethodRef, bool)> {
            let maker = |name: &str, descriptor: &str| MethodRef::new(holder.clone(), name, descriptor);
            match (holder.internal(), made.internal()) {
                ("p/List", "p/List$It") => {
                    vec![(maker("all", "()Lp/Walk;"), false), (maker("from", "(I)Lp/Walk;"), false)]
                }
                ("p/Lists", "p/List$It") => vec![(maker("of", "(Lp/List;)Lp/Walk;"), true)],
                _ => Vec::new(),
            }
        }

        fn above(&self, ty: &ClassName, method: &MethodRef) -> Option<(MethodRef, bool)> {
            let is_there = ty.internal() == "p/Walk" && &*method.name != "check";
            is_there.then(|| (MethodRef { owner: ty.clone(), ..method.clone() }, true))
        }

        fn is_legal(&self, test: &TestCase) -> bool {
            struct Subtypes;
            impl crate::testcase::TypeSystem for Subtypes {
                fn is_subtype(&self, from: &JavaType, to: &JavaType) -> bool {
                    *to == JavaType::class("java/lang/Object")
                        || *from == JavaType::class("p/List$It") && *to == JavaType::class("p/Walk")
                }
            }
            check(test, &Subtypes).is_ok()
        }
    }

    fn forms(class: &str, text: &str) -> Vec<String> {
        let test: AssertedTest = text.parse().expect("well-formed");
        let forms = with_public_makers(&Toy, &ClassName::new(class), &test);
        forms.iter().map(|form| form.test.to_string()).collect()
    }

    const MADE: &str = "v0: Lp/List; = new p/List.<init> ()V ()\nv1: I = int 0\n\
                        v2: Lp/List$It; = new p/List$It.<init> (Lp/List;I)V (v0, v1)\n";
    const NEXT: &str = "v3: Ljava/lang/Object; = call method p/List$It.next ()Ljava/lang/Object; on v2 ()\n";

    #[test]
    fn an_object_comes_from_the_public_method_with_the_arguments_of_the_constructor() {
        let target = "target p/List$It.next ()Ljava/lang/Object;\n";
        let found = forms("p/List", &format!("{target}{MADE}{NEXT}"));
        let text = |call: &str| {
            let made = MADE.replace("v2: Lp/List$It; = new p/List$It.<init> (Lp/List;I)V (v0, v1)", call);
            let next = NEXT.replace("method p/List$It", "interface-method p/Walk");
            format!("{target}{made}{next}")
        };
        let calls = ["p/List.from (I)Lp/Walk; on v0 (v1)", "p/List.all ()Lp/Walk; on v0 ()"];
        assert_eq!(found, calls.map(|call| text(&format!("v2: Lp/Walk; = call method {call}"))));
    }

    #[test]
    fn smaller_numbers_are_tried_where_a_method_may_refuse_one() {
        let found = forms("p/List", &format!("{}{NEXT}", MADE.replace("int 0", "int 7")));
        let given: Vec<bool> = ["int 6", "int 5"].iter().map(|number| found.iter().any(|form| form.contains(number))).collect();
        assert_eq!((found.len(), given), (4, vec![true, true]));
        assert!(found[3].contains("p/List.all"), "{found:?}");
    }

    #[test]
    fn an_object_stays_where_the_interface_lacks_a_method_or_a_parameter_is_of_its_class() {
        let check = "v3: V = call method p/List$It.check ()V on v2 ()\n";
        let given = "v3: V = call method p/Foo.use (Lp/List$It;)V (v2)\n";
        assert_eq!([check, given].map(|last| forms("p/List", &format!("{MADE}{last}")).len()), [0, 0]);
        let as_object = "v3: V = call method p/Foo.use (Lp/Walk;)V (v2)\n";
        assert_eq!(forms("p/List", &format!("{MADE}{as_object}")).len(), 2);
    }

    #[test]
    fn objects_of_the_class_under_test_and_constructors_under_test_stay() {
        assert!(forms("p/List$It", &format!("{MADE}{NEXT}")).is_empty());
        assert!(forms("p/List", &format!("target p/List$It.<init> (Lp/List;I)V\n{MADE}{NEXT}")).is_empty());
        assert!(forms("p/List", MADE).is_empty(), "what a test ends with is its call");
    }

    #[test]
    fn a_static_method_of_the_class_under_test_makes_an_object() {
        let found = forms("p/Lists", &format!("{MADE}{NEXT}"));
        assert!(found.iter().any(|form| form.contains("call method p/Lists.of (Lp/List;)Lp/Walk; (v0)")), "{found:?}");
    }
}
