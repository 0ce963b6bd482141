//! What a method has to do with the state around it, by its code alone. In: the program and a method. Out: whether the
//! method may change state that outlives the call, or depend on state that calls change. Must not know the arguments.

use std::collections::BTreeSet;

use tracewright_classfile::{Constant, MemberRef, Op};

use super::calls::called_methods;
use crate::program::{ClassName, ClassOrigin, MethodRef, Program};

/// Whether the method gives a result and does nothing else. It and those that it calls, without the JDK's, write no
/// field but those of the objects that their constructors make, and read no static field but final ones with values
/// that never change. What the JDK's methods do is not seen.
pub fn only_gives_a_result(program: &Program, method: &MethodRef) -> bool {
    keeps_to_values(program, method, |_| true)
}

/// Whether the method gives a result that its arguments alone decide: [`only_gives_a_result`], and the JDK's methods
/// that it calls work on numbers and texts, whatever the machine is.
pub(crate) fn depends_on_arguments_alone(program: &Program, method: &MethodRef) -> bool {
    keeps_to_values(program, method, |called| {
        let (owner, name) = (called.owner.internal(), &*called.name);
        let is_of_values = VALUE_CLASSES.contains(&owner) && !OF_THE_MACHINE.contains(&name);
        match name {
            "<clinit>" => true,
            "<init>" if program.is_subclass(&called.owner, &ClassName::new("java/lang/Throwable")) => true,
            "<init>" | "getClass" if owner == "java/lang/Object" => true,
            _ => is_of_values,
        }
    })
}

/// Classes of the JDK whose methods compute values from values.
const VALUE_CLASSES: [&str; 15] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/CharSequence",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Short",
    "java/lang/StrictMath",
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/util/Arrays",
];
/// Those of their methods whose results depend on the machine, the user or chance.
const OF_THE_MACHINE: [&str; 10] = [
    "format",
    "formatted",
    "getBoolean",
    "getBytes",
    "getInteger",
    "getLong",
    "parallelSort",
    "random",
    "toLowerCase",
    "toUpperCase",
];

/// Whether the method and those that it calls keep to values, as [`only_gives_a_result`] says, and call no method of
/// the JDK but allowed ones.
fn keeps_to_values(program: &Program, method: &MethodRef, may_call: impl Fn(&MethodRef) -> bool) -> bool {
    let mut seen: BTreeSet<MethodRef> = BTreeSet::from([method.clone()]);
    let mut open = vec![method.clone()];
    while let Some(method) = open.pop() {
        let Some(class) = program.class(&method.owner).filter(|class| class.origin != ClassOrigin::Jdk) else {
            if !may_call(&method) {
                return false;
            }
            continue;
        };
        // What an initialiser writes is there before the call, or would be.
        if &*method.name == "<clinit>" {
            continue;
        }
        let Some(model) = class.method(&method.name, &method.descriptor) else { continue };
        let pool = class.file.constant_pool();
        for instruction in class.code(model).iter().flat_map(|code| &code.instructions) {
            let is_harmless = match instruction.op {
                Op::PutStatic(_) => false,
                Op::PutField(_) => model.is_constructor(),
                Op::GetStatic(index) => {
                    matches!(pool.get(index), Ok(Constant::Field(field)) if never_changes(program, &field))
                }
                _ => true,
            };
            if !is_harmless {
                return false;
            }
        }
        open.extend(called_methods(program, &method).into_iter().filter(|callee| seen.insert(callee.clone())));
    }
    true
}

/// Whether the static field is final and its value has no state of its own.
fn never_changes(program: &Program, field: &MemberRef<'_>) -> bool {
    let resolved = program.resolve_field(&ClassName::new(field.owner), field.name, field.descriptor);
    resolved.is_some_and(|resolved| resolved.field().access.is_final() && resolved.field().ty.is_immutable())
}
