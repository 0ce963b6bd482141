//! The generic types that the uses of a variable want. Flows in: statements, the program; flows out:
//! types. Must not know what is done where a value does not fit.

use super::{AnswerOutcome, StatementKind, VarId};
use crate::program::generics::Substitution;
use crate::program::{GenericType, Program};

/// As [`declared_types`], without those that have type variables.
pub(crate) fn wanted_types<'a>(
    program: &Program,
    statements: impl IntoIterator<Item = &'a StatementKind>,
    variable: VarId,
) -> Vec<GenericType> {
    let mut found = declared_types(program, statements, variable);
    found.retain(|ty| ty.variables().is_empty());
    found
}

/// The types of the parameters that the variable is passed to, of the fields that it is stored in, and of the results
/// of stubbed methods that return it.
pub(crate) fn declared_types<'a>(
    program: &Program,
    statements: impl IntoIterator<Item = &'a StatementKind>,
    variable: VarId,
) -> Vec<GenericType> {
    let mut found = Vec::new();
    for statement in statements {
        match statement {
            StatementKind::Construct { constructor: method, args } | StatementKind::Call { method, args, .. } => {
                for (position, _) in args.iter().enumerate().filter(|(_, arg)| **arg == variable) {
                    let resolved = program.resolve(method);
                    found.extend(resolved.and_then(|found| found.method().signature.arguments.get(position).cloned()));
                }
            }
            StatementKind::PutField { field, value, .. } if *value == variable => {
                found.extend(program.resolve_field_ref(field).map(|found| found.field().generic.clone()));
            }
            StatementKind::Stub { class, answers, .. } => {
                for answer in answers.iter().filter(|answer| answer.outcomes.contains(&AnswerOutcome::Returns(variable))) {
                    let Some(resolved) = program.resolve(&answer.method) else { continue };
                    let instance = program.as_super(&GenericType::class(class.clone()), &resolved.class.name);
                    let arguments = instance.as_ref().map_or(&[][..], GenericType::arguments);
                    let bound = Substitution::of(&resolved.class.signature.parameters, arguments);
                    found.push(resolved.method().signature.returns.substitute(&bound));
                }
            }
            _ => {}
        }
    }
    found
}
