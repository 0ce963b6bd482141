//! Plain members: methods that only read or write a field of their object, and constructors of
//! records and of data classes that only fill the components.
//!
//! In: a body, for constructors with its class. Out: whether it is such a member. Must not know who
//! asks, nor the names of methods.

use crate::class::{ClassFile, Method};
use crate::code::Code;
use crate::generated::is_kotlin;
use crate::instruction::Op;
use crate::kind::Kind;

/// Whether the body only returns a field of the object, or only stores the first parameter in one
/// and returns nothing or the object.
pub fn is_plain_accessor(code: &Code) -> bool {
    let ops: Vec<&Op> = code.instructions.iter().map(|instruction| &instruction.op).collect();
    match &ops[..] {
        [this, Op::GetField(_), Op::Return(Some(_))] => is_this(this),
        [this, Op::Load(_, 1), Op::PutField(_), Op::Return(None)] => is_this(this),
        [this, Op::Load(_, 1), Op::PutField(_), result, Op::Return(Some(Kind::Reference))] => is_this(this) && is_this(result),
        _ => false,
    }
}

/// Whether this is a constructor of a record that only stores its parameters in fields.
pub fn is_plain_record_constructor(class: &ClassFile, method: Method<'_>, code: &Code) -> bool {
    let mut ops = code.instructions.iter().map(|instruction| &instruction.op);
    class.super_class() == Some("java/lang/Record")
        && method.name() == "<init>"
        && ops.clone().filter(|op| matches!(op, Op::InvokeSpecial(_))).count() == 1
        && ops.all(|op| matches!(op, Op::Load(..) | Op::InvokeSpecial(_) | Op::PutField(_) | Op::Return(None)))
}

/// Whether this is the constructor of a data class of Kotlin that only stores its parameters in fields. Checks
/// that they are not null are the compiler's.
pub fn is_plain_data_constructor(class: &ClassFile, method: Method<'_>, code: &Code) -> bool {
    let pool = class.constant_pool();
    let is_check = |index: u16| pool.member(index).is_ok_and(|called| called.owner == "kotlin/jvm/internal/Intrinsics");
    let mut ops = code.instructions.iter().map(|instruction| &instruction.op);
    is_kotlin(class)
        && class.methods().any(|other| other.name() == "component1")
        && method.name() == "<init>"
        && ops.clone().filter(|op| matches!(op, Op::InvokeSpecial(_))).count() == 1
        && ops.all(|op| match op {
            Op::InvokeStatic(index) => is_check(*index),
            Op::Load(..) | Op::Ldc(_) | Op::InvokeSpecial(_) | Op::PutField(_) | Op::Return(None) | Op::NullConst => true,
            _ => false,
        })
}

/// Whether a method of an object loads the object here.
fn is_this(op: &Op) -> bool {
    matches!(op, Op::Load(Kind::Reference, 0))
}
