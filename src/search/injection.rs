//! New objects as a container would hand them out: each construction is followed by the calls and
//! field writes that give the object its collaborators and settings.
//!
//! In: the callable table, test cases. Out: completed objects, and the statements of a test case
//! that belong together. Operators neither separate nor drop such statements, so that no test
//! starts with an object whose fields are null. Must not know annotations.

use rand::RngExt;

use super::callable_table::{CallableEntryKind, CallableIx, CallableTable};
use super::sequence::SequenceBuilder;
use crate::execution::{Execution, RunEnd};
use crate::program::{JavaType, MethodRef};
use crate::testcase::{Literal, Statement, StatementKind, StubKind, TestCase, VarId};

/// Objects within objects that are completed; deeper ones stay as their constructors left them,
/// since two classes may be injected into each other.
const MAX_NESTING: u32 = 2;
/// Chance that a new object gets the calls of setters and those that end its construction. They may
/// need more than the test has, and then every test that makes them ends there.
const CALLED: f64 = 0.75;

impl SequenceBuilder<'_> {
    /// Appends what completes a new object of the constructor.
    pub(super) fn complete(&mut self, object: VarId, constructor: &MethodRef, depth: u32) {
        let table = self.table;
        let injections = table.injections(constructor);
        if injections.is_empty() || self.nesting >= MAX_NESTING {
            return;
        }
        self.nesting += 1;
        let has_calls = self.rng.random_bool(CALLED);
        for &injection in injections {
            if !has_calls && matches!(table.callable(injection).kind, CallableEntryKind::Call { .. }) {
                continue;
            }
            if let Some(mock) = table.injected_mock(injection) {
                let mock = self.mock(mock, depth + 1);
                self.append_call(injection, Some(object), vec![mock]);
                continue;
            }
            let mut args = Vec::new();
            for &param in &table.callable(injection).params {
                args.extend(self.value_of_type(param, depth + 1, false));
            }
            // A field whose value cannot be made stays null.
            if args.len() == table.callable(injection).params.len() {
                self.append_call(injection, Some(object), args);
            }
        }
        self.nesting -= 1;
    }

    /// The object that the test case has already, where the statement constructs one that Mockito
    /// fills. It fills one object a test.
    pub(super) fn object_of_mocks(&self, kind: &StatementKind) -> Option<VarId> {
        let StatementKind::Construct { constructor, .. } = kind else { return None };
        let mut injections = self.table.injections(constructor).iter();
        if !injections.any(|injection| self.table.injected_mock(*injection).is_some()) {
            return None;
        }
        let makes = |statement: &Statement| match &statement.kind {
            StatementKind::Construct { constructor: made, .. } => made.owner == constructor.owner,
            _ => false,
        };
        self.test().statements.iter().position(makes).map(|index| VarId(index as u32))
    }

    /// Appends the statement in the form in which Mockito injects mocks: an object whose fields
    /// Mockito fills is made once, and each field write gets a mock of its own. `None` where Mockito
    /// cannot do what the statement does.
    pub(super) fn push_as_mockito_would(&mut self, kind: StatementKind, ty: &JavaType) -> Option<VarId> {
        if let Some(object) = self.object_of_mocks(&kind) {
            return Some(object);
        }
        let kind = self.with_own_mock(kind)?;
        Some(self.push(kind, ty.clone()))
    }

    /// Appends a field write with a new mock; nothing where the field is written already.
    pub(super) fn fill_with_mock(&mut self, write: CallableIx, mock: CallableIx, object: VarId) -> Option<VarId> {
        let mock = self.mock(mock, 1);
        let kind = self.table.callable(write).statement(Some(object), vec![mock])?;
        self.push_as_mockito_would(kind, &JavaType::Void)
    }

    /// What Mockito can write in place of this field write: a mock that no other field has, and
    /// nothing into a field that has one. Other statements stay as they are.
    fn with_own_mock(&mut self, kind: StatementKind) -> Option<StatementKind> {
        let table = self.table;
        let mock = table.callable_of(&kind).and_then(|callable| table.injected_mock(callable));
        let (StatementKind::PutField { field, receiver, value }, Some(mock)) = (&kind, mock) else { return Some(kind) };
        let is_written = |statement: &Statement| matches!(&statement.kind, StatementKind::PutField { field: written, receiver: on, .. } if written == field && on == receiver);
        if self.test().statements.iter().any(is_written) {
            return None;
        }
        let is_of_other =
            |statement: &Statement| matches!(&statement.kind, StatementKind::PutField { value: given, .. } if given == value);
        let is_mock = matches!(self.test().statement(*value).kind, StatementKind::Stub { kind: StubKind::Mock, .. });
        let is_own = is_mock && !self.test().statements.iter().any(is_of_other);
        let value = if is_own { *value } else { self.mock(mock, 1) };
        Some(StatementKind::PutField { field: field.clone(), receiver: *receiver, value })
    }
}

/// The statements that complete the objects of a test case.
pub(super) struct Completions {
    /// Statement numbers of a construction and of the last statement that completes its object.
    spans: Vec<(usize, usize)>,
    /// By statement: whether it completes an object.
    completing: Vec<bool>,
}

impl Completions {
    /// Finds them. Only the first of several writes of one field counts.
    pub(super) fn of(table: &CallableTable, test: &TestCase) -> Completions {
        let mut completions = Completions { spans: Vec::new(), completing: vec![false; test.len()] };
        for (start, statement) in test.statements.iter().enumerate() {
            if let StatementKind::Construct { constructor, .. } = &statement.kind {
                completions.add(table, test, start, table.injections(constructor));
            }
        }
        completions
    }

    fn add(&mut self, table: &CallableTable, test: &TestCase, start: usize, injections: &[CallableIx]) {
        let mut open = injections.to_vec();
        let object = VarId(start as u32);
        let mut end = start;
        for (index, statement) in test.statements.iter().enumerate().skip(start + 1) {
            if open.is_empty() {
                break;
            }
            if !statement.kind.uses().contains(&object) {
                continue;
            }
            // The first other use of the object ends its completion.
            let Some(found) = open.iter().position(|injection| completes(table, *injection, &statement.kind, object)) else {
                break;
            };
            open.remove(found);
            self.completing[index] = true;
            end = index;
        }
        if end > start {
            self.spans.push((start, end));
        }
    }

    /// Whether the statement completes an object.
    pub(super) fn contains(&self, statement: usize) -> bool {
        self.completing[statement]
    }

    /// The place itself, or the next one at which no object is incomplete. A place is the number of
    /// the statement behind it.
    pub(super) fn next_place(&self, place: usize) -> usize {
        // Spans are nested or apart, and sorted by their starts.
        self.spans.iter().fold(place, |place, &(start, end)| if start < place && place <= end { end + 1 } else { place })
    }

    /// The place itself, or the last one before it at which no object is incomplete.
    pub(super) fn previous_place(&self, place: usize) -> usize {
        let around = self.spans.iter().find(|&&(start, end)| start < place && place <= end);
        around.map_or(place, |&(start, _)| start)
    }
}

/// Whether the test ends with a `NullPointerException` while an object has none of what a container
/// would give it: it shows no behaviour of the class. A null counts as nothing.
pub(super) fn only_lacks_injection(table: &CallableTable, test: &TestCase, execution: &Execution) -> bool {
    let RunEnd::Threw { thrown, .. } = &execution.end else { return false };
    if thrown.class.internal() != "java/lang/NullPointerException" {
        return false;
    }
    let is_null = |value: &VarId| matches!(test.statement(*value).kind, StatementKind::Literal(Literal::Null));
    test.statements.iter().enumerate().any(|(index, statement)| {
        let StatementKind::Construct { constructor, .. } = &statement.kind else { return false };
        let object = VarId(index as u32);
        let is_given = |injection: CallableIx| {
            let entry = table.callable(injection);
            // Where no value can be built, the test may inject a mock.
            let is_possible = |param| table.cost(param).is_some() || table.injected_mock(injection).is_some();
            let is_optional = table.ends_construction(injection) || !entry.params.iter().all(|param| is_possible(*param));
            let gives = |kind: &StatementKind| completes(table, injection, kind, object) && !kind.uses().iter().any(is_null);
            is_optional || test.statements.iter().any(|statement| gives(&statement.kind))
        };
        !table.injections(constructor).iter().all(|injection| is_given(*injection))
    })
}

fn completes(table: &CallableTable, injection: CallableIx, kind: &StatementKind, object: VarId) -> bool {
    match (&table.callable(injection).kind, kind) {
        (CallableEntryKind::PutField(injected), StatementKind::PutField { field, receiver, .. }) => {
            *receiver == Some(object) && field == injected
        }
        (CallableEntryKind::Call { method: injected, .. }, StatementKind::Call { method, receiver, .. }) => {
            *receiver == Some(object) && method == injected
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::SearchConfig;
    use super::super::callable_table::{CallableEntry, CallableTableBuilder, TypeId};
    use super::super::hard_values::Experience;
    use super::super::literals::LiteralPool;
    use super::*;
    use crate::execution::Thrown;
    use crate::program::{ClassName, FieldRef};
    use crate::testcase::Flat;

    /// Objects of `A` get a value for the field `repo`.
    fn table() -> CallableTable {
        let mut builder = CallableTableBuilder::new();
        let (object, value) = (builder.plain(&JavaType::class("A")), builder.plain(&JavaType::class("R")));
        let write = builder.callable(CallableEntry {
            kind: CallableEntryKind::PutField(FieldRef::new(ClassName::new("A"), "repo", "LR;")),
            receiver: Some(object),
            params: vec![value],
            result: None,
        });
        let make = MethodRef::new(ClassName::new("R"), "<init>", "()V");
        let kind = CallableEntryKind::Construct(make);
        let make = builder.callable(CallableEntry { kind, receiver: None, params: Vec::new(), result: Some(value) });
        builder.generator(value, make);
        builder.injections(&MethodRef::new(ClassName::new("A"), "<init>", "()V"), vec![write]);
        builder.finish(&Flat)
    }

    #[test]
    fn no_place_separates_an_object_from_what_completes_it() {
        let text = "v0: LA; = new A.<init> ()V ()\nv1: LR; = mock R ()\nv2: V = put A.repo LR; on v0 value v1\n\
                    v3: V = call method A.run ()V on v0 ()\nv4: V = put A.repo LR; on v0 value v1\n";
        let completions = Completions::of(&table(), &text.parse().expect("well-formed"));
        let places = |place| (completions.previous_place(place), completions.next_place(place));
        assert_eq!([0, 1, 2, 3, 4].map(places), [(0, 0), (0, 3), (0, 3), (3, 3), (4, 4)]);
        let completing: Vec<usize> = (0..5).filter(|statement| completions.contains(*statement)).collect();
        assert_eq!(completing, [2], "a later write of the field is the test's own");
    }

    #[test]
    fn a_forgotten_or_null_field_shows_nothing() {
        let thrown = |class: &str| {
            let class = ClassName::new(class);
            let thrown = Thrown { class, message: None, in_project: true, frames: Vec::new() };
            Execution::without_measurements(RunEnd::Threw { statement: 0, thrown })
        };
        let null_pointer = thrown("java/lang/NullPointerException");
        let lacks =
            |text: &str, execution: &Execution| only_lacks_injection(&table(), &text.parse().expect("well-formed"), execution);
        let bare = "v0: LA; = new A.<init> ()V ()\n";
        let filled = |value: &str| format!("{bare}v1: LR; = {value}\nv2: V = put A.repo LR; on v0 value v1\n");
        assert!(lacks(bare, &null_pointer) && lacks(&filled("null"), &null_pointer));
        assert!(!lacks(&filled("mock R ()"), &null_pointer));
        assert!(!lacks(bare, &thrown("java/lang/IllegalStateException")));
    }

    #[test]
    fn an_object_that_is_used_first_is_not_completed_later() {
        let text = "v0: LA; = new A.<init> ()V ()\nv1: V = call method A.run ()V on v0 ()\nv2: LR; = mock R ()\n\
                    v3: V = put A.repo LR; on v0 value v2\n";
        let completions = Completions::of(&table(), &text.parse().expect("well-formed"));
        assert!((0..4).all(|statement| !completions.contains(statement)));
        assert_eq!(completions.next_place(2), 2);
    }

    /// Mockito fills two fields of `A` with mocks of `R`.
    fn filled_by_mockito() -> CallableTable {
        let mut builder = CallableTableBuilder::new();
        let (object, value) = (builder.plain(&JavaType::class("A")), builder.plain(&JavaType::class("R")));
        let mut add =
            |kind, receiver, params: Vec<TypeId>, result| builder.callable(CallableEntry { kind, receiver, params, result });
        let stub = CallableEntryKind::Stub {
            class: ClassName::new("R"),
            kind: StubKind::Mock,
            answers: Vec::new(),
            exceptions: Vec::new(),
        };
        let mock = add(stub, None, Vec::new(), Some(value));
        let constructor = MethodRef::new(ClassName::new("A"), "<init>", "()V");
        add(CallableEntryKind::Construct(constructor.clone()), None, Vec::new(), Some(object));
        let writes = ["first", "second"].map(|name| {
            let field = FieldRef::new(ClassName::new("A"), name, "LR;");
            add(CallableEntryKind::PutField(field), Some(object), vec![value], None)
        });
        writes.iter().for_each(|write| builder.injected_mock(*write, mock));
        builder.injections(&constructor, writes.to_vec());
        builder.finish(&Flat)
    }

    #[test]
    fn mockito_fills_one_object_and_each_field_with_its_own_mock() {
        let table = filled_by_mockito();
        let text = "v0: LA; = new A.<init> ()V ()\nv1: LR; = mock R ()\nv2: V = put A.first LR; on v0 value v1\n\
                    v3: V = put A.second LR; on v0 value v1\nv4: LA; = new A.<init> ()V ()\n\
                    v5: V = put A.first LR; on v4 value v1\n";
        let test: TestCase = text.parse().expect("well-formed");
        let (pool, config, weights) = (LiteralPool::new(&[]), SearchConfig::default(), vec![1.0; table.len()]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut builder = SequenceBuilder::new(&table, &pool, &config, Experience::of_weights(&weights), &mut rng);
        let mut map = vec![None; test.len()];
        for (index, statement) in test.statements.iter().enumerate() {
            map[index] = builder.adopt(statement, &map);
        }
        let expected = "v0: LA; = new A.<init> ()V ()\nv1: LR; = mock R ()\nv2: V = put A.first LR; on v0 value v1\n\
                        v3: LR; = mock R ()\nv4: V = put A.second LR; on v0 value v3\n";
        assert_eq!(builder.finish().to_string(), expected);
    }
}
