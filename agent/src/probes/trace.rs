//! Trace probes: all events that replay needs (docs/formats/trace.md). Flows in: a class and its
//! first site; flows out: the class with probes. Must not know where events go.
//!
//! In workers the runner begins and ends runs, and probes capture static state. In the target JVM
//! of `record`, probes find out how deep a thread is in recorded code.

use std::collections::{BTreeMap, BTreeSet};

use tracewright_classfile::{
    ClassFile, CodeEditor, Condition, EditError, Instruction, Kind, MethodDescriptor, Op, ParseError, Slot, Snippet, check_types,
};
use tracewright_trace::{TraceSiteKind, TraceSites};

use super::{ProbeError, SinkMethods, by_condition, call, call_with, each_method, statics};
use crate::sink::SinkClass;

/// How runs begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// The runner of a worker begins and ends them.
    Worker,
    /// A run is the outermost call of recorded code in a thread.
    Outermost,
}

impl Runs {
    /// The class of the sink that has the probes.
    fn sink_class(self) -> SinkClass {
        match self {
            Runs::Worker => SinkClass::Trace,
            Runs::Outermost => SinkClass::Record,
        }
    }
}

/// Sites of one method, number and kind, by bytecode index, in order.
type Sites = BTreeMap<u32, Vec<(u32, TraceSiteKind)>>;

/// Adds the probes of all methods. `sites`: those of this class, the first with the number `base`.
/// Notes name methods that stay as they were. The error is the reason why no method can be changed.
pub(super) fn all(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    sites: &TraceSites,
    base: u32,
    runs: Runs,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let mut methods: BTreeMap<usize, Sites> = BTreeMap::new();
    for (number, site) in sites.sites.iter().enumerate() {
        methods.entry(site.method).or_default().entry(site.bci).or_default().push((base + number as u32, site.kind));
    }
    // A trace that lacks some events is of no use. So a method gets all probes or none, and is then
    // a callee like any other.
    each_method(class, 1, notes, |class, method, editor, _| write(class, sink, method, editor, &methods, runs))
}

/// The entry site of the method with these sites.
fn entry_of(sites: &Sites) -> Option<u32> {
    sites.get(&0)?.iter().find(|(_, kind)| *kind == TraceSiteKind::Entry).map(|site| site.0)
}

/// Adds the probes of one method. `methods`: the sites of all methods of the class.
fn write(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    method: usize,
    editor: &mut CodeEditor,
    methods: &BTreeMap<usize, Sites>,
    runs: Runs,
) -> Result<(), ProbeError> {
    let owner = runs.sink_class();
    let instructions = editor.instructions().to_vec();
    let sites = |bci: &u32| methods.get(&method).and_then(|sites| sites.get(bci)).into_iter().flatten();
    let entered = methods.get(&method).and_then(entry_of);
    // If a method could be left without a probe, the next run would be taken for a part of this
    // one.
    let covered = match runs {
        Runs::Worker => {
            statics::initialised(class, sink, method, editor)?;
            None
        }
        Runs::Outermost => Some(covered(class, method, &instructions)?),
    };
    // exception -> exception, exception, site -> exception
    let thrown = |class: &mut ClassFile, sink: &mut SinkMethods, entered: u32| -> Result<Snippet, ProbeError> {
        let mut snippet = Snippet::new();
        snippet.dup().push_int(entered as i32).invoke_static(sink.get(class, owner, "rThrown", "(Ljava/lang/Object;I)V")?);
        Ok(snippet)
    };
    let mut can_be_lost = false;
    let own_call = covered.as_ref().and_then(|covered| covered.own_call.as_ref());
    // The call by which a constructor delegates to another constructor of its class, and the entry
    // of that one.
    let made_by = own_call.and_then(|call| Some((call.bci, methods.get(&call.of_class?).and_then(entry_of)?)));
    if let (Some(call), Some(entered)) = (own_call, entered) {
        if call.arguments_may_throw {
            let snippet = thrown(class, sink, entered)?;
            can_be_lost = class.major_version() < FRAMES || editor.catch_early(call.bci, snippet).is_err();
        }
        can_be_lost |= made_by.is_none() && call.may_throw;
    }
    for (index, instruction) in instructions.iter().enumerate() {
        let bci = instruction.bci;
        for &(site, kind) in sites(&bci) {
            match kind {
                TraceSiteKind::Entry => {
                    let probe = match &covered {
                        None => "tEntry",
                        Some(_) if can_be_lost => "rEntryOfConstructor",
                        Some(_) => "rEntry",
                    };
                    entry(class, sink, method, editor, site, probe, runs)?;
                }
                TraceSiteKind::Caught => {
                    if reached_otherwise(&instructions, index) {
                        // The probe would report an exception that was not thrown. No known
                        // compiler jumps to the start of a handler.
                        return Err(ProbeError::Edit(tracewright_classfile::EditError::Parse(
                            tracewright_classfile::ParseError::Code { bci, problem: "a handler that is jumped to" },
                        )));
                    }
                    // exception -> exception, exception, site -> exception
                    let mut snippet = Snippet::new();
                    snippet.dup().push_int(site as i32).invoke_static(sink.get(
                        class,
                        owner,
                        "tCaught",
                        "(Ljava/lang/Object;I)V",
                    )?);
                    editor.insert_before(bci, snippet)?;
                }
                TraceSiteKind::Branch => editor.insert_before(bci, branch(class, sink, owner, instruction)?)?,
                TraceSiteKind::Switch => {
                    // ..., key -> ..., key, key -> ..., key
                    let mut snippet = Snippet::new();
                    snippet.dup().invoke_static(sink.get(class, owner, "tSwitch", "(I)V")?);
                    editor.insert_before(bci, snippet)?;
                }
                TraceSiteKind::Load(kind) => editor.insert_after(bci, load(class, sink, owner, kind)?)?,
                TraceSiteKind::Ret(Some(kind)) => editor.insert_after(bci, result(class, sink, owner, kind, site)?)?,
                TraceSiteKind::Ret(None) => editor.insert_after(bci, call_with(sink.get(class, owner, "tRet", "(I)V")?, site))?,
                TraceSiteKind::Exit => {
                    let mut snippet = Snippet::new();
                    match (&covered, entered) {
                        (Some(covered), Some(entered)) => {
                            // The object that outlives the call: the result, or the object that a
                            // constructor made.
                            let result = instruction.op == Op::Return(Some(Kind::Reference));
                            if result {
                                snippet.dup();
                            } else if covered.keeps_this.contains(&bci) {
                                snippet.load(Kind::Reference, 0);
                            }
                            let lives_on = result || covered.keeps_this.contains(&bci);
                            let descriptor = if lives_on { "(Ljava/lang/Object;I)V" } else { "(I)V" };
                            snippet.push_int(entered as i32).invoke_static(sink.get(class, owner, "rExit", descriptor)?);
                        }
                        _ => {
                            snippet.invoke_static(sink.get(class, owner, "tExit", "()V")?);
                        }
                    }
                    editor.insert_before(bci, snippet)?;
                }
            }
        }
        let mut backwards = false;
        instruction.op.for_each_target(|target| backwards |= target <= bci);
        if backwards {
            editor.insert_before(bci, call(sink.get(class, owner, "tRoom", "()V")?))?;
        }
        if runs == Runs::Worker {
            statics::access(class, sink, method, editor, instruction)?;
        }
    }
    if let (Some(covered), Some(entered)) = (covered, entered) {
        if let Some((call, other)) = made_by {
            let mut snippet = Snippet::new();
            snippet.push_int(entered as i32).push_int(other as i32).invoke_static(sink.get(class, owner, "rCalls", "(II)V")?);
            editor.insert_before(call, snippet)?;
        }
        if can_be_lost || made_by.is_some() {
            editor.insert_before(covered.from, call_with(sink.get(class, owner, "rMade", "(I)V")?, entered))?;
        }
        let snippet = thrown(class, sink, entered)?;
        editor.catch_all(covered.from, snippet)?;
    }
    Ok(())
}

/// From this class file version on, code has stack map frames (JVMS §4.10.1).
const FRAMES: u16 = 50;

/// The call that initialises `this`, in code without stack map frames: the first call of a
/// constructor that no earlier `new` awaits.
fn own_call<'a>(class: &ClassFile, instructions: &'a [Instruction]) -> Option<&'a Instruction> {
    let mut waiting = 0_u32;
    for instruction in instructions {
        match instruction.op {
            Op::New(_) => waiting += 1,
            Op::InvokeSpecial(index) if class.constant_pool().member(index).is_ok_and(|member| member.name == "<init>") => {
                if waiting == 0 {
                    return Some(instruction);
                }
                waiting -= 1;
            }
            _ => {}
        }
    }
    None
}

/// How the end of a method is observed where runs begin and end by themselves.
struct Covered {
    /// Bytecode index from which a handler may cover the method: in a constructor, behind the call
    /// that initialises `this` (JVMS §4.10.2.4).
    from: u32,
    /// The call that initialises `this`.
    own_call: Option<OwnCall>,
    /// Returns of a constructor at which local variable 0 still is `this`.
    keeps_this: BTreeSet<u32>,
}

/// The call of another constructor that initialises `this`.
struct OwnCall {
    bci: u32,
    /// The index of the called method, where it is a constructor of the same class.
    of_class: Option<usize>,
    /// Instructions before the call may throw.
    arguments_may_throw: bool,
    may_throw: bool,
}

fn covered(class: &ClassFile, method: usize, instructions: &[Instruction]) -> Result<Covered, ProbeError> {
    if class.method(method).name() != "<init>" {
        return Ok(Covered { from: 0, own_call: None, keeps_this: BTreeSet::new() });
    }
    let problem = |problem| ProbeError::Edit(EditError::Parse(ParseError::Code { bci: 0, problem }));
    let pool = class.constant_pool();
    let code = class.method(method).code()?.ok_or_else(|| problem("a constructor without code"))?;
    let own = class.this_class().to_owned();
    let (mut calls, mut keeps_this) = (Vec::new(), BTreeSet::new());
    let checked = check_types(&code, pool, |instruction, state| {
        if matches!(instruction.op, Op::Return(_)) && matches!(state.locals.first(), Some(Slot::Reference(name)) if **name == own)
        {
            keeps_this.insert(instruction.bci);
        }
        let Op::InvokeSpecial(index) = instruction.op else { return };
        let Ok(member) = pool.member(index) else { return };
        let Ok(descriptor) = MethodDescriptor::parse(member.descriptor) else { return };
        let taken: usize = descriptor.parameters.iter().map(|parameter| usize::from(parameter.slots())).sum();
        let receiver = state.stack.len().checked_sub(taken + 1).and_then(|at| state.stack.get(at));
        if member.name == "<init>" && receiver == Some(&Slot::UninitializedThis) {
            calls.push(instruction.next_bci());
        }
    });
    if checked.is_err() && class.major_version() < FRAMES {
        keeps_this.clear();
        calls = own_call(class, instructions).into_iter().map(Instruction::next_bci).collect();
    } else if checked.is_err() {
        return Err(problem("a constructor whose types cannot be followed"));
    }
    match calls[..] {
        [next] => {
            // The probe behind the call must run once, so no jump may lead to it.
            let mut is_target = false;
            instructions.iter().for_each(|instruction| instruction.op.for_each_target(|target| is_target |= target == next));
            if is_target {
                Err(problem("a constructor that jumps to where `this` is initialized"))
            } else {
                let before: Vec<&Instruction> = instructions.iter().take_while(|instruction| instruction.bci < next).collect();
                let [arguments @ .., call] = &before[..] else { return Err(problem("a constructor that calls no other")) };
                let called = match call.op {
                    Op::InvokeSpecial(index) => pool.member(index).ok().filter(|member| member.owner == own),
                    _ => None,
                };
                let is_called = |descriptor| called.as_ref().is_some_and(|member| member.descriptor == descriptor);
                let own_call = OwnCall {
                    bci: call.bci,
                    of_class: class.methods().position(|other| other.name() == "<init>" && is_called(other.descriptor())),
                    arguments_may_throw: arguments.iter().any(|instruction| may_throw(class, &instruction.op)),
                    may_throw: may_throw(class, &call.op),
                };
                Ok(Covered { from: next, own_call: Some(own_call), keeps_this })
            }
        }
        _ => Err(problem("a constructor that initializes `this` in several places")),
    }
}

/// Superclasses with constructors that throw nothing but errors of the JVM.
const HARMLESS: [&str; 7] = [
    "java/lang/Object",
    "java/lang/Enum",
    "java/lang/Record",
    "java/lang/Throwable",
    "java/lang/Exception",
    "java/lang/RuntimeException",
    "java/lang/Error",
];

/// Whether an instruction before the initialisation of `this` may throw anything but an error of
/// the JVM.
fn may_throw(class: &ClassFile, op: &Op) -> bool {
    match op {
        Op::Nop | Op::NullConst | Op::IntConst(_) | Op::LongConst(_) | Op::FloatConst(_) | Op::DoubleConst(_) => false,
        Op::Load(..) | Op::Store(..) | Op::Stack(_) | Op::Convert(_) => false,
        // A field of the class itself, before `this` is initialised (JVMS §4.10.1.9): the object is
        // not null.
        Op::PutField(_) => false,
        Op::InvokeSpecial(index) => {
            !class.constant_pool().member(*index).is_ok_and(|member| member.name == "<init>" && HARMLESS.contains(&member.owner))
        }
        _ => true,
    }
}

/// `-> `: ENTRY, then one ARG for `this` and for each parameter. `this` has index 0; constructors
/// have none yet (JVMS §4.10.2.4).
fn entry(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    method: usize,
    editor: &mut CodeEditor,
    site: u32,
    probe: &'static str,
    runs: Runs,
) -> Result<(), ProbeError> {
    let owner = runs.sink_class();
    let (is_static, is_constructor, descriptor) = {
        let method = class.method(method);
        (method.access().is_static(), method.name() == "<init>", MethodDescriptor::parse(method.descriptor())?)
    };
    let mut entered = Snippet::new();
    if runs == Runs::Outermost && !is_static && !is_constructor {
        // The class of the receiver decides whether the run is skipped.
        entered.load(Kind::Reference, 0).push_int(site as i32).invoke_static(sink.get(
            class,
            owner,
            probe,
            "(Ljava/lang/Object;I)V",
        )?);
    } else {
        entered.push_int(site as i32).invoke_static(sink.get(class, owner, probe, "(I)V")?);
    }
    editor.insert_at_entry(entered)?;
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
        arguments.push((parameter.kind(), local, number));
        local += parameter.slots();
        number += 1;
    }
    for (kind, local, number) in arguments {
        let mut snippet = Snippet::new();
        snippet.load(kind, local).push_int(number).invoke_static(sink.get(class, owner, "tArg", with_number(kind))?);
        editor.insert_at_entry(snippet)?;
    }
    Ok(())
}

/// `..., value -> ..., value, value -> ..., value`
fn load(class: &mut ClassFile, sink: &mut SinkMethods, owner: SinkClass, kind: Kind) -> Result<Snippet, ProbeError> {
    let descriptor = match kind {
        Kind::Int => "(I)V",
        Kind::Long => "(J)V",
        Kind::Float => "(F)V",
        Kind::Double => "(D)V",
        Kind::Reference => "(Ljava/lang/Object;)V",
    };
    let mut snippet = Snippet::new();
    snippet.dup_kind(kind).invoke_static(sink.get(class, owner, "tLoad", descriptor)?);
    Ok(snippet)
}

/// `..., value -> ..., value, value, site -> ..., value`
fn result(class: &mut ClassFile, sink: &mut SinkMethods, owner: SinkClass, kind: Kind, site: u32) -> Result<Snippet, ProbeError> {
    let mut snippet = Snippet::new();
    snippet.dup_kind(kind).push_int(site as i32).invoke_static(sink.get(class, owner, "tRet", with_number(kind))?);
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

/// The probe of a jump: as in the search, without a slot.
fn branch(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    owner: SinkClass,
    instruction: &Instruction,
) -> Result<Snippet, ProbeError> {
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
    snippet.invoke_static(sink.get(class, owner, name, descriptor)?);
    Ok(snippet)
}

/// Whether an instruction is reached by a jump, or from the instruction before it.
fn reached_otherwise(instructions: &[Instruction], index: usize) -> bool {
    let bci = instructions[index].bci;
    let mut reached = index.checked_sub(1).is_some_and(|before| instructions[before].op.falls_through());
    for instruction in instructions {
        instruction.op.for_each_target(|target| reached |= target == bci);
    }
    reached
}
