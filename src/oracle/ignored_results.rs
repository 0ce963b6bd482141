//! Calls whose results the code throws away: commands, whatever they return.
//!
//! Flows in: the classes under test; flows out: the called methods. Must not know tests. In
//! `repository.save(order);` no answer of a mock shows that the call was made.

use std::collections::BTreeSet;

use tracewright_classfile::{Constant, Op, StackOp};

use crate::program::{ClassName, MethodRef, Program};

/// Methods that the code calls somewhere without using the result, by name and descriptor. The
/// class that an instruction names may be a subclass of the one that declares the method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IgnoredResults {
    methods: BTreeSet<(String, String)>,
}

impl IgnoredResults {
    /// The methods whose results code of the classes ignores. Code that cannot be read ignores none.
    pub fn of_classes<'a>(program: &Program, classes: impl Iterator<Item = &'a ClassName>) -> IgnoredResults {
        let mut found = IgnoredResults::default();
        for class in classes {
            let Some(model) = program.class(class) else { continue };
            let pool = model.file.constant_pool();
            for code in model.methods.iter().filter_map(|method| model.code(method)) {
                for pair in code.instructions.windows(2) {
                    let [call, next] = pair else { continue };
                    let is_call = matches!(call.op, Op::InvokeVirtual(_) | Op::InvokeInterface { .. });
                    if !is_call || !matches!(next.op, Op::Stack(StackOp::Pop | StackOp::Pop2)) {
                        continue;
                    }
                    let member = call.op.member_index().and_then(|index| pool.get(index).ok());
                    if let Some(Constant::Method(member) | Constant::InterfaceMethod(member)) = member {
                        found.methods.insert((member.name.to_string(), member.descriptor.to_string()));
                    }
                }
            }
        }
        found
    }

    /// Whether some code ignores the result of this method.
    pub fn contains(&self, method: &MethodRef) -> bool {
        self.methods.contains(&(method.name.to_string(), method.descriptor.to_string()))
    }
}

#[cfg(test)]
impl IgnoredResults {
    /// One method, by name and descriptor.
    pub(super) fn only(name: &str, descriptor: &str) -> IgnoredResults {
        IgnoredResults { methods: BTreeSet::from([(name.to_string(), descriptor.to_string())]) }
    }
}
