//! The lasting effects of a method, by its code alone. In: the program and a method. Out: whether the method may
//! change state that outlives the call. Must not know the arguments.

use std::collections::BTreeSet;

use tracewright_classfile::{Constant, Op};

use super::calls::called_methods;
use crate::program::{ClassOrigin, MethodRef, Program};

/// Whether the method and those that it calls, without the JDK's, write no field but those of the objects that their
/// constructors make, and no element of an array that a static field holds. What the JDK's methods change is not seen.
pub(crate) fn leaves_nothing_behind(program: &Program, method: &MethodRef) -> bool {
    let mut seen: BTreeSet<MethodRef> = BTreeSet::from([method.clone()]);
    let mut open = vec![method.clone()];
    let (mut stores, mut holds_arrays) = (false, false);
    while let Some(method) = open.pop() {
        let Some(class) = program.class(&method.owner).filter(|class| class.origin != ClassOrigin::Jdk) else { continue };
        // What an initialiser writes is there before the call, or would be.
        if &*method.name == "<clinit>" {
            continue;
        }
        let Some(model) = class.method(&method.name, &method.descriptor) else { continue };
        let pool = class.file.constant_pool();
        for instruction in class.code(model).iter().flat_map(|code| &code.instructions) {
            match instruction.op {
                Op::PutStatic(_) => return false,
                Op::PutField(_) if !model.is_constructor() => return false,
                Op::ArrayStore(_) => stores = true,
                Op::GetStatic(index) => {
                    let is_array =
                        |field: Constant<'_>| matches!(field, Constant::Field(member) if member.descriptor.starts_with('['));
                    holds_arrays |= pool.get(index).is_ok_and(is_array);
                }
                _ => {}
            }
        }
        open.extend(called_methods(program, &method).into_iter().filter(|callee| seen.insert(callee.clone())));
    }
    !(stores && holds_arrays)
}
