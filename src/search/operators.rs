//! Variation of test cases: mutation (insert, change, delete) and crossover. Flows in: legal test cases; flows out: legal ones, since every
//! operator rebuilds its test case front to back and only ever appends what fits. Must not know of goals.

use rand::RngExt;

use super::model::{CallableId, ValueKind};
use super::random::Grower;
use crate::program::JavaType;
use crate::testcase::{Literal, Statement, StatementKind, TestCase, VarId};

/// A neighbour of the test case. Each statement is deleted or changed with probability 1/n; at least one kind of edit is tried.
pub(crate) fn mutate(mut grower: Grower<'_>, test: &TestCase) -> TestCase {
    let count = test.len();
    if count == 0 {
        grower.random_call();
        return grower.finish();
    }
    let edits = grower.rng.random_range(1..8u32);
    let (insert, change, delete) = (edits & 1 != 0, edits & 2 != 0, edits & 4 != 0);
    let rate = 1.0 / count as f64;
    // Where statements are inserted; the end twice as often as any other place, since later statements see the most state.
    let mut insertions = [usize::MAX; 3];
    if insert {
        for place in &mut insertions {
            *place = grower.rng.random_range(0..=count + 1).min(count);
            if grower.rng.random_bool(0.5) {
                break;
            }
        }
    }
    let mut map: Vec<Option<VarId>> = vec![None; count];
    for (index, statement) in test.statements.iter().enumerate() {
        if grower.len() >= 2 * grower.config.max_statements {
            break;
        }
        for _ in insertions.iter().filter(|place| **place == index) {
            grower.random_call();
        }
        map[index] = if delete && grower.rng.random_bool(rate) {
            substitute(&mut grower, statement)
        } else if change && grower.rng.random_bool(rate) {
            change_statement(&mut grower, statement, &map)
        } else {
            grower.adopt(statement, &map)
        };
    }
    for _ in insertions.iter().filter(|place| **place == count) {
        grower.random_call();
    }
    let mut mutant = grower.finish();
    mutant.remove_unused_values();
    mutant
}

/// Varies one literal and nothing else; `None` when the test case has none that can be varied.
pub(crate) fn mutate_literal(grower: Grower<'_>, test: &TestCase) -> Option<TestCase> {
    let literals: Vec<u32> = (0..test.len() as u32)
        .filter(|&index| {
            matches!(&test.statements[index as usize].kind,
                StatementKind::Literal(literal) if !matches!(literal, Literal::Null | Literal::Class(_)))
        })
        .collect();
    if literals.is_empty() {
        return None;
    }
    let variable = VarId(literals[grower.rng.random_range(0..literals.len())]);
    let current = test.literal(variable).expect("chosen among the literals");
    let varied = vary(grower, test, current);
    let mut mutant = test.clone();
    mutant.replace_literal(variable, varied);
    Some(mutant)
}

fn vary(grower: Grower<'_>, test: &TestCase, current: &Literal) -> Literal {
    if grower.rng.random_bool(0.15)
        && let Some(other) = other_literal(test, current, grower.rng.random_range(0..64))
    {
        return other;
    }
    grower.pool.vary(current, grower.rng)
}

/// Another literal of the same kind in the test case: equality of two values is mostly met by copying.
fn other_literal(test: &TestCase, current: &Literal, skip: usize) -> Option<Literal> {
    let same_kind =
        |literal: &&Literal| std::mem::discriminant(*literal) == std::mem::discriminant(current) && *literal != current;
    let literals: Vec<&Literal> = test
        .statements
        .iter()
        .filter_map(|statement| match &statement.kind {
            StatementKind::Literal(literal) => Some(literal),
            _ => None,
        })
        .filter(same_kind)
        .collect();
    if literals.is_empty() { None } else { Some(literals[skip % literals.len()].clone()) }
}

/// The head of one test case and the tail of another, cut at the same relative place. Variables of the tail that were defined in the lost head
/// become variables of the new head, copies of literals, or are made anew.
pub(crate) fn crossover(mut grower: Grower<'_>, head: &TestCase, tail: &TestCase) -> TestCase {
    let cut = grower.rng.random::<f64>();
    let kept = (cut * head.len() as f64).ceil() as usize;
    let from = (cut * tail.len() as f64).floor() as usize;
    for statement in &head.statements[..kept] {
        grower.push(statement.kind.clone(), statement.ty.clone());
    }
    let mut map: Vec<Option<VarId>> = vec![None; tail.len()];
    for (index, statement) in tail.statements.iter().enumerate().skip(from) {
        if grower.len() >= grower.config.max_statements {
            break;
        }
        statement.kind.for_each_use(|used| {
            let lost = &tail.statements[used.index()];
            if map[used.index()].is_some() || used.index() >= from {
                return;
            }
            if matches!(lost.kind, StatementKind::Literal(_)) {
                map[used.index()] = Some(grower.push(lost.kind.clone(), lost.ty.clone()));
            } else if grower.rng.random_bool(0.8) {
                map[used.index()] = substitute(&mut grower, lost);
            }
        });
        map[index] = grower.adopt(statement, &map);
    }
    let mut child = grower.finish();
    child.remove_unused_values();
    child
}

/// A variable that can stand in for the one that the statement defined.
fn substitute(grower: &mut Grower<'_>, statement: &Statement) -> Option<VarId> {
    if statement.ty == JavaType::Void {
        return None;
    }
    let wanted = grower.model.wanted_of(grower.model.find_erased(&statement.ty)?)?;
    grower.existing(wanted, false)
}

fn change_statement(grower: &mut Grower<'_>, statement: &Statement, map: &[Option<VarId>]) -> Option<VarId> {
    match &statement.kind {
        StatementKind::Literal(Literal::Null | Literal::Class(_)) => {
            let wanted = grower.model.find_erased(&statement.ty).and_then(|erased| grower.model.wanted_of(erased));
            match wanted {
                Some(wanted) => grower.make(wanted, 2, true),
                None => grower.adopt(statement, map),
            }
        }
        StatementKind::Literal(literal) => {
            let skip = grower.rng.random_range(0..64);
            let copied = match grower.rng.random_bool(0.15) {
                true => other_literal(grower.test(), literal, skip),
                false => None,
            };
            let varied = copied.unwrap_or_else(|| grower.pool.vary(literal, grower.rng));
            Some(grower.push(StatementKind::Literal(varied), statement.ty.clone()))
        }
        StatementKind::Array { element, length, elements } => {
            let mut elements: Vec<VarId> = elements.iter().filter_map(|value| map[value.index()]).collect();
            let mut length = *length;
            let wanted = grower.model.find_erased(element).and_then(|erased| grower.model.wanted_of(erased));
            match grower.rng.random_range(0..4) {
                0 if length > 0 => {
                    length -= 1;
                    elements.truncate(length as usize);
                }
                1 if (length as usize) < grower.config.max_array_length => {
                    length += 1;
                    if let Some(value) = wanted.and_then(|wanted| grower.satisfy(wanted, 2, true)) {
                        elements.push(value);
                    }
                }
                2 if !elements.is_empty() => {
                    let at = grower.rng.random_range(0..elements.len());
                    elements.remove(at);
                }
                _ if !elements.is_empty() => {
                    if let Some(value) = wanted.and_then(|wanted| grower.satisfy(wanted, 2, true)) {
                        let at = grower.rng.random_range(0..elements.len());
                        elements[at] = value;
                    }
                }
                _ => {}
            }
            elements.truncate(length as usize);
            let kind = StatementKind::Array { element: element.clone(), length, elements };
            Some(grower.push(kind, statement.ty.clone()))
        }
        StatementKind::PutElement { .. } => grower.adopt(statement, map),
        StatementKind::Stub { interface, mocked, answers } => {
            let mut kept = Vec::with_capacity(answers.len());
            for (method, answer) in answers {
                let wanted = grower.model.find_erased(&method.return_type()).and_then(|erased| grower.model.wanted_of(erased));
                let answer = match wanted {
                    Some(wanted) if grower.rng.random_bool(0.5) => grower.make(wanted, 2, true),
                    _ => map[answer.index()],
                };
                kept.extend(answer.map(|answer| (method.clone(), answer)));
            }
            let kind = StatementKind::Stub { interface: interface.clone(), mocked: *mocked, answers: kept };
            Some(grower.push(kind, statement.ty.clone()))
        }
        kind => match grower.model.callable_of(kind) {
            Some(callable) => change_call(grower, statement, callable, map),
            None => grower.adopt(statement, map),
        },
    }
}

/// Another argument, another receiver, or another callable with the same result.
fn change_call(grower: &mut Grower<'_>, statement: &Statement, callable: CallableId, map: &[Option<VarId>]) -> Option<VarId> {
    let model = grower.model;
    let description = model.callable(callable);
    let mut uses: Vec<Option<VarId>> = statement.kind.uses().iter().map(|used| map[used.index()]).collect();
    let receivers = usize::from(description.receiver.is_some());
    if uses.len() != receivers + description.params.len()
        || description.result.map(|result| model.java_type(result)) != result_of(statement)
    {
        return grower.adopt(statement, map);
    }
    if grower.rng.random_bool(0.3)
        && let Some(other) = replacement(grower, callable)
    {
        let receiver = match (model.callable(other).receiver, description.receiver) {
            (Some(wanted), Some(_)) => uses[0].filter(|receiver| {
                grower.type_of(*receiver).is_some_and(|from| model.is_assignable(from, model.erasure(wanted)))
            }),
            _ => None,
        };
        return grower.call(other, 1, receiver);
    }
    if !uses.is_empty() {
        let at = grower.rng.random_range(0..uses.len());
        uses[at] = match description.receiver {
            Some(wanted) if at == 0 => grower.existing(wanted, false),
            _ => {
                let wanted = description.params[at - receivers];
                match grower.rng.random_bool(0.5) {
                    true => grower.satisfy(wanted, 2, true),
                    false => grower.make(wanted, 2, true),
                }
            }
        };
    }
    let receiver = match description.receiver {
        Some(wanted) => Some(match uses[0] {
            Some(receiver) => receiver,
            None => grower.satisfy(wanted, 2, false)?,
        }),
        None => None,
    };
    let mut args = Vec::with_capacity(description.params.len());
    for (position, &wanted) in description.params.iter().enumerate() {
        args.push(match uses[receivers + position] {
            Some(arg) => arg,
            None => grower.satisfy(wanted, 2, true)?,
        });
    }
    Some(grower.perform(callable, receiver, args))
}

fn result_of(statement: &Statement) -> Option<&JavaType> {
    (statement.ty != JavaType::Void).then_some(&statement.ty)
}

/// Another callable that gives the same type, or for void ones another that modifies the same receiver.
fn replacement(grower: &mut Grower<'_>, callable: CallableId) -> Option<CallableId> {
    let model = grower.model;
    let description = model.callable(callable);
    let candidates = match (description.result, description.receiver) {
        (Some(result), _) if matches!(model.kind(model.erasure(result)), ValueKind::Object) => model.generators(result),
        (_, Some(receiver)) => model.modifiers(receiver),
        _ => model.under_test(),
    };
    let other = grower.pick(candidates)?;
    let same = model.callable(other).result.map(|result| model.erasure(result))
        == description.result.map(|result| model.erasure(result));
    (other != callable && same).then_some(other)
}
