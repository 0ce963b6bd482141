//! Access flags of classes, fields and methods (JVMS tables 4.1-B, 4.5-A, 4.6-A). Unknown bits are kept.

/// The 16 bits as they stand; the same bit means different things for classes, fields and methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct AccessFlags(pub u16);

impl AccessFlags {
    pub const PUBLIC: u16 = 0x0001;
    pub const PRIVATE: u16 = 0x0002;
    pub const PROTECTED: u16 = 0x0004;
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    /// Classes only.
    pub const SUPER: u16 = 0x0020;
    /// Methods only.
    pub const SYNCHRONIZED: u16 = 0x0020;
    /// Fields only.
    pub const VOLATILE: u16 = 0x0040;
    /// Methods only.
    pub const BRIDGE: u16 = 0x0040;
    /// Fields only.
    pub const TRANSIENT: u16 = 0x0080;
    /// Methods only.
    pub const VARARGS: u16 = 0x0080;
    pub const NATIVE: u16 = 0x0100;
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    pub const STRICT: u16 = 0x0800;
    pub const SYNTHETIC: u16 = 0x1000;
    pub const ANNOTATION: u16 = 0x2000;
    pub const ENUM: u16 = 0x4000;
    /// Classes only.
    pub const MODULE: u16 = 0x8000;

    pub fn contains(self, bits: u16) -> bool {
        self.0 & bits == bits
    }

    pub fn with(self, bits: u16) -> Self {
        AccessFlags(self.0 | bits)
    }

    pub fn without(self, bits: u16) -> Self {
        AccessFlags(self.0 & !bits)
    }

    pub fn is_public(self) -> bool {
        self.contains(Self::PUBLIC)
    }

    pub fn is_private(self) -> bool {
        self.contains(Self::PRIVATE)
    }

    pub fn is_protected(self) -> bool {
        self.contains(Self::PROTECTED)
    }

    /// Neither public, protected nor private.
    pub fn is_package_private(self) -> bool {
        self.0 & (Self::PUBLIC | Self::PRIVATE | Self::PROTECTED) == 0
    }

    pub fn is_static(self) -> bool {
        self.contains(Self::STATIC)
    }

    pub fn is_final(self) -> bool {
        self.contains(Self::FINAL)
    }

    pub fn is_native(self) -> bool {
        self.contains(Self::NATIVE)
    }

    pub fn is_interface(self) -> bool {
        self.contains(Self::INTERFACE)
    }

    pub fn is_abstract(self) -> bool {
        self.contains(Self::ABSTRACT)
    }

    pub fn is_synthetic(self) -> bool {
        self.contains(Self::SYNTHETIC)
    }

    pub fn is_annotation(self) -> bool {
        self.contains(Self::ANNOTATION)
    }

    pub fn is_enum(self) -> bool {
        self.contains(Self::ENUM)
    }

    /// Of a method.
    pub fn is_synchronized(self) -> bool {
        self.contains(Self::SYNCHRONIZED)
    }

    /// Of a method.
    pub fn is_bridge(self) -> bool {
        self.contains(Self::BRIDGE)
    }

    /// Of a method.
    pub fn is_varargs(self) -> bool {
        self.contains(Self::VARARGS)
    }

    /// Of a field.
    pub fn is_volatile(self) -> bool {
        self.contains(Self::VOLATILE)
    }

    /// Of a field.
    pub fn is_transient(self) -> bool {
        self.contains(Self::TRANSIENT)
    }

    /// Of a class file: a `module-info`.
    pub fn is_module(self) -> bool {
        self.contains(Self::MODULE)
    }
}
