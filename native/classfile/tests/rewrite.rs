//! Rewrites every method of every class of the JDKs and jars, without snippets and with snippets
//! everywhere. The new code must be the old code with every bci moved. `link.rs` links it in a JVM.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use tracewright_classfile::{
    ClassFile, Code, CodeEditor, EditError, Frame, Instruction, Op, Snippet, StackOp, VerificationType, check_types,
};
use tracewright_test_support::{every_class, for_each_class};

/// Code and frames agree in every class that must have frames. This tests the type checker, which
/// the other tests use.
#[test]
fn every_class_agrees_with_its_frames() {
    for_each_class(&every_class(), |sample| {
        let class = ClassFile::parse(&sample.bytes).map_err(|e| e.to_string())?;
        if class.major_version() < 51 {
            return Ok(());
        }
        for method in class.methods() {
            if let Some(code) = method.code().map_err(|e| e.to_string())? {
                check_types(&code, class.constant_pool(), |_, _| {})
                    .map_err(|e| format!("{}{}: {e}", method.name(), method.descriptor()))?;
            }
        }
        Ok(())
    });
}

#[test]
fn with_nothing_inserted_the_code_is_the_same() {
    for_each_class(&every_class(), |sample| {
        let old = ClassFile::parse(&sample.bytes).map_err(|e| e.to_string())?;
        let (new, outcomes) = rewrite_every_method(&old, |_| Ok(()))?;
        for (method, outcome) in outcomes {
            let outcome = outcome.map_err(|e| e.to_string());
            let same = outcome.and_then(|()| compare(&old, method, &new, &Marks::default()));
            same.map_err(|e| format!("{}: {e}", old.method(method).name()))?;
        }
        Ok(())
    });
}

#[test]
fn with_snippets_everywhere_the_code_is_the_old_one_moved() {
    let too_large = AtomicUsize::new(0);
    let rewritten = AtomicUsize::new(0);
    for_each_class(&every_class(), |sample| {
        let old = ClassFile::parse(&sample.bytes).map_err(|e| e.to_string())?;
        let marks = Marks::everywhere();
        let (new, outcomes) = rewrite_every_method(&old, |editor| marks.insert(editor))?;
        for (method, outcome) in outcomes {
            let name = old.method(method).name();
            match outcome {
                Ok(()) => {
                    compare(&old, method, &new, &marks).map_err(|e| format!("{name}: {e}"))?;
                    rewritten.fetch_add(1, Ordering::Relaxed);
                }
                Err(EditError::TooLarge { .. }) => {
                    too_large.fetch_add(1, Ordering::Relaxed);
                }
                Err(EditError::EmptyFinalizer) => {}
                Err(error) => return Err(format!("{name}: {error}")),
            }
        }
        Ok(())
    });
    let (too_large, rewritten) = (too_large.into_inner(), rewritten.into_inner());
    println!("{rewritten} methods rewritten, {too_large} would have been too large");
    assert!(rewritten > 1000 * too_large.max(1));
}

type Outcomes = Vec<(usize, Result<(), EditError>)>;

/// Rewrites every method of the class. Returns the class and the result for each method with code.
fn rewrite_every_method(
    old: &ClassFile,
    insert: impl Fn(&mut CodeEditor) -> Result<(), EditError>,
) -> Result<(ClassFile, Outcomes), String> {
    let mut new = old.clone();
    let mut outcomes = Vec::new();
    for method in old.methods().filter(|method| method.has_code()) {
        let outcome = CodeEditor::new(method).and_then(|mut editor| {
            insert(&mut editor)?;
            editor.apply(&mut new)
        });
        outcomes.push((method.index(), outcome));
    }
    let new = ClassFile::parse(&new.to_bytes()).map_err(|e| format!("rewritten: {e}"))?;
    Ok((new, outcomes))
}

/// The snippets to insert, each with a number of its own.
#[derive(Default)]
struct Marks {
    entry: bool,
    before: bool,
    after: bool,
}

const ENTRY: i32 = 1;
const BEFORE: i32 = 2;
const AFTER: i32 = 3;

impl Marks {
    fn everywhere() -> Marks {
        Marks { entry: true, before: true, after: true }
    }

    fn insert(&self, editor: &mut CodeEditor) -> Result<(), EditError> {
        let mark = |value: i32| {
            let mut snippet = Snippet::new();
            snippet.push_int(value).pop();
            snippet
        };
        if self.entry {
            editor.insert_at_entry(mark(ENTRY))?;
        }
        for (index, instruction) in editor.instructions().to_vec().iter().enumerate() {
            let bci = instruction.bci;
            if self.before {
                editor.insert_before(bci, mark(BEFORE))?;
            }
            if self.after && falls_through(editor.instructions(), index) {
                editor.insert_after(bci, mark(AFTER))?;
            }
        }
        Ok(())
    }
}

fn falls_through(instructions: &[Instruction], index: usize) -> bool {
    instructions[index].op.falls_through() && index + 1 < instructions.len()
}

/// Compares the new code with the old code, without help of the editor.
fn compare(old_class: &ClassFile, method: usize, new_class: &ClassFile, marks: &Marks) -> Result<(), String> {
    let code = |class: &ClassFile| class.method(method).code().map_err(|e| e.to_string());
    let old = code(old_class)?.unwrap();
    let new = code(new_class)?.unwrap();
    let mut reading = Reading { new: &new.instructions, next: 0 };
    if marks.entry {
        reading.mark(ENTRY)?;
    }
    let mut label = BTreeMap::new();
    let mut position = BTreeMap::new();
    let mut jumps = Vec::new();
    for (index, instruction) in old.instructions.iter().enumerate() {
        label.insert(instruction.bci, reading.bci(&new));
        if marks.before {
            reading.mark(BEFORE)?;
        }
        position.insert(instruction.bci, reading.bci(&new));
        reading.moved(instruction, &mut jumps)?;
        if marks.after && falls_through(&old.instructions, index) {
            reading.mark(AFTER)?;
        }
    }
    let main_end = reading.bci(&new);
    label.insert(old.code_len(), main_end);
    if reading.next < new.instructions.len() {
        return Err("code behind the method's own".into());
    }
    for &(from, old_target, new_target) in &jumps {
        if new_target != label[&old_target] {
            return Err(format!("the jump at old bci {from} goes elsewhere"));
        }
    }
    // The old frames are at their labels. Others are there only where a jump became long.
    let moved = |frame: &Frame, bci: u32| {
        let mut moved = frame.clone();
        moved.bci = bci;
        for entry in moved.locals.iter_mut().chain(&mut moved.stack) {
            if let VerificationType::Uninitialized(new) = entry {
                *new = position[new];
            }
        }
        moved
    };
    let mut expected: BTreeMap<u32, Frame> = BTreeMap::new();
    for frame in &old.frames {
        expected.insert(label[&frame.bci], moved(frame, label[&frame.bci]));
    }
    for frame in &new.frames {
        match expected.remove(&frame.bci) {
            Some(wanted) if same_frame(&wanted, &old, old_class, frame, &new, new_class)? => {}
            Some(wanted) => return Err(format!("{frame:?} instead of {wanted:?}")),
            None if reading.is_behind_long_jump(frame.bci) => {}
            None => return Err(format!("an additional frame at {}", frame.bci)),
        }
    }
    if let Some(missing) = expected.keys().next() {
        return Err(format!("no frame at {missing}"));
    }
    // The old handlers are there in their order.
    for (number, handler) in old.handlers.iter().enumerate() {
        let found = &new.handlers[number];
        let behind_store =
            matches!(old.instructions[old.index_of(handler.end).unwrap_or(old.instructions.len()) - 1].op, Op::Store(..));
        let mut end = label[&handler.end];
        if marks.after && behind_store && handler.end < old.code_len() {
            end -= 2;
        }
        if (found.start, found.end, found.handler) != (label[&handler.start], end, label[&handler.handler])
            || found.catch_type != handler.catch_type
        {
            return Err(format!("handler {number} is {found:?}"));
        }
    }
    // Debug tables.
    let lines = |code: &Code| -> Vec<_> {
        let entries = code.line_numbers.iter();
        entries.map(|entry| (entry.bci, entry.line)).collect()
    };
    let wanted: Vec<_> = lines(&old).iter().map(|&(bci, line)| (label[&bci], line)).collect();
    if lines(&new) != wanted {
        return Err("other lines".into());
    }
    for (old, new) in old.local_variables.iter().zip(&new.local_variables) {
        if (new.start, new.end) != (label[&old.start], label[&old.end]) || new.name != old.name {
            return Err(format!("the variable {} is elsewhere", old.name));
        }
    }
    if old.local_variables.len() != new.local_variables.len() {
        return Err("other variables".into());
    }
    if new.max_locals != old.max_locals {
        return Err("other max_locals".into());
    }
    if old_class.major_version() >= 51 {
        check_types(&new, new_class.constant_pool(), |_, _| {}).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Compares frames by the names of types: the type of a parameter may have a constant now.
fn same_frame(
    wanted: &Frame,
    old: &Code,
    old_class: &ClassFile,
    found: &Frame,
    new: &Code,
    new_class: &ClassFile,
) -> Result<bool, String> {
    if wanted.locals.len() != found.locals.len() || wanted.stack.len() != found.stack.len() {
        return Ok(false);
    }
    let entries = |frame: &Frame| -> Vec<VerificationType> { frame.locals.iter().chain(&frame.stack).copied().collect() };
    for (wanted, found) in entries(wanted).into_iter().zip(entries(found)) {
        let wanted_type = old.type_of(wanted, old_class.constant_pool());
        let found_type = new.type_of(found, new_class.constant_pool());
        let wanted_type = wanted_type.map_err(|e| e.to_string())?;
        if wanted_type != found_type.map_err(|e| e.to_string())? || (wanted_type.is_none() && wanted != found) {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Reading<'a> {
    new: &'a [Instruction],
    next: usize,
}

impl Reading<'_> {
    fn bci(&self, code: &Code) -> u32 {
        self.new.get(self.next).map_or(code.code_len(), |instruction| instruction.bci)
    }

    fn take(&mut self) -> Result<&Instruction, String> {
        self.next += 1;
        self.new.get(self.next - 1).ok_or_else(|| "the code ends too early".into())
    }

    fn mark(&mut self, value: i32) -> Result<(), String> {
        let pushed = self.take()?.clone();
        if pushed.op != Op::IntConst(value) {
            return Err(format!("no snippet {value} at {}", pushed.bci));
        }
        match self.take()?.op {
            Op::Stack(StackOp::Pop) => Ok(()),
            _ => Err("half a snippet".into()),
        }
    }

    /// Reads the old instruction at its new place. Its jumps are collected as old bci, old target
    /// and new target.
    fn moved(&mut self, old: &Instruction, jumps: &mut Vec<(u32, u32, u32)>) -> Result<(), String> {
        let new = self.take()?.clone();
        let old_targets = old.op.targets();
        let mut new_targets = new.op.targets();
        let same = match (&old.op, &new.op) {
            (Op::If(a, _), Op::If(b, _))
            | (Op::IfIcmp(a, _), Op::IfIcmp(b, _))
            | (Op::IfAcmp(a, _), Op::IfAcmp(b, _))
            | (Op::IfNull(a, _), Op::IfNull(b, _)) => {
                if *b == a.negate() && new_targets[0] == new.bci + 8 {
                    let wide = self.take()?;
                    new_targets = wide.op.targets();
                    matches!(wide.op, Op::Goto(_)) && wide.len == 5
                } else {
                    a == b
                }
            }
            (Op::Goto(_), Op::Goto(_)) | (Op::Jsr(_), Op::Jsr(_)) => true,
            (Op::TableSwitch(a), Op::TableSwitch(b)) => (a.low, a.high) == (b.low, b.high),
            (Op::LookupSwitch(a), Op::LookupSwitch(b)) => {
                let keys = |pairs: &[(i32, u32)]| pairs.iter().map(|p| p.0).collect::<Vec<_>>();
                keys(&a.pairs) == keys(&b.pairs)
            }
            (a, b) => a == b && (old.opcode, old.wide) == (new.opcode, new.wide),
        };
        if !same || old_targets.len() != new_targets.len() {
            return Err(format!("{old:?} became {new:?}"));
        }
        let pairs = old_targets.into_iter().zip(new_targets);
        jumps.extend(pairs.map(|(from, to)| (old.bci, from, to)));
        Ok(())
    }

    fn is_behind_long_jump(&self, bci: u32) -> bool {
        let at = self.new.partition_point(|instruction| instruction.bci < bci);
        at >= 2
            && self.new[at - 2].op.jump_target() == Some(bci)
            && self.new[at - 2].op.is_conditional_jump()
            && matches!(self.new[at - 1].op, Op::Goto(_))
    }
}
