//! Finds loads that need no event, since on every path an earlier load gave the same value. The
//! earlier load reads the same field of the same local variable, or the same element of the same
//! array. No instruction in between can change it. Flows in: the code of a method; flows out: the
//! bytecode indices of these loads. Must not know how a probe is written.
//!
//! A reader that interprets the code has the value. The algorithm is an available-expressions
//! analysis: a forward data-flow analysis, whose greatest fixpoint is the solution.
//!
//! The analysis uses the code alone, so the writer and the reader of a trace agree. A write of
//! another thread in between is a data race, in which the first value is an allowed result of the
//! second load (JLS §17.4.8). Loads of volatile fields always have events.

use std::collections::{BTreeMap, BTreeSet};

use tracewright_classfile::{ClassFile, Code, Kind, Op, ParseError};

/// Addresses of one method that are followed, at most.
const ADDRESSES: usize = 64;

/// The source of a load, valid while the local variables keep their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Address {
    Field(FieldOf),
    Element { array: Array, index: u16 },
}

/// Field of the object in a local variable, by pool index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct FieldOf {
    local: u16,
    field: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Array {
    Local(u16),
    Field(FieldOf),
}

impl Address {
    fn field(self) -> Option<FieldOf> {
        match self {
            Address::Field(field) | Address::Element { array: Array::Field(field), .. } => Some(field),
            Address::Element { array: Array::Local(_), .. } => None,
        }
    }

    fn uses(self, local: u16) -> bool {
        match self {
            Address::Field(field) => field.local == local,
            Address::Element { array: Array::Local(array), index } => array == local || index == local,
            Address::Element { array: Array::Field(field), index } => field.local == local || index == local,
        }
    }
}

/// The bytecode indices of loads that need no event.
///
/// # Errors
/// A constant of the code cannot be read.
pub(crate) fn repeated_loads(class: &ClassFile, code: &Code) -> Result<BTreeSet<u32>, ParseError> {
    let instructions = &code.instructions;
    // An instruction begins a block when control comes to it otherwise than from the one before.
    let mut begins = vec![false; instructions.len()];
    for handler in &code.handlers {
        code.index_of(handler.handler).into_iter().for_each(|index| begins[index] = true);
    }
    for instruction in instructions {
        if matches!(instruction.op, Op::Jsr(_) | Op::Ret(_)) {
            return Ok(BTreeSet::new());
        }
        instruction.op.for_each_target(|target| code.index_of(target).into_iter().for_each(|index| begins[index] = true));
    }
    // The operation `back` instructions before, in the same block.
    let before = |index: usize, back: usize| {
        let start = index.checked_sub(back)?;
        (!begins[start + 1..=index].contains(&true)).then(|| &instructions[start].op)
    };
    let field_at = |index: usize| -> Result<Option<FieldOf>, ParseError> {
        let (Op::GetField(field), Some(&Op::Load(Kind::Reference, local))) = (&instructions[index].op, before(index, 1)) else {
            return Ok(None);
        };
        Ok(is_own_plain_field(class, *field)?.then_some(FieldOf { local, field: *field }))
    };
    let mut loads: BTreeMap<usize, Address> = BTreeMap::new();
    let mut counts: BTreeMap<Address, usize> = BTreeMap::new();
    for (index, instruction) in instructions.iter().enumerate() {
        let address = match instruction.op {
            Op::GetField(_) => field_at(index)?.map(Address::Field),
            Op::ArrayLoad(_) => match (before(index, 2), before(index, 1)) {
                (Some(&Op::Load(Kind::Reference, array)), Some(&Op::Load(Kind::Int, at))) => {
                    Some(Address::Element { array: Array::Local(array), index: at })
                }
                (Some(Op::GetField(_)), Some(&Op::Load(Kind::Int, at))) => {
                    field_at(index - 2)?.map(|field| Address::Element { array: Array::Field(field), index: at })
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(address) = address {
            loads.insert(index, address);
            *counts.entry(address).or_default() += 1;
        }
    }
    // One that occurs once may repeat itself in a loop, but only where the loop is entered in its
    // middle.
    let addresses: Vec<Address> =
        counts.into_iter().filter(|&(_, count)| count > 1).map(|(address, _)| address).take(ADDRESSES).collect();
    if addresses.is_empty() {
        return Ok(BTreeSet::new());
    }
    let bit_of = |address: &Address| addresses.binary_search(address).ok().map(|bit| 1_u64 << bit);
    let those = |holds: &dyn Fn(Address) -> bool| {
        addresses.iter().enumerate().filter(|&(_, &address)| holds(address)).fold(0_u64, |bits, (bit, _)| bits | 1 << bit)
    };
    let elements = those(&|address| matches!(address, Address::Element { .. }));
    // By instruction: the addresses that become known, and those that are known no longer.
    let mut effects = Vec::with_capacity(instructions.len());
    for (index, instruction) in instructions.iter().enumerate() {
        let known = loads.get(&index).and_then(bit_of).unwrap_or(0);
        let lost = match instruction.op {
            Op::Store(kind, local) => {
                those(&|address| address.uses(local) || (kind.slots() == 2 && address.uses(local.wrapping_add(1))))
            }
            Op::Iinc { local, .. } => those(&|address| address.uses(local)),
            Op::ArrayStore(_) => elements,
            Op::PutField(field) => {
                let name = class.constant_pool().member(field)?.name;
                let mut lost = 0;
                for (bit, address) in addresses.iter().enumerate() {
                    if let Some(other) = address.field()
                        && class.constant_pool().member(other.field)?.name == name
                    {
                        lost |= 1 << bit;
                    }
                }
                lost
            }
            // Other code may run, or another thread's writes be seen.
            Op::GetStatic(_) | Op::PutStatic(_) | Op::New(_) | Op::Ldc(_) | Op::MonitorEnter | Op::MonitorExit => u64::MAX,
            ref op if op.is_invoke() => u64::MAX,
            _ => 0,
        };
        effects.push((known, lost));
    }
    Ok(flow(code, &begins_of_handlers(code), &effects)
        .into_iter()
        .enumerate()
        .filter(|&(index, known)| loads.get(&index).and_then(bit_of).is_some_and(|bit| known & bit != 0))
        .map(|(index, _)| instructions[index].bci)
        .collect())
}

/// The addresses with known values before each instruction, on every path to it.
fn flow(code: &Code, unknown: &BTreeSet<usize>, effects: &[(u64, u64)]) -> Vec<u64> {
    let mut known = vec![u64::MAX; effects.len()];
    known[0] = 0;
    unknown.iter().for_each(|&index| known[index] = 0);
    loop {
        let mut changed = false;
        for (index, instruction) in code.instructions.iter().enumerate() {
            let (gained, lost) = effects[index];
            let after = (known[index] & !lost) | gained;
            let mut meet = |next: usize| {
                if let Some(before) = known.get_mut(next)
                    && *before & !after != 0
                {
                    *before &= after;
                    changed = true;
                }
            };
            if instruction.op.falls_through() {
                meet(index + 1);
            }
            instruction.op.for_each_target(|target| code.index_of(target).into_iter().for_each(&mut meet));
        }
        if !changed {
            return known;
        }
    }
}

/// At a handler, no value is known.
fn begins_of_handlers(code: &Code) -> BTreeSet<usize> {
    code.handlers.iter().filter_map(|handler| code.index_of(handler.handler)).collect()
}

/// A field that this class file declares, so that one can say that it is not volatile.
fn is_own_plain_field(class: &ClassFile, field: u16) -> Result<bool, ParseError> {
    let member = class.constant_pool().member(field)?;
    Ok(member.owner == class.this_class()
        && class
            .fields()
            .any(|own| own.name() == member.name && own.descriptor() == member.descriptor && !own.access().is_volatile()))
}
