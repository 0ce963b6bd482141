//! The parts of a test that have no object in common.
//!
//! In: a test. Out: a test for each part. Must not know what the parts show.
//!
//! A search finds goals and mutants with whatever a test happens to call. A call on an object that nothing
//! else of the test touches reads as another test that lost its assertions.

use std::collections::BTreeMap;

use petgraph::unionfind::UnionFind;

use super::{StatementKind, TestCase, VarId};

impl TestCase {
    /// The parts with an effect, in the order of their last effects; only one where all objects belong together.
    /// Literals and static fields are in each part that uses them.
    pub(crate) fn parts(&self) -> Vec<TestCase> {
        let objects = self.labels_of_objects();
        let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, statement) in self.statements.iter().enumerate() {
            if statement.kind.has_effect() {
                ends.insert(objects[index], index);
            }
        }
        let mut parts: Vec<(usize, usize)> = ends.into_iter().map(|(label, end)| (end, label)).collect();
        parts.sort_unstable();
        parts.into_iter().map(|(_, label)| self.part(&objects, label)).collect()
    }

    /// Which of the statements up to this one are about objects that belong to its object.
    pub(crate) fn part_up_to(&self, statement: VarId) -> Vec<bool> {
        let mut first = self.clone();
        first.truncate(statement.index() + 1);
        let objects = first.labels_of_objects();
        first.statements_of(&objects, objects[statement.index()])
    }

    /// Equal numbers for statements about the same object, or about objects that are used together.
    fn labels_of_objects(&self) -> Vec<usize> {
        let mut objects = UnionFind::new(self.len());
        for (index, statement) in self.statements.iter().enumerate() {
            statement.kind.for_each_use(|used| {
                if !is_for_all(&self.statement(used).kind) {
                    objects.union(index, used.index());
                }
            });
        }
        objects.into_labeling()
    }

    fn part(&self, objects: &[usize], label: usize) -> TestCase {
        let mut part = self.clone();
        part.retain(&self.statements_of(objects, label));
        part
    }

    /// Which statements are about these objects.
    fn statements_of(&self, objects: &[usize], label: usize) -> Vec<bool> {
        let mut keep = vec![false; self.len()];
        for (index, statement) in self.statements.iter().enumerate() {
            if objects[index] == label {
                keep[index] = true;
                statement.kind.for_each_use(|used| keep[used.index()] = true);
            }
        }
        keep
    }
}

/// Whether the value belongs to every statement that uses it.
fn is_for_all(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Literal(_) | StatementKind::GetField { receiver: None, .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        text.parse::<TestCase>().expect("well-formed").parts().iter().map(TestCase::to_string).collect()
    }

    #[test]
    fn a_statement_has_its_part_of_those_before() {
        let text = "v0: I = int 1\nv1: LT; = new T.<init> (I)V (v0)\nv2: LT; = new T.<init> (I)V (v0)\n\
                    v3: I = call method T.next ()I on v2 ()\nv4: I = call method T.sum (LT;)I on v1 (v2)\n";
        let test: TestCase = text.parse().expect("well-formed");
        assert_eq!(test.part_up_to(VarId(3)), [true, false, true, true]);
        assert_eq!(test.part_up_to(VarId(4)), [true; 5]);
    }

    #[test]
    fn calls_without_a_common_object_are_parts() {
        let text = "v0: I = int 4\n\
                    v1: LT; = call method T.of (I)LT; (v0)\n\
                    v2: LT; = get T.ONE LT;\n\
                    v3: LT; = call method T.half (LT;)LT; (v2)\n\
                    v4: LT; = call method T.add (LT;I)LT; on v2 (v2, v0)\n";
        let of = "v0: I = int 4\nv1: LT; = call method T.of (I)LT; (v0)\n";
        let half = "v0: LT; = get T.ONE LT;\nv1: LT; = call method T.half (LT;)LT; (v0)\n";
        let add = "v0: I = int 4\nv1: LT; = get T.ONE LT;\nv2: LT; = call method T.add (LT;I)LT; on v1 (v1, v0)\n";
        assert_eq!(parts(text), [of, half, add]);
    }

    #[test]
    fn objects_that_are_used_together_stay_together() {
        let text = "v0: LList; = new List.<init> ()V ()\n\
                    v1: LT; = new T.<init> (LList;)V (v0)\n\
                    v2: Z = call method List.add (LList;)Z on v0 (v0)\n\
                    v3: V = call method T.run ()V on v1 ()\n";
        assert_eq!(parts(text), [text]);
    }

    #[test]
    fn values_that_nothing_uses_are_no_part() {
        assert_eq!(parts("v0: LR; = mock R ()\nv1: V = call method T.run ()V ()\n"), ["v0: V = call method T.run ()V ()\n"]);
    }
}
