//! Lives as test cases. Flows in: outermost calls in the order of time; flows out: for each run that entered a class under test, the calls that
//! made its receiver and arguments what they were, and its own call.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tracewright_trace::ClassId;

use super::{BOXES, CallIndex, Called, Given, Key};
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{CarvedSequence, Literal, StatementKind, VarId, literal_type};

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
pub(super) fn carve(index: &CallIndex, gains: Vec<(usize, usize)>) -> Vec<CarvedSequence> {
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
    let lives = Lives { index, typical: index.typical() };
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

/// Whether a call belongs to a life, or to what stands in for an object of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    Before,
    Then,
}

struct Needed {
    calls: BTreeSet<(When, usize)>,
    /// Objects that stand in for others.
    instead: HashMap<Key, Key>,
}

struct Lives<'a> {
    index: &'a CallIndex,
    /// By class: an object that was seen being made and used, and where its first life ends.
    typical: HashMap<u32, (Key, usize)>,
}

impl CallIndex {
    fn typical(&self) -> HashMap<u32, (Key, usize)> {
        let mut best: HashMap<u32, (usize, std::cmp::Reverse<usize>, Key, usize)> = HashMap::new();
        for (key, known) in &self.objects {
            let Some(&made) = known.made.first() else { continue };
            let end = known.made.get(1).copied().unwrap_or(usize::MAX);
            let used = known.used.iter().filter(|used| (made + 1..end).contains(used)).take(MOST_USES).count();
            let one = (used, std::cmp::Reverse(made), *key, end);
            let known = best.entry(key.1).or_insert(one);
            if (one.0, one.1) > (known.0, known.1) {
                *known = one;
            }
        }
        best.into_iter().map(|(class, (_, _, key, end))| (class, (key, end))).collect()
    }
}

impl Lives<'_> {
    /// The calls that the call at `position` needs, and itself, as a test case.
    fn life(&self, position: usize) -> CarvedSequence {
        let mut needed = Needed { calls: BTreeSet::from([(When::Then, position)]), instead: HashMap::new() };
        self.need(position, When::Then, &mut needed, 0);
        let mut writer = Writer { life: CarvedSequence::default(), variables: HashMap::new(), instead: needed.instead };
        for &(_, position) in &needed.calls {
            if let Some(call) = self.index.calls.get(position) {
                self.write(call, &mut writer);
            }
        }
        writer.life
    }

    fn need(&self, position: usize, when: When, needed: &mut Needed, depth: usize) {
        let Some(call) = self.index.calls.get(position) else { return };
        let given = self.index.arguments(call).into_iter().filter_map(|argument| match argument {
            Given::Object(key) => Some(key),
            _ => None,
        });
        for key in call.receiver.into_iter().chain(given) {
            let known = self.index.objects.get(&key);
            let made = known.and_then(|known| known.made.iter().rfind(|made| **made < position)).copied();
            let calls = self.since(key, made, position);
            self.take(calls, when, needed, depth);
            // Nobody saw it being made: another of its class stands in for it, as the session knows it best.
            if made.is_none()
                && let Some((other, end)) = self.typical.get(&key.1)
                && *other != key
                && !needed.instead.contains_key(&key)
            {
                needed.instead.insert(key, *other);
                let made = self.index.objects.get(other).and_then(|known| known.made.first()).copied();
                self.take(self.since(*other, made, *end), When::Before, needed, depth);
            }
        }
    }

    fn take(&self, calls: Vec<usize>, when: When, needed: &mut Needed, depth: usize) {
        for other in calls {
            if needed.calls.len() < MOST_CALLS && depth < DEEPEST && needed.calls.insert((when, other)) {
                self.need(other, when, needed, depth + 1);
            }
        }
    }

    /// The call that made an object, and those on it between that and `end` that returned.
    fn since(&self, key: Key, made: Option<usize>, end: usize) -> Vec<usize> {
        let begin = made.map_or(0, |made| made + 1);
        let used = self.index.objects.get(&key).map(|known| &known.used[..]).unwrap_or_default();
        let used: Vec<usize> = used.iter().copied().filter(|used| (begin..end).contains(used) && self.returned(*used)).collect();
        let skipped = if used.len() > MOST_USES { MOST_USES / 2..used.len() - MOST_USES / 2 } else { 0..0 };
        let used = used.iter().enumerate().filter(|(at, _)| !skipped.contains(at)).map(|(_, used)| *used);
        made.into_iter().chain(used).collect()
    }

    /// The class of an object, as far as it is known.
    fn type_of(&self, key: Key, declared: &JavaType) -> JavaType {
        let class = self.index.process.announced.class(ClassId(key.1)).map(|class| JavaType::Class(class.clone()));
        class.filter(|class| self.index.program.is_subtype(class, declared)).unwrap_or_else(|| declared.clone())
    }

    fn given_type(&self, declared: &JavaType, given: &Given) -> JavaType {
        match given {
            Given::Object(key) => self.type_of(*key, declared),
            _ => declared.clone(),
        }
    }

    fn returned(&self, position: usize) -> bool {
        self.index.calls.get(position).is_some_and(|call| call.returned)
    }

    fn write(&self, call: &Called, writer: &mut Writer) {
        let Some(method) = self.index.methods.get(call.method) else { return };
        let args: Vec<VarId> = method
            .parameters()
            .iter()
            .zip(self.index.arguments(call))
            .map(|(ty, given)| writer.argument(self.given_type(ty, &given), &given))
            .collect();
        let owner = JavaType::Class(method.owner.clone());
        let is_init = &*method.name == "<init>";
        let (kind, ty) = if is_init {
            (StatementKind::Construct { constructor: method.clone(), args }, owner)
        } else {
            let is_static = self.index.is_static(method);
            let receiver = match (is_static, call.receiver) {
                (true, _) => None,
                (false, Some(key)) => Some(writer.object(key, self.type_of(key, &owner))),
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
    life: CarvedSequence,
    instead: HashMap<Key, Key>,
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

    fn object(&mut self, key: Key, ty: JavaType) -> VarId {
        let key = self.instead.get(&key).copied().unwrap_or(key);
        match self.variables.get(&key) {
            Some(variable) => *variable,
            None => {
                // The same object, should it come again, is the same hole.
                let hole = self.hole(&ty);
                self.variables.insert(key, hole);
                hole
            }
        }
    }

    fn argument(&mut self, ty: JavaType, given: &Given) -> VarId {
        let ty = &ty;
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
            Given::Object(key) => self.object(*key, ty.clone()),
        }
    }
}
