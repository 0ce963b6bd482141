//! What constructors do with arguments and fields. In: constructors and classes of the program; out:
//! whether constructors call no method of an argument, whether only they set fields. Must not know tests.

use std::sync::Arc;

use tracewright_classfile::Op;

use super::{ClassModel, ClassName, ClassOrigin, FieldModel, JavaType, MethodRef, Program};

/// Longest chain of constructors that is followed.
const DEEPEST: u32 = 8;
/// Classes whose static methods check an argument for null and call no method of it.
const CHECKS: [&str; 2] = ["java/util/Objects", "kotlin/jvm/internal/Intrinsics"];

impl Program {
    /// Whether the constructor, and those that it calls for its own object, call no method of an argument
    /// that is an object of one of these classes, and give none to other methods. Answers that a mock gets
    /// later then come in time.
    pub fn only_keeps_arguments(&self, constructor: &MethodRef, classes: &[ClassName]) -> bool {
        // The new object has the others.
        let kept: Vec<ClassName> = classes.iter().chain([&constructor.owner]).cloned().collect();
        self.keeps_arguments(constructor, &kept, DEEPEST)
    }

    /// Whether only constructors set fields of such an object: it is of a project class, and so are its
    /// superclasses but `Object`.
    pub(crate) fn has_only_final_fields(&self, class: &ClassName) -> bool {
        let chain = self.superclass_chain(class);
        let is_final = |class: &Arc<ClassModel>| {
            let is_set_once = |field: &FieldModel| field.access.is_static() || field.access.is_final();
            class.origin == ClassOrigin::Project && class.fields.iter().all(is_set_once)
        };
        !chain.is_empty() && chain.iter().all(|class| class.name.internal() == "java/lang/Object" || is_final(class))
    }

    fn keeps_arguments(&self, constructor: &MethodRef, classes: &[ClassName], depth: u32) -> bool {
        if constructor.owner.internal() == "java/lang/Object" {
            return true;
        }
        let Some(found) = self.resolve(constructor).filter(|_| depth > 0) else { return false };
        // A class of a library may do anything; without arguments it has nothing to do it with.
        if found.class.origin != ClassOrigin::Project {
            return constructor.parameters().is_empty();
        }
        let Some(code) = found.class.code(found.method()) else { return false };
        let pool = found.class.file.constant_pool();
        let called = |index: u16| {
            let called = pool.member(index).ok()?;
            Some(MethodRef::new(ClassName::new(called.owner), called.name, called.descriptor))
        };
        // What gets constants has no argument to call.
        let gets_constants = |place: usize, called: &MethodRef| {
            let first = place.checked_sub(called.parameters().len());
            first.is_some_and(|first| code.instructions[first..place].iter().all(|argument| is_constant(&argument.op)))
        };
        let may_be_kept = |ty: &JavaType| classes.iter().any(|class| self.is_subtype(&JavaType::Class(class.clone()), ty));
        let gets_none = |called: &MethodRef| !called.parameters().iter().any(may_be_kept);
        code.instructions.iter().enumerate().all(|(place, instruction)| match &instruction.op {
            Op::InvokeVirtual(index) | Op::InvokeInterface { method: index, .. } => {
                called(*index).is_some_and(|called| gets_none(&called) && !may_be_kept(&JavaType::Class(called.owner.clone())))
            }
            Op::InvokeDynamic(index) => {
                pool.dynamic(*index).is_ok_and(|call| gets_none(&MethodRef::new(ClassName::new(""), call.name, call.descriptor)))
            }
            Op::InvokeStatic(index) => called(*index).is_some_and(|called| {
                CHECKS.contains(&called.owner.internal()) || gets_constants(place, &called) || gets_none(&called)
            }),
            Op::InvokeSpecial(index) => called(*index).is_some_and(|called| {
                let is_plain = gets_constants(place, &called) || gets_none(&called);
                &*called.name == "<init>" && (is_plain || self.keeps_arguments(&called, classes, depth - 1))
            }),
            _ => true,
        })
    }
}

/// Whether the instruction puts a value on the stack that is no argument, and takes nothing.
pub(super) fn is_constant(op: &Op) -> bool {
    matches!(
        op,
        Op::NullConst
            | Op::IntConst(_)
            | Op::LongConst(_)
            | Op::FloatConst(_)
            | Op::DoubleConst(_)
            | Op::Ldc(_)
            | Op::GetStatic(_)
    )
}
