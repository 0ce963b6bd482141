//! Decoding of instructions (JVMS §6.5).
//!
//! In: the `code` array of a method. Out: its instructions, or the first malformed one. Must not
//! know the constant pool, exception tables and frames.

use super::switch_padding;
use super::{ArrayKind, BinaryOp, Comparison, Condition, Conversion, Instruction, LookupSwitch, Op, StackOp, TableSwitch};
use crate::error::ParseError;
use crate::kind::Kind;
use crate::opcode::*;
use crate::primitive::PrimitiveType;
use crate::reader::Reader;

/// Decodes a whole `code` array: instructions in ascending order of bcis, without gaps. Every
/// target is the start of an instruction. Constant pool indices and local variable slots are not
/// checked.
///
/// # Errors
///
/// [`ParseError::Code`] for an unknown opcode, malformed operands or a target inside an
/// instruction; [`ParseError::Truncated`] when the last instruction is incomplete.
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
        ILOAD..=ALOAD => Op::Load(kind_of_family(opcode - ILOAD), local(reader)?),
        ILOAD_0..=ALOAD_3 => {
            let form = opcode - ILOAD_0;
            Op::Load(kind_of_family(form / 4), u16::from(form % 4))
        }
        IALOAD..=SALOAD => Op::ArrayLoad(ArrayKind::ALL[usize::from(opcode - IALOAD)]),
        ISTORE..=ASTORE => Op::Store(kind_of_family(opcode - ISTORE), local(reader)?),
        ISTORE_0..=ASTORE_3 => {
            let form = opcode - ISTORE_0;
            Op::Store(kind_of_family(form / 4), u16::from(form % 4))
        }
        IASTORE..=SASTORE => Op::ArrayStore(ArrayKind::ALL[usize::from(opcode - IASTORE)]),
        POP..=SWAP => Op::Stack(StackOp::ALL[usize::from(opcode - POP)]),
        IADD..=DREM => {
            let op = BinaryOp::ARITHMETIC[usize::from(opcode - IADD) / 4];
            Op::Binary(op, kind_of_family((opcode - IADD) % 4))
        }
        INEG..=DNEG => Op::Neg(kind_of_family(opcode - INEG)),
        ISHL..=LXOR => {
            let op = BinaryOp::INTEGRAL[usize::from(opcode - ISHL) / 2];
            Op::Binary(op, kind_of_family((opcode - ISHL) % 2))
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
            // In 64 bits, since the difference of two ints can overflow. The check stands before
            // the allocation, so that a wrong count cannot exhaust memory.
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
        IRETURN..=ARETURN => Op::Return(Some(kind_of_family(opcode - IRETURN))),
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

/// The kind of the opcode with this place in a family of typed opcodes.
fn kind_of_family(index: u8) -> Kind {
    Kind::ALL[usize::from(index)]
}
