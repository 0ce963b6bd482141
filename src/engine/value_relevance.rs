//! Which values of a test decide what happens in it, and which ways the code under test goes.
//!
//! In: chosen tests, a search worker, the branches of the classes under test. Out: the relevance of
//! their values, the ways that jumps went in the call under test. Must not know names.
//!
//! Each literal and each constant of an enum in turn gives way to another value, each array that is null or empty to
//! one with a cell, and each answer of a mock to the default.
//! Where the code under test then takes other branches or ends in another way, the value is decisive.
//! Where all that the test asserts still holds, it is incidental. A value that only changes results
//! is neither: that is true of most operands of a computation.

use std::collections::{BTreeMap, BTreeSet};

use tracewright_trace::{BranchSlot, LineSlot};

use super::context::Context;
use super::mutation::mutant_outcome;
use super::observation::execute;
use super::typical_values::typical_values;
use crate::execution::{Execution, RunEnd};
use crate::jvm::{JvmError, SearchWorker};
use crate::oracle::{AssertedTest, MutantOutcome, ValueRelevance};
use crate::program::{BranchOutcome, ClassName, FieldRef, JavaType, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Trials of one test at most.
const MOST_TRIALS: usize = 24;

/// A test with one value exchanged.
struct ValueTrial {
    /// Place of the test among all.
    place: usize,
    /// The values that the trial is about.
    values: Vec<VarId>,
    test: AssertedTest,
}

/// Finds the relevance of the values of the tests, and the ways that jumps went, as far as the deadline
/// of the worker allows. `branches`: those of the classes under test.
///
/// Fails where the worker cannot be kept running.
pub(super) fn find_value_relevance(
    context: &Context<'_>,
    worker: &mut SearchWorker,
    branches: &BTreeMap<BranchSlot, BranchOutcome>,
    tests: &mut [&mut AssertedTest],
) -> Result<(), JvmError> {
    let plain: Vec<TestCase> = tests.iter().map(|test| test.test.clone()).collect();
    let executions = execute(worker, &plain, false)?;
    let parts: Vec<TestCase> = tests.iter().flat_map(|test| around_call(test)).collect();
    for (test, parts) in tests.iter_mut().zip(execute(worker, &parts, false)?.chunks(2)) {
        let target = test.target.as_ref().and_then(|target| context.program.resolve(target));
        test.ways = match parts.iter().map(|part| Some(CodePath::of(part)?.ways(branches))).collect::<Option<Vec<_>>>().as_deref()
        {
            Some([before, with_call]) => ways_of_call(before, with_call, target.as_ref().map(|target| target.reference())),
            _ => BTreeSet::new(),
        };
    }
    let trials: Vec<ValueTrial> = tests.iter().enumerate().flat_map(|(place, test)| trials(context, place, test)).collect();
    let cases: Vec<TestCase> = trials.iter().map(|trial| trial.test.test.clone()).collect();
    let tried = execute(worker, &cases, true)?;
    tests.iter_mut().for_each(|test| test.relevance.clear());
    for (trial, execution) in trials.iter().zip(&tried) {
        let (Some(before), Some(now)) = (CodePath::of(&executions[trial.place]), CodePath::of(execution)) else { continue };
        let found = if before != now {
            ValueRelevance::Decisive
        } else if mutant_outcome(context, &trial.test, execution) == MutantOutcome::Survived {
            ValueRelevance::Incidental
        } else {
            continue;
        };
        let relevance = &mut tests[trial.place].relevance;
        for value in &trial.values {
            // A value of several answers is decisive where one of them is.
            if relevance.get(value) != Some(&ValueRelevance::Decisive) {
                relevance.insert(*value, found);
            }
        }
    }
    Ok(())
}

/// What the code under test did in an execution.
#[derive(PartialEq)]
struct CodePath<'e> {
    branches: BTreeSet<BranchSlot>,
    lines: &'e [LineSlot],
    /// Where it ended early, the statement and the class of the exception.
    thrown: Option<(u32, &'e ClassName)>,
}

impl CodePath<'_> {
    /// `None` where the execution says nothing about the test.
    fn of(execution: &Execution) -> Option<CodePath<'_>> {
        let thrown = match &execution.end {
            RunEnd::Completed => None,
            RunEnd::Threw { statement, thrown } => Some((*statement, &thrown.class)),
            _ => return None,
        };
        let taken = execution.branches.iter().filter(|(_, distance)| *distance == 0.0);
        Some(CodePath { branches: taken.map(|(slot, _)| *slot).collect(), lines: &execution.lines, thrown })
    }

    /// The ways that jumps went.
    fn ways(&self, branches: &BTreeMap<BranchSlot, BranchOutcome>) -> BTreeSet<BranchOutcome> {
        self.branches.iter().filter_map(|slot| branches.get(slot)).cloned().collect()
    }
}

/// The statements of the test in front of the call under test, and those with it.
fn around_call(test: &AssertedTest) -> [TestCase; 2] {
    let is_target = |kind: &StatementKind| match (kind, &test.target) {
        (StatementKind::Construct { constructor, .. }, Some(target)) => constructor == target,
        (StatementKind::Call { method, .. }, Some(target)) => {
            (&method.name, &method.descriptor) == (&target.name, &target.descriptor)
        }
        _ => false,
    };
    let acted = test.acted as usize;
    let call = test.test.statements[..acted].iter().rposition(|statement| is_target(&statement.kind));
    // A request calls the method by itself.
    let call = call.unwrap_or_else(|| acted.saturating_sub(1));
    let until = |end: usize| {
        let mut part = test.test.clone();
        part.statements.truncate(end);
        part
    };
    [until(call), until(call + 1)]
}

/// The ways that jumps went in the call under test, as far as two runs tell: those that the run without it does
/// not have. Where the test calls the method before as well, the two calls share the others of its ways.
fn ways_of_call(
    before: &BTreeSet<BranchOutcome>,
    with_call: &BTreeSet<BranchOutcome>,
    target: Option<&MethodRef>,
) -> BTreeSet<BranchOutcome> {
    let new: Vec<&BranchOutcome> = with_call.difference(before).collect();
    let is_shared = |way: &BranchOutcome| target == Some(&way.method) && !new.iter().any(|other| other.same_instruction(way));
    with_call.iter().filter(|way| !before.contains(way) || is_shared(way)).cloned().collect()
}

/// The trials of a test: none where its own statements put state back, which depends on its values.
fn trials(context: &Context<'_>, place: usize, test: &AssertedTest) -> Vec<ValueTrial> {
    if test.undoing > 0 {
        return Vec::new();
    }
    let typical = typical_values(&context.program, &test.test, test.acted, &BTreeSet::new());
    let mut found: Vec<ValueTrial> = exchanged_literals(test, &typical)
        .into_iter()
        .map(|(value, test)| ValueTrial { place, values: vec![value], test })
        .collect();
    found.extend(exchanged_arrays(test).into_iter().map(|(value, test)| ValueTrial { place, values: vec![value], test }));
    found.extend(dropped_answers(test).into_iter().map(|(values, test)| ValueTrial { place, values, test }));
    let constants = exchanged_constants(test, |class| enum_constants(&context.program, class));
    found.extend(constants.into_iter().map(|(value, test)| ValueTrial { place, values: vec![value], test }));
    found.truncate(MOST_TRIALS);
    found
}

/// The test with another value in place of each of its literals.
fn exchanged_literals(test: &AssertedTest, typical: &BTreeMap<VarId, Vec<Literal>>) -> Vec<(VarId, AssertedTest)> {
    let mut found = Vec::new();
    for variable in (0..test.acted).map(VarId) {
        let Some(literal) = test.test.literal(variable).filter(|_| !test.test.is_fixed_in_request(variable)) else { continue };
        let typical = typical.get(&variable).and_then(|typical| typical.iter().find(|typical| *typical != literal));
        let other = typical.cloned().or_else(|| another_value(literal));
        let mut exchanged = test.clone();
        if other.is_some_and(|other| exchanged.test.replace_literal(variable, other)) {
            found.push((variable, exchanged));
        }
    }
    found
}

/// The test with an array of one cell in place of each array that is null or empty: what a name would mention.
fn exchanged_arrays(test: &AssertedTest) -> Vec<(VarId, AssertedTest)> {
    let mut found = Vec::new();
    for variable in (0..test.acted).map(VarId) {
        let statement = test.test.statement(variable);
        let element = match (&statement.kind, &statement.ty) {
            (StatementKind::Literal(Literal::Null) | StatementKind::Array { length: 0, .. }, JavaType::Array(element)) => element,
            _ => continue,
        };
        let kind = StatementKind::Array { element: (**element).clone(), length: 1, elements: Vec::new() };
        let mut exchanged = test.clone();
        exchanged.test.statements[variable.index()].kind = kind;
        found.push((variable, exchanged));
    }
    found
}

/// The constants of an enum, in order; none for other classes.
fn enum_constants(program: &Program, class: &ClassName) -> Vec<FieldRef> {
    let model = program.class(class);
    model.iter().flat_map(|model| model.enum_constants()).map(|constant| constant.reference.clone()).collect()
}

/// The test with the first and with the last other constant in place of each constant of an enum.
fn exchanged_constants(test: &AssertedTest, constants_of: impl Fn(&ClassName) -> Vec<FieldRef>) -> Vec<(VarId, AssertedTest)> {
    let mut found = Vec::new();
    for variable in (0..test.acted).map(VarId) {
        let StatementKind::GetField { field, receiver: None } = &test.test.statement(variable).kind else { continue };
        let constants = constants_of(&field.owner);
        if !constants.contains(field) {
            continue;
        }
        let mut others: Vec<FieldRef> = constants.into_iter().filter(|constant| constant != field).collect();
        if others.len() > 2 {
            others.drain(1..others.len() - 1);
        }
        for other in others {
            let mut exchanged = test.clone();
            exchanged.test.statements[variable.index()].kind = StatementKind::GetField { field: other, receiver: None };
            found.push((variable, exchanged));
        }
    }
    found
}

/// A value of the type that is no boundary; `None` where there is no obvious one.
fn another_value(literal: &Literal) -> Option<Literal> {
    let text = |word: &str| Literal::Str(word.encode_utf16().collect());
    let first = match literal {
        Literal::Boolean(value) => return Some(Literal::Boolean(!value)),
        Literal::Null | Literal::Class(_) => return None,
        Literal::Str(_) => [text("other"), text("another")],
        Literal::Char(_) => [b'q', b'r'].map(|letter| Literal::Char(u16::from(letter))),
        Literal::Byte(_) => [7, 8].map(Literal::Byte),
        Literal::Short(_) => [7, 8].map(Literal::Short),
        Literal::Int(_) => [7, 8].map(Literal::Int),
        Literal::Long(_) => [7, 8].map(Literal::Long),
        Literal::Float(_) => [3.5_f32, 4.5].map(|value| Literal::Float(value.to_bits())),
        Literal::Double(_) => [3.5_f64, 4.5].map(|value| Literal::Double(value.to_bits())),
    };
    first.into_iter().find(|other| other != literal)
}

/// The test without each of the answers of its mocks, and the values that these give.
fn dropped_answers(test: &AssertedTest) -> Vec<(Vec<VarId>, AssertedTest)> {
    let mut found = Vec::new();
    for index in 0..test.acted as usize {
        let StatementKind::Stub { answers, .. } = &test.test.statements[index].kind else { continue };
        for (position, answer) in answers.iter().enumerate() {
            // Literals are exchanged.
            let given = answer.outcomes.iter().map(|outcome| outcome.variable());
            let values: Vec<VarId> = given.filter(|value| test.test.literal(*value).is_none()).collect();
            if values.is_empty() {
                continue;
            }
            let mut without = test.clone();
            if let StatementKind::Stub { answers, .. } = &mut without.test.statements[index].kind {
                answers.remove(position);
            }
            found.push((values, without));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_literal_and_each_answer_is_tried() {
        let text = "\
v0: I = int 0
v1: Ljava/lang/String; = string \"other\"
v2: Lp/Item; = new p/Item.<init> ()V ()
v3: Lp/Items; = mock p/Items (p/Items.first ()Lp/Item; v2)
v4: Lp/Foo; = new p/Foo.<init> (Lp/Items;)V (v3)
v5: I = call method p/Foo.next (ILjava/lang/String;)I on v4 (v0, v1)
assert v5 equals int 4
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let literals = exchanged_literals(&test, &BTreeMap::from([(VarId(0), vec![Literal::Int(2)])]));
        let values: Vec<(VarId, Option<&Literal>)> =
            literals.iter().map(|(value, test)| (*value, test.test.literal(*value))).collect();
        let another = Literal::Str("another".encode_utf16().collect());
        assert_eq!(values, [(VarId(0), Some(&Literal::Int(2))), (VarId(1), Some(&another))]);
        let dropped = dropped_answers(&test);
        let [(given, without)] = dropped.as_slice() else { panic!("{dropped:?}") };
        assert_eq!(given, &[VarId(2)]);
        assert!(without.to_string().contains("v3: Lp/Items; = mock p/Items ()"), "{without}");
    }

    #[test]
    fn ways_are_those_of_the_call_under_test() {
        let method = |name: &str| MethodRef::new(ClassName::new("p/Foo"), name, "(I)I");
        let ways = |name: &str, ways: &[(u32, u32)]| -> BTreeSet<BranchOutcome> {
            ways.iter().map(|&(bci, outcome)| BranchOutcome { method: method(name), bci, outcome }).collect()
        };
        let found = |before: &[(u32, u32)], with_call: &[(u32, u32)], name: &str| {
            ways_of_call(&ways(name, before), &ways(name, with_call), Some(&method("next")))
        };
        // An earlier call of the method went otherwise at 4; at 9, both went the same way.
        assert_eq!(found(&[(4, 0), (9, 1)], &[(4, 0), (4, 1), (9, 1)], "next"), ways("next", &[(4, 1), (9, 1)]));
        assert_eq!(found(&[(4, 0), (9, 1)], &[(4, 0), (4, 1), (9, 1)], "made"), ways("made", &[(4, 1)]));
        assert_eq!(found(&[], &[(4, 0), (4, 1)], "next"), ways("next", &[(4, 0), (4, 1)]));
    }

    #[test]
    fn the_call_under_test_is_the_last_one_of_its_method() {
        let text = "\
target p/Foo.next (I)I
acted 3
v0: I = int 3
v1: I = call method p/Foo.next (I)I (v0)
v2: I = call method p/Foo.size ()I ()
v3: I = call method p/Foo.next (I)I (v2)
";
        let lengths = |text: &str| around_call(&text.parse().expect("well-formed")).map(|part| part.len());
        assert_eq!(lengths(text), [1, 2]);
        // The controller's method, which a request calls.
        assert_eq!(lengths(&text.replace("target p/Foo.next", "target p/Foo.list")), [2, 3]);
    }

    #[test]
    fn an_array_that_is_null_or_empty_gives_way_to_one_with_a_cell() {
        let text = "v0: [B = null\nv1: [I = array I 0 ()\nv2: [I = array I 2 ()\n\
                    v3: V = call method p/Foo.fill ([B[I[I)V (v0, v1, v2)\n";
        let found = exchanged_arrays(&text.parse().expect("well-formed"));
        let has_cell = |kind: &StatementKind| matches!(kind, StatementKind::Array { length: 1, .. });
        let found = found.iter().map(|(value, test)| (value.0, has_cell(&test.test.statement(*value).kind)));
        assert_eq!(found.collect::<Vec<_>>(), [(0, true), (1, true)]);
    }

    #[test]
    fn a_constant_gives_way_to_the_first_and_the_last_other_one() {
        let others = |constant: &str| {
            let test: AssertedTest = format!("v0: Lp/Size; = get p/Size.{constant} Lp/Size;\n").parse().expect("well-formed");
            let constants = |class: &ClassName| ["S", "M", "L", "XL"].map(|name| FieldRef::new(class.clone(), name, "Lp/Size;"));
            let found = exchanged_constants(&test, |class| constants(class).to_vec());
            found.iter().map(|(_, test)| test.to_string()).collect::<Vec<String>>()
        };
        let get = |constant: &str| format!("v0: Lp/Size; = get p/Size.{constant} Lp/Size;\n");
        assert_eq!(others("M"), [get("S"), get("XL")]);
        assert_eq!(others("S"), [get("M"), get("XL")]);
        assert!(others("DEFAULT").is_empty(), "another field of the class");
    }
}
