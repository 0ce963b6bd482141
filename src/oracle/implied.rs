//! Which facts about a test are too many. In: facts with their ranks, the observed test; out: the facts
//! without those that others imply and those beyond the limits. Must not know how a fact is found.

use std::collections::BTreeMap;

use super::held_objects::stated_arrays;
use super::{Accessibility, Assertion, Fact, ObservedTest};
use crate::execution::{Snapshot, is_of_jdk};
use crate::program::{JavaType, MethodRef};
use crate::testcase::{StatementKind, VarId};

/// Most inspections of the object that the last call returned, and of any other object.
const OF_RESULT: usize = 6;
const OF_OTHERS: usize = 3;

/// So many getters say as much as a text.
const SEVERAL: usize = 2;

/// Drops the inspections of an object beyond its limit.
pub(super) fn limit_inspections(ranked: &mut Vec<(u32, Assertion)>, observed: &ObservedTest) {
    let mut counts: BTreeMap<VarId, usize> = BTreeMap::new();
    ranked.retain(|(_, assertion)| {
        if assertion.subject.0 < observed.acted {
            return true;
        }
        let mut of = None;
        observed.test.statement(assertion.subject).kind.for_each_use(|used| of = of.or(Some(used)));
        let Some(of) = of else { return true };
        // A void call is tested by the state of its receiver.
        let last = observed.test.statements.get((observed.acted as usize).wrapping_sub(1));
        let about = of.0 + 1 == observed.acted || last.is_some_and(|last| last.ty == JavaType::Void);
        let count = counts.entry(of).or_default();
        *count += 1;
        *count <= if about { OF_RESULT } else { OF_OTHERS }
    });
}

/// Drops facts that other facts imply.
pub(super) fn drop_implied(ranked: &mut Vec<(u32, Assertion)>, observed: &ObservedTest, access: &Accessibility<'_>) {
    // An inspector that repeats a call of the test repeats its fact.
    let own: Vec<Assertion> =
        ranked.iter().map(|(_, assertion)| assertion).filter(|assertion| assertion.subject.0 < observed.acted).cloned().collect();
    let kind = |subject: VarId| &observed.test.statements[subject.index()].kind;
    ranked.retain(|(_, assertion)| {
        assertion.subject.0 < observed.acted
            || !own.iter().any(|earlier| {
                earlier.fact == assertion.fact
                    && kind(earlier.subject) == kind(assertion.subject)
                    && (earlier.subject.0 + 1 == observed.acted || earlier.fact == Fact::NotNull)
            })
    });
    drop_repeated(ranked, observed);
    // A result that is the same object as an earlier one is inspected as that one.
    let same: Vec<(VarId, VarId)> = own
        .iter()
        .filter_map(|assertion| if let Fact::SameAs(other) = assertion.fact { Some((assertion.subject, other)) } else { None })
        .collect();
    let of = |subject: VarId| match kind(subject) {
        StatementKind::Call { receiver, .. } | StatementKind::GetField { receiver, .. } if subject.0 >= observed.acted => {
            *receiver
        }
        _ => None,
    };
    // The whole content says what each part of it would say.
    let whole = ranked.iter().map(|(_, assertion)| assertion);
    let whole = whole.filter(|assertion| matches!(assertion.fact, Fact::Equals(Snapshot::Container(_))));
    let whole: Vec<VarId> = whole.map(|assertion| assertion.subject).collect();
    ranked.retain(|(_, assertion)| of(assertion.subject).is_none_or(|object| !whole.contains(&object)));
    let arrays = ranked.iter().map(|(_, assertion)| assertion);
    let arrays = arrays.filter(|assertion| stated_arrays(&observed.test, observed.acted, assertion).is_some());
    let arrays: Vec<VarId> = arrays.map(|assertion| assertion.subject).collect();
    drop_beside_arrays(ranked, &arrays, observed);
    // Several getters say more clearly what a generated text says, or a text of a library.
    let name = |subject: VarId| match kind(subject) {
        StatementKind::Call { method, .. } => &*method.name,
        _ => "",
    };
    let is_unwritten = |object: VarId| match observed.test.type_of(object) {
        JavaType::Class(class) => {
            let text = MethodRef::new(class.clone(), "toString", "()Ljava/lang/String;");
            !access.is_related(class) && !is_of_jdk(class) || access.program().is_generated(&text)
        }
        _ => false,
    };
    let states_value =
        |(_, assertion): &&(u32, Assertion)| matches!(assertion.fact, Fact::Equals(_)) && name(assertion.subject) != "toString";
    // What getters of its only element say, says what a list holds.
    let list_of = |element: VarId| of(element).filter(|_| name(element) == "get");
    let read = ranked.iter().filter(states_value).filter_map(|(_, assertion)| of(assertion.subject));
    let stated: Vec<VarId> = read.flat_map(|object| std::iter::once(object).chain(list_of(object))).collect();
    let is_optional = |object: VarId| *observed.test.type_of(object) == JavaType::class("java/util/Optional");
    let is_single = |object: VarId| {
        let has_one =
            |assertion: &Assertion| assertion.fact == Fact::Equals(Snapshot::Int(1)) && name(assertion.subject) == "size";
        is_optional(object) || ranked.iter().any(|(_, assertion)| of(assertion.subject) == Some(object) && has_one(assertion))
    };
    let single: Vec<VarId> = stated.iter().copied().filter(|object| is_single(*object)).collect();
    ranked.retain(|(_, assertion)| {
        let object = of(assertion.subject).filter(|_| name(assertion.subject) == "toString");
        object.is_none_or(|object| {
            let getters = stated.iter().filter(|stated| **stated == object).count();
            getters < SEVERAL || !is_unwritten(object) && !single.contains(&object)
        })
    });
    let inspected: Vec<VarId> = ranked.iter().filter_map(|(_, assertion)| of(assertion.subject)).collect();
    ranked.retain(|(_, assertion)| {
        let object = of(assertion.subject);
        !same.iter().any(|(result, other)| object == Some(*result) && inspected.contains(other))
    });
    let call = |subject: VarId| match &observed.test.statements[subject.index()].kind {
        StatementKind::Call { method, receiver: Some(receiver), .. } if subject.0 >= observed.acted => {
            Some((*receiver, method.name.to_string()))
        }
        _ => None,
    };
    let calls: Vec<(VarId, String)> = ranked
        .iter()
        .filter(|(_, assertion)| !matches!(assertion.fact, Fact::NotNull))
        .filter_map(|(_, assertion)| call(assertion.subject))
        .collect();
    let short_text: Vec<VarId> = ranked
        .iter()
        .filter_map(|(_, assertion)| match (&assertion.fact, call(assertion.subject)) {
            (Fact::Equals(Snapshot::Str(Some(units))), Some((receiver, name))) if name == "toString" && units.len() <= 80 => {
                Some(receiver)
            }
            _ => None,
        })
        .collect();
    ranked.retain(|(_, assertion)| {
        if assertion.fact == Fact::NotNull && calls.iter().any(|(receiver, _)| *receiver == assertion.subject) {
            return false;
        }
        match call(assertion.subject) {
            Some((receiver, name)) => match name.as_str() {
                "isEmpty" => !calls.contains(&(receiver, "size".into())) && !calls.contains(&(receiver, "length".into())),
                "size" | "length" if !is_own(observed, receiver) => !short_text.contains(&receiver),
                _ => true,
            },
            None => true,
        }
    });
}

/// Drops what else is read of lists. `arrays`: what reads all of their arrays.
fn drop_beside_arrays(ranked: &mut Vec<(u32, Assertion)>, arrays: &[VarId], observed: &ObservedTest) {
    let read = |subject: &VarId| match &observed.test.statement(*subject).kind {
        StatementKind::Call { receiver, .. } if subject.0 >= observed.acted => *receiver,
        _ => None,
    };
    let lists: Vec<VarId> = arrays.iter().filter_map(read).collect();
    ranked.retain(|(_, Assertion { subject, .. })| {
        arrays.contains(subject) || read(subject).is_none_or(|object| !lists.contains(&object))
    });
}

/// Drops what an earlier inspector reads as well, perhaps as the method of a superclass.
fn drop_repeated(ranked: &mut Vec<(u32, Assertion)>, observed: &ObservedTest) {
    let mut known: Vec<(VarId, String, Fact)> = Vec::new();
    ranked.retain(|(_, Assertion { subject, fact })| match &observed.test.statement(*subject).kind {
        StatementKind::Call { method, receiver: Some(object), args, .. } if subject.0 >= observed.acted && args.is_empty() => {
            let read = (*object, method.name.to_string(), fact.clone());
            let is_new = !known.contains(&read);
            known.push(read);
            is_new
        }
        _ => true,
    });
}

/// Whether the object is of the class under test, of which each inspector is worth an assertion.
fn is_own(observed: &ObservedTest, variable: VarId) -> bool {
    let JavaType::Class(class) = observed.test.type_of(variable) else { return false };
    observed.target.as_ref().is_some_and(|target| target.owner == *class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_list_holds_says_its_size() {
        let text = "\
v0: Ljava/util/List; = call method p/Shop.all ()Ljava/util/List; ()
v1: I = call interface-method java/util/List.size ()I on v0 ()
v2: [Ljava/lang/Object; = call interface-method java/util/List.toArray ()[Ljava/lang/Object; on v0 ()
v3: I = call method p/Shop.count ()I ()
";
        let observed = ObservedTest { test: text.parse().expect("well-formed"), acted: 1, target: None };
        let fact = |subject: u32| (0, Assertion { subject: VarId(subject), fact: Fact::Equals(Snapshot::Int(1)) });
        let left = |arrays: &[VarId]| {
            let mut ranked: Vec<(u32, Assertion)> = (1..4).map(fact).collect();
            drop_beside_arrays(&mut ranked, arrays, &observed);
            ranked.iter().map(|(_, assertion)| assertion.subject.0).collect::<Vec<u32>>()
        };
        assert_eq!(left(&[VarId(2)]), [2, 3]);
        assert_eq!(left(&[]), [1, 2, 3]);
    }

    #[test]
    fn what_two_methods_read_of_one_object_is_said_once() {
        let text = "\
v0: Lp/Reply; = call method p/Shop.reply ()Lp/Reply; ()
v1: I = call method p/Entity.getBody ()I on v0 ()
v2: I = call method p/Reply.getBody ()I on v0 ()
v3: I = call method p/Reply.getStatus ()I on v0 ()
";
        let observed = ObservedTest { test: text.parse().expect("well-formed"), acted: 1, target: None };
        let left = |values: [i32; 3]| {
            let fact = |(place, value): (usize, i32)| {
                (0, Assertion { subject: VarId(place as u32 + 1), fact: Fact::Equals(Snapshot::Int(value)) })
            };
            let mut ranked: Vec<(u32, Assertion)> = values.into_iter().enumerate().map(fact).collect();
            drop_repeated(&mut ranked, &observed);
            ranked.iter().map(|(_, assertion)| assertion.subject.0).collect::<Vec<u32>>()
        };
        assert_eq!(left([2, 2, 2]), [1, 3]);
        assert_eq!(left([2, 3, 2]), [1, 2, 3]);
    }
}
