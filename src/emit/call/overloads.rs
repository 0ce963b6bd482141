//! The members that javac considers for a call (JLS §15.12.2.1), and whether they are applicable.
//! In: the program model, a method; out: candidates.

use std::collections::BTreeMap;

use crate::oracle::Accessibility;
use crate::program::generics::{Substitution, TypeParameter, Wildcard};
use crate::program::{ClassModel, ClassName, GenericType, JavaType, MethodModel, MethodRef, Program};

use super::conversion::{Conversion, accepts, convert};

/// A member that javac considers.
#[derive(Debug)]
pub(super) struct Candidate {
    /// Erased.
    pub(super) parameters: Vec<JavaType>,
    /// See [`inherited_parameters`]; those of the form with single arguments are as declared.
    pub(super) inherited: Vec<JavaType>,
    /// As declared, not the form of a varargs member that takes single arguments (phase 3 of JLS
    /// §15.12.2).
    fixed: bool,
    variables: Vec<TypeParameter>,
    generic: Vec<GenericType>,
}

/// Every accessible member of that name with as many parameters, varargs members also in the form
/// with single arguments.
pub(super) fn candidates(access: &Accessibility<'_>, method: &MethodRef, receiver: Option<&GenericType>) -> Vec<Candidate> {
    // A project may compile for an old release with the library of a new JDK.
    let access = access.clone().for_every_release();
    let program = access.program();
    let object = ClassName::new("java/lang/Object");
    let start = match receiver {
        Some(GenericType::Class { name, .. }) => name.clone(),
        Some(_) => object.clone(),
        None => method.owner.clone(),
    };
    let mut classes: Vec<ClassName> = vec![start.clone()];
    if &*method.name != "<init>" {
        classes.extend(program.superclass_chain(&start).iter().skip(1).map(|class| class.name.clone()));
        classes.extend(program.all_interfaces(&start));
        classes.push(object);
    }
    let mut found: Vec<(ClassName, Candidate)> = Vec::new();
    let arity = method.parameters().len();
    for class in classes.iter().filter_map(|class| program.class(class)) {
        for candidate in class.methods.iter().filter(|candidate| candidate.reference.name == method.name) {
            if candidate.access.is_synthetic() || candidate.access.is_private() || !access.can_use_method(candidate) {
                continue;
            }
            let parameters = &candidate.parameters;
            let fixed = (parameters.len() == arity).then(|| parameters.clone());
            let spread = match parameters.split_last() {
                Some((JavaType::Array(element), front)) if candidate.access.is_varargs() && arity >= front.len() => {
                    let mut spread = front.to_vec();
                    spread.resize(arity, (**element).clone());
                    Some(spread)
                }
                _ => None,
            };
            // The called member itself is no rival of its own other form.
            let spread = spread.filter(|_| candidate.reference.descriptor != method.descriptor);
            for (parameters, fixed) in fixed.map(|fixed| (fixed, true)).into_iter().chain(spread.map(|spread| (spread, false))) {
                let inherited = match fixed {
                    true => inherited_parameters(program, &start, &class, candidate),
                    false => parameters.clone(),
                };
                // The nearest declaration stands for those that it overrides.
                let is_known = |(declaring, known): &(ClassName, Candidate)| {
                    known.parameters == parameters || *declaring != class.name && known.inherited == inherited
                };
                if !found.iter().any(is_known) {
                    let candidate = Candidate {
                        parameters,
                        inherited,
                        fixed,
                        variables: candidate.signature.parameters.clone(),
                        generic: candidate.signature.arguments.clone(),
                    };
                    found.push((class.name.clone(), candidate));
                }
            }
        }
    }
    let mut found: Vec<Candidate> = found.into_iter().map(|(_, candidate)| candidate).collect();
    found.sort_by_cached_key(|candidate| candidate.parameters.iter().map(JavaType::descriptor).collect::<String>());
    found
}

/// Whether the class has another member of that name with this number of parameters. javac would take it instead of a
/// varargs member with so many single arguments (JLS §15.12.2).
pub(crate) fn has_rival_with_arity(program: &Program, method: &MethodRef, arity: usize) -> bool {
    let is_rival = |other: &MethodModel| {
        let other = &other.reference;
        other.name == method.name && other.descriptor != method.descriptor && other.parameters().len() == arity
    };
    program.superclass_chain(&method.owner).iter().any(|class| class.methods.iter().any(is_rival))
}

/// The erased parameters that a method of a supertype has as a member of the class (JLS §8.4.2):
/// `accept(T)` of a `Consumer<String>` is `accept(String)`. A method of the class with these
/// parameters overrides it, so that the class has one such method.
pub(crate) fn inherited_parameters(
    program: &Program,
    class: &ClassName,
    declaring: &ClassModel,
    method: &MethodModel,
) -> Vec<JavaType> {
    let instance = program.class(class).and_then(|model| {
        let instance = program.as_super(&model.generic_type(), &declaring.name)?;
        let scope = [&method.signature.parameters[..], &model.signature.parameters].concat();
        Some((Substitution::of(&declaring.signature.parameters, instance.arguments()), scope))
    });
    match instance {
        Some((bound, scope)) if method.signature.arguments.len() == method.parameters.len() => {
            method.signature.arguments.iter().map(|argument| argument.substitute(&bound).erase(&scope)).collect()
        }
        _ => method.parameters.clone(),
    }
}

/// Whether the candidate, with its erased parameters, takes values of these types in phase 1 of JLS
/// §15.12.2.2.
pub(super) fn accepts_fixed(program: &Program, candidate: &Candidate, types: &[Option<JavaType>]) -> bool {
    candidate.fixed && candidate.parameters.iter().zip(types).all(|(parameter, ty)| accepts(program, parameter, ty.as_ref()))
}

/// Whether a generic member takes values of these types: its type variables must have instances
/// that do. Given the parameter types of another member, this says whether that member is more
/// specific (JLS §15.12.2.5).
pub(super) fn is_applicable_generic<'b>(
    program: &Program,
    types: impl Iterator<Item = &'b GenericType>,
    candidate: &Candidate,
) -> bool {
    let mut bounds = InferenceBounds::default();
    types.zip(&candidate.generic).all(|(ours, theirs)| bounds.add_subtype(program, ours, theirs, &candidate.variables))
        && bounds.are_consistent(program)
}

/// Bounds of type variables during inference (JLS §18.1.3), by the names of the variables.
#[derive(Debug, Default)]
struct InferenceBounds {
    equal: BTreeMap<String, Vec<GenericType>>,
    lower: BTreeMap<String, Vec<GenericType>>,
}

impl InferenceBounds {
    /// Reduces `ours <: theirs` to bounds of the free variables (JLS §18.2.3). Returns false where
    /// no bounds make it true; what is not looked into counts as true.
    fn add_subtype(&mut self, program: &Program, ours: &GenericType, theirs: &GenericType, free: &[TypeParameter]) -> bool {
        let is_free = |name: &str| free.iter().any(|variable| &*variable.name == name);
        match theirs {
            GenericType::Variable(name) if is_free(name) => {
                self.lower.entry(name.to_string()).or_default().push(ours.clone());
                true
            }
            GenericType::Array(theirs) => match ours {
                GenericType::Array(ours) => self.add_subtype(program, ours, theirs, free),
                _ => true,
            },
            GenericType::Class { name, arguments, .. } => {
                let Some(found) = program.as_super(ours, name) else { return true };
                found.arguments().iter().zip(arguments).all(|(found, wanted)| match wanted {
                    GenericType::Variable(name) if is_free(name) => {
                        self.equal.entry(name.to_string()).or_default().push(found.clone());
                        true
                    }
                    GenericType::Wildcard(Wildcard::Extends(bound)) => {
                        let found = match found {
                            GenericType::Wildcard(wildcard) => wildcard.upper(),
                            other => other.clone(),
                        };
                        self.add_subtype(program, &found, bound, free)
                    }
                    // Upper bounds are not collected.
                    GenericType::Wildcard(_) => true,
                    fixed => !fixed.variables().is_empty() || !found.variables().is_empty() || found == fixed,
                })
            }
            _ => true,
        }
    }

    /// Whether every variable has at most one equal bound, and lower bounds that convert to it.
    fn are_consistent(&self, program: &Program) -> bool {
        self.equal.iter().all(|(variable, equal)| {
            let lower = self.lower.get(variable).map_or(&[][..], Vec::as_slice);
            equal.iter().all(|ty| *ty == equal[0])
                && lower.iter().all(|ty| {
                    *ty == equal[0] || equal[0] == GenericType::object() || convert(program, ty, &equal[0]) == Conversion::Checked
                })
        })
    }
}
