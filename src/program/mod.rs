//! What is known of the classes without running them: names, hierarchy, members, generics, test cluster.

mod names;

pub use names::{ClassName, FieldRef, JavaType, MethodRef};
