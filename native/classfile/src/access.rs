//! Access flags of classes, fields and methods (JVMS tables 4.1-B, 4.5-A, 4.6-A and 4.7.6-A).
//!
//! In: 16 bits. Out: answers about single flags. Unknown bits are kept. Must not know whose flags
//! they are.

/// The bits of the class file. The same bit means different things for classes, fields and methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct AccessFlags(pub u16);

impl AccessFlags {
    /// `ACC_PUBLIC`.
    pub const PUBLIC: u16 = 0x0001;
    /// `ACC_PRIVATE`: fields, methods and nested classes.
    pub const PRIVATE: u16 = 0x0002;
    /// `ACC_PROTECTED`: fields, methods and nested classes.
    pub const PROTECTED: u16 = 0x0004;
    /// `ACC_STATIC`: fields, methods and nested classes.
    pub const STATIC: u16 = 0x0008;
    /// `ACC_FINAL`.
    pub const FINAL: u16 = 0x0010;
    /// `ACC_SUPER`: classes.
    pub const SUPER: u16 = 0x0020;
    /// `ACC_SYNCHRONIZED`: methods.
    pub const SYNCHRONIZED: u16 = 0x0020;
    /// `ACC_VOLATILE`: fields.
    pub const VOLATILE: u16 = 0x0040;
    /// `ACC_BRIDGE`: methods.
    pub const BRIDGE: u16 = 0x0040;
    /// `ACC_TRANSIENT`: fields.
    pub const TRANSIENT: u16 = 0x0080;
    /// `ACC_VARARGS`: methods.
    pub const VARARGS: u16 = 0x0080;
    /// `ACC_NATIVE`: methods.
    pub const NATIVE: u16 = 0x0100;
    /// `ACC_INTERFACE`: classes.
    pub const INTERFACE: u16 = 0x0200;
    /// `ACC_ABSTRACT`: classes and methods.
    pub const ABSTRACT: u16 = 0x0400;
    /// `ACC_STRICT`: methods before class file version 61.
    pub const STRICT: u16 = 0x0800;
    /// `ACC_SYNTHETIC`, not in the source.
    pub const SYNTHETIC: u16 = 0x1000;
    /// `ACC_ANNOTATION`: classes.
    pub const ANNOTATION: u16 = 0x2000;
    /// `ACC_ENUM`: classes and fields.
    pub const ENUM: u16 = 0x4000;
    /// `ACC_MODULE`: classes, on a `module-info`.
    pub const MODULE: u16 = 0x8000;

    /// Whether all of these bits are set.
    pub fn contains(self, bits: u16) -> bool {
        self.0 & bits == bits
    }

    /// The flags with these bits set.
    pub fn with(self, bits: u16) -> Self {
        AccessFlags(self.0 | bits)
    }

    /// The flags with these bits cleared.
    pub fn without(self, bits: u16) -> Self {
        AccessFlags(self.0 & !bits)
    }

    /// Whether `ACC_PUBLIC` is set.
    pub fn is_public(self) -> bool {
        self.contains(Self::PUBLIC)
    }

    /// Whether `ACC_PRIVATE` is set.
    pub fn is_private(self) -> bool {
        self.contains(Self::PRIVATE)
    }

    /// Whether `ACC_PROTECTED` is set.
    pub fn is_protected(self) -> bool {
        self.contains(Self::PROTECTED)
    }

    /// Whether `ACC_STATIC` is set.
    pub fn is_static(self) -> bool {
        self.contains(Self::STATIC)
    }

    /// Whether `ACC_FINAL` is set.
    pub fn is_final(self) -> bool {
        self.contains(Self::FINAL)
    }

    /// Whether `ACC_NATIVE` is set, which only methods have.
    pub fn is_native(self) -> bool {
        self.contains(Self::NATIVE)
    }

    /// Whether `ACC_INTERFACE` is set: an interface or an annotation type.
    pub fn is_interface(self) -> bool {
        self.contains(Self::INTERFACE)
    }

    /// Whether `ACC_ABSTRACT` is set.
    pub fn is_abstract(self) -> bool {
        self.contains(Self::ABSTRACT)
    }

    /// Whether `ACC_SYNTHETIC` is set: the compiler made it.
    pub fn is_synthetic(self) -> bool {
        self.contains(Self::SYNTHETIC)
    }

    /// Whether `ACC_ANNOTATION` is set: an annotation type.
    pub fn is_annotation(self) -> bool {
        self.contains(Self::ANNOTATION)
    }

    /// Whether `ACC_ENUM` is set: an enum class or an enum constant.
    pub fn is_enum(self) -> bool {
        self.contains(Self::ENUM)
    }

    /// Whether `ACC_BRIDGE` is set of a method.
    pub fn is_bridge(self) -> bool {
        self.contains(Self::BRIDGE)
    }

    /// Whether `ACC_VARARGS` is set of a method.
    pub fn is_varargs(self) -> bool {
        self.contains(Self::VARARGS)
    }

    /// Whether `ACC_VOLATILE` is set of a field.
    pub fn is_volatile(self) -> bool {
        self.contains(Self::VOLATILE)
    }

    /// Whether `ACC_MODULE` is set: a module descriptor.
    pub(crate) fn is_module(self) -> bool {
        self.contains(Self::MODULE)
    }
}
