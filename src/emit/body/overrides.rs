//! The methods that an implementation of a type has to write, with the types that they have there
//! (JLS §8.4.2, §8.4.5). In: a type with its type arguments; out: methods without bodies. Must not
//! know answers or Java text.

use std::collections::BTreeSet;

use crate::emit::Unprintable;
use crate::oracle::Accessibility;
use crate::program::generics::{Substitution, TypeParameter};
use crate::program::{ClassName, GenericType, JavaType, MethodRef, Program, ResolvedMethod};

use super::java::Visibility;

/// A method that overrides one or more abstract methods.
#[derive(Clone, Debug)]
pub(super) struct Override {
    /// The nearest of the overridden methods.
    pub(super) overridden: ResolvedMethod,
    /// All of the overridden methods, the nearest first.
    pub(super) all: Vec<MethodRef>,
    pub(super) visibility: Visibility,
    /// Type parameters of its own, with their bounds in the implementation.
    pub(super) type_parameters: Vec<TypeParameter>,
    pub(super) parameters: Vec<GenericType>,
    pub(super) returns: GenericType,
}

/// The methods that a class has to write which implements or extends the type, in order of
/// declaration. The types are those of the overridden methods with the type arguments of the
/// supertype that declares them, since the erased types would clash (JLS §8.4.8.3). Of a raw type
/// they are erased (JLS §4.8).
///
/// # Errors
/// `Unprintable::InaccessibleMember` for a method that the test cannot override, and
/// `InaccessibleType` for a type of one that it cannot name.
pub(super) fn overriding_methods(access: &Accessibility<'_>, ty: &GenericType) -> Result<Vec<Override>, Unprintable> {
    let program = access.program();
    let Some(class) = ty.class_name() else { return Ok(Vec::new()) };
    let mut methods: Vec<Override> = Vec::new();
    for found in program.abstract_methods(class) {
        let mut seen = override_of(access, ty, found)?;
        match methods.iter_mut().find(|known| is_same_signature(known, &seen)) {
            // A redeclared method may return a subtype, and one that implements both has to.
            Some(known) => {
                let (more, less) = (seen.erased_return(), known.erased_return());
                known.all.append(&mut seen.all);
                if more != less && program.is_subtype(&more, &less) {
                    *known = Override { all: std::mem::take(&mut known.all), ..seen };
                }
            }
            None => methods.push(seen),
        }
    }
    for method in &methods {
        let types = method.parameters.iter().chain([&method.returns]);
        let bounds = method.type_parameters.iter().flat_map(|parameter| &parameter.bounds);
        types.chain(bounds).try_for_each(|ty| check_named(access, ty))?;
    }
    Ok(methods)
}

/// Simple names of the classes that the type declares or inherits: in the body of an implementation
/// they mean these classes (JLS §8.5).
pub(super) fn member_class_names(program: &Program, class: &ClassName) -> BTreeSet<String> {
    let mut family = program.superclass_chain(class);
    family.extend(program.all_interfaces(class).iter().filter_map(|interface| program.class(interface)));
    let mut names = BTreeSet::new();
    for class in family {
        let declared = class.file.inner_classes().unwrap_or_default();
        let members = declared.iter().filter(|member| member.outer == Some(class.name.internal()));
        names.extend(members.filter_map(|member| member.name).map(String::from));
    }
    names
}

impl Override {
    fn erased_return(&self) -> JavaType {
        self.returns.erase(&self.type_parameters)
    }

    fn erased_parameters(&self) -> Vec<JavaType> {
        self.parameters.iter().map(|parameter| parameter.erase(&self.type_parameters)).collect()
    }
}

fn is_same_signature(one: &Override, other: &Override) -> bool {
    one.overridden.method().name() == other.overridden.method().name() && one.erased_parameters() == other.erased_parameters()
}

fn override_of(access: &Accessibility<'_>, ty: &GenericType, overridden: ResolvedMethod) -> Result<Override, Unprintable> {
    let program = access.program();
    let method = overridden.method();
    let visibility = match method.access {
        flags if flags.is_public() => Visibility::Public,
        flags if flags.is_protected() => Visibility::Protected,
        _ if access.can_use_method(method) => Visibility::Package,
        _ => return Err(Unprintable::InaccessibleMember(method.reference.to_string())),
    };
    let declaring = &overridden.class;
    let arguments = program.as_super(ty, &declaring.name).map(|instance| instance.arguments().to_vec()).unwrap_or_default();
    let is_raw = arguments.len() != declaring.signature.parameters.len();
    let own = &method.signature.parameters;
    let mut bound = Substitution::default();
    // A type parameter of the method hides one of the class with the same name (JLS §6.4.1).
    for (parameter, argument) in declaring.signature.parameters.iter().zip(&arguments) {
        if !own.iter().any(|hiding| hiding.name == parameter.name) {
            bound.bind(&parameter.name, argument.clone());
        }
    }
    let type_parameters: Vec<TypeParameter> = own
        .iter()
        .map(|parameter| TypeParameter {
            name: parameter.name.clone(),
            bounds: parameter.bounds.iter().map(|bound_of| bound_of.substitute(&bound)).collect(),
        })
        .collect();
    let parameters: Vec<GenericType> = method.signature.arguments.iter().map(|ty| ty.substitute(&bound)).collect();
    let returns = method.signature.returns.substitute(&bound);
    let is_known = |ty: &GenericType| ty.variables().iter().all(|name| own.iter().any(|parameter| parameter.name == *name));
    let mut bounds = type_parameters.iter().flat_map(|parameter| &parameter.bounds);
    let all = vec![method.reference.clone()];
    // An unknown variable belongs to a generic class around the declaring one, which is raw here.
    if !is_raw && parameters.iter().chain([&returns]).all(is_known) && bounds.all(is_known) {
        return Ok(Override { all, visibility, type_parameters, parameters, returns, overridden });
    }
    let parameters = method.parameters.iter().map(GenericType::of).collect();
    let returns = GenericType::of(&method.returns);
    Ok(Override { all, visibility, type_parameters: Vec::new(), parameters, returns, overridden })
}

/// Checks that the test can name every class in the type.
fn check_named(access: &Accessibility<'_>, ty: &GenericType) -> Result<(), Unprintable> {
    match ty {
        GenericType::Primitive(_) | GenericType::Variable(_) => Ok(()),
        GenericType::Array(element) => check_named(access, element),
        GenericType::Wildcard(wildcard) => check_named(access, &wildcard.upper()),
        GenericType::Class { name, arguments, .. } => {
            if !access.can_name_class(name) {
                return Err(Unprintable::InaccessibleType(name.to_string()));
            }
            arguments.iter().try_for_each(|argument| check_named(access, argument))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample_program;

    /// The overriding methods of the type with this signature, as Java would name their types.
    fn methods_of(signature: &str) -> Vec<String> {
        let program = sample_program();
        let access = Accessibility::new(&program, "p");
        let ty = GenericType::parse(signature).expect("a signature");
        let methods = overriding_methods(&access, &ty).expect("nameable");
        let shown = |method: &Override| {
            let own: Vec<String> = method
                .type_parameters
                .iter()
                .map(|parameter| format!("<{} extends {}>", parameter.name, parameter.bounds[0]))
                .collect();
            let parameters: Vec<String> = method.parameters.iter().map(ToString::to_string).collect();
            format!("{}{} {}({})", own.concat(), method.returns, method.overridden.method().name(), parameters.join(", "))
        };
        methods.iter().map(shown).collect()
    }

    #[test]
    fn type_arguments_of_supertypes_are_substituted() {
        let found = methods_of("Lp/Words;");
        assert_eq!(
            found,
            [
                "java.lang.String find(p.Calls)",
                "<S extends java.lang.String>S save(S)",
                "p.Box<java.lang.String> all(p.Box<? extends java.lang.String>)",
            ]
        );
    }

    #[test]
    fn methods_of_a_raw_type_are_erased() {
        let found = methods_of("Lp/Store;");
        assert_eq!(
            found,
            ["java.lang.Object find(java.lang.Object)", "java.lang.Object save(java.lang.Object)", "p.Box all(p.Box)"]
        );
    }

    #[test]
    fn a_redeclared_method_counts_once_with_its_narrower_result() {
        assert_eq!(methods_of("Lp/Narrow;")[0], "java.lang.String find(p.Calls)");
        assert_eq!(methods_of("Lp/Narrow;").len(), 3);
    }
}
