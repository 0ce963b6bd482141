//! Facts about calls on mocks. Flows in: the calls of all executions of a test; flows out: one
//! [`Fact::Called`] for each pattern of arguments, and whether a fact holds in another execution.
//! Must not know which facts kill a mutant.

use super::{ArgumentFact, Fact};
use crate::execution::{ArgumentValue, Execution, Interaction, Snapshot};
use crate::program::{JavaType, MethodRef};
use crate::testcase::{Answer, StatementKind, TestCase, VarId};

/// Inspectors of one captured argument that a fact states.
const MAX_INSPECTED: usize = 3;
/// How names of methods begin that give something, whatever they are given.
const QUERIES: [&str; 6] = ["find", "get", "load", "read", "fetch", "query"];
/// Facts about the calls of one test.
const MAX_FACTS: usize = 6;

/// The calls that the test's own statements made on mocks, in which all executions agree. `stated`:
/// the value as an assertion may state it, or as an argument for a parameter of the type.
pub(super) fn called_facts(
    test: &TestCase,
    acted: u32,
    executions: &[Execution],
    stated: impl Fn(&Snapshot, Option<&JavaType>) -> Option<Snapshot>,
) -> Vec<(VarId, Fact)> {
    let Some((first, others)) = executions.split_first() else { return Vec::new() };
    let same_call = |one: &Interaction, other: &Interaction| {
        (one.statement, one.mock, &one.method, one.arguments.len())
            == (other.statement, other.mock, &other.method, other.arguments.len())
    };
    let agree = |other: &Execution| {
        other.interactions.len() == first.interactions.len()
            && first.interactions.iter().zip(&other.interactions).all(|(one, other)| same_call(one, other))
    };
    if !others.iter().all(agree) {
        return Vec::new();
    }
    let mut calls: Vec<(VarId, &MethodRef, Vec<ArgumentFact>)> = Vec::new();
    let mut observed_too: Vec<(VarId, &MethodRef)> = Vec::new();
    for (position, call) in first.interactions.iter().enumerate() {
        if call.statement >= acted {
            // No other inspector that calls a mock stays.
            if is_asked_itself(test, call) {
                observed_too.push((call.mock, &call.method));
            }
            continue;
        }
        let parameters: Vec<JavaType> = call.method.parameters().into_iter().collect();
        let argument = |index: usize| {
            let values: Vec<&ArgumentValue> =
                executions.iter().map(|execution| &execution.interactions[position].arguments[index]).collect();
            let parameter = parameters.get(index);
            argument_fact(test, acted, &values, |snapshot| stated(snapshot, parameter), |snapshot| stated(snapshot, None))
        };
        calls.push((call.mock, &call.method, (0..call.arguments.len()).map(argument).collect()));
    }
    // An inspector calls the method too: the number of calls depends on which inspectors stay.
    calls.retain(|(mock, method, _)| !observed_too.contains(&(*mock, *method)));
    // A captor keeps the last of several arguments.
    let alone: Vec<bool> = calls
        .iter()
        .map(|(mock, method, _)| calls.iter().filter(|(of, called, _)| (of, called) == (mock, method)).count() == 1)
        .collect();
    for ((_, _, arguments), alone) in calls.iter_mut().zip(alone) {
        for argument in arguments.iter_mut().filter(|argument| !alone && matches!(argument, ArgumentFact::Captured(_))) {
            *argument = ArgumentFact::Any;
        }
    }
    let mut facts: Vec<(VarId, Fact)> = Vec::new();
    for (mock, method, arguments) in &calls {
        let matching = calls.iter().filter(|(of, called, found)| {
            (of, called) == (mock, method)
                && arguments.iter().zip(found).all(|(fact, found)| *fact == ArgumentFact::Any || fact == found)
        });
        let times = matching.count() as u32;
        let fact = Fact::Called { method: (*method).clone(), arguments: arguments.clone(), times };
        if !facts.contains(&(*mock, fact.clone())) {
            facts.push((*mock, fact));
        }
    }
    keep_telling(&mut facts);
    facts
}

/// Whether an inspector, or one that gives its object, asks a mock that is not its object. What it then returns shows
/// the answers of the mock, and nothing that the test did. No fact is stated about it.
pub(super) fn asks_mock(test: &TestCase, acted: u32, executions: &[Execution], inspector: VarId) -> bool {
    let needed = test.definition_cone(inspector);
    let asks = |call: &Interaction| {
        call.statement >= acted && needed.get(call.statement as usize) == Some(&true) && !is_asked_itself(test, call)
    };
    executions.iter().any(|execution| execution.interactions.iter().any(asks))
}

/// Whether the statement that led to the call is a call of the mock itself.
fn is_asked_itself(test: &TestCase, call: &Interaction) -> bool {
    let kind = test.statements.get(call.statement as usize).map(|statement| &statement.kind);
    matches!(kind, Some(StatementKind::Call { receiver: Some(receiver), .. }) if *receiver == call.mock)
}

/// Of many calls, those that do something say the most, and those that only prepare others the least of them:
/// a statement gets its parameters by `setString`, and a connection is then committed.
fn keep_telling(facts: &mut Vec<(VarId, Fact)>) {
    let is = |(_, fact): &(VarId, Fact), wanted: fn(&MethodRef) -> bool| match fact {
        Fact::Called { method, .. } => wanted(method),
        _ => false,
    };
    while facts.len() > MAX_FACTS {
        let question = facts.iter().rposition(|fact| !is(fact, is_command));
        let needless = question.or_else(|| facts.iter().rposition(|fact| is(fact, prepares)));
        facts.remove(needless.unwrap_or(MAX_FACTS));
    }
}

/// Whether the name of the method is that of a setter.
fn prepares(method: &MethodRef) -> bool {
    method.name.strip_prefix("set").is_some_and(|property| property.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// What all executions tell of an argument. `passed`: a value as it may be passed in its place;
/// `stated`: what an inspector returned, as an assertion may state it.
fn argument_fact(
    test: &TestCase,
    acted: u32,
    values: &[&ArgumentValue],
    passed: impl Fn(&Snapshot) -> Option<Snapshot>,
    stated: impl Fn(&Snapshot) -> Option<Snapshot>,
) -> ArgumentFact {
    let Some((first, others)) = values.split_first() else { return ArgumentFact::Any };
    if let Some(variable) = first.variable
        && others.iter().all(|other| other.variable == first.variable)
    {
        let is_named = variable.0 < acted && !matches!(test.statement(variable).kind, StatementKind::Literal(_));
        return if is_named { ArgumentFact::Is(variable) } else { ArgumentFact::Any };
    }
    if others.iter().all(|other| other.snapshot == first.snapshot)
        && let Some(value) = passed(&first.snapshot)
    {
        return ArgumentFact::Equals(value);
    }
    let agreed = first.inspected.iter().filter(|seen| others.iter().all(|other| other.inspected.contains(seen)));
    let mut inspected: Vec<(MethodRef, Snapshot)> =
        agreed.filter_map(|(method, value)| Some((method.clone(), stated(value)?))).collect();
    // Nulls and zeros are what an untouched object has.
    inspected.sort_by_key(|(_, value)| is_initial(value));
    inspected.truncate(MAX_INSPECTED);
    if inspected.is_empty() { ArgumentFact::Any } else { ArgumentFact::Captured(inspected) }
}

/// Whether a method seems to do something. Such a method returns nothing; or it takes something and
/// returns an object that is no value of the JDK, as `save` does.
pub(crate) fn is_command(method: &MethodRef) -> bool {
    let is_query = || QUERIES.iter().any(|query| method.name.starts_with(query));
    match method.return_type() {
        JavaType::Void => true,
        JavaType::Class(class) => {
            // A type variable is erased.
            let is_object = class.internal() == "java/lang/Object" || !class.internal().starts_with("java/");
            is_object && !method.parameters().is_empty() && !is_query()
        }
        _ => false,
    }
}

/// Whether the method has no parameters and its name says that it only gives something.
pub(super) fn is_getter(method: &MethodRef) -> bool {
    let is_word_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_lowercase());
    let begins = |verb: &str| method.name.strip_prefix(verb).is_some_and(is_word_end);
    method.parameters().is_empty() && QUERIES.iter().chain(&["is", "has", "size", "count"]).any(|verb| begins(verb))
}

/// Whether a field that nothing was assigned to has the value.
pub(super) fn is_initial(value: &Snapshot) -> bool {
    matches!(
        value,
        Snapshot::Null
            | Snapshot::Boolean(false)
            | Snapshot::Int(0)
            | Snapshot::Long(0)
            | Snapshot::Float(0)
            | Snapshot::Double(0)
    )
}

/// Whether the test gives the answer that the verified call returned: the call is a query.
pub(super) fn is_stubbed_query(test: &TestCase, mock: VarId, method: &MethodRef) -> bool {
    let is_same =
        |answer: &Answer| answer.method.name == method.name && answer.method.parameters().len() == method.parameters().len();
    match &test.statement(mock).kind {
        StatementKind::Stub { answers, .. } => answers.iter().any(is_same),
        _ => false,
    }
}

/// Whether the mock received so many such calls from the first `acted` statements.
pub(super) fn holds_called(
    (mock, method, arguments, times): (VarId, &MethodRef, &[ArgumentFact], u32),
    acted: u32,
    execution: &Execution,
    equal: impl Fn(&Snapshot, &Snapshot) -> bool,
) -> bool {
    let fits = |(fact, found): (&ArgumentFact, &ArgumentValue)| match fact {
        ArgumentFact::Any => true,
        ArgumentFact::Is(variable) => found.variable == Some(*variable),
        ArgumentFact::Equals(value) => equal(value, &found.snapshot),
        ArgumentFact::Captured(inspected) => inspected
            .iter()
            .all(|(method, value)| found.inspected.iter().any(|(inspector, found)| inspector == method && equal(value, found))),
    };
    let calls = execution.interactions.iter().filter(|call| {
        call.statement < acted
            && call.mock == mock
            && call.method == *method
            && call.arguments.len() == arguments.len()
            && arguments.iter().zip(&call.arguments).all(fits)
    });
    calls.count() == times as usize
}

impl Fact {
    /// The variables that the fact names beside its subject.
    pub(crate) fn others(&self) -> Vec<VarId> {
        match self {
            Fact::SameAs(other) => vec![*other],
            Fact::Called { arguments, .. } => arguments
                .iter()
                .filter_map(|argument| match argument {
                    ArgumentFact::Is(variable) => Some(*variable),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The same variables, so that they can be renumbered.
    pub(super) fn others_mut(&mut self) -> Vec<&mut VarId> {
        match self {
            Fact::SameAs(other) => vec![other],
            Fact::Called { arguments, .. } => arguments
                .iter_mut()
                .filter_map(|argument| match argument {
                    ArgumentFact::Is(variable) => Some(variable),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::RunEnd;
    use crate::program::ClassName;

    const TEST: &str = "\
v0: Lp/Repo; = mock p/Repo (p/Repo.find (I)Lp/V; v1)
v1: Lp/V; = new p/V.<init> ()V ()
v2: V = call method p/S.work (Lp/Repo;)V (v0)
";

    fn save() -> MethodRef {
        MethodRef::new(ClassName::new("p/Repo"), "save", "(Lp/V;)V")
    }

    fn call(statement: u32, argument: ArgumentValue) -> Interaction {
        Interaction { statement, mock: VarId(0), method: save(), arguments: vec![argument] }
    }

    fn value(snapshot: Snapshot, variable: Option<u32>) -> ArgumentValue {
        ArgumentValue { snapshot, variable: variable.map(VarId), inspected: Vec::new() }
    }

    fn object(name: &str) -> ArgumentValue {
        let snapshot =
            Snapshot::Object { class: ClassName::new("p/V"), same_as: None, size: None, contents: None, to_string: None };
        let getter = MethodRef::new(ClassName::new("p/V"), "name", "()Ljava/lang/String;");
        let name = Snapshot::Str(Some(name.encode_utf16().collect()));
        ArgumentValue { inspected: vec![(getter, name)], ..value(snapshot, None) }
    }

    fn execution(interactions: Vec<Interaction>) -> Execution {
        Execution { interactions, ..Execution::without_measurements(RunEnd::Completed) }
    }

    fn facts(executions: &[Execution]) -> Vec<String> {
        let stated =
            |snapshot: &Snapshot, _: Option<&JavaType>| (!matches!(snapshot, Snapshot::Object { .. })).then(|| snapshot.clone());
        let inspectors = "v3: I = call interface-method p/Repo.size ()I on v0 ()\nv4: I = call method p/V.size ()I on v1 ()\n";
        let test: TestCase = format!("{TEST}{inspectors}").parse().expect("well-formed");
        let described = |(_, fact): (VarId, Fact)| match fact {
            Fact::Called { arguments, times, .. } => format!("{times} {:?}", arguments[0]),
            other => format!("{other:?}"),
        };
        called_facts(&test, 3, executions, stated).into_iter().map(described).collect()
    }

    #[test]
    fn arguments_are_variables_values_or_captured() {
        let is = execution(vec![call(2, value(Snapshot::Null, Some(1)))]);
        assert_eq!(facts(&[is.clone(), is.clone()]), ["1 Is(VarId(1))"]);
        let null = execution(vec![call(2, value(Snapshot::Null, None))]);
        assert_eq!(facts(&[null.clone(), null.clone()]), ["1 Equals(Null)"]);
        let made = execution(vec![call(2, object("a"))]);
        assert!(facts(&[made.clone(), made.clone()])[0].starts_with("1 Captured("));
        // A value that varies is not stated; calls that vary give no fact.
        assert_eq!(facts(&[made.clone(), execution(vec![call(2, object("b"))])]), ["1 Any"]);
        assert_eq!(facts(&[made, execution(Vec::new())]), Vec::<String>::new());
    }

    #[test]
    fn calls_are_counted_by_what_their_arguments_match() {
        let twice = execution(vec![call(2, object("a")), call(2, value(Snapshot::Null, Some(1)))]);
        assert_eq!(facts(&[twice]), ["2 Any", "1 Is(VarId(1))"]);
        // An inspector calls the method too: one of the mock may stay, one of another object does not.
        let inspected = execution(vec![call(2, object("a")), call(3, object("a"))]);
        assert_eq!(facts(&[inspected]), Vec::<String>::new());
        let asked = execution(vec![call(2, object("a")), call(4, object("a"))]);
        assert_eq!(facts(&[asked]).len(), 1);
    }

    #[test]
    fn a_fact_fails_where_a_call_is_missing_or_differs() {
        let captured = ArgumentFact::Captured(object("a").inspected);
        let holds = |fact: &ArgumentFact, execution: &Execution| {
            holds_called((VarId(0), &save(), std::slice::from_ref(fact), 1), 3, execution, |one, other| one == other)
        };
        assert!(holds(&captured, &execution(vec![call(2, object("a"))])));
        assert!(!holds(&captured, &execution(vec![call(2, object("b"))])));
        assert!(!holds(&ArgumentFact::Any, &execution(Vec::new())));
        assert!(!holds(&ArgumentFact::Is(VarId(1)), &execution(vec![call(2, object("a"))])));
        // Calls of inspectors do not count.
        assert!(holds(&captured, &execution(vec![call(2, object("a")), call(3, object("a"))])));
    }

    #[test]
    fn of_many_calls_those_that_do_something_are_kept() {
        let called = |name: &str| {
            let method = MethodRef::new(ClassName::new("p/Repo"), name, "(Lp/V;)V");
            (VarId(0), Fact::Called { method, arguments: vec![ArgumentFact::Any], times: 1 })
        };
        let names = ["begin", "setName", "setCount", "setKey", "add", "save", "send", "commit"];
        let mut facts: Vec<(VarId, Fact)> = names.map(called).into();
        keep_telling(&mut facts);
        assert_eq!(facts, ["begin", "setName", "add", "save", "send", "commit"].map(called));
    }

    #[test]
    fn only_answered_methods_are_queries() {
        let test: TestCase = TEST.parse().expect("well-formed");
        let find = MethodRef::new(ClassName::new("p/Repo"), "find", "(I)Lp/V;");
        assert!(is_stubbed_query(&test, VarId(0), &find));
        assert!(!is_stubbed_query(&test, VarId(0), &save()));
    }
}
