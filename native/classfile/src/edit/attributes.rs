//! The new `Code` attribute.
//!
//! In: an editor and a layout. Out: the bytes of code, exception table, debug tables, type
//! annotations and stack map frames, with every bci moved. Must not decide where code goes: see
//! `layout`.

use super::layout::{Body, Layout};
use super::{CodeEditor, EditError, Replacement};
use crate::annotation::skip_annotation;
use crate::code::{Code, CodeAttributeKind};
use crate::error::ParseError;
use crate::frame::{self, Frame, VerificationType};
use crate::instruction::Instruction;
use crate::pool::ConstantPool;
use crate::reader::Reader;
use crate::snippet::Snippet;
use crate::types;

impl CodeEditor {
    /// The contents of the new attribute. The constants of the snippets are appended to the pool.
    /// Errors are those of [`CodeEditor::apply`].
    pub(super) fn finish(mut self, pool: &mut ConstantPool) -> Result<Vec<u8>, EditError> {
        let max_stack = self.new_max_stack()?;
        let mut layout = Layout::new(&mut self, pool)?;
        layout.place_until_jumps_reach(&self);
        if layout.total > 65535 {
            return Err(EditError::TooLarge { bytes: layout.total });
        }
        let mut out = Vec::with_capacity(self.contents.len() + layout.total as usize);
        out.extend(max_stack.to_be_bytes());
        out.extend(self.max_locals.to_be_bytes());
        out.extend(layout.total.to_be_bytes());
        layout.write_code(&self, &mut out);
        self.write_handlers(&layout, &mut out)?;
        self.write_attributes(&layout, pool, &mut out)?;
        Ok(out)
    }

    /// The old depth may occur at any place, so the highest rise of a snippet is added to it.
    fn new_max_stack(&self) -> Result<u16, EditError> {
        let inserted = self.inserted.iter().map(|(_, snippet)| snippet);
        let replaced = self.replaced.values().map(Replacement::rise);
        let rise = inserted.map(Snippet::rise).chain(replaced).max();
        let old = self.max_stack.checked_add(rise.unwrap_or(0)).ok_or(EditError::StackTooDeep)?;
        // The stack of a handler starts with the exception.
        let handlers = self.catch_all.iter().map(|handler| handler.snippet.rise().saturating_add(1));
        Ok(handlers.fold(old, u16::max))
    }

    fn write_handlers(&self, layout: &Layout, out: &mut Vec<u8>) -> Result<(), EditError> {
        let mut entries = Vec::with_capacity(self.handlers.len());
        for raw in &self.handlers {
            let (start, end) = (self.index(raw.start)?, self.index_or_end(raw.end)?);
            let handler = layout.label[self.index(raw.handler)?];
            entries.push((layout.label[start], layout.range_end(self, end), handler, raw.catch_type));
        }
        for (handler, code) in self.catch_all.iter().zip(&layout.catch_all) {
            // The added handlers stand after the code of the method and do not cover each other.
            let end = handler.to.map_or(layout.main_end, |to| layout.label[to]);
            entries.push((layout.label[handler.from], end, code.position, 0));
        }
        let count = u16::try_from(entries.len()).map_err(|_| EditError::TooManyHandlers)?;
        out.extend(count.to_be_bytes());
        for (start, end, handler, catch_type) in entries {
            // The code has at most 65535 bytes, so an end fits into 16 bits.
            for value in [start as u16, end as u16, handler as u16, catch_type] {
                out.extend(value.to_be_bytes());
            }
        }
        Ok(())
    }

    fn write_attributes(&self, layout: &Layout, pool: &mut ConstantPool, out: &mut Vec<u8>) -> Result<(), EditError> {
        let count_at = out.len();
        out.extend([0, 0]);
        let mut count = 0_u16;
        for attribute in &self.attributes {
            let contents = &self.contents[attribute.contents.clone()];
            let moved = match attribute.kind {
                CodeAttributeKind::LineNumbers => Some(self.move_lines(contents, layout)?),
                CodeAttributeKind::LocalVariables | CodeAttributeKind::LocalVariableTypes => {
                    Some(self.move_variables(contents, layout)?)
                }
                CodeAttributeKind::TypeAnnotations => Some(self.move_annotations(contents, layout)?),
                CodeAttributeKind::StackMap => Some(self.move_frames(frame::decode(contents, &self.context)?, layout, pool)?),
                // An unknown attribute may hold bcis. It stays only if nothing moved.
                CodeAttributeKind::Other => self.is_untouched().then(|| contents.to_vec()),
            };
            if let Some(moved) = moved {
                out.extend(attribute.name_index.to_be_bytes());
                out.extend((moved.len() as u32).to_be_bytes());
                out.extend(moved);
                count += 1;
            }
        }
        let has_frames = self.attributes.iter().any(|a| a.kind == CodeAttributeKind::StackMap);
        // From version 51 on, every class is verified with frames (JVMS §4.10); code without jumps
        // has none. A class of version 50 with jumps and without frames is verified by inference.
        if !has_frames && self.major >= 50 && layout.needs_frames(self) && (self.major > 50 || !self.jumps()) {
            let frames = self.move_frames(Vec::new(), layout, pool)?;
            out.extend(pool.add_utf8("StackMapTable")?.to_be_bytes());
            out.extend((frames.len() as u32).to_be_bytes());
            out.extend(frames);
            count += 1;
        }
        out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }

    fn move_lines(&self, contents: &[u8], layout: &Layout) -> Result<Vec<u8>, EditError> {
        let mut reader = Reader::new(contents, "LineNumberTable");
        let mut out = Vec::with_capacity(contents.len());
        let count = reader.u16()?;
        out.extend(count.to_be_bytes());
        for _ in 0..count {
            let bci = self.index(reader.u16()?.into())?;
            out.extend((layout.label[bci] as u16).to_be_bytes());
            out.extend(reader.u16()?.to_be_bytes());
        }
        reader.finish("LineNumberTable")?;
        Ok(out)
    }

    /// `LocalVariableTable` or `LocalVariableTypeTable`, which have the same shape.
    fn move_variables(&self, contents: &[u8], layout: &Layout) -> Result<Vec<u8>, EditError> {
        let mut reader = Reader::new(contents, "LocalVariableTable");
        let mut out = Vec::with_capacity(contents.len());
        let count = reader.u16()?;
        out.extend(count.to_be_bytes());
        for _ in 0..count {
            self.move_range(&mut reader, layout, &mut out)?;
            out.extend(reader.take(6)?);
        }
        reader.finish("LocalVariableTable")?;
        Ok(out)
    }

    /// Moves a range that is given by its start and its length.
    fn move_range(&self, reader: &mut Reader<'_>, layout: &Layout, out: &mut Vec<u8>) -> Result<(), EditError> {
        let start = u32::from(reader.u16()?);
        let end = start + u32::from(reader.u16()?);
        let start = layout.label_or_end(self.index_or_end(start)?);
        let end = layout.label_or_end(self.index_or_end(end)?);
        out.extend((start as u16).to_be_bytes());
        out.extend(((end - start) as u16).to_be_bytes());
        Ok(())
    }

    /// `RuntimeVisibleTypeAnnotations` or `RuntimeInvisibleTypeAnnotations` of a `Code` attribute
    /// (JVMS §4.7.20). Only the targets change.
    fn move_annotations(&self, contents: &[u8], layout: &Layout) -> Result<Vec<u8>, EditError> {
        let mut reader = Reader::new(contents, "type annotations");
        let mut out = Vec::with_capacity(contents.len());
        let count = reader.u16()?;
        out.extend(count.to_be_bytes());
        for _ in 0..count {
            let target_type = reader.u8()?;
            out.push(target_type);
            match target_type {
                // `localvar_target`.
                0x40 | 0x41 => {
                    let ranges = reader.u16()?;
                    out.extend(ranges.to_be_bytes());
                    for _ in 0..ranges {
                        self.move_range(&mut reader, layout, &mut out)?;
                        out.extend(reader.take(2)?);
                    }
                }
                // `catch_target`: the old entries of the exception table keep their numbers.
                0x42 => out.extend(reader.take(2)?),
                // `offset_target`, `type_argument_target`.
                0x43..=0x4b => {
                    let index = self.index(reader.u16()?.into())?;
                    out.extend((layout.position[index] as u16).to_be_bytes());
                    if target_type >= 0x47 {
                        out.push(reader.u8()?);
                    }
                }
                _ => {
                    return Err(EditError::Parse(ParseError::Attribute {
                        attribute: "type annotations",
                        problem: "a target that does not occur in code",
                    }));
                }
            }
            let rest = reader.position();
            let path_length = usize::from(reader.u8()?);
            reader.take(2 * path_length)?;
            skip_annotation(&mut reader, 0)?;
            out.extend(&contents[rest..reader.position()]);
        }
        reader.finish("type annotations")?;
        Ok(out)
    }

    /// Whether the old code has a jump, a switch or an exception handler.
    fn jumps(&self) -> bool {
        let jumps = |instruction: &Instruction| instruction.op.jump_target().is_some() || instruction.op.is_switch();
        !self.handlers.is_empty() || self.instructions.iter().any(jumps)
    }

    /// The new `StackMapTable`: the old frames, and those that inserted jumps and handlers need.
    fn move_frames(&self, old: Vec<Frame>, layout: &Layout, pool: &mut ConstantPool) -> Result<Vec<u8>, EditError> {
        let mut frames = Vec::with_capacity(old.len());
        for frame in &old {
            let at = layout.label[self.index(frame.bci)?];
            frames.push(self.move_frame(frame, at, layout)?);
        }
        // Positions of instructions that need a frame and have none, and the bcis of the new
        // frames.
        let mut places: Vec<(usize, u32)> = Vec::new();
        let declared = |index: usize| {
            let bci = self.instructions[index].bci;
            let found = old.binary_search_by_key(&bci, |frame| frame.bci);
            found.map(|at| &old[at]).map_err(|_| EditError::MissingFrame { bci })
        };
        for (index, &long) in layout.long.iter().enumerate() {
            if !long || !self.instructions[index].op.is_conditional_jump() {
                continue;
            }
            // The inverted jump skips the `goto_w`, so the instruction after it needs a frame.
            let at = layout.end_of(self, index);
            if index + 1 == self.instructions.len() {
                return Err(EditError::RunsOffEnd);
            }
            match declared(index + 1) {
                Ok(_) if at == layout.label[index + 1] => {}
                Ok(frame) => frames.push(self.move_frame(frame, at, layout)?),
                Err(_) => places.push((index + 1, at)),
            }
        }
        for (index, body) in &layout.bodies {
            let Body::Optional { .. } = body else { continue };
            let end = layout.end_of(self, *index);
            places.push((*index, end - self.instructions[*index].len));
            match declared(index + 1) {
                Ok(_) if end == layout.label[index + 1] => {}
                _ => places.push((index + 1, end)),
            }
        }
        if !places.is_empty() {
            let code = Code::parse(&self.contents, self.context.clone(), pool)?;
            for (index, at) in places {
                let bci = self.instructions[index].bci;
                let state = types::state_before(&code, pool, bci).map_err(EditError::Types)?;
                let frame = types::to_frame(&state, bci, pool)?;
                frames.push(self.move_frame(&frame, at, layout)?);
            }
        }
        for (handler, code) in self.catch_all.iter().zip(&layout.catch_all) {
            let from = self.instructions[handler.from].bci;
            let is_early = |frame: &&Frame| frame.bci >= from && frame.locals.contains(&VerificationType::UninitializedThis);
            if handler.to.is_none() && old.iter().any(|frame| is_early(&frame)) {
                return Err(EditError::UninitializedThis);
            }
            let stack = vec![VerificationType::Object(pool.add_class("java/lang/Throwable")?)];
            let locals = handler.to.map(|_| VerificationType::UninitializedThis).into_iter().collect();
            frames.push(Frame { bci: code.position, locals, stack });
        }
        frames.sort_by_key(|frame| frame.bci);
        Ok(frame::encode(&frames, &self.context, pool)?)
    }

    /// The frame at its new bci, with the new bcis of uninitialised objects.
    fn move_frame(&self, frame: &Frame, bci: u32, layout: &Layout) -> Result<Frame, EditError> {
        let mut moved = frame.clone();
        moved.bci = bci;
        for entry in moved.locals.iter_mut().chain(&mut moved.stack) {
            if let VerificationType::Uninitialized(new) = entry {
                *new = layout.position[self.index(*new)?];
            }
        }
        Ok(moved)
    }
}
