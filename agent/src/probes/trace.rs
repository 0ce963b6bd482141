//! Trace probes: everything that replay needs (`ARCHITECTURE.md`, Trace events), and static state.

use std::collections::BTreeMap;

use tracewright_classfile::{ClassFile, CodeEditor, Condition, Instruction, Kind, MethodDescriptor, Op, Snippet};
use tracewright_trace::numbering::kind_of;
use tracewright_trace::{TraceSiteKind, trace_sites};

use super::{ProbeError, SinkMethods, by_condition, call_with, each_method, statics};

/// Sites of one method: local number and kind by bci, in order.
type Sites = BTreeMap<u32, Vec<(u32, TraceSiteKind)>>;

pub(super) fn all(class: &mut ClassFile, sink: &mut SinkMethods, base: u32, notes: &mut Vec<String>) -> Result<(), String> {
    let sites = trace_sites(class).map_err(|error| format!("unreadable class: {error}"))?;
    let mut methods: BTreeMap<usize, Sites> = BTreeMap::new();
    for (number, site) in sites.sites.iter().enumerate() {
        methods.entry(site.method).or_default().entry(site.bci).or_default().push((base + number as u32, site.kind));
    }
    // A trace without some of its events is of no use: a method gets all probes or none, and is then a callee like any other.
    each_method(class, 1, notes, |class, method, editor, _| {
        let empty = Sites::new();
        write(class, sink, method, editor, methods.get(&method).unwrap_or(&empty))
    })
}

fn write(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    method: usize,
    editor: &mut CodeEditor,
    sites: &Sites,
) -> Result<(), ProbeError> {
    let instructions = editor.instructions().to_vec();
    statics::initialised(class, sink, method, editor)?;
    for (index, instruction) in instructions.iter().enumerate() {
        let bci = instruction.bci;
        for &(site, kind) in sites.get(&bci).into_iter().flatten() {
            match kind {
                TraceSiteKind::Entry => entry(class, sink, method, editor, site)?,
                TraceSiteKind::Caught => {
                    if reached_otherwise(&instructions, index) {
                        // The probe would announce an exception that nobody threw. No compiler we know shares a handler's start.
                        return Err(ProbeError::Edit(tracewright_classfile::EditError::Parse(
                            tracewright_classfile::ParseError::Code { bci, problem: "a handler that is jumped to" },
                        )));
                    }
                    // exception -> exception, exception, site -> exception
                    let mut snippet = Snippet::new();
                    snippet.dup().push_int(site as i32).invoke_static(sink.get(class, "tCaught", "(Ljava/lang/Object;I)V")?);
                    editor.insert_before(bci, snippet)?;
                }
                TraceSiteKind::Branch => editor.insert_before(bci, branch(class, sink, instruction)?)?,
                TraceSiteKind::Switch => {
                    // ..., key -> ..., key, key -> ..., key
                    let mut snippet = Snippet::new();
                    snippet.dup().invoke_static(sink.get(class, "tSwitch", "(I)V")?);
                    editor.insert_before(bci, snippet)?;
                }
                TraceSiteKind::Load(kind) => editor.insert_after(bci, load(class, sink, kind)?)?,
                TraceSiteKind::Ret(Some(kind)) => editor.insert_after(bci, result(class, sink, kind, site)?)?,
                TraceSiteKind::Ret(None) => editor.insert_after(bci, call_with(sink.get(class, "tRet", "(I)V")?, site))?,
                TraceSiteKind::Exit => {
                    let mut snippet = Snippet::new();
                    snippet.invoke_static(sink.get(class, "tExit", "()V")?);
                    editor.insert_before(bci, snippet)?;
                }
            }
        }
        let mut backwards = false;
        instruction.op.for_each_target(|target| backwards |= target <= bci);
        if backwards {
            let mut snippet = Snippet::new();
            snippet.invoke_static(sink.get(class, "tRoom", "()V")?);
            editor.insert_before(bci, snippet)?;
        }
        statics::access(class, sink, method, editor, instruction)?;
    }
    Ok(())
}

/// `-> `: ENTRY, then one ARG for `this` (index 0; it is not there yet in constructors, JVMS §4.10.2.4) and for each parameter.
fn entry(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    method: usize,
    editor: &mut CodeEditor,
    site: u32,
) -> Result<(), ProbeError> {
    editor.insert_at_entry(call_with(sink.get(class, "tEntry", "(I)V")?, site))?;
    let (is_static, is_constructor, descriptor) = {
        let method = class.method(method);
        (method.access().is_static(), method.name() == "<init>", MethodDescriptor::parse(method.descriptor())?)
    };
    let mut arguments = Vec::new();
    let mut local = 0;
    let mut number = 0;
    if !is_static {
        if !is_constructor {
            arguments.push((Kind::Reference, local, number));
        }
        local += 1;
        number += 1;
    }
    for parameter in &descriptor.parameters {
        arguments.push((kind_of(parameter), local, number));
        local += parameter.slots();
        number += 1;
    }
    for (kind, local, number) in arguments {
        let mut snippet = Snippet::new();
        snippet.load(kind, local).push_int(number).invoke_static(sink.get(class, "tArg", with_number(kind))?);
        editor.insert_at_entry(snippet)?;
    }
    Ok(())
}

/// `..., value -> ..., value, value -> ..., value`
fn load(class: &mut ClassFile, sink: &mut SinkMethods, kind: Kind) -> Result<Snippet, ProbeError> {
    let descriptor = match kind {
        Kind::Int => "(I)V",
        Kind::Long => "(J)V",
        Kind::Float => "(F)V",
        Kind::Double => "(D)V",
        Kind::Reference => "(Ljava/lang/Object;)V",
    };
    let mut snippet = Snippet::new();
    snippet.dup_kind(kind).invoke_static(sink.get(class, "tLoad", descriptor)?);
    Ok(snippet)
}

/// `..., value -> ..., value, value, site -> ..., value`
fn result(class: &mut ClassFile, sink: &mut SinkMethods, kind: Kind, site: u32) -> Result<Snippet, ProbeError> {
    let mut snippet = Snippet::new();
    snippet.dup_kind(kind).push_int(site as i32).invoke_static(sink.get(class, "tRet", with_number(kind))?);
    Ok(snippet)
}

fn with_number(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "(II)V",
        Kind::Long => "(JI)V",
        Kind::Float => "(FI)V",
        Kind::Double => "(DI)V",
        Kind::Reference => "(Ljava/lang/Object;I)V",
    }
}

/// As the search probe of a jump, without a number.
fn branch(class: &mut ClassFile, sink: &mut SinkMethods, instruction: &Instruction) -> Result<Snippet, ProbeError> {
    let (name, operands, descriptor) = match instruction.op {
        Op::If(condition, _) => (by_condition(condition, ["tIfEq", "tIfNe", "tIfLt", "tIfGe", "tIfGt", "tIfLe"]), 1, "(I)V"),
        Op::IfIcmp(condition, _) => {
            (by_condition(condition, ["tIcmpEq", "tIcmpNe", "tIcmpLt", "tIcmpGe", "tIcmpGt", "tIcmpLe"]), 2, "(II)V")
        }
        Op::IfAcmp(condition, _) => {
            (if condition == Condition::Eq { "tAcmpEq" } else { "tAcmpNe" }, 2, "(Ljava/lang/Object;Ljava/lang/Object;)V")
        }
        Op::IfNull(condition, _) => (if condition == Condition::Eq { "tNullEq" } else { "tNullNe" }, 1, "(Ljava/lang/Object;)V"),
        _ => return Ok(Snippet::new()),
    };
    let mut snippet = Snippet::new();
    if operands == 2 {
        snippet.dup2();
    } else {
        snippet.dup();
    }
    snippet.invoke_static(sink.get(class, name, descriptor)?);
    Ok(snippet)
}

/// Whether control comes to this instruction by a jump, or from the instruction before it.
fn reached_otherwise(instructions: &[Instruction], index: usize) -> bool {
    let bci = instructions[index].bci;
    let mut reached = index.checked_sub(1).is_some_and(|before| instructions[before].op.falls_through());
    for instruction in instructions {
        instruction.op.for_each_target(|target| reached |= target == bci);
    }
    reached
}
