//! `FSTATI` of PIT 1.22.1: the static initialiser and the private methods that it calls. A mutant
//! there would need a newly loaded class for each test.

use super::scan::called;
use crate::class::ClassFile;
use crate::code::Code;
use crate::instruction::{Instruction, Op};
use crate::pool::ConstantPool;
use std::collections::{BTreeMap, BTreeSet};

/// Indices of the static initialiser and of the private methods that it calls, directly or through
/// others of them. The method of a lambda in a static field is mutated, since it runs later.
pub(super) fn methods(class: &ClassFile, codes: &[Option<Code>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let Some(initialiser) = class.find_method("<clinit>", "()V") else { return found };
    let pool = class.constant_pool();
    let stored_functions: BTreeSet<&str> = class
        .fields()
        .filter(|field| field.signature().ok().flatten().is_some_and(names_function))
        .map(|field| field.name())
        .collect();
    let private: BTreeMap<(&str, &str), usize> = class
        .methods()
        .filter(|method| method.access().is_private())
        .map(|method| ((method.name(), method.descriptor()), method.index()))
        .collect();
    let mut pending = vec![initialiser.index()];
    while let Some(index) = pending.pop() {
        if !found.insert(index) {
            continue;
        }
        let Some(code) = &codes[index] else { continue };
        // The last store of a function into a static field, or of a finished enum constant.
        let last_store = code.instructions.iter().enumerate().rposition(|(at, instruction)| match instruction.op {
            Op::PutStatic(field) => {
                let after_constructor =
                    at > 0 && called(pool, &code.instructions[at - 1]).is_some_and(|called| called.name == "<init>");
                after_constructor || pool.member(field).is_ok_and(|member| stored_functions.contains(member.name))
            }
            _ => false,
        });
        for (at, instruction) in code.instructions.iter().enumerate() {
            let later = last_store.is_some_and(|last_store| at < last_store) && makes_function(pool, instruction);
            if later {
                continue;
            }
            for (owner, name, descriptor) in callees(class, instruction) {
                if owner == class.this_class()
                    && let Some(&callee) = private.get(&(&*name, &*descriptor))
                {
                    pending.push(callee);
                }
            }
        }
    }
    found
}

/// Owner, name and descriptor of the method that an instruction calls, or of the methods that the
/// arguments of an `invokedynamic` refer to.
fn callees(class: &ClassFile, instruction: &Instruction) -> Vec<(String, String, String)> {
    let pool = class.constant_pool();
    if let Op::InvokeDynamic(index) = instruction.op {
        let (Ok(site), Ok(methods)) = (pool.dynamic(index), class.bootstrap_methods()) else { return Vec::new() };
        let Some(bootstrap) = methods.get(usize::from(site.bootstrap)) else { return Vec::new() };
        return bootstrap
            .arguments
            .iter()
            .filter_map(|&argument| pool.method_handle(argument).ok())
            .map(|handle| {
                let member = handle.member;
                (member.owner.to_owned(), member.name.to_owned(), member.descriptor.to_owned())
            })
            .collect();
    }
    called(pool, instruction)
        .map(|member| (member.owner.to_owned(), member.name.to_owned(), member.descriptor.to_owned()))
        .into_iter()
        .collect()
}

/// Whether the instruction returns an object of a functional interface.
fn makes_function(pool: &ConstantPool, instruction: &Instruction) -> bool {
    let descriptor = match instruction.op {
        Op::InvokeDynamic(index) => pool.dynamic(index).ok().map(|site| site.descriptor),
        Op::InvokeStatic(index) => pool.member(index).ok().map(|member| member.descriptor),
        _ => None,
    };
    let returned = descriptor.and_then(|descriptor| descriptor.rsplit_once(")L"));
    returned.is_some_and(|(_, name)| is_function(name.trim_end_matches(';')))
}

/// Whether a generic signature mentions a functional interface.
fn names_function(signature: &str) -> bool {
    signature.split(['<', ';', '>']).any(|part| {
        let name = part.trim_start_matches(['+', '-', '[', '*']);
        name.strip_prefix('L').is_some_and(is_function)
    })
}

/// Functional interfaces that PIT knows, by internal name.
fn is_function(name: &str) -> bool {
    name.starts_with("java/util/function/")
        || name.contains("/function/Failable")
        || matches!(
            name,
            "java/lang/Runnable"
                | "java/util/Comparator"
                | "java/util/concurrent/Callable"
                | "java/io/FileFilter"
                | "java/io/FilenameFilter"
                | "com/google/common/base/Function"
                | "com/google/common/base/Predicate"
                | "com/google/common/base/Supplier"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functional_interfaces_are_found_in_signatures() {
        assert!(names_function("Ljava/util/function/Function<Ljava/lang/String;Lp/A;>;"));
        assert!(names_function("Ljava/util/List<+Ljava/lang/Runnable;>;"));
        assert!(!names_function("Ljava/util/List<Ljava/lang/String;>;"));
        assert!(is_function("org/apache/commons/lang3/function/FailableSupplier"));
        assert!(!is_function("java/lang/Object"));
    }
}
