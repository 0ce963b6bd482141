//! A class file (JVMS §4.1).
//!
//! In: bytes. Out: names, members and attributes by name, and the bytes again. A part that is not
//! changed keeps its bytes, so an untouched class is written as it was read. Must not know how code
//! is changed: see `edit`.

mod attributes;
mod member;

pub use attributes::{BootstrapMethod, EnclosingMethod, InnerClass, RecordComponent};
pub use member::{Field, Method};

use crate::access::AccessFlags;
use crate::error::ParseError;
use crate::pool::{ConstantPool, tag};
use crate::reader::{Reader, Span};
use attributes::{Attribute, parse_attributes};
use member::{MemberInfo, parse_members};

/// A class, interface or module descriptor.
#[derive(Debug, Clone)]
pub struct ClassFile {
    /// The whole file; every [`Span`] is a range of it.
    bytes: Box<[u8]>,
    minor: u16,
    major: u16,
    pool: ConstantPool,
    access: AccessFlags,
    this_class: u16,
    /// 0 when there is none.
    super_class: u16,
    interfaces: Vec<u16>,
    /// Access flags, this class, superclass and interfaces.
    header: Span,
    fields: Vec<MemberInfo>,
    methods: Vec<MemberInfo>,
    attributes: Vec<Attribute>,
    /// `attributes_count` and the attributes of the class.
    tail: Span,
}

const MAGIC: u32 = 0xcafe_babe;

impl ClassFile {
    /// Reads a class file. Checked are its structure and the constant pool: references between
    /// entries, the names in the header, and the names of members and attributes. Contents of
    /// attributes are checked when they are asked for. The version is not checked.
    ///
    /// # Errors
    ///
    /// [`ParseError::Magic`], [`ParseError::Truncated`] and [`ParseError::Trailing`] for bytes that
    /// are no class file; [`ParseError::Constant`] and [`ParseError::ConstantKind`] for a malformed
    /// constant pool or an index that leads to no entry of the right kind;
    /// [`ParseError::Attribute`] for a method with two `Code` attributes.
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

    /// The bytes of the class file; those that were parsed where nothing was changed.
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

    /// `minor_version`; 65535 marks a class that uses preview features (JVMS §4.1).
    pub(crate) fn minor_version(&self) -> u16 {
        self.minor
    }

    /// `major_version`: 52 is Java 8, 61 is Java 17, 69 is Java 25 (JVMS table 4.1-A).
    pub fn major_version(&self) -> u16 {
        self.major
    }

    /// The flags of JVMS table 4.1-B. The flags that the source of a nested class declares are in
    /// [`ClassFile::inner_classes`].
    pub fn access(&self) -> AccessFlags {
        self.access
    }

    /// The internal name (`java/lang/String`).
    pub fn this_class(&self) -> &str {
        self.checked_class_name(self.this_class)
    }

    /// Internal name of the superclass, `java/lang/Object` for an interface; `None` for
    /// `java/lang/Object` itself and for modules.
    pub fn super_class(&self) -> Option<&str> {
        (self.super_class != 0).then(|| self.checked_class_name(self.super_class))
    }

    /// Internal names of the direct superinterfaces, in the order of the `implements` or `extends`
    /// clause.
    pub fn interfaces(&self) -> impl ExactSizeIterator<Item = &str> {
        self.interfaces.iter().map(|&index| self.checked_class_name(index))
    }

    fn checked_class_name(&self, index: u16) -> &str {
        self.pool.class_name(index).expect("parsing checks the classes of the header")
    }

    /// The constants of the class, those appended included.
    pub fn constant_pool(&self) -> &ConstantPool {
        &self.pool
    }

    /// The constants, to append others. The index of an existing entry never changes.
    pub fn constant_pool_mut(&mut self) -> &mut ConstantPool {
        &mut self.pool
    }

    /// The fields that the class declares, in the order of the file.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = Field<'_>> {
        self.fields.iter().map(|info| Field::new(self, info))
    }

    /// The methods that the class declares, in the order of the file; constructors and the static
    /// initialiser are among them.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = Method<'_>> {
        (0..self.methods.len()).map(|index| self.method(index))
    }

    /// The method at this position in the file.
    ///
    /// # Panics
    ///
    /// When the class has no method at the position.
    pub fn method(&self, index: usize) -> Method<'_> {
        Method::new(self, &self.methods[index], index)
    }

    /// The declared method with this name and descriptor; inherited methods are not searched.
    pub fn find_method(&self, name: &str, descriptor: &str) -> Option<Method<'_>> {
        self.methods().find(|method| method.name() == name && method.descriptor() == descriptor)
    }

    /// Sets the access flags of the field at this position in the file.
    ///
    /// # Panics
    ///
    /// When the class has no field at the position.
    pub fn set_field_access(&mut self, index: usize, access: AccessFlags) {
        self.fields[index].set_access(access);
    }

    /// Replaces the contents of the `Code` attribute of the method at this position.
    ///
    /// # Panics
    ///
    /// When the class has no method at the position, or the method has no code.
    pub(crate) fn set_code(&mut self, method: usize, contents: Vec<u8>) {
        self.methods[method].set_code(&self.pool, contents);
    }

    /// Index of the `Class` constant that names this class.
    pub(crate) fn this_class_index(&self) -> u16 {
        self.this_class
    }
}
