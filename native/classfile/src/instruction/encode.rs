//! Encoding of instructions (JVMS §6.5).
//!
//! In: an operation and the bci where it will stand. Out: its bytes. Must not know the instructions
//! around it.

use super::{BinaryOp, Condition, Op};
use crate::kind::Kind;
use crate::opcode::*;

impl Op {
    /// Appends the shortest encoding for the given bci, on which switch padding and branch offsets
    /// depend. `goto` and `jsr` become `goto_w` and `jsr_w` where the offset needs more than 16
    /// bits.
    ///
    /// `Ldc` becomes `ldc` or `ldc_w`, never `ldc2_w`, since the kind of its constant is not known
    /// here.
    ///
    /// `None`, perhaps with bytes appended, when no instruction has these operands: the offset of a
    /// conditional jump needs more than 16 bits, a constant is none of the instruction's, or an
    /// operation does not exist for the kind.
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
            Op::NewArray(element) => out.extend([NEWARRAY, element.newarray_code()]),
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

/// Number of padding bytes between the opcode of a switch at `bci` and its operands, which start at
/// a multiple of four.
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
