//! An index of the project's classes: subclasses of each class, and methods that return it.
//!
//! In: the program, the target and a limit. Out: names of classes and positions of methods, nearest
//! packages first.

use std::collections::BTreeMap;

use crate::program::{ClassName, JavaType, Program};

/// Subclasses and makers of the project's classes.
#[derive(Debug, Default)]
pub(super) struct ProjectIndex {
    /// Direct subclasses and implementing classes, nearest packages first.
    children: BTreeMap<ClassName, Vec<ClassName>>,
    /// Static methods by the class that they return, as class and position of the method.
    factories: BTreeMap<ClassName, Vec<(ClassName, usize)>>,
    /// Instance methods with few parameters, likewise.
    makers: BTreeMap<ClassName, Vec<(ClassName, usize)>>,
}

/// Parameters of a maker; a method with more of them is no short way to an object.
const MAX_MAKER_PARAMETERS: usize = 2;

impl ProjectIndex {
    /// Indexes at most `limit` classes: nearest packages first, and within one distance those of
    /// the target's folder or jar.
    pub(crate) fn new(program: &Program, target: &ClassName, limit: usize) -> ProjectIndex {
        let mut names = program.source().neighbours(target);
        if names.len() < limit {
            let others = program.source().project_classes();
            let known: std::collections::BTreeSet<&ClassName> = names.iter().collect();
            let rest: Vec<ClassName> = others.into_iter().filter(|name| !known.contains(name)).collect();
            names.extend(rest);
        }
        // The sort is stable: within one distance the order stays.
        let mut ranked: Vec<(usize, ClassName)> =
            names.into_iter().map(|name| (package_distance(target.package(), name.package()), name)).collect();
        ranked.sort_by_key(|(distance, _)| *distance);
        let mut index = ProjectIndex::default();
        for (_, name) in ranked.into_iter().take(limit) {
            let Some(class) = program.class(&name) else { continue };
            for parent in class.superclass.iter().chain(&class.interfaces) {
                index.children.entry(parent.clone()).or_default().push(name.clone());
            }
            for (position, method) in class.methods.iter().enumerate() {
                let visible = !method.access.is_private() && !method.access.is_synthetic();
                if visible
                    && let JavaType::Class(returned) = &method.returns
                    && *returned != name
                {
                    if method.is_static() {
                        index.factories.entry(returned.clone()).or_default().push((name.clone(), position));
                    } else if method.parameters.len() <= MAX_MAKER_PARAMETERS {
                        index.makers.entry(returned.clone()).or_default().push((name.clone(), position));
                    }
                }
            }
        }
        index
    }

    /// All direct and indirect subclasses, nearest generation first.
    pub(crate) fn subclasses(&self, name: &ClassName) -> Vec<ClassName> {
        let mut found: Vec<ClassName> = Vec::new();
        let mut generation = vec![name.clone()];
        while !generation.is_empty() {
            let mut next = Vec::new();
            for parent in &generation {
                for child in self.children.get(parent).map_or(&[][..], Vec::as_slice) {
                    if !found.contains(child) && child != name {
                        found.push(child.clone());
                        next.push(child.clone());
                    }
                }
            }
            generation = next;
        }
        found
    }

    /// Static methods of other classes that return exactly this class.
    pub(crate) fn factories(&self, name: &ClassName) -> Vec<(ClassName, usize)> {
        self.factories.get(name).map_or_else(Vec::new, |factories| factories.iter().take(8).cloned().collect())
    }

    /// Methods of objects of other classes that return exactly this class, nearest packages first.
    pub(crate) fn makers(&self, name: &ClassName) -> Vec<(ClassName, usize)> {
        self.makers.get(name).cloned().unwrap_or_default()
    }
}

/// Steps from one package to the other through their common parent.
fn package_distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<&str>, Vec<&str>) = (left.split('/').collect(), right.split('/').collect());
    let common = left.iter().zip(&right).take_while(|(l, r)| l == r).count();
    left.len() + right.len() - 2 * common
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_of_packages_counts_steps_to_the_common_parent() {
        for (left, right, distance) in [("a/b", "a/b", 0), ("a/b", "a/b/c", 1), ("a/b", "a/c", 2), ("a", "b/c", 3)] {
            assert_eq!(package_distance(left, right), distance, "{left} {right}");
            assert_eq!(package_distance(right, left), distance, "{right} {left}");
        }
    }
}
