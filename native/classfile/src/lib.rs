//! Class files: bytes in, a model out, and bytes again. Reads everything that replay and search need to know of a class,
//! and rewrites method bodies so that the class's own stack map frames stay valid. Does no I/O, starts no JVM, and knows no other
//! crate of the project.
//!
//! In reading order: [`ClassFile`] (with [`ConstantPool`], [`Field`], [`Method`]), [`Code`] and its [`Instruction`]s and
//! [`Frame`]s; then [`Snippet`] and [`CodeEditor`], which change code, and [`check_types`], which checks it.

mod access;
mod annotation;
mod class;
mod code;
mod descriptor;
mod dump;
mod edit;
mod error;
mod frame;
mod instruction;
mod kind;
mod module;
mod mutants;
pub mod opcode;
mod pool;
mod primitive;
mod reader;
mod snippet;
mod types;

pub use access::AccessFlags;
pub use class::{BootstrapMethod, ClassFile, EnclosingMethod, Field, InnerClass, Method, RecordComponent};
pub use code::{Code, Handler, LineNumber, LocalVariable};
pub use descriptor::{ElementType, FieldDescriptor, MethodDescriptor, Type};
pub use edit::{CodeEditor, EditError};
pub use error::ParseError;
pub use frame::{Frame, VerificationType};
pub use instruction::{
    ArrayKind, BinaryOp, Comparison, Condition, Conversion, Instruction, LookupSwitch, Op, StackOp, TableSwitch,
    decode as decode_instructions,
};
pub use kind::Kind;
pub use module::ModulePackages;
pub use mutants::{EmptyValue, Mutant, Operator, is_mutable, moved_boundary, mutants, replaced_math};
pub use pool::{Constant, ConstantPool, DynamicRef, MemberRef, MethodHandle, NameAndType, PoolFull, decode_modified_utf8};
pub use primitive::PrimitiveType;
pub use snippet::{Snippet, StaticMethod, StaticMethodError};
pub use types::{Slot, TypeError, TypeState, check_types};
