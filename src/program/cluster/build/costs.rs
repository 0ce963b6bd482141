//! Costs of ways: the least number of statements that a value takes, as a fixpoint over the types.
//!
//! In: the ways to each type. Out: for each type its choices, cheapest first. Must not know how the
//! ways were found.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::ways::Ways;
use crate::program::JavaType;
use crate::program::cluster::{Callable, Choice, Generator, StubKind};

/// Ways of one subtype that count for its supertype, so that a subtype with many ways does not
/// displace the others.
const MAX_WAYS_OF_SUBTYPE: usize = 5;
/// Calls on an object of the type itself that give another one; they do not count against the limit
/// of choices.
const MAX_CHAINS: usize = 6;
/// Cost of a null where nothing can be built, in statements: possible, but the last resort.
const NULL_COST: u32 = 9;
/// Cost of a stub: it is legal Java, but what it returns is no behaviour of the program.
pub(super) const STUB_COST: u32 = 3;

/// A choice whose cost is not known yet.
#[derive(Clone, Debug)]
pub(super) struct UncostedChoice {
    pub(super) generator: Generator,
    /// Erased type of the value.
    pub(super) ty: JavaType,
}

/// The ways to each type, those of its subtypes included.
pub(super) type FlattenedWays = BTreeMap<JavaType, Vec<UncostedChoice>>;

/// Adds a choice unless it is there.
pub(super) fn push_distinct(choices: &mut Vec<UncostedChoice>, choice: UncostedChoice) {
    if !choices.iter().any(|known| known.generator == choice.generator && known.ty == choice.ty) {
        choices.push(choice);
    }
}

/// Each type with its own ways and, behind them, at most [`MAX_WAYS_OF_SUBTYPE`] of each subtype,
/// breadth first.
pub(super) fn flatten(ways: &BTreeMap<JavaType, Ways>) -> FlattenedWays {
    let mut flattened = BTreeMap::new();
    for ty in ways.keys() {
        let mut choices: Vec<UncostedChoice> = Vec::new();
        let mut visited = BTreeSet::from([ty]);
        let mut pending: VecDeque<(&JavaType, usize)> = VecDeque::from([(ty, usize::MAX)]);
        while let Some((next, limit)) = pending.pop_front() {
            let Some(ways) = ways.get(next) else { continue };
            ways.own.iter().take(limit).for_each(|choice| push_distinct(&mut choices, choice.clone()));
            pending.extend(ways.subtypes.iter().filter(|ty| visited.insert(ty)).map(|ty| (ty, MAX_WAYS_OF_SUBTYPE)));
        }
        flattened.insert(ty.clone(), choices);
    }
    flattened
}

/// The least cost of each type that can be built, in statements.
///
/// Costs only fall, and only types with a cost make others cheaper, so the loop ends after at most
/// as many rounds as there are types in the longest chain of dependences.
pub(super) fn least_costs(ways: &FlattenedWays, callables: &[Callable]) -> HashMap<JavaType, u32> {
    let mut costs: HashMap<JavaType, u32> = HashMap::new();
    loop {
        let mut changed = false;
        for (ty, choices) in ways {
            let least = choices.iter().filter_map(|choice| cost_of(&choice.generator, callables, &costs)).min();
            if let Some(least) = least
                && costs.get(ty).is_none_or(|known| least < *known)
            {
                costs.insert(ty.clone(), least);
                changed = true;
            }
        }
        if !changed {
            return costs;
        }
    }
}

/// Statements that the generator takes, itself included; `None` when the receiver has no cost
/// (yet).
pub(super) fn cost_of(generator: &Generator, callables: &[Callable], costs: &HashMap<JavaType, u32>) -> Option<u32> {
    Some(match generator {
        Generator::Literal | Generator::Field(_) | Generator::Array { .. } => 1,
        Generator::Stub { .. } => STUB_COST,
        Generator::Call(id) => {
            let callable = &callables[id.0 as usize];
            let receiver = match callable.receiver() {
                Some(receiver) => *costs.get(&receiver)?,
                None => 0,
            };
            let arguments =
                callable.parameters.iter().map(|parameter| costs.get(&parameter.ty).copied().unwrap_or(NULL_COST).min(NULL_COST));
            arguments.fold(receiver.saturating_add(1), u32::saturating_add)
        }
    })
}

/// Whether the generator makes a Mockito mock.
pub(super) fn is_mock(generator: &Generator) -> bool {
    matches!(generator, Generator::Stub { kind: StubKind::Mock, .. })
}

/// Whether the generator calls a method on an object of the wanted type itself.
fn is_chain(generator: &Generator, callables: &[Callable], wanted: &JavaType) -> bool {
    matches!(generator, Generator::Call(id) if callables[id.0 as usize].receiver().as_ref() == Some(wanted))
}

/// The choices of each type, cheapest first. Calls on objects of types in `only_mocked` are left
/// out, since mocks make nothing. A type without a choice gets its reason in `unbuildable`, and one
/// with a choice loses it.
pub(super) fn choices(
    ways: FlattenedWays,
    callables: &[Callable],
    only_mocked: &BTreeSet<JavaType>,
    max_choices: usize,
    unbuildable: &mut BTreeMap<JavaType, String>,
) -> BTreeMap<JavaType, Vec<Choice>> {
    let costs = least_costs(&ways, callables);
    let has_real_receiver = |choice: &UncostedChoice| match &choice.generator {
        Generator::Call(id) => callables[id.0 as usize].receiver().is_none_or(|receiver| !only_mocked.contains(&receiver)),
        _ => true,
    };
    let mut choices = BTreeMap::new();
    for (ty, uncosted) in ways {
        let mut found: Vec<Choice> = uncosted
            .into_iter()
            .filter(has_real_receiver)
            .filter_map(|UncostedChoice { generator, ty }| {
                let cost = cost_of(&generator, callables, &costs)?;
                Some(Choice { generator, ty, cost })
            })
            .collect();
        found.sort_by_key(|choice| choice.cost);
        let (mut others, mut chains) = (0, 0);
        found.retain(|choice| {
            let (count, limit) = match is_chain(&choice.generator, callables, &ty) {
                true => (&mut chains, MAX_CHAINS),
                false => (&mut others, max_choices),
            };
            *count += 1;
            *count <= limit
        });
        if found.is_empty() {
            unbuildable
                .entry(ty.clone())
                .or_insert_with(|| "no arguments can be made for its constructors and factories".to_string());
        } else {
            unbuildable.remove(&ty);
        }
        choices.insert(ty, found);
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::cluster::{CallableId, CallableKind, CodeConstants, Hints, Parameter};
    use crate::program::{ClassName, GenericType, MethodRef};

    fn class(name: &str) -> JavaType {
        JavaType::class(name)
    }

    /// A constructor of, or a method on, `owner` that gives a `returns`.
    fn callable(kind: CallableKind, owner: &str, parameters: &[JavaType], returns: &JavaType) -> Callable {
        let parameter = |ty: &JavaType| Parameter { ty: ty.clone(), generic: GenericType::of(ty), name: None };
        Callable {
            kind,
            method: MethodRef::new(ClassName::new(owner), "m", "()V"),
            interface: false,
            declared_in: ClassName::new(owner),
            parameters: parameters.iter().map(parameter).collect(),
            returns: returns.clone(),
            generic_returns: GenericType::of(returns),
            type_parameters: Vec::new(),
            exceptions: Vec::new(),
            varargs: false,
            project: true,
            hints: Hints::default(),
            constants: CodeConstants::default(),
        }
    }

    fn call(id: u32, ty: &JavaType) -> UncostedChoice {
        UncostedChoice { generator: Generator::Call(CallableId(id)), ty: ty.clone() }
    }

    #[test]
    fn costs_count_receivers_arguments_and_nulls() {
        let (a, b, c) = (class("p/A"), class("p/B"), class("p/C"));
        let callables = [
            callable(CallableKind::Constructor, "p/A", &[JavaType::INT], &a),
            callable(CallableKind::Instance, "p/A", std::slice::from_ref(&a), &b),
            // Nothing makes a `p/None`: the argument is null.
            callable(CallableKind::Constructor, "p/C", &[class("p/None")], &c),
        ];
        let literal = UncostedChoice { generator: Generator::Literal, ty: JavaType::INT };
        let ways: FlattenedWays = [
            (JavaType::INT, vec![literal]),
            (a.clone(), vec![call(0, &a)]),
            (b.clone(), vec![call(1, &b)]),
            (c.clone(), vec![call(2, &c)]),
        ]
        .into();
        let costs = least_costs(&ways, &callables);
        assert_eq!([&costs[&a], &costs[&b], &costs[&c]], [&2, &5, &(1 + NULL_COST)]);
    }

    #[test]
    fn types_that_need_each_other_as_receivers_cannot_be_built() {
        let (a, b) = (class("p/A"), class("p/B"));
        let callables = [callable(CallableKind::Instance, "p/B", &[], &a), callable(CallableKind::Instance, "p/A", &[], &b)];
        let ways: FlattenedWays = [(a.clone(), vec![call(0, &a)]), (b.clone(), vec![call(1, &b)])].into();
        let mut unbuildable = BTreeMap::new();
        let found = choices(ways, &callables, &BTreeSet::new(), 4, &mut unbuildable);
        assert!(found.values().all(Vec::is_empty));
        assert_eq!(unbuildable.len(), 2);
    }

    #[test]
    fn a_subtype_with_many_ways_does_not_displace_the_others() {
        let (base, many, few) = (class("p/Base"), class("p/Many"), class("p/Few"));
        let ways: BTreeMap<JavaType, Ways> = [
            (base.clone(), Ways { own: Vec::new(), subtypes: vec![many.clone(), few.clone()] }),
            (many.clone(), Ways { own: (0..9).map(|id| call(id, &many)).collect(), subtypes: vec![base.clone()] }),
            (few.clone(), Ways { own: vec![call(9, &few)], subtypes: Vec::new() }),
        ]
        .into();
        let flattened = flatten(&ways);
        assert_eq!(flattened[&base].len(), MAX_WAYS_OF_SUBTYPE + 1);
        assert_eq!(flattened[&many].len(), 9 + 1);
    }
}
