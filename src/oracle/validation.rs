//! What a validator of Spring reports. In: an observed test with an object that collects errors; out: the
//! test with inspectors for the code of each error. Must not know which errors a validator gives.
//!
//! How many errors there are says little: a validator may refuse another property for another reason.
//! At first the errors are read by their position. Once they are known, each is read by its field.

use std::collections::BTreeSet;

use super::ObservedTest;
use crate::execution::{Execution, Snapshot};
use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, VarId};

const ERRORS: &str = "org/springframework/validation/Errors";
const FIELD_ERROR: &str = "org/springframework/validation/FieldError";
/// The method of `Errors` that gives the first error of a field.
pub(crate) const FIELD_ERROR_OF: &str = "getFieldError";

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
    test.push(call(&errors, "getErrorCount", "()I", true, object, Vec::new()), JavaType::INT);
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
}
