//! The attributes of a class (JVMS §4.7).
//!
//! In: a parsed class. Out: the decoded contents of one attribute at a time. Must not know members
//! and code: see `member` and `code`.

use super::ClassFile;
use crate::access::AccessFlags;
use crate::annotation::{Annotation, annotation_types, read_annotations};
use crate::error::ParseError;
use crate::pool::{ConstantPool, MethodHandle, tag};
use crate::reader::{Reader, Span};

/// An attribute that is not decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute {
    /// Index of the `Utf8` constant with its name.
    pub(super) name: u16,
    /// Its contents, without name and length.
    pub(super) contents: Span,
}

/// An entry of the `InnerClasses` attribute (JVMS §4.7.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InnerClass<'a> {
    /// Internal name of the nested class.
    pub inner: &'a str,
    /// Internal name of the class that declares it as a member; `None` for local and anonymous
    /// classes.
    pub outer: Option<&'a str>,
    /// The simple name in the source; `None` for anonymous classes.
    pub name: Option<&'a str>,
    /// The flags that the source gives to the nested class (JVMS table 4.7.6-A).
    pub access: AccessFlags,
}

/// The `EnclosingMethod` attribute of a local or anonymous class (JVMS §4.7.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnclosingMethod<'a> {
    /// Internal name of the innermost class around it.
    pub class: &'a str,
    /// Name and descriptor of the method around it; `None` in an initialiser.
    pub(crate) method: Option<(&'a str, &'a str)>,
}

/// A component of a record (JVMS §4.7.30).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordComponent<'a> {
    /// Name, also of the method that reads it.
    pub name: &'a str,
    /// Descriptor of its type.
    pub descriptor: &'a str,
    /// Generic signature (JVMS §4.7.9.1).
    pub(crate) signature: Option<&'a str>,
}

/// An entry of the `BootstrapMethods` attribute (JVMS §4.7.23).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapMethod<'a> {
    /// The bootstrap method.
    pub handle: MethodHandle<'a>,
    /// Constant pool indices of its static arguments. Their entries are not checked.
    pub arguments: Vec<u16>,
}

/// The attribute with the annotations that reflection sees.
pub(super) const VISIBLE_ANNOTATIONS: &str = "RuntimeVisibleAnnotations";

/// The annotations in the contents of that attribute; none without it.
pub(super) fn visible_annotations(pool: &ConstantPool, contents: Option<&[u8]>) -> Result<Vec<Annotation>, ParseError> {
    contents.map_or(Ok(Vec::new()), |contents| read_annotations(pool, contents))
}

/// Each accessor of an attribute fails with [`ParseError::Truncated`] or [`ParseError::Attribute`]
/// when the contents have the wrong length, and with [`ParseError::Constant`] or
/// [`ParseError::ConstantKind`] when an index leads to no entry of the right kind.
impl ClassFile {
    /// The contents of the first class attribute with this name, without name and length.
    pub fn attribute(&self, name: &str) -> Option<&[u8]> {
        find_attribute(&self.attributes, &self.pool, name).map(|span| span.of(&self.bytes))
    }

    /// Descriptors of the annotations of the class, without those of source retention.
    pub fn annotation_types(&self) -> Vec<String> {
        annotation_types(&self.pool, |name| self.attribute(name))
    }

    /// The names of the class attributes, in the order of the file.
    pub(crate) fn attribute_names(&self) -> impl Iterator<Item = &str> {
        attribute_names(&self.attributes, &self.pool)
    }

    /// The generic signature (JVMS §4.7.9.1); `None` where the class has none. Its grammar is not
    /// checked.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn signature(&self) -> Result<Option<&str>, ParseError> {
        utf8_attribute(self.attribute("Signature"), &self.pool, "Signature")
    }

    /// The annotations that reflection sees (JVMS §4.7.16); empty without any.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn annotations(&self) -> Result<Vec<Annotation>, ParseError> {
        visible_annotations(&self.pool, self.attribute(VISIBLE_ANNOTATIONS))
    }

    /// Name of the source file without directories (JVMS §4.7.10); `None` when the compiler left it
    /// out.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn source_file(&self) -> Result<Option<&str>, ParseError> {
        utf8_attribute(self.attribute("SourceFile"), &self.pool, "SourceFile")
    }

    /// The nested classes that the constant pool mentions (JVMS §4.7.6), in the order of the file;
    /// among them the class itself if it is nested. Empty without the attribute.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn inner_classes(&self) -> Result<Vec<InnerClass<'_>>, ParseError> {
        let mut entries = Vec::new();
        if let Some(contents) = self.attribute("InnerClasses") {
            let mut reader = Reader::new(contents, "InnerClasses");
            for _ in 0..reader.u16()? {
                let inner = self.pool.class_name(reader.u16()?)?;
                let outer = reader.u16()?;
                let name = reader.u16()?;
                entries.push(InnerClass {
                    inner,
                    outer: optional(outer, |index| self.pool.class_name(index))?,
                    name: optional(name, |index| self.pool.utf8(index))?,
                    access: AccessFlags(reader.u16()?),
                });
            }
            reader.finish("InnerClasses")?;
        }
        Ok(entries)
    }

    /// Where a local or anonymous class stands; `None` for other classes.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn enclosing_method(&self) -> Result<Option<EnclosingMethod<'_>>, ParseError> {
        let Some(contents) = self.attribute("EnclosingMethod") else {
            return Ok(None);
        };
        let mut reader = Reader::new(contents, "EnclosingMethod");
        let class = self.pool.class_name(reader.u16()?)?;
        let method = optional(reader.u16()?, |index| self.pool.name_and_type(index))?;
        reader.finish("EnclosingMethod")?;
        Ok(Some(EnclosingMethod { class, method: method.map(|method| (method.name, method.descriptor)) }))
    }

    /// Internal name of the host of the nest that the class belongs to (JVMS §4.7.28); `None` for
    /// the host itself.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn nest_host(&self) -> Result<Option<&str>, ParseError> {
        let Some(contents) = self.attribute("NestHost") else {
            return Ok(None);
        };
        let mut reader = Reader::new(contents, "NestHost");
        let host = self.pool.class_name(reader.u16()?)?;
        reader.finish("NestHost")?;
        Ok(Some(host))
    }

    /// Internal names of the other members of the nest that the class hosts (JVMS §4.7.29); empty
    /// for other classes.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn nest_members(&self) -> Result<Vec<&str>, ParseError> {
        self.class_list("NestMembers")
    }

    /// Internal names of the permitted direct subclasses (JVMS §4.7.31); empty for a class that is
    /// not sealed.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn permitted_subclasses(&self) -> Result<Vec<&str>, ParseError> {
        self.class_list("PermittedSubclasses")
    }

    fn class_list(&self, attribute: &'static str) -> Result<Vec<&str>, ParseError> {
        let mut names = Vec::new();
        if let Some(contents) = self.attribute(attribute) {
            let mut reader = Reader::new(contents, attribute);
            for _ in 0..reader.u16()? {
                names.push(self.pool.class_name(reader.u16()?)?);
            }
            reader.finish(attribute)?;
        }
        Ok(names)
    }

    /// The components of a record, in the order of the header; `None` for any other class.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn record_components(&self) -> Result<Option<Vec<RecordComponent<'_>>>, ParseError> {
        let Some(contents) = self.attribute("Record") else {
            return Ok(None);
        };
        let mut reader = Reader::new(contents, "Record");
        let mut components = Vec::new();
        for _ in 0..reader.u16()? {
            let name = self.pool.utf8(reader.u16()?)?;
            let descriptor = self.pool.utf8(reader.u16()?)?;
            let mut signature = None;
            for _ in 0..reader.u16()? {
                let attribute = self.pool.utf8(reader.u16()?)?;
                let length = reader.u32()? as usize;
                let contents = reader.take(length)?;
                if attribute == "Signature" {
                    signature = utf8_attribute(Some(contents), &self.pool, "Signature")?;
                }
            }
            components.push(RecordComponent { name, descriptor, signature });
        }
        reader.finish("Record")?;
        Ok(Some(components))
    }

    /// The bootstrap methods (JVMS §4.7.23);
    /// [`DynamicRef::bootstrap`](crate::DynamicRef::bootstrap) is an index into them.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn bootstrap_methods(&self) -> Result<Vec<BootstrapMethod<'_>>, ParseError> {
        let mut methods = Vec::new();
        if let Some(contents) = self.attribute("BootstrapMethods") {
            let mut reader = Reader::new(contents, "BootstrapMethods");
            for _ in 0..reader.u16()? {
                let handle = self.pool.method_handle(reader.u16()?)?;
                let mut arguments = Vec::new();
                for _ in 0..reader.u16()? {
                    arguments.push(reader.u16()?);
                }
                methods.push(BootstrapMethod { handle, arguments });
            }
            reader.finish("BootstrapMethods")?;
        }
        Ok(methods)
    }
}

/// Reads `attributes_count` and the attributes. Their names are checked, their contents are not.
pub(super) fn parse_attributes(reader: &mut Reader<'_>, pool: &ConstantPool) -> Result<Vec<Attribute>, ParseError> {
    let count = reader.u16()?;
    let mut attributes = Vec::with_capacity(usize::from(count).min(reader.remaining() / 6));
    for _ in 0..count {
        let name = reader.u16()?;
        pool.expect(name, tag::UTF8)?;
        let length = reader.u32()? as usize;
        attributes.push(Attribute { name, contents: reader.span(length)? });
    }
    Ok(attributes)
}

/// The contents of the first attribute with this name.
pub(super) fn find_attribute(attributes: &[Attribute], pool: &ConstantPool, name: &str) -> Option<Span> {
    attributes
        .iter()
        .find(|attribute| matches!(pool.utf8_bytes(attribute.name), Ok(found) if found == name.as_bytes()))
        .map(|attribute| attribute.contents)
}

/// The names of the attributes, in the order of the file.
pub(super) fn attribute_names<'a>(attributes: &'a [Attribute], pool: &'a ConstantPool) -> impl Iterator<Item = &'a str> {
    attributes.iter().map(|attribute| pool.utf8(attribute.name).expect("parsing checks the names of attributes"))
}

/// The text of an attribute that consists of one index of a `Utf8` constant.
pub(super) fn utf8_attribute<'a>(
    contents: Option<&[u8]>,
    pool: &'a ConstantPool,
    attribute: &'static str,
) -> Result<Option<&'a str>, ParseError> {
    let Some(contents) = contents else {
        return Ok(None);
    };
    let mut reader = Reader::new(contents, attribute);
    let text = pool.utf8(reader.u16()?)?;
    reader.finish(attribute)?;
    Ok(Some(text))
}

/// The entry at an index; `None` for index 0.
pub(super) fn optional<T>(index: u16, get: impl FnOnce(u16) -> Result<T, ParseError>) -> Result<Option<T>, ParseError> {
    if index == 0 { Ok(None) } else { get(index).map(Some) }
}
