//! Words of the name of a class for a variable of that class. In: a class, and the other classes of a test; out: the
//! shortest word that says which one the variable has. Must not know the uses of a variable.
//!
//! A person writes `list` for a `NodeCachingLinkedList` and `formatter` for a `HelpFormatter`, until a second list or
//! formatter is there.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::names::camel;
use crate::program::{ClassName, JavaType};

use super::local_names::{can_name_variable, type_role};

/// Words that say what a class is, however short its name.
const COLLECTIONS: [&str; 7] = ["Bag", "Deque", "List", "Map", "Queue", "Set", "Stack"];
/// Words that need the one in front of them.
const VAGUE: [&str; 25] = [
    "Address",
    "Base",
    "Code",
    "Data",
    "Date",
    "Digit",
    "Entry",
    "Exception",
    "Field",
    "Id",
    "Info",
    "Item",
    "Key",
    "Line",
    "Name",
    "Number",
    "Object",
    "Point",
    "Range",
    "Record",
    "State",
    "Status",
    "Time",
    "Type",
    "Value",
];
/// Words at the end that say nothing of what a class is.
const ENDINGS: [&str; 3] = ["Bean", "Dto", "Impl"];
/// Shortest name of a class whose last word stands for it.
const LONG_CLASS: usize = 12;
const LONG_WORD: usize = 4;

/// The words for the classes of one test.
#[derive(Debug, Default)]
pub(super) struct ClassWords(BTreeMap<ClassName, String>);

impl ClassWords {
    /// For each class the first of its words that is no word of another class and not among `taken`.
    pub(super) fn of(classes: BTreeSet<ClassName>, taken: &BTreeSet<String>) -> ClassWords {
        let words: BTreeMap<ClassName, Vec<String>> = classes
            .into_iter()
            .map(|class| {
                let of_class = words_for(&class);
                (class, of_class)
            })
            .collect();
        let is_shared = |class: &ClassName, word: &String| {
            let mut others = words.iter().filter(|(other, _)| *other != class);
            others.any(|(_, of_other)| of_other.contains(word))
        };
        let chosen = words.iter().filter_map(|(class, of_class)| {
            let word = of_class.iter().find(|word| !taken.contains(*word) && !is_shared(class, word))?;
            Some((class.clone(), word.clone()))
        });
        ClassWords(chosen.collect())
    }

    /// A name for a variable of the type.
    pub(super) fn role(&self, ty: &JavaType) -> String {
        let word = match ty {
            JavaType::Class(class) => self.0.get(class),
            _ => None,
        };
        word.cloned().unwrap_or_else(|| type_role(ty))
    }
}

/// The words for a class, the shortest first; the last is its whole name.
fn words_for(class: &ClassName) -> Vec<String> {
    let whole = type_role(&JavaType::Class(class.clone()));
    let mut found = Vec::new();
    if !class.internal().starts_with("java/") {
        let simple = class.local_name().rsplit('$').next().unwrap_or_default();
        let mut words = split(simple);
        if words.len() > 2 && words.last().is_some_and(|last| ENDINGS.contains(last)) {
            words.pop();
        }
        if let [.., before, last] = words[..] {
            let is_telling = simple.len() >= LONG_CLASS && last.len() >= LONG_WORD && !VAGUE.contains(&last);
            if is_telling || COLLECTIONS.contains(&last) {
                found.push(camel(last));
            }
            found.push(camel(&format!("{before}{last}")));
        }
    }
    found.push(whole);
    found.retain(|word| can_name_variable(word));
    found
}

/// `ISBN10CheckDigit` gives `ISBN10`, `Check` and `Digit`.
fn split(name: &str) -> Vec<&str> {
    let characters: Vec<(usize, char)> = name.char_indices().collect();
    let begins = |position: usize| {
        let (_, here) = characters[position];
        let before = position.checked_sub(1).map(|before| characters[before].1);
        let after = characters.get(position + 1).map(|(_, after)| *after);
        let ends_capitals = after.is_some_and(|after| after.is_ascii_lowercase());
        here.is_ascii_uppercase() && before.is_some_and(|before| !before.is_ascii_uppercase() || ends_capitals)
    };
    let begins = (0..characters.len()).filter(|position| begins(*position));
    let mut starts: Vec<usize> = begins.map(|position| characters[position].0).collect();
    starts.insert(0, 0);
    let ends = starts[1..].iter().copied().chain([name.len()]).collect::<Vec<usize>>();
    starts.into_iter().zip(ends).map(|(start, end)| &name[start..end]).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(classes: &[&str], taken: &[&str]) -> Vec<String> {
        let names: Vec<ClassName> = classes.iter().map(|class| ClassName::new(class)).collect();
        let taken = taken.iter().map(|word| (*word).to_string()).collect();
        let words = ClassWords::of(names.iter().cloned().collect(), &taken);
        names.into_iter().map(|class| words.role(&JavaType::Class(class))).collect()
    }

    #[test]
    fn the_last_word_of_a_long_name_stands_for_it() {
        for (class, expected) in [
            ("p/NodeCachingLinkedList", "list"),
            ("p/HelpFormatter", "formatter"),
            ("p/LRUMap", "map"),
            ("p/ISBN10CheckDigit", "checkDigit"),
            ("p/OrderServiceImpl", "service"),
            ("p/CommandLine", "commandLine"),
            ("p/Fraction", "fraction"),
            ("java/util/ArrayList", "list"),
        ] {
            assert_eq!(roles(&[class], &[]), [expected], "{class}");
        }
    }

    #[test]
    fn classes_of_one_test_have_words_of_their_own() {
        assert_eq!(roles(&["p/NodeCachingLinkedList", "p/LinkedSubList"], &[]), ["linkedList", "subList"]);
        assert_eq!(roles(&["p/OrderRepository", "p/OwnerRepository"], &[]), ["orderRepository", "ownerRepository"]);
        assert_eq!(roles(&["p/LRUMap"], &["map"]), ["lruMap"]);
    }
}
