//! Search probes: branch distances, lines, event budget, static state. Flows in: a class and its
//! first slots; flows out: the class with probes. Must not know how distances are computed.

use std::collections::BTreeMap;

use tracewright_classfile::{ClassFile, CodeEditor, Comparison, Condition, Instruction, Op, Snippet};
use tracewright_trace::{BranchSite, BranchSiteKind, BranchSlot, LineSlot, search_sites};

use super::{ProbeError, SinkMethods, Weight, by_condition, call, call_with, each_method, statics};
use crate::sink::SinkClass;

/// Adds the probes of a target class. The error is the reason why the class stays as it was.
pub(super) fn target(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    branch_base: BranchSlot,
    line_base: LineSlot,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let sites = search_sites(class).map_err(|error| format!("unreadable class: {error}"))?;
    let mut branches: BTreeMap<usize, BTreeMap<u32, BranchSite>> = BTreeMap::new();
    for mut site in sites.branches {
        site.slot = site.slot.from_base(branch_base);
        branches.entry(site.method).or_default().insert(site.bci, site);
    }
    let mut lines: BTreeMap<usize, BTreeMap<u32, Vec<LineSlot>>> = BTreeMap::new();
    for site in &sites.lines {
        lines.entry(site.method).or_default().entry(site.bci).or_default().push(site.slot.from_base(line_base));
    }
    // The lightest probes come last: without hints of comparisons, then without lines too.
    each_method(class, 3, notes, |class, method, editor, weight| {
        let empty = BTreeMap::new();
        let branches = branches.get(&method).unwrap_or(&empty);
        let no_lines = BTreeMap::new();
        let lines = lines.get(&method).filter(|_| weight < 2).unwrap_or(&no_lines);
        write(class, sink, method, editor, branches, lines, weight)
    })
}

/// Adds the probes of an included class that is no target.
pub(super) fn other(class: &mut ClassFile, sink: &mut SinkMethods, notes: &mut Vec<String>) -> Result<(), String> {
    each_method(class, 1, notes, |class, method, editor, weight| {
        write(class, sink, method, editor, &BTreeMap::new(), &BTreeMap::new(), weight)
    })
}

fn write(
    class: &mut ClassFile,
    sink: &mut SinkMethods,
    method: usize,
    editor: &mut CodeEditor,
    branches: &BTreeMap<u32, BranchSite>,
    lines: &BTreeMap<u32, Vec<LineSlot>>,
    weight: Weight,
) -> Result<(), ProbeError> {
    let tick = sink.get(class, SinkClass::Sink, "tick", "()V")?;
    editor.insert_at_entry(call(tick))?;
    statics::initialised(class, sink, method, editor)?;
    let instructions = editor.instructions().to_vec();
    for (index, instruction) in instructions.iter().enumerate() {
        let bci = instruction.bci;
        for slot in lines.get(&bci).into_iter().flatten() {
            editor.insert_before(bci, call_with(sink.get(class, SinkClass::Search, "line", "(I)V")?, slot.0))?;
        }
        let mut backwards = false;
        instruction.op.for_each_target(|target| backwards |= target <= bci);
        if backwards {
            editor.insert_before(bci, call(tick))?;
        }
        statics::access(class, sink, method, editor, instruction)?;
        if branches.is_empty() {
            continue;
        }
        let next = instructions.get(index + 1);
        if weight == 0
            && let Some(hint) = next.and_then(|next| hint(class, instruction, next))
            && next.is_some_and(|next| branches.contains_key(&next.bci))
        {
            editor.insert_before(bci, hint.snippet(class, sink)?)?;
        }
        if let Some(site) = branches.get(&bci) {
            let before = index.checked_sub(1).and_then(|before| instructions.get(before));
            let hint = before.filter(|_| weight == 0).and_then(|before| hint(class, before, instruction));
            editor.insert_before(bci, branch(class, sink, site, hint)?)?;
        }
    }
    Ok(())
}

/// The probe of a jump or switch.
///
/// ```text
/// if<cond>     ..., a    -> ..., a, a, slot          -> ..., a
/// if_icmp      ..., a, b -> ..., a, b, a, b, slot    -> ..., a, b
/// switch       ..., key  -> ..., key, key, keys, slot -> ..., key
/// ```
fn branch(class: &mut ClassFile, sink: &mut SinkMethods, site: &BranchSite, hint: Option<Hint>) -> Result<Snippet, ProbeError> {
    let mut snippet = Snippet::new();
    let slot = site.slot.0 as i32;
    let (method, operands, descriptor) = match &site.kind {
        BranchSiteKind::If(condition) => {
            let name = match hint {
                Some(Hint::Compare(_)) => by_condition(*condition, COMPARE),
                Some(Hint::Call(..)) if *condition == Condition::Eq => "booleanEq",
                Some(Hint::Call(..)) if *condition == Condition::Ne => "booleanNe",
                _ => by_condition(*condition, IF),
            };
            (name, 1, "(II)V")
        }
        BranchSiteKind::IfIcmp(condition) => (by_condition(*condition, ICMP), 2, "(III)V"),
        BranchSiteKind::IfAcmp(condition) => {
            (by_condition(*condition, ["acmpEq", "acmpNe", "", "", "", ""]), 2, "(Ljava/lang/Object;Ljava/lang/Object;I)V")
        }
        BranchSiteKind::IfNull(condition) => {
            (by_condition(*condition, ["nullEq", "nullNe", "", "", "", ""]), 1, "(Ljava/lang/Object;I)V")
        }
        BranchSiteKind::TableSwitch { low, high } => {
            let method = sink.get(class, SinkClass::Search, "tableSwitch", "(IIII)V")?;
            snippet.dup().push_int(*low).push_int(*high).push_int(slot).invoke_static(method);
            return Ok(snippet);
        }
        BranchSiteKind::LookupSwitch { keys } => {
            let method = sink.get(class, SinkClass::Search, "lookupSwitch", "(ILjava/lang/String;I)V")?;
            snippet.dup().push_string(&pack_keys(keys)).push_int(slot).invoke_static(method);
            return Ok(snippet);
        }
    };
    if operands == 2 {
        snippet.dup2();
    } else {
        snippet.dup();
    }
    snippet.push_int(slot).invoke_static(sink.get(class, SinkClass::Search, method, descriptor)?);
    Ok(snippet)
}

const IF: [&str; 6] = ["ifEq", "ifNe", "ifLt", "ifGe", "ifGt", "ifLe"];
const ICMP: [&str; 6] = ["icmpEq", "icmpNe", "icmpLt", "icmpGe", "icmpGt", "icmpLe"];
const COMPARE: [&str; 6] = ["compareEq", "compareNe", "compareLt", "compareGe", "compareGt", "compareLe"];

/// Packs each key into three characters of 15 bits, the highest first. No such character is a
/// surrogate, so that any string can carry them.
fn pack_keys(keys: &[i32]) -> String {
    keys.iter()
        .flat_map(|&key| [30, 15, 0].map(|shift| char::from_u32(key as u32 >> shift & 0x7fff).expect("15 bits are no surrogate")))
        .collect()
}

/// An instruction that knows more about a condition than the jump right behind it.
enum Hint {
    /// `lcmp`, `fcmpl`, `fcmpg`, `dcmpl` or `dcmpg`.
    Compare(Comparison),
    /// A call that compares strings: the method of the sink, its descriptor, and the number of
    /// operands.
    Call(&'static str, &'static str, u8),
}

fn hint(class: &ClassFile, instruction: &Instruction, next: &Instruction) -> Option<Hint> {
    let Op::If(condition, _) = next.op else { return None };
    if let Op::Compare(comparison) = instruction.op {
        return Some(Hint::Compare(comparison));
    }
    if !matches!(condition, Condition::Eq | Condition::Ne) {
        return None;
    }
    let member = class.constant_pool().member(instruction.op.member_index()?).ok()?;
    let receiver = matches!(instruction.op, Op::InvokeVirtual(_) | Op::InvokeInterface { .. });
    let objects = "(Ljava/lang/Object;Ljava/lang/Object;)V";
    let strings = "(Ljava/lang/String;Ljava/lang/String;)V";
    match (member.owner, member.name, member.descriptor) {
        (_, "equals", "(Ljava/lang/Object;)Z") if receiver => Some(Hint::Call("noteEquals", objects, 2)),
        ("java/util/Objects", "equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z") => Some(Hint::Call("noteEquals", objects, 2)),
        ("java/lang/String", "equalsIgnoreCase", "(Ljava/lang/String;)Z") => Some(Hint::Call("noteEqualsIgnoreCase", strings, 2)),
        ("java/lang/String", "startsWith", "(Ljava/lang/String;)Z") => Some(Hint::Call("noteStartsWith", strings, 2)),
        ("java/lang/String", "endsWith", "(Ljava/lang/String;)Z") => Some(Hint::Call("noteEndsWith", strings, 2)),
        ("java/lang/String", "contains", "(Ljava/lang/CharSequence;)Z") => {
            Some(Hint::Call("noteContains", "(Ljava/lang/String;Ljava/lang/Object;)V", 2))
        }
        ("java/lang/String", "isEmpty", "()Z") => Some(Hint::Call("noteIsEmpty", "(Ljava/lang/String;)V", 1)),
        _ => None,
    }
}

impl Hint {
    /// The probe before the comparison.
    ///
    /// ```text
    /// call           ..., a, b -> ..., a, b, a, b -> ..., a, b
    /// fcmp           ..., a, b -> ..., a, b, a, b -> ..., a, b
    /// lcmp, dcmp     ..., a, b -> b a b -> b b a b -> b b a -> b a b a   (two slots each)
    ///                          -> b a -> a b a -> ..., a, b
    /// ```
    fn snippet(&self, class: &mut ClassFile, sink: &mut SinkMethods) -> Result<Snippet, ProbeError> {
        let mut snippet = Snippet::new();
        match self {
            Hint::Compare(Comparison::FloatLess | Comparison::FloatGreater) => {
                snippet.dup2().invoke_static(sink.get(class, SinkClass::Search, "noteFloats", "(FF)V")?);
            }
            Hint::Compare(comparison) => {
                let method = if *comparison == Comparison::Long {
                    sink.get(class, SinkClass::Search, "noteLongs", "(JJ)V")?
                } else {
                    sink.get(class, SinkClass::Search, "noteDoubles", "(DD)V")?
                };
                snippet.dup2_x2().dup2_x2().pop2().dup2_x2().invoke_static(method).dup2_x2().pop2();
            }
            Hint::Call(name, descriptor, operands) => {
                if *operands == 2 {
                    snippet.dup2();
                } else {
                    snippet.dup();
                }
                snippet.invoke_static(sink.get(class, SinkClass::Search, name, descriptor)?);
            }
        }
        Ok(snippet)
    }
}
