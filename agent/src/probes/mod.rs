//! Rewriting one class. Flows in: its bytes and a [`Plan`]; flows out: new bytes, or the reason why
//! the class stays as it was, and the reasons why single methods got fewer probes. Must not know
//! the JVM.
//!
//! The numbering of `tracewright_trace` says where probes go; this module and those below say how
//! they are written. A probe is a call of a static method of the sink, with copies of operands and
//! a number. All probes leave the stack as they found it: see the stack pictures.

mod suppressed;
mod mutants;
mod search;
mod statics;
mod trace;

use std::collections::HashMap;

use tracewright_classfile::{
    ClassFile, CodeEditor, Condition, EditError, MutantId, Op, ParseError, Snippet, StaticMethod, StaticMethodError,
};
use tracewright_trace::{BranchSlot, LineSlot, TraceSites, trace_sites};

use crate::sink::SinkClass;

/// Which probes a class gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// A target: branch distances, lines, event budget, static state.
    SearchTarget {
        /// First branch slot of the class.
        branch_base: BranchSlot,
        /// First line slot of the class.
        line_base: LineSlot,
    },
    /// A target with switches for its mutants.
    Mutants {
        /// Its first mutant.
        first: MutantId,
    },
    /// An included class that is no target: event budget and static state.
    SearchOther,
    /// All events that replay needs, and static state.
    Trace {
        /// Number of the first of its sites, which `trace_sites` counts.
        base: u32,
    },
    /// The same in the target JVM of `record`: runs begin and end by themselves, and no member
    /// changes.
    Record {
        /// As of [`Plan::Trace`].
        base: u32,
    },
    /// A generated test in the target JVM of `record`: its calls are no runs.
    Suppressed,
}

/// A class with probes.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// The class file.
    pub bytes: Vec<u8>,
    /// Methods that stayed as they were or got lighter probes, by reason.
    pub(crate) notes: Vec<String>,
}

/// Reads a class and numbers its trace sites. The error is the reason why it cannot be rewritten.
pub(crate) fn read_with_sites(bytes: &[u8]) -> Result<(ClassFile, TraceSites), String> {
    let class = read(bytes)?;
    let sites = trace_sites(&class).map_err(|error| format!("unreadable class: {error}"))?;
    Ok((class, sites))
}

fn read(bytes: &[u8]) -> Result<ClassFile, String> {
    ClassFile::parse(bytes).map_err(|error| format!("unreadable class: {error}"))
}

/// Rewrites a class. `retransformed`: the class is loaded already, so its members must stay as they
/// are.
///
/// # Errors
/// The reason why the class stays as it was.
pub fn rewrite(bytes: &[u8], plan: &Plan, retransformed: bool) -> Result<Rewritten, String> {
    let (class, sites) = match plan {
        Plan::Trace { .. } | Plan::Record { .. } => read_with_sites(bytes)?,
        _ => (read(bytes)?, TraceSites::default()),
    };
    rewrite_class(class, &sites, plan, retransformed)
}

/// As [`rewrite`], for a class that is read already. Only [`Plan::Trace`] and [`Plan::Record`] need
/// `sites`.
pub(crate) fn rewrite_class(
    mut class: ClassFile,
    sites: &TraceSites,
    plan: &Plan,
    retransformed: bool,
) -> Result<Rewritten, String> {
    let mut sink = SinkMethods::default();
    let mut notes = Vec::new();
    match plan {
        Plan::SearchTarget { branch_base, line_base } => {
            search::target(&mut class, &mut sink, *branch_base, *line_base, &mut notes)?
        }
        Plan::Mutants { first } => mutants::target(&mut class, &mut sink, *first, &mut notes)?,
        Plan::SearchOther => search::other(&mut class, &mut sink, &mut notes)?,
        Plan::Trace { base } => trace::all(&mut class, &mut sink, sites, *base, trace::Runs::Worker, &mut notes)?,
        Plan::Record { base } => trace::all(&mut class, &mut sink, sites, *base, trace::Runs::Outermost, &mut notes)?,
        Plan::Suppressed => suppressed::all(&mut class, &mut sink, &mut notes)?,
    }
    if !retransformed && !matches!(plan, Plan::Record { .. } | Plan::Suppressed) {
        statics::drop_final(&mut class);
    }
    Ok(Rewritten { bytes: class.to_bytes(), notes })
}

/// Why a probe cannot be written.
#[derive(Debug)]
enum ProbeError {
    Edit(EditError),
    Sink(StaticMethodError),
}

impl From<EditError> for ProbeError {
    fn from(error: EditError) -> ProbeError {
        ProbeError::Edit(error)
    }
}

impl From<StaticMethodError> for ProbeError {
    fn from(error: StaticMethodError) -> ProbeError {
        ProbeError::Sink(error)
    }
}

impl From<ParseError> for ProbeError {
    fn from(error: ParseError) -> ProbeError {
        ProbeError::Edit(EditError::Parse(error))
    }
}

/// A method of a sink class in the constant pool of the class that calls it.
#[derive(Debug)]
struct Overload {
    descriptor: Box<str>,
    method: StaticMethod,
}

/// The methods of the sink in the constant pool of the class that is rewritten; added when first
/// used.
#[derive(Debug, Default)]
struct SinkMethods {
    /// By class and name.
    known: HashMap<(SinkClass, &'static str), Vec<Overload>>,
}

impl SinkMethods {
    /// The method `owner.name`, or why the constant pool cannot take it.
    fn get(
        &mut self,
        class: &mut ClassFile,
        owner: SinkClass,
        name: &'static str,
        descriptor: &str,
    ) -> Result<StaticMethod, StaticMethodError> {
        let overloads = self.known.entry((owner, name)).or_default();
        if let Some(known) = overloads.iter().find(|known| *known.descriptor == *descriptor) {
            return Ok(known.method);
        }
        let method = class.constant_pool_mut().add_static_method(owner.name(), name, descriptor)?;
        overloads.push(Overload { descriptor: descriptor.into(), method });
        Ok(method)
    }
}

/// Probes of different weight for one method, the heaviest first.
type Weight = u8;

/// Writes probes into all methods with code. `write` fills the editor for method `index`. Where the
/// result is larger than 64 KiB, `write` is asked for lighter probes. At the weight `weights` the
/// method stays as it is.
fn each_method(
    class: &mut ClassFile,
    weights: Weight,
    notes: &mut Vec<String>,
    mut write: impl FnMut(&mut ClassFile, usize, &mut CodeEditor, Weight) -> Result<(), ProbeError>,
) -> Result<(), String> {
    let methods = class.methods().len();
    for index in 0..methods {
        if !class.method(index).has_code() {
            continue;
        }
        for weight in 0..=weights {
            if weight == weights {
                notes.push("method left alone: it would pass 64 KiB".to_owned());
                break;
            }
            let editor = CodeEditor::new(class.method(index)).map_err(ProbeError::from);
            let written = editor.and_then(|mut editor| {
                write(class, index, &mut editor, weight)?;
                if editor.is_untouched() { Ok(()) } else { Ok(editor.apply(class)?) }
            });
            match written {
                Ok(()) => {
                    if weight > 0 {
                        notes.push("method with lighter probes: it would pass 64 KiB".to_owned());
                    }
                    break;
                }
                Err(ProbeError::Edit(EditError::TooLarge { .. })) => {}
                Err(ProbeError::Edit(EditError::Pool(error))) => return Err(format!("class left alone: {error}")),
                Err(ProbeError::Sink(error)) => return Err(format!("class left alone: {error}")),
                Err(ProbeError::Edit(error)) => {
                    notes.push(format!("method left alone: {}", without_numbers(&error.to_string())));
                    break;
                }
            }
        }
    }
    Ok(())
}

/// Replaces numbers by `#`: reasons are counted, so they must not contain positions.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            c => out.push(c),
        }
    }
    out
}

/// `..., -> ...`: `number` and a call.
fn call_with(method: StaticMethod, number: u32) -> Snippet {
    let mut snippet = Snippet::new();
    snippet.push_int(number as i32).invoke_static(method);
    snippet
}

/// `... -> ...`: a call in front of every return.
fn before_returns(editor: &mut CodeEditor, method: StaticMethod) -> Result<(), EditError> {
    let is_return = |op: &Op| matches!(op, Op::Return(_));
    let returns: Vec<u32> = editor
        .instructions()
        .iter()
        .filter(|instruction| is_return(&instruction.op))
        .map(|instruction| instruction.bci)
        .collect();
    returns.into_iter().try_for_each(|bci| editor.insert_before(bci, call(method)).map(drop))
}

/// `... -> ...`: a call without operands.
fn call(method: StaticMethod) -> Snippet {
    let mut snippet = Snippet::new();
    snippet.invoke_static(method);
    snippet
}

/// Selects a name by condition; the names have the order of [`Condition`].
fn by_condition(condition: Condition, names: [&'static str; 6]) -> &'static str {
    match condition {
        Condition::Eq => names[0],
        Condition::Ne => names[1],
        Condition::Lt => names[2],
        Condition::Ge => names[3],
        Condition::Gt => names[4],
        Condition::Le => names[5],
    }
}
