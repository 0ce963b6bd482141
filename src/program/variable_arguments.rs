//! How many variable arguments code passes to a method.
//!
//! In: a program, and classes whose code calls the method. Out: the number that all of its calls pass. Must not
//! know why it is asked.
//!
//! A matcher for the variable arguments as a whole means something else in each version of Mockito. One matcher
//! for each of them means the same in all, but takes their number. A compiler makes the array where the method is
//! called, so that the code tells.

use std::collections::BTreeMap;

use tracewright_classfile::{Op, check_types};

use super::{ClassModel, ClassName, MethodModel, MethodRef, Program};

/// The number of variable arguments in every call of the method by these classes; `None` where there is no call,
/// where calls differ, and where one passes an array that it did not just make.
pub(crate) fn passed_elements(program: &Program, classes: &[ClassName], method: &MethodRef) -> Option<usize> {
    let mut found: Option<usize> = None;
    for class in classes.iter().filter_map(|name| program.class(name)) {
        for caller in &class.methods {
            for passed in passed_by(program, &class, caller, method) {
                let passed = passed?;
                if found.is_some_and(|found| found != passed) {
                    return None;
                }
                found = Some(passed);
            }
        }
    }
    found
}

/// The same for each call in one method. Empty without a call, and where frames do not fit the code.
fn passed_by(program: &Program, class: &ClassModel, caller: &MethodModel, method: &MethodRef) -> Vec<Option<usize>> {
    let Some(code) = class.code(caller) else { return Vec::new() };
    let is_method = |op: &Op| {
        class.called_by(op).is_some_and(|called| {
            let owner = ClassName::new(called.owner);
            called.name == &*method.name
                && called.descriptor == &*method.descriptor
                && (program.is_subclass(&owner, &method.owner) || program.is_subclass(&method.owner, &owner))
        })
    };
    if !code.instructions.iter().any(|instruction| is_method(&instruction.op)) {
        return Vec::new();
    }
    let mut passed = Vec::new();
    // Arrays in elements lie deeper on the stack.
    let mut lengths: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    let mut before: Option<&Op> = None;
    let mut ops = code.instructions.iter().map(|instruction| &instruction.op);
    let walked = check_types(&code, class.file.constant_pool(), |_, state| {
        let Some(op) = ops.next() else { return };
        let top = state.stack.len().saturating_sub(1);
        if matches!(op, Op::ANewArray(_) | Op::NewArray(_)) {
            let length = match before {
                Some(Op::IntConst(length)) => usize::try_from(*length).ok(),
                _ => None,
            };
            lengths.insert(top, length);
        } else if is_method(op) {
            let is_made = matches!(before, Some(Op::ANewArray(_) | Op::NewArray(_) | Op::ArrayStore(_)));
            passed.push(lengths.get(&top).copied().flatten().filter(|_| is_made));
        }
        before = Some(op);
    });
    if walked.is_ok() { passed } else { Vec::new() }
}
