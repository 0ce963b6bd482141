//! A test of the suite, the goals and mutants that it shows, and the changes to try on it.
//!
//! Flows in: chosen tests, and values that suit them. Flows out: one changed test after the other. Must not know
//! how a test is run, nor which changes hold.

use std::collections::{BTreeMap, BTreeSet};

use super::covered_goals::CoveredGoals;
use super::distinct_values::{Exchange, distinct_numbers, exchanged_letters, zeros};
use super::missing_values::UnsetValue;
use super::plainer_statements::{PlainerStatement, shorter_lists};
use super::same_keys::same_keys;
use super::sibling_values::{alike_values, calls_alike};
use super::simpler_documents::simpler_documents;
use super::typical_values::{is_year, merges_texts, moved_years};
use crate::execution::MutantId;
use crate::oracle::AssertedTest;
use crate::program::{ClassName, MethodRef};
use crate::search::{complexity, simpler_literals};
use crate::testcase::{Literal, TestCase, VarId};

/// Literals of at most this complexity are left: `z`, `15`, `-8`.
const PLAIN: u64 = 22;

/// A test with the goals that it covers and the mutants that it kills.
#[derive(Clone, Debug)]
pub(super) struct ShownTest {
    pub(super) test: AssertedTest,
    pub(super) reached: CoveredGoals,
    pub(super) killed: BTreeSet<MutantId>,
    /// It takes part in the rounds now.
    pub(super) has_turn: bool,
    /// Statements before this one have not been tried.
    pub(super) untried: usize,
    /// It has not been tried to drop all statements at once that may go.
    pub(super) is_whole: bool,
    /// Lists before this statement have not been tried as `Arrays.asList`.
    pub(super) unlisted: u32,
    /// Plainer statements that have not been tried, the best last.
    pub(super) plainer: Vec<PlainerStatement>,
    /// Other forms of the test that have not been tried, the best last.
    pub(super) other_forms: Vec<AssertedTest>,
    /// Values that it lacks and that have not been tried, the first one last.
    pub(super) missing: Vec<UnsetValue>,
    /// Typical and simpler values of its literals that have not been tried, the best last.
    pub(super) typical: Vec<TypicalValues>,
    pub(super) simpler: Vec<(VarId, Literal)>,
}

/// Typical values to try together.
#[derive(Clone, Debug)]
pub(super) struct TypicalValues {
    /// The literals: one, several that are equal, or all years.
    variables: Vec<VarId>,
    /// Their values now. Where one has changed, it got a better one.
    from: Vec<Literal>,
    to: Vec<Literal>,
    /// Texts that differ now may be equal then.
    merges: bool,
}

impl TypicalValues {
    /// Of literals of the test.
    pub(super) fn of(test: &TestCase, exchange: Exchange) -> TypicalValues {
        let (variables, to): (Vec<VarId>, Vec<Literal>) = exchange.into_iter().unzip();
        let from = variables.iter().filter_map(|variable| test.literal(*variable)).cloned().collect();
        TypicalValues { variables, from, to, merges: false }
    }
}

/// Finds values to try that the first test with the same calls has.
pub(super) fn plan_alike_values(tests: &mut [ShownTest]) {
    for place in (1..tests.len()).filter(|place| tests[*place].has_free_values()).collect::<Vec<_>>() {
        let (before, own) = tests.split_at_mut(place);
        let own = &mut own[0];
        let Some(first) = before.iter().find(|other| calls_alike(&other.test, &own.test)) else { continue };
        let exchanges = alike_values(&own.test.test, own.test.acted, (&first.test.test, first.test.acted));
        own.typical = exchanges.into_iter().map(|exchange| TypicalValues::of(&own.test.test, exchange)).collect();
    }
}

impl ShownTest {
    pub(super) fn new(test: AssertedTest, reached: CoveredGoals, killed: BTreeSet<MutantId>) -> ShownTest {
        let untried = if test.fault.is_some() { 0 } else { (test.acted as usize).saturating_sub(1) };
        ShownTest {
            test,
            reached,
            killed,
            has_turn: true,
            untried,
            is_whole: untried > 0,
            unlisted: untried as u32,
            plainer: Vec::new(),
            other_forms: Vec::new(),
            missing: Vec::new(),
            typical: Vec::new(),
            simpler: Vec::new(),
        }
    }

    pub(super) fn shown(&self) -> BTreeSet<u32> {
        self.reached.numbered(self.killed.iter().copied())
    }

    /// The test with the elements of the next list that it fills in one call; `None` where all were
    /// tried.
    pub(super) fn next_listed(&mut self) -> Option<AssertedTest> {
        self.unlisted = self.unlisted.min(self.test.acted);
        while self.unlisted > 0 {
            self.unlisted -= 1;
            if let Some(listed) = self.test.with_listed_elements(VarId(self.unlisted)) {
                return Some(listed);
            }
        }
        None
    }

    /// The test with the next plainer statement; `None` where all were tried.
    pub(super) fn next_plainer(&mut self) -> Option<AssertedTest> {
        while let Some(plainer) = self.plainer.pop() {
            if let Some(test) = plainer.applied(&self.test) {
                return Some(test);
            }
        }
        None
    }

    /// The test with the next value that it lacks; `None` where all were tried.
    pub(super) fn next_filled(&mut self) -> Option<AssertedTest> {
        while let Some(value) = self.missing.pop() {
            if let Some(filled) = value.put_into(&self.test) {
                return Some(filled);
            }
        }
        None
    }

    /// The test without all statements that may go, then without the last untried one of them; `None`
    /// where all were tried.
    pub(super) fn next_shorter(&mut self) -> Option<AssertedTest> {
        if std::mem::take(&mut self.is_whole)
            && let Some(shorter) = self.test.without_all_others()
        {
            return Some(shorter);
        }
        while self.untried > 0 {
            self.untried -= 1;
            if let Some(shorter) = self.test.without_statement(self.untried) {
                return Some(shorter);
            }
        }
        None
    }

    /// Whether its values may change. A likely fault is shown as it was found, and statements that put state back
    /// depend on the values, while resets do not.
    pub(super) fn has_free_values(&self) -> bool {
        self.has_turn && self.test.fault.is_none() && self.test.undoing == 0
    }

    /// Finds shorter lists to try, and again single answers, since the calls that got the others may be gone.
    pub(super) fn plan_shorter_lists(&mut self) {
        if self.has_free_values() {
            self.plainer = shorter_lists(&self.test);
        }
    }

    /// Marks all statements as untried where the test has changed. A shorter list makes elements needless.
    pub(super) fn try_again_after(&mut self, before: &TestCase) {
        if self.test.test != *before {
            self.try_again();
        }
    }

    /// Marks all statements as untried.
    pub(super) fn try_again(&mut self) {
        (self.untried, self.is_whole) = ((self.test.acted as usize).saturating_sub(1), true);
    }

    /// Finds the typical values to try in place of its literals.
    pub(super) fn plan_typical_values(&mut self, typical: BTreeMap<VarId, Vec<Literal>>) {
        if !self.has_free_values() {
            return;
        }
        let (case, acted) = (&self.test.test, self.test.acted);
        let mut best: Exchange = Vec::new();
        for (variable, values) in typical.iter().rev() {
            let variable = *variable;
            let Some(from) = case.literal(variable) else { continue };
            // Those behind its own value are no better.
            let better: Vec<&Literal> = values.iter().take_while(|value| *value != from).collect();
            let merges = |value: &Literal| best.iter().any(|(other, to)| to == value && case.literal(*other) != Some(from));
            best.extend(better.first().filter(|value| !merges(value)).map(|value| (variable, (*value).clone())));
            for value in better.into_iter().rev() {
                let suits = |other: &VarId| match typical.get(other) {
                    Some(values) => matches!(value, Literal::Str(_)) || values.contains(value),
                    None => !is_year(value),
                };
                let is_equal = |other: &VarId| {
                    case.literal(*other) == case.literal(variable)
                        && case.type_of(*other) == case.type_of(variable)
                        && !case.is_fixed_in_request(*other)
                        && suits(other)
                };
                let equal: Vec<VarId> = (0..acted).map(VarId).filter(is_equal).collect();
                let exchange = |variables: Vec<VarId>| {
                    let [from, to] = [from, value].map(|literal| vec![literal.clone(); variables.len()]);
                    TypicalValues { variables, from, to, merges: false }
                };
                if equal.len() > 1 {
                    self.typical.push(exchange(equal.clone()));
                }
                self.typical.push(exchange(vec![variable]));
                if let (Literal::Char(from), Literal::Char(to)) = (from, value) {
                    self.typical.push(TypicalValues::of(case, exchanged_letters(case, acted, *from, *to)));
                }
            }
        }
        if let Some(moved) = moved_years(case, acted) {
            self.typical.push(TypicalValues::of(case, moved));
        }
        // Often all of them will do.
        if best.len() > 1 {
            self.typical.push(TypicalValues::of(case, best));
        }
    }

    /// Finds different numbers to try in place of equal ones.
    pub(super) fn plan_distinct_values(&mut self, is_own: &dyn Fn(&ClassName) -> bool) {
        if !self.has_free_values() {
            return;
        }
        let (case, acted) = (&self.test.test, self.test.acted);
        let exchanges = distinct_numbers(is_own, case, acted).into_iter().chain(zeros(is_own, case, acted));
        self.typical = exchanges.map(|exchange| TypicalValues::of(case, exchange)).collect();
    }

    /// Finds one text to try for a key and for the property of what is found by it.
    pub(super) fn plan_same_keys(&mut self, names: &dyn Fn(&MethodRef) -> Vec<Option<String>>) {
        if !self.has_free_values() {
            return;
        }
        let case = &self.test.test;
        let exchanges = same_keys(names, case, self.test.acted).into_iter();
        self.typical = exchanges.map(|exchange| TypicalValues { merges: true, ..TypicalValues::of(case, exchange) }).collect();
    }

    /// Finds the simpler values to try in place of its literals. Those that are `typical` now stay.
    pub(super) fn plan_simpler_values(&mut self, typical: &BTreeMap<VarId, Vec<Literal>>) {
        if !self.has_free_values() {
            return;
        }
        let test = &self.test;
        for variable in (0..test.acted).map(VarId) {
            if let Some(literal) = test.test.literal(variable)
                && !typical.get(&variable).is_some_and(|typical| typical.contains(literal))
                && complexity(literal) > PLAIN
                && !test.test.is_fixed_in_request(variable)
            {
                let mut simpler: Vec<Literal> = simpler_literals(literal);
                simpler.retain(|simpler| complexity(simpler) < complexity(literal));
                simpler.sort_by_key(|simpler| std::cmp::Reverse(complexity(simpler)));
                if let Literal::Str(units) = literal {
                    let documents = simpler_documents(&String::from_utf16_lossy(units)).into_iter().rev();
                    simpler.extend(documents.map(|document| Literal::Str(document.encode_utf16().collect())));
                }
                self.simpler.extend(simpler.into_iter().map(|simpler| (variable, simpler)));
            }
        }
    }

    /// The test with the next typical values; `None` where all were tried.
    pub(super) fn next_typical(&mut self) -> Option<AssertedTest> {
        while let Some(TypicalValues { variables, from, to, merges }) = self.typical.pop() {
            let mut typical = self.test.clone();
            let case = &mut typical.test;
            let is_open = from != to
                && variables.iter().zip(&from).all(|(variable, from)| case.literal(*variable) == Some(from))
                && (merges || !from.iter().zip(&to).any(|(from, to)| merges_texts(case, typical.acted, &variables, from, to)));
            if is_open && variables.iter().zip(to).all(|(variable, to)| case.replace_literal(*variable, to)) {
                return Some(typical);
            }
        }
        None
    }

    /// The test with the next simpler value; `None` where all were tried.
    pub(super) fn next_simpler(&mut self) -> Option<AssertedTest> {
        while let Some((variable, literal)) = self.simpler.pop() {
            let is_simpler = self.test.test.literal(variable).is_some_and(|now| complexity(&literal) < complexity(now));
            let mut simpler = self.test.clone();
            if is_simpler && simpler.test.replace_literal(variable, literal) {
                return Some(simpler);
            }
        }
        None
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_simpler_one_at_a_time_and_plain_ones_stay() {
        let text = "\
v0: I = int 7
v1: D = double -1.380065474618133
v2: I = call method p/Foo.next (ID)I (v0, v1)
assert v2 equals int 4
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        assert_eq!(shown.next_simpler(), None, "nothing was planned");
        shown.plan_simpler_values(&BTreeMap::new());
        let first = shown.next_simpler().expect("a simpler value");
        assert_eq!(
            (first.test.literal(VarId(0)), first.test.literal(VarId(1))),
            (Some(&Literal::Int(7)), Some(&Literal::Double(0)))
        );
        shown.test = first;
        assert_eq!(shown.next_simpler(), None, "nothing is simpler than 0");
    }

    #[test]
    fn typical_values_are_tried_once_and_stay() {
        let text = "\
v0: I = int 0
v1: Ljava/lang/String; = string \"\\uffff\\uffff\\uffff\"
v2: I = call method p/Foo.next (ILjava/lang/String;)I (v0, v1)
assert v2 equals int 4
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        let word = Literal::Str("name".encode_utf16().collect());
        let typical = BTreeMap::from([(VarId(0), vec![Literal::Int(0)]), (VarId(1), vec![word.clone()])]);
        shown.plan_typical_values(typical.clone());
        let changed = shown.next_typical().expect("a typical text");
        assert_eq!(changed.test.literal(VarId(1)), Some(&word));
        assert_eq!(shown.next_typical(), None, "0 is typical already");
        shown.test = changed;
        shown.plan_simpler_values(&typical);
        assert_eq!(shown.next_simpler(), None);
    }

    #[test]
    fn a_better_typical_value_stays() {
        let text = "\
v0: I = int -3
v1: I = call method p/Foo.next (I)I (v0)
assert v1 equals int 4
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        shown.plan_typical_values(BTreeMap::from([(VarId(0), [2, 10].map(Literal::Int).to_vec())]));
        let plan = |values: [i32; 2]| {
            let mut shown = shown.clone();
            shown.plan_typical_values(BTreeMap::from([(VarId(0), values.map(Literal::Int).to_vec())]));
            shown.typical.len()
        };
        assert_eq!([plan([4, 5]), plan([4, -3]), plan([-3, 4])], [4, 3, 2]);
        let first = shown.next_typical().expect("a typical number");
        assert_eq!(first.test.literal(VarId(0)), Some(&Literal::Int(2)));
        let mut failed = shown.clone();
        let next = failed.next_typical().map(|test| test.test.literal(VarId(0)).cloned());
        assert_eq!(next, Some(Some(Literal::Int(10))));
        shown.test = first;
        assert_eq!(shown.next_typical(), None);
    }

    #[test]
    fn years_move_together_before_each_alone() {
        let text = "\
v0: I = int 0
v1: I = int 1
v2: Ljava/time/LocalDate; = call method java/time/LocalDate.of (III)Ljava/time/LocalDate; (v0, v1, v1)
v3: I = int 1
v4: Ljava/time/LocalDate; = call method java/time/LocalDate.of (III)Ljava/time/LocalDate; (v3, v1, v1)
v5: I = call method p/Foo.days (Ljava/time/LocalDate;Ljava/time/LocalDate;)I (v2, v4)
assert v5 equals int 4
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        shown.plan_typical_values(BTreeMap::from([(VarId(0), vec![Literal::Int(2024)])]));
        let years = |test: AssertedTest| [0, 3].map(|place| test.test.literal(VarId(place)).cloned());
        let tried = [(); 3].map(|()| shown.next_typical().map(years));
        assert_eq!(tried[0], Some([2023, 2024].map(|year| Some(Literal::Int(year)))));
        assert_eq!(tried[1], Some([2024, 1].map(|year| Some(Literal::Int(year)))));
        assert_eq!(tried[2], None);
    }

    #[test]
    fn no_other_number_becomes_a_year() {
        let text = "\
v0: I = int 0
v1: V = call method p/Foo.page (I)V (v0)
v2: I = int 0
v3: Ljava/time/LocalDate; = call method java/time/LocalDate.of (III)Ljava/time/LocalDate; (v2, v0, v0)
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        shown.plan_typical_values(BTreeMap::from([(VarId(0), vec![Literal::Int(2)]), (VarId(2), vec![Literal::Int(2024)])]));
        let tried = [(); 3].map(|()| shown.next_typical().map(|test| [0, 2].map(|at| test.test.literal(VarId(at)).cloned())));
        let numbers = |numbers: [i32; 2]| Some(numbers.map(|number| Some(Literal::Int(number))));
        assert_eq!(tried, [[2, 2024], [2, 0], [0, 2024]].map(numbers));
        assert_eq!(shown.next_typical(), None);
    }

    #[test]
    fn two_codes_do_not_become_one() {
        let text = "\
v0: Ljava/lang/String; = string \"EUR\"
v1: Ljava/lang/String; = string \"QQQ\"
v2: V = call method p/Foo.convert (Ljava/lang/String;Ljava/lang/String;)V (v0, v1)
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        let code = |code: &str| Literal::Str(code.encode_utf16().collect());
        shown.plan_typical_values(BTreeMap::from([(VarId(1), vec![code("EUR"), code("USD")])]));
        let changed = shown.next_typical().expect("another code");
        assert_eq!(changed.test.literal(VarId(1)), Some(&code("USD")));
        assert_eq!(shown.next_typical(), None);
    }

    #[test]
    fn equal_values_become_typical_alone_and_then_together() {
        let text = "\
v0: Ljava/lang/String; = string \"\"
v1: V = call method p/Foo.add (Ljava/lang/String;)V (v0)
v2: Ljava/lang/String; = string \"\"
v3: Z = call method p/Foo.has (Ljava/lang/String;)Z (v2)
assert v3 equals true
";
        let test: AssertedTest = text.parse().expect("well-formed");
        let mut shown = ShownTest::new(test, CoveredGoals::default(), BTreeSet::new());
        let word = |word: &str| Literal::Str(word.encode_utf16().collect());
        shown.plan_typical_values(BTreeMap::from([(VarId(0), vec![word("name")])]));
        let literals = |test: AssertedTest| [0, 2].map(|place| test.test.literal(VarId(place)).cloned());
        let tried = [(); 3].map(|()| shown.next_typical().map(literals));
        assert_eq!(tried[0], Some([Some(word("name")), Some(word(""))]));
        assert_eq!(tried[1], Some([Some(word("name")), Some(word("name"))]));
        assert_eq!(tried[2], None);
    }
}
