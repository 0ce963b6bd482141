//! The types of one use of a callable: its type variables are replaced by arguments of the
//! receiver, arguments of the wanted type, or candidates that the caller picks. Inference follows
//! JLS §18 only as far as the search needs it.

use super::{Binding, Callable, CallableKind, Cluster};
use crate::program::generics::{Substitution, TypeParameter};
use crate::program::{GenericType, JavaType, Program};

impl Cluster {
    /// The types of one use of a callable. `receiver` is the receiver's type as far as it is known,
    /// `wanted` the type that its value is for. For each type variable that neither fixes, `pick`
    /// gets at least one candidate and returns an index.
    pub fn bind(
        &self,
        callable: &Callable,
        receiver: Option<&GenericType>,
        wanted: Option<&GenericType>,
        pick: &mut dyn FnMut(&[GenericType]) -> usize,
    ) -> Binding {
        let program = &self.program;
        let scope = &callable.type_parameters;
        let mut substitution = Substitution::default();
        if let (CallableKind::Instance, Some(receiver)) = (callable.kind, receiver)
            && let Some(class) = program.class(&callable.declared_in)
            && let Some(seen) = program.as_super(receiver, &callable.declared_in)
        {
            substitution.match_against(&class.generic_type(), &seen);
        }
        if let Some(wanted) = wanted {
            match wanted.class_name() {
                Some(name) if !matches!(callable.generic_returns, GenericType::Variable(_)) => {
                    if let Some(seen) = program.as_super(&callable.generic_returns, name) {
                        substitution.match_against(&seen, wanted);
                    }
                }
                _ => substitution.match_against(&callable.generic_returns, wanted),
            }
        }
        for parameter in scope {
            let used = |ty: &GenericType| ty.variables().contains(&parameter.name);
            let needed = callable.parameters.iter().any(|parameter| used(&parameter.generic)) || used(&callable.generic_returns);
            if !needed || substitution.get(&parameter.name).is_some() {
                continue;
            }
            let mut found = type_variable_candidates(program, parameter, scope);
            let index = pick(&found).min(found.len() - 1);
            substitution.bind(&parameter.name, found.swap_remove(index));
        }
        let resolve = |ty: &GenericType| ty.substitute(&substitution).resolve(scope);
        Binding {
            parameters: callable.parameters.iter().map(|parameter| resolve(&parameter.generic)).collect(),
            returns: resolve(&callable.generic_returns),
        }
    }
}

/// The types that a type variable may stand for: well-known types within its bounds, then the bound
/// itself. Never empty; no candidate has type variables.
pub(super) fn type_variable_candidates(
    program: &Program,
    parameter: &TypeParameter,
    scope: &[TypeParameter],
) -> Vec<GenericType> {
    let bounds: Vec<JavaType> = parameter.bounds.iter().map(|bound| bound.erase(scope)).collect();
    let is_enum = bounds.contains(&JavaType::class("java/lang/Enum"));
    let mut well_known = vec![JavaType::class("java/lang/String"), JavaType::class("java/lang/Integer")];
    if is_enum {
        well_known.push(JavaType::class("java/util/concurrent/TimeUnit"));
    }
    let mut found: Vec<GenericType> =
        well_known.iter().filter(|ty| bounds.iter().all(|bound| program.is_subtype(ty, bound))).map(GenericType::of).collect();
    let bound = GenericType::Variable(parameter.name.clone()).resolve(scope);
    // `Comparable` alone would let two values of different types meet in one comparison.
    let is_vague = bound.class_name().is_some_and(|name| matches!(name.internal(), "java/lang/Comparable" | "java/lang/Enum"));
    if !is_vague || found.is_empty() {
        found.push(bound);
    }
    found
}
