//! `GLOB` of the command line: `*` matches anything, dots and `$` too; several by commas.

/// PathList patterns; a name matches when one of them does. Empty: nothing matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Globs(Vec<String>);

impl Globs {
    pub(crate) fn parse(text: &str) -> Globs {
        Globs(text.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()).map(str::to_owned).collect())
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| matches(pattern, name))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::Globs;

    #[test]
    fn stars_match_anything() {
        for (pattern, name, expected) in [
            ("a.B", "a.B", true),
            ("a.B", "a.Bc", false),
            ("a.*", "a.b.C$D", true),
            ("*Test", "x.MyTest", true),
            ("*a*b", "xaxb", true),
            ("*a*a", "xa", false),
            ("a, b*", "bc", true),
            ("", "a", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(Globs::parse(pattern).matches(name), expected, "{pattern} {name}");
        }
    }
}
