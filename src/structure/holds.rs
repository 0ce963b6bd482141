//! Whether a structural condition holds of an entry heap. Flows in: both; flows out: true, false, or that the heap is not known well enough.
//! Must not know where they come from.

use std::collections::BTreeSet;

use super::{AccessPath, EntryHeap, EntryId, EntryValue, Found, InputType, StructuralClause, StructuralCondition};
use crate::expr::{Model, Symbol, SymbolPart, TermStore, Value};
use crate::path::Clause;
use crate::program::ClassName;

/// Where a condition does not decide.
enum Open {
    /// It does not hold.
    Undefined,
    Unknown,
}

impl From<Open> for Option<bool> {
    fn from(open: Open) -> Option<bool> {
        match open {
            Open::Undefined => Some(false),
            Open::Unknown => None,
        }
    }
}

impl StructuralCondition {
    /// Whether every clause holds of the heap at another entry of the same method; of another method's entry none does. A clause about what
    /// does not exist there does not hold. `None`: as far as the heap is known they all do, but it is not known far enough.
    pub fn holds(&self, heap: &EntryHeap, terms: &TermStore) -> Option<bool> {
        if heap.method != self.method {
            return Some(false);
        }
        let mut referred = BTreeSet::new();
        let mut all = Some(true);
        for clause in &self.clauses {
            match self.clause_holds(clause, heap, &mut referred, terms) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => all = None,
            }
        }
        all
    }

    /// `referred`: the objects that the `Fresh` clauses before name (`referred_objects` in sushi's Figure 6).
    fn clause_holds(
        &self,
        clause: &StructuralClause,
        heap: &EntryHeap,
        referred: &mut BTreeSet<EntryId>,
        terms: &TermStore,
    ) -> Option<bool> {
        let is_of = |id: EntryId, class: &ClassName| heap.object(id).map(|object| object.class == *class);
        match clause {
            StructuralClause::Null(path) => match reference(heap, path) {
                Ok(found) => Some(found.is_none()),
                Err(open) => open.into(),
            },
            StructuralClause::Alias(path, of) => match (reference(heap, path), reference(heap, of)) {
                (Ok(found), Ok(named)) => Some(found.is_some() && found == named),
                (Err(Open::Undefined), _) | (_, Err(Open::Undefined)) => Some(false),
                _ => None,
            },
            StructuralClause::Fresh(path, class) => match reference(heap, path) {
                Ok(None) => Some(false),
                Ok(Some(id)) => {
                    let is_new = referred.insert(id);
                    if is_new { is_of(id, class) } else { Some(false) }
                }
                Err(open) => open.into(),
            },
            StructuralClause::Present(path, class) => match reference(heap, path) {
                Ok(None) => Some(false),
                Ok(Some(id)) => is_of(id, class),
                Err(open) => open.into(),
            },
            StructuralClause::Value(clause) => match self.values(clause, heap, terms) {
                Ok(model) => Some(terms.holds(clause.term, &model)),
                Err(open) => open.into(),
            },
        }
    }

    /// The values there of all that the clause speaks of.
    fn values(&self, clause: &Clause, heap: &EntryHeap, terms: &TermStore) -> Result<Model, Open> {
        let mut model = Model::new();
        let mut is_known = true;
        for input in terms.symbols_of(clause.term) {
            match self.value(input.symbol, heap) {
                Ok(value) => model.set(input.symbol, value),
                Err(Open::Undefined) => return Err(Open::Undefined),
                Err(Open::Unknown) => is_known = false,
            }
        }
        if is_known { Ok(model) } else { Err(Open::Unknown) }
    }

    fn value(&self, symbol: Symbol, heap: &EntryHeap) -> Result<Value, Open> {
        let input = self.input(symbol).ok_or(Open::Unknown)?;
        let found = match heap.find(&input.path) {
            Found::Value(found) => found,
            Found::Undefined => return Err(Open::Undefined),
            Found::Unknown => return Err(Open::Unknown),
        };
        match (input.ty, found) {
            (InputType::Primitive(_), EntryValue::Primitive(value)) => Ok(value),
            (InputType::String, EntryValue::Reference(Some(id))) => {
                let object = heap.object(id).ok_or(Open::Unknown)?;
                let text = object.text.as_ref().ok_or(Open::Unknown)?;
                match symbol.part {
                    SymbolPart::Length => Ok(Value::Int(text.len() as i32)),
                    // What is behind the end means nothing.
                    SymbolPart::Char(at) => Ok(Value::Int(text.get(at as usize).map_or(0, |&unit| i32::from(unit)))),
                    SymbolPart::Value => Err(Open::Undefined),
                }
            }
            _ => Err(Open::Undefined),
        }
    }
}

fn reference(heap: &EntryHeap, path: &AccessPath) -> Result<Option<EntryId>, Open> {
    match heap.find(path) {
        Found::Value(EntryValue::Reference(found)) => Ok(found),
        Found::Value(EntryValue::Primitive(_)) | Found::Undefined => Err(Open::Undefined),
        Found::Unknown => Err(Open::Unknown),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AccessStep, EntryObject};
    use super::*;
    use crate::program::ClassName;
    use crate::structure::Root;

    const METHOD: &str = "demo/Node.sum(I)I";

    fn field(name: &str) -> AccessStep {
        AccessStep::Field { owner: None, name: name.into() }
    }

    /// `this` with `next`, whose `next` is null or unknown; `this.value` is 3, `this.name` is "ab".
    fn heap(next: Option<u32>) -> EntryHeap {
        let mut heap = EntryHeap::new(crate::path::text::parse_method(METHOD).expect("a method"));
        let link = |to: Option<u32>| EntryValue::Reference(to.map(EntryId));
        let node = |parts: Vec<(AccessStep, EntryValue)>| EntryObject {
            class: ClassName::new("demo/Node"),
            parts: parts.into_iter().collect(),
            text: None,
        };
        heap.roots.insert(Root::This, link(Some(1)));
        heap.roots.insert(Root::Argument(0), EntryValue::Primitive(Value::Int(7)));
        let value = EntryValue::Primitive(Value::Int(3));
        heap.objects
            .insert(EntryId(1), node(vec![(field("next"), link(next)), (field("value"), value), (field("name"), link(Some(5)))]));
        heap.objects.insert(EntryId(2), node(vec![(field("next"), link(None))]));
        let text = EntryObject { class: ClassName::new("java/lang/String"), parts: Default::default(), text: Some(vec![97, 98]) };
        heap.objects.insert(EntryId(5), text);
        heap
    }

    fn holds(clauses: &str, heap: &EntryHeap) -> Option<bool> {
        let mut terms = TermStore::new();
        let text = format!(
            "structure {METHOD} 0 0 0\nv0 int arg0\nv1 int this.value\nv2 text this.name\nv3 int this.next.value\nv4 int this.other\n{clauses}"
        );
        StructuralCondition::parse(&text, &mut terms).expect(clauses).holds(heap, &terms)
    }

    #[test]
    fn references_are_null_alias_or_fresh() {
        let two = heap(Some(2));
        let whole = "fresh this demo/Node\nfresh this.next demo/Node\nnull this.next.next\n";
        assert_eq!(holds(whole, &two), Some(true));
        assert_eq!(holds("null this.next\n", &two), Some(false));
        assert_eq!(holds("null this.next\n", &heap(None)), Some(true));
        assert_eq!(holds("fresh this demo/Other\n", &two), Some(false));
        // A cycle is an alias; without the clause that names `this`, nothing forbids it.
        let cycle = heap(Some(1));
        assert_eq!(holds("fresh this demo/Node\nfresh this.next demo/Node\n", &cycle), Some(false));
        assert_eq!(holds("fresh this.next demo/Node\n", &cycle), Some(true));
        assert_eq!(holds("fresh this demo/Node\nalias this.next this\n", &cycle), Some(true));
        assert_eq!(holds("fresh this demo/Node\nalias this.next this\n", &two), Some(false));
        // Two nulls are no aliases.
        assert_eq!(holds("alias this.next this.next\n", &heap(None)), Some(false));
        // Strings are values: twice the same one is no contradiction.
        assert_eq!(holds("present this.name java/lang/String\npresent this.name java/lang/String\n", &two), Some(true));
        assert_eq!(holds("present this.next java/lang/String\n", &two), Some(false));
    }

    #[test]
    fn what_does_not_exist_does_not_hold_and_what_is_not_known_is_open() {
        let two = heap(Some(2));
        let jump = |term: &str| format!("jump 0 {METHOD} @1 =0: {term}\n");
        assert_eq!(holds(&jump("(bvslt v1 v0)"), &two), Some(true));
        assert_eq!(holds(&jump("(bvslt v0 v1)"), &two), Some(false));
        assert_eq!(holds(&jump("(= v2.length 2)"), &two), Some(true));
        assert_eq!(holds(&jump("(= v2[1] 98)"), &two), Some(true));
        assert_eq!(holds(&jump("(= v2[1] 99)"), &two), Some(false));
        // `this.next.value` is there but not known, or not there.
        assert_eq!(holds(&jump("(= v3 0)"), &two), None);
        assert_eq!(holds(&jump("(= v3 0)"), &heap(None)), Some(false));
        assert_eq!(holds(&jump("(= v4 0)"), &two), None);
        // What is not known excuses nothing that is.
        assert_eq!(holds(&format!("{}null this.next\n", jump("(= v4 0)")), &two), Some(false));
        let mut other = two;
        other.method = crate::path::text::parse_method("demo/Node.sum(J)I").expect("a method");
        assert_eq!(holds("", &other), Some(false));
    }

    #[test]
    fn cells_end_with_the_array() {
        let mut two = heap(Some(2));
        let parts =
            [(AccessStep::Length, EntryValue::Primitive(Value::Int(1))), (AccessStep::Cell(0), EntryValue::Reference(None))];
        two.objects.insert(EntryId(2), EntryObject { class: ClassName::new("[LA;"), parts: parts.into(), text: None });
        assert_eq!(holds("fresh this.next [LA;\nnull this.next[0]\n", &two), Some(true));
        assert_eq!(holds("null this.next[1]\n", &two), Some(false));
    }
}
