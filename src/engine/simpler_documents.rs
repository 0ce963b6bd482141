//! Simpler JSON documents for requests.
//!
//! In: a text. Out: where it is a JSON object, the objects with fewer properties and with values that a
//! person would write, the simplest first. Must not know whether a test shows the same with them.

use serde_json::{Map, Value};

/// Objects of more properties lose them one or all but one or two at a time.
const MOST_FOR_ALL_SUBSETS: usize = 5;
/// The number in place of another one.
const NUMBER: u32 = 2;

/// The simpler documents; none for a text that is no JSON object.
pub(super) fn simpler_documents(text: &str) -> Vec<String> {
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let count = object.len();
    let mut kept: Vec<Vec<usize>> = match count {
        0 => return Vec::new(),
        1..=MOST_FOR_ALL_SUBSETS => {
            (0..1usize << count).map(|set| (0..count).filter(|at| set >> at & 1 == 1).collect()).collect()
        }
        _ => {
            let pairs = (0..count).flat_map(|second| (0..second).map(move |first| vec![first, second]));
            let without = (0..=count).map(|dropped| (0..count).filter(|at| *at != dropped).collect());
            std::iter::once(Vec::new()).chain((0..count).map(|at| vec![at])).chain(pairs).chain(without).collect()
        }
    };
    kept.sort_by_key(Vec::len);
    let with = |kept: &[usize], plain: bool| {
        let properties = object.iter().enumerate().filter(|(at, _)| kept.contains(at));
        let value = |(_, (name, value)): (usize, (&String, &Value))| {
            (name.clone(), if plain { plain_value(name, value) } else { value.clone() })
        };
        Value::Object(properties.map(value).collect::<Map<String, Value>>()).to_string()
    };
    let mut found: Vec<String> = Vec::new();
    for kept in &kept {
        for document in [with(kept, true), with(kept, false)] {
            if document != text && !found.contains(&document) {
                found.push(document);
            }
        }
    }
    found
}

/// A value of the same type that a person would write.
fn plain_value(name: &str, value: &Value) -> Value {
    match value {
        Value::String(_) => Value::String(name.to_lowercase()),
        Value::Number(_) => Value::from(NUMBER),
        Value::Object(_) => Value::Object(Map::new()),
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Bool(_) | Value::Null => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_go_and_values_become_plain() {
        let found = simpler_documents("{\"sku\":\"a?b\",\"grams\":3377}");
        let expected = [
            "{}",
            "{\"sku\":\"sku\"}",
            "{\"sku\":\"a?b\"}",
            "{\"grams\":2}",
            "{\"grams\":3377}",
            "{\"sku\":\"sku\",\"grams\":2}",
        ];
        assert_eq!(found, expected);
        assert_eq!(
            [simpler_documents("[1]"), simpler_documents("text"), simpler_documents("{}")],
            [const { Vec::<String>::new() }; 3]
        );
    }

    #[test]
    fn large_objects_have_few_forms() {
        let text = format!("{{{}}}", ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| format!("\"{name}\":1")).join(","));
        let found = simpler_documents(&text);
        assert_eq!(found.iter().filter(|document| document.matches(':').count() == 7).count(), 16);
        assert!(found.len() < 100 && found[0] == "{}", "{}", found.len());
    }
}
