//! Names of classes, members and erased types (JVMS §4.2, §4.3).
//!
//! In: internal names and descriptors. Out: typed values that print as they were. Must not know
//! where classes come from.

use std::fmt;
use std::sync::Arc;

use tracewright_classfile::{ElementType, FieldDescriptor, PrimitiveType};

/// A class by its internal name, `java/lang/String`. Arrays are types and no classes: see
/// [`JavaType`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassName(Arc<str>);

impl ClassName {
    /// From an internal name (`java/lang/String`).
    pub fn new(internal: &str) -> ClassName {
        ClassName(internal.into())
    }

    /// From a binary name (`java.util.Map$Entry`).
    pub fn from_binary(binary: &str) -> ClassName {
        ClassName(binary.replace('.', "/").into())
    }

    /// The internal name: `java/util/Map$Entry`.
    pub fn internal(&self) -> &str {
        &self.0
    }

    /// The binary name: `java.util.Map$Entry`.
    pub fn binary(&self) -> String {
        self.0.replace('/', ".")
    }

    /// Internal name of the package, empty for the unnamed one.
    pub(crate) fn package(&self) -> &str {
        self.0.rfind('/').map_or("", |slash| &self.0[..slash])
    }

    /// The name without its package: `Map$Entry`.
    pub fn local_name(&self) -> &str {
        self.0.rfind('/').map_or(&self.0, |slash| &self.0[slash + 1..])
    }

    /// Whether the name says that its objects build others.
    pub(crate) fn is_builder(&self) -> bool {
        self.0.ends_with("Builder")
    }
}

impl fmt::Display for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ClassName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A method or constructor by owner, name and descriptor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodRef {
    /// The class that the reference names; a superclass may declare the method.
    pub owner: ClassName,
    /// `<init>` for a constructor.
    pub name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
}

impl MethodRef {
    /// A reference; the descriptor is not checked.
    pub fn new(owner: ClassName, name: &str, descriptor: &str) -> MethodRef {
        MethodRef { owner, name: name.into(), descriptor: descriptor.into() }
    }

    /// The types of the parameters, without the receiver; empty when the descriptor is malformed.
    pub fn parameters(&self) -> Vec<JavaType> {
        JavaType::parse_method(&self.descriptor).map(|(parameters, _)| parameters).unwrap_or_default()
    }

    /// The returned type; `Void` when the descriptor is malformed.
    pub fn return_type(&self) -> JavaType {
        JavaType::parse_method(&self.descriptor).map_or(JavaType::Void, |(_, returned)| returned)
    }
}

impl fmt::Display for MethodRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}{}", self.owner, self.name, self.descriptor)
    }
}

/// A field by owner, name and descriptor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldRef {
    pub(crate) owner: ClassName,
    /// The simple name.
    pub name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
}

impl FieldRef {
    /// A reference; the descriptor is not checked.
    pub(crate) fn new(owner: ClassName, name: &str, descriptor: &str) -> FieldRef {
        FieldRef { owner, name: name.into(), descriptor: descriptor.into() }
    }

    /// The type of the field; `Void` when the descriptor is malformed.
    pub(crate) fn field_type(&self) -> JavaType {
        JavaType::parse(&self.descriptor).unwrap_or(JavaType::Void)
    }
}

impl fmt::Display for FieldRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}:{}", self.owner, self.name, self.descriptor)
    }
}

/// An erased type (JLS §4.6).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JavaType {
    /// Only as a return type.
    Void,
    /// A primitive type.
    Primitive(PrimitiveType),
    /// A class or interface.
    Class(ClassName),
    /// An array of this component type.
    Array(Box<JavaType>),
}

impl JavaType {
    /// The type `boolean`.
    pub const BOOLEAN: JavaType = JavaType::Primitive(PrimitiveType::Boolean);
    /// The type `byte`.
    pub const BYTE: JavaType = JavaType::Primitive(PrimitiveType::Byte);
    /// The type `char`.
    pub const CHAR: JavaType = JavaType::Primitive(PrimitiveType::Char);
    /// The type `short`.
    pub const SHORT: JavaType = JavaType::Primitive(PrimitiveType::Short);
    /// The type `int`.
    pub const INT: JavaType = JavaType::Primitive(PrimitiveType::Int);
    /// The type `long`.
    pub const LONG: JavaType = JavaType::Primitive(PrimitiveType::Long);
    /// The type `float`.
    pub const FLOAT: JavaType = JavaType::Primitive(PrimitiveType::Float);
    /// The type `double`.
    pub const DOUBLE: JavaType = JavaType::Primitive(PrimitiveType::Double);

    /// The type of a class by internal name.
    pub fn class(internal: &str) -> JavaType {
        JavaType::Class(ClassName::new(internal))
    }

    /// Whether values are of a primitive type; false for `Void`.
    pub fn is_primitive(&self) -> bool {
        self.primitive().is_some()
    }

    /// Whether values are references, or null.
    pub fn is_reference(&self) -> bool {
        matches!(self, JavaType::Class(_) | JavaType::Array(_))
    }

    /// The primitive type, which knows its keyword and its box.
    pub fn primitive(&self) -> Option<PrimitiveType> {
        match self {
            JavaType::Primitive(primitive) => Some(*primitive),
            JavaType::Void | JavaType::Class(_) | JavaType::Array(_) => None,
        }
    }

    /// The keyword of a primitive type or of `void` in Java source; `None` for classes and arrays.
    pub(crate) fn keyword(&self) -> Option<&'static str> {
        match self {
            JavaType::Void => Some("void"),
            _ => self.primitive().map(PrimitiveType::keyword),
        }
    }

    /// Local variable or operand stack slots of one value: 2 for `long` and `double`, 0 for `void`,
    /// else 1.
    pub(crate) fn slots(&self) -> u16 {
        match self {
            JavaType::Void => 0,
            _ => self.primitive().map_or(1, PrimitiveType::slots),
        }
    }

    /// The primitive type that the class boxes (JLS §5.1.7).
    pub fn unboxed(class: &ClassName) -> Option<JavaType> {
        PrimitiveType::from_box_class(class.internal()).map(JavaType::from)
    }

    /// Whether it is primitive, or a type of the JDK whose objects no call can change.
    pub(crate) fn is_immutable(&self) -> bool {
        let JavaType::Class(class) = self else { return self.is_primitive() };
        matches!(class.package(), "java/time" | "java/math")
            || matches!(class.internal(), "java/lang/String" | "java/util/UUID" | "java/util/Locale")
            || JavaType::unboxed(class).is_some()
    }

    /// Parses one field descriptor (JVMS §4.3.2) or `V`; `None` when it is malformed.
    pub fn parse(descriptor: &str) -> Option<JavaType> {
        if descriptor == "V" {
            return Some(JavaType::Void);
        }
        let (parsed, rest) = FieldDescriptor::parse_prefix(descriptor)?;
        rest.is_empty().then(|| parsed.into())
    }

    /// Parses a method descriptor (JVMS §4.3.3) into parameters and return type; `None` when it is
    /// malformed.
    pub fn parse_method(descriptor: &str) -> Option<(Vec<JavaType>, JavaType)> {
        let mut rest = descriptor.strip_prefix('(')?;
        let mut parameters = Vec::new();
        loop {
            if let Some(returned) = rest.strip_prefix(')') {
                return Some((parameters, JavaType::parse(returned)?));
            }
            let (parameter, after) = FieldDescriptor::parse_prefix(rest)?;
            parameters.push(parameter.into());
            rest = after;
        }
    }

    /// The field descriptor (JVMS §4.3.2); `V` for void.
    pub fn descriptor(&self) -> String {
        self.to_string()
    }
}

impl From<PrimitiveType> for JavaType {
    fn from(primitive: PrimitiveType) -> JavaType {
        JavaType::Primitive(primitive)
    }
}

impl From<FieldDescriptor<'_>> for JavaType {
    fn from(descriptor: FieldDescriptor<'_>) -> JavaType {
        let element = match descriptor.element {
            ElementType::Primitive(primitive) => primitive.into(),
            ElementType::Class(name) => JavaType::class(name),
        };
        (0..descriptor.dimensions).fold(element, |component, _| JavaType::Array(Box::new(component)))
    }
}

impl fmt::Display for JavaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JavaType::Void => write!(f, "V"),
            JavaType::Primitive(primitive) => write!(f, "{}", primitive.descriptor()),
            JavaType::Class(name) => write!(f, "L{name};"),
            JavaType::Array(component) => write!(f, "[{component}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_round_trip() {
        for descriptor in ["V", "Z", "B", "C", "S", "I", "J", "F", "D", "[[J", "Ljava/lang/String;", "[Ljava/util/Map$Entry;"] {
            assert_eq!(JavaType::parse(descriptor).expect("well-formed").descriptor(), descriptor);
        }
        for malformed in ["", "[", "Ljava", "Q", "II", "[V", "VV"] {
            assert_eq!(JavaType::parse(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn a_method_descriptor_has_parameters_and_result() {
        let (parameters, returned) = JavaType::parse_method("(I[Ljava/lang/Object;J)V").expect("well-formed");
        assert_eq!(parameters.iter().map(JavaType::descriptor).collect::<Vec<_>>(), ["I", "[Ljava/lang/Object;", "J"]);
        assert_eq!(returned, JavaType::Void);
        for malformed in ["", "I", "(", "(I", "(V)V", "()", "()II"] {
            assert_eq!(JavaType::parse_method(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn boxes_hold_their_primitive_type() {
        for primitive in PrimitiveType::ALL {
            let ty = JavaType::from(primitive);
            assert_eq!(ty.primitive(), Some(primitive));
            assert_eq!(JavaType::unboxed(&ClassName::new(primitive.box_class())), Some(ty));
        }
        assert_eq!(JavaType::unboxed(&ClassName::new("java/lang/String")), None);
        assert!(!JavaType::Void.is_primitive() && !JavaType::Void.is_reference());
    }

    #[test]
    fn a_class_name_has_a_package_and_a_local_name() {
        let entry = ClassName::from_binary("java.util.Map$Entry");
        assert_eq!((entry.package(), entry.local_name(), entry.internal()), ("java/util", "Map$Entry", "java/util/Map$Entry"));
        let unnamed = ClassName::new("A");
        assert_eq!((unnamed.package(), unnamed.local_name(), unnamed.binary().as_str()), ("", "A", "A"));
    }
}
