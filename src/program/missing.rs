//! Classes that neither the class path nor the JDK has, although the target needs them.
//!
//! In: a program and classes. Out: the missing classes, with the class or the methods that need
//! them. Must not know what is done about them.
//!
//! The JVM loads the supertypes of a class together with it, and every other class when code that
//! names it is linked or runs (JVMS §5.3.5, JVMS §5.4). So a class without a supertype is of no
//! use, while other missing classes spoil single methods.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use tracewright_classfile::{Constant, Op};

use super::{ClassModel, ClassName, JavaType, LoadError, MethodModel, MethodRef, Program};

/// A superclass or superinterface that no class file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSupertype {
    /// The missing class.
    pub class: ClassName,
    /// The class whose direct supertype it is.
    pub needed_by: ClassName,
    is_interface: bool,
}

/// One clause: `its superclass a.Base is not on the class path`.
impl fmt::Display for MissingSupertype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_interface { "interface" } else { "superclass" };
        let MissingSupertype { class, needed_by, .. } = self;
        write!(f, "{} {}, which {} needs, is not on the class path", kind, class.binary(), needed_by.binary())
    }
}

/// The first supertype that is missing, directly or in a supertype of the class; `None` where the
/// JVM can load the class.
pub(super) fn missing_supertype(program: &Program, class: &ClassName) -> Option<MissingSupertype> {
    let mut known: BTreeSet<ClassName> = [class.clone()].into();
    let mut pending = vec![class.clone()];
    while let Some(name) = pending.pop() {
        let Some(model) = program.class(&name) else { continue };
        let supertypes = model.superclass.iter().map(|class| (class, false));
        for (supertype, is_interface) in supertypes.chain(model.interfaces.iter().map(|class| (class, true))) {
            if is_missing(program, supertype) {
                return Some(MissingSupertype { class: supertype.clone(), needed_by: name, is_interface });
            }
            if known.insert(supertype.clone()) {
                pending.push(supertype.clone());
            }
        }
    }
    None
}

/// By method of the classes, the missing classes that its signature or its body names. A class with
/// a missing supertype counts as that supertype.
pub fn missing_classes(program: &Program, classes: &[ClassName]) -> BTreeMap<MethodRef, BTreeSet<ClassName>> {
    let mut verdicts: BTreeMap<ClassName, Option<ClassName>> = BTreeMap::new();
    let mut found: BTreeMap<MethodRef, BTreeSet<ClassName>> = BTreeMap::new();
    for model in classes.iter().filter_map(|class| program.class(class)) {
        for method in &model.methods {
            for named in named_classes(&model, method) {
                let verdict = verdicts.entry(named).or_insert_with_key(|named| lacking(program, named));
                if let Some(missing) = verdict {
                    found.entry(method.reference.clone()).or_default().insert(missing.clone());
                }
            }
        }
    }
    found
}

/// The class that has to be added before the class can be loaded.
fn lacking(program: &Program, class: &ClassName) -> Option<ClassName> {
    if is_missing(program, class) {
        return Some(class.clone());
    }
    missing_supertype(program, class).map(|missing| missing.class)
}

fn is_missing(program: &Program, class: &ClassName) -> bool {
    matches!(program.load(class), Err(LoadError::Missing(_)))
}

/// The classes of the descriptor, and those that instructions and handlers of the body name.
fn named_classes(class: &ClassModel, method: &MethodModel) -> BTreeSet<ClassName> {
    let mut named = BTreeSet::new();
    method.parameters.iter().chain([&method.returns]).for_each(|ty| add_class(ty, &mut named));
    let Some(code) = class.code(method) else { return named };
    let pool = class.file.constant_pool();
    let mut add_name = |name: &str| match JavaType::parse(name).filter(|_| name.starts_with('[')) {
        Some(array) => add_class(&array, &mut named),
        None => {
            named.insert(ClassName::new(name));
        }
    };
    for instruction in &code.instructions {
        match &instruction.op {
            Op::New(index) | Op::ANewArray(index) | Op::CheckCast(index) | Op::InstanceOf(index) => {
                pool.class_name(*index).into_iter().for_each(&mut add_name);
            }
            Op::Ldc(index) => {
                if let Ok(Constant::Class(name)) = pool.get(*index) {
                    add_name(name);
                }
            }
            Op::MultiANewArray { class, .. } => pool.class_name(*class).into_iter().for_each(&mut add_name),
            op => {
                let member = op.member_index().and_then(|index| pool.member(index).ok());
                member.into_iter().for_each(|member| add_name(member.owner));
            }
        }
    }
    code.handlers.iter().filter_map(|handler| handler.catch_type.as_deref()).for_each(add_name);
    named
}

fn add_class(ty: &JavaType, into: &mut BTreeSet<ClassName>) {
    match ty {
        JavaType::Class(name) => {
            into.insert(name.clone());
        }
        JavaType::Array(element) => add_class(element, into),
        _ => {}
    }
}
