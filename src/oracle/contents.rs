//! Whether an expression of a test can build the equal of a container or a record. In: what the object
//! holds, what the test can name; out: the contents that an assertion states. Must not know how the
//! expression is written.

use super::Accessibility;
use crate::execution::{ContainerKind, HeldValues, Snapshot};
use crate::program::{ClassModel, ClassName, JavaType};

/// Longest floating-point number that is stated inside an object. The last places of others differ
/// between JVMs, and no delta is allowed for.
const LONGEST_DECIMAL: usize = 8;

/// The contents as far as an assertion can state them. `stated`: what it can state of an element.
pub(super) fn stated_contents(
    HeldValues { kind, elements }: &HeldValues,
    access: &Accessibility<'_>,
    stated: impl Fn(&Snapshot) -> Option<Snapshot>,
) -> Option<HeldValues> {
    let has_expression = match kind {
        ContainerKind::List | ContainerKind::Optional => true,
        // `Set.of` and `Map.of` take no null. Earlier releases have a short expression for a map of one entry.
        ContainerKind::Set => !access.has_collection_factories() || !elements.contains(&Snapshot::Null),
        ContainerKind::Map if access.has_collection_factories() => !elements.contains(&Snapshot::Null),
        ContainerKind::Map => elements.len() <= 2,
        ContainerKind::Record(class) => has_plain_constructor(class, elements, access),
        ContainerKind::Value(class) => access.can_name_class(class),
    };
    let element = |element: &Snapshot| match element {
        Snapshot::Null => Some(Snapshot::Null),
        element if is_long_decimal(element) => None,
        element => stated(element),
    };
    let elements: Option<Vec<Snapshot>> = elements.iter().map(element).collect();
    has_expression.then_some(HeldValues { kind: kind.clone(), elements: elements? })
}

/// Whether the test can make an equal record or data class from these values: `equals` is the
/// compiler's, and no other constructor could be meant.
fn has_plain_constructor(class: &ClassName, values: &[Snapshot], access: &Accessibility<'_>) -> bool {
    let program = access.program();
    let Some(model) = program.class(class) else { return false };
    let Some((descriptors, has_equals)) = record_descriptors(&model).or_else(|| data_class_descriptors(&model)) else {
        return false;
    };
    let types: Vec<Option<JavaType>> = descriptors.iter().map(|descriptor| JavaType::parse(descriptor)).collect();
    let descriptor = descriptors.concat();
    let same_length = model
        .methods
        .iter()
        .filter(|method| &*method.reference.name == "<init>" && method.reference.parameters().len() == types.len());
    let canonical = program.resolve_method(class, "<init>", &format!("({descriptor})V"));
    access.can_name_class(class)
        && has_equals
        && canonical.is_some_and(|found| access.can_use_method(found.method()))
        && same_length.count() == 1
        && types.len() == values.len()
        && types.iter().zip(values).all(|(ty, value)| ty.as_ref().is_some_and(|ty| takes(ty, value, access)))
}

/// The types of a record's components, and whether its `equals` is the compiler's.
fn record_descriptors(model: &ClassModel) -> Option<(Vec<String>, bool)> {
    let components = model.file.record_components().ok()??;
    let equals = model.method("equals", "(Ljava/lang/Object;)Z");
    let descriptors = components.iter().map(|component| component.descriptor.to_string()).collect();
    Some((descriptors, equals.is_some_and(|equals| model.is_generated(equals))))
}

/// The types of the components of a data class of Kotlin, and whether it has an `equals` of its own. It
/// has `component1` and so on, and `copy` takes all of them.
fn data_class_descriptors(model: &ClassModel) -> Option<(Vec<String>, bool)> {
    let component = |number: usize| {
        let name = format!("component{number}");
        model.methods.iter().find(|method| method.name() == name && method.parameters.is_empty() && !method.is_static())
    };
    let descriptors: Vec<String> = (1..).map_while(component).map(|method| method.returns.descriptor()).collect();
    let copies = format!("({})L{};", descriptors.concat(), model.name);
    let is_data_class = !descriptors.is_empty() && model.method("copy", &copies).is_some();
    is_data_class.then(|| (descriptors, model.method("equals", "(Ljava/lang/Object;)Z").is_some()))
}

/// Whether a component or parameter of this type takes the expression that is written for the value.
pub(super) fn takes(ty: &JavaType, value: &Snapshot, access: &Accessibility<'_>) -> bool {
    let Snapshot::Object { contents: Some(HeldValues { kind, .. }), .. } = value else { return true };
    let written = match kind {
        ContainerKind::List => ClassName::new("java/util/List"),
        ContainerKind::Set => ClassName::new("java/util/Set"),
        ContainerKind::Map => ClassName::new("java/util/Map"),
        ContainerKind::Optional => ClassName::new("java/util/Optional"),
        ContainerKind::Record(class) | ContainerKind::Value(class) => class.clone(),
    };
    let JavaType::Class(declared) = ty else { return false };
    declared.internal() == "java/lang/Object" || *declared == written || access.program().is_subclass(&written, declared)
}

/// Whether the value is a floating-point number with many digits.
fn is_long_decimal(value: &Snapshot) -> bool {
    match value {
        Snapshot::Boxed(inner) => is_long_decimal(inner),
        Snapshot::Float(bits) => f32::from_bits(*bits).to_string().len() > LONGEST_DECIMAL,
        Snapshot::Double(bits) => f64::from_bits(*bits).to_string().len() > LONGEST_DECIMAL,
        _ => false,
    }
}
