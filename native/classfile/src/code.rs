//! The `Code` attribute (JVMS §4.7.3).
//!
//! In: its bytes. Out: instructions, exception handlers, debug tables and frames. Must not know how
//! code is changed: see `edit`.

use crate::descriptor::Type;
use crate::error::ParseError;
use crate::frame::{self, Frame, MethodContext, VerificationType};
use crate::instruction::{self, Instruction};
use crate::pool::ConstantPool;
use crate::reader::Reader;

/// The decoded body of a method.
#[derive(Debug, Clone)]
pub struct Code {
    /// Depth of the operand stack at most, in slots.
    pub(crate) max_stack: u16,
    /// Number of local variable slots, parameters included.
    pub max_locals: u16,
    /// In ascending order of bcis, without gaps.
    pub instructions: Vec<Instruction>,
    /// In the order in which the JVM tries them.
    pub handlers: Vec<Handler>,
    /// The entries of all `LineNumberTable` attributes (JVMS §4.7.12), in the order of the file.
    /// Their bcis are not checked.
    pub line_numbers: Vec<LineNumber>,
    /// The entries of all `LocalVariableTable` attributes (JVMS §4.7.13), in the order of the file.
    /// Their ranges and slots are not checked.
    pub local_variables: Vec<LocalVariable>,
    /// The explicit frames in ascending order of bcis. The frame on entry is implicit.
    pub frames: Vec<Frame>,
    /// Bytes of the `code` array.
    code_len: u32,
    context: MethodContext,
}

/// An entry of the exception table. It covers the bcis `start..end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    /// Bci of the first covered instruction.
    pub start: u32,
    /// Bci after the last covered instruction.
    pub end: u32,
    /// Bci of the first instruction of the handler.
    pub handler: u32,
    /// Internal name of the caught class; `None` catches everything.
    pub catch_type: Option<String>,
}

/// An entry of the `LineNumberTable`: the code of a source line begins at a bci.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineNumber {
    /// Bci of the first instruction.
    pub bci: u32,
    /// Line in the source file, from 1.
    pub line: u16,
}

/// An entry of the `LocalVariableTable`: the variable has a value at the bcis `start..end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalVariable {
    /// First bci at which the variable has a value.
    pub start: u32,
    /// Bci after the last one at which it has a value.
    pub end: u32,
    /// The name in the source.
    pub name: String,
    /// The field descriptor of its type. Its grammar is not checked.
    pub descriptor: String,
    /// Slot of the variable; a `long` or `double` has the next slot, too.
    pub slot: u16,
}

impl Code {
    /// Decodes the contents of a `Code` attribute. Checked are the instructions, the bounds of the
    /// exception table and the places of the frames; unknown attributes are skipped.
    ///
    /// # Errors
    ///
    /// [`ParseError::Code`] for instructions and the exception table, [`ParseError::Attribute`] and
    /// [`ParseError::Truncated`] for lengths and frames, [`ParseError::Constant`] and
    /// [`ParseError::ConstantKind`] for names.
    pub(crate) fn parse(bytes: &[u8], context: MethodContext, pool: &ConstantPool) -> Result<Code, ParseError> {
        let raw = RawCode::parse(bytes, pool)?;
        let instructions = instruction::decode(raw.code)?;
        let handlers = raw
            .handlers
            .iter()
            .map(|raw| {
                Ok(Handler {
                    start: raw.start,
                    end: raw.end,
                    handler: raw.handler,
                    catch_type: match raw.catch_type {
                        0 => None,
                        index => Some(pool.class_name(index)?.to_owned()),
                    },
                })
            })
            .collect::<Result<_, ParseError>>()?;
        let mut code = Code {
            max_stack: raw.max_stack,
            max_locals: raw.max_locals,
            code_len: raw.code.len() as u32,
            instructions,
            handlers,
            line_numbers: Vec::new(),
            local_variables: Vec::new(),
            frames: Vec::new(),
            context,
        };
        code.check_handlers()?;
        for attribute in &raw.attributes {
            match attribute.kind {
                CodeAttributeKind::LineNumbers => {
                    let mut reader = Reader::new(attribute.bytes, "LineNumberTable");
                    for _ in 0..reader.u16()? {
                        code.line_numbers.push(LineNumber { bci: reader.u16()?.into(), line: reader.u16()? });
                    }
                    reader.finish("LineNumberTable")?;
                }
                CodeAttributeKind::LocalVariables => {
                    let mut reader = Reader::new(attribute.bytes, "LocalVariableTable");
                    for _ in 0..reader.u16()? {
                        let start = u32::from(reader.u16()?);
                        code.local_variables.push(LocalVariable {
                            start,
                            end: start + u32::from(reader.u16()?),
                            name: pool.utf8(reader.u16()?)?.to_owned(),
                            descriptor: pool.utf8(reader.u16()?)?.to_owned(),
                            slot: reader.u16()?,
                        });
                    }
                    reader.finish("LocalVariableTable")?;
                }
                CodeAttributeKind::StackMap => {
                    code.frames = frame::decode(attribute.bytes, &code.context)?;
                }
                _ => {}
            }
        }
        if code.frames.iter().any(|f| code.index_of(f.bci).is_none()) {
            return Err(ParseError::Attribute { attribute: "StackMapTable", problem: "a frame where no instruction starts" });
        }
        Ok(code)
    }

    /// Code without tables, for tests.
    #[cfg(test)]
    pub(crate) fn of_instructions(instructions: Vec<Instruction>) -> Code {
        let code_len = instructions.last().map_or(0, Instruction::next_bci);
        let descriptor = crate::descriptor::MethodDescriptor::parse("()V").expect("well-formed");
        let context = MethodContext { descriptor, is_static: true, is_constructor: false, this_class: 0 };
        Code {
            max_stack: 0,
            max_locals: 0,
            instructions,
            handlers: Vec::new(),
            line_numbers: Vec::new(),
            local_variables: Vec::new(),
            frames: Vec::new(),
            code_len,
            context,
        }
    }

    fn check_handlers(&self) -> Result<(), ParseError> {
        for handler in &self.handlers {
            let starts = |bci| self.index_of(bci).is_some();
            let fits = handler.start < handler.end
                && starts(handler.start)
                && starts(handler.handler)
                && (handler.end == self.code_len || starts(handler.end));
            if !fits {
                return Err(ParseError::Code {
                    bci: handler.start,
                    problem: "an exception table entry whose bounds are no instructions",
                });
            }
        }
        Ok(())
    }

    /// Bytes of the `code` array.
    pub fn code_len(&self) -> u32 {
        self.code_len
    }

    /// The position in `instructions` of the one that starts at the bci; `None` where none starts.
    pub fn index_of(&self, bci: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&bci, |instruction| instruction.bci).ok()
    }

    /// The instruction that starts at the bci; `None` where none starts.
    pub fn instruction_at(&self, bci: u32) -> Option<&Instruction> {
        self.index_of(bci).map(|index| &self.instructions[index])
    }

    /// The source line of a bci: that of the last entry that begins at or before the bci. `None`
    /// without such an entry.
    pub fn line_of(&self, bci: u32) -> Option<u16> {
        self.line_numbers.iter().filter(|entry| entry.bci <= bci).max_by_key(|entry| entry.bci).map(|entry| entry.line)
    }

    /// The handlers that cover the bci, in the order in which the JVM tries them.
    pub fn handlers_at(&self, bci: u32) -> impl Iterator<Item = &Handler> {
        self.handlers.iter().filter(move |handler| (handler.start..handler.end).contains(&bci))
    }

    /// The explicit frame at the bci.
    pub fn frame_at(&self, bci: u32) -> Option<&Frame> {
        self.frames.binary_search_by_key(&bci, |frame| frame.bci).ok().map(|index| &self.frames[index])
    }

    /// The types of the local variables on entry: the receiver and the parameters.
    pub(crate) fn initial_locals(&self) -> Vec<VerificationType> {
        self.context.initial_locals()
    }

    /// The class or array type that an entry of a frame stands for; `None` for other entries.
    ///
    /// # Errors
    ///
    /// [`ParseError::Constant`] and [`ParseError::ConstantKind`] when the entry names no `Class`
    /// constant, [`ParseError::Descriptor`] when the constant names a malformed array type.
    pub fn type_of(&self, entry: VerificationType, pool: &ConstantPool) -> Result<Option<Type>, ParseError> {
        Ok(match entry {
            VerificationType::Object(index) => Some(Type::parse_class_name(pool.class_name(index)?)?),
            VerificationType::Parameter(number) => self.context.descriptor.parameters.get(usize::from(number)).cloned(),
            _ => None,
        })
    }

    /// What the frames of the method start from.
    pub(crate) fn context(&self) -> &MethodContext {
        &self.context
    }
}

/// The attributes of a `Code` attribute that hold bcis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeAttributeKind {
    LineNumbers,
    LocalVariables,
    LocalVariableTypes,
    StackMap,
    TypeAnnotations,
    /// An unknown attribute, which the JVM ignores (JVMS §4.7.1).
    Other,
}

/// An attribute of a `Code` attribute that is not decoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeAttribute<'a> {
    pub(crate) kind: CodeAttributeKind,
    /// Index of the `Utf8` constant with its name.
    pub(crate) name_index: u16,
    /// Its contents, without name and length.
    pub(crate) bytes: &'a [u8],
}

/// An entry of the exception table as in the file: bcis that are not checked, and the index of the
/// `Class` constant that is caught, 0 for everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawHandler {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) handler: u32,
    pub(crate) catch_type: u16,
}

/// The parts of a `Code` attribute before they are decoded.
#[derive(Debug)]
pub(crate) struct RawCode<'a> {
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) code: &'a [u8],
    pub(crate) handlers: Vec<RawHandler>,
    pub(crate) attributes: Vec<CodeAttribute<'a>>,
}

impl<'a> RawCode<'a> {
    /// Splits the contents of a `Code` attribute. Errors are [`ParseError::Truncated`],
    /// [`ParseError::Attribute`] for a wrong length, and those of the names of attributes.
    pub(crate) fn parse(bytes: &'a [u8], pool: &ConstantPool) -> Result<RawCode<'a>, ParseError> {
        let mut reader = Reader::new(bytes, "Code");
        let max_stack = reader.u16()?;
        let max_locals = reader.u16()?;
        let code_len = reader.u32()?;
        if !(1..=65535).contains(&code_len) {
            return Err(ParseError::Attribute { attribute: "Code", problem: "a code length outside 1..=65535" });
        }
        let code = reader.take(code_len as usize)?;
        let count = reader.u16()?;
        let mut handlers = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            handlers.push(RawHandler {
                start: reader.u16()?.into(),
                end: reader.u16()?.into(),
                handler: reader.u16()?.into(),
                catch_type: reader.u16()?,
            });
        }
        let count = reader.u16()?;
        let mut attributes = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let name_index = reader.u16()?;
            let length = reader.u32()?;
            attributes.push(CodeAttribute {
                kind: match pool.utf8_bytes(name_index)? {
                    b"LineNumberTable" => CodeAttributeKind::LineNumbers,
                    b"LocalVariableTable" => CodeAttributeKind::LocalVariables,
                    b"LocalVariableTypeTable" => CodeAttributeKind::LocalVariableTypes,
                    b"StackMapTable" => CodeAttributeKind::StackMap,
                    b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => CodeAttributeKind::TypeAnnotations,
                    _ => CodeAttributeKind::Other,
                },
                name_index,
                bytes: reader.take(length as usize)?,
            });
        }
        reader.finish("Code")?;
        Ok(RawCode { max_stack, max_locals, code, handlers, attributes })
    }
}
