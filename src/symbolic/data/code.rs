//! Method bodies in the form that the interpreter runs: references are resolved, and jump targets
//! are positions.

use std::rc::Rc;

use tracewright_classfile::{ArrayKind, BinaryOp, Comparison, Condition, Conversion, Kind, StackOp};

use super::super::reason::UnsupportedReason;
use super::ids::{FieldIx, HandleIx, InvokeIx, MethodIx, TypeIx};

/// Site number of an instruction without a probe.
pub(crate) const NO_SITE: u32 = u32::MAX;

/// A method body with resolved references; jump targets are positions.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Instr>,
    pub(crate) bcis: Vec<u32>,
    pub(crate) max_locals: usize,
    pub(crate) handlers: Vec<HandlerInfo>,
    pub(crate) switches: Vec<SwitchInfo>,
    pub(crate) strings: Vec<Rc<[u16]>>,
}

/// An instruction and its probe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instr {
    pub(crate) op: Op,
    /// Number of its probe in the class, or [`NO_SITE`].
    pub(crate) site: u32,
}

/// An exception handler; start (inclusive), end (exclusive) and handler are positions.
#[derive(Clone, Debug)]
pub(crate) struct HandlerInfo {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) handler: usize,
    pub(crate) catches: Option<TypeIx>,
    pub(crate) site: u32,
}

/// The table of a switch.
#[derive(Clone, Debug)]
pub(crate) struct SwitchInfo {
    /// Distinct keys in class-file order and their targets.
    pub(crate) cases: Vec<(i32, usize)>,
    pub(crate) default: usize,
    /// The lowest and highest key of a `tableswitch`.
    pub(crate) range: Option<(i32, i32)>,
}

impl Code {
    /// A body without instructions.
    pub(crate) fn empty() -> Code {
        Code { ops: Vec::new(), bcis: Vec::new(), max_locals: 0, handlers: Vec::new(), switches: Vec::new(), strings: Vec::new() }
    }
}

impl SwitchInfo {
    /// Position of the key's case; the number of cases for the default.
    pub(crate) fn outcome(&self, key: i32) -> usize {
        match self.range {
            Some((low, high)) if (low..=high).contains(&key) => (i64::from(key) - i64::from(low)) as usize,
            Some(_) => self.cases.len(),
            None => self.cases.binary_search_by_key(&key, |case| case.0).unwrap_or(self.cases.len()),
        }
    }
}

/// An instruction ready to run. Targets are positions in [`Code::ops`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Nop,
    /// One-slot constant: int, float bits, null.
    Const(u32),
    /// Two-slot constant.
    WideConst(u64),
    Str(u32),
    ClassConst(TypeIx),
    /// A method type, or a handle of an unknown kind: an unknown object.
    UnknownRef,
    /// A method handle constant.
    Handle(HandleIx),
    /// A dynamic constant: the static field that keeps it, and the recorded method that makes it.
    Dynamic(FieldIx, Option<MethodIx>),
    Load(u16),
    Load2(u16),
    /// A load or store of a parameter whose first use the structural view observes.
    LoadInput(u16),
    StoreInput(u16),
    Store(u16),
    Store2(u16),
    ArrayLoad(ArrayKind),
    ArrayStore(ArrayKind),
    Stack(StackOp),
    Binary(BinaryOp, Kind),
    Neg(Kind),
    Iinc(u16, i16),
    Convert(Conversion),
    Compare(Comparison),
    If(Condition, u32),
    IfIcmp(Condition, u32),
    IfAcmp(Condition, u32),
    IfNull(Condition, u32),
    Goto(u32),
    Switch(u32),
    Return(Option<Kind>),
    GetStatic(FieldIx),
    PutStatic(FieldIx),
    GetField(FieldIx),
    PutField(FieldIx),
    Invoke(InvokeIx),
    New(TypeIx),
    NewArray(TypeIx),
    MultiNewArray(TypeIx, u8),
    ArrayLength,
    Throw,
    CheckCast(TypeIx),
    InstanceOf(TypeIx),
    Monitor,
    Unsupported(&'static UnsupportedReason),
}
