//! Conversions of arguments (JLS §4.10, §5.3) and containment of type arguments (§4.5.1). In:
//! types; out: whether javac converts one into the other.

use crate::program::generics::{MethodSignature, Substitution, TypeParameter, Wildcard};
use crate::program::{ClassName, GenericType, JavaType, Program};
use tracewright_classfile::PrimitiveType;

use super::{Static, satisfies_bounds};

/// How javac converts a value of one type to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// By subtyping or widening.
    Checked,
    /// From a raw type (JLS §5.1.9).
    Unchecked,
    /// Not without a cast.
    None,
}

/// Whether a parameter takes a value of the type by subtyping or primitive widening, without
/// boxing: phase 1 of JLS §15.12.2.2. The argument `None` is null.
pub(super) fn accepts(program: &Program, parameter: &JavaType, argument: Option<&JavaType>) -> bool {
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
        JavaType::Primitive(PrimitiveType::Byte) => 1,
        JavaType::Primitive(PrimitiveType::Short) => 2,
        JavaType::Primitive(PrimitiveType::Int) => 3,
        JavaType::Primitive(PrimitiveType::Long) => 4,
        JavaType::Primitive(PrimitiveType::Float) => 5,
        JavaType::Primitive(PrimitiveType::Double) => 6,
        _ => 0,
    };
    from == to || (rank(from) > 0 && rank(from) < rank(to)) || (*from == JavaType::CHAR && rank(to) >= 3)
}

/// Whether the type is a generic class without its type arguments, or an array of such.
pub(super) fn is_raw(program: &Program, ty: &GenericType) -> bool {
    match ty {
        GenericType::Class { name, arguments, .. } => {
            arguments.is_empty() && program.class(name).is_some_and(|class| !class.signature.parameters.is_empty())
        }
        GenericType::Array(element) => is_raw(program, element),
        _ => false,
    }
}

/// Whether a raw type stands anywhere in the type.
pub(crate) fn mentions_raw(program: &Program, ty: &GenericType) -> bool {
    match ty {
        GenericType::Class { arguments, .. } if !arguments.is_empty() => {
            arguments.iter().any(|argument| mentions_raw(program, argument))
        }
        GenericType::Array(element) => mentions_raw(program, element),
        GenericType::Wildcard(Wildcard::Extends(bound) | Wildcard::Super(bound)) => mentions_raw(program, bound),
        GenericType::Class { name, outer: None, .. } => is_raw(program, ty) || is_inner_of_generic(program, name),
        other => is_raw(program, other),
    }
}

/// Whether an enclosing instance of the class has type arguments, so that the class without them is
/// raw (JLS §4.8).
fn is_inner_of_generic(program: &Program, class: &ClassName) -> bool {
    let enclosing = program.class(class).filter(|model| model.is_inner()).and_then(|model| model.enclosing().cloned());
    enclosing.is_some_and(|enclosing| {
        program.class(&enclosing).is_some_and(|model| !model.signature.parameters.is_empty())
            || is_inner_of_generic(program, &enclosing)
    })
}

/// Whether the type, or the type of its cells, has type arguments.
pub(super) fn has_type_arguments(ty: &GenericType) -> bool {
    match ty {
        GenericType::Class { arguments, .. } => !arguments.is_empty(),
        GenericType::Array(element) => has_type_arguments(element),
        _ => false,
    }
}

/// Whether the type mentions any of these variables.
pub(super) fn mentions_any(ty: &GenericType, variables: &[GenericType]) -> bool {
    ty.variables().iter().any(|name| variables.contains(&GenericType::Variable(name.clone())))
}

/// Bounds other than `Object`, which javac writes out.
fn bounds(variable: &TypeParameter) -> impl Iterator<Item = &GenericType> {
    variable.bounds.iter().filter(|bound| **bound != GenericType::object())
}

/// Converts the argument with this index to its generic parameter type. `scope`: the type
/// parameters of the member, which javac infers; `arguments`: the static types of all arguments.
pub(super) fn convert_argument(
    program: &Program,
    signature: &MethodSignature,
    scope: &[TypeParameter],
    index: usize,
    argument: &GenericType,
    arguments: &[Static],
) -> Conversion {
    let parameter = &signature.arguments[index];
    let inferred: Vec<&TypeParameter> = scope.iter().filter(|variable| parameter.variables().contains(&variable.name)).collect();
    if inferred.is_empty() {
        return convert(program, argument, parameter);
    }
    let mentioned_by =
        |variable: &TypeParameter| signature.arguments.iter().filter(|other| other.variables().contains(&variable.name)).count();
    if !accepts(program, &parameter.erase(scope), Some(&argument.erase(&[]))) {
        return Conversion::None;
    }
    match innermost(parameter) {
        // `T`, `T[]`, `T...`
        GenericType::Variable(name) => {
            let Some(variable) = scope.iter().find(|variable| variable.name == *name) else { return Conversion::Checked };
            let Some(bound) = bounds(variable).find_map(GenericType::class_name) else { return Conversion::Checked };
            let siblings_differ = signature
                .arguments
                .iter()
                .zip(arguments)
                .any(|(other, ty)| other == parameter && ty.as_ref().is_some_and(|ty| ty != argument));
            let siblings = signature.arguments.iter().filter(|other| *other == parameter).count();
            if siblings_differ || mentioned_by(variable) > siblings {
                return Conversion::None;
            }
            match program.as_super(innermost(argument), bound) {
                Some(found) if is_raw(program, &found) => Conversion::Unchecked,
                Some(_) => Conversion::Checked,
                None => Conversion::None,
            }
        }
        GenericType::Class { name, .. } => {
            let Some(found) = program.as_super(innermost(argument), name) else { return Conversion::None };
            if is_raw(program, &found) {
                return Conversion::Unchecked;
            }
            let is_free = inferred.iter().all(|variable| {
                bounds(variable).next().is_none() && mentioned_by(variable) == 1 && count(parameter, &variable.name) == 1
            });
            if !is_free {
                let is_solved = is_solved_by(program, (signature, scope), &inferred, (parameter, &found), arguments);
                return if is_solved { Conversion::Checked } else { Conversion::None };
            }
            let mut free = Substitution::default();
            for variable in inferred {
                free.bind(&variable.name, GenericType::Wildcard(Wildcard::Any));
            }
            convert(program, argument, &open_wildcards(parameter).substitute(&free))
        }
        _ => Conversion::None,
    }
}

/// Whether all arguments fit the type variables as the type arguments of one argument give them: the comparator of
/// `between(T, T, Comparator<T>)` says what `T` is (JLS §18.2.3). `given`: its parameter, and its type as that class.
fn is_solved_by(
    program: &Program,
    (signature, scope): (&MethodSignature, &[TypeParameter]),
    variables: &[&TypeParameter],
    (parameter, found): (&GenericType, &GenericType),
    arguments: &[Static],
) -> bool {
    let mut solved = Substitution::default();
    solved.match_against(parameter, found);
    let is_plain = |ty: &GenericType| ty.variables().is_empty() && !matches!(ty, GenericType::Wildcard(_));
    let is_exact = |variable: &&TypeParameter| solved.get(&variable.name).is_some_and(is_plain);
    let fits = |(parameter, ty): (&GenericType, &Static)| {
        let wanted = parameter.substitute(&solved);
        let names = parameter.variables();
        let is_mentioned = variables.iter().any(|variable| names.contains(&variable.name));
        !is_mentioned || ty.as_ref().is_none_or(|ty| convert(program, &boxed(ty), &wanted) == Conversion::Checked)
    };
    // The other variables have to be solved by others.
    let is_own = |variable: &&TypeParameter| variables.iter().any(|own| own.name == variable.name);
    let own: Vec<TypeParameter> = scope.iter().filter(is_own).cloned().collect();
    variables.iter().all(is_exact)
        && satisfies_bounds(program, &own, &solved)
        && signature.arguments.iter().zip(arguments).all(fits)
}

/// The box of a primitive type; another type itself.
pub(super) fn boxed(ty: &GenericType) -> GenericType {
    match ty {
        GenericType::Primitive(primitive) => match primitive.primitive() {
            Some(primitive) => GenericType::class(ClassName::new(primitive.box_class())),
            None => ty.clone(),
        },
        other => other.clone(),
    }
}

fn innermost(ty: &GenericType) -> &GenericType {
    match ty {
        GenericType::Array(element) => innermost(element),
        other => other,
    }
}

/// How often the type mentions the variable.
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

/// Replaces `? extends T` and `? super T` of a variable by `?`: for a free variable they contain
/// any type argument.
fn open_wildcards(ty: &GenericType) -> GenericType {
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
        GenericType::Array(element) => GenericType::Array(Box::new(open_wildcards(element))),
        other => other.clone(),
    }
}

/// Converts a value of one type to another that mentions no type variable of the called member.
pub(crate) fn convert(program: &Program, from: &GenericType, to: &GenericType) -> Conversion {
    match (from, to) {
        (GenericType::Primitive(from), GenericType::Primitive(to)) if widens(from, to) => Conversion::Checked,
        (GenericType::Array(from), GenericType::Array(to)) => match (&**from, &**to) {
            (GenericType::Primitive(from), GenericType::Primitive(to)) if from != to => Conversion::None,
            (from, to) => convert(program, from, to),
        },
        (_, GenericType::Class { name, arguments, .. }) => match program.as_super(from, name) {
            _ if !accepts(program, &JavaType::Class(name.clone()), Some(&from.erase(&[]))) => Conversion::None,
            _ if arguments.is_empty() => Conversion::Checked,
            None => Conversion::None,
            Some(found) if found.arguments().is_empty() => Conversion::Unchecked,
            Some(found) => {
                let is_contained = found.arguments().len() == arguments.len()
                    && found.arguments().iter().zip(arguments).all(|(found, wanted)| contains(program, found, wanted));
                if is_contained { Conversion::Checked } else { Conversion::None }
            }
        },
        _ => Conversion::None,
    }
}

/// Whether the type argument `wanted` contains `found` (JLS §4.5.1).
fn contains(program: &Program, found: &GenericType, wanted: &GenericType) -> bool {
    let checked = |from: &GenericType, to: &GenericType| convert(program, from, to) == Conversion::Checked;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_widen_in_the_order_of_the_specification() {
        let order = [JavaType::BYTE, JavaType::SHORT, JavaType::INT, JavaType::LONG, JavaType::FLOAT, JavaType::DOUBLE];
        for (from, ty) in order.iter().enumerate() {
            for (to, other) in order.iter().enumerate() {
                assert_eq!(widens(ty, other), from <= to, "{ty} to {other}");
            }
        }
        assert!(widens(&JavaType::CHAR, &JavaType::INT) && widens(&JavaType::CHAR, &JavaType::DOUBLE));
        assert!(!widens(&JavaType::CHAR, &JavaType::SHORT) && !widens(&JavaType::SHORT, &JavaType::CHAR));
        assert!(!widens(&JavaType::BOOLEAN, &JavaType::INT) && widens(&JavaType::BOOLEAN, &JavaType::BOOLEAN));
    }

    #[test]
    fn wildcards_of_variables_open_and_others_stay() {
        let ty = GenericType::parse("Ljava/util/Map<-TK;+Ljava/lang/Number;>;").expect("a signature");
        let expected = GenericType::parse("Ljava/util/Map<*+Ljava/lang/Number;>;").expect("a signature");
        assert_eq!(open_wildcards(&ty), expected);
        assert_eq!((count(&ty, "K"), count(&ty, "V")), (1, 0));
    }

    #[test]
    fn type_arguments_are_found_in_the_cells_of_arrays() {
        let generic = GenericType::parse("[Ljava/util/List<Ljava/lang/String;>;").expect("a signature");
        assert!(has_type_arguments(&generic));
        assert!(!has_type_arguments(&GenericType::of(&generic.erase(&[]))));
    }
}
