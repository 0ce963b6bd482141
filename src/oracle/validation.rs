//! What a validator of Spring reports. In: an observed test with an object that collects errors; out: the
//! test with inspectors for the code of each error. Must not know which errors a validator gives.
//!
//! How many errors there are says little: a validator may refuse another property for another reason.

use super::ObservedTest;
use crate::program::{ClassName, JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, VarId};

const ERRORS: &str = "org/springframework/validation/Errors";
const FIELD_ERROR: &str = "org/springframework/validation/FieldError";

/// Errors of one object whose codes are read.
const MOST_ERRORS: i32 = 3;

/// Whether objects of the class collect errors.
pub(super) fn collects_errors(program: &Program, class: &ClassName) -> bool {
    program.is_subclass(class, &ClassName::new(ERRORS))
}

/// Appends inspectors for the codes of the first errors, and for their number. One that asks for an
/// error too many throws, and goes.
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
        let text = JavaType::class("java/lang/String");
        test.push(call(&field_error, "getCode", "()Ljava/lang/String;", false, error, Vec::new()), text);
    }
    test.push(call(&errors, "getErrorCount", "()I", true, object, Vec::new()), JavaType::INT);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testcase::TestCase;

    #[test]
    fn the_codes_of_the_first_errors_are_read() {
        let test: TestCase = "v0: Lp/Errors; = new p/Errors.<init> ()V ()\n".parse().expect("well-formed");
        let mut observed = ObservedTest { test, acted: 1, target: None };
        append_error_inspectors(&mut observed, VarId(0));
        let text = observed.test.to_string();
        let expected = "\
v1: Ljava/util/List; = call interface-method org/springframework/validation/Errors.getFieldErrors ()Ljava/util/List; on v0 ()
v2: I = int 0
v3: Lorg/springframework/validation/FieldError; = call interface-method java/util/List.get (I)Ljava/lang/Object; on v1 (v2)
v4: Ljava/lang/String; = call method org/springframework/validation/FieldError.getCode ()Ljava/lang/String; on v3 ()
v5: Ljava/util/List; = call interface-method org/springframework/validation/Errors.getFieldErrors ()Ljava/util/List; on v0 ()
v6: I = int 1
";
        assert!(text.contains(expected), "{text}");
        assert_eq!(observed.test.len(), 14);
    }
}
