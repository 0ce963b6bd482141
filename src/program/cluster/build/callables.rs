//! The table of callables: one entry for each member and owner, numbered in order of first use.

use std::collections::HashMap;

use crate::program::cluster::analysis::Analysis;
use crate::program::cluster::{Callable, CallableId, CallableKind, Hints, Parameter};
use crate::program::coroutines::can_suspend;
use crate::program::generics::TypeParameter;
use crate::program::{ClassModel, ClassName, ClassOrigin, MethodModel, MethodRef, Program};

/// Callables and the analysis that gives their hints and constants.
pub(super) struct CallableTable<'a> {
    program: &'a Program,
    analysis: Analysis<'a>,
    callables: Vec<Callable>,
    ids: HashMap<(MethodRef, CallableKind), CallableId>,
}

impl<'a> CallableTable<'a> {
    /// An empty table.
    pub(super) fn new(program: &'a Program) -> CallableTable<'a> {
        CallableTable { program, analysis: Analysis::new(program), callables: Vec::new(), ids: HashMap::new() }
    }

    /// The callable of an id of this table.
    pub(super) fn get(&self, id: CallableId) -> &Callable {
        &self.callables[id.0 as usize]
    }

    /// Every callable, by id.
    pub(super) fn all(&self) -> &[Callable] {
        &self.callables
    }

    /// All callables, by id.
    pub(super) fn into_callables(self) -> Vec<Callable> {
        self.callables
    }

    /// What the bytecode of the method tells; see [`Hints`].
    pub(super) fn hints(&mut self, class: &ClassModel, method: &MethodModel) -> Hints {
        self.analysis.hints(class, method)
    }

    /// The id of the method of `class`, called on `owner`: the class itself, or a subtype that
    /// inherits the method.
    pub(super) fn intern(&mut self, class: &ClassModel, method: &MethodModel, owner: &ClassName) -> CallableId {
        let kind = if method.is_constructor() {
            CallableKind::Constructor
        } else if method.is_static() {
            CallableKind::Static
        } else {
            CallableKind::Instance
        };
        // Where the owner has a bridge of this descriptor, source that names the owner means
        // another method (JLS §15.12.4.5).
        let is_bridged = *owner != class.name
            && self
                .program
                .resolve_method(owner, method.name(), &method.reference.descriptor)
                .is_some_and(|resolved| resolved.method().access.is_synthetic());
        let owner = if is_bridged { &class.name } else { owner };
        let reference = MethodRef { owner: owner.clone(), ..method.reference.clone() };
        if let Some(&id) = self.ids.get(&(reference.clone(), kind)) {
            return id;
        }
        let id = CallableId(u32::try_from(self.callables.len()).expect("fewer callables than class file members"));
        let names = class.parameter_names(method).to_vec();
        let mut parameters: Vec<Parameter> = method
            .parameters
            .iter()
            .zip(&method.signature.arguments)
            .zip(names)
            .map(|((ty, generic), name)| Parameter { ty: ty.clone(), generic: generic.clone(), name })
            .collect();
        if can_suspend(self.program, method) {
            parameters.pop();
        }
        let (returns, generic_returns) = match kind {
            CallableKind::Constructor => (class.ty(), class.generic_type()),
            _ => (method.returns.clone(), method.signature.returns.clone()),
        };
        self.callables.push(Callable {
            kind,
            method: reference.clone(),
            interface: self.program.class(owner).is_some_and(|owner| owner.is_interface()),
            declared_in: class.name.clone(),
            parameters,
            returns,
            generic_returns,
            type_parameters: type_parameters(self.program, class, method),
            exceptions: method.exceptions.clone(),
            varargs: method.access.is_varargs(),
            project: class.origin == ClassOrigin::Project,
            hints: self.analysis.hints(class, method),
            constants: self.analysis.constants(class, method),
        });
        self.ids.insert((reference, kind), id);
        id
    }
}

/// The method's own variables, then those of the class and, for inner classes, of the enclosing
/// classes.
fn type_parameters(program: &Program, class: &ClassModel, method: &MethodModel) -> Vec<TypeParameter> {
    let mut parameters = method.signature.parameters.clone();
    if method.is_static() {
        return parameters;
    }
    parameters.extend(class.signature.parameters.iter().cloned());
    let mut inner = class.is_inner().then(|| class.enclosing().cloned()).flatten();
    while let Some(enclosing) = inner.and_then(|name| program.class(&name)) {
        parameters.extend(enclosing.signature.parameters.iter().cloned());
        inner = enclosing.is_inner().then(|| enclosing.enclosing().cloned()).flatten();
    }
    parameters
}
