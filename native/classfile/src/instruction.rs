//! Instructions (JVMS §6.5). In: the `code` array; out: a list of [`Instruction`]s whose operands are typed and whose
//! branch targets are absolute. Constants stay pool indices: this module does not know the pool.

use crate::error::ParseError;
use crate::kind::Kind;
use crate::opcode::{self, *};
use crate::primitive::PrimitiveType;
use crate::reader::Reader;

/// What an array instruction moves. `Byte` stands for boolean arrays too (`baload`, `bastore`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArrayKind {
    Int,
    Long,
    Float,
    Double,
    Reference,
    Byte,
    Char,
    Short,
}

impl ArrayKind {
    /// The kind of the element on the operand stack.
    pub fn kind(self) -> Kind {
        match self {
            ArrayKind::Long => Kind::Long,
            ArrayKind::Float => Kind::Float,
            ArrayKind::Double => Kind::Double,
            ArrayKind::Reference => Kind::Reference,
            ArrayKind::Int | ArrayKind::Byte | ArrayKind::Char | ArrayKind::Short => Kind::Int,
        }
    }

    fn of(index: u8) -> ArrayKind {
        [
            ArrayKind::Int,
            ArrayKind::Long,
            ArrayKind::Float,
            ArrayKind::Double,
            ArrayKind::Reference,
            ArrayKind::Byte,
            ArrayKind::Char,
            ArrayKind::Short,
        ][usize::from(index)]
    }
}

/// Instructions that only move operand stack slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StackOp {
    Pop,
    Pop2,
    Dup,
    DupX1,
    DupX2,
    Dup2,
    Dup2X1,
    Dup2X2,
    Swap,
}

impl StackOp {
    const ALL: [StackOp; 9] = [
        StackOp::Pop,
        StackOp::Pop2,
        StackOp::Dup,
        StackOp::DupX1,
        StackOp::DupX2,
        StackOp::Dup2,
        StackOp::Dup2X1,
        StackOp::Dup2X2,
        StackOp::Swap,
    ];

    /// Slots taken and slots put back.
    pub(crate) fn effect(self) -> (u16, u16) {
        match self {
            StackOp::Pop => (1, 0),
            StackOp::Pop2 => (2, 0),
            StackOp::Dup => (1, 2),
            StackOp::DupX1 => (2, 3),
            StackOp::DupX2 => (3, 4),
            StackOp::Dup2 => (2, 4),
            StackOp::Dup2X1 => (3, 5),
            StackOp::Dup2X2 => (4, 6),
            StackOp::Swap => (2, 2),
        }
    }
}

/// Binary arithmetic; both operands and the result have one kind, but the shift distance is always an int.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    /// Arithmetic shift (`ishr`).
    Shr,
    /// Logical shift (`iushr`).
    Ushr,
    And,
    Or,
    Xor,
}

/// `i2l`..`i2s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Conversion {
    IntToLong,
    IntToFloat,
    IntToDouble,
    LongToInt,
    LongToFloat,
    LongToDouble,
    FloatToInt,
    FloatToLong,
    FloatToDouble,
    DoubleToInt,
    DoubleToLong,
    DoubleToFloat,
    IntToByte,
    IntToChar,
    IntToShort,
}

impl Conversion {
    const ALL: [Conversion; 15] = [
        Conversion::IntToLong,
        Conversion::IntToFloat,
        Conversion::IntToDouble,
        Conversion::LongToInt,
        Conversion::LongToFloat,
        Conversion::LongToDouble,
        Conversion::FloatToInt,
        Conversion::FloatToLong,
        Conversion::FloatToDouble,
        Conversion::DoubleToInt,
        Conversion::DoubleToLong,
        Conversion::DoubleToFloat,
        Conversion::IntToByte,
        Conversion::IntToChar,
        Conversion::IntToShort,
    ];

    pub fn from(self) -> Kind {
        use Conversion::*;
        match self {
            IntToLong | IntToFloat | IntToDouble | IntToByte | IntToChar | IntToShort => Kind::Int,
            LongToInt | LongToFloat | LongToDouble => Kind::Long,
            FloatToInt | FloatToLong | FloatToDouble => Kind::Float,
            DoubleToInt | DoubleToLong | DoubleToFloat => Kind::Double,
        }
    }

    pub fn to(self) -> Kind {
        use Conversion::*;
        match self {
            LongToInt | FloatToInt | DoubleToInt | IntToByte | IntToChar | IntToShort => Kind::Int,
            IntToLong | FloatToLong | DoubleToLong => Kind::Long,
            IntToFloat | LongToFloat | DoubleToFloat => Kind::Float,
            IntToDouble | LongToDouble | FloatToDouble => Kind::Double,
        }
    }
}

/// `lcmp`, `fcmpl`..`dcmpg`: two operands of one kind to -1, 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    Long,
    /// NaN gives -1 (`fcmpl`).
    FloatLess,
    /// NaN gives 1 (`fcmpg`).
    FloatGreater,
    DoubleLess,
    DoubleGreater,
}

impl Comparison {
    const ALL: [Comparison; 5] =
        [Comparison::Long, Comparison::FloatLess, Comparison::FloatGreater, Comparison::DoubleLess, Comparison::DoubleGreater];

    pub fn kind(self) -> Kind {
        match self {
            Comparison::Long => Kind::Long,
            Comparison::FloatLess | Comparison::FloatGreater => Kind::Float,
            Comparison::DoubleLess | Comparison::DoubleGreater => Kind::Double,
        }
    }
}

/// The relation of a conditional jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
}

impl Condition {
    const ALL: [Condition; 6] = [Condition::Eq, Condition::Ne, Condition::Lt, Condition::Ge, Condition::Gt, Condition::Le];

    pub fn negate(self) -> Condition {
        match self {
            Condition::Eq => Condition::Ne,
            Condition::Ne => Condition::Eq,
            Condition::Lt => Condition::Ge,
            Condition::Ge => Condition::Lt,
            Condition::Gt => Condition::Le,
            Condition::Le => Condition::Gt,
        }
    }

    /// Whether `left (relation) right`.
    pub fn holds(self, left: i32, right: i32) -> bool {
        match self {
            Condition::Eq => left == right,
            Condition::Ne => left != right,
            Condition::Lt => left < right,
            Condition::Ge => left >= right,
            Condition::Gt => left > right,
            Condition::Le => left <= right,
        }
    }
}

/// A `tableswitch`: keys `low..=high`, one target each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSwitch {
    pub default: u32,
    pub low: i32,
    pub high: i32,
    pub targets: Vec<u32>,
}

/// A `lookupswitch`: keys ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookupSwitch {
    pub default: u32,
    pub pairs: Vec<(i32, u32)>,
}

/// What an instruction does. Forms that mean the same (`iload_1`, `iload 1`, `wide iload 1`) are one value;
/// [`Instruction::opcode`] and [`Instruction::wide`] remember which was there. Targets are absolute bcis, constants are pool
/// indices.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    Nop,
    NullConst,
    /// `iconst_<n>`, `bipush`, `sipush`.
    IntConst(i32),
    LongConst(i64),
    FloatConst(f32),
    DoubleConst(f64),
    /// `ldc`, `ldc_w`, `ldc2_w`.
    Ldc(u16),
    Load(Kind, u16),
    Store(Kind, u16),
    ArrayLoad(ArrayKind),
    ArrayStore(ArrayKind),
    Stack(StackOp),
    Binary(BinaryOp, Kind),
    Neg(Kind),
    Iinc {
        local: u16,
        delta: i16,
    },
    Convert(Conversion),
    Compare(Comparison),
    /// `ifeq`..`ifle`: the operand against zero.
    If(Condition, u32),
    /// `if_icmp<cond>`.
    IfIcmp(Condition, u32),
    /// `if_acmpeq` and `if_acmpne`; no other condition occurs.
    IfAcmp(Condition, u32),
    /// `ifnull` (`Eq`) and `ifnonnull` (`Ne`).
    IfNull(Condition, u32),
    /// `goto`, `goto_w`.
    Goto(u32),
    /// `jsr`, `jsr_w`: only in class files before version 51.
    Jsr(u32),
    Ret(u16),
    TableSwitch(Box<TableSwitch>),
    LookupSwitch(Box<LookupSwitch>),
    /// `None` returns from a void method.
    Return(Option<Kind>),
    GetStatic(u16),
    PutStatic(u16),
    GetField(u16),
    PutField(u16),
    InvokeVirtual(u16),
    InvokeSpecial(u16),
    InvokeStatic(u16),
    /// `count`: argument slots with the receiver, as the class file says.
    InvokeInterface {
        method: u16,
        count: u8,
    },
    InvokeDynamic(u16),
    New(u16),
    NewArray(PrimitiveType),
    ANewArray(u16),
    ArrayLength,
    Athrow,
    CheckCast(u16),
    InstanceOf(u16),
    MonitorEnter,
    MonitorExit,
    MultiANewArray {
        class: u16,
        dimensions: u8,
    },
}

/// One instruction at its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    pub bci: u32,
    /// Bytes, with a `wide` prefix and switch padding.
    pub len: u32,
    /// As in the file; for a `wide` form the opcode after the prefix.
    pub opcode: u8,
    pub wide: bool,
    pub op: Op,
}

impl Instruction {
    /// The bci after this instruction.
    pub fn next_bci(&self) -> u32 {
        self.bci + self.len
    }

    pub fn mnemonic(&self) -> &'static str {
        opcode::mnemonic(self.opcode).expect("decoding accepts only defined opcodes")
    }

    /// Every target, in the order of the instruction: a jump's; a switch's cases, then its default.
    pub fn targets(&self) -> Vec<u32> {
        self.op.targets()
    }
}

impl Op {
    /// Every target: a jump's; a switch's cases in order, then its default.
    pub fn targets(&self) -> Vec<u32> {
        let mut targets = Vec::new();
        self.for_each_target(|target| targets.push(target));
        targets
    }

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

    /// The target of a jump with one (conditional, `goto`, `jsr`).
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

    pub fn is_conditional_jump(&self) -> bool {
        matches!(self, Op::If(..) | Op::IfIcmp(..) | Op::IfAcmp(..) | Op::IfNull(..))
    }

    pub fn is_switch(&self) -> bool {
        matches!(self, Op::TableSwitch(_) | Op::LookupSwitch(_))
    }

    /// Whether control can go on to the instruction behind. `jsr` does not: its `ret` comes back there.
    pub fn falls_through(&self) -> bool {
        !matches!(
            self,
            Op::Goto(_) | Op::Jsr(_) | Op::Ret(_) | Op::TableSwitch(_) | Op::LookupSwitch(_) | Op::Return(_) | Op::Athrow
        )
    }

    /// The `Fieldref`, `Methodref` or `InterfaceMethodref` that a field access or a call names.
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

    pub fn is_invoke(&self) -> bool {
        matches!(
            self,
            Op::InvokeVirtual(_) | Op::InvokeSpecial(_) | Op::InvokeStatic(_) | Op::InvokeInterface { .. } | Op::InvokeDynamic(_)
        )
    }

    /// Appends the shortest encoding, as if it stood at `bci` (switch padding and branch offsets depend on it).
    /// A jump whose offset passes 16 bits becomes `goto_w` or `jsr_w`; a conditional one has no such form: `None`.
    pub fn encode(&self, bci: u32, out: &mut Vec<u8>) -> Option<()> {
        let offset = |target: u32| target.wrapping_sub(bci) as i32;
        let jump = |out: &mut Vec<u8>, opcode: u8, target: u32| -> Option<()> {
            let short = i16::try_from(offset(target)).ok()?;
            out.push(opcode);
            out.extend(short.to_be_bytes());
            Some(())
        };
        let indexed = |out: &mut Vec<u8>, opcode: u8, index: u16| {
            out.push(opcode);
            out.extend(index.to_be_bytes());
        };
        match *self {
            Op::Nop => out.push(NOP),
            Op::NullConst => out.push(ACONST_NULL),
            Op::IntConst(value @ -1..=5) => out.push((i32::from(ICONST_0) + value) as u8),
            Op::IntConst(value) => {
                if let Ok(byte) = i8::try_from(value) {
                    out.extend([BIPUSH, byte as u8]);
                } else {
                    indexed(out, SIPUSH, i16::try_from(value).ok()? as u16);
                }
            }
            Op::LongConst(value) => out.push(match value {
                0 => LCONST_0,
                1 => LCONST_1,
                _ => return None,
            }),
            Op::FloatConst(value) => out.push(match value.to_bits() {
                0 => FCONST_0,
                0x3f80_0000 => FCONST_1,
                0x4000_0000 => FCONST_2,
                _ => return None,
            }),
            Op::DoubleConst(value) => out.push(match value.to_bits() {
                0 => DCONST_0,
                0x3ff0_0000_0000_0000 => DCONST_1,
                _ => return None,
            }),
            // Whether `ldc2_w` is needed is the constant's to say: see `Snippet`.
            Op::Ldc(index) => match u8::try_from(index) {
                Ok(byte) => out.extend([LDC, byte]),
                Err(_) => indexed(out, LDC_W, index),
            },
            Op::Load(kind, local) => encode_local(out, ILOAD, ILOAD_0, kind, local),
            Op::Store(kind, local) => encode_local(out, ISTORE, ISTORE_0, kind, local),
            Op::ArrayLoad(kind) => out.push(IALOAD + kind as u8),
            Op::ArrayStore(kind) => out.push(IASTORE + kind as u8),
            Op::Stack(op) => out.push(POP + op as u8),
            Op::Binary(op, kind) => out.push(binary_opcode(op, kind)?),
            Op::Neg(kind) => out.push(INEG + arithmetic_kind(kind)?),
            Op::Iinc { local, delta } => match (u8::try_from(local), i8::try_from(delta)) {
                (Ok(local), Ok(delta)) => out.extend([IINC, local, delta as u8]),
                _ => {
                    out.extend([WIDE, IINC]);
                    out.extend(local.to_be_bytes());
                    out.extend(delta.to_be_bytes());
                }
            },
            Op::Convert(conversion) => out.push(I2L + conversion as u8),
            Op::Compare(comparison) => out.push(LCMP + comparison as u8),
            Op::If(condition, target) => jump(out, IFEQ + condition as u8, target)?,
            Op::IfIcmp(condition, target) => jump(out, IF_ICMPEQ + condition as u8, target)?,
            Op::IfAcmp(condition, target) => {
                jump(out, IF_ACMPEQ + equality(condition)?, target)?;
            }
            Op::IfNull(condition, target) => jump(out, IFNULL + equality(condition)?, target)?,
            Op::Goto(target) => {
                if jump(out, GOTO, target).is_none() {
                    out.push(GOTO_W);
                    out.extend(offset(target).to_be_bytes());
                }
            }
            Op::Jsr(target) => {
                if jump(out, JSR, target).is_none() {
                    out.push(JSR_W);
                    out.extend(offset(target).to_be_bytes());
                }
            }
            Op::Ret(local) => match u8::try_from(local) {
                Ok(byte) => out.extend([RET, byte]),
                Err(_) => {
                    out.push(WIDE);
                    indexed(out, RET, local);
                }
            },
            Op::TableSwitch(ref switch) => {
                out.push(TABLESWITCH);
                pad_switch(out, bci);
                out.extend(offset(switch.default).to_be_bytes());
                out.extend(switch.low.to_be_bytes());
                out.extend(switch.high.to_be_bytes());
                for &target in &switch.targets {
                    out.extend(offset(target).to_be_bytes());
                }
            }
            Op::LookupSwitch(ref switch) => {
                out.push(LOOKUPSWITCH);
                pad_switch(out, bci);
                out.extend(offset(switch.default).to_be_bytes());
                out.extend((switch.pairs.len() as u32).to_be_bytes());
                for &(key, target) in &switch.pairs {
                    out.extend(key.to_be_bytes());
                    out.extend(offset(target).to_be_bytes());
                }
            }
            Op::Return(kind) => out.push(match kind {
                Some(kind) => IRETURN + kind as u8,
                None => RETURN,
            }),
            Op::GetStatic(index) => indexed(out, GETSTATIC, index),
            Op::PutStatic(index) => indexed(out, PUTSTATIC, index),
            Op::GetField(index) => indexed(out, GETFIELD, index),
            Op::PutField(index) => indexed(out, PUTFIELD, index),
            Op::InvokeVirtual(index) => indexed(out, INVOKEVIRTUAL, index),
            Op::InvokeSpecial(index) => indexed(out, INVOKESPECIAL, index),
            Op::InvokeStatic(index) => indexed(out, INVOKESTATIC, index),
            Op::InvokeInterface { method, count } => {
                indexed(out, INVOKEINTERFACE, method);
                out.extend([count, 0]);
            }
            Op::InvokeDynamic(index) => {
                indexed(out, INVOKEDYNAMIC, index);
                out.extend([0, 0]);
            }
            Op::New(index) => indexed(out, NEW, index),
            Op::NewArray(element) => out.extend([NEWARRAY, 4 + element as u8]),
            Op::ANewArray(index) => indexed(out, ANEWARRAY, index),
            Op::ArrayLength => out.push(ARRAYLENGTH),
            Op::Athrow => out.push(ATHROW),
            Op::CheckCast(index) => indexed(out, CHECKCAST, index),
            Op::InstanceOf(index) => indexed(out, INSTANCEOF, index),
            Op::MonitorEnter => out.push(MONITORENTER),
            Op::MonitorExit => out.push(MONITOREXIT),
            Op::MultiANewArray { class, dimensions } => {
                indexed(out, MULTIANEWARRAY, class);
                out.push(dimensions);
            }
        }
        Some(())
    }
}

/// Padding bytes behind a switch opcode at `bci`, so that its operands start at a multiple of four.
pub(crate) fn switch_padding(bci: u32) -> u32 {
    3 - bci % 4
}

fn pad_switch(out: &mut Vec<u8>, bci: u32) {
    for _ in 0..switch_padding(bci) {
        out.push(0);
    }
}

fn encode_local(out: &mut Vec<u8>, long_form: u8, short_form: u8, kind: Kind, local: u16) {
    match local {
        0..=3 => out.push(short_form + 4 * kind as u8 + local as u8),
        4..=255 => out.extend([long_form + kind as u8, local as u8]),
        _ => {
            out.extend([WIDE, long_form + kind as u8]);
            out.extend(local.to_be_bytes());
        }
    }
}

fn arithmetic_kind(kind: Kind) -> Option<u8> {
    (kind != Kind::Reference).then_some(kind as u8)
}

fn integral_kind(kind: Kind) -> Option<u8> {
    matches!(kind, Kind::Int | Kind::Long).then_some(kind as u8)
}

fn equality(condition: Condition) -> Option<u8> {
    matches!(condition, Condition::Eq | Condition::Ne).then_some(condition as u8)
}

fn binary_opcode(op: BinaryOp, kind: Kind) -> Option<u8> {
    Some(match op {
        BinaryOp::Add => IADD + arithmetic_kind(kind)?,
        BinaryOp::Sub => ISUB + arithmetic_kind(kind)?,
        BinaryOp::Mul => IMUL + arithmetic_kind(kind)?,
        BinaryOp::Div => IDIV + arithmetic_kind(kind)?,
        BinaryOp::Rem => IREM + arithmetic_kind(kind)?,
        BinaryOp::Shl => ISHL + integral_kind(kind)?,
        BinaryOp::Shr => ISHR + integral_kind(kind)?,
        BinaryOp::Ushr => IUSHR + integral_kind(kind)?,
        BinaryOp::And => IAND + integral_kind(kind)?,
        BinaryOp::Or => IOR + integral_kind(kind)?,
        BinaryOp::Xor => IXOR + integral_kind(kind)?,
    })
}

/// Decodes a whole `code` array. Targets are checked to be the start of an instruction.
pub fn decode(code: &[u8]) -> Result<Vec<Instruction>, ParseError> {
    let mut instructions = Vec::with_capacity(code.len() / 2);
    let mut reader = Reader::new(code, "an instruction");
    let mut starts = vec![0_u64; code.len() / 64 + 1];
    while reader.remaining() > 0 {
        let bci = reader.position();
        starts[bci / 64] |= 1 << (bci % 64);
        instructions.push(decode_one(&mut reader)?);
    }
    for instruction in &instructions {
        let mut bad = false;
        instruction.op.for_each_target(|target| {
            let at = target as usize;
            bad |= at >= code.len() || starts[at / 64] >> (at % 64) & 1 == 0;
        });
        if bad {
            return Err(ParseError::Code {
                bci: instruction.bci,
                problem: "a jump into the middle of an instruction or out of the code",
            });
        }
    }
    Ok(instructions)
}

fn decode_one(reader: &mut Reader<'_>) -> Result<Instruction, ParseError> {
    let bci = reader.position() as u32;
    let bad = |problem| ParseError::Code { bci, problem };
    let mut opcode = reader.u8()?;
    let wide = opcode == WIDE;
    if wide {
        opcode = reader.u8()?;
        if !matches!(opcode, ILOAD..=ALOAD | ISTORE..=ASTORE | IINC | RET) {
            return Err(bad("`wide` before an instruction that has no such form"));
        }
    }
    let local = |reader: &mut Reader<'_>| {
        if wide { reader.u16() } else { reader.u8().map(u16::from) }
    };
    let target = |offset: i32| bci.wrapping_add(offset as u32);
    let op = match opcode {
        NOP => Op::Nop,
        ACONST_NULL => Op::NullConst,
        ICONST_M1..=ICONST_5 => Op::IntConst(i32::from(opcode) - i32::from(ICONST_0)),
        LCONST_0..=LCONST_1 => Op::LongConst(i64::from(opcode - LCONST_0)),
        FCONST_0..=FCONST_2 => Op::FloatConst(f32::from(opcode - FCONST_0)),
        DCONST_0..=DCONST_1 => Op::DoubleConst(f64::from(opcode - DCONST_0)),
        BIPUSH => Op::IntConst(i32::from(reader.u8()? as i8)),
        SIPUSH => Op::IntConst(i32::from(reader.i16()?)),
        LDC => Op::Ldc(u16::from(reader.u8()?)),
        LDC_W | LDC2_W => Op::Ldc(reader.u16()?),
        ILOAD..=ALOAD => Op::Load(kind_at(opcode - ILOAD), local(reader)?),
        ILOAD_0..=ALOAD_3 => {
            let form = opcode - ILOAD_0;
            Op::Load(kind_at(form / 4), u16::from(form % 4))
        }
        IALOAD..=SALOAD => Op::ArrayLoad(ArrayKind::of(opcode - IALOAD)),
        ISTORE..=ASTORE => Op::Store(kind_at(opcode - ISTORE), local(reader)?),
        ISTORE_0..=ASTORE_3 => {
            let form = opcode - ISTORE_0;
            Op::Store(kind_at(form / 4), u16::from(form % 4))
        }
        IASTORE..=SASTORE => Op::ArrayStore(ArrayKind::of(opcode - IASTORE)),
        POP..=SWAP => Op::Stack(StackOp::ALL[usize::from(opcode - POP)]),
        IADD..=DREM => {
            let op = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem][usize::from(opcode - IADD) / 4];
            Op::Binary(op, kind_at((opcode - IADD) % 4))
        }
        INEG..=DNEG => Op::Neg(kind_at(opcode - INEG)),
        ISHL..=LXOR => {
            let op = [BinaryOp::Shl, BinaryOp::Shr, BinaryOp::Ushr, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]
                [usize::from(opcode - ISHL) / 2];
            Op::Binary(op, kind_at((opcode - ISHL) % 2))
        }
        IINC => Op::Iinc { local: local(reader)?, delta: if wide { reader.i16()? } else { i16::from(reader.u8()? as i8) } },
        I2L..=I2S => Op::Convert(Conversion::ALL[usize::from(opcode - I2L)]),
        LCMP..=DCMPG => Op::Compare(Comparison::ALL[usize::from(opcode - LCMP)]),
        IFEQ..=IFLE => Op::If(Condition::ALL[usize::from(opcode - IFEQ)], target(reader.i16()?.into())),
        IF_ICMPEQ..=IF_ICMPLE => Op::IfIcmp(Condition::ALL[usize::from(opcode - IF_ICMPEQ)], target(reader.i16()?.into())),
        IF_ACMPEQ..=IF_ACMPNE => Op::IfAcmp(Condition::ALL[usize::from(opcode - IF_ACMPEQ)], target(reader.i16()?.into())),
        IFNULL..=IFNONNULL => Op::IfNull(Condition::ALL[usize::from(opcode - IFNULL)], target(reader.i16()?.into())),
        GOTO => Op::Goto(target(reader.i16()?.into())),
        JSR => Op::Jsr(target(reader.i16()?.into())),
        GOTO_W => Op::Goto(target(reader.i32()?)),
        JSR_W => Op::Jsr(target(reader.i32()?)),
        RET => Op::Ret(local(reader)?),
        TABLESWITCH => {
            reader.take(switch_padding(bci) as usize)?;
            let default = target(reader.i32()?);
            let low = reader.i32()?;
            let high = reader.i32()?;
            let count = i64::from(high) - i64::from(low) + 1;
            // Compared in 64 bits: a lie about the count must not allocate.
            if count < 1 || count > (reader.remaining() / 4) as i64 {
                return Err(bad("a tableswitch whose keys do not fit its length"));
            }
            let mut targets = Vec::with_capacity(count as usize);
            for _ in 0..count {
                targets.push(target(reader.i32()?));
            }
            Op::TableSwitch(Box::new(TableSwitch { default, low, high, targets }))
        }
        LOOKUPSWITCH => {
            reader.take(switch_padding(bci) as usize)?;
            let default = target(reader.i32()?);
            let count = reader.i32()?;
            if count < 0 || count as usize > reader.remaining() / 8 {
                return Err(bad("a lookupswitch longer than the code"));
            }
            let mut pairs = Vec::with_capacity(count as usize);
            for _ in 0..count {
                let key = reader.i32()?;
                pairs.push((key, target(reader.i32()?)));
            }
            if !pairs.is_sorted_by(|(a, _), (b, _)| a < b) {
                return Err(bad("a lookupswitch whose keys do not ascend"));
            }
            Op::LookupSwitch(Box::new(LookupSwitch { default, pairs }))
        }
        IRETURN..=ARETURN => Op::Return(Some(kind_at(opcode - IRETURN))),
        RETURN => Op::Return(None),
        GETSTATIC => Op::GetStatic(reader.u16()?),
        PUTSTATIC => Op::PutStatic(reader.u16()?),
        GETFIELD => Op::GetField(reader.u16()?),
        PUTFIELD => Op::PutField(reader.u16()?),
        INVOKEVIRTUAL => Op::InvokeVirtual(reader.u16()?),
        INVOKESPECIAL => Op::InvokeSpecial(reader.u16()?),
        INVOKESTATIC => Op::InvokeStatic(reader.u16()?),
        INVOKEINTERFACE => {
            let method = reader.u16()?;
            let count = reader.u8()?;
            reader.u8()?;
            Op::InvokeInterface { method, count }
        }
        INVOKEDYNAMIC => {
            let index = reader.u16()?;
            reader.u16()?;
            Op::InvokeDynamic(index)
        }
        NEW => Op::New(reader.u16()?),
        NEWARRAY => {
            let code = reader.u8()?;
            let element = PrimitiveType::from_newarray_code(code);
            Op::NewArray(element.ok_or_else(|| bad("newarray of an unknown element type"))?)
        }
        ANEWARRAY => Op::ANewArray(reader.u16()?),
        ARRAYLENGTH => Op::ArrayLength,
        ATHROW => Op::Athrow,
        CHECKCAST => Op::CheckCast(reader.u16()?),
        INSTANCEOF => Op::InstanceOf(reader.u16()?),
        MONITORENTER => Op::MonitorEnter,
        MONITOREXIT => Op::MonitorExit,
        MULTIANEWARRAY => Op::MultiANewArray { class: reader.u16()?, dimensions: reader.u8()? },
        _ => return Err(bad("no such opcode")),
    };
    Ok(Instruction { bci, len: reader.position() as u32 - bci, opcode, wide, op })
}

/// The kind of an opcode by its index in its family.
fn kind_at(index: u8) -> Kind {
    Kind::ALL[usize::from(index)]
}
