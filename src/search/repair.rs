//! Repairs tests that an exception ended: values that the ended call depends on are made anew, and
//! thoroughly.
//!
//! Flows in: a test, and the statement that threw. Flows out: the test up to this statement, with
//! other values. Must not know goals.
//!
//! Random objects mostly come from the cheapest constructor, and few of their fields are set. Code
//! that walks from object to object (`event.getLocation().getName()`) then ends at the first null,
//! and no distance to a goal tells these ends apart. A thorough object has no null in it, comes from a
//! constructor with many parameters where there is one, and each of its setters is called.

use rand::RngExt;

use super::callable_table::{CallableIx, ValueKind};
use super::injection::Completions;
use super::sequence::SequenceBuilder;
use crate::testcase::{Statement, StatementKind, StubKind, TestCase, VarId};

/// Chance that one value is made anew. Otherwise each one is, with the same chance.
const ONE_VALUE: f64 = 0.5;

/// The test up to the statement `thrower`, with one or several of the objects behind it made anew.
pub(crate) fn repair(mut builder: SequenceBuilder<'_>, test: &TestCase, thrower: usize) -> TestCase {
    let renewed = renewed_values(&mut builder, test, thrower);
    let mut map: Vec<Option<VarId>> = vec![None; test.len()];
    for (index, statement) in test.statements.iter().enumerate().take(thrower + 1) {
        let other = if renewed.contains(&index) { renew(&mut builder, statement) } else { None };
        map[index] = other.or_else(|| builder.adopt(statement, &map));
    }
    let mut repaired = builder.finish();
    repaired.remove_unused_values();
    repaired
}

/// The statements whose values are made anew.
fn renewed_values(builder: &mut SequenceBuilder<'_>, test: &TestCase, thrower: usize) -> Vec<usize> {
    let completions = Completions::of(builder.table, test);
    let cone = test.definition_cone(VarId(thrower as u32));
    let needed = (0..=thrower).filter(|index| cone[*index] && !completions.contains(*index));
    let objects: Vec<usize> = needed.filter(|index| is_object(builder, &test.statements[*index])).collect();
    if objects.is_empty() {
        return objects;
    }
    if builder.rng.random_bool(ONE_VALUE) {
        return vec![objects[builder.rng.random_range(0..objects.len())]];
    }
    objects.into_iter().filter(|_| builder.rng.random_bool(ONE_VALUE)).collect()
}

fn is_object(builder: &SequenceBuilder<'_>, statement: &Statement) -> bool {
    let erased = builder.table.find_erased(&statement.ty);
    erased.is_some_and(|erased| builder.table.kind(erased) == ValueKind::Object)
}

/// A thorough object in place of the one that the statement makes; `None` where none can be made.
fn renew(builder: &mut SequenceBuilder<'_>, statement: &Statement) -> Option<VarId> {
    let table = builder.table;
    let wanted = table.wanted_of(table.find_erased(&statement.ty)?)?;
    let was_thorough = std::mem::replace(&mut builder.thorough, true);
    let renewed = match &statement.kind {
        StatementKind::Stub { class, kind: StubKind::Mock, .. } => table.mock_of(class).map(|mock| builder.mock(mock, 0)),
        _ => builder.make(wanted, 1, false),
    };
    builder.thorough = was_thorough;
    renewed
}

impl SequenceBuilder<'_> {
    /// Makes all objects from now on thorough, with this chance.
    pub(super) fn thorough_with_chance(mut self, chance: f64) -> Self {
        self.thorough = self.rng.random_bool(chance);
        self
    }

    /// The weight of a generator of thorough objects, before what executions taught.
    pub(super) fn thorough_weight(&self, generator: CallableIx) -> f32 {
        1.0 + self.table.callable(generator).params.len() as f32
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::callable_table::{CallableEntry, CallableEntryKind, CallableTable, CallableTableBuilder};
    use super::super::config::SearchConfig;
    use super::super::hard_values::Experience;
    use super::super::literals::LiteralPool;
    use super::*;
    use crate::program::{ClassName, JavaType, MethodRef};
    use crate::testcase::{Flat, check};

    /// `T.print(Event)`, where an event is made empty or at a place, and a place has a setter.
    fn table() -> CallableTable {
        let method = |class: &str, name: &str, descriptor: &str| MethodRef::new(ClassName::new(class), name, descriptor);
        let mut builder = CallableTableBuilder::new();
        let [event, place] = ["Event", "Place"].map(|name| builder.plain(&JavaType::class(name)));
        let number = builder.plain(&JavaType::INT);
        let entry = |kind, receiver, params, result| CallableEntry { kind, receiver, params, result };
        let construct = |class: &str, descriptor: &str| CallableEntryKind::Construct(method(class, "<init>", descriptor));
        let empty = builder.callable(entry(construct("Event", "()V"), None, Vec::new(), Some(event)));
        let full = builder.callable(entry(construct("Event", "(LPlace;)V"), None, vec![place], Some(event)));
        let make_place = builder.callable(entry(construct("Place", "()V"), None, Vec::new(), Some(place)));
        builder.generator(event, empty);
        builder.generator(event, full);
        builder.generator(place, make_place);
        let set = CallableEntryKind::Call { method: method("Place", "setCode", "(I)V"), interface: false };
        let set = builder.callable(entry(set, Some(place), vec![number], None));
        builder.modifier(place, set);
        let print = CallableEntryKind::Call { method: method("T", "print", "(LEvent;)V"), interface: false };
        let print = builder.callable(entry(print, None, vec![event], None));
        builder.under_test(print);
        builder.finish(&Flat)
    }

    #[test]
    fn an_object_behind_the_end_is_made_with_all_its_state() {
        let table = table();
        let (pool, config, weights) = (LiteralPool::new(table.constants()), SearchConfig::default(), vec![1.0; table.len()]);
        for stopped in ["v0: LEvent; = null\n", "v0: LEvent; = new Event.<init> ()V ()\n"] {
            let lines = format!("{stopped}v1: V = call method T.print (LEvent;)V (v0)\nv2: I = int 7\n");
            let test: TestCase = lines.parse().expect("a test case");
            let mut whole = 0;
            for seed in 0..100 {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let builder = SequenceBuilder::new(&table, &pool, &config, Experience::of_weights(&weights), &mut rng);
                let repaired = repair(builder, &test, 1);
                assert_eq!(check(&repaired, &Flat), Ok(()), "{repaired}");
                let text = repaired.to_string();
                assert!(text.lines().last().is_some_and(|last| last.contains("T.print")), "{text}");
                whole += u32::from(text.contains("Event.<init> (LPlace;)V") && text.contains("Place.setCode"));
            }
            assert!(whole > 15, "{whole} of 100 from {stopped}");
        }
    }

    #[test]
    fn a_call_without_objects_stays_as_it_is() {
        let table = table();
        let (pool, config, weights) = (LiteralPool::new(table.constants()), SearchConfig::default(), vec![1.0; table.len()]);
        let test: TestCase = "v0: I = int 1\nv1: V = call method T.m (I)V (v0)\n".parse().expect("a test case");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let builder = SequenceBuilder::new(&table, &pool, &config, Experience::of_weights(&weights), &mut rng);
        assert_eq!(repair(builder, &test, 1), test);
    }
}
