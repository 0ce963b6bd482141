//! Numbers the places of probes. Flows in: a class file; flows out: its search slots and trace
//! sites, numbered from 0 without gaps. Must not know how a probe is written, or the bases of a
//! class.
//!
//! The agent writes probes by these numbers, and the engine reads results by them. So the order is
//! part of the contract: methods in class-file order, inside a method ascending bytecode index.

use tracewright_classfile::{ArrayKind, ClassFile, Condition, Instruction, Kind, MethodDescriptor, Op, ParseError, Type};

use crate::known::repeated_loads;

/// A branch outcome by number: in its class, or in all target classes (see
/// [`BranchSlot::from_base`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchSlot(pub u32);

/// An entry of a line-number table by number: in its class, or in all target classes (see
/// [`LineSlot::from_base`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineSlot(pub u32);

impl BranchSlot {
    /// The slot of an outcome of the instruction whose first slot this is.
    pub fn of_outcome(self, outcome: u32) -> BranchSlot {
        BranchSlot(self.0 + outcome)
    }

    /// The slot among all target classes, where the slots of its class begin at `base`.
    pub fn from_base(self, base: BranchSlot) -> BranchSlot {
        BranchSlot(base.0 + self.0)
    }

    /// Index into tables by branch slot.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LineSlot {
    /// The slot among all target classes, where the slots of its class begin at `base`.
    pub fn from_base(self, base: LineSlot) -> LineSlot {
        LineSlot(base.0 + self.0)
    }

    /// Index into tables by line slot.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Search slots of one class (`docs/formats/trace.md`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchSites {
    /// Jumps and switches, by first slot.
    pub branches: Vec<BranchSite>,
    /// Entries of line-number tables, by slot.
    pub lines: Vec<LineSite>,
    /// Number of branch slots: two for a conditional jump, keys + 1 for a switch. Jumps that test
    /// whether assertions are enabled have none.
    pub branch_slots: u32,
    /// Number of line slots.
    pub line_slots: u32,
}

/// A conditional jump or a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchSite {
    /// Index of the method in the class file.
    pub method: usize,
    /// Bytecode index of the instruction.
    pub bci: u32,
    /// Its first slot. A jump: `slot` is *not taken*, `slot + 1` is *taken*. A switch: `slot + i`
    /// is key *i*, and the default is last.
    pub slot: BranchSlot,
    /// What the instruction compares.
    pub kind: BranchSiteKind,
}

/// The comparison of a conditional jump, or the keys of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchSiteKind {
    /// Operand against zero.
    If(Condition),
    /// Two ints.
    IfIcmp(Condition),
    /// Two references.
    IfAcmp(Condition),
    /// Reference against null.
    IfNull(Condition),
    /// Keys `low..=high`.
    TableSwitch {
        /// First key.
        low: i32,
        /// Last key.
        high: i32,
    },
    /// Some keys.
    LookupSwitch {
        /// In ascending order.
        keys: Vec<i32>,
    },
}

impl BranchSite {
    /// Number of its slots.
    pub fn slots(&self) -> u32 {
        match &self.kind {
            BranchSiteKind::TableSwitch { low, high } => (i64::from(*high) - i64::from(*low) + 2) as u32,
            BranchSiteKind::LookupSwitch { keys } => keys.len() as u32 + 1,
            _ => 2,
        }
    }
}

/// An entry of a line-number table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSite {
    /// Index of the method in the class file.
    pub method: usize,
    /// Bytecode index of the line's first instruction.
    pub bci: u32,
    /// Number of the source line.
    pub line: u16,
    /// Its only slot.
    pub slot: LineSlot,
}

/// Trace sites of one class: `sites[n]` is local number *n*.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceSites {
    /// In ascending order of method and bytecode index.
    pub sites: Vec<TraceSite>,
}

/// A place that a trace probe stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceSite {
    /// Index of the method in the class file.
    pub method: usize,
    /// Bytecode index of the instruction.
    pub bci: u32,
    /// What is recorded there.
    pub kind: TraceSiteKind,
}

/// What a trace probe records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceSiteKind {
    /// Entry of the method.
    Entry,
    /// First instruction of an exception handler.
    Caught,
    /// A conditional jump.
    Branch,
    /// A switch.
    Switch,
    /// `getfield`, `getstatic` or an array load, unless an earlier load has given the value; the
    /// kind of the value.
    Load(Kind),
    /// After a call; `None`: nothing is returned.
    Ret(Option<Kind>),
    /// A return instruction.
    Exit,
}

/// Numbers the search slots.
///
/// # Errors
/// The code of a method cannot be read. Such a class gets no probes.
pub fn search_sites(class: &ClassFile) -> Result<SearchSites, ParseError> {
    let mut sites = SearchSites::default();
    for method in class.methods() {
        let Some(code) = method.code()? else { continue };
        for (index, instruction) in code.instructions.iter().enumerate() {
            let Some(kind) = branch_kind(instruction) else { continue };
            if tests_assertion_flag(class, &code.instructions[..index]) {
                continue;
            }
            let site = BranchSite { method: method.index(), bci: instruction.bci, slot: BranchSlot(sites.branch_slots), kind };
            sites.branch_slots += site.slots();
            sites.branches.push(site);
        }
        // The table need not be ascending (JVMS §4.7.12). Slots are, so that neighbours in a report
        // are neighbours in code.
        let mut entries = code.line_numbers.clone();
        entries.sort_by_key(|entry| (entry.bci, entry.line));
        entries.dedup();
        for entry in entries {
            sites.lines.push(LineSite {
                method: method.index(),
                bci: entry.bci,
                line: entry.line,
                slot: LineSlot(sites.line_slots),
            });
            sites.line_slots += 1;
        }
    }
    Ok(sites)
}

/// Whether a jump behind these instructions tests whether assertions are enabled: the flag of an
/// `assert` statement, or the call that the flag gets its value from. The JVM decides that once, so
/// that no test reaches both outcomes.
fn tests_assertion_flag(class: &ClassFile, before: &[Instruction]) -> bool {
    let pool = class.constant_pool();
    let names = |index, name| pool.member(index).is_ok_and(|member| member.name == name);
    match before.last().map(|instruction| &instruction.op) {
        Some(Op::GetStatic(field)) => names(*field, "$assertionsDisabled"),
        Some(op @ Op::InvokeVirtual(_)) => op.member_index().is_some_and(|index| names(index, "desiredAssertionStatus")),
        _ => false,
    }
}

/// Numbers the trace sites. Of several sites at one bytecode index the order is entry, caught,
/// instruction.
///
/// # Errors
/// The code of a method, or a descriptor that it names, cannot be read.
pub fn trace_sites(class: &ClassFile) -> Result<TraceSites, ParseError> {
    let mut sites = Vec::new();
    for method in class.methods() {
        let Some(code) = method.code()? else { continue };
        let mut add = |bci, kind| sites.push(TraceSite { method: method.index(), bci, kind });
        let mut handlers: Vec<u32> = code.handlers.iter().map(|handler| handler.handler).collect();
        handlers.sort_unstable();
        let repeated = repeated_loads(class, &code)?;
        add(0, TraceSiteKind::Entry);
        for instruction in &code.instructions {
            if handlers.binary_search(&instruction.bci).is_ok() {
                add(instruction.bci, TraceSiteKind::Caught);
            }
            if let Some(kind) = trace_kind(class, instruction)?
                && !repeated.contains(&instruction.bci)
            {
                add(instruction.bci, kind);
            }
        }
    }
    Ok(TraceSites { sites })
}

/// FNV-1a over the bytes of a class file, which `ClassSites` announces. Traces and sessions store
/// it, so it must never change.
pub fn class_hash(bytes: &[u8]) -> u64 {
    tracewright_text::fnv1a_64(bytes)
}

fn branch_kind(instruction: &Instruction) -> Option<BranchSiteKind> {
    match &instruction.op {
        Op::If(condition, _) => Some(BranchSiteKind::If(*condition)),
        Op::IfIcmp(condition, _) => Some(BranchSiteKind::IfIcmp(*condition)),
        Op::IfAcmp(condition, _) => Some(BranchSiteKind::IfAcmp(*condition)),
        Op::IfNull(condition, _) => Some(BranchSiteKind::IfNull(*condition)),
        Op::TableSwitch(switch) => Some(BranchSiteKind::TableSwitch { low: switch.low, high: switch.high }),
        Op::LookupSwitch(switch) => Some(BranchSiteKind::LookupSwitch { keys: switch.pairs.iter().map(|pair| pair.0).collect() }),
        _ => None,
    }
}

fn trace_kind(class: &ClassFile, instruction: &Instruction) -> Result<Option<TraceSiteKind>, ParseError> {
    let pool = class.constant_pool();
    let op = &instruction.op;
    if op.is_conditional_jump() {
        return Ok(Some(TraceSiteKind::Branch));
    }
    if op.is_switch() {
        return Ok(Some(TraceSiteKind::Switch));
    }
    Ok(match *op {
        Op::GetField(index) | Op::GetStatic(index) => {
            Some(TraceSiteKind::Load(Type::parse(pool.member(index)?.descriptor)?.kind()))
        }
        Op::ArrayLoad(array) => Some(TraceSiteKind::Load(ArrayKind::kind(array))),
        Op::InvokeDynamic(index) => Some(TraceSiteKind::Ret(result_kind(pool.dynamic(index)?.descriptor)?)),
        Op::Return(_) => Some(TraceSiteKind::Exit),
        _ if op.is_invoke() => match op.member_index() {
            Some(index) => Some(TraceSiteKind::Ret(result_kind(pool.member(index)?.descriptor)?)),
            None => None,
        },
        _ => None,
    })
}

fn result_kind(descriptor: &str) -> Result<Option<Kind>, ParseError> {
    Ok(MethodDescriptor::parse(descriptor)?.result.as_ref().map(Type::kind))
}
