//! Edits of test cases: definitions and uses, removal with dependants, insertion with new numbers,
//! literals, hashes. Flows in: test cases; flows out: changed ones. Edits keep every use behind its
//! definition; they do not check types.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::{Answer, Literal, Statement, StatementKind, StubKind, TestCase, TestHash, VarId};
use crate::program::{ClassName, JavaType, MethodRef};

impl VarId {
    /// Index of the statement that defines the variable.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl StatementKind {
    /// The method or constructor that the statement calls.
    pub(crate) fn called_method(&self) -> Option<&MethodRef> {
        match self {
            StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => Some(method),
            _ => None,
        }
    }

    /// Calls `visit` with every variable that the statement uses, in the order of the text form:
    /// the receiver first.
    pub(crate) fn for_each_use(&self, mut visit: impl FnMut(VarId)) {
        match self {
            StatementKind::Literal(_) => {}
            StatementKind::Construct { args, .. } => args.iter().copied().for_each(visit),
            StatementKind::Call { receiver, args, .. } => receiver.iter().chain(args).copied().for_each(visit),
            StatementKind::GetField { receiver, .. } => receiver.iter().copied().for_each(visit),
            StatementKind::PutField { receiver, value, .. } => {
                receiver.iter().copied().for_each(&mut visit);
                visit(*value);
            }
            StatementKind::Array { elements, .. } => elements.iter().copied().for_each(visit),
            StatementKind::PutElement { array, value, .. } => {
                visit(*array);
                visit(*value);
            }
            StatementKind::Stub { answers, .. } => answers.iter().flat_map(Answer::uses).for_each(visit),
        }
    }

    /// Calls `visit` with every use in the same order, so that it can be replaced.
    pub(crate) fn for_each_use_mut(&mut self, mut visit: impl FnMut(&mut VarId)) {
        match self {
            StatementKind::Literal(_) => {}
            StatementKind::Construct { args, .. } => args.iter_mut().for_each(visit),
            StatementKind::Call { receiver, args, .. } => receiver.iter_mut().chain(args).for_each(visit),
            StatementKind::GetField { receiver, .. } => receiver.iter_mut().for_each(visit),
            StatementKind::PutField { receiver, value, .. } => {
                receiver.iter_mut().for_each(&mut visit);
                visit(value);
            }
            StatementKind::Array { elements, .. } => elements.iter_mut().for_each(visit),
            StatementKind::PutElement { array, value, .. } => {
                visit(array);
                visit(value);
            }
            StatementKind::Stub { answers, .. } => answers.iter_mut().flat_map(Answer::uses_mut).for_each(visit),
        }
    }

    /// The variables that the statement uses, receiver first.
    pub(crate) fn uses(&self) -> Vec<VarId> {
        let mut uses = Vec::new();
        self.for_each_use(|used| uses.push(used));
        uses
    }

    /// Whether the statement can change an object: calls, constructions, and writes of fields and
    /// cells. An exception of the JDK only keeps what it is given.
    pub fn has_effect(&self) -> bool {
        match self {
            StatementKind::Construct { constructor, .. } => {
                let class = constructor.owner.internal();
                !(class.starts_with("java/") && (class.ends_with("Exception") || class.ends_with("Error")))
            }
            StatementKind::Call { .. } | StatementKind::PutField { .. } | StatementKind::PutElement { .. } => true,
            _ => false,
        }
    }
}

impl TestCase {
    /// Number of statements.
    pub fn len(&self) -> usize {
        self.statements.len()
    }

    /// Whether the test case has no statement.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// Appends a statement and returns its variable.
    pub fn push(&mut self, kind: StatementKind, ty: JavaType) -> VarId {
        self.statements.push(Statement { kind, ty });
        VarId(self.statements.len() as u32 - 1)
    }

    /// The last call or construction, with the index of its statement.
    pub(crate) fn target(&self) -> Option<(usize, &MethodRef)> {
        self.statements.iter().enumerate().rev().find_map(|(index, statement)| match &statement.kind {
            StatementKind::Construct { constructor, .. } => Some((index, constructor)),
            StatementKind::Call { method, .. } => Some((index, method)),
            _ => None,
        })
    }

    /// The methods and constructors that it calls, in the order of its statements.
    pub(crate) fn called_methods(&self) -> impl Iterator<Item = &MethodRef> {
        self.statements.iter().filter_map(|statement| statement.kind.called_method())
    }

    /// The statement that defines the variable, which must exist.
    pub fn statement(&self, variable: VarId) -> &Statement {
        &self.statements[variable.index()]
    }

    /// The erased type of the variable, which must exist.
    pub(crate) fn type_of(&self, variable: VarId) -> &JavaType {
        &self.statements[variable.index()].ty
    }

    /// The class of the mock that defines the variable, if one does.
    pub(crate) fn mocked_class(&self, variable: VarId) -> Option<&ClassName> {
        match &self.statements[variable.index()].kind {
            StatementKind::Stub { class, kind: StubKind::Mock, .. } => Some(class),
            _ => None,
        }
    }

    /// The mocks with their classes.
    pub(crate) fn mocks(&self) -> impl Iterator<Item = (VarId, &ClassName)> {
        let variables = (0..self.statements.len() as u32).map(VarId);
        variables.filter_map(|variable| Some((variable, self.mocked_class(variable)?)))
    }

    /// What uses the variable, in the order of the statements.
    pub(crate) fn users(&self, variable: VarId) -> impl Iterator<Item = &StatementKind> {
        self.statements.iter().map(|user| &user.kind).filter(move |kind| kind.uses().contains(&variable))
    }

    /// The literal that defines the variable, if one does. A test that became shorter may not have the variable.
    pub(crate) fn literal(&self, variable: VarId) -> Option<&Literal> {
        match &self.statements.get(variable.index())?.kind {
            StatementKind::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// For each statement, whether the value of the variable is computed from it by definitions.
    /// The statement of the variable counts; effects on objects do not.
    pub(crate) fn definition_cone(&self, variable: VarId) -> Vec<bool> {
        let mut needed = vec![false; self.statements.len()];
        needed[variable.index()] = true;
        for index in (0..=variable.index()).rev() {
            if needed[index] {
                self.statements[index].kind.for_each_use(|used| needed[used.index()] = true);
            }
        }
        needed
    }

    /// Keeps the statements marked in `keep` and renumbers their uses. Users of a dropped statement
    /// must be dropped as well.
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let mut renumbered = Vec::with_capacity(self.statements.len());
        let mut kept = 0u32;
        for &keep in keep {
            renumbered.push(kept);
            kept += u32::from(keep);
        }
        let mut index = 0;
        self.statements.retain_mut(|statement| {
            let keep = keep[index];
            index += 1;
            if keep {
                statement.kind.for_each_use_mut(|used| used.0 = renumbered[used.index()]);
            }
            keep
        });
    }

    /// Removes the statement with this index and, transitively, every statement that uses it.
    pub(crate) fn remove_with_dependants(&mut self, index: usize) {
        self.retain(&self.independent_of(index));
    }

    /// For each statement, whether it is neither the one with this index nor, transitively, uses it.
    pub(crate) fn independent_of(&self, index: usize) -> Vec<bool> {
        let mut independent = vec![true; self.statements.len()];
        independent[index] = false;
        for later in index + 1..self.statements.len() {
            self.statements[later].kind.for_each_use(|used| {
                if !independent[used.index()] {
                    independent[later] = false;
                }
            });
        }
        independent
    }

    /// Removes unused literals, arrays, stubs and field reads. Statements with effects stay.
    pub(crate) fn remove_unused_values(&mut self) {
        let mut used = vec![false; self.statements.len()];
        for index in (0..self.statements.len()).rev() {
            let kind = &self.statements[index].kind;
            if kind.has_effect() {
                used[index] = true;
            }
            if used[index] {
                kind.for_each_use(|variable| used[variable.index()] = true);
            }
        }
        if used.iter().any(|used| !used) {
            self.retain(&used);
        }
    }

    /// Keeps the first `count` statements.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.statements.truncate(count);
    }

    /// Appends a call of a static method of a class.
    pub(crate) fn push_static_call(&mut self, method: &MethodRef, args: Vec<VarId>) -> VarId {
        let kind = StatementKind::Call { method: method.clone(), interface: false, receiver: None, args };
        self.push(kind, method.return_type())
    }

    /// Appends the statements of another test case.
    pub(crate) fn append(&mut self, more: &TestCase) {
        let shift = self.statements.len() as u32;
        self.statements.extend(more.statements.iter().cloned().map(|mut statement| {
            statement.kind.for_each_use_mut(|used| used.0 += shift);
            statement
        }));
    }

    /// Inserts statements before `position`. Their uses of each other must already be numbered from
    /// `position` on. The uses of moved statements are renumbered.
    pub(crate) fn insert(&mut self, position: usize, statements: Vec<Statement>) {
        let count = statements.len() as u32;
        for statement in &mut self.statements[position..] {
            statement.kind.for_each_use_mut(|used| {
                if used.index() >= position {
                    used.0 += count;
                }
            });
        }
        self.statements.splice(position..position, statements);
    }

    /// Replaces the literal of a literal statement. Returns false, without a change, for another
    /// statement or another type.
    pub(crate) fn replace_literal(&mut self, variable: VarId, literal: Literal) -> bool {
        let statement = &mut self.statements[variable.index()];
        let StatementKind::Literal(current) = &mut statement.kind else { return false };
        let fits = match (&literal, &statement.ty) {
            (Literal::Null, ty) => ty.is_reference(),
            (Literal::Str(_), JavaType::Class(class)) => class.internal() == "java/lang/String",
            (Literal::Class(_), JavaType::Class(class)) => class.internal() == "java/lang/Class",
            (Literal::Str(_) | Literal::Class(_), _) => false,
            (primitive, ty) => primitive.primitive() == ty.primitive(),
        };
        if fits {
            *current = literal;
        }
        fits
    }

    /// The object on which a chain of calls begins that return objects of its type, as those of builders do.
    pub(crate) fn begin_of_chain(&self, mut object: VarId) -> VarId {
        while let StatementKind::Call { receiver: Some(before), .. } = &self.statement(object).kind
            && self.type_of(*before) == self.type_of(object)
        {
            object = *before;
        }
        object
    }

    /// The literal in a box that the JVM has one of (JLS §5.1.7).
    pub(crate) fn literal_of_cached_box(&self, variable: VarId) -> Option<VarId> {
        let kind = &self.statement(variable).kind;
        let StatementKind::Call { method, receiver: None, args, .. } = kind else { return None };
        let [literal] = args.as_slice() else { return None };
        let is_box = &*method.name == "valueOf" && method.owner.package() == "java/lang";
        let is_cached = match self.literal(*literal)? {
            Literal::Int(value) => (-128..128).contains(value),
            Literal::Long(value) => (-128..128).contains(value),
            Literal::Short(value) => (-128..128).contains(value),
            Literal::Char(unit) => *unit < 128,
            Literal::Byte(_) | Literal::Boolean(_) => true,
            _ => false,
        };
        (is_box && is_cached).then_some(*literal)
    }

    /// Replaces the uses of `from` by `to` in the statements from `position` on.
    pub(crate) fn replace_uses(&mut self, from: VarId, to: VarId, position: usize) {
        for statement in &mut self.statements[position..] {
            statement.kind.for_each_use_mut(|used| {
                if *used == from {
                    *used = to;
                }
            });
        }
    }

    /// Gives each use of a primitive or string literal a statement of its own, so that each can
    /// change alone. Stops at `max` statements.
    pub(crate) fn unshare_literals(&mut self, max: usize) {
        let shareable = |statement: &Statement| matches!(&statement.kind, StatementKind::Literal(literal) if !matches!(literal, Literal::Null | Literal::Class(_)));
        let mut used = vec![false; self.statements.len()];
        let mut index = 0;
        while index < self.statements.len() {
            let mut copies: Vec<Statement> = Vec::new();
            let mut kind = self.statements[index].kind.clone();
            let room = max.saturating_sub(self.statements.len());
            kind.for_each_use_mut(|variable| {
                let again = std::mem::replace(&mut used[variable.index()], true);
                if again && copies.len() < room && shareable(&self.statements[variable.index()]) {
                    copies.push(self.statements[variable.index()].clone());
                    *variable = VarId((index + copies.len() - 1) as u32);
                }
            });
            let added = copies.len();
            if added > 0 {
                self.statements[index].kind = StatementKind::Literal(Literal::Null);
                used.splice(index..index, std::iter::repeat_n(true, added));
                self.insert(index, copies);
                self.statements[index + added].kind = kind;
            }
            index += added + 1;
        }
    }

    /// The identity of the test case. It is equal for test cases with the same behaviour: a literal
    /// counts by its value where it is used, not by its position, and unused literals do not count.
    pub fn canonical_hash(&self) -> TestHash {
        let mut hasher = DefaultHasher::new();
        let mut numbers = vec![u32::MAX; self.statements.len()];
        let mut next = 0;
        for (index, statement) in self.statements.iter().enumerate() {
            if matches!(statement.kind, StatementKind::Literal(_)) {
                continue;
            }
            numbers[index] = next;
            next += 1;
            self.hash_statement(&statement.kind, &numbers, &mut hasher);
        }
        TestHash(hasher.finish())
    }

    fn hash_statement(&self, kind: &StatementKind, numbers: &[u32], hasher: &mut DefaultHasher) {
        std::mem::discriminant(kind).hash(hasher);
        match kind {
            StatementKind::Literal(_) => {}
            StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => method.hash(hasher),
            StatementKind::GetField { field, .. } | StatementKind::PutField { field, .. } => field.hash(hasher),
            StatementKind::Array { element, length, .. } => (element, length).hash(hasher),
            StatementKind::PutElement { index, .. } => index.hash(hasher),
            StatementKind::Stub { class, kind, answers } => {
                (class, kind).hash(hasher);
                for Answer { method, arguments, outcomes } in answers {
                    method.hash(hasher);
                    arguments.len().hash(hasher);
                    arguments.iter().for_each(|argument| argument.is_some().hash(hasher));
                    outcomes.iter().for_each(|outcome| std::mem::discriminant(outcome).hash(hasher));
                }
            }
        }
        kind.for_each_use(|used| match &self.statements[used.index()].kind {
            StatementKind::Literal(literal) => (u32::MAX, literal).hash(hasher),
            _ => numbers[used.index()].hash(hasher),
        });
        u32::MAX.hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(text: &str) -> TestCase {
        text.parse().expect("well-formed")
    }

    const STACK: &str = "\
v0: I = int 3
v1: LS; = new S.<init> ()V ()
v2: V = call method S.push (I)V on v1 (v0)
v3: I = call method S.pop ()I on v1 ()
v4: V = call method S.push (I)V on v1 (v3)
v5: I = int 9
";

    #[test]
    fn removal_of_a_statement_removes_its_dependants() {
        let mut without_pop = test(STACK);
        without_pop.remove_with_dependants(3);
        assert_eq!(
            without_pop.to_string(),
            "v0: I = int 3\nv1: LS; = new S.<init> ()V ()\nv2: V = call method S.push (I)V on v1 (v0)\nv3: I = int 9\n"
        );
        without_pop.remove_unused_values();
        assert_eq!(without_pop.len(), 3);
        without_pop.remove_with_dependants(1);
        assert_eq!(without_pop.to_string(), "v0: I = int 3\n");
    }

    #[test]
    fn the_definition_cone_follows_definitions_not_effects() {
        let stack = test(STACK);
        assert_eq!(stack.definition_cone(VarId(4)), [false, true, false, true, true, false]);
    }

    #[test]
    fn insertion_renumbers_later_uses() {
        let mut inserted = test("v0: I = int 3\nv1: I = call method S.of (I)I (v0)\nv2: I = call method S.of (I)I (v1)\n");
        inserted.insert(1, test("v0: J = long 1\n").statements);
        assert_eq!(
            inserted.to_string(),
            "v0: I = int 3\nv1: J = long 1\nv2: I = call method S.of (I)I (v0)\nv3: I = call method S.of (I)I (v2)\n"
        );
    }

    #[test]
    fn a_literal_is_replaced_by_one_of_its_type_only() {
        let mut stack = test(STACK);
        assert!(stack.replace_literal(VarId(0), Literal::Int(7)));
        assert!(!stack.replace_literal(VarId(0), Literal::Long(7)));
        assert!(!stack.replace_literal(VarId(1), Literal::Null));
        assert_eq!(stack.literal(VarId(0)), Some(&Literal::Int(7)));
    }

    #[test]
    fn each_use_of_a_literal_gets_a_statement() {
        let mut shared = test(
            "v0: I = int 3\nv1: LS; = new S.<init> (II)V (v0, v0)\nv2: V = call method S.push (I)V on v1 (v0)\n\
             v3: V = call method S.add (LS;)V on v1 (v1)\n",
        );
        let mut limited = shared.clone();
        let hash = shared.canonical_hash();
        shared.unshare_literals(20);
        assert_eq!(
            shared.to_string(),
            "v0: I = int 3\nv1: I = int 3\nv2: LS; = new S.<init> (II)V (v0, v1)\nv3: I = int 3\n\
             v4: V = call method S.push (I)V on v2 (v3)\nv5: V = call method S.add (LS;)V on v2 (v2)\n"
        );
        assert_eq!(shared.canonical_hash(), hash);
        limited.unshare_literals(5);
        assert_eq!((limited.len(), limited.canonical_hash()), (5, hash));
    }

    #[test]
    fn the_hash_depends_on_values_not_on_positions() {
        let stack = test(STACK);
        let late = test(
            "v0: LS; = new S.<init> ()V ()\nv1: I = int 3\nv2: V = call method S.push (I)V on v0 (v1)\n\
             v3: I = call method S.pop ()I on v0 ()\nv4: V = call method S.push (I)V on v0 (v3)\n",
        );
        assert_eq!(stack.canonical_hash(), late.canonical_hash());
        let mut other = late.clone();
        other.replace_literal(VarId(1), Literal::Int(4));
        assert_ne!(other.canonical_hash(), late.canonical_hash());
        let mock = |answer: &str| {
            test(&format!("v0: I = int 1\nv1: I = int 2\nv2: LS; = mock S (S.at (I)I {answer})\n")).canonical_hash()
        };
        let answers = ["v0", "v1", "for v0 v0", "for any v0", "throws v0", "v0 then v0"].map(mock);
        assert!((0..answers.len()).all(|one| !answers[..one].contains(&answers[one])), "{answers:?}");
        let swapped = test(
            "v0: LS; = new S.<init> ()V ()\nv1: I = int 3\nv2: V = call method S.push (I)V on v0 (v1)\n\
             v3: I = call method S.pop ()I on v0 ()\nv4: V = call method S.push (I)V on v0 (v1)\n",
        );
        assert_ne!(swapped.canonical_hash(), late.canonical_hash());
    }
}
