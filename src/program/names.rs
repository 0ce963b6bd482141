//! Names of classes, members and erased types (JVMS §4.2, §4.3). Knows nothing of where classes come from.

use std::fmt;
use std::sync::Arc;

/// A class by its internal name, `java/lang/String`. Arrays are no class names: see [`JavaType`].
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

    pub fn internal(&self) -> &str {
        &self.0
    }

    /// `java.util.Map$Entry`.
    pub fn binary(&self) -> String {
        self.0.replace('/', ".")
    }

    /// Internal name of the package, empty for the unnamed one.
    pub(crate) fn package(&self) -> &str {
        self.0.rfind('/').map_or("", |slash| &self.0[..slash])
    }

    /// What follows the package: `Map$Entry`.
    pub fn local_name(&self) -> &str {
        self.0.rfind('/').map_or(&self.0, |slash| &self.0[slash + 1..])
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
    pub owner: ClassName,
    pub name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
}

impl MethodRef {
    pub fn new(owner: ClassName, name: &str, descriptor: &str) -> MethodRef {
        MethodRef { owner, name: name.into(), descriptor: descriptor.into() }
    }

    pub fn parameters(&self) -> Vec<JavaType> {
        JavaType::parse_method(&self.descriptor).map(|(parameters, _)| parameters).unwrap_or_default()
    }

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
    pub name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
}

impl FieldRef {
    pub(crate) fn new(owner: ClassName, name: &str, descriptor: &str) -> FieldRef {
        FieldRef { owner, name: name.into(), descriptor: descriptor.into() }
    }

    pub(crate) fn field_type(&self) -> JavaType {
        JavaType::parse(&self.descriptor).unwrap_or(JavaType::Void)
    }
}

impl fmt::Display for FieldRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}:{}", self.owner, self.name, self.descriptor)
    }
}

/// An erased type; `Void` only as a return type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JavaType {
    Void,
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Class(ClassName),
    Array(Box<JavaType>),
}

impl JavaType {
    pub fn class(internal: &str) -> JavaType {
        JavaType::Class(ClassName::new(internal))
    }

    pub fn is_primitive(&self) -> bool {
        !matches!(self, JavaType::Void | JavaType::Class(_) | JavaType::Array(_))
    }

    pub fn is_reference(&self) -> bool {
        matches!(self, JavaType::Class(_) | JavaType::Array(_))
    }

    /// Parses one field descriptor (JVMS §4.3.2) or `V`; `None` when it is malformed.
    pub fn parse(descriptor: &str) -> Option<JavaType> {
        let (parsed, rest) = JavaType::parse_prefix(descriptor)?;
        rest.is_empty().then_some(parsed)
    }

    /// Parses a method descriptor (JVMS §4.3.3) into parameters and return type.
    pub fn parse_method(descriptor: &str) -> Option<(Vec<JavaType>, JavaType)> {
        let mut rest = descriptor.strip_prefix('(')?;
        let mut parameters = Vec::new();
        while !rest.starts_with(')') {
            let (parameter, after) = JavaType::parse_prefix(rest)?;
            parameters.push(parameter);
            rest = after;
        }
        Some((parameters, JavaType::parse(&rest[1..])?))
    }

    fn parse_prefix(text: &str) -> Option<(JavaType, &str)> {
        let simple = match text.as_bytes().first()? {
            b'V' => JavaType::Void,
            b'Z' => JavaType::Boolean,
            b'B' => JavaType::Byte,
            b'C' => JavaType::Char,
            b'S' => JavaType::Short,
            b'I' => JavaType::Int,
            b'J' => JavaType::Long,
            b'F' => JavaType::Float,
            b'D' => JavaType::Double,
            b'L' => {
                let end = text.find(';')?;
                return Some((JavaType::class(&text[1..end]), &text[end + 1..]));
            }
            b'[' => {
                let (element, rest) = JavaType::parse_prefix(&text[1..])?;
                return Some((JavaType::Array(Box::new(element)), rest));
            }
            _ => return None,
        };
        Some((simple, &text[1..]))
    }

    /// The field descriptor (JVMS §4.3.2); `V` for void.
    pub fn descriptor(&self) -> String {
        match self {
            JavaType::Void => "V".into(),
            JavaType::Boolean => "Z".into(),
            JavaType::Byte => "B".into(),
            JavaType::Char => "C".into(),
            JavaType::Short => "S".into(),
            JavaType::Int => "I".into(),
            JavaType::Long => "J".into(),
            JavaType::Float => "F".into(),
            JavaType::Double => "D".into(),
            JavaType::Class(name) => format!("L{name};"),
            JavaType::Array(element) => format!("[{}", element.descriptor()),
        }
    }
}

impl fmt::Display for JavaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.descriptor())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_round_trip() {
        for descriptor in ["V", "I", "[[J", "Ljava/lang/String;", "[Ljava/util/Map$Entry;"] {
            assert_eq!(JavaType::parse(descriptor).expect("well-formed").descriptor(), descriptor);
        }
        for malformed in ["", "[", "Ljava", "Q", "II"] {
            assert_eq!(JavaType::parse(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn a_method_descriptor_has_parameters_and_result() {
        let (parameters, returned) = JavaType::parse_method("(I[Ljava/lang/Object;J)V").expect("well-formed");
        assert_eq!(parameters.iter().map(JavaType::descriptor).collect::<Vec<_>>(), ["I", "[Ljava/lang/Object;", "J"]);
        assert_eq!(returned, JavaType::Void);
        assert_eq!(JavaType::parse_method("(I"), None);
    }
}
