//! Lives as test cases. Flows in: outermost calls in the order of time; flows out: for each run that entered a class under test, the calls that
//! made its receiver and arguments what they were, and its own call.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{BOXES, Called, Given, Index, Key};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{Life, Literal, StatementKind, VarId, literal_type};

/// Lives of one class, and statements of one, at most.
const MOST_LIVES: usize = 300;
const MOST_CALLS: usize = 30;
/// Calls on one object since it was made, of which the first and the last count.
const MOST_USES: usize = 16;
/// Objects made of objects made of ...
const DEEPEST: usize = 5;
/// Longer arrays and texts make no test that anyone reads.
const LONGEST_ARRAY: usize = 32;
const LONGEST_TEXT: usize = 120;

/// `gains`: positions of calls in the order of time, and how much of the classes under test their runs were the first to show.
pub(super) fn lives(index: &Index, gains: Vec<(usize, usize)>) -> Vec<Life> {
    let (mut new, old): (Vec<_>, Vec<_>) = gains.into_iter().partition(|(_, gain)| *gain > 0);
    new.sort_by_key(|(position, gain)| (std::cmp::Reverse(*gain), *position));
    // By method, in the order of the runs.
    let mut others: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (position, _) in old {
        if let Some(call) = index.calls.get(position) {
            others.entry(call.method).or_default().push(position);
        }
    }
    let most = others.values().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..most).flat_map(|round| others.values().filter_map(move |positions| positions.get(round).copied()));
    let lives = Lives { index };
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for position in new.into_iter().map(|(position, _)| position).chain(in_turn) {
        if all.len() >= MOST_LIVES {
            break;
        }
        let life = lives.life(position);
        if !life.test.is_empty() && seen.insert(life.test.canonical_hash()) {
            all.push(life);
        }
    }
    all
}

struct Lives<'a> {
    index: &'a Index,
}

impl Lives<'_> {
    /// The calls that the call at `position` needs, and itself, as a test case.
    fn life(&self, position: usize) -> Life {
        let mut needed = BTreeSet::from([position]);
        self.need(position, &mut needed, 0);
        let mut writer = Writer { life: Life::default(), variables: HashMap::new() };
        for &position in &needed {
            if let Some(call) = self.index.calls.get(position) {
                self.write(call, &mut writer);
            }
        }
        writer.life
    }

    fn need(&self, position: usize, needed: &mut BTreeSet<usize>, depth: usize) {
        let Some(call) = self.index.calls.get(position) else { return };
        let given = call.arguments.iter().filter_map(|argument| match argument {
            Given::Object(key) => Some(*key),
            _ => None,
        });
        for key in call.receiver.into_iter().chain(given) {
            let Some(known) = self.index.objects.get(&key) else { continue };
            let Some(&made) = known.made.iter().rfind(|made| **made < position) else { continue };
            let used: Vec<usize> =
                known.used.iter().copied().filter(|used| (made + 1..position).contains(used) && self.returned(*used)).collect();
            let skipped = if used.len() > MOST_USES { MOST_USES / 2..used.len() - MOST_USES / 2 } else { 0..0 };
            let used = used.iter().enumerate().filter(|(at, _)| !skipped.contains(at)).map(|(_, used)| *used);
            for other in std::iter::once(made).chain(used) {
                if needed.len() < MOST_CALLS && depth < DEEPEST && needed.insert(other) {
                    self.need(other, needed, depth + 1);
                }
            }
        }
    }

    fn returned(&self, position: usize) -> bool {
        self.index.calls.get(position).is_some_and(|call| call.returned)
    }

    fn write(&self, call: &Called, writer: &mut Writer) {
        let Some(method) = self.index.methods.get(call.method) else { return };
        let args: Vec<VarId> =
            method.parameters().iter().zip(&call.arguments).map(|(ty, given)| writer.argument(ty, given)).collect();
        let owner = JavaType::Class(method.owner.clone());
        let is_init = &*method.name == "<init>";
        let (kind, ty) = if is_init {
            (StatementKind::Construct { constructor: method.clone(), args }, owner)
        } else {
            let is_static = self.index.is_static(method);
            let receiver = match (is_static, call.receiver) {
                (true, _) => None,
                (false, Some(key)) => Some(writer.object(key, &owner)),
                (false, None) => Some(writer.hole(&owner)),
            };
            let interface = self.index.is_interface(&method.owner);
            (StatementKind::Call { method: method.clone(), interface, receiver, args }, method.return_type())
        };
        let variable = writer.life.test.push(kind, ty);
        if let Some(result) = call.result {
            writer.variables.insert(result, variable);
        }
    }
}

struct Writer {
    life: Life,
    variables: HashMap<Key, VarId>,
}

impl Writer {
    fn hole(&mut self, ty: &JavaType) -> VarId {
        let variable = self.literal(Literal::Null, ty);
        self.life.holes.insert(variable);
        variable
    }

    fn literal(&mut self, literal: Literal, ty: &JavaType) -> VarId {
        self.life.test.push(StatementKind::Literal(literal), ty.clone())
    }

    fn object(&mut self, key: Key, ty: &JavaType) -> VarId {
        match self.variables.get(&key) {
            Some(variable) => *variable,
            None => {
                // The same object, should it come again, is the same hole.
                let hole = self.hole(ty);
                self.variables.insert(key, hole);
                hole
            }
        }
    }

    fn argument(&mut self, ty: &JavaType, given: &Given) -> VarId {
        match given {
            Given::Literal(Literal::Str(units)) if units.len() <= LONGEST_TEXT => {
                self.literal(Literal::Str(units.clone()), &JavaType::class("java/lang/String"))
            }
            Given::Literal(Literal::Str(_)) | Given::Unknown => self.hole(ty),
            Given::Literal(literal) => self.literal(literal.clone(), ty),
            Given::Boxed(literal) => {
                let Some((name, primitive)) = BOXES.iter().find(|(_, primitive)| literal_type(literal) == *primitive) else {
                    return self.hole(ty);
                };
                let value = self.literal(literal.clone(), primitive);
                let descriptor = format!("({})L{name};", primitive.descriptor());
                let method = MethodRef::new(ClassName::new(name), "valueOf", &descriptor);
                let call = StatementKind::Call { method, interface: false, receiver: None, args: vec![value] };
                self.life.test.push(call, JavaType::class(name))
            }
            Given::Array(element, cells) if cells.len() <= LONGEST_ARRAY => {
                let elements = cells.iter().map(|cell| self.literal(cell.clone(), element)).collect();
                let kind = StatementKind::Array { element: element.clone(), length: cells.len() as u32, elements };
                self.life.test.push(kind, JavaType::Array(Box::new(element.clone())))
            }
            Given::Array(..) => self.hole(ty),
            Given::Object(key) => self.object(*key, ty),
        }
    }
}
