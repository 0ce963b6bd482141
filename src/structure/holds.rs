//! Evaluation of a structural condition on an entry heap. Flows in: both; flows out: true, false,
//! or unknown where the heap is not known far enough. Must not know where they come from.

use std::collections::BTreeSet;

use super::{AccessPath, EntryHeap, EntryId, EntryValue, HeapLookup, InputType, StructuralClause, StructuralCondition};
use crate::expr::{Model, Symbol, SymbolPart, TermStore, Value};
use crate::path::Clause;
use crate::program::ClassName;

/// Why a value of the heap is missing.
enum MissingValue {
    /// The variable does not exist in this heap, so the clause is false.
    Undefined,
    /// The replay does not know the value.
    Unknown,
}

impl From<MissingValue> for Option<bool> {
    fn from(missing: MissingValue) -> Option<bool> {
        match missing {
            MissingValue::Undefined => Some(false),
            MissingValue::Unknown => None,
        }
    }
}

impl StructuralCondition {
    /// Whether every clause holds for the heap at another entry of the same method; false for
    /// another method. A clause about a variable that does not exist is false. `None`: no clause is
    /// false, but some depend on unknown values.
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

    /// Evaluates one clause. `referred` has the objects that earlier `Fresh` clauses name
    /// (`referred_objects` in sushi, Figure 6).
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
                Err(missing) => missing.into(),
            },
            StructuralClause::Alias(path, of) => match (reference(heap, path), reference(heap, of)) {
                (Ok(found), Ok(named)) => Some(found.is_some() && found == named),
                (Err(MissingValue::Undefined), _) | (_, Err(MissingValue::Undefined)) => Some(false),
                _ => None,
            },
            StructuralClause::Fresh(path, class) => match reference(heap, path) {
                Ok(None) => Some(false),
                Ok(Some(id)) => {
                    let is_new = referred.insert(id);
                    if is_new { is_of(id, class) } else { Some(false) }
                }
                Err(missing) => missing.into(),
            },
            StructuralClause::Present(path, class) => match reference(heap, path) {
                Ok(None) => Some(false),
                Ok(Some(id)) => is_of(id, class),
                Err(missing) => missing.into(),
            },
            StructuralClause::Value(clause) => match self.values(clause, heap, terms) {
                Ok(model) => Some(terms.holds(clause.term, &model)),
                Err(missing) => missing.into(),
            },
        }
    }

    /// The values of the inputs that occur in the clause.
    fn values(&self, clause: &Clause, heap: &EntryHeap, terms: &TermStore) -> Result<Model, MissingValue> {
        let mut model = Model::new();
        let mut is_known = true;
        for input in terms.symbols_of(clause.term) {
            match self.value(input.symbol, heap) {
                Ok(value) => model.set(input.symbol, value),
                Err(MissingValue::Undefined) => return Err(MissingValue::Undefined),
                Err(MissingValue::Unknown) => is_known = false,
            }
        }
        if is_known { Ok(model) } else { Err(MissingValue::Unknown) }
    }

    fn value(&self, symbol: Symbol, heap: &EntryHeap) -> Result<Value, MissingValue> {
        let input = self.input(symbol).ok_or(MissingValue::Unknown)?;
        let found = match heap.find(&input.path) {
            HeapLookup::Value(found) => found,
            HeapLookup::Undefined => return Err(MissingValue::Undefined),
            HeapLookup::Unknown => return Err(MissingValue::Unknown),
        };
        match (input.ty, found) {
            (InputType::Primitive(_), EntryValue::Primitive(value)) => Ok(value),
            (InputType::String, EntryValue::Reference(Some(id))) => {
                let object = heap.object(id).ok_or(MissingValue::Unknown)?;
                let text = object.text.as_ref().ok_or(MissingValue::Unknown)?;
                match symbol.part {
                    SymbolPart::Length => Ok(Value::Int(text.len() as i32)),
                    // Units after the end have no meaning.
                    SymbolPart::Char(at) => Ok(Value::Int(text.get(at as usize).map_or(0, |&unit| i32::from(unit)))),
                    SymbolPart::Value => Err(MissingValue::Undefined),
                }
            }
            _ => Err(MissingValue::Undefined),
        }
    }
}

fn reference(heap: &EntryHeap, path: &AccessPath) -> Result<Option<EntryId>, MissingValue> {
    match heap.find(path) {
        HeapLookup::Value(EntryValue::Reference(found)) => Ok(found),
        HeapLookup::Value(EntryValue::Primitive(_)) | HeapLookup::Undefined => Err(MissingValue::Undefined),
        HeapLookup::Unknown => Err(MissingValue::Unknown),
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
    fn clauses_on_missing_variables_are_false_and_on_unknown_values_undecided() {
        let two = heap(Some(2));
        let jump = |term: &str| format!("jump 0 {METHOD} @1 =0: {term}\n");
        assert_eq!(holds(&jump("(bvslt v1 v0)"), &two), Some(true));
        assert_eq!(holds(&jump("(bvslt v0 v1)"), &two), Some(false));
        assert_eq!(holds(&jump("(= v2.length 2)"), &two), Some(true));
        assert_eq!(holds(&jump("(= v2[1] 98)"), &two), Some(true));
        assert_eq!(holds(&jump("(= v2[1] 99)"), &two), Some(false));
        // `this.next.value` exists but is unknown, or does not exist.
        assert_eq!(holds(&jump("(= v3 0)"), &two), None);
        assert_eq!(holds(&jump("(= v3 0)"), &heap(None)), Some(false));
        assert_eq!(holds(&jump("(= v4 0)"), &two), None);
        // An unknown clause does not excuse a false one.
        assert_eq!(holds(&format!("{}null this.next\n", jump("(= v4 0)")), &two), Some(false));
        let mut other = two;
        other.method = crate::path::text::parse_method("demo/Node.sum(J)I").expect("a method");
        assert_eq!(holds("", &other), Some(false));
    }

    #[test]
    fn elements_past_the_end_do_not_exist() {
        let mut two = heap(Some(2));
        let parts =
            [(AccessStep::Length, EntryValue::Primitive(Value::Int(1))), (AccessStep::Cell(0), EntryValue::Reference(None))];
        two.objects.insert(EntryId(2), EntryObject { class: ClassName::new("[LA;"), parts: parts.into(), text: None });
        assert_eq!(holds("fresh this.next [LA;\nnull this.next[0]\n", &two), Some(true));
        assert_eq!(holds("null this.next[1]\n", &two), Some(false));
    }
}
