//! Tests that put a wrong element into a generic object (heap pollution, JLS §4.12.2): a string into
//! the list that is passed as `List<Order>`.
//!
//! Flows in: a test case, the program. Flows out: whether it does so. Must not know goals.
//!
//! Only raw types let such a test compile, and the `ClassCastException` that it ends with tells
//! nothing of the class under test: no caller that javac accepts without a warning sees it.

use std::sync::Arc;

use crate::execution::RunEnd;
use crate::program::generics::{Substitution, Wildcard};
use crate::program::{ClassName, ClassOrigin, GenericType, JavaType, MethodRef, Program};
use crate::testcase::{AnswerOutcome, Literal, StatementKind, TestCase, VarId, wanted_types};

/// The class of the object at which a cast failed; `None` where the test ended otherwise. Code that
/// throws such an exception itself writes another message than the JVM.
pub(super) fn class_that_failed_cast(end: &RunEnd) -> Option<ClassName> {
    let RunEnd::Threw { thrown, .. } = end else { return None };
    if thrown.class.internal() != "java/lang/ClassCastException" {
        return None;
    }
    let message = String::from_utf16_lossy(thrown.message.as_ref()?);
    let (class, target) = message.strip_prefix("class ")?.split_once(" cannot be cast to class ")?;
    // Ordered collections ask any element to be comparable.
    (!target.starts_with("java.lang.Comparable ")).then(|| ClassName::from_binary(class))
}

/// Whether a generic object has an element of the class `element` that its declared type or one of its
/// uses excludes. An object whose element type is unknown counts as well, since a cast failed at the
/// element.
pub(super) fn pollutes_heap(program: &Program, test: &TestCase, element: &ClassName) -> bool {
    let element = JavaType::Class(element.clone());
    if answers_generic_method(program, test, &element) {
        return true;
    }
    generic_objects(program, test).any(|object| {
        let given: Vec<(Arc<str>, JavaType)> = object
            .given
            .iter()
            .filter(|(_, given)| program.is_subtype(&element, given))
            .map(|(name, _)| (name.clone(), element.clone()))
            .collect();
        match object.wanted.is_empty() {
            true => !given.is_empty() && is_helper(program, &object.own),
            false => object.excludes(program, &given),
        }
    })
}

/// Whether a use of a generic object excludes the type of one of its elements, so that the test has to
/// use raw types.
pub(super) fn needs_raw_types(program: &Program, test: &TestCase) -> bool {
    generic_objects(program, test).any(|object| object.excludes(program, &object.given))
}

/// The objects of the test that have type arguments, and elements.
fn generic_objects<'a>(program: &'a Program, test: &'a TestCase) -> impl Iterator<Item = FilledObject> + 'a {
    (0..test.len() as u32).map(VarId).filter_map(|variable| {
        let GenericObject { own, declared } = GenericObject::of(program, test, variable)?;
        let given = Contents { program, test }.of(variable, &own);
        if given.is_empty() {
            return None;
        }
        let kinds = test.statements.iter().map(|statement| &statement.kind);
        let wanted = declared.into_iter().chain(wanted_types(program, kinds, variable)).collect();
        Some(FilledObject { own, given, wanted })
    })
}

/// Whether a stub returns such an element for a method whose type arguments each call infers anew, as
/// `<T> T find(Class<T> type)`.
fn answers_generic_method(program: &Program, test: &TestCase, element: &JavaType) -> bool {
    let answers = test.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Stub { answers, .. } => Some(answers),
        _ => None,
    });
    answers.flatten().any(|answer| {
        let Some(found) = program.resolve(&answer.method) else { return false };
        let signature = &found.method().signature;
        let GenericType::Variable(returned) = &signature.returns else { return false };
        let gives = |outcome: &AnswerOutcome| match outcome {
            AnswerOutcome::Returns(value) => program.is_subtype(element, test.type_of(*value)),
            AnswerOutcome::Throws(_) => false,
        };
        signature.parameters.iter().any(|parameter| parameter.name == *returned) && answer.outcomes.iter().any(gives)
    })
}

/// Whether the object only serves the class under test: it is of a class of the JDK or of an interface.
fn is_helper(program: &Program, own: &GenericType) -> bool {
    own.class_name()
        .and_then(|name| program.class(name))
        .is_some_and(|class| class.origin == ClassOrigin::Jdk || class.is_interface())
}

/// An object with type arguments.
struct GenericObject {
    /// Its type with the type variables of the class or factory method that makes it: `ArrayList<E>`,
    /// `Optional<T>`.
    own: GenericType,
    /// The type that the method which returns it declares: `List<Order>`.
    declared: Option<GenericType>,
}

/// A generic object with elements.
struct FilledObject {
    /// See [`GenericObject`].
    own: GenericType,
    /// Type variables with the types of elements.
    given: Vec<(Arc<str>, JavaType)>,
    /// The types that the object is used as.
    wanted: Vec<GenericType>,
}

impl FilledObject {
    /// Whether a use excludes one of these elements.
    fn excludes(&self, program: &Program, elements: &[(Arc<str>, JavaType)]) -> bool {
        self.wanted.iter().any(|ty| {
            let mut bound = Substitution::default();
            if let Some(declared) = ty.class_name().and_then(|name| program.as_super(&self.own, name)) {
                bound.match_against(&declared, &without_lower_bounds(ty));
            }
            let is_excluded = |(name, element): &(Arc<str>, JavaType)| {
                bound.get(name).is_some_and(|wanted| !program.is_subtype(element, &wanted.erase(&[])))
            };
            elements.iter().any(is_excluded)
        })
    }
}

impl GenericObject {
    /// The object of a variable; `None` where its type has no type arguments.
    fn of(program: &Program, test: &TestCase, variable: VarId) -> Option<GenericObject> {
        let of_class = |class: &ClassName| program.class(class).map(|model| model.generic_type());
        let (own, declared) = match &test.statements[variable.index()].kind {
            StatementKind::Construct { constructor, .. } => (of_class(&constructor.owner)?, None),
            StatementKind::Stub { class, .. } => (of_class(class)?, None),
            StatementKind::Call { method, receiver, .. } => {
                let returns = program.resolve(method)?.method().signature.returns.clone();
                match receiver {
                    None if !returns.variables().is_empty() => (returns, None),
                    _ => (of_class(returns.class_name()?)?, Some(returns).filter(|ty| ty.variables().is_empty())),
                }
            }
            _ => return None,
        };
        (!own.arguments().is_empty() && !own.variables().is_empty()).then_some(GenericObject { own, declared })
    }
}

/// A type whose arguments `? super T` are `?`: what such an object may contain, it does not say.
fn without_lower_bounds(ty: &GenericType) -> GenericType {
    let GenericType::Class { name, arguments, outer } = ty else { return ty.clone() };
    let any = |argument: &GenericType| match argument {
        GenericType::Wildcard(Wildcard::Super(_)) => GenericType::Wildcard(Wildcard::Any),
        other => other.clone(),
    };
    GenericType::Class { name: name.clone(), arguments: arguments.iter().map(any).collect(), outer: outer.clone() }
}

/// What a test puts into its generic objects.
struct Contents<'a> {
    program: &'a Program,
    test: &'a TestCase,
}

impl Contents<'_> {
    /// Type variables of the object's own type, each with the erased type of a value that the object
    /// gets for it.
    fn of(&self, variable: VarId, own: &GenericType) -> Vec<(Arc<str>, JavaType)> {
        let mut found = Vec::new();
        for (index, statement) in self.test.statements.iter().enumerate() {
            let is_maker = index == variable.index();
            match &statement.kind {
                StatementKind::Construct { constructor: method, args } if is_maker => {
                    self.add_arguments(method, args, None, &mut found);
                }
                StatementKind::Call { method, receiver: None, args, .. } if is_maker => {
                    self.add_arguments(method, args, None, &mut found);
                }
                StatementKind::Call { method, receiver: Some(receiver), args, .. } if *receiver == variable => {
                    self.add_arguments(method, args, Some(own), &mut found);
                }
                StatementKind::Stub { answers, .. } if is_maker => {
                    for answer in answers {
                        let Some(returns) = self.declared(&answer.method, Some(own)).map(|(_, returns)| returns) else {
                            continue;
                        };
                        for outcome in &answer.outcomes {
                            if let AnswerOutcome::Returns(value) = outcome {
                                self.add(&returns, *value, &mut found);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The generic types of parameters and result, in the type variables of `own`, where that is the
    /// type of the receiver.
    fn declared(&self, method: &MethodRef, own: Option<&GenericType>) -> Option<(Vec<GenericType>, GenericType)> {
        let found = self.program.resolve(method)?;
        let signature = &found.method().signature;
        let Some(own) = own else { return Some((signature.arguments.clone(), signature.returns.clone())) };
        let instance = self.program.as_super(own, &found.class.name)?;
        // A variable of the method itself may have the name of one of the class.
        let hides = signature.parameters.iter().any(|parameter| own.variables().contains(&parameter.name));
        let bound = Substitution::of(&found.class.signature.parameters, instance.arguments());
        let bind = |ty: &GenericType| ty.substitute(&bound);
        (!hides).then(|| (signature.arguments.iter().map(bind).collect(), bind(&signature.returns)))
    }

    fn add_arguments(
        &self,
        method: &MethodRef,
        args: &[VarId],
        own: Option<&GenericType>,
        found: &mut Vec<(Arc<str>, JavaType)>,
    ) {
        for (declared, arg) in self.declared(method, own).into_iter().flat_map(|(arguments, _)| arguments).zip(args) {
            self.add(&declared, *arg, found);
        }
    }

    fn add(&self, declared: &GenericType, value: VarId, found: &mut Vec<(Arc<str>, JavaType)>) {
        let statement = &self.test.statements[value.index()];
        match (declared, &statement.kind) {
            (_, StatementKind::Literal(Literal::Null)) => {}
            (GenericType::Variable(name), _) => found.push((name.clone(), statement.ty.clone())),
            (GenericType::Array(element), StatementKind::Array { elements, .. }) => {
                elements.iter().for_each(|value| self.add(element, *value, found));
            }
            _ => {}
        }
    }
}
