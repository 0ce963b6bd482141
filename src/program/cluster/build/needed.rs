//! The work list: types of which tests need values, nearest to the target first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::program::cluster::Callable;
use crate::program::cluster::bind::type_variable_candidates;
use crate::program::generics::Wildcard;
use crate::program::{GenericType, JavaType, Program};

/// Types in the order in which they are looked into.
///
/// The distance of a type is the number of steps from the target: 0 for the operands of callables
/// under test, 1 for the operands of callables that make those, and so on.
#[derive(Debug, Default)]
pub(super) struct NeededTypes {
    queue: VecDeque<JavaType>,
    /// Types that only modifiers and stubs need: looked into after all others.
    deferred: VecDeque<(JavaType, u32)>,
    /// Every type that has ever been in `queue`.
    distance: BTreeMap<JavaType, u32>,
}

impl NeededTypes {
    /// The next type and its distance; a deferred one only when no other is left.
    pub(super) fn next(&mut self) -> Option<(JavaType, u32)> {
        loop {
            if let Some(ty) = self.queue.pop_front() {
                let distance = self.distance(&ty);
                return Some((ty, distance));
            }
            let (ty, distance) = self.deferred.pop_front()?;
            self.need(ty, distance);
        }
    }

    /// Whether the type is, or has been, in the work list; deferred types do not count.
    pub(super) fn contains(&self, ty: &JavaType) -> bool {
        self.distance.contains_key(ty)
    }

    /// The distance at which the type was first needed, 0 if it never was.
    pub(super) fn distance(&self, ty: &JavaType) -> u32 {
        self.distance.get(ty).copied().unwrap_or(0)
    }

    /// Adds a type unless it is known.
    pub(super) fn need(&mut self, ty: JavaType, distance: u32) {
        if ty != JavaType::Void && !self.contains(&ty) {
            self.distance.insert(ty.clone(), distance);
            self.queue.push_back(ty);
        }
    }

    /// Defers a type unless it is known.
    pub(super) fn need_later(&mut self, ty: JavaType, distance: u32) {
        if ty != JavaType::Void && !self.contains(&ty) {
            self.deferred.push_back((ty, distance));
        }
    }

    /// Adds the classes and arrays that a generic type names, its arguments included.
    pub(super) fn need_generic(&mut self, ty: &GenericType, distance: u32) {
        match ty {
            GenericType::Class { name, arguments, .. } => {
                self.need(JavaType::Class(name.clone()), distance);
                // The argument of `Class<T>` is named by a literal, not built.
                if name.internal() != "java/lang/Class" {
                    arguments.iter().for_each(|argument| self.need_generic(argument, distance));
                }
            }
            GenericType::Array(element) => {
                self.need(ty.erase(&[]), distance);
                self.need_generic(element, distance);
            }
            GenericType::Wildcard(Wildcard::Extends(bound) | Wildcard::Super(bound)) => self.need_generic(bound, distance),
            GenericType::Wildcard(Wildcard::Any) | GenericType::Variable(_) | GenericType::Primitive(_) => {}
        }
    }

    /// Defers the classes and arrays that a generic type names, its arguments included.
    pub(super) fn need_generic_later(&mut self, ty: &GenericType, distance: u32) {
        match ty {
            GenericType::Class { name, arguments, .. } => {
                self.need_later(JavaType::Class(name.clone()), distance);
                arguments.iter().for_each(|argument| self.need_generic_later(argument, distance));
            }
            GenericType::Array(element) => {
                self.need_later(ty.erase(&[]), distance);
                self.need_generic_later(element, distance);
            }
            GenericType::Wildcard(_) | GenericType::Variable(_) | GenericType::Primitive(_) => {}
        }
    }

    /// Adds the receiver and the parameters of a call, and the candidates for the type variables of
    /// its parameters.
    pub(super) fn need_operands(&mut self, program: &Program, callable: &Callable, distance: u32) {
        let scope = &callable.type_parameters;
        if let Some(receiver) = callable.receiver() {
            self.need(receiver, distance);
        }
        for parameter in &callable.parameters {
            self.need(parameter.ty.clone(), distance);
            self.need_generic(&parameter.generic.resolve(scope), distance);
        }
        let used: BTreeSet<Arc<str>> = callable.parameters.iter().flat_map(|parameter| parameter.generic.variables()).collect();
        for parameter in scope.iter().filter(|parameter| used.contains(&parameter.name)) {
            for candidate in type_variable_candidates(program, parameter, scope) {
                self.need_generic(&candidate, distance);
            }
        }
    }

    /// Defers the receiver and the parameters of a call, by their erased types.
    pub(super) fn need_operands_later(&mut self, callable: &Callable, distance: u32) {
        if let Some(receiver) = callable.receiver() {
            self.need_later(receiver, distance);
        }
        for parameter in &callable.parameters {
            self.need_later(parameter.ty.clone(), distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deferred_types_come_after_all_others_and_known_types_once() {
        let (a, b, c) = (JavaType::class("p/A"), JavaType::class("p/B"), JavaType::class("p/C"));
        let mut needed = NeededTypes::default();
        needed.need_later(a.clone(), 2);
        needed.need_later(c.clone(), 1);
        needed.need(b.clone(), 0);
        needed.need(JavaType::Void, 0);
        assert_eq!(needed.next(), Some((b.clone(), 0)));
        // Needed at once after it was deferred: the smaller distance stays, and the deferred entry
        // is dropped.
        needed.need(a.clone(), 1);
        needed.need(b, 3);
        assert_eq!(needed.next(), Some((a, 1)));
        assert_eq!((needed.next(), needed.next()), (Some((c, 1)), None));
    }

    #[test]
    fn a_class_literal_does_not_need_the_class_it_names() {
        let mut needed = NeededTypes::default();
        let signature = "Ljava/util/Map<Ljava/lang/Class<Lp/A;>;[Lp/B;>;";
        needed.need_generic(&GenericType::parse(signature).expect("well-formed"), 1);
        let found: Vec<String> = std::iter::from_fn(|| needed.next()).map(|(ty, _)| ty.descriptor()).collect();
        assert_eq!(found, ["Ljava/util/Map;", "Ljava/lang/Class;", "[Lp/B;", "Lp/B;"]);
    }
}
