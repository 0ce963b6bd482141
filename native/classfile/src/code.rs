//! The `Code` attribute (JVMS §4.7.3). In: its bytes; out: instructions, handlers, debug tables and frames.
//! Does not know how code is changed (see `edit`).

use crate::descriptor::Type;
use crate::error::ParseError;
use crate::frame::{self, Frame, MethodContext, VerificationType};
use crate::instruction::{self, Instruction};
use crate::pool::ConstantPool;
use crate::reader::Reader;

/// The body of a method, decoded.
#[derive(Debug, Clone)]
pub struct Code {
    pub(crate) max_stack: u16,
    pub max_locals: u16,
    /// Ascending by bci, without gaps.
    pub instructions: Vec<Instruction>,
    /// In the order in which the JVM tries them.
    pub handlers: Vec<Handler>,
    /// As in the file; several tables are joined.
    pub line_numbers: Vec<LineNumber>,
    pub local_variables: Vec<LocalVariable>,
    /// Ascending by bci. The frame on entry is not among them: see [`Code::initial_locals`].
    pub frames: Vec<Frame>,
    code_len: u32,
    context: MethodContext,
}

/// An exception table entry: `start..end` is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handler {
    pub start: u32,
    pub end: u32,
    pub handler: u32,
    /// The class caught; `None` catches everything.
    pub catch_type: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineNumber {
    pub bci: u32,
    pub line: u16,
}

/// A `LocalVariableTable` entry: the variable has its value in `start..end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalVariable {
    pub start: u32,
    pub end: u32,
    pub name: String,
    pub(crate) descriptor: String,
    pub slot: u16,
}

impl Code {
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

    /// The position in `instructions` of the one that starts at `bci`.
    pub fn index_of(&self, bci: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&bci, |instruction| instruction.bci).ok()
    }

    pub fn instruction_at(&self, bci: u32) -> Option<&Instruction> {
        self.index_of(bci).map(|index| &self.instructions[index])
    }

    /// The source line of a bci: that of the entry with the greatest start that is not behind it.
    pub fn line_of(&self, bci: u32) -> Option<u16> {
        self.line_numbers.iter().filter(|entry| entry.bci <= bci).max_by_key(|entry| entry.bci).map(|entry| entry.line)
    }

    /// The handlers that watch the instruction at `bci`, in the order in which they are tried.
    pub fn handlers_at(&self, bci: u32) -> impl Iterator<Item = &Handler> {
        self.handlers.iter().filter(move |handler| (handler.start..handler.end).contains(&bci))
    }

    /// The frame declared for `bci`.
    pub fn frame_at(&self, bci: u32) -> Option<&Frame> {
        self.frames.binary_search_by_key(&bci, |frame| frame.bci).ok().map(|index| &self.frames[index])
    }

    /// The types of the locals when the method is entered.
    pub(crate) fn initial_locals(&self) -> Vec<VerificationType> {
        self.context.initial_locals()
    }

    /// The reference type that an entry of a frame stands for; `None` for the other kinds of entry.
    pub fn type_of(&self, entry: VerificationType, pool: &ConstantPool) -> Result<Option<Type>, ParseError> {
        Ok(match entry {
            VerificationType::Object(index) => Some(Type::parse_class_name(pool.class_name(index)?)?),
            VerificationType::Parameter(number) => self.context.descriptor.parameters.get(usize::from(number)).cloned(),
            _ => None,
        })
    }

    pub(crate) fn context(&self) -> &MethodContext {
        &self.context
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeAttributeKind {
    LineNumbers,
    LocalVariables,
    LocalVariableTypes,
    StackMap,
    TypeAnnotations,
    /// Unknown: the JVM ignores it (JVMS §4.7.1).
    Other,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CodeAttribute<'a> {
    pub(crate) kind: CodeAttributeKind,
    pub(crate) name_index: u16,
    pub(crate) bytes: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawHandler {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) handler: u32,
    pub(crate) catch_type: u16,
}

/// The parts of a `Code` attribute, not yet decoded.
#[derive(Debug)]
pub(crate) struct RawCode<'a> {
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) code: &'a [u8],
    pub(crate) handlers: Vec<RawHandler>,
    pub(crate) attributes: Vec<CodeAttribute<'a>>,
}

impl<'a> RawCode<'a> {
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
