//! What a result holds: the first element of a list, the value of an `Optional`, the body and the address of a
//! response.
//!
//! In: an observed test with a result. Out: the test with inspectors of the object in the result. Must not know
//! which inspectors are asserted.
//!
//! As a whole, a list of objects without an `equals` only says that there is one. Getters of the object say what
//! was mapped or found. The arrays in a list have no `equals` either: they are read together, by `toArray`.

use super::observe::PER_TEST;
use super::{Accessibility, Assertion, Fact, ObservedTest};
use crate::execution::Snapshot;
use crate::program::{ClassName, GenericType, JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Most inspectors of the object.
const OF_OBJECT: usize = 4;
/// Most arrays of a list that are asserted.
const MOST_ARRAYS: usize = 3;

/// The method that reads the arrays.
const TO_ARRAY: &str = "toArray";

/// What reads the object that a result of a class holds.
struct HeldReader {
    /// The result is of this class or of a subclass.
    holder: &'static str,
    /// Where the method is called.
    owner: &'static str,
    name: &'static str,
    descriptor: &'static str,
    is_interface: bool,
}

const READERS: [HeldReader; 3] = [
    HeldReader {
        holder: "java/util/List",
        owner: "java/util/List",
        name: "get",
        descriptor: "(I)Ljava/lang/Object;",
        is_interface: true,
    },
    HeldReader {
        holder: "java/util/Optional",
        owner: "java/util/Optional",
        name: "get",
        descriptor: "()Ljava/lang/Object;",
        is_interface: false,
    },
    HeldReader {
        holder: "org/springframework/http/HttpEntity",
        owner: "org/springframework/http/HttpEntity",
        name: "getBody",
        descriptor: "()Ljava/lang/Object;",
        is_interface: false,
    },
];

/// Whether an assertion that another value is this object tells something. Empty `Optional`s are one object, so
/// that two answers without a value are the same by chance.
pub(super) fn tells_as_same(test: &TestCase, variable: VarId) -> bool {
    let is_optional = *test.type_of(variable) == JavaType::class("java/util/Optional");
    // Numbers and dates are read as values, whichever objects they are.
    let is_value = |class: &ClassName| matches!(class.package(), "java/math" | "java/time");
    if matches!(test.type_of(variable), JavaType::Class(class) if is_value(class)) {
        return false;
    }
    match &test.statement(variable).kind {
        StatementKind::Literal(_) | StatementKind::GetField { .. } => false,
        StatementKind::Call { method, .. } => !is_optional || method.owner.internal() == "java/util/Optional",
        _ => true,
    }
}

/// Appends plain getters of the object that a result holds, where the call that made the result declares objects
/// of the project.
pub(super) fn inspect_held(observed: &mut ObservedTest, result: VarId, access: &Accessibility<'_>) {
    let program = access.program();
    let JavaType::Class(class) = observed.test.type_of(result).clone() else { return };
    let is_of = |reader: &&HeldReader| program.is_subclass(&class, &ClassName::new(reader.holder));
    let Some(reader) = READERS.iter().find(is_of) else { return };
    let StatementKind::Call { method, .. } = &observed.test.statement(result).kind else { return };
    let method = method.clone();
    if reader.name == "getBody" && names_location(program, &method) {
        append_location(observed, result);
    }
    let Some(found) = program.resolve(&method) else { return };
    let held = found.method().signature.returns.arguments().first();
    if reader.name == "get" && matches!(held, Some(GenericType::Array(_))) {
        return append_arrays(observed, result);
    }
    let Some(held) = held.and_then(GenericType::class_name).cloned() else { return };
    let Some(model) = program.class(&held).filter(|_| program.is_project(&held) && access.can_name_class(&held)) else {
        return;
    };
    let getters = model
        .methods
        .iter()
        .filter(|method| method.parameters.is_empty() && model.is_plain_accessor(method) && access.can_use_method(method));
    let getters: Vec<MethodRef> = getters.take(OF_OBJECT).map(|method| method.reference.clone()).collect();
    if getters.is_empty() || observed.test.statements.len() + getters.len() + 2 > observed.acted as usize + PER_TEST {
        return;
    }
    let method = MethodRef::new(ClassName::new(reader.owner), reader.name, reader.descriptor);
    // The first element.
    let args =
        method.parameters().into_iter().map(|_| observed.test.push(StatementKind::Literal(Literal::Int(0)), JavaType::INT));
    let args: Vec<VarId> = args.collect();
    let kind = StatementKind::Call { method, interface: reader.is_interface, receiver: Some(result), args };
    let object = observed.test.push(kind, JavaType::Class(held));
    for method in getters {
        let ty = method.return_type();
        observed.test.push(StatementKind::Call { method, interface: false, receiver: Some(object), args: Vec::new() }, ty);
    }
}

/// Appends what reads all arrays of a list.
fn append_arrays(observed: &mut ObservedTest, list: VarId) {
    let method = MethodRef::new(ClassName::new("java/util/List"), TO_ARRAY, "()[Ljava/lang/Object;");
    if observed.test.statements.len() < observed.acted as usize + PER_TEST {
        let ty = method.return_type();
        observed.test.push(StatementKind::Call { method, interface: true, receiver: Some(list), args: Vec::new() }, ty);
    }
}

/// The arrays that the assertion states of a list, where an inspector read them.
pub(super) fn stated_arrays<'f>(
    test: &TestCase,
    acted: u32,
    Assertion { subject, fact }: &'f Assertion,
) -> Option<&'f [Snapshot]> {
    let is_inspector = subject.0 >= acted;
    let StatementKind::Call { method, .. } = &test.statement(*subject).kind else { return None };
    match fact {
        Fact::Equals(Snapshot::Array { elements: Some(arrays), .. }) if is_inspector && &*method.name == TO_ARRAY => {
            has_arrays(arrays).then_some(arrays)
        }
        _ => None,
    }
}

/// Whether an array of a list holds arrays that an assertion does not state, or too many of them.
pub(super) fn is_too_large(test: &TestCase, subject: VarId, value: &Snapshot) -> bool {
    let called = test.statement(subject).kind.called_method();
    let is_read = called.is_some_and(|method| &*method.name == TO_ARRAY);
    let Snapshot::Array { elements: Some(arrays), .. } = value else { return false };
    let is_unknown = |array: &Snapshot| matches!(array, Snapshot::Array { elements: None, .. });
    is_read && has_arrays(arrays) && (arrays.len() > MOST_ARRAYS || arrays.iter().any(is_unknown))
}

fn has_arrays(values: &[Snapshot]) -> bool {
    values.iter().any(|value| matches!(value, Snapshot::Array { .. }))
}

/// Whether the code of the method gives a response an address: by a factory that takes one, or by its header.
fn names_location(program: &Program, method: &MethodRef) -> bool {
    let Some(found) = program.resolve(method) else { return false };
    let Some(code) = found.class.code(found.method()) else { return false };
    let mut called = code.instructions.iter().filter_map(|instruction| found.class.called_by(&instruction.op));
    called.any(|called| {
        called.owner.starts_with("org/springframework/http/")
            && (called.name == "setLocation" || called.descriptor.starts_with("(Ljava/net/URI;)"))
    })
}

/// Appends what reads the address of a response.
fn append_location(observed: &mut ObservedTest, response: VarId) {
    const HEADERS: &str = "org/springframework/http/HttpHeaders";
    if observed.test.statements.len() + 2 > observed.acted as usize + PER_TEST {
        return;
    }
    let entity = ClassName::new("org/springframework/http/HttpEntity");
    let get_headers = MethodRef::new(entity, "getHeaders", &format!("()L{HEADERS};"));
    let get_location = MethodRef::new(ClassName::new(HEADERS), "getLocation", "()Ljava/net/URI;");
    let mut object = response;
    for method in [get_headers, get_location] {
        let ty = method.return_type();
        object =
            observed.test.push(StatementKind::Call { method, interface: false, receiver: Some(object), args: Vec::new() }, ty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(elements: Option<Vec<Snapshot>>) -> Snapshot {
        let length = elements.as_ref().map_or(20, |elements| elements.len() as u32);
        Snapshot::Array { element: JavaType::INT, length, elements }
    }

    #[test]
    fn up_to_three_arrays_of_a_list_are_stated() {
        let text =
            "v0: Ljava/util/List; = call method p/Shop.all ()Ljava/util/List; ()\n".parse::<TestCase>().expect("well-formed");
        let mut observed = ObservedTest { test: text, acted: 1, target: None };
        append_arrays(&mut observed, VarId(0));
        let read = "v1: [Ljava/lang/Object; = call interface-method java/util/List.toArray ()[Ljava/lang/Object; on v0 ()\n";
        assert!(observed.test.to_string().ends_with(read), "{}", observed.test);
        let of = |arrays: Vec<Snapshot>| {
            let (element, length) = (JavaType::class("java/lang/Object"), arrays.len() as u32);
            let value = Snapshot::Array { element, length, elements: Some(arrays) };
            let is_large = is_too_large(&observed.test, VarId(1), &value);
            let assertion = Assertion { subject: VarId(1), fact: Fact::Equals(value) };
            (is_large, stated_arrays(&observed.test, 1, &assertion).map(<[Snapshot]>::len))
        };
        let short = || numbers(Some(vec![Snapshot::Int(0), Snapshot::Int(4)]));
        assert_eq!(of(vec![short(), Snapshot::Null]), (false, Some(2)));
        assert!(of(vec![short(), short(), short(), short()]).0);
        assert!(of(vec![numbers(None)]).0);
        assert_eq!(of(vec![Snapshot::Int(4); 5]), (false, None), "a list of other values");
    }

    #[test]
    fn the_address_of_a_response_is_read_from_its_headers() {
        let text = "v0: Lorg/springframework/http/ResponseEntity; = call method p/Shop.add ()Lorg/springframework/http/ResponseEntity; ()\n";
        let mut observed = ObservedTest { test: text.parse().expect("well-formed"), acted: 1, target: None };
        append_location(&mut observed, VarId(0));
        let read = "v1: Lorg/springframework/http/HttpHeaders; = call method \
                    org/springframework/http/HttpEntity.getHeaders ()Lorg/springframework/http/HttpHeaders; on v0 ()\n\
                    v2: Ljava/net/URI; = call method org/springframework/http/HttpHeaders.getLocation ()Ljava/net/URI; on v1 ()\n";
        assert_eq!(observed.test.to_string(), format!("{text}{read}"));
    }

    #[test]
    fn an_empty_optional_is_the_same_for_every_question() {
        let test: TestCase = "\
v0: Ljava/util/Optional; = call method p/Shop.find ()Ljava/util/Optional; ()
v1: Ljava/util/Optional; = call method java/util/Optional.empty ()Ljava/util/Optional; ()
v2: I = call method p/Shop.size ()I ()
"
        .parse()
        .expect("well-formed");
        assert_eq!([0, 1, 2].map(|variable| tells_as_same(&test, VarId(variable))), [false, true, true]);
    }
}
