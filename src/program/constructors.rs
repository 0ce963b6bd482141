//! What constructors do with arguments and fields. In: constructors and classes of the program; out:
//! whether constructors call no method of an argument, whether they and nothing else set fields. Must not know tests.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tracewright_classfile::Op;

use super::{ClassModel, ClassName, ClassOrigin, FieldModel, JavaType, MethodRef, Program};

/// Longest chain of constructors that is followed.
const DEEPEST: u32 = 8;
/// So many methods are followed to see what a constructor does.
const MOST_METHODS: usize = 64;
/// Classes whose static methods check an argument for null and call no method of it.
const CHECKS: [&str; 2] = ["java/util/Objects", "kotlin/jvm/internal/Intrinsics"];
/// Objects of these classes of the JDK do nothing by being there.
const HOLDERS: [&str; 4] = ["java/util/Collection", "java/util/Map", "java/lang/AbstractStringBuilder", "java/lang/Throwable"];
/// Static methods of these classes of the JDK only give values.
const GIVERS: [&str; 10] = [
    "java/lang/Math",
    "java/lang/Boolean",
    "java/lang/Character",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/util/Collections",
    "java/util/Objects",
    "java/util/Optional",
];

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

    /// Whether the constructor only sets fields and makes collections, as do the methods that it calls. An object that
    /// no test uses then leaves no trace.
    pub fn only_sets_fields(&self, constructor: &MethodRef) -> bool {
        self.sets_fields(&constructor.owner, constructor, &mut FxHashSet::default())
    }

    /// `seen`: the methods that were looked at so far, each with the class of the new object.
    fn sets_fields(&self, made: &ClassName, method: &MethodRef, seen: &mut FxHashSet<(ClassName, MethodRef)>) -> bool {
        // A method of the new object is that of its class.
        let is_inherited = &*method.name != "<init>" && self.is_subclass(made, &method.owner);
        let owner = if is_inherited { made } else { &method.owner };
        let method_of_owner = MethodRef { owner: owner.clone(), ..method.clone() };
        if !seen.insert((made.clone(), method_of_owner.clone())) {
            return true;
        }
        let Some(found) = self.resolve(&method_of_owner).filter(|_| seen.len() <= MOST_METHODS) else { return false };
        if found.class.origin == ClassOrigin::Jdk {
            let is_holder = |holder: &&str| self.is_subclass(&method.owner, &ClassName::new(holder));
            let is_object = method.owner.internal() == "java/lang/Object";
            let gives_value = GIVERS.contains(&method.owner.internal()) && found.method().is_static();
            let is_separator = method.owner.internal() == "java/lang/System" && &*method.name == "lineSeparator";
            let makes_holder = &*method.name == "<init>" && (is_object || HOLDERS.iter().any(is_holder));
            return makes_holder || gives_value || is_separator;
        }
        let Some(code) = found.class.code(found.method()) else { return false };
        let pool = found.class.file.constant_pool();
        code.instructions.iter().all(|instruction| match &instruction.op {
            Op::PutStatic(_) => false,
            Op::InvokeVirtual(index)
            | Op::InvokeSpecial(index)
            | Op::InvokeStatic(index)
            | Op::InvokeInterface { method: index, .. } => pool.member(*index).is_ok_and(|called| {
                let method = MethodRef::new(ClassName::new(called.owner), called.name, called.descriptor);
                // A constructor calls those of its class and of the superclass for the same object.
                let is_other = &*method.name == "<init>" && !self.is_subclass(made, &method.owner);
                let made = if is_other { &method.owner } else { made };
                self.sets_fields(made, &method, seen)
            }),
            _ => true,
        })
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
