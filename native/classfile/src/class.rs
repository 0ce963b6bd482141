//! A class file (JVMS §4.1). In: bytes; out: names, members and attributes by name, and the bytes again. What is not
//! changed is kept as it stands, so that an untouched class is written byte by byte as it was read.

use crate::access::AccessFlags;
use crate::code::Code;
use crate::descriptor::MethodDescriptor;
use crate::error::ParseError;
use crate::frame::MethodContext;
use crate::pool::{Constant, ConstantPool, MethodHandle, tag};
use crate::reader::{Reader, Span};

#[derive(Debug, Clone)]
pub struct ClassFile {
    bytes: Box<[u8]>,
    minor: u16,
    major: u16,
    pool: ConstantPool,
    access: AccessFlags,
    this_class: u16,
    super_class: u16,
    interfaces: Vec<u16>,
    /// Access flags, this, super, interfaces.
    header: Span,
    fields: Vec<Member>,
    methods: Vec<Member>,
    attributes: Vec<Attribute>,
    /// `attributes_count` and the attributes of the class.
    tail: Span,
}

#[derive(Debug, Clone)]
struct Member {
    span: Span,
    access: AccessFlags,
    name: u16,
    descriptor: u16,
    attributes: Vec<Attribute>,
    /// New contents of the `Code` attribute.
    new_code: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Copy)]
struct Attribute {
    name: u16,
    contents: Span,
}

/// A field of a class.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    class: &'a ClassFile,
    member: &'a Member,
}

/// A method of a class.
#[derive(Debug, Clone, Copy)]
pub struct Method<'a> {
    class: &'a ClassFile,
    member: &'a Member,
    index: usize,
}

/// An `InnerClasses` entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InnerClass<'a> {
    pub inner: &'a str,
    /// `None` for local and anonymous classes.
    pub outer: Option<&'a str>,
    /// The simple name; `None` for anonymous classes.
    pub name: Option<&'a str>,
    pub access: AccessFlags,
}

/// The `EnclosingMethod` of a local or anonymous class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnclosingMethod<'a> {
    pub class: &'a str,
    /// Name and descriptor; `None` where the class stands in an initializer.
    pub(crate) method: Option<(&'a str, &'a str)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordComponent<'a> {
    pub(crate) name: &'a str,
    pub(crate) descriptor: &'a str,
    pub(crate) signature: Option<&'a str>,
}

/// A `BootstrapMethods` entry; the arguments are pool indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapMethod<'a> {
    pub handle: MethodHandle<'a>,
    pub arguments: Vec<u16>,
}

const MAGIC: u32 = 0xcafe_babe;

impl ClassFile {
    pub fn parse(bytes: &[u8]) -> Result<ClassFile, ParseError> {
        let mut reader = Reader::new(bytes, "a class file");
        let magic = reader.u32()?;
        if magic != MAGIC {
            return Err(ParseError::Magic(magic));
        }
        let minor = reader.u16()?;
        let major = reader.u16()?;
        let pool = ConstantPool::parse(&mut reader)?;
        let header_start = reader.position() as u32;
        let access = AccessFlags(reader.u16()?);
        let this_class = reader.u16()?;
        pool.expect(this_class, tag::CLASS)?;
        let super_class = reader.u16()?;
        if super_class != 0 {
            pool.expect(super_class, tag::CLASS)?;
        }
        let mut interfaces = Vec::new();
        for _ in 0..reader.u16()? {
            let index = reader.u16()?;
            pool.expect(index, tag::CLASS)?;
            interfaces.push(index);
        }
        let header = Span { start: header_start, end: reader.position() as u32 };
        let fields = parse_members(&mut reader, &pool)?;
        let methods = parse_members(&mut reader, &pool)?;
        let tail_start = reader.position() as u32;
        let attributes = parse_attributes(&mut reader, &pool)?;
        let tail = Span { start: tail_start, end: reader.position() as u32 };
        if reader.remaining() > 0 {
            return Err(ParseError::Trailing(reader.remaining()));
        }
        Ok(ClassFile {
            bytes: bytes.into(),
            minor,
            major,
            pool,
            access,
            this_class,
            super_class,
            interfaces,
            header,
            fields,
            methods,
            attributes,
            tail,
        })
    }

    /// The class file; of an untouched class, the bytes that were parsed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let original = &*self.bytes;
        let mut out = Vec::with_capacity(original.len() + original.len() / 2);
        out.extend(MAGIC.to_be_bytes());
        out.extend(self.minor.to_be_bytes());
        out.extend(self.major.to_be_bytes());
        self.pool.write(&mut out);
        out.extend(self.header.of(original));
        for members in [&self.fields, &self.methods] {
            out.extend((members.len() as u16).to_be_bytes());
            for member in members {
                member.write(original, &self.pool, &mut out);
            }
        }
        out.extend(self.tail.of(original));
        out
    }

    /// `minor_version`; 65535 marks a class that uses preview features.
    pub(crate) fn minor_version(&self) -> u16 {
        self.minor
    }

    /// `major_version`: 52 is Java 8, 61 Java 17, 69 Java 25.
    pub fn major_version(&self) -> u16 {
        self.major
    }

    pub fn access(&self) -> AccessFlags {
        self.access
    }

    /// The internal name (`java/lang/String`).
    pub fn this_class(&self) -> &str {
        self.checked_class_name(self.this_class)
    }

    /// `None` for `java/lang/Object` and modules.
    pub fn super_class(&self) -> Option<&str> {
        (self.super_class != 0).then(|| self.checked_class_name(self.super_class))
    }

    pub fn interfaces(&self) -> impl ExactSizeIterator<Item = &str> {
        self.interfaces.iter().map(|&index| self.checked_class_name(index))
    }

    fn checked_class_name(&self, index: u16) -> &str {
        self.pool.class_name(index).expect("parsing checks the classes of the header")
    }

    pub fn constant_pool(&self) -> &ConstantPool {
        &self.pool
    }

    /// For appending; entries that are there stay.
    pub fn constant_pool_mut(&mut self) -> &mut ConstantPool {
        &mut self.pool
    }

    pub fn fields(&self) -> impl ExactSizeIterator<Item = Field<'_>> {
        self.fields.iter().map(|member| Field { class: self, member })
    }

    pub fn methods(&self) -> impl ExactSizeIterator<Item = Method<'_>> {
        (0..self.methods.len()).map(|index| self.method(index))
    }

    /// The method with this position in the file. Panics behind the last one.
    pub fn method(&self, index: usize) -> Method<'_> {
        Method { class: self, member: &self.methods[index], index }
    }

    pub fn find_method(&self, name: &str, descriptor: &str) -> Option<Method<'_>> {
        self.methods().find(|method| method.name() == name && method.descriptor() == descriptor)
    }

    /// Sets the access flags of the field with this position in the file. Panics behind the last one.
    pub fn set_field_access(&mut self, index: usize, access: AccessFlags) {
        self.fields[index].access = access;
    }

    /// Replaces the contents of a method's `Code` attribute (see `CodeEditor`). Panics for a method that has none.
    pub(crate) fn set_code(&mut self, method: usize, contents: Vec<u8>) {
        let member = &mut self.methods[method];
        assert!(member.attribute(&self.pool, "Code").is_some(), "only code that is there is replaced");
        member.new_code = Some(contents);
    }

    pub(crate) fn this_class_index(&self) -> u16 {
        self.this_class
    }

    // ---- attributes of the class

    /// The contents of the class attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&[u8]> {
        find_attribute(&self.attributes, &self.pool, name).map(|span| span.of(&self.bytes))
    }

    /// The names of the attributes, in the order of the file.
    pub(crate) fn attribute_names(&self) -> impl Iterator<Item = &str> {
        attribute_names(&self.attributes, &self.pool)
    }

    /// The generic signature.
    pub fn signature(&self) -> Result<Option<&str>, ParseError> {
        utf8_attribute(self.attribute("Signature"), &self.pool, "Signature")
    }

    pub fn source_file(&self) -> Result<Option<&str>, ParseError> {
        utf8_attribute(self.attribute("SourceFile"), &self.pool, "SourceFile")
    }

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

    pub fn nest_host(&self) -> Result<Option<&str>, ParseError> {
        let Some(contents) = self.attribute("NestHost") else {
            return Ok(None);
        };
        let mut reader = Reader::new(contents, "NestHost");
        let host = self.pool.class_name(reader.u16()?)?;
        reader.finish("NestHost")?;
        Ok(Some(host))
    }

    pub fn nest_members(&self) -> Result<Vec<&str>, ParseError> {
        self.class_list("NestMembers")
    }

    /// Empty for a class that is not sealed.
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

    /// The components of a record; `None` for any other class.
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

impl<'a> Field<'a> {
    pub fn access(&self) -> AccessFlags {
        self.member.access
    }

    pub fn name(&self) -> &'a str {
        self.class.checked_utf8(self.member.name)
    }

    pub fn descriptor(&self) -> &'a str {
        self.class.checked_utf8(self.member.descriptor)
    }

    pub fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        self.class.member_attribute(self.member, name)
    }

    pub fn signature(&self) -> Result<Option<&'a str>, ParseError> {
        utf8_attribute(self.attribute("Signature"), &self.class.pool, "Signature")
    }

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
    /// Its position among the methods of the class.
    pub fn index(&self) -> usize {
        self.index
    }

    pub fn access(&self) -> AccessFlags {
        self.member.access
    }

    pub fn name(&self) -> &'a str {
        self.class.checked_utf8(self.member.name)
    }

    pub fn descriptor(&self) -> &'a str {
        self.class.checked_utf8(self.member.descriptor)
    }

    pub fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        if name == "Code"
            && let Some(new_code) = &self.member.new_code
        {
            return Some(new_code);
        }
        self.class.member_attribute(self.member, name)
    }

    pub(crate) fn attribute_names(&self) -> impl Iterator<Item = &'a str> {
        attribute_names(&self.member.attributes, &self.class.pool)
    }

    pub fn signature(&self) -> Result<Option<&'a str>, ParseError> {
        utf8_attribute(self.attribute("Signature"), &self.class.pool, "Signature")
    }

    /// The `Exceptions` attribute: the internal names that a `throws` clause declares.
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

    /// The names of the parameters as `MethodParameters` gives them (`javac -parameters`); an entry may have none.
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

    pub fn has_code(&self) -> bool {
        self.attribute("Code").is_some()
    }

    /// The body, decoded; `None` for abstract and native methods.
    pub fn code(&self) -> Result<Option<Code>, ParseError> {
        match self.attribute("Code") {
            Some(contents) => Code::parse(contents, self.context()?, &self.class.pool).map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn class(&self) -> &'a ClassFile {
        self.class
    }

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

    fn member_attribute(&self, member: &Member, name: &str) -> Option<&[u8]> {
        member.attribute(&self.pool, name).map(|span| span.of(&self.bytes))
    }
}

impl Member {
    fn attribute(&self, pool: &ConstantPool, name: &str) -> Option<Span> {
        find_attribute(&self.attributes, pool, name)
    }

    fn write(&self, original: &[u8], pool: &ConstantPool, out: &mut Vec<u8>) {
        out.extend(self.access.0.to_be_bytes());
        let Some(new_code) = &self.new_code else {
            out.extend(&self.span.of(original)[2..]);
            return;
        };
        // Name, descriptor and attribute count stay.
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

fn parse_members(reader: &mut Reader<'_>, pool: &ConstantPool) -> Result<Vec<Member>, ParseError> {
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
            return Err(ParseError::Attribute { attribute: "Code", problem: "a method has two" });
        }
        members.push(Member {
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

fn parse_attributes(reader: &mut Reader<'_>, pool: &ConstantPool) -> Result<Vec<Attribute>, ParseError> {
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

fn find_attribute(attributes: &[Attribute], pool: &ConstantPool, name: &str) -> Option<Span> {
    attributes
        .iter()
        .find(|attribute| matches!(pool.utf8_bytes(attribute.name), Ok(found) if found == name.as_bytes()))
        .map(|attribute| attribute.contents)
}

fn attribute_names<'a>(attributes: &'a [Attribute], pool: &'a ConstantPool) -> impl Iterator<Item = &'a str> {
    attributes.iter().map(|attribute| pool.utf8(attribute.name).expect("parsing checks the names of attributes"))
}

/// An attribute that consists of one Utf8 index.
fn utf8_attribute<'a>(
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

fn optional<T>(index: u16, get: impl FnOnce(u16) -> Result<T, ParseError>) -> Result<Option<T>, ParseError> {
    if index == 0 { Ok(None) } else { get(index).map(Some) }
}
