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
    let mut seen: BTreeSet<MethodRef> = BTreeSet::from([method.clone()]);
    let mut open = vec![method.clone()];
    while let Some(method) = open.pop() {
        let Some(class) = program.class(&method.owner).filter(|class| class.origin != ClassOrigin::Jdk) else { continue };
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
