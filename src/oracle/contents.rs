//! Whether an expression of a test can build the equal of a container or a record. In: what the object
//! holds, what the test can name; out: the contents that an assertion states. Must not know how the
//! expression is written.

use super::Accessibility;
use crate::execution::{ContainerKind, HeldValues, Snapshot};
use crate::program::{ClassName, JavaType};

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
        // Earlier releases have no such short expression, and it takes no null.
        ContainerKind::Set | ContainerKind::Map => {
            elements.is_empty() || (access.has_collection_factories() && !elements.contains(&Snapshot::Null))
        }
        ContainerKind::Record(class) => has_plain_constructor(class, elements, access),
    };
    let element = |element: &Snapshot| match element {
        Snapshot::Null => Some(Snapshot::Null),
        element if is_long_decimal(element) => None,
        element => stated(element),
    };
    let elements: Option<Vec<Snapshot>> = elements.iter().map(element).collect();
    has_expression.then_some(HeldValues { kind: kind.clone(), elements: elements? })
}

/// Whether the test can make an equal record from these values: `equals` is the compiler's, and no
/// other constructor could be meant.
fn has_plain_constructor(class: &ClassName, values: &[Snapshot], access: &Accessibility<'_>) -> bool {
    let program = access.program();
    let Some(model) = program.class(class) else { return false };
    let Ok(Some(components)) = model.file.record_components() else { return false };
    let types: Vec<Option<JavaType>> = components.iter().map(|component| JavaType::parse(component.descriptor)).collect();
    let descriptor: String = components.iter().map(|component| component.descriptor).collect();
    let same_length = model
        .methods
        .iter()
        .filter(|method| &*method.reference.name == "<init>" && method.reference.parameters().len() == types.len());
    let canonical = program.resolve_method(class, "<init>", &format!("({descriptor})V"));
    let equals = program.resolve_method(class, "equals", "(Ljava/lang/Object;)Z");
    access.can_name_class(class)
        && canonical.is_some_and(|found| access.can_use_method(found.method()))
        && equals.is_some_and(|found| found.class.is_generated(found.method()))
        && same_length.count() == 1
        && types.len() == values.len()
        && types.iter().zip(values).all(|(ty, value)| ty.as_ref().is_some_and(|ty| takes(ty, value, access)))
}

/// Whether a component or parameter of this type takes the expression that is written for the value.
pub(super) fn takes(ty: &JavaType, value: &Snapshot, access: &Accessibility<'_>) -> bool {
    let Snapshot::Object { contents: Some(HeldValues { kind, .. }), .. } = value else { return true };
    let written = match kind {
        ContainerKind::List => ClassName::new("java/util/List"),
        ContainerKind::Set => ClassName::new("java/util/Set"),
        ContainerKind::Map => ClassName::new("java/util/Map"),
        ContainerKind::Optional => ClassName::new("java/util/Optional"),
        ContainerKind::Record(class) => class.clone(),
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
