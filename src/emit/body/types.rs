//! The declared types of the variables. In: a test with its liveness, the variables that have to be
//! raw; out: for each variable the type that it is, or written inline could be, declared with. Must
//! not know Java text.
//!
//! Type arguments are read off the uses of a variable: an argument of type `List<String>` makes the
//! list a `List<String>`. For the result of a generic method, the arguments of the call count too. A
//! parameter that nothing determines becomes `Object`.

use std::collections::BTreeSet;

use crate::emit::Unprintable;
use crate::emit::call::{self, Static};
use crate::oracle::Accessibility;
use crate::program::generics::{Substitution, TypeParameter};
use crate::program::{ClassName, GenericType, JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, StubKind, VarId, declared_types};

use super::fixture::FixtureVariables;
use super::usage::Usage;

/// The declared types of all variables of one test.
#[derive(Debug)]
pub(super) struct VariableTypes {
    declared: Vec<GenericType>,
    raw: BTreeSet<VarId>,
}

impl VariableTypes {
    /// Derives the types in the order of the statements. Fields of the test class keep their types.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleType` where neither the type of a variable nor a superclass can be
    /// named.
    pub(super) fn of(
        access: &Accessibility<'_>,
        usage: &Usage<'_>,
        fixture: Option<&FixtureVariables>,
        raw: &BTreeSet<VarId>,
    ) -> Result<VariableTypes, Unprintable> {
        let mut types = VariableTypes { declared: Vec::with_capacity(usage.len()), raw: raw.clone() };
        for index in 0..usage.len() {
            let variable = VarId(index as u32);
            let ty = match fixture.and_then(|fixture| fixture.type_of(variable)) {
                Some(ty) => ty.clone(),
                None => types.derive(access, usage, variable)?,
            };
            types.declared.push(ty);
        }
        Ok(types)
    }

    /// The type that the variable is declared with, or would be.
    pub(super) fn declared(&self, variable: VarId) -> &GenericType {
        &self.declared[variable.index()]
    }

    /// Whether the variable is declared without type arguments because a use requires it.
    pub(super) fn is_raw(&self, variable: VarId) -> bool {
        self.raw.contains(&variable)
    }

    /// The static type of a variable where it is used; `None` is the null type.
    pub(super) fn static_type(&self, usage: &Usage<'_>, variable: VarId) -> Static {
        match usage.kind(variable) {
            StatementKind::Literal(Literal::Null) if usage.is_inline(variable) => None,
            StatementKind::Literal(Literal::Class(ty)) if usage.is_inline(variable) => Some(class_literal_type(ty)),
            _ => Some(self.declared(variable).clone()),
        }
    }

    fn derive(&self, access: &Accessibility<'_>, usage: &Usage<'_>, variable: VarId) -> Result<GenericType, Unprintable> {
        let program = access.program();
        let erased = usage.erased(variable);
        let plain = GenericType::of(erased);
        if !usage.is_live(variable) || *erased == JavaType::Void || self.is_raw(variable) {
            return nearest_type(access, plain);
        }
        let generic = match usage.kind(variable) {
            StatementKind::Construct { constructor, .. } => wanted_type(access, usage, variable, &constructor.owner),
            StatementKind::Stub { class, kind: StubKind::Implementation, .. } => wanted_type(access, usage, variable, class),
            StatementKind::Stub { class, kind: StubKind::Mock, .. } if !usage.is_inline(variable) && mocks_by_type(program) => {
                known_type(access, usage, variable, class)
            }
            StatementKind::Call { method, receiver, args, .. } => {
                let arguments: Vec<Static> = args.iter().map(|arg| self.static_type(usage, *arg)).collect();
                let owner = JavaType::Class(method.owner.clone());
                let receiver =
                    receiver.map(|receiver| self.declared(receiver)).filter(|ty| program.is_subtype(&ty.erase(&[]), &owner));
                let plan = call::plan_call(access, method, receiver, None, &arguments).ok();
                let inferred = plan.as_ref().filter(|plan| plan.inferred && plan.is_plain()).and_then(|_| {
                    let wanted = types_of_uses(access, usage, variable);
                    let infer = |wanted: &[GenericType]| call::infer_result(program, method, receiver, &arguments, wanted);
                    // A use may want what the arguments exclude. javac then takes the type from the arguments.
                    infer(&wanted).or_else(|| infer(&[]))
                });
                inferred.or(plan.map(|plan| plan.returns))
            }
            StatementKind::GetField { field, receiver: None } => {
                program.resolve_field_ref(field).map(|found| found.field().generic.clone())
            }
            _ => None,
        };
        match generic {
            Some(generic) if generic.variables().is_empty() && generic.erase(&[]) == *erased && can_write(access, &generic) => {
                Ok(generic)
            }
            _ => nearest_type(access, plain),
        }
    }
}

/// `Class<T>` of a class literal; of a primitive type `T` is its box (JLS §15.8.2).
fn class_literal_type(ty: &JavaType) -> GenericType {
    let argument = match ty {
        JavaType::Void => GenericType::class(ClassName::new("java/lang/Void")),
        ty => ty
            .primitive()
            .map_or_else(|| GenericType::of(ty), |primitive| GenericType::class(ClassName::new(primitive.box_class()))),
    };
    GenericType::Class { name: ClassName::new("java/lang/Class"), arguments: vec![argument], outer: None }
}

/// The type itself or, of a class that the test cannot name, the nearest superclass that it can
/// name.
fn nearest_type(access: &Accessibility<'_>, ty: GenericType) -> Result<GenericType, Unprintable> {
    let erased = ty.erase(&[]);
    match &erased {
        _ if access.can_name(&erased) => Ok(ty),
        JavaType::Class(name) => {
            access.nearest_superclass(name).map(GenericType::class).ok_or_else(|| Unprintable::InaccessibleType(name.to_string()))
        }
        other => Err(Unprintable::InaccessibleType(other.to_string())),
    }
}

/// Whether the test can name the type with all of its arguments.
pub(super) fn can_write(access: &Accessibility<'_>, ty: &GenericType) -> bool {
    match ty {
        GenericType::Primitive(_) => true,
        GenericType::Variable(_) => false,
        GenericType::Array(element) => can_write(access, element),
        GenericType::Class { name, arguments, outer } => {
            outer.is_none() && access.can_name_class(name) && arguments.iter().all(|argument| can_write(access, argument))
        }
        GenericType::Wildcard(wildcard) => can_write(access, &wildcard.upper()),
    }
}

/// The generic types, without type variables, that written uses of the variable want.
fn types_of_uses(access: &Accessibility<'_>, usage: &Usage<'_>, variable: VarId) -> Vec<GenericType> {
    let mut declared = declared_by_uses(access, usage, variable);
    declared.retain(|ty| ty.variables().is_empty());
    declared
}

/// The types that written uses of the variable declare. Where a constructor takes it, the type arguments of the object
/// that this makes count: the list in `new Page<>(list)` is a `List<Owner>` where a `Page<Owner>` is wanted. Where a
/// generic method takes it, the other arguments count: the comparator in `is("a", comparator)` compares texts.
fn declared_by_uses(access: &Accessibility<'_>, usage: &Usage<'_>, variable: VarId) -> Vec<GenericType> {
    let program = access.program();
    let by_user = |user: VarId| {
        let mut declared = declared_types(program, [usage.kind(user)], variable);
        if declared.iter().all(|ty| ty.variables().is_empty()) {
            return declared;
        }
        let bound = match usage.kind(user) {
            StatementKind::Construct { constructor, .. } => {
                let class = program.class(&constructor.owner);
                let made = wanted_type(access, usage, user, &constructor.owner);
                class.zip(made).map(|(class, made)| Substitution::of(&class.signature.parameters, made.arguments()))
            }
            StatementKind::Call { method, args, .. } => given_by_others(program, usage, (method, args), variable),
            _ => None,
        };
        let bound = bound.unwrap_or_default();
        declared.iter_mut().for_each(|ty| *ty = ty.substitute(&bound));
        declared
    };
    usage.live().flat_map(by_user).collect()
}

/// The type variables of a method as its arguments other than the variable give them, where these agree.
fn given_by_others(
    program: &Program,
    usage: &Usage<'_>,
    (method, args): (&MethodRef, &[VarId]),
    variable: VarId,
) -> Option<Substitution> {
    let found = program.resolve(method)?;
    let signature = &found.method().signature;
    let plain_type = |arg: VarId| {
        let is_null = matches!(usage.kind(arg), StatementKind::Literal(Literal::Null));
        let ty = boxed_type(usage.erased(arg));
        let class = GenericType::of(&ty).class_name().and_then(|class| program.class(class));
        (!is_null && class.is_some_and(|class| class.signature.parameters.is_empty())).then(|| GenericType::of(&ty))
    };
    let mut bound = Substitution::default();
    for TypeParameter { name, .. } in &signature.parameters {
        let is_of = |parameter: &GenericType| matches!(parameter, GenericType::Variable(own) if own == name);
        let given = signature.arguments.iter().zip(args);
        let others = given.filter(|(parameter, arg)| is_of(parameter) && **arg != variable);
        let mut types: Vec<GenericType> = others.filter_map(|(_, arg)| plain_type(*arg)).collect();
        types.dedup();
        if let [only] = types.as_slice() {
            bound.bind(name, only.clone());
        }
    }
    Some(bound)
}

/// The box of a primitive type; another type itself.
fn boxed_type(ty: &JavaType) -> JavaType {
    ty.primitive().map_or_else(|| ty.clone(), |primitive| JavaType::class(primitive.box_class()))
}

/// Whether Mockito takes the type of a mock from the variable: `Page<Owner> page = mock()`, since its version 4.10.
pub(super) fn mocks_by_type(program: &Program) -> bool {
    program.resolve(&mock_of_type()).is_some()
}

/// Whether javac has no warning for that: version 4.11 lacks the annotation.
pub(super) fn mocks_safely_by_type(program: &Program) -> bool {
    program.resolve(&mock_of_type()).is_some_and(|found| {
        let annotations = found.class.file.method(found.method().index).annotations().unwrap_or_default();
        annotations.iter().any(|annotation| annotation.descriptor == "Ljava/lang/SafeVarargs;")
    })
}

fn mock_of_type() -> MethodRef {
    MethodRef::new(ClassName::new("org/mockito/Mockito"), "mock", "([Ljava/lang/Object;)Ljava/lang/Object;")
}

/// `Foo<String, Object>`: the type arguments that the uses of the variable determine, `Object` for
/// the others. `None` for a class without type parameters, and where a bound excludes the
/// arguments, so that the variable is raw.
fn wanted_type(access: &Accessibility<'_>, usage: &Usage<'_>, variable: VarId, class: &ClassName) -> Option<GenericType> {
    type_with_arguments(access, usage, variable, class, Some(GenericType::object()))
}

/// The same where the uses determine all type arguments; `None` where they do not.
fn known_type(access: &Accessibility<'_>, usage: &Usage<'_>, variable: VarId, class: &ClassName) -> Option<GenericType> {
    type_with_arguments(access, usage, variable, class, None)
}

/// `default`: the type argument that nothing determines.
fn type_with_arguments(
    access: &Accessibility<'_>,
    usage: &Usage<'_>,
    variable: VarId,
    class: &ClassName,
    default: Option<GenericType>,
) -> Option<GenericType> {
    let program = access.program();
    let model = program.class(class)?;
    if model.signature.parameters.is_empty() || model.is_inner() {
        return None;
    }
    let own = model.generic_type();
    let mut wanted = Substitution::default();
    // Of `Map<String, V>` with a variable of the method, the key is known.
    let declared = declared_by_uses(access, usage, variable);
    let (known, partly): (Vec<_>, Vec<_>) = declared.into_iter().partition(|ty| ty.variables().is_empty());
    for ty in known.into_iter().chain(partly) {
        if let Some(declared) = ty.class_name().and_then(|name| program.as_super(&own, name)) {
            wanted.match_against(&declared, &ty);
        }
    }
    let mut arguments = Vec::new();
    for parameter in &model.signature.parameters {
        let known = wanted.get(&parameter.name).filter(|argument| argument.variables().is_empty()).cloned();
        let is_bounded = parameter.bounds.iter().any(|bound| *bound != GenericType::object());
        let argument = match known {
            Some(known) => known,
            None if is_bounded && default.is_some() => given_type(program, usage, (variable, &own), &parameter.name)?,
            None => default.clone()?,
        };
        if matches!(argument, GenericType::Primitive(_) | GenericType::Wildcard(_)) {
            return None;
        }
        arguments.push(argument);
    }
    let types = Substitution::of(&model.signature.parameters, &arguments);
    let fits = call::satisfies_bounds(program, &model.signature.parameters, &types);
    fits.then(|| GenericType::Class { name: class.clone(), arguments, outer: None })
}

/// The type of the values that the object gets where its class declares the type parameter; `String` where it gets
/// none. `None` where they differ.
fn given_type(
    program: &Program,
    usage: &Usage<'_>,
    (object, class): (VarId, &GenericType),
    parameter: &str,
) -> Option<GenericType> {
    let is_parameter = |ty: GenericType| matches!(ty, GenericType::Variable(name) if *name == *parameter);
    let given = |user: VarId| {
        let (method, args) = match usage.kind(user) {
            StatementKind::Construct { constructor, args } if user == object => (constructor, args),
            StatementKind::Call { method, receiver, args, .. } if *receiver == Some(object) => (method, args),
            _ => return Vec::new(),
        };
        let Some(found) = program.resolve(method) else { return Vec::new() };
        let declaring = program.as_super(class, &found.class.name);
        let declaring = declaring.as_ref().map_or(&[][..], GenericType::arguments);
        let bound = Substitution::of(&found.class.signature.parameters, declaring);
        let arguments = found.method().signature.arguments.iter().zip(args);
        let taken = arguments.filter(|(declared, _)| is_parameter(declared.substitute(&bound)));
        taken.map(|(_, arg)| *arg).collect()
    };
    let values: BTreeSet<VarId> = usage.live().flat_map(given).collect();
    let is_null = |value: &VarId| matches!(usage.kind(*value), StatementKind::Literal(Literal::Null));
    let given = values.into_iter().filter(|value| !is_null(value));
    let mut types: Vec<JavaType> = given.map(|value| boxed_type(usage.erased(value))).collect();
    types.dedup();
    match types.as_slice() {
        [] => Some(GenericType::class(ClassName::new("java/lang/String"))),
        [only] => Some(GenericType::of(only)),
        _ => None,
    }
}
