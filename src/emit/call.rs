//! What javac makes of a call: the members it chooses from, generic parameter types, what has to be cast so that it chooses the recorded
//! one (JLS §15.12.2, conservatively). In: the program model, static types of arguments; out: a plan for printing.

use std::collections::BTreeMap;

use crate::oracle::Accessibility;
use crate::program::generics::{MethodSignature, Substitution, TypeParameter, Wildcard};
use crate::program::{ClassName, GenericType, JavaType, MethodRef, Program};

use super::Unprintable;

/// The static type of an expression; `None` is the null type.
pub(crate) type Static = Option<GenericType>;

/// How an argument is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Adapt {
    Plain,
    /// With a cast to the parameter's erased type.
    Cast,
    /// Its static type has type arguments that do not fit: without them (or through a raw cast) an unchecked conversion does.
    Raw,
    /// The parameter's type, as the receiver's type arguments have it, does not take it: the receiver has to be raw.
    RawReceiver,
}

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) arguments: Vec<Adapt>,
    /// Static type of the call.
    pub(crate) returns: GenericType,
    /// The result's type is inferred from its context: not to be written inside an overloaded assertion.
    pub(crate) inferred: bool,
    /// Declared exceptions, erased.
    pub(crate) exceptions: Vec<ClassName>,
    pub(crate) varargs: bool,
    /// No other member of that name can take as many arguments.
    pub(crate) alone: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Checked,
    Unchecked,
    No,
}

/// Plans the call of `method` on a receiver of this static type (`None`: static call or constructor). `type_arguments`: of the
/// class that a constructor creates.
pub(crate) fn plan(
    reach: &Accessibility<'_>,
    method: &MethodRef,
    receiver: Option<&GenericType>,
    constructed: Option<&GenericType>,
    arguments: &[Static],
) -> Result<Plan, Unprintable> {
    let program = reach.program();
    let resolved = program.resolve(method).ok_or_else(|| Unprintable::Malformed(format!("{method} does not exist")))?;
    let model = resolved.method();
    if !reach.method(model) || model.access.is_synthetic() {
        return Err(Unprintable::InaccessibleMember(method.to_string()));
    }
    if let Some(missing) = model.exceptions.iter().find(|exception| program.class(exception).is_none()) {
        return Err(Unprintable::InaccessibleType(missing.to_string()));
    }
    let parameters = method.parameters();
    if parameters.len() != arguments.len() {
        return Err(Unprintable::Malformed(format!("{method} called with {} arguments", arguments.len())));
    }

    // The signature as the receiver's type arguments have it; of a raw type nothing but the erasure is left (JLS §4.8).
    let declaring = resolved.class.generic_type();
    let instance = receiver.or(constructed);
    let substitution = match instance {
        None => Some(Substitution::default()),
        Some(instance) if resolved.class.signature.parameters.is_empty() => {
            let raw = is_raw(program, instance) && !model.is_static();
            (!raw).then(Substitution::default)
        }
        Some(instance) => program
            .as_super(instance, &resolved.class.name)
            .filter(|instance| !instance.arguments().is_empty())
            .map(|instance| Substitution::of(&resolved.class.signature.parameters, instance.arguments())),
    };
    let wild = instance.is_some_and(|instance| instance.arguments().iter().any(|a| matches!(a, GenericType::Wildcard(_))));
    let (signature, scope): (MethodSignature, Vec<TypeParameter>) = match &substitution {
        Some(substitution) => {
            let signature = &model.signature;
            let substituted = MethodSignature {
                parameters: signature.parameters.clone(),
                arguments: signature.arguments.iter().map(|argument| argument.substitute(substitution)).collect(),
                returns: if wild && mentions_any(&signature.returns, declaring.arguments()) {
                    GenericType::of(&model.returns)
                } else {
                    signature.returns.substitute(substitution)
                },
                throws: Vec::new(),
            };
            (substituted, signature.parameters.clone())
        }
        None => (MethodSignature::erased(&parameters, &model.returns, &[]), Vec::new()),
    };
    // What is still unbound belongs to an enclosing generic class, whose inner class is written raw.
    let bound = |ty: &GenericType| ty.variables().iter().all(|name| scope.iter().any(|variable| variable.name == *name));
    let (signature, scope) = if signature.arguments.iter().chain([&signature.returns]).all(bound) {
        (signature, scope)
    } else {
        (MethodSignature::erased(&parameters, &model.returns, &[]), Vec::new())
    };

    // Overloads: what else of that name could take these arguments without boxing.
    let candidates = candidates(reach, method, receiver);
    let others: Vec<&Candidate> = candidates.iter().filter(|other| other.parameters != parameters).collect();
    let mut types: Vec<Option<JavaType>> = arguments.iter().map(|ty| ty.as_ref().map(|ty| ty.erase(&[]))).collect();
    let mut adapt: Vec<Adapt> = types
        .iter()
        .zip(&parameters)
        .map(|(ty, parameter)| if accepts(program, parameter, ty.as_ref()) { Adapt::Plain } else { Adapt::Cast })
        .collect();
    for ((ty, adapt), parameter) in types.iter_mut().zip(&adapt).zip(&parameters) {
        if *adapt == Adapt::Cast {
            *ty = Some(parameter.clone());
        }
    }
    let takes = |other: &Candidate, types: &[Option<JavaType>]| {
        other.fixed && other.parameters.iter().zip(types).all(|(parameter, ty)| accepts(program, parameter, ty.as_ref()))
    };
    let ambiguous = others.iter().any(|other| {
        takes(other, &types)
            && !parameters.iter().zip(&other.parameters).all(|(ours, theirs)| accepts(program, theirs, Some(ours)))
    });
    if ambiguous {
        for ((ty, adapt), parameter) in types.iter_mut().zip(&mut adapt).zip(&parameters) {
            if ty.as_ref() != Some(parameter) {
                *adapt = Adapt::Cast;
                *ty = Some(parameter.clone());
            }
        }
    }
    // `f(Map<K, V>, V)` beside `f(Map<K, V>, Supplier<V>)`: with V bound by the map neither is more specific, and no cast helps.
    // Where the exact types (a cast null has one) keep the other from being applicable at all, they do help.
    let rivals: Vec<&&Candidate> = others
        .iter()
        .filter(|other| {
            substitution.is_some() && takes(other, &types) && !takes_generic(program, model.signature.arguments.iter(), other)
        })
        .collect();
    if !rivals.is_empty() {
        for ((ty, adapt), parameter) in types.iter_mut().zip(&mut adapt).zip(&parameters) {
            if ty.as_ref() != Some(parameter) {
                *adapt = Adapt::Cast;
                *ty = Some(parameter.clone());
            }
        }
        let exact: Vec<GenericType> = arguments
            .iter()
            .zip(&adapt)
            .zip(&parameters)
            .map(|((argument, adapt), parameter)| match argument {
                Some(argument) if *adapt == Adapt::Plain => argument.clone(),
                _ => GenericType::of(parameter),
            })
            .collect();
        if rivals.iter().any(|other| takes(other, &types) && takes_generic(program, exact.iter(), other)) {
            return Err(Unprintable::Ambiguous(method.to_string()));
        }
    }
    let readable = |ty: &JavaType| match innermost_erased(ty) {
        JavaType::Class(name) => program.class(name).is_some(),
        _ => true,
    };
    if let Some(missing) = candidates.iter().flat_map(|candidate| &candidate.parameters).find(|ty| !readable(ty)) {
        // javac reads the parameter types of every member that it considers.
        return Err(Unprintable::InaccessibleType(missing.to_string()));
    }
    // `f(null)` for `f(Object...)` is one null array; javac wants it said.
    if model.access.is_varargs()
        && let (Some(adapt), Some(None)) = (adapt.last_mut(), types.last())
    {
        *adapt = Adapt::Cast;
    }

    // Generic parameter types.
    let mut unchecked = false;
    for (index, argument) in arguments.iter().enumerate() {
        let Some(argument) = argument else { continue };
        let cast = adapt[index] == Adapt::Cast;
        let argument = if cast { GenericType::of(&parameters[index]) } else { argument.clone() };
        match fit_parameter(program, &signature, &scope, index, &argument, arguments) {
            Fit::Checked => {}
            Fit::Unchecked => unchecked = true,
            Fit::No => {
                unchecked = true;
                adapt[index] = if cast || !argument_is_generic(&argument) {
                    let to = signature.arguments[index].erase(&scope);
                    let erased = argument.erase(&[]);
                    if program.is_subtype(&erased, &to) && to == parameters[index] { Adapt::Cast } else { Adapt::RawReceiver }
                } else if program.is_subtype(&argument.erase(&[]), &signature.arguments[index].erase(&scope)) {
                    Adapt::Raw
                } else {
                    Adapt::RawReceiver
                };
            }
        }
    }
    let inferred = mentions_any(
        &signature.returns,
        &scope.iter().map(|parameter| GenericType::Variable(parameter.name.clone())).collect::<Vec<_>>(),
    );
    let returns = if unchecked || inferred { GenericType::of(&model.returns) } else { signature.returns };
    let returns = if returns.variables().is_empty() { returns } else { GenericType::of(&model.returns) };
    let returns = if let GenericType::Wildcard(_) = returns { GenericType::of(&model.returns) } else { returns };
    Ok(Plan {
        arguments: adapt,
        returns,
        inferred,
        exceptions: model.exceptions.clone(),
        varargs: model.access.is_varargs(),
        alone: others.is_empty(),
    })
}

/// A generic class without its type arguments.
pub(crate) fn is_raw(program: &Program, ty: &GenericType) -> bool {
    match ty {
        GenericType::Class { name, arguments, .. } => {
            arguments.is_empty() && program.class(name).is_some_and(|class| !class.signature.parameters.is_empty())
        }
        GenericType::Array(element) => is_raw(program, element),
        _ => false,
    }
}

/// Bounds other than `Object`, which javac writes out.
fn bounds(variable: &TypeParameter) -> impl Iterator<Item = &GenericType> {
    variable.bounds.iter().filter(|bound| **bound != GenericType::object())
}

fn argument_is_generic(ty: &GenericType) -> bool {
    match ty {
        GenericType::Class { arguments, .. } => !arguments.is_empty(),
        GenericType::Array(element) => argument_is_generic(element),
        _ => false,
    }
}

fn mentions_any(ty: &GenericType, variables: &[GenericType]) -> bool {
    ty.variables().iter().any(|name| variables.contains(&GenericType::Variable(name.clone())))
}

/// Phase 1 of JLS §15.12.2.2: subtyping and primitive widening, no boxing.
fn accepts(program: &Program, parameter: &JavaType, argument: Option<&JavaType>) -> bool {
    match argument {
        None => parameter.is_reference(),
        Some(argument) if argument.is_primitive() && parameter.is_primitive() => widens(argument, parameter),
        Some(argument) if argument.is_reference() && parameter.is_reference() => program.is_subtype(argument, parameter),
        Some(_) => false,
    }
}

/// Primitive subtyping (JLS §4.10.1).
fn widens(from: &JavaType, to: &JavaType) -> bool {
    let rank = |ty: &JavaType| match ty {
        JavaType::Byte => 1,
        JavaType::Short => 2,
        JavaType::Int => 3,
        JavaType::Long => 4,
        JavaType::Float => 5,
        JavaType::Double => 6,
        _ => 0,
    };
    from == to || (rank(from) > 0 && rank(from) < rank(to)) || (*from == JavaType::Char && rank(to) >= 3)
}

/// A member that javac considers.
struct Candidate {
    /// Erased.
    parameters: Vec<JavaType>,
    /// Of the declaration, not the form of a varargs member that takes single arguments (phase 3 of JLS §15.12.2).
    fixed: bool,
    variables: Vec<TypeParameter>,
    generic: Vec<GenericType>,
}

/// Whether a generic member takes values of these types: its type variables have to have instances that do. Of another member's parameter
/// types this says whether that one is more specific (JLS §15.12.2.5).
fn takes_generic<'b>(program: &Program, types: impl Iterator<Item = &'b GenericType>, other: &Candidate) -> bool {
    let mut bounds = Bounds::default();
    types.zip(&other.generic).all(|(ours, theirs)| bounds.subtype(program, ours, theirs, &other.variables))
        && bounds.agree(program)
}

/// What inference knows of each variable.
#[derive(Default)]
struct Bounds {
    equal: BTreeMap<String, Vec<GenericType>>,
    lower: BTreeMap<String, Vec<GenericType>>,
}

impl Bounds {
    fn subtype(&mut self, program: &Program, ours: &GenericType, theirs: &GenericType, free: &[TypeParameter]) -> bool {
        let is_free = |name: &str| free.iter().any(|variable| &*variable.name == name);
        match theirs {
            GenericType::Variable(name) if is_free(name) => {
                self.lower.entry(name.to_string()).or_default().push(ours.clone());
                true
            }
            GenericType::Array(theirs) => match ours {
                GenericType::Array(ours) => self.subtype(program, ours, theirs, free),
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
                        self.subtype(program, &found, bound, free)
                    }
                    // Upper bounds conflict with nothing that is collected here; arguments with variables inside are not looked into.
                    GenericType::Wildcard(_) => true,
                    fixed => !fixed.variables().is_empty() || !found.variables().is_empty() || found == fixed,
                })
            }
            _ => true,
        }
    }

    fn agree(&self, program: &Program) -> bool {
        self.equal.iter().all(|(variable, equal)| {
            let lower = self.lower.get(variable).map_or(&[][..], Vec::as_slice);
            equal.iter().all(|ty| *ty == equal[0])
                && lower.iter().all(|ty| {
                    *ty == equal[0] || equal[0] == GenericType::object() || fits(program, ty, &equal[0]) == Fit::Checked
                })
        })
    }
}

fn innermost_erased(ty: &JavaType) -> &JavaType {
    match ty {
        JavaType::Array(element) => innermost_erased(element),
        other => other,
    }
}

/// Every accessible member of that name, varargs ones also with as many parameters as the call has.
fn candidates(reach: &Accessibility<'_>, method: &MethodRef, receiver: Option<&GenericType>) -> Vec<Candidate> {
    let program = reach.program();
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
    let mut found: BTreeMap<String, Candidate> = BTreeMap::new();
    let arity = method.parameters().len();
    for class in classes.iter().filter_map(|class| program.class(class)) {
        for candidate in class.methods.iter().filter(|candidate| candidate.reference.name == method.name) {
            if candidate.access.is_synthetic() || candidate.access.is_private() || !reach.method(candidate) {
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
            // A varargs member counts among those that fix whether a call is alone; phase 1 sees the fixed form only.
            let spread = spread.filter(|_| candidate.reference.descriptor != method.descriptor);
            for (parameters, fixed) in fixed.map(|fixed| (fixed, true)).into_iter().chain(spread.map(|spread| (spread, false))) {
                let key = parameters.iter().map(JavaType::descriptor).collect();
                // The nearest declaration stands for those that it overrides.
                found.entry(key).or_insert_with(|| Candidate {
                    parameters,
                    fixed,
                    variables: candidate.signature.parameters.clone(),
                    generic: candidate.signature.arguments.clone(),
                });
            }
        }
    }
    found.into_values().collect()
}

fn fit_parameter(
    program: &Program,
    signature: &MethodSignature,
    scope: &[TypeParameter],
    index: usize,
    argument: &GenericType,
    arguments: &[Static],
) -> Fit {
    let parameter = &signature.arguments[index];
    let own: Vec<&TypeParameter> = scope.iter().filter(|variable| parameter.variables().contains(&variable.name)).collect();
    if own.is_empty() {
        return fits(program, argument, parameter);
    }
    let mentioned_by =
        |variable: &TypeParameter| signature.arguments.iter().filter(|other| other.variables().contains(&variable.name)).count();
    let erased = parameter.erase(scope);
    if !accepts(program, &erased, Some(&argument.erase(&[]))) {
        return Fit::No;
    }
    match innermost(parameter) {
        // `T`, `T[]`, `T...`
        GenericType::Variable(name) => {
            let Some(variable) = scope.iter().find(|variable| variable.name == *name) else { return Fit::Checked };
            let Some(bound) = bounds(variable).find_map(GenericType::class_name) else { return Fit::Checked };
            let siblings_differ = signature
                .arguments
                .iter()
                .zip(arguments)
                .any(|(other, ty)| other == parameter && ty.as_ref().is_some_and(|ty| ty != argument));
            if siblings_differ || mentioned_by(variable) > signature.arguments.iter().filter(|o| *o == parameter).count() {
                return Fit::No;
            }
            match program.as_super(innermost(argument), bound) {
                Some(found) if is_raw(program, &found) => Fit::Unchecked,
                Some(_) => Fit::Checked,
                None => Fit::No,
            }
        }
        GenericType::Class { name, .. } => {
            let Some(found) = program.as_super(innermost(argument), name) else { return Fit::No };
            if is_raw(program, &found) {
                return Fit::Unchecked;
            }
            let once = own.iter().all(|variable| {
                bounds(variable).next().is_none() && mentioned_by(variable) == 1 && count(parameter, &variable.name) == 1
            });
            if !once {
                return Fit::No;
            }
            let mut free = Substitution::default();
            for variable in own {
                free.bind(&variable.name, GenericType::Wildcard(Wildcard::Any));
            }
            fits(program, argument, &open(parameter).substitute(&free))
        }
        _ => Fit::No,
    }
}

fn innermost(ty: &GenericType) -> &GenericType {
    match ty {
        GenericType::Array(element) => innermost(element),
        other => other,
    }
}

fn count(ty: &GenericType, variable: &str) -> usize {
    match ty {
        GenericType::Variable(name) => usize::from(&**name == variable),
        GenericType::Class { arguments, .. } => arguments.iter().map(|argument| count(argument, variable)).sum(),
        GenericType::Array(inner) | GenericType::Wildcard(Wildcard::Extends(inner) | Wildcard::Super(inner)) => {
            count(inner, variable)
        }
        _ => 0,
    }
}

/// `? extends T` and `? super T` of a free variable take anything.
fn open(ty: &GenericType) -> GenericType {
    match ty {
        GenericType::Class { name, arguments, outer } => GenericType::Class {
            name: name.clone(),
            arguments: arguments
                .iter()
                .map(|argument| match argument {
                    GenericType::Wildcard(Wildcard::Extends(inner) | Wildcard::Super(inner))
                        if matches!(**inner, GenericType::Variable(_)) =>
                    {
                        GenericType::Wildcard(Wildcard::Any)
                    }
                    other => other.clone(),
                })
                .collect(),
            outer: outer.clone(),
        },
        GenericType::Array(element) => GenericType::Array(Box::new(open(element))),
        other => other.clone(),
    }
}

/// Whether a value of one type goes where the other is wanted.
fn fits(program: &Program, from: &GenericType, to: &GenericType) -> Fit {
    match (from, to) {
        (GenericType::Primitive(from), GenericType::Primitive(to)) if widens(from, to) => Fit::Checked,
        (GenericType::Array(from), GenericType::Array(to)) => match (&**from, &**to) {
            (GenericType::Primitive(from), GenericType::Primitive(to)) if from != to => Fit::No,
            (from, to) => fits(program, from, to),
        },
        (_, GenericType::Class { name, arguments, .. }) => match program.as_super(from, name) {
            _ if !accepts(program, &JavaType::Class(name.clone()), Some(&from.erase(&[]))) => Fit::No,
            None => {
                if arguments.is_empty() {
                    Fit::Checked
                } else {
                    Fit::No
                }
            }
            Some(_) if arguments.is_empty() => Fit::Checked,
            Some(found) if found.arguments().is_empty() => Fit::Unchecked,
            Some(found) => {
                let contained = found.arguments().len() == arguments.len()
                    && found.arguments().iter().zip(arguments).all(|(found, wanted)| contains(program, found, wanted));
                if contained { Fit::Checked } else { Fit::No }
            }
        },
        _ => Fit::No,
    }
}

/// Containment of type arguments (JLS §4.5.1).
fn contains(program: &Program, found: &GenericType, wanted: &GenericType) -> bool {
    let checked = |from: &GenericType, to: &GenericType| fits(program, from, to) == Fit::Checked;
    match (wanted, found) {
        (GenericType::Wildcard(Wildcard::Any), _) => true,
        (GenericType::Wildcard(Wildcard::Extends(upper)), GenericType::Wildcard(Wildcard::Extends(found))) => {
            checked(found, upper)
        }
        (GenericType::Wildcard(Wildcard::Extends(upper)), GenericType::Wildcard(_)) => **upper == GenericType::object(),
        (GenericType::Wildcard(Wildcard::Extends(upper)), found) => checked(found, upper),
        (GenericType::Wildcard(Wildcard::Super(lower)), GenericType::Wildcard(Wildcard::Super(found))) => checked(lower, found),
        (GenericType::Wildcard(Wildcard::Super(_)), GenericType::Wildcard(_)) => false,
        (GenericType::Wildcard(Wildcard::Super(lower)), found) => checked(lower, found),
        (wanted, found) => wanted == found,
    }
}
