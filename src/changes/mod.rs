//! What a change of the code reaches: methods that do something else than before, and methods that call such. Flows in: class files of an earlier state and
//! the program as it is; flows out: sets of methods. Must not know where an earlier state comes from, nor what is done with what it reaches.
//!
//! A method is what its instructions say: constants stand for what they mean, and line numbers, names of variables and frames do not count. What the compiler
//! made for a lambda belongs to the method it stands in, since its name changes with that of others.

mod calls;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use tracewright_classfile::ClassFile;

use crate::program::{ClassName, ClassOrigin, MethodRef, Program};

pub use calls::affected_methods;

/// A class, as far as a change of it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassState {
    /// Superclass, interfaces, kind of class.
    shape: String,
    /// By name and descriptor.
    methods: BTreeMap<(String, String), [u8; 16]>,
}

impl ClassState {
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

/// An earlier state of some classes; of the others nothing is known.
#[derive(Debug, Default)]
pub struct EarlierClasses {
    /// `None`: the class was not there, or nobody can say what it was: all of it counts as changed.
    pub classes: BTreeMap<ClassName, Option<ClassState>>,
}

/// The methods of the program that an earlier state has otherwise, or not at all. Classes that it does not mention have not changed.
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
        // What was inherited takes the place of a method that is gone: whoever calls that calls something else.
        for (method, descriptor) in before.into_iter().flat_map(|before| before.methods.keys()) {
            if !now.methods.contains_key(&(method.clone(), descriptor.clone())) {
                changed.insert(MethodRef::new(name.clone(), method, descriptor));
            }
        }
    }
    changed
}

/// A short name for what some methods do: it is another one as soon as one of them does something else.
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
