//! Class files (JVMS §4): reading, rewriting, type checking and mutating them.
//!
//! In: the bytes of a class file. Out: a model of the class, and bytes again. A rewritten method
//! keeps stack map frames that are valid. Must not do I/O, start a JVM, or know another crate of
//! the project.
//!
//! In reading order: [`ClassFile`] with [`ConstantPool`], [`Field`] and [`Method`]; [`Code`] with
//! its [`Instruction`]s and [`Frame`]s; [`Snippet`] and [`CodeEditor`], which change code;
//! [`check_types`], which checks it; [`mutants`], which lists the mutants of a class.
mod access;
mod accessor;
mod annotation;
mod class;
mod code;
mod descriptor;
mod dump;
mod edit;
mod error;
mod frame;
mod generated;
mod instruction;
mod kind;
mod modified_utf8;
mod module;
mod mutants;
pub mod opcode;
mod pool;
mod primitive;
mod reader;
mod snippet;
mod types;

pub use access::AccessFlags;
pub use accessor::{is_plain_accessor, is_plain_data_constructor, is_plain_record_constructor};
pub use annotation::{Annotation, ElementValue};
pub use class::{BootstrapMethod, ClassFile, EnclosingMethod, Field, InnerClass, Method, RecordComponent};
pub use code::{Code, Handler, LineNumber, LocalVariable};
pub use descriptor::{ElementType, FieldDescriptor, MethodDescriptor, Type};
pub use edit::{CodeEditor, EditError};
pub use error::ParseError;
pub use frame::{Frame, VerificationType};
pub use generated::{is_generated, is_kotlin};
pub use instruction::{
    ArrayKind, BinaryOp, Comparison, Condition, Conversion, Instruction, LookupSwitch, Op, StackOp, TableSwitch,
    decode as decode_instructions,
};
pub use kind::Kind;
pub use module::ModulePackages;
pub use mutants::{EmptyValue, Mutant, MutantId, Operator, mutants};
pub use pool::{Constant, ConstantPool, DynamicRef, MemberRef, MethodHandle, NameAndType, PoolFull};
pub use primitive::PrimitiveType;
pub use snippet::{Snippet, StaticMethod, StaticMethodError};
pub use types::{Slot, TypeError, TypeState, check_types};
