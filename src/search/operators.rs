//! Mutation (insert, change, delete) and crossover of test cases. Flows in: well-typed test cases;
//! flows out: well-typed ones, since each operator rebuilds the test case front to back from
//! fitting statements. Must not know goals.

use rand::RngExt;

use super::callable_table::{CallableEntryKind, CallableIx, ValueKind};
use super::injection::Completions;
use super::mocks::mapped_answer;
use super::sequence::SequenceBuilder;
use crate::program::{JavaType, MethodRef};
use crate::testcase::{Answer, Literal, Statement, StatementKind, StubKind, TestCase, VarId};

/// A mutation of the test case. Each statement is deleted or changed with probability 1/n; at least
/// one kind of edit is tried.
pub(crate) fn mutate(mut builder: SequenceBuilder<'_>, test: &TestCase) -> TestCase {
    let count = test.len();
    if count == 0 {
        builder.random_call();
        return builder.finish();
    }
    let edits = builder.rng.random_range(1..8u32);
    let (insert, change, delete) = (edits & 1 != 0, edits & 2 != 0, edits & 4 != 0);
    let rate = 1.0 / count as f64;
    // The end gets twice as many insertions as any other place, since later statements see the most
    // state.
    let completions = Completions::of(builder.table, test);
    let mut insertions = [usize::MAX; 3];
    if insert {
        for place in &mut insertions {
            *place = completions.next_place(builder.rng.random_range(0..=count + 1).min(count));
            if builder.rng.random_bool(0.5) {
                break;
            }
        }
    }
    let mut map: Vec<Option<VarId>> = vec![None; count];
    for (index, statement) in test.statements.iter().enumerate() {
        let is_apart = completions.next_place(index) == index;
        if builder.len() >= 2 * builder.config.max_statements && is_apart {
            break;
        }
        for _ in insertions.iter().filter(|place| **place == index) {
            builder.random_call();
        }
        map[index] = if delete && !completions.contains(index) && builder.rng.random_bool(rate) {
            substitute(&mut builder, statement)
        } else if completions.contains(index) && change && builder.rng.random_bool(rate) {
            change_completion(&mut builder, statement, &map)
        } else if change && builder.rng.random_bool(rate) {
            change_statement(&mut builder, statement, &map)
        } else {
            builder.adopt(statement, &map)
        };
    }
    for _ in insertions.iter().filter(|place| **place == count) {
        builder.random_call();
    }
    let mut mutant = builder.finish();
    mutant.remove_unused_values();
    mutant
}

/// Varies one literal; `None` when no literal can be varied.
pub(crate) fn mutate_literal(builder: SequenceBuilder<'_>, test: &TestCase) -> Option<TestCase> {
    let literals: Vec<u32> = (0..test.len() as u32)
        .filter(|&index| {
            matches!(&test.statements[index as usize].kind,
                StatementKind::Literal(literal) if !matches!(literal, Literal::Null | Literal::Class(_)))
        })
        .collect();
    if literals.is_empty() {
        return None;
    }
    let variable = VarId(literals[builder.rng.random_range(0..literals.len())]);
    let current = test.literal(variable).expect("chosen among the literals");
    let varied = vary(builder, test, current);
    let mut mutant = test.clone();
    mutant.replace_literal(variable, varied);
    Some(mutant)
}

fn vary(builder: SequenceBuilder<'_>, test: &TestCase, current: &Literal) -> Literal {
    if builder.rng.random_bool(0.15)
        && let Some(other) = other_literal(test, current, builder.rng.random_range(0..64))
    {
        return other;
    }
    builder.pool.vary(current, builder.rng)
}

/// Another literal of the same kind in the test case: copying is the likeliest way to equal values.
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

/// The head of one test case and the tail of another, cut at the same relative place. Variables of
/// the lost head become variables of the new head, copies of literals, or new values.
pub(crate) fn crossover(mut builder: SequenceBuilder<'_>, head: &TestCase, tail: &TestCase) -> TestCase {
    let cut = builder.rng.random::<f64>();
    let kept = Completions::of(builder.table, head).next_place((cut * head.len() as f64).ceil() as usize);
    let completions = Completions::of(builder.table, tail);
    let from = completions.previous_place((cut * tail.len() as f64).floor() as usize);
    for statement in &head.statements[..kept] {
        builder.push(statement.kind.clone(), statement.ty.clone());
    }
    let mut map: Vec<Option<VarId>> = vec![None; tail.len()];
    for (index, statement) in tail.statements.iter().enumerate().skip(from) {
        if builder.len() >= builder.config.max_statements && completions.next_place(index) == index {
            break;
        }
        statement.kind.for_each_use(|used| {
            let lost = &tail.statements[used.index()];
            if map[used.index()].is_some() || used.index() >= from {
                return;
            }
            if matches!(lost.kind, StatementKind::Literal(_)) {
                map[used.index()] = Some(builder.push(lost.kind.clone(), lost.ty.clone()));
            } else if builder.rng.random_bool(0.8) {
                map[used.index()] = substitute(&mut builder, lost);
            }
        });
        map[index] = builder.adopt(statement, &map);
    }
    let mut child = builder.finish();
    child.remove_unused_values();
    child
}

/// A variable that fits in place of the one that the statement defined.
fn substitute(builder: &mut SequenceBuilder<'_>, statement: &Statement) -> Option<VarId> {
    if statement.ty == JavaType::Void {
        return None;
    }
    let wanted = builder.table.wanted_of(builder.table.find_erased(&statement.ty)?)?;
    builder.existing(wanted, false)
}

fn change_statement(builder: &mut SequenceBuilder<'_>, statement: &Statement, map: &[Option<VarId>]) -> Option<VarId> {
    match &statement.kind {
        StatementKind::Literal(literal @ (Literal::Null | Literal::Class(_))) => {
            let wanted = builder.table.find_erased(&statement.ty).and_then(|erased| builder.table.wanted_of(erased));
            match wanted {
                // A later statement may call a method of the class literal.
                Some(wanted) => builder.make(wanted, 2, *literal == Literal::Null),
                None => builder.adopt(statement, map),
            }
        }
        StatementKind::Literal(literal) => {
            let skip = builder.rng.random_range(0..64);
            let copied = match builder.rng.random_bool(0.15) {
                true => other_literal(builder.test(), literal, skip),
                false => None,
            };
            let varied = copied.unwrap_or_else(|| builder.pool.vary(literal, builder.rng));
            Some(builder.push(StatementKind::Literal(varied), statement.ty.clone()))
        }
        StatementKind::Array { element, length, elements } => {
            let mut elements: Vec<VarId> = elements.iter().filter_map(|value| map[value.index()]).collect();
            let mut length = *length;
            let wanted = builder.table.find_erased(element).and_then(|erased| builder.table.wanted_of(erased));
            match builder.rng.random_range(0..4) {
                0 if length > 0 => {
                    length -= 1;
                    elements.truncate(length as usize);
                }
                1 if (length as usize) < builder.config.max_array_length => {
                    length += 1;
                    if let Some(value) = wanted.and_then(|wanted| builder.value_of_type(wanted, 2, true)) {
                        elements.push(value);
                    }
                }
                2 if !elements.is_empty() => {
                    let at = builder.rng.random_range(0..elements.len());
                    elements.remove(at);
                }
                _ if !elements.is_empty() => {
                    if let Some(value) = wanted.and_then(|wanted| builder.value_of_type(wanted, 2, true)) {
                        let at = builder.rng.random_range(0..elements.len());
                        elements[at] = value;
                    }
                }
                _ => {}
            }
            elements.truncate(length as usize);
            let kind = StatementKind::Array { element: element.clone(), length, elements };
            Some(builder.push(kind, statement.ty.clone()))
        }
        StatementKind::PutElement { .. } => builder.adopt(statement, map),
        StatementKind::Stub { class, kind: StubKind::Mock, answers } if builder.table.mock_of(class).is_some() => {
            let mock = builder.table.mock_of(class)?;
            Some(change_mock(builder, mock, answers, map))
        }
        StatementKind::Stub { class, kind, answers } => {
            let mut kept = Vec::with_capacity(answers.len());
            for answer in answers {
                let method = &answer.method;
                let wanted = builder.table.find_erased(&method.return_type()).and_then(|erased| builder.table.wanted_of(erased));
                match wanted {
                    Some(wanted) if builder.rng.random_bool(0.5) => {
                        kept.extend(builder.make(wanted, 2, true).map(|value| Answer::returning(method.clone(), value)));
                    }
                    _ => kept.extend(mapped_answer(answer, map)),
                }
            }
            let kind = StatementKind::Stub { class: class.clone(), kind: *kind, answers: kept };
            Some(builder.push(kind, statement.ty.clone()))
        }
        kind => match builder.table.callable_of(kind) {
            Some(callable) => change_call(builder, statement, callable, map),
            None => builder.adopt(statement, map),
        },
    }
}

/// A statement that completes an object, with another value. Null is possible.
fn change_completion(builder: &mut SequenceBuilder<'_>, statement: &Statement, map: &[Option<VarId>]) -> Option<VarId> {
    let table = builder.table;
    let entry = table.callable_of(&statement.kind).map(|callable| (callable, table.callable(callable)));
    let object = statement.kind.uses().first().and_then(|object| map[object.index()]);
    let (Some((callable, entry)), Some(object)) = (entry, object) else { return builder.adopt(statement, map) };
    if table.injected_mock(callable).is_some() || table.ends_construction(callable) {
        return builder.adopt(statement, map);
    }
    let mut args = Vec::with_capacity(entry.params.len());
    for &param in &entry.params {
        args.extend(builder.make(param, 2, true));
    }
    if args.len() < entry.params.len() {
        return builder.adopt(statement, map);
    }
    Some(builder.append_call(callable, Some(object), args))
}

/// A mock with some answers dropped, made anew or added.
fn change_mock(builder: &mut SequenceBuilder<'_>, mock: CallableIx, answers: &[Answer], map: &[Option<VarId>]) -> VarId {
    let model = builder.table;
    let methods: &[MethodRef] = match &model.callable(mock).kind {
        CallableEntryKind::Stub { answers, .. } => answers,
        _ => &[],
    };
    builder.answering += 1;
    let mut changed: Vec<Answer> = Vec::with_capacity(answers.len() + 1);
    for answer in answers {
        let position = methods.iter().position(|method| *method == answer.method);
        match (builder.rng.random_range(0..10), position) {
            (0..2, _) => {}
            (2..5, Some(position)) => changed.extend(builder.answer(mock, position, 0)),
            _ => changed.extend(mapped_answer(answer, map)),
        }
    }
    let open: Vec<usize> =
        (0..methods.len()).filter(|&position| changed.iter().all(|answer| answer.method != methods[position])).collect();
    if !open.is_empty() && builder.rng.random_bool(0.5) {
        let position = open[builder.rng.random_range(0..open.len())];
        changed.extend(builder.answer(mock, position, 0));
    }
    let changed = builder.with_exception(mock, changed, 0);
    builder.answering -= 1;
    builder.push_mock(mock, changed)
}

/// Another argument, another receiver, or another callable with the same result.
fn change_call(
    builder: &mut SequenceBuilder<'_>,
    statement: &Statement,
    callable: CallableIx,
    map: &[Option<VarId>],
) -> Option<VarId> {
    let model = builder.table;
    let description = model.callable(callable);
    let mut uses: Vec<Option<VarId>> = statement.kind.uses().iter().map(|used| map[used.index()]).collect();
    let receivers = usize::from(description.receiver.is_some());
    if uses.len() != receivers + description.params.len()
        || description.result.map(|result| model.java_type(result)) != result_of(statement)
    {
        return builder.adopt(statement, map);
    }
    if builder.rng.random_bool(0.3)
        && let Some(other) = replacement(builder, callable)
    {
        let receiver = match (model.callable(other).receiver, description.receiver) {
            (Some(wanted), Some(_)) => uses[0].filter(|receiver| {
                builder.type_of(*receiver).is_some_and(|from| model.is_assignable(from, model.erasure(wanted)))
            }),
            _ => None,
        };
        return builder.call(other, 1, receiver);
    }
    if !uses.is_empty() {
        let at = builder.rng.random_range(0..uses.len());
        uses[at] = match description.receiver {
            Some(wanted) if at == 0 => builder.existing(wanted, false),
            _ => {
                let wanted = description.params[at - receivers];
                match builder.rng.random_bool(0.5) {
                    true => builder.value_of_type(wanted, 2, true),
                    false => builder.make(wanted, 2, true),
                }
            }
        };
    }
    let receiver = match description.receiver {
        Some(wanted) => Some(match uses[0] {
            Some(receiver) => receiver,
            None => builder.value_of_type(wanted, 2, false)?,
        }),
        None => None,
    };
    let mut args = Vec::with_capacity(description.params.len());
    for (position, &wanted) in description.params.iter().enumerate() {
        args.push(match uses[receivers + position] {
            Some(arg) => arg,
            None => builder.value_of_type(wanted, 2, true)?,
        });
    }
    Some(builder.append_call(callable, receiver, args))
}

fn result_of(statement: &Statement) -> Option<&JavaType> {
    (statement.ty != JavaType::Void).then_some(&statement.ty)
}

/// Another callable with the same result type; for void ones, another modifier of the same
/// receiver.
fn replacement(builder: &mut SequenceBuilder<'_>, callable: CallableIx) -> Option<CallableIx> {
    let model = builder.table;
    let description = model.callable(callable);
    let candidates = match (description.result, description.receiver) {
        (Some(result), _) if matches!(model.kind(model.erasure(result)), ValueKind::Object) => model.generators(result),
        (_, Some(receiver)) => model.modifiers(receiver),
        _ => model.under_test(),
    };
    let other = builder.pick(candidates)?;
    let same = model.callable(other).result.map(|result| model.erasure(result))
        == description.result.map(|result| model.erasure(result));
    (other != callable && same).then_some(other)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::callable_table::{CallableEntry, CallableTableBuilder};
    use super::super::config::SearchConfig;
    use super::super::hard_values::Experience;
    use super::super::literals::LiteralPool;
    use super::*;
    use crate::program::ClassName;
    use crate::testcase::{Flat, check};

    #[test]
    fn a_class_literal_that_is_called_never_becomes_null() {
        let mut builder = CallableTableBuilder::new();
        let [class, field, text] =
            ["Class", "reflect/Field", "String"].map(|name| builder.plain(&JavaType::class(&format!("java/lang/{name}"))));
        let descriptor = "(Ljava/lang/String;)Ljava/lang/reflect/Field;";
        let method = MethodRef::new(ClassName::new("java/lang/Class"), "getDeclaredField", descriptor);
        let kind = CallableEntryKind::Call { method, interface: false };
        let call = builder.callable(CallableEntry { kind, receiver: Some(class), params: vec![text], result: Some(field) });
        builder.under_test(call);
        let table = builder.finish(&Flat);
        let config = SearchConfig { null_probability: 0.5, ..SearchConfig::default() };
        let (pool, weights) = (LiteralPool::new(table.constants()), vec![1.0; table.len()]);
        let test: TestCase = format!(
            "v0: Ljava/lang/Class; = class Ljava/lang/Object;\nv1: Ljava/lang/String; = string \"name\"\n\
             v2: Ljava/lang/reflect/Field; = call method java/lang/Class.getDeclaredField {descriptor} on v0 (v1)\n"
        )
        .parse()
        .expect("a test case");
        for seed in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let builder = SequenceBuilder::new(&table, &pool, &config, Experience::of_weights(&weights), &mut rng);
            let mutant = mutate(builder, &test);
            assert_eq!(check(&mutant, &Flat), Ok(()), "{mutant}");
        }
    }
}
