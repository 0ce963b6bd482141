//! Fields and methods of a class (JVMS §4.5, §4.6).
//!
//! In: a parsed class. Out: names, flags and attributes of its members, and the decoded code of a
//! method. Must not know the attributes of the class.

use super::ClassFile;
use super::attributes::{
    Attribute, VISIBLE_ANNOTATIONS, attribute_names, find_attribute, optional, parse_attributes, utf8_attribute,
    visible_annotations,
};
use crate::access::AccessFlags;
use crate::annotation::{Annotation, annotation_types, read_parameter_annotations};
use crate::code::Code;
use crate::descriptor::MethodDescriptor;
use crate::error::ParseError;
use crate::frame::MethodContext;
use crate::pool::{Constant, ConstantPool, tag};
use crate::reader::{Reader, Span};

/// A `field_info` or `method_info` structure.
#[derive(Debug, Clone)]
pub(super) struct MemberInfo {
    span: Span,
    access: AccessFlags,
    name: u16,
    descriptor: u16,
    attributes: Vec<Attribute>,
    /// New contents of the `Code` attribute.
    new_code: Option<Vec<u8>>,
}

/// A field that a class declares.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    class: &'a ClassFile,
    info: &'a MemberInfo,
}

/// A method that a class declares.
#[derive(Debug, Clone, Copy)]
pub struct Method<'a> {
    class: &'a ClassFile,
    info: &'a MemberInfo,
    index: usize,
}

impl<'a> Field<'a> {
    pub(super) fn new(class: &'a ClassFile, info: &'a MemberInfo) -> Field<'a> {
        Field { class, info }
    }

    /// The flags of JVMS table 4.5-A.
    pub fn access(&self) -> AccessFlags {
        self.info.access
    }

    /// The unqualified name (JVMS §4.2.2). Forbidden characters are not checked.
    pub fn name(&self) -> &'a str {
        self.class.checked_utf8(self.info.name)
    }

    /// The field descriptor (JVMS §4.3.2). Its grammar is not checked.
    pub fn descriptor(&self) -> &'a str {
        self.class.checked_utf8(self.info.descriptor)
    }

    /// The contents of the first attribute with this name, without name and length.
    pub fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        self.class.member_attribute(self.info, name)
    }

    /// Descriptors of the annotations of the field, without those of source retention.
    pub fn annotation_types(&self) -> Vec<String> {
        annotation_types(&self.class.pool, |name| self.attribute(name))
    }

    /// The annotations that reflection sees (JVMS §4.7.16); empty without any.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn annotations(&self) -> Result<Vec<Annotation>, ParseError> {
        visible_annotations(&self.class.pool, self.attribute(VISIBLE_ANNOTATIONS))
    }

    /// The generic signature (JVMS §4.7.9.1); `None` where the field has none. Its grammar is not
    /// checked.
    ///
    /// # Errors
    ///
    /// The `Signature` attribute is malformed.
    pub fn signature(&self) -> Result<Option<&'a str>, ParseError> {
        utf8_attribute(self.attribute("Signature"), &self.class.pool, "Signature")
    }

    /// The value that a static field has from the start (JVMS §4.7.2). Its kind is not compared
    /// with the type of the field.
    ///
    /// # Errors
    ///
    /// The `ConstantValue` attribute is malformed.
    pub fn constant_value(&self) -> Result<Option<Constant<'a>>, ParseError> {
        let Some(contents) = self.attribute("ConstantValue") else {
            return Ok(None);
        };
        let mut reader = Reader::new(contents, "ConstantValue");
        let value = self.class.pool.get(reader.u16()?)?;
        reader.finish("ConstantValue")?;
        Ok(Some(value))
    }
}

impl<'a> Method<'a> {
    pub(super) fn new(class: &'a ClassFile, info: &'a MemberInfo, index: usize) -> Method<'a> {
        Method { class, info, index }
    }

    /// Its position among the methods of the class.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The flags of JVMS table 4.6-A.
    pub fn access(&self) -> AccessFlags {
        self.info.access
    }

    /// The unqualified name (JVMS §4.2.2); `<init>` for constructors, `<clinit>` for the static
    /// initialiser. Forbidden characters are not checked.
    pub fn name(&self) -> &'a str {
        self.class.checked_utf8(self.info.name)
    }

    /// The method descriptor (JVMS §4.3.3). Its grammar is not checked.
    pub fn descriptor(&self) -> &'a str {
        self.class.checked_utf8(self.info.descriptor)
    }

    /// The contents of the first attribute with this name, without name and length. A rewritten
    /// `Code` attribute has its new contents.
    pub fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        if name == "Code"
            && let Some(new_code) = &self.info.new_code
        {
            return Some(new_code);
        }
        self.class.member_attribute(self.info, name)
    }

    /// Descriptors of the annotations of the method, without those of source retention.
    pub fn annotation_types(&self) -> Vec<String> {
        annotation_types(&self.class.pool, |name| self.attribute(name))
    }

    /// The names of the attributes, in the order of the file.
    pub(crate) fn attribute_names(&self) -> impl Iterator<Item = &'a str> {
        attribute_names(&self.info.attributes, &self.class.pool)
    }

    /// The generic signature (JVMS §4.7.9.1); `None` where the method has none. Its grammar is not
    /// checked.
    ///
    /// # Errors
    ///
    /// The `Signature` attribute is malformed.
    pub fn signature(&self) -> Result<Option<&'a str>, ParseError> {
        utf8_attribute(self.attribute("Signature"), &self.class.pool, "Signature")
    }

    /// The annotations that reflection sees (JVMS §4.7.16); empty without any.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn annotations(&self) -> Result<Vec<Annotation>, ParseError> {
        visible_annotations(&self.class.pool, self.attribute(VISIBLE_ANNOTATIONS))
    }

    /// The annotations of the parameters that reflection sees (JVMS §4.7.18); empty where no parameter
    /// has any. javac leaves out parameters that it adds itself.
    ///
    /// # Errors
    ///
    /// The attribute is malformed.
    pub fn parameter_annotations(&self) -> Result<Vec<Vec<Annotation>>, ParseError> {
        let contents = self.attribute("RuntimeVisibleParameterAnnotations");
        contents.map_or(Ok(Vec::new()), |contents| read_parameter_annotations(&self.class.pool, contents))
    }

    /// Internal names of the exceptions in the `throws` clause (JVMS §4.7.5); empty without one.
    ///
    /// # Errors
    ///
    /// The `Exceptions` attribute is malformed.
    pub fn exceptions(&self) -> Result<Vec<&'a str>, ParseError> {
        let mut names = Vec::new();
        if let Some(contents) = self.attribute("Exceptions") {
            let mut reader = Reader::new(contents, "Exceptions");
            for _ in 0..reader.u16()? {
                names.push(self.class.pool.class_name(reader.u16()?)?);
            }
            reader.finish("Exceptions")?;
        }
        Ok(names)
    }

    /// The names of the parameters (JVMS §4.7.24), which `javac -parameters` writes; `None` without
    /// the attribute. A parameter without a name has the entry `None`. The list may be longer or
    /// shorter than that of the descriptor.
    ///
    /// # Errors
    ///
    /// The `MethodParameters` attribute is malformed.
    pub fn parameter_names(&self) -> Result<Option<Vec<Option<&'a str>>>, ParseError> {
        let Some(contents) = self.attribute("MethodParameters") else {
            return Ok(None);
        };
        let mut reader = Reader::new(contents, "MethodParameters");
        let mut names = Vec::new();
        for _ in 0..reader.u8()? {
            names.push(optional(reader.u16()?, |index| self.class.pool.utf8(index))?);
            reader.u16()?;
        }
        reader.finish("MethodParameters")?;
        Ok(Some(names))
    }

    /// Whether the method has a `Code` attribute: it is neither abstract nor native.
    pub fn has_code(&self) -> bool {
        self.attribute("Code").is_some()
    }

    /// The decoded body; `None` for abstract and native methods.
    ///
    /// # Errors
    ///
    /// [`ParseError::Descriptor`] for a malformed descriptor; every other variant but those of the
    /// file as a whole for a malformed `Code` attribute.
    pub fn code(&self) -> Result<Option<Code>, ParseError> {
        match self.attribute("Code") {
            Some(contents) => Code::parse(contents, self.context()?, &self.class.pool).map(Some),
            None => Ok(None),
        }
    }

    /// The class that declares the method.
    pub(crate) fn class(&self) -> &'a ClassFile {
        self.class
    }

    /// What the stack map frames of the method start from; [`ParseError::Descriptor`] for a
    /// malformed descriptor.
    pub(crate) fn context(&self) -> Result<MethodContext, ParseError> {
        Ok(MethodContext {
            descriptor: MethodDescriptor::parse(self.descriptor())?,
            is_static: self.access().is_static(),
            is_constructor: self.name() == "<init>" && self.class.super_class != 0,
            this_class: self.class.this_class_index(),
        })
    }
}

impl ClassFile {
    fn checked_utf8(&self, index: u16) -> &str {
        self.pool.utf8(index).expect("parsing checks the names of members")
    }

    fn member_attribute(&self, info: &MemberInfo, name: &str) -> Option<&[u8]> {
        info.attribute(&self.pool, name).map(|span| span.of(&self.bytes))
    }
}

impl MemberInfo {
    pub(super) fn set_access(&mut self, access: AccessFlags) {
        self.access = access;
    }

    /// Panics for a member without code.
    pub(super) fn set_code(&mut self, pool: &ConstantPool, contents: Vec<u8>) {
        assert!(self.attribute(pool, "Code").is_some(), "only existing code is replaced");
        self.new_code = Some(contents);
    }

    fn attribute(&self, pool: &ConstantPool, name: &str) -> Option<Span> {
        find_attribute(&self.attributes, pool, name)
    }

    /// Appends the structure with its new flags and code; `original` are the bytes of the class
    /// file.
    pub(super) fn write(&self, original: &[u8], pool: &ConstantPool, out: &mut Vec<u8>) {
        out.extend(self.access.0.to_be_bytes());
        let Some(new_code) = &self.new_code else {
            out.extend(&self.span.of(original)[2..]);
            return;
        };
        // The flags are written; name, descriptor and attribute count follow unchanged.
        out.extend(&self.span.of(original)[2..8]);
        for attribute in &self.attributes {
            let contents = match pool.utf8_bytes(attribute.name) {
                Ok(b"Code") => new_code,
                _ => attribute.contents.of(original),
            };
            out.extend(attribute.name.to_be_bytes());
            out.extend((contents.len() as u32).to_be_bytes());
            out.extend(contents);
        }
    }
}

/// Reads `fields_count` or `methods_count` and the members.
pub(super) fn parse_members(reader: &mut Reader<'_>, pool: &ConstantPool) -> Result<Vec<MemberInfo>, ParseError> {
    let count = reader.u16()?;
    let mut members = Vec::with_capacity(usize::from(count).min(reader.remaining() / 8));
    for _ in 0..count {
        let start = reader.position() as u32;
        let access = AccessFlags(reader.u16()?);
        let name = reader.u16()?;
        pool.expect(name, tag::UTF8)?;
        let descriptor = reader.u16()?;
        pool.expect(descriptor, tag::UTF8)?;
        let attributes = parse_attributes(reader, pool)?;
        if attributes.iter().filter(|a| matches!(pool.utf8_bytes(a.name), Ok(b"Code"))).count() > 1 {
            return Err(ParseError::Attribute { attribute: "Code", problem: "a method has two of them" });
        }
        members.push(MemberInfo {
            span: Span { start, end: reader.position() as u32 },
            access,
            name,
            descriptor,
            attributes,
            new_code: None,
        });
    }
    Ok(members)
}
