//! The static call graph, by class hierarchy analysis.
//!
//! A call of a method may run every method that overrides it. Creating an instance, calling a
//! static method and using a static field may run the class initialiser. Callbacks from the JDK
//! (`compareTo` while it sorts) are not seen, unless the caller passes a lambda or method
//! reference.
//!
//! In: the program and changed methods. Out: the methods that may run a changed one.

use std::collections::{BTreeMap, BTreeSet};

use tracewright_classfile::{Constant, Op};

use crate::program::{ClassModel, ClassName, MethodModel, MethodRef, Program};

const INITIALISER: (&str, &str) = ("<clinit>", "()V");

/// The changed methods, and the methods of the classes `among` that may call one of them directly
/// or through others.
pub fn affected_methods(program: &Program, among: &[ClassName], changed: &BTreeSet<MethodRef>) -> BTreeSet<MethodRef> {
    let mut callers: BTreeMap<MethodRef, BTreeSet<MethodRef>> = BTreeMap::new();
    for class in among {
        let Some(model) = program.class(class) else { continue };
        for method in &model.methods {
            let mut callees = BTreeSet::new();
            called(program, &model, method, &mut callees);
            for callee in callees {
                callers.entry(callee).or_default().insert(method.reference.clone());
            }
        }
    }
    let mut lambdas: BTreeMap<MethodRef, Vec<MethodRef>> = BTreeMap::new();
    for (callee, by) in &callers {
        for caller in by.iter().filter(|caller| caller.owner == callee.owner && callee.name.starts_with("lambda$")) {
            lambdas.entry(caller.clone()).or_default().push(callee.clone());
        }
    }
    let mut reached = changed.clone();
    let mut pending: Vec<MethodRef> = changed.iter().cloned().collect();
    while let Some(method) = pending.pop() {
        for named in std::iter::once(method.clone()).chain(overridden(program, &method)) {
            for caller in callers.get(&named).into_iter().flatten() {
                if reached.insert(caller.clone()) {
                    pending.push(caller.clone());
                }
            }
        }
    }
    // The body of a lambda is part of the method that contains it.
    let mut pending: Vec<MethodRef> = reached.iter().cloned().collect();
    while let Some(method) = pending.pop() {
        for lambda in lambdas.get(&method).into_iter().flatten() {
            if reached.insert(lambda.clone()) {
                pending.push(lambda.clone());
            }
        }
    }
    reached
}

/// The methods of superclasses and interfaces that this one overrides: a call that names one of
/// them may run it.
fn overridden(program: &Program, method: &MethodRef) -> Vec<MethodRef> {
    if method.name.starts_with('<') {
        return Vec::new();
    }
    let chain = program.superclass_chain(&method.owner);
    let ancestors = chain.iter().map(|class| class.name.clone()).skip(1).chain(program.all_interfaces(&method.owner));
    ancestors.map(|ancestor| MethodRef::new(ancestor, &method.name, &method.descriptor)).collect()
}

/// The methods that the code of a method calls, also by method references and lambdas.
pub(crate) fn called_methods(program: &Program, method: &MethodRef) -> BTreeSet<MethodRef> {
    let mut callees = BTreeSet::new();
    if let Some(model) = program.class(&method.owner)
        && let Some(method) = model.method(&method.name, &method.descriptor)
    {
        called(program, &model, method, &mut callees);
    }
    callees
}

fn called(program: &Program, model: &ClassModel, method: &MethodModel, callees: &mut BTreeSet<MethodRef>) {
    let initialiser = |owner: &str| MethodRef::new(ClassName::new(owner), INITIALISER.0, INITIALISER.1);
    if method.name() != INITIALISER.0 && (method.is_static() || method.is_constructor()) {
        callees.insert(initialiser(model.name.internal()));
    }
    let Some(code) = model.code(method) else { return };
    let pool = model.file.constant_pool();
    let resolved = |owner: &str, name: &str, descriptor: &str| {
        let owner = ClassName::new(owner);
        let found = program.resolve_method(&owner, name, descriptor).map(|found| found.reference().clone());
        found.unwrap_or_else(|| MethodRef::new(owner, name, descriptor))
    };
    for instruction in &code.instructions {
        match instruction.op {
            Op::New(index) => {
                if let Ok(Constant::Class(name)) = pool.get(index) {
                    callees.insert(initialiser(name));
                }
            }
            Op::InvokeDynamic(index) | Op::Ldc(index) => {
                let Ok(Constant::InvokeDynamic(site) | Constant::Dynamic(site)) = pool.get(index) else { continue };
                let methods = model.file.bootstrap_methods().unwrap_or_default();
                for &argument in methods.get(usize::from(site.bootstrap)).into_iter().flat_map(|found| &found.arguments) {
                    if let Ok(Constant::MethodHandle(handle)) = pool.get(argument) {
                        callees.insert(resolved(handle.member.owner, handle.member.name, handle.member.descriptor));
                    }
                }
            }
            ref op => {
                let Some(index) = op.member_index() else { continue };
                match pool.get(index) {
                    Ok(Constant::Method(member) | Constant::InterfaceMethod(member)) => {
                        // A method that is gone now is still found by the name in the instruction.
                        callees.insert(MethodRef::new(ClassName::new(member.owner), member.name, member.descriptor));
                        callees.insert(resolved(member.owner, member.name, member.descriptor));
                        if matches!(op, Op::InvokeStatic(_)) {
                            callees.insert(initialiser(member.owner));
                        }
                    }
                    Ok(Constant::Field(member)) if matches!(op, Op::GetStatic(_) | Op::PutStatic(_)) => {
                        callees.insert(initialiser(member.owner));
                    }
                    _ => {}
                }
            }
        }
    }
}
