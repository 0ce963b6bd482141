//! What a validator of Spring reports. In: an observed test with an object that collects errors; out: the
//! test with inspectors for the code of each error. Must not know which errors a validator gives.
//!
//! How many errors there are says little: a validator may refuse another property for another reason.
//! At first the errors are read by their position. Once they are known, each is read by its field, and the
//! fields that other tests show errors of are asked for.

use std::collections::{BTreeMap, BTreeSet};

use super::{AssertedTest, ObservedTest};
use crate::execution::{Execution, Snapshot};
use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, VarId};

const ERRORS: &str = "org/springframework/validation/Errors";
const FIELD_ERROR: &str = "org/springframework/validation/FieldError";
/// The method of `Errors` that gives the first error of a field.
pub(crate) const FIELD_ERROR_OF: &str = "getFieldError";
/// The method of `Errors` that tells whether a field has an error.
pub(crate) const HAS_FIELD_ERROR: &str = "hasFieldErrors";
const COUNT: &str = "getErrorCount";

/// Errors of one object whose codes are read.
const MOST_ERRORS: i32 = 4;

/// Whether objects of the class collect errors.
pub(super) fn collects_errors(program: &Program, class: &ClassName) -> bool {
    program.is_subclass(class, &ClassName::new(ERRORS))
}

/// Appends inspectors for the fields and codes of the first errors, and for their number. One that asks
/// for an error too many throws, and goes.
pub(super) fn append_error_inspectors(observed: &mut ObservedTest, object: VarId) {
    let list = ClassName::new("java/util/List");
    let call = |owner: &ClassName, name: &str, descriptor: &str, interface: bool, receiver: VarId, args: Vec<VarId>| {
        StatementKind::Call { method: MethodRef::new(owner.clone(), name, descriptor), interface, receiver: Some(receiver), args }
    };
    let errors = ClassName::new(ERRORS);
    let field_error = ClassName::new(FIELD_ERROR);
    let test = &mut observed.test;
    for position in 0..MOST_ERRORS {
        let found = test
            .push(call(&errors, "getFieldErrors", "()Ljava/util/List;", true, object, Vec::new()), JavaType::Class(list.clone()));
        let position = test.push(StatementKind::Literal(Literal::Int(position)), JavaType::INT);
        let error = test
            .push(call(&list, "get", "(I)Ljava/lang/Object;", true, found, vec![position]), JavaType::Class(field_error.clone()));
        for property in ["getField", "getCode"] {
            let text = JavaType::class("java/lang/String");
            test.push(call(&field_error, property, "()Ljava/lang/String;", false, error, Vec::new()), text);
        }
    }
    test.push(call(&errors, COUNT, "()I", true, object, Vec::new()), JavaType::INT);
}

/// The test that reads each error by its field: `errors.getFieldError("price").getCode()`. `execution`: of
/// the test with the inspectors of [`append_error_inspectors`]. `None` where it reads no error.
pub(super) fn errors_by_field(observed: &ObservedTest, execution: &Execution) -> Option<ObservedTest> {
    let mut named = observed.clone();
    let mut seen: BTreeSet<(VarId, &[u16])> = BTreeSet::new();
    let mut needless: Vec<VarId> = Vec::new();
    for reader in (observed.acted..observed.test.len() as u32).map(VarId) {
        let Some(PositionedError { object, list, position, error }) = positioned_error(observed, reader) else { continue };
        let Some(Snapshot::Str(Some(field))) = execution.snapshots.get(reader.index()) else { continue };
        needless.extend([reader, position]);
        // Only the first error of a field can be read by its name.
        if !seen.insert((object, field)) {
            needless.push(list);
            continue;
        }
        let name = &mut named.test.statements[list.index()];
        (name.kind, name.ty) = (StatementKind::Literal(Literal::Str(field.clone())), JavaType::class("java/lang/String"));
        let descriptor = format!("(Ljava/lang/String;)L{FIELD_ERROR};");
        named.test.statements[error.index()].kind = StatementKind::Call {
            method: MethodRef::new(ClassName::new(ERRORS), FIELD_ERROR_OF, &descriptor),
            interface: true,
            receiver: Some(object),
            args: vec![list],
        };
    }
    needless.sort_unstable();
    needless.iter().rev().for_each(|statement| named.test.remove_with_dependants(statement.index()));
    (!needless.is_empty()).then_some(named)
}

/// The tests with further inspectors; `None` for a test that stays. A test that reads errors also asks for the
/// fields that other tests show errors of. It does not ask for the number of errors where it reads all of them.
/// `executions`: of the tests with the inspectors of [`errors_by_field`].
pub(super) fn absent_errors(observed: &[ObservedTest], executions: &[Execution]) -> Vec<Option<ObservedTest>> {
    let rejected: Vec<BTreeMap<VarId, BTreeSet<Vec<u16>>>> = observed.iter().map(rejected_fields).collect();
    let known: BTreeSet<&Vec<u16>> = rejected.iter().flat_map(BTreeMap::values).flatten().collect();
    let of_test = |(place, observed): (usize, &ObservedTest)| {
        let mut asking = observed.clone();
        for (object, fields) in &rejected[place] {
            let others = known.iter().filter(|field| !fields.contains(**field));
            for field in others.take(MOST_ERRORS as usize) {
                let literal = StatementKind::Literal(Literal::Str((*field).clone()));
                let field = asking.test.push(literal, JavaType::class("java/lang/String"));
                let method = MethodRef::new(ClassName::new(ERRORS), HAS_FIELD_ERROR, "(Ljava/lang/String;)Z");
                let call = StatementKind::Call { method, interface: true, receiver: Some(*object), args: vec![field] };
                asking.test.push(call, JavaType::BOOLEAN);
            }
        }
        for counting in (observed.acted..observed.test.len() as u32).rev() {
            let StatementKind::Call { method, receiver: Some(object), .. } = &observed.test.statement(VarId(counting)).kind
            else {
                continue;
            };
            let read = rejected[place].get(object).map(BTreeSet::len).filter(|_| &*method.name == COUNT);
            let count = executions[place].snapshots.get(counting as usize);
            if read.is_some_and(|read| count == Some(&Snapshot::Int(read as i32))) {
                asking.test.remove_with_dependants(counting as usize);
            }
        }
        (asking != *observed).then_some(asking)
    };
    observed.iter().enumerate().map(of_test).collect()
}

/// Whether the statement is an inspector that asks whether a field has an error.
pub(super) fn asks_for_error(test: &AssertedTest, subject: VarId) -> bool {
    let kind = &test.test.statement(subject).kind;
    subject.0 >= test.acted && matches!(kind, StatementKind::Call { method, .. } if &*method.name == HAS_FIELD_ERROR)
}

/// The fields whose errors the inspectors read, for each object that collects errors.
fn rejected_fields(observed: &ObservedTest) -> BTreeMap<VarId, BTreeSet<Vec<u16>>> {
    let mut found: BTreeMap<VarId, BTreeSet<Vec<u16>>> = BTreeMap::new();
    for statement in observed.test.statements.iter().skip(observed.acted as usize) {
        if let StatementKind::Call { method, receiver: Some(object), args, .. } = &statement.kind
            && &*method.name == FIELD_ERROR_OF
            && let Some(Literal::Str(field)) = args.first().and_then(|field| observed.test.literal(*field))
        {
            found.entry(*object).or_default().insert(field.clone());
        }
    }
    found
}

/// The statements that lead to an error by its position.
struct PositionedError {
    /// What collects the errors.
    object: VarId,
    list: VarId,
    position: VarId,
    error: VarId,
}

/// The statements in front of one that reads the field of an error.
fn positioned_error(observed: &ObservedTest, reader: VarId) -> Option<PositionedError> {
    let called = |variable: VarId, name: &str| match &observed.test.statement(variable).kind {
        StatementKind::Call { method, receiver: Some(receiver), args, .. } if &*method.name == name => {
            Some((*receiver, args.first().copied()))
        }
        _ => None,
    };
    let (error, _) = called(reader, "getField")?;
    let (list, position) = called(error, "get")?;
    let (object, _) = called(list, "getFieldErrors")?;
    Some(PositionedError { object, list, position: position?, error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::RunEnd;
    use crate::testcase::TestCase;

    fn observed() -> ObservedTest {
        let test: TestCase = "v0: Lp/Errors; = new p/Errors.<init> ()V ()\n".parse().expect("well-formed");
        let mut observed = ObservedTest { test, acted: 1, target: None };
        append_error_inspectors(&mut observed, VarId(0));
        observed
    }

    #[test]
    fn the_fields_and_codes_of_the_first_errors_are_read() {
        let observed = observed();
        let expected = "\
v1: Ljava/util/List; = call interface-method org/springframework/validation/Errors.getFieldErrors ()Ljava/util/List; on v0 ()
v2: I = int 0
v3: Lorg/springframework/validation/FieldError; = call interface-method java/util/List.get (I)Ljava/lang/Object; on v1 (v2)
v4: Ljava/lang/String; = call method org/springframework/validation/FieldError.getField ()Ljava/lang/String; on v3 ()
v5: Ljava/lang/String; = call method org/springframework/validation/FieldError.getCode ()Ljava/lang/String; on v3 ()
v6: Ljava/util/List; = call interface-method org/springframework/validation/Errors.getFieldErrors ()Ljava/util/List; on v0 ()
v7: I = int 1
";
        let text = observed.test.to_string();
        assert!(text.contains(expected), "{text}");
        assert_eq!(observed.test.len(), 22);
    }

    #[test]
    fn known_errors_are_read_by_their_fields() {
        let mut observed = observed();
        // There are three errors, two of them about one field.
        observed.test.statements.drain(16..21);
        let mut snapshots = vec![Snapshot::Absent; observed.test.len()];
        for (reader, field) in [(4, "price"), (9, "name"), (14, "price")] {
            snapshots[reader] = Snapshot::Str(Some(field.encode_utf16().collect()));
        }
        let execution = Execution { snapshots, ..Execution::without_measurements(RunEnd::Completed) };
        let named = errors_by_field(&observed, &execution).expect("errors");
        let expected = "\
v0: Lp/Errors; = new p/Errors.<init> ()V ()
v1: Ljava/lang/String; = string \"price\"
v2: Lorg/springframework/validation/FieldError; = call interface-method org/springframework/validation/Errors.getFieldError \
(Ljava/lang/String;)Lorg/springframework/validation/FieldError; on v0 (v1)
v3: Ljava/lang/String; = call method org/springframework/validation/FieldError.getCode ()Ljava/lang/String; on v2 ()
v4: Ljava/lang/String; = string \"name\"
v5: Lorg/springframework/validation/FieldError; = call interface-method org/springframework/validation/Errors.getFieldError \
(Ljava/lang/String;)Lorg/springframework/validation/FieldError; on v0 (v4)
v6: Ljava/lang/String; = call method org/springframework/validation/FieldError.getCode ()Ljava/lang/String; on v5 ()
v7: I = call interface-method org/springframework/validation/Errors.getErrorCount ()I on v0 ()
";
        assert_eq!(named.test.to_string(), expected);
        assert_eq!(errors_by_field(&named, &execution), None);
    }

    #[test]
    fn fields_that_other_tests_show_errors_of_are_asked_for() {
        let reading = |fields: &[&str]| -> ObservedTest {
            let mut test = "v0: Lp/Errors; = new p/Errors.<init> ()V ()\n".to_owned();
            for (place, field) in fields.iter().enumerate() {
                test += &format!(
                    "v{}: Ljava/lang/String; = string \"{field}\"\nv{}: L{FIELD_ERROR}; = call interface-method \
                     {ERRORS}.{FIELD_ERROR_OF} (Ljava/lang/String;)L{FIELD_ERROR}; on v0 (v{})\n",
                    2 * place + 1,
                    2 * place + 2,
                    2 * place + 1
                );
            }
            test += &format!("v{}: I = call interface-method {ERRORS}.{COUNT} ()I on v0 ()\n", 2 * fields.len() + 1);
            ObservedTest { test: test.parse().expect("well-formed"), acted: 1, target: None }
        };
        let execution = |count: i32, statements: usize| {
            let mut snapshots = vec![Snapshot::Absent; statements - 1];
            snapshots.push(Snapshot::Int(count));
            Execution { snapshots, ..Execution::without_measurements(RunEnd::Completed) }
        };
        let tests = [reading(&["name", "price"]), reading(&["name"]), reading(&[])];
        let found = absent_errors(&tests, &[execution(2, 6), execution(2, 4), execution(0, 2)]);
        let all = reading(&["name", "price"]).test.to_string();
        let (without_count, _) = all.split_at(all.rfind("v5").expect("there"));
        assert_eq!(found[0].as_ref().map(|asking| asking.test.to_string()).as_deref(), Some(without_count));
        let other = found[1].as_ref().map(|asking| asking.test.to_string()).unwrap_or_default();
        let asked = "\
v3: I = call interface-method org/springframework/validation/Errors.getErrorCount ()I on v0 ()
v4: Ljava/lang/String; = string \"price\"
v5: Z = call interface-method org/springframework/validation/Errors.hasFieldErrors (Ljava/lang/String;)Z on v0 (v4)
";
        assert!(other.ends_with(asked), "an error of no field was found: {other}");
        assert_eq!(found[2], None);
    }
}
