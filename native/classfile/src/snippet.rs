//! Code to be inserted. In: calls of the builder; out: a straight list of instructions and what it does to the stack. Knows nothing of
//! the method that it goes into.

use crate::descriptor::MethodDescriptor;
use crate::error::ParseError;
use crate::instruction::{Op, StackOp};
use crate::kind::Kind;
use crate::pool::{ConstantPool, PoolFull};
use thiserror::Error;

/// A static method to be called, in the pool of the class that calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaticMethod {
    pub(crate) index: u16,
    arguments: u16,
    results: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StaticMethodError {
    #[error(transparent)]
    Descriptor(#[from] ParseError),
    #[error(transparent)]
    Pool(#[from] PoolFull),
}

impl ConstantPool {
    /// A static method of a class (not of an interface).
    pub fn add_static_method(&mut self, owner: &str, name: &str, descriptor: &str) -> Result<StaticMethod, StaticMethodError> {
        let parsed = MethodDescriptor::parse(descriptor)?;
        Ok(StaticMethod {
            index: self.add_method(owner, name, descriptor)?,
            arguments: parsed.parameter_slots(),
            results: parsed.result_slots(),
        })
    }
}

/// A straight piece of code: no jumps; a store only where a replaced instruction had one. The builder's calls chain:
/// `snippet.dup().push_int(7).invoke_static(method)`.
#[derive(Debug, Clone, Default)]
pub struct Snippet {
    parts: Vec<Part>,
    height: i32,
    lowest: i32,
    highest: i32,
    locals: u16,
    /// The local variables that it writes.
    stored: Vec<u16>,
}

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
    pub fn new() -> Snippet {
        Snippet::default()
    }

    /// Slots that are more on the stack after it than before it.
    pub(crate) fn height(&self) -> i32 {
        self.height
    }

    /// Slots by which the stack grows at most.
    pub(crate) fn rise(&self) -> u16 {
        self.highest as u16
    }

    /// One more than the highest local variable slot that it reads.
    pub(crate) fn locals(&self) -> u16 {
        self.locals
    }

    pub(crate) fn stores(&self) -> bool {
        !self.stored.is_empty()
    }

    pub(crate) fn stores_only(&self, local: u16) -> bool {
        self.stored.iter().all(|&stored| stored == local)
    }

    fn part(&mut self, part: Part, takes: u16, puts: u16) -> &mut Self {
        self.parts.push(part);
        let below = self.height - i32::from(takes);
        self.lowest = self.lowest.min(below);
        self.height = below + i32::from(puts);
        self.highest = self.highest.max(self.height);
        self
    }

    pub fn stack(&mut self, op: StackOp) -> &mut Self {
        let (takes, puts) = op.effect();
        self.part(Part::Op(Op::Stack(op)), takes, puts)
    }

    pub fn pop(&mut self) -> &mut Self {
        self.stack(StackOp::Pop)
    }

    pub fn pop2(&mut self) -> &mut Self {
        self.stack(StackOp::Pop2)
    }

    pub fn dup(&mut self) -> &mut Self {
        self.stack(StackOp::Dup)
    }

    pub fn dup_x2(&mut self) -> &mut Self {
        self.stack(StackOp::DupX2)
    }

    pub fn dup2(&mut self) -> &mut Self {
        self.stack(StackOp::Dup2)
    }

    pub fn dup2_x2(&mut self) -> &mut Self {
        self.stack(StackOp::Dup2X2)
    }

    pub fn swap(&mut self) -> &mut Self {
        self.stack(StackOp::Swap)
    }

    /// Duplicates the value of this kind on top of the stack.
    pub fn dup_kind(&mut self, kind: Kind) -> &mut Self {
        if kind.slots() == 2 { self.dup2() } else { self.dup() }
    }

    pub fn push_null(&mut self) -> &mut Self {
        self.part(Part::Op(Op::NullConst), 0, 1)
    }

    /// In the shortest form; beyond 16 bits a constant is appended to the pool.
    pub fn push_int(&mut self, value: i32) -> &mut Self {
        self.part(Part::Int(value), 0, 1)
    }

    pub fn push_long(&mut self, value: i64) -> &mut Self {
        self.part(Part::Long(value), 0, 2)
    }

    pub fn push_string(&mut self, value: &str) -> &mut Self {
        self.part(Part::String(value.into()), 0, 1)
    }

    /// `ldc` of a class (class files from version 49 on).
    pub fn push_class(&mut self, name: &str) -> &mut Self {
        self.part(Part::Class(name.into()), 0, 1)
    }

    pub fn load(&mut self, kind: Kind, local: u16) -> &mut Self {
        self.locals = self.locals.max(local.saturating_add(kind.slots()));
        self.part(Part::Op(Op::Load(kind, local)), 0, kind.slots())
    }

    /// Only for the place of an instruction that writes the same local ([`CodeEditor::replace`](crate::CodeEditor::replace)).
    pub fn store_int(&mut self, local: u16) -> &mut Self {
        self.locals = self.locals.max(local.saturating_add(1));
        self.stored.push(local);
        self.part(Part::Op(Op::Store(Kind::Int, local)), 1, 0)
    }

    pub fn check_cast(&mut self, class: &str) -> &mut Self {
        self.part(Part::Cast(class.into()), 1, 1)
    }

    pub fn invoke_static(&mut self, method: StaticMethod) -> &mut Self {
        self.part(Part::Op(Op::InvokeStatic(method.index)), method.arguments, method.results)
    }

    /// Any other instruction that goes on to the next one and changes no local; `takes` and `puts` are its slots. Panics for
    /// jumps, switches, returns, `athrow`, stores and `iinc`.
    pub fn op(&mut self, op: Op, takes: u16, puts: u16) -> &mut Self {
        assert!(
            op.falls_through() && !op.is_conditional_jump() && !matches!(op, Op::Store(..) | Op::Iinc { .. } | Op::New(_)),
            "a snippet is straight and leaves the locals alone"
        );
        self.part(Part::Op(op), takes, puts)
    }

    /// Appends the bytes; constants that it needs are appended to the pool.
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
