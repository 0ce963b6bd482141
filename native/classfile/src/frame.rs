//! Stack map frames (JVMS §4.7.4).
//!
//! In: a `StackMapTable` and the descriptor of the method. Out: frames with absolute bcis and all
//! local variables, and bytes again, each frame in the shortest of its forms. Must not know
//! instructions.

use crate::descriptor::MethodDescriptor;
use crate::error::ParseError;
use crate::kind::Kind;
use crate::pool::{ConstantPool, PoolFull};
use crate::reader::Reader;

/// A `verification_type_info` structure. A `long` or `double` is one entry, although it takes two
/// slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VerificationType {
    /// A slot that cannot be used.
    Top,
    /// `int`, which also stands for `boolean`, `byte`, `char` and `short`.
    Integer,
    /// `float`.
    Float,
    /// `long`.
    Long,
    /// `double`.
    Double,
    /// The type of null.
    Null,
    /// `this` in a constructor before the call of another constructor.
    UninitializedThis,
    /// The class or array type that the `Class` constant at this index names.
    Object(u16),
    /// The class or array type of this parameter, from 0, without the receiver. A frame inherits it
    /// from the descriptor of the method, so the constant pool may have no `Class` constant for it.
    Parameter(u16),
    /// An object of the `new` instruction at this bci, before the call of its constructor.
    Uninitialized(u32),
}

/// The types that the class file declares for a bci (JVMS §4.10.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The bci of the instruction that the types stand before.
    pub bci: u32,
    /// The local variables from slot 0 on. Missing entries at the end are
    /// [`VerificationType::Top`].
    pub locals: Vec<VerificationType>,
    /// The operand stack, top last.
    pub stack: Vec<VerificationType>,
}

/// The facts about a method that determine its implicit first frame.
#[derive(Debug, Clone)]
pub(crate) struct MethodContext {
    pub(crate) descriptor: MethodDescriptor,
    pub(crate) is_static: bool,
    /// Whether it is a constructor of a class other than `Object`. There, `this` is uninitialised
    /// on entry.
    pub(crate) is_constructor: bool,
    /// Index of the `Class` constant that names the class of the method.
    pub(crate) this_class: u16,
}

impl MethodContext {
    /// The types of the local variables on entry (JVMS §4.10.1.6).
    pub(crate) fn initial_locals(&self) -> Vec<VerificationType> {
        let mut locals = Vec::with_capacity(self.descriptor.parameters.len() + 1);
        if !self.is_static {
            locals.push(if self.is_constructor {
                VerificationType::UninitializedThis
            } else {
                VerificationType::Object(self.this_class)
            });
        }
        for (number, parameter) in self.descriptor.parameters.iter().enumerate() {
            locals.push(match parameter.kind() {
                Kind::Int => VerificationType::Integer,
                Kind::Long => VerificationType::Long,
                Kind::Float => VerificationType::Float,
                Kind::Double => VerificationType::Double,
                Kind::Reference => VerificationType::Parameter(number as u16),
            });
        }
        locals
    }
}

fn bad(problem: &'static str) -> ParseError {
    ParseError::Attribute { attribute: "StackMapTable", problem }
}

/// Decodes the contents of a `StackMapTable`. Constant pool indices and bcis are not checked.
///
/// # Errors
///
/// [`ParseError::Truncated`] for wrong counts; [`ParseError::Attribute`] for a reserved frame type,
/// an unknown verification type, bytes that are left, or a chop frame with too few local variables.
pub(crate) fn decode(bytes: &[u8], context: &MethodContext) -> Result<Vec<Frame>, ParseError> {
    let mut reader = Reader::new(bytes, "StackMapTable");
    let count = reader.u16()?;
    let mut frames = Vec::with_capacity(usize::from(count));
    let mut locals = context.initial_locals();
    let mut bci: Option<u32> = None;
    for _ in 0..count {
        let tag = reader.u8()?;
        let mut stack = Vec::new();
        let delta = match tag {
            0..=63 => u16::from(tag),
            64..=127 => {
                stack.push(read_type(&mut reader)?);
                u16::from(tag - 64)
            }
            247 => {
                let delta = reader.u16()?;
                stack.push(read_type(&mut reader)?);
                delta
            }
            248..=250 => {
                let delta = reader.u16()?;
                let left = locals
                    .len()
                    .checked_sub(usize::from(251 - tag))
                    .ok_or_else(|| bad("a chop frame takes more locals than there are"))?;
                locals.truncate(left);
                delta
            }
            251 => reader.u16()?,
            252..=254 => {
                let delta = reader.u16()?;
                for _ in 0..tag - 251 {
                    locals.push(read_type(&mut reader)?);
                }
                delta
            }
            255 => {
                let delta = reader.u16()?;
                locals.clear();
                for _ in 0..reader.u16()? {
                    locals.push(read_type(&mut reader)?);
                }
                for _ in 0..reader.u16()? {
                    stack.push(read_type(&mut reader)?);
                }
                delta
            }
            128..=246 => return Err(bad("reserved frame type")),
        };
        let at = match bci {
            Some(previous) => previous + u32::from(delta) + 1,
            None => u32::from(delta),
        };
        bci = Some(at);
        frames.push(Frame { bci: at, locals: locals.clone(), stack });
    }
    reader.finish("StackMapTable")?;
    Ok(frames)
}

fn read_type(reader: &mut Reader<'_>) -> Result<VerificationType, ParseError> {
    Ok(match reader.u8()? {
        0 => VerificationType::Top,
        1 => VerificationType::Integer,
        2 => VerificationType::Float,
        3 => VerificationType::Double,
        4 => VerificationType::Long,
        5 => VerificationType::Null,
        6 => VerificationType::UninitializedThis,
        7 => VerificationType::Object(reader.u16()?),
        8 => VerificationType::Uninitialized(u32::from(reader.u16()?)),
        _ => return Err(bad("unknown verification type")),
    })
}

/// Encodes frames as the contents of a `StackMapTable`. Their bcis must ascend strictly and be
/// below
/// 65536. The `Class` constant of a parameter type that must be written is appended to the pool, which
/// can be full.
pub(crate) fn encode(frames: &[Frame], context: &MethodContext, pool: &mut ConstantPool) -> Result<Vec<u8>, PoolFull> {
    let mut out = Vec::with_capacity(2 + 4 * frames.len());
    out.extend((frames.len() as u16).to_be_bytes());
    let initial = context.initial_locals();
    let mut previous: &[VerificationType] = &initial;
    let mut next_bci = 0;
    for frame in frames {
        debug_assert!(frame.bci >= next_bci, "frames ascend");
        let delta = (frame.bci - next_bci) as u16;
        encode_frame(&mut out, delta, frame, previous, context, pool)?;
        previous = &frame.locals;
        next_bci = frame.bci + 1;
    }
    Ok(out)
}

fn encode_frame(
    out: &mut Vec<u8>,
    delta: u16,
    frame: &Frame,
    previous: &[VerificationType],
    context: &MethodContext,
    pool: &mut ConstantPool,
) -> Result<(), PoolFull> {
    let locals = frame.locals.as_slice();
    match *frame.stack.as_slice() {
        [] if locals == previous => {
            if delta < 64 {
                out.push(delta as u8);
            } else {
                out.push(251);
                out.extend(delta.to_be_bytes());
            }
        }
        [single] if locals == previous => {
            if delta < 64 {
                out.push(64 + delta as u8);
            } else {
                out.push(247);
                out.extend(delta.to_be_bytes());
            }
            write_type(out, single, context, pool)?;
        }
        [] if locals.len() < previous.len() && previous.len() - locals.len() <= 3 && previous.starts_with(locals) => {
            out.push(251 - (previous.len() - locals.len()) as u8);
            out.extend(delta.to_be_bytes());
        }
        [] if locals.len() > previous.len() && locals.len() - previous.len() <= 3 && locals.starts_with(previous) => {
            out.push(251 + (locals.len() - previous.len()) as u8);
            out.extend(delta.to_be_bytes());
            for &local in &locals[previous.len()..] {
                write_type(out, local, context, pool)?;
            }
        }
        _ => {
            out.push(255);
            out.extend(delta.to_be_bytes());
            for types in [locals, &frame.stack] {
                out.extend((types.len() as u16).to_be_bytes());
                for &each in types {
                    write_type(out, each, context, pool)?;
                }
            }
        }
    }
    Ok(())
}

fn write_type(
    out: &mut Vec<u8>,
    verification_type: VerificationType,
    context: &MethodContext,
    pool: &mut ConstantPool,
) -> Result<(), PoolFull> {
    let class = |out: &mut Vec<u8>, index: u16| {
        out.push(7);
        out.extend(index.to_be_bytes());
    };
    match verification_type {
        VerificationType::Top => out.push(0),
        VerificationType::Integer => out.push(1),
        VerificationType::Float => out.push(2),
        VerificationType::Double => out.push(3),
        VerificationType::Long => out.push(4),
        VerificationType::Null => out.push(5),
        VerificationType::UninitializedThis => out.push(6),
        VerificationType::Object(index) => class(out, index),
        VerificationType::Parameter(number) => {
            let name =
                context.descriptor.parameters[usize::from(number)].class_name().expect("a Parameter is a class or array type");
            class(out, pool.add_class(&name)?);
        }
        VerificationType::Uninitialized(bci) => {
            out.push(8);
            out.extend((bci as u16).to_be_bytes());
        }
    }
    Ok(())
}
