//! The types of one use of a callable: type variables replaced by what the receiver, the wanted value or a choice says.

use super::build::candidates;
use super::{Binding, Callable, CallableKind, Cluster};
use crate::program::GenericType;
use crate::program::generics::Substitution;

impl Cluster {
    /// The types of one use of a callable. `receiver`: the receiver's type as far as it is known; `wanted`: the type its value is
    /// for. A type variable that neither fixes is given to `pick`, which takes one of the candidates (at least one) by index.
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
            let mut found = candidates(program, parameter, scope);
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
