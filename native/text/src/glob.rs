//! Glob patterns over names of classes and methods: `*` stands for any characters, separators
//! included.

/// Several patterns. A name matches when one of them does; the empty set matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobSet(Vec<String>);

impl GlobSet {
    /// Parses patterns separated by commas. White space around a pattern and empty patterns are
    /// dropped.
    pub fn parse(text: &str) -> GlobSet {
        GlobSet(text.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()).map(str::to_owned).collect())
    }

    /// Whether the whole name matches at least one pattern.
    pub fn matches(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| glob_matches(pattern, name))
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the patterns of another set.
    pub fn extend(&mut self, other: GlobSet) {
        self.0.extend(other.0);
    }
}

/// Whether the whole name matches the pattern.
///
/// Greedy matching with one retry position: on a mismatch the last star takes one byte more. This
/// takes at most `pattern.len() * name.len()` steps and no memory.
pub fn glob_matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    // The last star and the first byte of the name behind what it has taken.
    let mut retry = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, n));
                p += 1;
            }
            Some(byte) if *byte == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match retry {
                Some((star, from)) => {
                    retry = Some((star, from + 1));
                    p = star + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stars_match_any_characters() {
        for (pattern, name, expected) in [
            ("a.B", "a.B", true),
            ("a.B", "a.Bc", false),
            ("a.*", "a.b.C$D", true),
            ("*Test", "x.MyTest", true),
            ("*a*b", "xaxb", true),
            ("*a*a", "xa", false),
            ("a*a", "a", false),
            ("a**", "a", true),
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(glob_matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_set_matches_when_one_pattern_does() {
        let mut globs = GlobSet::parse("a, ,b*");
        assert!(globs.matches("bc") && globs.matches("a") && !globs.matches("c"));
        assert!(GlobSet::parse(" , ").is_empty() && !GlobSet::default().matches(""));
        globs.extend(GlobSet::parse("c"));
        assert!(globs.matches("c"));
    }

    /// The definition, in exponential time.
    fn matches_by_definition(pattern: &[u8], name: &[u8]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, _) => name.is_empty(),
            (Some((b'*', rest)), None) => matches_by_definition(rest, name),
            (Some((b'*', rest)), Some((_, shorter))) => {
                matches_by_definition(rest, name) || matches_by_definition(pattern, shorter)
            }
            (Some(_), None) => false,
            (Some((byte, rest)), Some((first, shorter))) => byte == first && matches_by_definition(rest, shorter),
        }
    }

    proptest! {
        #[test]
        fn greedy_matching_equals_the_definition(pattern in "[ab*]{0,8}", name in "[ab]{0,8}") {
            prop_assert_eq!(glob_matches(&pattern, &name), matches_by_definition(pattern.as_bytes(), name.as_bytes()));
        }
    }
}
