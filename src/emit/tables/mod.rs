//! Tables of tests: tests of one shape become one parameterized test.
//!
//! Flows in: asserted tests with their planned bodies. Flows out: tables, each with its columns,
//! its rows and the body that they share. Must not know names of methods, nor whether a table
//! compiles: the engine runs the file and takes single tests where it does not.
//!
//! Two tests have one shape when their bodies differ in values alone and when they call the same
//! members. javac then resolves each call as before, because a column has the static type of its
//! values. A value that is the same in all tests stays in the body. Values that are equal to each
//! other in every test share a column.

mod rows;

use std::collections::{BTreeMap, BTreeSet};

use crate::conventions::FileLayout;
use crate::execution::Snapshot;
use crate::oracle::{AssertedTest, Fact};
use crate::program::{JavaType, MethodRef, Program};
use crate::testcase::Literal;

use super::body::{Body, BodyPlan, Cell, CellRole, CellValue, Shape, free_name, type_role};
use super::names::{camel, capitalised};
use super::test_name::TellingWays;

use rows::fits_annotation;
pub(super) use rows::{ARGUMENTS, RowSource, filled_at, separated_cell};

/// Fewer tests stay single: where an annotation has the rows, and where they need a method.
const LEAST_ROWS: usize = 2;
const LEAST_ROWS_OF_METHOD: usize = 3;
/// So few values that differ say by themselves what a row is about.
const FEW_COLUMNS: usize = 2;
/// A table with more columns is harder to read than its tests.
const MOST_COLUMNS: usize = 8;

/// Tests of one shape.
#[derive(Debug)]
pub(super) struct Table {
    /// The indices of the tests, in the order of the rows.
    pub(super) rows: Vec<usize>,
    /// In the order of the parameters.
    pub(super) columns: Vec<Column>,
    pub(super) body: Body,
}

/// One parameter with its values.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) ty: JavaType,
    role: CellRole,
    /// Whether results have these values, maybe besides what is given to the code under test.
    is_expected: bool,
    /// One for each row.
    cells: Vec<Cell>,
}

impl Column {
    /// Whether the values are given to the code under test.
    pub(super) fn is_input(&self) -> bool {
        matches!(self.role, CellRole::Input(_))
    }

    /// Whether the values are results.
    pub(super) fn is_expected(&self) -> bool {
        self.is_expected
    }
}

/// A test that may be a row.
struct ShapedTest {
    index: usize,
    shape: Shape,
}

/// Finds the tables among the tests, which have these ways. `planned`: the tests in the order of the file, by
/// index. `single`: tests that must not become rows.
pub(super) fn find_tables(
    program: &Program,
    (tests, ways): (&[AssertedTest], &[TellingWays]),
    planned: &[(usize, BodyPlan)],
    layout: &FileLayout,
    single: &BTreeSet<usize>,
) -> Vec<Table> {
    let mut groups: BTreeMap<(MethodRef, Vec<MethodRef>, String), Vec<ShapedTest>> = BTreeMap::new();
    for (index, plan) in planned.iter().filter(|(index, _)| !single.contains(index)) {
        let test = &tests[*index];
        let Some(target) = test.target.as_ref().filter(|_| may_be_row(test, plan)) else { continue };
        let shape = Shape::of(program, plan);
        let key = (target.clone(), called_members(test), shape.text().to_owned());
        groups.entry(key).or_default().push(ShapedTest { index: *index, shape });
    }
    let groups = groups.into_values().flat_map(|group| by_truth(tests, group));
    let tables = groups.filter_map(|group| make_table(program, layout, group));
    tables.filter(|table| table.rows.len() > LEAST_ROWS || has_one_reason(table, ways)).collect()
}

/// Whether its name can say why the rows end as they do, or the rows say it with other results or messages, or with the
/// few values that differ. Other tests with one outcome for two reasons say more with names of their own.
fn has_one_reason(table: &Table, ways: &[TellingWays]) -> bool {
    let reasons: BTreeSet<Option<&str>> = table.rows.iter().map(|row| ways[*row].reason()).collect();
    reasons.len() == 1
        || table.columns.len() <= FEW_COLUMNS
        || table.columns.iter().any(|column| column.is_expected() || column.role == CellRole::Message)
}

/// Tests whose call returns true, and those whose call returns false, where both are enough for a table: the
/// names of two tables say more than `returnsExpected`.
fn by_truth(tests: &[AssertedTest], group: Vec<ShapedTest>) -> Vec<Vec<ShapedTest>> {
    let result = |candidate: &ShapedTest| {
        let test = &tests[candidate.index];
        test.assertions.iter().find_map(|assertion| match &assertion.fact {
            Fact::Equals(Snapshot::Boolean(holds)) if assertion.subject.0 + 1 == test.acted => Some(*holds),
            _ => None,
        })
    };
    let count = |wanted: bool| group.iter().filter(|candidate| result(candidate) == Some(wanted)).count();
    let is_split = count(true) >= LEAST_ROWS && count(false) >= LEAST_ROWS && count(true) + count(false) == group.len();
    if !is_split {
        return vec![group];
    }
    let (holding, others) = group.into_iter().partition(|candidate| result(candidate) == Some(true));
    vec![holding, others]
}

/// Whether nothing but its body belongs to the test.
fn may_be_row(test: &AssertedTest, plan: &BodyPlan) -> bool {
    let is_plain = test.fault.is_none() && test.assumes.is_none() && test.undoing == 0 && test.resets.is_empty();
    is_plain && !test.test.has_request() && plan.is_self_contained()
}

/// The members that the test calls, in order: equal text may call other overloads.
fn called_members(test: &AssertedTest) -> Vec<MethodRef> {
    test.test.called_methods().cloned().collect()
}

/// The table of tests of one shape; `None` where too few of them differ or where they differ in too
/// many values.
fn make_table(program: &Program, layout: &FileLayout, group: Vec<ShapedTest>) -> Option<Table> {
    let mut known = BTreeSet::new();
    let values =
        |candidate: &ShapedTest| -> Vec<CellValue> { candidate.shape.cells().iter().map(|cell| cell.value.clone()).collect() };
    let mut group: Vec<ShapedTest> = group.into_iter().filter(|candidate| known.insert(values(candidate))).collect();
    if group.len() < LEAST_ROWS {
        return None;
    }
    let first = group[0].shape.cells();
    let varies = |position: usize| group.iter().any(|candidate| candidate.shape.cells()[position].value != first[position].value);
    // The column of each position, by the position that the column began with.
    let mut columns: Vec<(usize, Vec<usize>)> = Vec::new();
    for position in (0..first.len()).filter(|position| varies(*position)) {
        match columns.iter_mut().find(|(begin, _)| is_same(&group, *begin, position)) {
            Some((_, positions)) => positions.push(position),
            None => columns.push((position, vec![position])),
        }
    }
    if columns.len() > MOST_COLUMNS {
        return None;
    }
    // A value that is given to a call names the column.
    let main_of = |positions: &[usize]| {
        positions.iter().copied().min_by_key(|position| (rank(&first[*position].role), *position)).unwrap_or_default()
    };
    let mut columns: Vec<(usize, Vec<usize>)> =
        columns.into_iter().map(|(_, positions)| (main_of(&positions), positions)).collect();
    columns.sort_by_key(|(main, _)| (rank(&first[*main].role), *main));
    let names = column_names(&group[0].shape, &columns);
    let has_result = |positions: &[usize]| positions.iter().any(|position| is_result(&first[*position].role));
    let expected: Vec<bool> = columns.iter().map(|(_, positions)| has_result(positions)).collect();
    let mut parameters = vec![None; first.len()];
    for ((_, positions), name) in columns.iter().zip(&names) {
        positions.iter().for_each(|position| parameters[*position] = Some(name.clone()));
    }
    let body = group[0].shape.body(program, layout, &parameters);
    let keys = |candidate: &ShapedTest| -> Vec<(u8, u64, String)> {
        columns.iter().map(|(main, _)| simplicity(&candidate.shape.cells()[*main].value)).collect()
    };
    group.sort_by_cached_key(keys);
    let columns = columns.iter().zip(names).zip(expected).map(|(((main, _), name), is_expected)| {
        let cells: Vec<Cell> = group.iter().map(|candidate| candidate.shape.cells()[*main].clone()).collect();
        Column { name, ty: cells[0].ty.clone(), role: cells[0].role.clone(), is_expected, cells }
    });
    let table = Table { columns: columns.collect(), rows: group.iter().map(|candidate| candidate.index).collect(), body };
    (table.rows.len() >= LEAST_ROWS_OF_METHOD || fits_annotation(&table.columns)).then_some(table)
}

/// Whether the two values are equal to each other in every test.
fn is_same(group: &[ShapedTest], left: usize, right: usize) -> bool {
    group.iter().all(|candidate| {
        let (left, right) = (&candidate.shape.cells()[left], &candidate.shape.cells()[right]);
        let is_delta = |cell: &Cell| cell.role == CellRole::Delta;
        left.value == right.value && left.ty == right.ty && is_delta(left) == is_delta(right)
    })
}

fn is_result(role: &CellRole) -> bool {
    matches!(role, CellRole::Expected(_))
}

/// The order of the columns: what is given stands before what is expected.
fn rank(role: &CellRole) -> u8 {
    match role {
        CellRole::Input(_) => 0,
        CellRole::Expected(_) => 1,
        CellRole::Delta => 2,
        CellRole::Message => 3,
    }
}

/// A name for each column, by its main position and all of its positions.
fn column_names(shape: &Shape, columns: &[(usize, Vec<usize>)]) -> Vec<String> {
    let cells = shape.cells();
    let declared = |positions: &[usize]| positions.iter().find_map(|position| cells[*position].variable.as_deref());
    let replaced: BTreeSet<&str> = columns.iter().filter_map(|(_, positions)| declared(positions)).collect();
    let mut taken = shape.taken_names(&replaced);
    let has_several = columns.iter().filter(|(main, _)| is_result(&cells[*main].role)).count() > 1;
    let base = |main: usize, positions: &[usize]| match &cells[main].role {
        _ if declared(positions).is_some() => declared(positions).unwrap_or_default().to_owned(),
        CellRole::Input(Some(name)) => name.clone(),
        CellRole::Input(None) => type_role(&cells[main].ty),
        CellRole::Expected(Some(method)) if has_several => format!("expected{}", capitalised(&property_word(method))),
        CellRole::Expected(_) => "expected".into(),
        CellRole::Delta => "delta".into(),
        CellRole::Message => "message".into(),
    };
    columns.iter().map(|(main, positions)| free_name(&mut taken, &base(*main, positions))).collect()
}

/// The property that a method reads: `getSize` reads `size`.
fn property_word(method: &str) -> String {
    let getter = method.strip_prefix("get").filter(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    camel(getter.unwrap_or(method))
}

/// Orders values as a person would: null and short or small ones first. Constants of an enum keep
/// the order of the tests.
fn simplicity(value: &CellValue) -> (u8, u64, String) {
    let number = |value: i64| (1, value.unsigned_abs(), if value < 0 { "-".into() } else { String::new() });
    let decimal = |value: f64| match value.is_nan() {
        true => (2, 0, String::new()),
        // The bits of positive numbers have the order of the numbers.
        false => (1, value.abs().to_bits(), if value.is_sign_negative() { "-".into() } else { String::new() }),
    };
    let CellValue::Literal(literal) = value else { return (1, 0, String::new()) };
    match literal {
        Literal::Null | Literal::Class(_) => (0, 0, String::new()),
        Literal::Boolean(flag) => (1, u64::from(*flag), String::new()),
        Literal::Byte(value) => number(i64::from(*value)),
        Literal::Short(value) => number(i64::from(*value)),
        Literal::Int(value) => number(i64::from(*value)),
        Literal::Long(value) => number(*value),
        Literal::Char(unit) => (1, u64::from(*unit), String::new()),
        Literal::Float(bits) => decimal(f64::from(f32::from_bits(*bits))),
        Literal::Double(bits) => decimal(f64::from_bits(*bits)),
        Literal::Str(units) => (1, units.len() as u64, String::from_utf16_lossy(units)),
    }
}

#[cfg(test)]
mod tests;
