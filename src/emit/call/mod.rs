//! Predicts how javac resolves a call: the members that it chooses from, and generic parameter
//! types. Finds the casts with which it chooses the recorded member (JLS §15.12.2, conservatively).
//! In: the program model, static types of arguments; out: a [`CallPlan`]. Must not know how
//! expressions are written.

mod conversion;
mod overloads;

use crate::oracle::Accessibility;
use crate::program::generics::{MethodSignature, Substitution, TypeParameter};
use crate::program::{ClassName, GenericType, JavaType, MethodRef, Program, ResolvedMethod};

use super::Unprintable;

pub(crate) use conversion::{Conversion, convert, mentions_raw};
pub(crate) use overloads::{has_rival_with_arity, inherited_parameters};

use conversion::{accepts, boxed, convert_argument, is_raw, mentions_any};
use overloads::{Candidate, accepts_fixed, candidates, is_applicable_generic};

/// The static type of an expression; `None` is the null type.
pub(crate) type Static = Option<GenericType>;

/// How an argument is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Adapt {
    /// As it is.
    Plain,
    /// With a cast to the parameter's erased type.
    Cast,
    /// Its type arguments do not fit. Without them, or through a raw cast, an unchecked conversion
    /// does (JLS §5.1.9).
    Raw,
    /// The parameter's type, as the receiver's type arguments make it, excludes the argument. The
    /// receiver has to be raw.
    RawReceiver,
}

/// A call as javac sees it.
#[derive(Debug)]
pub(crate) struct CallPlan {
    /// One an argument.
    pub(crate) arguments: Vec<Adapt>,
    /// Static type of the call.
    pub(crate) returns: GenericType,
    /// javac infers the type of the result from its context: the call must not be an argument of an
    /// overloaded assertion.
    pub(crate) inferred: bool,
    /// Declared exceptions, erased.
    pub(crate) exceptions: Vec<ClassName>,
    pub(crate) varargs: bool,
    /// No other member of that name can take as many arguments.
    pub(crate) alone: bool,
    /// For each parameter, whether its argument is a box for which a primitive value may stand: javac boxes the
    /// value (JLS §5.3), and no other member takes either.
    pub(crate) boxes: Vec<bool>,
}

/// Plans the call of `method` on a receiver of this static type (`None`: a static call or a
/// constructor). All parameters have arguments, the continuation too. `constructed`: the type that a
/// constructor creates, with its type arguments.
///
/// # Errors
/// `InaccessibleMember` and `InaccessibleType` for a member or parameter type that javac cannot use
/// from the test, `Ambiguous` where no cast selects the member, `Malformed` for a missing method or
/// a wrong number of arguments.
pub(crate) fn plan_call(
    access: &Accessibility<'_>,
    method: &MethodRef,
    receiver: Option<&GenericType>,
    constructed: Option<&GenericType>,
    arguments: &[Static],
) -> Result<CallPlan, Unprintable> {
    let program = access.program();
    let resolved = program.resolve(method).ok_or_else(|| Unprintable::Malformed(format!("{method} does not exist")))?;
    check_usable(access, method, &resolved, arguments.len())?;
    let model = resolved.method();
    let view = MemberView::of(program, &resolved, receiver.or(constructed));

    let candidates = candidates(access, method, receiver);
    let start = receiver.and_then(GenericType::class_name).unwrap_or(&method.owner);
    let inherited = inherited_parameters(program, start, &resolved.class, model);
    let is_other = |other: &&Candidate| other.parameters != model.parameters && other.inherited != inherited;
    let others: Vec<&Candidate> = candidates.iter().filter(is_other).collect();
    let mut adapted = AdaptedArguments::new(program, &model.parameters, arguments);
    adapted.resolve_overloads(&others);
    if view.has_type_arguments {
        adapted.resolve_generic_overloads(&others, &model.signature, method)?;
    }
    check_readable(program, &candidates)?;
    // `f(null)` for `f(Object...)` passes a null array; javac wants the cast.
    if model.access.is_varargs()
        && let (Some(adapt), Some(None)) = (adapted.adapt.last_mut(), adapted.types.last())
    {
        *adapt = Adapt::Cast;
    }
    let unchecked = adapted.fit_generic_parameters(&view);
    // A signature leaves out what the compiler adds.
    let has_all = view.signature.arguments.len() == model.parameters.len();
    let erased = || model.parameters.iter().map(GenericType::of).collect();
    let taken: Vec<GenericType> = if has_all { view.signature.arguments.clone() } else { erased() };
    let boxes = boxing_parameters(program, &taken, arguments, &others);

    let own: Vec<GenericType> = view.scope.iter().map(|parameter| GenericType::Variable(parameter.name.clone())).collect();
    let inferred = mentions_any(&view.signature.returns, &own);
    let is_exact = !unchecked
        && !inferred
        && view.signature.returns.variables().is_empty()
        && !matches!(view.signature.returns, GenericType::Wildcard(_));
    let returns = match is_exact {
        true => view.signature.returns,
        // After an unchecked conversion the result is the erasure of what it would be (JLS
        // §15.12.2.6).
        false if unchecked && !inferred => GenericType::of(&view.signature.returns.erase(&view.scope)),
        false => GenericType::of(&model.returns),
    };
    Ok(CallPlan {
        arguments: adapted.adapt,
        returns,
        inferred,
        exceptions: model.exceptions.clone(),
        varargs: model.access.is_varargs(),
        alone: others.is_empty(),
        boxes,
    })
}

impl CallPlan {
    /// Whether no argument has a cast or another type than javac expects.
    pub(crate) fn is_plain(&self) -> bool {
        self.arguments.iter().all(|adapt| *adapt == Adapt::Plain)
    }
}

/// For each parameter, whether its argument is a box that only the called member takes, by itself or by the type
/// arguments of the receiver. A primitive argument moves the choice of the member to phase 2 (JLS
/// §15.12.2.3), where more members may be applicable.
fn boxing_parameters(program: &Program, parameters: &[GenericType], arguments: &[Static], others: &[&Candidate]) -> Vec<bool> {
    let boxes = |(index, (parameter, argument)): (usize, (&GenericType, &Static))| {
        let Some(argument) = argument.as_ref().map(|argument| argument.erase(&[])) else { return false };
        let JavaType::Class(class) = &argument else { return false };
        let Some(primitive) = JavaType::unboxed(class) else { return false };
        let takes = |other: &&Candidate, ty: &JavaType| accepts(program, &other.parameters[index], Some(ty));
        accepts(program, &parameter.erase(&[]), Some(&argument))
            && !others.iter().any(|other| takes(other, &primitive) || takes(other, &argument))
    };
    parameters.iter().zip(arguments).enumerate().map(boxes).collect()
}

/// A type for the result of a generic method that javac accepts for the call (JLS §18.5.2): its type
/// parameters are what the result is wanted as, else what the arguments are, else `Object`. `None`
/// where the result has no type arguments, or an argument excludes the type.
pub(crate) fn infer_result(
    program: &Program,
    method: &MethodRef,
    receiver: Option<&GenericType>,
    arguments: &[Static],
    wanted: &[GenericType],
) -> Option<GenericType> {
    let resolved = program.resolve(method)?;
    let MemberView { signature, scope, .. } = MemberView::of(program, &resolved, receiver);
    if signature.returns.arguments().is_empty() {
        return None;
    }
    let mut inferred = Substitution::default();
    for ty in wanted {
        if let Some(declared) = ty.class_name().and_then(|name| program.as_super(&signature.returns, name)) {
            inferred.match_against(&declared, ty);
        }
    }
    let typed = || signature.arguments.iter().zip(arguments).filter_map(|(parameter, ty)| Some((parameter, ty.as_ref()?)));
    // A `Comparator<T>` determines `T`. A value may have a subtype of `T`.
    let (exact, others): (Vec<_>, Vec<_>) = typed().partition(|(parameter, _)| parameter.class_name().is_some());
    for (parameter, ty) in exact {
        let found = parameter.class_name().and_then(|name| program.as_super(ty, name));
        found.into_iter().for_each(|found| inferred.match_against(parameter, &found));
    }
    for (parameter, ty) in others {
        inferred.match_against(parameter, &boxed(ty));
    }
    for parameter in &scope {
        if inferred.get(&parameter.name).is_none() {
            inferred.bind(&parameter.name, GenericType::object());
        }
    }
    if !satisfies_bounds(program, &scope, &inferred) {
        return None;
    }
    let fits = |(parameter, ty): (&GenericType, &GenericType)| {
        let wanted = parameter.substitute(&inferred);
        let from = if wanted.class_name().is_some() { boxed(ty) } else { ty.clone() };
        convert(program, &from, &wanted) == Conversion::Checked
    };
    typed().all(fits).then(|| signature.returns.substitute(&inferred))
}

/// Whether the types of the parameters are within their bounds, which may mention the parameters: `T extends
/// Comparable<T>`.
pub(crate) fn satisfies_bounds(program: &Program, parameters: &[TypeParameter], types: &Substitution) -> bool {
    parameters.iter().all(|parameter| {
        let is_within = |ty: &GenericType| {
            parameter.bounds.iter().all(|bound| convert(program, ty, &bound.substitute(types)) == Conversion::Checked)
        };
        types.get(&parameter.name).is_some_and(is_within)
    })
}

/// Whether the test can call the method at all, with this number of arguments.
fn check_usable(
    access: &Accessibility<'_>,
    method: &MethodRef,
    resolved: &ResolvedMethod,
    count: usize,
) -> Result<(), Unprintable> {
    let model = resolved.method();
    if !access.can_use_method(model) || model.access.is_synthetic() {
        return Err(Unprintable::InaccessibleMember(method.to_string()));
    }
    if let Some(missing) = model.exceptions.iter().find(|exception| access.program().class(exception).is_none()) {
        return Err(Unprintable::InaccessibleType(missing.to_string()));
    }
    if method.parameters().len() != count {
        return Err(Unprintable::Malformed(format!("{method} called with {count} arguments")));
    }
    Ok(())
}

/// javac reads the parameter types of every member that it considers.
fn check_readable(program: &Program, candidates: &[Candidate]) -> Result<(), Unprintable> {
    let is_readable = |ty: &&JavaType| match innermost_erased(ty) {
        JavaType::Class(name) => program.class(name).is_some(),
        _ => true,
    };
    match candidates.iter().flat_map(|candidate| &candidate.parameters).find(|ty| !is_readable(ty)) {
        Some(missing) => Err(Unprintable::InaccessibleType(missing.to_string())),
        None => Ok(()),
    }
}

fn innermost_erased(ty: &JavaType) -> &JavaType {
    match ty {
        JavaType::Array(element) => innermost_erased(element),
        other => other,
    }
}

/// The signature of a member as the type arguments of its receiver make it.
struct MemberView {
    signature: MethodSignature,
    /// Type parameters of the member itself, which javac infers.
    scope: Vec<TypeParameter>,
    /// Something other than the erasure of the signature is left: the receiver is not raw (JLS
    /// §4.8).
    has_type_arguments: bool,
}

impl MemberView {
    fn of(program: &Program, resolved: &ResolvedMethod, instance: Option<&GenericType>) -> MemberView {
        let model = resolved.method();
        let class = &resolved.class;
        let erased = || MethodSignature::erased(&model.parameters, &model.returns, &[]);
        let substitution = match instance {
            None => Some(Substitution::default()),
            Some(instance) if class.signature.parameters.is_empty() => {
                let is_erased = is_raw(program, instance) && !model.is_static();
                (!is_erased).then(Substitution::default)
            }
            Some(instance) => program
                .as_super(instance, &class.name)
                .filter(|instance| !instance.arguments().is_empty())
                .map(|instance| Substitution::of(&class.signature.parameters, instance.arguments())),
        };
        let Some(substitution) = substitution else {
            return MemberView { signature: erased(), scope: Vec::new(), has_type_arguments: false };
        };
        let is_wild = instance.is_some_and(|instance| instance.arguments().iter().any(|a| matches!(a, GenericType::Wildcard(_))));
        let declared = &model.signature;
        let returns = if is_wild && mentions_any(&declared.returns, class.generic_type().arguments()) {
            GenericType::of(&model.returns)
        } else {
            declared.returns.substitute(&substitution)
        };
        let signature = MethodSignature {
            parameters: declared.parameters.clone(),
            arguments: declared.arguments.iter().map(|argument| argument.substitute(&substitution)).collect(),
            returns,
            throws: Vec::new(),
        };
        // An unbound variable belongs to an enclosing generic class, whose inner class is written
        // raw.
        let scope = declared.parameters.clone();
        let is_bound = |ty: &GenericType| ty.variables().iter().all(|name| scope.iter().any(|own| own.name == *name));
        if signature.arguments.iter().chain([&signature.returns]).all(is_bound) {
            MemberView { signature, scope, has_type_arguments: true }
        } else {
            MemberView { signature: erased(), scope: Vec::new(), has_type_arguments: true }
        }
    }
}

/// The arguments with the casts found so far.
struct AdaptedArguments<'a> {
    program: &'a Program,
    parameters: &'a [JavaType],
    arguments: &'a [Static],
    adapt: Vec<Adapt>,
    /// Erased static types with the casts applied; `None` is the null type.
    types: Vec<Option<JavaType>>,
}

impl<'a> AdaptedArguments<'a> {
    fn new(program: &'a Program, parameters: &'a [JavaType], arguments: &'a [Static]) -> AdaptedArguments<'a> {
        let mut adapted = AdaptedArguments { program, parameters, arguments, adapt: Vec::new(), types: Vec::new() };
        for (argument, parameter) in arguments.iter().zip(parameters) {
            let ty = argument.as_ref().map(|ty| ty.erase(&[]));
            let fits = accepts(program, parameter, ty.as_ref());
            adapted.adapt.push(if fits { Adapt::Plain } else { Adapt::Cast });
            adapted.types.push(if fits { ty } else { Some(parameter.clone()) });
        }
        adapted
    }

    /// Casts every argument that has another type than its parameter.
    fn cast_all(&mut self) {
        for ((ty, adapt), parameter) in self.types.iter_mut().zip(&mut self.adapt).zip(self.parameters) {
            if ty.as_ref() != Some(parameter) {
                *adapt = Adapt::Cast;
                *ty = Some(parameter.clone());
            }
        }
    }

    /// Casts where another member takes the arguments too and the called one is not more specific
    /// (JLS §15.12.2.5).
    fn resolve_overloads(&mut self, others: &[&Candidate]) {
        let program = self.program;
        let is_more_specific = |other: &Candidate| {
            self.parameters.iter().zip(&other.parameters).all(|(ours, theirs)| accepts(program, theirs, Some(ours)))
        };
        let is_ambiguous = others.iter().any(|other| accepts_fixed(program, other, &self.types) && !is_more_specific(other));
        if is_ambiguous {
            self.cast_all();
        }
    }

    /// `f(Map<K, V>, V)` beside `f(Map<K, V>, Supplier<V>)`: once the map binds `V`, neither is
    /// more specific. Casts help only where the exact types, which a cast null has, make the other
    /// member inapplicable.
    fn resolve_generic_overloads(
        &mut self,
        others: &[&Candidate],
        signature: &MethodSignature,
        method: &MethodRef,
    ) -> Result<(), Unprintable> {
        let program = self.program;
        let is_rival = |other: &&&Candidate| {
            accepts_fixed(program, other, &self.types) && !is_applicable_generic(program, signature.arguments.iter(), other)
        };
        let rivals: Vec<&&Candidate> = others.iter().filter(is_rival).collect();
        if rivals.is_empty() {
            return Ok(());
        }
        self.cast_all();
        let exact: Vec<GenericType> = self
            .arguments
            .iter()
            .zip(&self.adapt)
            .zip(self.parameters)
            .map(|((argument, adapt), parameter)| match argument {
                Some(argument) if *adapt == Adapt::Plain => argument.clone(),
                _ => GenericType::of(parameter),
            })
            .collect();
        let still_applies = |other: &&&Candidate| {
            accepts_fixed(program, other, &self.types) && is_applicable_generic(program, exact.iter(), other)
        };
        match rivals.iter().any(still_applies) {
            true => Err(Unprintable::Ambiguous(method.to_string())),
            false => Ok(()),
        }
    }

    /// Adapts the arguments to the generic parameter types. Returns whether the call needs an
    /// unchecked conversion, so that its result has an erased type (JLS §15.12.2.6).
    fn fit_generic_parameters(&mut self, view: &MemberView) -> bool {
        let MemberView { signature, scope, .. } = view;
        let mut unchecked = false;
        for (index, argument) in self.arguments.iter().enumerate() {
            let Some(argument) = argument else { continue };
            let is_cast = self.adapt[index] == Adapt::Cast;
            let argument = if is_cast { GenericType::of(&self.parameters[index]) } else { argument.clone() };
            match convert_argument(self.program, signature, scope, index, &argument, self.arguments) {
                Conversion::Checked => {}
                Conversion::Unchecked => unchecked = true,
                Conversion::None => {
                    unchecked = true;
                    let to = signature.arguments[index].erase(scope);
                    let fits_erased = self.program.is_subtype(&argument.erase(&[]), &to);
                    let is_plain = is_cast || !conversion::has_type_arguments(&argument);
                    self.adapt[index] = match is_plain {
                        true if fits_erased && to == self.parameters[index] => Adapt::Cast,
                        false if fits_erased => Adapt::Raw,
                        _ => Adapt::RawReceiver,
                    };
                }
            }
        }
        unchecked
    }
}

#[cfg(test)]
mod tests;
