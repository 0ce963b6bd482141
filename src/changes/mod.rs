//! Change impact: the methods whose behaviour differs from an earlier state of the code, and the
//! methods that call them.
//!
//! In: class files of an earlier state, and the program as it is. Out: sets of methods. Must not
//! know where the earlier state comes from, or what the sets are used for.
//!
//! Two methods are equal when their instructions are. Constants count by value; line numbers,
//! variable names and frames do not count. The synthetic method of a lambda counts as part of the
//! method that contains the lambda, because its name depends on the other lambdas of the class.

mod calls;
mod effects;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use tracewright_classfile::ClassFile;

use crate::program::{ClassName, ClassOrigin, MethodRef, Program};

pub use calls::affected_methods;
pub(crate) use calls::called_methods;
pub(crate) use effects::depends_on_arguments_alone;
pub use effects::only_gives_a_result;

/// The parts of a class that decide whether its behaviour has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassState {
    /// Superclass, interfaces, kind of class.
    shape: String,
    /// Hash of the text of each method, by name and descriptor.
    methods: BTreeMap<(String, String), [u8; 16]>,
}

impl ClassState {
    /// The state of a class as its class file has it.
    pub fn of(file: &ClassFile) -> ClassState {
        let methods = file.methods().filter(|method| !text::is_part_of_another(method));
        let methods = methods.map(|method| {
            let mut hash = [0; 16];
            hash.copy_from_slice(&blake3::hash(text::of_method(file, &method).as_bytes()).as_bytes()[..16]);
            ((method.name().to_owned(), method.descriptor().to_owned()), hash)
        });
        ClassState { methods: methods.collect(), shape: text::shape(file) }
    }
}

/// The earlier state of some classes. All other classes count as unchanged.
#[derive(Debug, Default)]
pub struct EarlierClasses {
    /// `None`: the class did not exist, or its earlier state is unknown. All its methods count as
    /// changed.
    pub classes: BTreeMap<ClassName, Option<ClassState>>,
}

/// The methods that differ from the earlier state, are new, or are gone.
pub fn changed_methods(earlier: &EarlierClasses, program: &Program) -> BTreeSet<MethodRef> {
    let mut changed = BTreeSet::new();
    for (name, before) in &earlier.classes {
        let Some(model) = program.class(name).filter(|model| model.origin == ClassOrigin::Project) else { continue };
        let now = ClassState::of(&model.file);
        let before = before.as_ref().filter(|before| before.shape == now.shape);
        for (key, hash) in &now.methods {
            if before.and_then(|before| before.methods.get(key)) != Some(hash) {
                changed.insert(MethodRef::new(name.clone(), &key.0, &key.1));
            }
        }
        // Where a method is gone, its callers now run an inherited one.
        for (method, descriptor) in before.into_iter().flat_map(|before| before.methods.keys()) {
            if !now.methods.contains_key(&(method.clone(), descriptor.clone())) {
                changed.insert(MethodRef::new(name.clone(), method, descriptor));
            }
        }
    }
    changed
}

/// Eight hexadecimal digits that change when the text of one of the methods does.
pub(crate) fn behaviour_fingerprint<'a>(methods: impl IntoIterator<Item = &'a MethodRef>, program: &Program) -> String {
    let mut text = String::new();
    for method in methods {
        text += &format!("{}.{}{}\n", method.owner, method.name, method.descriptor);
        if let Some(model) = program.class(&method.owner)
            && let Some(found) = model.file.find_method(&method.name, &method.descriptor)
        {
            text += &text::of_method(&model.file, &found);
        }
    }
    blake3::hash(text.as_bytes()).to_hex()[..8].to_owned()
}
