//! Instructions (JVMS §6.5).
//!
//! In: the `code` array of a method. Out: [`Instruction`]s with typed operands and absolute branch
//! targets, and bytes again. Constants stay pool indices: this folder must not know the pool.

mod decode;
mod encode;
mod operators;

pub use decode::decode;
pub(crate) use encode::switch_padding;
pub use operators::{ArrayKind, BinaryOp, Comparison, Condition, Conversion, StackOp};

use crate::kind::Kind;
use crate::opcode;
use crate::primitive::PrimitiveType;

/// One instruction with its position in the code.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Bytecode index of its first byte, that of the prefix for a `wide` form.
    pub bci: u32,
    /// Length in bytes, with the prefix of a `wide` form and the padding of a switch.
    pub len: u32,
    /// The opcode in the class file; for a `wide` form the opcode after the prefix.
    pub opcode: u8,
    /// Whether the prefix `wide` stands before the opcode.
    pub wide: bool,
    /// The operation with its operands.
    pub op: Op,
}

impl Instruction {
    /// The bci after this instruction.
    pub fn next_bci(&self) -> u32 {
        self.bci + self.len
    }

    /// The mnemonic of the opcode, in its short form where the file has one (`iload_1`).
    ///
    /// # Panics
    ///
    /// For an opcode that does not exist. Decoding accepts none.
    pub fn mnemonic(&self) -> &'static str {
        opcode::mnemonic(self.opcode).expect("decoding accepts only defined opcodes")
    }

    /// See [`Op::targets`].
    pub fn targets(&self) -> Vec<u32> {
        self.op.targets()
    }
}

/// An operation with its operands. Encodings of the same operation (`iload_1`, `iload 1`,
/// `wide iload 1`) are one value: [`Instruction::opcode`] and [`Instruction::wide`] tell them
/// apart.
///
/// Targets are absolute bcis. A `u16` without another meaning is an index into the constant pool;
/// the kind of entry there is not checked.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// `nop`.
    Nop,
    /// `aconst_null`.
    NullConst,
    /// `iconst_<i>`, `bipush`, `sipush`: the value, within 16 bits.
    IntConst(i32),
    /// `lconst_<l>`: 0 or 1.
    LongConst(i64),
    /// `fconst_<f>`: 0, 1 or 2.
    FloatConst(f32),
    /// `dconst_<d>`: 0 or 1.
    DoubleConst(f64),
    /// `ldc`, `ldc_w`, `ldc2_w` of a loadable constant (JVMS table 4.4-C).
    Ldc(u16),
    /// `iload` to `aload`: the kind of the value and the slot of the local variable.
    Load(Kind, u16),
    /// `istore` to `astore`: the kind of the value and the slot of the local variable.
    Store(Kind, u16),
    /// `iaload` to `saload`.
    ArrayLoad(ArrayKind),
    /// `iastore` to `sastore`.
    ArrayStore(ArrayKind),
    /// `pop` to `swap`.
    Stack(StackOp),
    /// `iadd` to `lxor`: the operation, and the kind of its result.
    Binary(BinaryOp, Kind),
    /// `ineg` to `dneg`.
    Neg(Kind),
    /// `iinc`.
    Iinc {
        /// Slot of the local variable.
        local: u16,
        /// What is added.
        delta: i16,
    },
    /// `i2l` to `i2s`.
    Convert(Conversion),
    /// `lcmp` to `dcmpg`.
    Compare(Comparison),
    /// `if<cond>`: compares an `int` with zero; the target.
    If(Condition, u32),
    /// `if_icmp<cond>`: compares two `int`s; the target.
    IfIcmp(Condition, u32),
    /// `if_acmpeq` (`Eq`) and `if_acmpne` (`Ne`): compares two references; the target. No other
    /// condition occurs.
    IfAcmp(Condition, u32),
    /// `ifnull` (`Eq`) and `ifnonnull` (`Ne`): compares a reference with null; the target. No other
    /// condition occurs.
    IfNull(Condition, u32),
    /// `goto`, `goto_w`: the target.
    Goto(u32),
    /// `jsr`, `jsr_w`: the target. Only class files before version 51 have subroutines (JVMS
    /// §4.9.1).
    Jsr(u32),
    /// `ret`: the slot of the local variable that holds the return address.
    Ret(u16),
    /// `tableswitch`.
    TableSwitch(Box<TableSwitch>),
    /// `lookupswitch`.
    LookupSwitch(Box<LookupSwitch>),
    /// `ireturn` to `areturn`; `None` is `return`, from a `void` method.
    Return(Option<Kind>),
    /// `getstatic` of a `Fieldref`.
    GetStatic(u16),
    /// `putstatic` of a `Fieldref`.
    PutStatic(u16),
    /// `getfield` of a `Fieldref`.
    GetField(u16),
    /// `putfield` of a `Fieldref`.
    PutField(u16),
    /// `invokevirtual` of a `Methodref`.
    InvokeVirtual(u16),
    /// `invokespecial` of a `Methodref` or `InterfaceMethodref`.
    InvokeSpecial(u16),
    /// `invokestatic` of a `Methodref` or `InterfaceMethodref`.
    InvokeStatic(u16),
    /// `invokeinterface`.
    InvokeInterface {
        /// Index of the `InterfaceMethodref`.
        method: u16,
        /// Slots of the arguments with the receiver, as the class file says; not checked.
        count: u8,
    },
    /// `invokedynamic` of an `InvokeDynamic`.
    InvokeDynamic(u16),
    /// `new` of a `Class`.
    New(u16),
    /// `newarray` of this element type.
    NewArray(PrimitiveType),
    /// `anewarray`: index of the `Class` that names the element type.
    ANewArray(u16),
    /// `arraylength`.
    ArrayLength,
    /// `athrow`.
    Athrow,
    /// `checkcast` to a `Class`.
    CheckCast(u16),
    /// `instanceof` a `Class`.
    InstanceOf(u16),
    /// `monitorenter`.
    MonitorEnter,
    /// `monitorexit`.
    MonitorExit,
    /// `multianewarray`.
    MultiANewArray {
        /// Index of the `Class` that names the array type.
        class: u16,
        /// Dimensions whose lengths are on the stack.
        dimensions: u8,
    },
}

/// A `tableswitch`. Targets are absolute bcis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSwitch {
    /// The target of every other key.
    pub default: u32,
    /// The smallest key with a target of its own.
    pub low: i32,
    /// The largest key with a target of its own.
    pub high: i32,
    /// The target of each key from `low` to `high`.
    pub targets: Vec<u32>,
}

/// A `lookupswitch`. Targets are absolute bcis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupSwitch {
    /// The target of every other key.
    pub default: u32,
    /// Keys with their targets; keys strictly ascend.
    pub pairs: Vec<(i32, u32)>,
}

impl Op {
    /// Every target, possibly repeated: that of a jump; those of the cases of a switch in order,
    /// then that of its default.
    pub fn targets(&self) -> Vec<u32> {
        let mut targets = Vec::new();
        self.for_each_target(|target| targets.push(target));
        targets
    }

    /// Visits every target in the order of [`Op::targets`].
    pub fn for_each_target(&self, mut visit: impl FnMut(u32)) {
        match self {
            Op::TableSwitch(switch) => {
                switch.targets.iter().for_each(|&target| visit(target));
                visit(switch.default);
            }
            Op::LookupSwitch(switch) => {
                switch.pairs.iter().for_each(|&(_, target)| visit(target));
                visit(switch.default);
            }
            other => {
                if let Some(target) = other.jump_target() {
                    visit(target);
                }
            }
        }
    }

    /// The target of a conditional jump, `goto` or `jsr`; `None` for switches and other
    /// instructions.
    pub fn jump_target(&self) -> Option<u32> {
        match *self {
            Op::If(_, target)
            | Op::IfIcmp(_, target)
            | Op::IfAcmp(_, target)
            | Op::IfNull(_, target)
            | Op::Goto(target)
            | Op::Jsr(target) => Some(target),
            _ => None,
        }
    }

    /// Whether it is a jump that can fall through: `if<cond>` and its like, `ifnull`, `ifnonnull`.
    pub fn is_conditional_jump(&self) -> bool {
        matches!(self, Op::If(..) | Op::IfIcmp(..) | Op::IfAcmp(..) | Op::IfNull(..))
    }

    /// Whether it is a `tableswitch` or a `lookupswitch`.
    pub fn is_switch(&self) -> bool {
        matches!(self, Op::TableSwitch(_) | Op::LookupSwitch(_))
    }

    /// Whether control can continue with the next instruction. It does not after `jsr`, although
    /// the matching `ret` jumps there.
    pub fn falls_through(&self) -> bool {
        !matches!(
            self,
            Op::Goto(_) | Op::Jsr(_) | Op::Ret(_) | Op::TableSwitch(_) | Op::LookupSwitch(_) | Op::Return(_) | Op::Athrow
        )
    }

    /// Index of the `Fieldref`, `Methodref` or `InterfaceMethodref` that a field access or a call
    /// names; `None` for `invokedynamic`, which names none.
    pub fn member_index(&self) -> Option<u16> {
        match *self {
            Op::GetStatic(index)
            | Op::PutStatic(index)
            | Op::GetField(index)
            | Op::PutField(index)
            | Op::InvokeVirtual(index)
            | Op::InvokeSpecial(index)
            | Op::InvokeStatic(index)
            | Op::InvokeInterface { method: index, .. } => Some(index),
            _ => None,
        }
    }

    /// Whether it is a call of a method, `invokedynamic` included.
    pub fn is_invoke(&self) -> bool {
        self.is_method_call() || matches!(self, Op::InvokeDynamic(_))
    }

    /// Whether it is a call of a method that the constant pool names: every call but
    /// `invokedynamic`.
    pub(crate) fn is_method_call(&self) -> bool {
        matches!(self, Op::InvokeVirtual(_) | Op::InvokeSpecial(_) | Op::InvokeStatic(_) | Op::InvokeInterface { .. })
    }
}
