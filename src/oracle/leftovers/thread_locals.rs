//! Classes that keep values for each thread. In: the classes under test; out: those of them and of the project's
//! classes that they name, directly or through others, with a static `ThreadLocal`. Must not know tests.
//!
//! The JVM tells that some `ThreadLocal` holds a value, but not which.

use std::collections::{BTreeSet, VecDeque};

use tracewright_classfile::Constant;

use crate::program::{ClassModel, ClassName, ClassOrigin, FieldModel, JavaType, Program};

/// The class that keeps a value for each thread.
pub(super) const THREAD_LOCAL: &str = "java/lang/ThreadLocal";
/// Classes that are looked at, at most.
const MOST_CLASSES: usize = 300;

/// The classes with a static field for a `ThreadLocal`.
pub(crate) fn thread_local_holders(program: &Program, targets: &BTreeSet<ClassName>) -> BTreeSet<ClassName> {
    let mut seen = targets.clone();
    let mut open: VecDeque<ClassName> = targets.iter().cloned().collect();
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop_front() {
        let Some(class) = program.class(&name).filter(|class| class.origin == ClassOrigin::Project) else { continue };
        for named in named_classes(&class) {
            if seen.len() < MOST_CLASSES && seen.insert(named.clone()) {
                open.push_back(named);
            }
        }
        if class.fields.iter().any(|field| is_static_thread_local(program, field)) {
            found.insert(name);
        }
    }
    found
}

fn is_static_thread_local(program: &Program, field: &FieldModel) -> bool {
    field.access.is_static() && matches!(&field.ty, JavaType::Class(class) if is_thread_local(program, class))
}

/// Whether the class keeps a value for each thread.
pub(super) fn is_thread_local(program: &Program, class: &ClassName) -> bool {
    program.is_subclass(class, &ClassName::new(THREAD_LOCAL))
}

/// The classes that the constant pool names, without those of the JDK's main packages.
fn named_classes(class: &ClassModel) -> Vec<ClassName> {
    let pool = class.file.constant_pool();
    let named = pool.indices().filter_map(|index| match pool.get(index) {
        Ok(Constant::Class(name)) if !name.starts_with('[') && !name.starts_with("java/") => Some(ClassName::new(name)),
        _ => None,
    });
    named.collect()
}
