//! Statements whose results show static state. In: classes, and a test whose literals are arguments;
//! out: a test case of its own, to be run alone and behind the test.

use std::collections::BTreeSet;

use super::own_settings::{OwnSetting, own_settings};
use super::reach::{Reach, StateHolder, is_final};
use crate::execution::Snapshot;
use crate::oracle::Accessibility;
use crate::program::{ClassName, JavaType, MethodRef};
use crate::testcase::{StatementKind, TestCase, VarId};

/// Statements of observers, at most.
const MOST_STATEMENTS: usize = 40;
/// Getters of one object, at most.
const MOST_GETTERS: usize = 3;
/// Methods that begin so change nothing, as a rule, and come first.
const READING: [&str; 7] = ["get", "is", "has", "size", "count", "last", "current"];

/// Statements that show the static state of some classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateObservers {
    /// A test case of its own.
    pub(crate) test: TestCase,
    /// How many of its last statements only have to return.
    returning: usize,
}

impl StateObservers {
    /// The observers of the classes. Static methods that take one or two values get the literals of
    /// the test. Properties that the test sets come first, then collections.
    pub(crate) fn of(classes: &BTreeSet<ClassName>, access: &Accessibility<'_>, test: &TestCase) -> StateObservers {
        let reach = Reach::new(access);
        let mut observers = StateObservers { test: TestCase::default(), returning: 0 };
        for setting in own_settings(access, &reach, test) {
            if observers.has_room() {
                let object = setting.holder.append(&mut observers.test);
                reach.append_call(&mut observers.test, &setting.getter, Some(object), Vec::new());
            }
        }
        let classes: Vec<_> = classes.iter().filter_map(|class| reach.class(class)).collect();
        let emptied = classes.iter().flat_map(|class| reach.emptied(class));
        let collections: Vec<StateHolder> = emptied.map(|(holder, _)| holder).collect();
        for holder in &collections {
            if observers.has_room() {
                observers.observe_holder(&reach, holder);
            }
        }
        for class in &classes {
            for field in reach.static_fields(class) {
                let is_constant = field.field_type().is_primitive() && is_final(class, &field);
                let holder = StateHolder::Field(field);
                if !is_constant && !collections.contains(&holder) && observers.has_room() {
                    observers.observe_holder(&reach, &holder);
                }
            }
            let mut calls: Vec<MethodRef> = reach.static_methods(class, 0).into_iter().filter(is_observer).collect();
            calls.sort_by_key(|method| !READING.iter().any(|word| method.name.starts_with(word)));
            for method in calls {
                let holder = StateHolder::Call(method);
                if !collections.contains(&holder) && observers.has_room() {
                    observers.observe_holder(&reach, &holder);
                }
            }
            for root in reach.roots(class).iter().filter(|root| matches!(root, StateHolder::New(_))) {
                if observers.has_room() {
                    observers.observe_holder(&reach, root);
                }
            }
            for parameters in 1..=2 {
                for method in reach.static_methods(class, parameters).into_iter().filter(is_observer) {
                    if observers.has_room() {
                        observers.observe_with_literals(&reach, test, &method);
                    }
                }
            }
        }
        observers
    }

    /// Whether nothing shows the state.
    pub(crate) fn is_empty(&self) -> bool {
        self.test.is_empty()
    }

    /// The test case, and these statements behind it.
    pub(crate) fn behind(&self, test: &TestCase) -> TestCase {
        let mut both = test.clone();
        both.append(&self.test);
        both
    }

    /// Also observes whether these statements return. What their values are does not count.
    pub(crate) fn append_returning(&mut self, statements: &TestCase) {
        self.test.append(statements);
        self.returning += statements.len();
    }

    /// Number of the statements whose values count; they come first.
    pub(crate) fn telling(&self) -> usize {
        self.test.len() - self.returning
    }

    /// Without the statements at these places, and those that use them. The statements that only have to return
    /// stay or go together.
    pub(crate) fn without(&self, places: &BTreeSet<usize>) -> StateObservers {
        let mut test = self.test.clone();
        let mut returning = self.returning;
        if places.last().is_some_and(|last| *last >= self.telling()) {
            test.truncate(self.telling());
            returning = 0;
        }
        // Later places first: removing a statement moves those behind it.
        for place in places.iter().rev() {
            if *place < test.len() {
                test.remove_with_dependants(*place);
            }
        }
        StateObservers { test, returning }
    }

    /// The statement that shows the property.
    pub(super) fn place_of(&self, setting: &OwnSetting) -> Option<usize> {
        self.test.statements.iter().position(|statement| match &statement.kind {
            StatementKind::Call { method, receiver: Some(object), .. } => {
                *method == setting.getter && self.test.statement(*object).kind == setting.holder.statement()
            }
            _ => false,
        })
    }

    fn has_room(&self) -> bool {
        self.test.len() < MOST_STATEMENTS
    }

    /// The object, and what its getters return.
    fn observe_holder(&mut self, reach: &Reach<'_>, root: &StateHolder) {
        let object = root.append(&mut self.test);
        let Some(class) = reach.class_of(root) else { return };
        if reach.is_thread_local(&class) {
            let get = MethodRef::new(class, "get", "()Ljava/lang/Object;");
            reach.append_call(&mut self.test, &get, Some(object), Vec::new());
            return;
        }
        let mut getters: Vec<MethodRef> = reach.instance_methods(&class, 0).into_iter().filter(is_observer).collect();
        getters.retain(|getter| getter.return_type() != JavaType::Class(class.clone()));
        getters.sort_by_key(|method| !READING.iter().any(|word| method.name.starts_with(word)));
        for getter in getters.iter().take(MOST_GETTERS) {
            reach.append_call(&mut self.test, getter, Some(object), Vec::new());
        }
    }

    /// The method with the first literals of the test that fit.
    fn observe_with_literals(&mut self, reach: &Reach<'_>, test: &TestCase, method: &MethodRef) {
        let Some(literals) = literals_for(test, method) else { return };
        let args = literals.into_iter().map(|literal| {
            let statement = test.statement(literal).clone();
            self.test.push(statement.kind, statement.ty)
        });
        let args = args.collect();
        reach.append_call(&mut self.test, method, None, args);
    }
}

/// Literals of the test that the parameters of the method take: for each parameter the first one of
/// its type that no parameter before it has.
pub(super) fn literals_for(test: &TestCase, method: &MethodRef) -> Option<Vec<VarId>> {
    let mut taken: Vec<VarId> = Vec::new();
    for parameter in method.parameters() {
        let fits = |variable: &VarId| {
            let statement = test.statement(*variable);
            matches!(statement.kind, StatementKind::Literal(_)) && statement.ty == parameter && !taken.contains(variable)
        };
        let literal = (0..test.len() as u32).map(VarId).find(fits)?;
        taken.push(literal);
    }
    Some(taken)
}

/// Places of the observers that show something else than they did alone. `alone` and `behind` have
/// the snapshots of the observers; `offset`: the number of statements before them in the second run.
/// An object that a statement before them holds as well counts as the same.
pub(crate) fn differences(alone: &[Snapshot], behind: &[Snapshot], offset: usize) -> BTreeSet<usize> {
    let same = |one: &Snapshot, other: &Snapshot| match (one, other) {
        (
            Snapshot::Object { class, same_as, size, contents, to_string },
            Snapshot::Object {
                class: class_behind,
                same_as: same_behind,
                size: size_behind,
                contents: contents_behind,
                to_string: text_behind,
            },
        ) => {
            let own = |same: u32| same.checked_sub(offset as u32);
            let identity = same_behind.is_some_and(|same| own(same).is_none()) || *same_as == same_behind.and_then(own);
            let is_same_content = size == size_behind && contents == contents_behind && to_string == text_behind;
            class == class_behind && is_same_content && identity
        }
        _ => one == other,
    };
    (0..alone.len()).filter(|place| !behind.get(*place).is_some_and(|behind| same(&alone[*place], behind))).collect()
}

/// Whether the result of the method may show state.
fn is_observer(method: &MethodRef) -> bool {
    const NOT: [&str; 7] = ["values", "hashCode", "clone", "getClass", "main", "notify", "wait"];
    method.return_type() != JavaType::Void && !NOT.contains(&&*method.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(same_as: Option<u32>) -> Snapshot {
        Snapshot::Object { class: ClassName::new("p/Foo"), same_as, size: None, contents: None, to_string: None }
    }

    #[test]
    fn identity_is_compared_among_the_observers_only() {
        let alone = [object(None), object(Some(0)), Snapshot::Int(3)];
        let behind = |same_as, last: i32| vec![Snapshot::Null, object(None), object(same_as), Snapshot::Int(last)];
        let different = |behind: &[Snapshot]| differences(&alone, &behind[1..], 1).into_iter().collect::<Vec<usize>>();
        assert_eq!(different(&behind(Some(1), 3)), [0; 0]);
        assert_eq!(different(&behind(None, 3)), [1]);
        assert_eq!(different(&behind(Some(0), 4)), [2]);
        assert_eq!(differences(&alone, &[], 1).len(), 3);
    }

    #[test]
    fn statements_that_only_have_to_return_go_together() {
        let parse = |text: &str| text.parse::<TestCase>().expect("well-formed");
        let told = "v0: I = call method p/Foo.a ()I ()\nv1: I = call method p/Foo.b ()I ()\n";
        let mut observers = StateObservers { test: parse(told), returning: 0 };
        observers.append_returning(&parse("v0: I = int 1\nv1: V = call method p/Foo.put (I)V (v0)\n"));
        let left = |places: &[usize]| {
            let fewer = observers.without(&places.iter().copied().collect());
            (fewer.telling(), fewer.test.len())
        };
        assert_eq!([left(&[]), left(&[0]), left(&[3]), left(&[1, 2])], [(2, 4), (1, 3), (2, 2), (1, 1)]);
    }

    #[test]
    fn parameters_take_the_first_literals_of_their_types() {
        let test: TestCase =
            "v0: I = int 1\nv1: Ljava/lang/String; = string \"a\"\nv2: I = int 2\n".parse().expect("well-formed");
        let method = |descriptor| MethodRef::new(ClassName::new("p/Foo"), "put", descriptor);
        assert_eq!(literals_for(&test, &method("(II)V")), Some(vec![VarId(0), VarId(2)]));
        assert_eq!(literals_for(&test, &method("(Ljava/lang/String;)V")), Some(vec![VarId(1)]));
        assert_eq!(literals_for(&test, &method("(III)V")), None);
    }
}
