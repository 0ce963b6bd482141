//! The box classes of primitive types (JLS §5.1.7).

use crate::program::{ClassName, JavaType};

const BOXES: [(&str, JavaType); 8] = [
    ("java/lang/Boolean", JavaType::Boolean),
    ("java/lang/Byte", JavaType::Byte),
    ("java/lang/Character", JavaType::Char),
    ("java/lang/Short", JavaType::Short),
    ("java/lang/Integer", JavaType::Int),
    ("java/lang/Long", JavaType::Long),
    ("java/lang/Float", JavaType::Float),
    ("java/lang/Double", JavaType::Double),
];

/// The primitive type that the class boxes.
pub(crate) fn unboxed(class: &ClassName) -> Option<JavaType> {
    BOXES.iter().find(|(name, _)| *name == class.internal()).map(|(_, ty)| ty.clone())
}

/// The class that boxes the primitive type.
pub(crate) fn box_class(ty: &JavaType) -> Option<ClassName> {
    BOXES.iter().find(|(_, primitive)| primitive == ty).map(|(name, _)| ClassName::new(name))
}
