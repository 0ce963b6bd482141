//! Classes that say themselves how their objects are serialized (Java Object Serialization
//! Specification, §2 and §3).
//!
//! In: the classes under test. Out: those whose own code runs when their objects are written or read.
//! Must not know how a test writes and reads objects.

use crate::program::{ClassModel, ClassName, Program};

/// Methods that a stream calls, with their descriptors.
const CALLED_BY_STREAMS: [(&str, &str); 7] = [
    ("writeObject", "(Ljava/io/ObjectOutputStream;)V"),
    ("readObject", "(Ljava/io/ObjectInputStream;)V"),
    ("readObjectNoData", "()V"),
    ("writeReplace", "()Ljava/lang/Object;"),
    ("readResolve", "()Ljava/lang/Object;"),
    ("writeExternal", "(Ljava/io/ObjectOutput;)V"),
    ("readExternal", "(Ljava/io/ObjectInput;)V"),
];

/// The serializable ones among the classes that have such a method.
pub(super) fn serialized_classes(program: &Program, classes: &[ClassName]) -> Vec<ClassName> {
    let says_how = |class: &ClassModel| {
        CALLED_BY_STREAMS.iter().any(|(name, descriptor)| {
            class.method(name, descriptor).is_some_and(|method| !method.is_static() && class.code(method).is_some())
        })
    };
    let serializable = ClassName::new("java/io/Serializable");
    let is_wanted =
        |name: &&ClassName| program.is_subclass(name, &serializable) && program.class(name).is_some_and(|class| says_how(&class));
    classes.iter().filter(is_wanted).cloned().collect()
}
