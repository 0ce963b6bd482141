//! Code that is inserted into a method.
//!
//! In: calls of a builder. Out: a list of instructions without jumps, and its effect on the operand
//! stack. Must not know the method that it is inserted into.

use crate::descriptor::MethodDescriptor;
use crate::error::ParseError;
use crate::instruction::{Op, StackOp};
use crate::kind::Kind;
use crate::pool::{ConstantPool, PoolFull};
use thiserror::Error;

/// A static method in the constant pool of the class that calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaticMethod {
    /// Index of the `Methodref`.
    pub(crate) index: u16,
    /// Slots of the arguments.
    arguments: u16,
    /// Slots of the result.
    results: u16,
}

/// Why a constant pool cannot take a static method.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StaticMethodError {
    /// The descriptor is malformed.
    #[error(transparent)]
    Descriptor(#[from] ParseError),
    /// The pool has no room.
    #[error(transparent)]
    Pool(#[from] PoolFull),
}

impl ConstantPool {
    /// Appends a `Methodref` of a static method. `owner` is the internal name of a class; a method
    /// of an interface would need an `InterfaceMethodref`.
    ///
    /// # Errors
    ///
    /// [`StaticMethodError::Descriptor`] for a malformed descriptor, [`StaticMethodError::Pool`]
    /// when the pool is full.
    pub fn add_static_method(&mut self, owner: &str, name: &str, descriptor: &str) -> Result<StaticMethod, StaticMethodError> {
        let parsed = MethodDescriptor::parse(descriptor)?;
        Ok(StaticMethod {
            index: self.add_method(owner, name, descriptor)?,
            arguments: parsed.parameter_slots(),
            results: parsed.result_slots(),
        })
    }
}

/// A piece of code without jumps. Calls of the builder can be chained:
/// `snippet.dup().push_int(7).invoke_static(method)`. [`CodeEditor`](crate::CodeEditor) checks
/// whether the snippet fits the place.
#[derive(Debug, Clone, Default)]
pub struct Snippet {
    parts: Vec<Part>,
    /// Height of the stack after the snippet, in slots above the height before it.
    height: i32,
    /// The least height inside the snippet.
    lowest: i32,
    /// The greatest height inside the snippet.
    highest: i32,
    /// One more than the highest slot of a local variable that is read or written.
    locals: u16,
    /// The local variables that are written.
    stored: Vec<u16>,
}

/// An instruction, or one whose constant gets its index only when the snippet is encoded.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    Op(Op),
    Int(i32),
    Long(i64),
    String(Box<str>),
    Class(Box<str>),
    Cast(Box<str>),
}

impl Snippet {
    /// A snippet without instructions.
    pub fn new() -> Snippet {
        Snippet::default()
    }

    /// The change of the stack height, in slots.
    pub(crate) fn height(&self) -> i32 {
        self.height
    }

    /// Slots that the stack grows by at most.
    pub(crate) fn rise(&self) -> u16 {
        self.highest as u16
    }

    /// One more than the highest slot of a local variable that is read or written.
    pub(crate) fn locals(&self) -> u16 {
        self.locals
    }

    /// Whether a local variable is written.
    pub(crate) fn stores(&self) -> bool {
        !self.stored.is_empty()
    }

    /// Whether no other local variable is written.
    pub(crate) fn stores_only(&self, local: u16) -> bool {
        self.stored.iter().all(|&stored| stored == local)
    }

    /// Appends an instruction that pops and pushes so many slots.
    fn part(&mut self, part: Part, takes: u16, puts: u16) -> &mut Self {
        self.parts.push(part);
        let below = self.height - i32::from(takes);
        self.lowest = self.lowest.min(below);
        self.height = below + i32::from(puts);
        self.highest = self.highest.max(self.height);
        self
    }

    /// Appends an instruction that moves slots of the stack.
    pub fn stack(&mut self, op: StackOp) -> &mut Self {
        let (takes, puts) = op.effect();
        self.part(Part::Op(Op::Stack(op)), takes, puts)
    }

    /// Appends `pop`.
    pub fn pop(&mut self) -> &mut Self {
        self.stack(StackOp::Pop)
    }

    /// Appends `pop2`.
    pub fn pop2(&mut self) -> &mut Self {
        self.stack(StackOp::Pop2)
    }

    /// Appends `dup`.
    pub fn dup(&mut self) -> &mut Self {
        self.stack(StackOp::Dup)
    }

    /// Appends `dup_x2`.
    pub fn dup_x2(&mut self) -> &mut Self {
        self.stack(StackOp::DupX2)
    }

    /// Appends `dup2`.
    pub fn dup2(&mut self) -> &mut Self {
        self.stack(StackOp::Dup2)
    }

    /// Appends `dup2_x2`.
    pub fn dup2_x2(&mut self) -> &mut Self {
        self.stack(StackOp::Dup2X2)
    }

    /// Appends `swap`.
    pub fn swap(&mut self) -> &mut Self {
        self.stack(StackOp::Swap)
    }

    /// Duplicates the value on top of the stack, which has this kind.
    pub fn dup_kind(&mut self, kind: Kind) -> &mut Self {
        if kind.slots() == 2 { self.dup2() } else { self.dup() }
    }

    /// Appends `aconst_null`.
    pub fn push_null(&mut self) -> &mut Self {
        self.part(Part::Op(Op::NullConst), 0, 1)
    }

    /// Pushes an `int` by the shortest instruction. A value that needs more than 16 bits becomes a
    /// constant of the pool.
    pub fn push_int(&mut self, value: i32) -> &mut Self {
        self.part(Part::Int(value), 0, 1)
    }

    /// Pushes a `long`. A value other than 0 and 1 becomes a constant of the pool.
    pub fn push_long(&mut self, value: i64) -> &mut Self {
        self.part(Part::Long(value), 0, 2)
    }

    /// Pushes a string. Its modified UTF-8 must not exceed 65535 bytes.
    pub fn push_string(&mut self, value: &str) -> &mut Self {
        self.part(Part::String(value.into()), 0, 1)
    }

    /// Pushes a `Class` object; `name` is an internal name, or the descriptor of an array. The
    /// class file must have version 49 or later (JVMS table 4.4-C).
    pub fn push_class(&mut self, name: &str) -> &mut Self {
        self.part(Part::Class(name.into()), 0, 1)
    }

    /// Pushes the value of this kind in the local variable at a slot.
    pub fn load(&mut self, kind: Kind, local: u16) -> &mut Self {
        self.locals = self.locals.max(local.saturating_add(kind.slots()));
        self.part(Part::Op(Op::Load(kind, local)), 0, kind.slots())
    }

    /// Pops an `int` into the local variable at a slot. Such a snippet can only replace an
    /// instruction that writes the same variable: see
    /// [`CodeEditor::replace`](crate::CodeEditor::replace).
    pub fn store_int(&mut self, local: u16) -> &mut Self {
        self.locals = self.locals.max(local.saturating_add(1));
        self.stored.push(local);
        self.part(Part::Op(Op::Store(Kind::Int, local)), 1, 0)
    }

    /// Appends `checkcast`; `class` is an internal name, or the descriptor of an array.
    pub fn check_cast(&mut self, class: &str) -> &mut Self {
        self.part(Part::Cast(class.into()), 1, 1)
    }

    /// Calls the method: pops its arguments and pushes its result.
    pub fn invoke_static(&mut self, method: StaticMethod) -> &mut Self {
        self.part(Part::Op(Op::InvokeStatic(method.index)), method.arguments, method.results)
    }

    /// Appends any other instruction. It pops `takes` slots and pushes `puts` slots; both are
    /// believed.
    ///
    /// # Panics
    ///
    /// For jumps, switches, returns, `athrow`, stores, `iinc` and `new`.
    pub fn op(&mut self, op: Op, takes: u16, puts: u16) -> &mut Self {
        assert!(
            op.falls_through() && !op.is_conditional_jump() && !matches!(op, Op::Store(..) | Op::Iinc { .. } | Op::New(_)),
            "a snippet does not jump and writes no local variable here"
        );
        self.part(Part::Op(op), takes, puts)
    }

    /// Appends the bytes of the snippet. Its constants are appended to the pool, which can be full.
    pub(crate) fn encode(&self, pool: &mut ConstantPool, out: &mut Vec<u8>) -> Result<(), PoolFull> {
        use crate::opcode::{LDC, LDC_W, LDC2_W};
        let ldc = |out: &mut Vec<u8>, index: u16| match u8::try_from(index) {
            Ok(byte) => out.extend([LDC, byte]),
            Err(_) => {
                out.push(LDC_W);
                out.extend(index.to_be_bytes());
            }
        };
        for part in &self.parts {
            match part {
                Part::Op(op) => op.encode(0, out).expect("an instruction without a target has an encoding"),
                Part::Int(value) if i16::try_from(*value).is_ok() => {
                    Op::IntConst(*value).encode(0, out).expect("16 bits have a push instruction")
                }
                Part::Int(value) => ldc(out, pool.add_integer(*value)?),
                Part::Long(value @ 0..=1) => Op::LongConst(*value).encode(0, out).expect("0 and 1 have an instruction"),
                Part::Long(value) => {
                    let index = pool.add_long(*value)?;
                    out.push(LDC2_W);
                    out.extend(index.to_be_bytes());
                }
                Part::String(value) => ldc(out, pool.add_string(value)?),
                Part::Class(name) => ldc(out, pool.add_class(name)?),
                Part::Cast(name) => Op::CheckCast(pool.add_class(name)?).encode(0, out).expect("a cast has an encoding"),
            }
        }
        Ok(())
    }
}
