//! The constant pool (JVMS §4.4).
//!
//! In: its bytes. Out: typed constants. Entries can be appended; the index and the bytes of an
//! existing entry never change. Must not know which structures refer to an entry.

use crate::error::ParseError;
use crate::modified_utf8;
use crate::reader::Reader;
use std::collections::{BTreeMap, HashMap};

/// A constant with resolved references. Texts are as [`ConstantPool::utf8`] returns them.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant<'a> {
    /// `CONSTANT_Utf8` (JVMS §4.4.7).
    Utf8(&'a str),
    /// `CONSTANT_Integer` (JVMS §4.4.4).
    Integer(i32),
    /// `CONSTANT_Float` (JVMS §4.4.4).
    Float(f32),
    /// `CONSTANT_Long` (JVMS §4.4.5).
    Long(i64),
    /// `CONSTANT_Double` (JVMS §4.4.5).
    Double(f64),
    /// `CONSTANT_Class` (JVMS §4.4.1): an internal name, or the descriptor of an array.
    Class(&'a str),
    /// `CONSTANT_String` (JVMS §4.4.3) in UTF-16 code units. Unpaired surrogates are possible.
    String(Vec<u16>),
    /// `CONSTANT_Fieldref` (JVMS §4.4.2).
    Field(MemberRef<'a>),
    /// `CONSTANT_Methodref` (JVMS §4.4.2).
    Method(MemberRef<'a>),
    /// `CONSTANT_InterfaceMethodref` (JVMS §4.4.2).
    InterfaceMethod(MemberRef<'a>),
    /// `CONSTANT_NameAndType` (JVMS §4.4.6).
    NameAndType(NameAndType<'a>),
    /// `CONSTANT_MethodHandle` (JVMS §4.4.8).
    MethodHandle(MethodHandle<'a>),
    /// `CONSTANT_MethodType` (JVMS §4.4.9): a method descriptor.
    MethodType(&'a str),
    /// `CONSTANT_Dynamic` (JVMS §4.4.10): a dynamically computed constant.
    Dynamic(DynamicRef<'a>),
    /// `CONSTANT_InvokeDynamic` (JVMS §4.4.10): a dynamically computed call site.
    InvokeDynamic(DynamicRef<'a>),
    /// `CONSTANT_Module` (JVMS §4.4.11): the name of a module.
    Module(&'a str),
    /// `CONSTANT_Package` (JVMS §4.4.12): a package in internal form.
    Package(&'a str),
}

/// A symbolic reference to a field or method (JVMS §4.4.2). A supertype of `owner` may declare it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberRef<'a> {
    /// Internal name of the class that the reference names, or the descriptor of an array.
    pub owner: &'a str,
    /// The unqualified name.
    pub name: &'a str,
    /// The field or method descriptor. Its grammar is not checked.
    pub descriptor: &'a str,
    /// Whether it is an `InterfaceMethodref`.
    pub(crate) is_interface: bool,
}

/// Name and descriptor of a field or method, without a class (JVMS §4.4.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameAndType<'a> {
    pub(crate) name: &'a str,
    pub(crate) descriptor: &'a str,
}

/// A method handle (JVMS §4.4.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodHandle<'a> {
    /// From 1 (`REF_getField`) to 9 (`REF_invokeInterface`), as in JVMS table 5.4.3.5-A.
    pub kind: u8,
    /// A member whose kind of entry fits `kind`.
    pub member: MemberRef<'a>,
}

/// A dynamically computed constant or call site (JVMS §4.4.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DynamicRef<'a> {
    /// Index into the `BootstrapMethods` attribute of the class, not checked.
    pub bootstrap: u16,
    /// The unqualified name that the bootstrap method receives.
    pub name: &'a str,
    /// A field descriptor for a constant, a method descriptor for a call site. Its grammar is not
    /// checked.
    pub descriptor: &'a str,
}

/// Tags of the entries (JVMS table 4.4-A).
pub(crate) mod tag {
    pub(crate) const UTF8: u8 = 1;
    pub(crate) const INTEGER: u8 = 3;
    pub(crate) const FLOAT: u8 = 4;
    pub(crate) const LONG: u8 = 5;
    pub(crate) const DOUBLE: u8 = 6;
    pub(crate) const CLASS: u8 = 7;
    pub(crate) const STRING: u8 = 8;
    pub(crate) const FIELD: u8 = 9;
    pub(crate) const METHOD: u8 = 10;
    pub(crate) const INTERFACE_METHOD: u8 = 11;
    pub(crate) const NAME_AND_TYPE: u8 = 12;
    pub(crate) const METHOD_HANDLE: u8 = 15;
    pub(crate) const METHOD_TYPE: u8 = 16;
    pub(crate) const DYNAMIC: u8 = 17;
    pub(crate) const INVOKE_DYNAMIC: u8 = 18;
    pub(crate) const MODULE: u8 = 19;
    pub(crate) const PACKAGE: u8 = 20;
}

/// The name of the entry in JVMS table 4.4-A, without `CONSTANT_`.
fn tag_name(tag: u8) -> &'static str {
    match tag {
        tag::UTF8 => "Utf8",
        tag::INTEGER => "Integer",
        tag::FLOAT => "Float",
        tag::LONG => "Long",
        tag::DOUBLE => "Double",
        tag::CLASS => "Class",
        tag::STRING => "String",
        tag::FIELD => "Fieldref",
        tag::METHOD => "Methodref",
        tag::INTERFACE_METHOD => "InterfaceMethodref",
        tag::NAME_AND_TYPE => "NameAndType",
        tag::METHOD_HANDLE => "MethodHandle",
        tag::METHOD_TYPE => "MethodType",
        tag::DYNAMIC => "Dynamic",
        tag::INVOKE_DYNAMIC => "InvokeDynamic",
        tag::MODULE => "Module",
        tag::PACKAGE => "Package",
        _ => "no constant",
    }
}

/// The pool has no room for another entry: `constant_pool_count` would exceed 65535, or a text has
/// more than 65535 bytes of modified UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the constant pool is full")]
pub struct PoolFull;

/// The constants of one class, indexed from 1.
#[derive(Debug, Clone)]
pub struct ConstantPool {
    /// Entries as in the file, tag first, then those appended.
    bytes: Vec<u8>,
    /// By index: where the entry starts in `bytes`. `NO_ENTRY` for index 0 and for the index after
    /// a `Long` or `Double`, which is unusable (JVMS §4.4.5).
    offsets: Vec<u32>,
    /// The decoded text of `Utf8` entries that are not plain UTF-8, so that every text can be
    /// borrowed.
    decoded: BTreeMap<u16, Box<str>>,
    /// The appended entries by their bytes, so that none is appended twice.
    appended: HashMap<Box<[u8]>, u16>,
}

const NO_ENTRY: u32 = u32::MAX;

impl ConstantPool {
    /// Reads `constant_pool_count` and the entries. Texts must be UTF-8 or modified UTF-8, and
    /// references must lead to entries of the right kind. Names and descriptors are not checked.
    ///
    /// # Errors
    ///
    /// [`ParseError::Truncated`], [`ParseError::Constant`] or [`ParseError::ConstantKind`].
    pub(crate) fn parse(reader: &mut Reader<'_>) -> Result<ConstantPool, ParseError> {
        let count = reader.u16()?;
        if count == 0 {
            return Err(ParseError::Constant { index: 0, problem: "the pool has no entry 0" });
        }
        let mut offsets = Vec::with_capacity(usize::from(count) + 16);
        let start = reader.position() as u32;
        let mut whole = reader.clone();
        offsets.push(NO_ENTRY);
        let mut decoded = BTreeMap::new();
        while offsets.len() < usize::from(count) {
            let index = offsets.len() as u16;
            offsets.push(reader.position() as u32 - start);
            let tag = reader.u8()?;
            match tag {
                tag::UTF8 => {
                    let length = reader.u16()?;
                    let bytes = reader.take(usize::from(length))?;
                    if std::str::from_utf8(bytes).is_err() {
                        let units =
                            modified_utf8::decode(bytes).ok_or(ParseError::Constant { index, problem: "not modified UTF-8" })?;
                        decoded.insert(index, String::from_utf16_lossy(&units).into());
                    }
                }
                tag::LONG | tag::DOUBLE => {
                    reader.take(8)?;
                    if offsets.len() == usize::from(count) {
                        return Err(ParseError::Constant { index, problem: "its second half lies behind the pool" });
                    }
                    offsets.push(NO_ENTRY);
                }
                tag::INTEGER
                | tag::FLOAT
                | tag::FIELD
                | tag::METHOD
                | tag::INTERFACE_METHOD
                | tag::NAME_AND_TYPE
                | tag::DYNAMIC
                | tag::INVOKE_DYNAMIC => {
                    reader.take(4)?;
                }
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => {
                    reader.take(2)?;
                }
                tag::METHOD_HANDLE => {
                    reader.take(3)?;
                }
                _ => {
                    return Err(ParseError::Constant { index, problem: "unknown tag" });
                }
            }
        }
        let bytes = whole.take(reader.position() - start as usize)?.to_vec();
        let pool = ConstantPool { bytes, offsets, decoded, appended: HashMap::new() };
        pool.check()?;
        Ok(pool)
    }

    /// Checks that every reference leads to an entry of the right kind. Afterwards, accessors that
    /// find an entry can follow its references without checks.
    fn check(&self) -> Result<(), ParseError> {
        for index in 1..self.count() {
            if self.offsets[usize::from(index)] == NO_ENTRY {
                continue;
            }
            match self.tag(index)? {
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => {
                    self.expect(self.half(index, 0), tag::UTF8)?;
                }
                tag::FIELD | tag::METHOD | tag::INTERFACE_METHOD => {
                    self.expect(self.half(index, 0), tag::CLASS)?;
                    self.expect(self.half(index, 1), tag::NAME_AND_TYPE)?;
                }
                tag::NAME_AND_TYPE => {
                    self.expect(self.half(index, 0), tag::UTF8)?;
                    self.expect(self.half(index, 1), tag::UTF8)?;
                }
                tag::DYNAMIC | tag::INVOKE_DYNAMIC => {
                    self.expect(self.half(index, 1), tag::NAME_AND_TYPE)?;
                }
                tag::METHOD_HANDLE => {
                    let (kind, reference) = self.handle(index);
                    let found = self.tag(reference)?;
                    let fits = match kind {
                        1..=4 => found == tag::FIELD,
                        5 | 8 => found == tag::METHOD,
                        6 | 7 => matches!(found, tag::METHOD | tag::INTERFACE_METHOD),
                        9 => found == tag::INTERFACE_METHOD,
                        _ => false,
                    };
                    if !fits {
                        return Err(ParseError::Constant { index, problem: "a method handle whose kind and member do not fit" });
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// `constant_pool_count`: one more than the highest index.
    pub(crate) fn count(&self) -> u16 {
        self.offsets.len() as u16
    }

    /// The indices of all entries, ascending.
    pub fn indices(&self) -> impl Iterator<Item = u16> + '_ {
        (1..self.count()).filter(|&index| self.offsets[usize::from(index)] != NO_ENTRY)
    }

    /// The entry with its references resolved.
    ///
    /// # Errors
    ///
    /// [`ParseError::Constant`] when there is no entry at the index.
    pub fn get(&self, index: u16) -> Result<Constant<'_>, ParseError> {
        Ok(match self.tag(index)? {
            tag::UTF8 => Constant::Utf8(self.utf8_unchecked(index)),
            tag::INTEGER => Constant::Integer(self.word(index) as i32),
            tag::FLOAT => Constant::Float(f32::from_bits(self.word(index))),
            tag::LONG => Constant::Long(self.double_word(index) as i64),
            tag::DOUBLE => Constant::Double(f64::from_bits(self.double_word(index))),
            tag::CLASS => Constant::Class(self.utf8_unchecked(self.half(index, 0))),
            tag::STRING => Constant::String(self.string(index)?),
            tag::FIELD => Constant::Field(self.member_unchecked(index, false)),
            tag::METHOD => Constant::Method(self.member_unchecked(index, false)),
            tag::INTERFACE_METHOD => Constant::InterfaceMethod(self.member_unchecked(index, true)),
            tag::NAME_AND_TYPE => Constant::NameAndType(self.name_and_type_unchecked(index)),
            tag::METHOD_HANDLE => Constant::MethodHandle(self.method_handle(index)?),
            tag::METHOD_TYPE => Constant::MethodType(self.utf8_unchecked(self.half(index, 0))),
            tag::DYNAMIC => Constant::Dynamic(self.dynamic_unchecked(index)),
            tag::INVOKE_DYNAMIC => Constant::InvokeDynamic(self.dynamic_unchecked(index)),
            tag::MODULE => Constant::Module(self.utf8_unchecked(self.half(index, 0))),
            _ => Constant::Package(self.utf8_unchecked(self.half(index, 0))),
        })
    }

    /// The text of a `Utf8` entry, decoded from modified UTF-8 (JVMS §4.4.7). U+FFFD replaces each
    /// unpaired surrogate.
    ///
    /// # Errors
    ///
    /// [`ParseError::Constant`] when there is no entry at the index, [`ParseError::ConstantKind`]
    /// for an entry of another kind.
    pub fn utf8(&self, index: u16) -> Result<&str, ParseError> {
        self.expect(index, tag::UTF8)?;
        Ok(self.utf8_unchecked(index))
    }

    /// The bytes of a `Utf8` entry in modified UTF-8 (JVMS §4.4.7). Errors as for
    /// [`ConstantPool::utf8`].
    pub(crate) fn utf8_bytes(&self, index: u16) -> Result<&[u8], ParseError> {
        self.expect(index, tag::UTF8)?;
        Ok(self.utf8_raw(index))
    }

    /// The name in a `Class` entry: an internal name, or the descriptor of an array.
    ///
    /// # Errors
    ///
    /// As for [`ConstantPool::utf8`].
    pub fn class_name(&self, index: u16) -> Result<&str, ParseError> {
        self.expect(index, tag::CLASS)?;
        Ok(self.utf8_unchecked(self.half(index, 0)))
    }

    /// The value of a `String` entry in UTF-16 code units. Errors as for [`ConstantPool::utf8`].
    pub(crate) fn string(&self, index: u16) -> Result<Vec<u16>, ParseError> {
        self.expect(index, tag::STRING)?;
        let utf8 = self.half(index, 0);
        modified_utf8::decode(self.utf8_raw(utf8)).ok_or(ParseError::Constant { index: utf8, problem: "not modified UTF-8" })
    }

    /// The reference in a `Fieldref`, `Methodref` or `InterfaceMethodref` entry.
    ///
    /// # Errors
    ///
    /// As for [`ConstantPool::utf8`].
    pub fn member(&self, index: u16) -> Result<MemberRef<'_>, ParseError> {
        match self.tag(index)? {
            tag::FIELD | tag::METHOD => Ok(self.member_unchecked(index, false)),
            tag::INTERFACE_METHOD => Ok(self.member_unchecked(index, true)),
            found => Err(ParseError::ConstantKind { index, found: tag_name(found), expected: "a member reference" }),
        }
    }

    /// The pair in a `NameAndType` entry. Errors as for [`ConstantPool::utf8`].
    pub(crate) fn name_and_type(&self, index: u16) -> Result<NameAndType<'_>, ParseError> {
        self.expect(index, tag::NAME_AND_TYPE)?;
        Ok(self.name_and_type_unchecked(index))
    }

    /// The handle in a `MethodHandle` entry.
    ///
    /// # Errors
    ///
    /// As for [`ConstantPool::utf8`].
    pub fn method_handle(&self, index: u16) -> Result<MethodHandle<'_>, ParseError> {
        self.expect(index, tag::METHOD_HANDLE)?;
        let (kind, member) = self.handle(index);
        Ok(MethodHandle { kind, member: self.member(member)? })
    }

    /// The content of a `Dynamic` or `InvokeDynamic` entry.
    ///
    /// # Errors
    ///
    /// As for [`ConstantPool::utf8`].
    pub fn dynamic(&self, index: u16) -> Result<DynamicRef<'_>, ParseError> {
        match self.tag(index)? {
            tag::DYNAMIC | tag::INVOKE_DYNAMIC => Ok(self.dynamic_unchecked(index)),
            found => Err(ParseError::ConstantKind { index, found: tag_name(found), expected: "Dynamic or InvokeDynamic" }),
        }
    }

    /// The tag of the entry (JVMS table 4.4-A); [`ParseError::Constant`] when there is none at the
    /// index.
    pub(crate) fn tag(&self, index: u16) -> Result<u8, ParseError> {
        match self.offsets.get(usize::from(index)) {
            Some(&offset) if offset != NO_ENTRY => Ok(self.bytes[offset as usize]),
            _ => Err(ParseError::Constant { index, problem: "no entry has this index" }),
        }
    }

    /// Checks that the entry has this tag. Errors as for [`ConstantPool::utf8`].
    pub(crate) fn expect(&self, index: u16, expected: u8) -> Result<(), ParseError> {
        let found = self.tag(index)?;
        if found == expected {
            Ok(())
        } else {
            Err(ParseError::ConstantKind { index, found: tag_name(found), expected: tag_name(expected) })
        }
    }

    fn entry(&self, index: u16) -> &[u8] {
        &self.bytes[self.offsets[usize::from(index)] as usize..]
    }

    fn half(&self, index: u16, which: usize) -> u16 {
        let entry = self.entry(index);
        u16::from_be_bytes([entry[1 + 2 * which], entry[2 + 2 * which]])
    }

    fn word(&self, index: u16) -> u32 {
        let e = self.entry(index);
        u32::from_be_bytes([e[1], e[2], e[3], e[4]])
    }

    fn double_word(&self, index: u16) -> u64 {
        let e = self.entry(index);
        u64::from_be_bytes([e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8]])
    }

    fn handle(&self, index: u16) -> (u8, u16) {
        let e = self.entry(index);
        (e[1], u16::from_be_bytes([e[2], e[3]]))
    }

    fn utf8_raw(&self, index: u16) -> &[u8] {
        let length = usize::from(self.half(index, 0));
        &self.entry(index)[3..3 + length]
    }

    fn utf8_unchecked(&self, index: u16) -> &str {
        if !self.decoded.is_empty()
            && let Some(text) = self.decoded.get(&index)
        {
            return text;
        }
        std::str::from_utf8(self.utf8_raw(index)).expect("entries that are no UTF-8 are decoded")
    }

    fn name_and_type_unchecked(&self, index: u16) -> NameAndType<'_> {
        NameAndType { name: self.utf8_unchecked(self.half(index, 0)), descriptor: self.utf8_unchecked(self.half(index, 1)) }
    }

    fn member_unchecked(&self, index: u16, is_interface: bool) -> MemberRef<'_> {
        let NameAndType { name, descriptor } = self.name_and_type_unchecked(self.half(index, 1));
        MemberRef { owner: self.utf8_unchecked(self.half(self.half(index, 0), 0)), name, descriptor, is_interface }
    }

    fn dynamic_unchecked(&self, index: u16) -> DynamicRef<'_> {
        let NameAndType { name, descriptor } = self.name_and_type_unchecked(self.half(index, 1));
        DynamicRef { bootstrap: self.half(index, 0), name, descriptor }
    }
}

/// Each of these functions returns the index of the entry, or [`PoolFull`]. An entry that was
/// appended before is used again. Entries of the file are not searched, since duplicates are legal.
impl ConstantPool {
    /// Appends a `Utf8` entry.
    pub(crate) fn add_utf8(&mut self, text: &str) -> Result<u16, PoolFull> {
        let mut content = Vec::with_capacity(text.len() + 2);
        for unit in text.encode_utf16() {
            modified_utf8::encode(unit, &mut content);
        }
        let length = u16::try_from(content.len()).map_err(|_| PoolFull)?;
        let mut entry = vec![tag::UTF8];
        entry.extend(length.to_be_bytes());
        entry.extend(&content);
        let index = self.add(entry)?;
        if std::str::from_utf8(&content).is_err() {
            self.decoded.insert(index, text.into());
        }
        Ok(index)
    }

    /// Appends a `Class` entry; `name` is an internal name, or the descriptor of an array.
    pub(crate) fn add_class(&mut self, name: &str) -> Result<u16, PoolFull> {
        let name = self.add_utf8(name)?;
        self.add_halves(tag::CLASS, &[name])
    }

    /// Appends a `String` entry.
    pub(crate) fn add_string(&mut self, value: &str) -> Result<u16, PoolFull> {
        let value = self.add_utf8(value)?;
        self.add_halves(tag::STRING, &[value])
    }

    /// Appends an `Integer` entry.
    pub(crate) fn add_integer(&mut self, value: i32) -> Result<u16, PoolFull> {
        let mut entry = vec![tag::INTEGER];
        entry.extend(value.to_be_bytes());
        self.add(entry)
    }

    /// Appends a `Long` entry, which takes two indices.
    pub(crate) fn add_long(&mut self, value: i64) -> Result<u16, PoolFull> {
        let mut entry = vec![tag::LONG];
        entry.extend(value.to_be_bytes());
        self.add(entry)
    }

    /// Appends a `NameAndType` entry; the descriptor is not checked.
    pub(crate) fn add_name_and_type(&mut self, name: &str, descriptor: &str) -> Result<u16, PoolFull> {
        let name = self.add_utf8(name)?;
        let descriptor = self.add_utf8(descriptor)?;
        self.add_halves(tag::NAME_AND_TYPE, &[name, descriptor])
    }

    /// Appends a `Fieldref` entry and returns its index. `owner` is an internal name; the
    /// descriptor is not checked.
    ///
    /// # Errors
    ///
    /// The pool is full; some entries that the new one needs may have been appended.
    pub fn add_field(&mut self, owner: &str, name: &str, descriptor: &str) -> Result<u16, PoolFull> {
        self.add_member(tag::FIELD, owner, name, descriptor)
    }

    /// Appends a `Methodref` entry; the descriptor is not checked.
    pub(crate) fn add_method(&mut self, owner: &str, name: &str, descriptor: &str) -> Result<u16, PoolFull> {
        self.add_member(tag::METHOD, owner, name, descriptor)
    }

    fn add_member(&mut self, tag: u8, owner: &str, name: &str, descriptor: &str) -> Result<u16, PoolFull> {
        let owner = self.add_class(owner)?;
        let name_and_type = self.add_name_and_type(name, descriptor)?;
        self.add_halves(tag, &[owner, name_and_type])
    }

    fn add_halves(&mut self, tag: u8, halves: &[u16]) -> Result<u16, PoolFull> {
        let mut entry = vec![tag];
        for half in halves {
            entry.extend(half.to_be_bytes());
        }
        self.add(entry)
    }

    fn add(&mut self, entry: Vec<u8>) -> Result<u16, PoolFull> {
        if let Some(&index) = self.appended.get(entry.as_slice()) {
            return Ok(index);
        }
        let slots = if matches!(entry[0], tag::LONG | tag::DOUBLE) { 2 } else { 1 };
        // `constant_pool_count` itself must fit 16 bits.
        if self.offsets.len() + slots > usize::from(u16::MAX) {
            return Err(PoolFull);
        }
        let index = self.offsets.len() as u16;
        self.offsets.push(self.bytes.len() as u32);
        if slots == 2 {
            self.offsets.push(NO_ENTRY);
        }
        self.bytes.extend(&entry);
        self.appended.insert(entry.into(), index);
        Ok(index)
    }

    /// Appends `constant_pool_count` and the entries to the class file.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.count().to_be_bytes());
        out.extend(&self.bytes);
    }
}
