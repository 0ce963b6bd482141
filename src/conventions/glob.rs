//! Glob patterns of the sections of `.editorconfig`. In: a pattern, and paths relative to the
//! folder of the file, with `/` between their parts. Out: whether a path matches.
//!
//! The positions of the path that the pattern can reach so far are kept together. So there is no
//! backtracking, and a pattern costs at most its length times the square of the length of the path.

/// Braces inside each other beyond this number are plain characters.
const MOST_NESTED: usize = 8;
/// Digits of a number that a range of numbers matches.
const MOST_DIGITS: usize = 18;

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct PathGlob(Vec<GlobPart>);

#[derive(Debug, PartialEq)]
enum GlobPart {
    Character(char),
    /// `?`: one character, but no separator.
    AnyCharacter,
    /// `*`: characters without a separator.
    WithinSegment,
    /// `**`: any characters.
    Anything,
    /// `/**/`: one separator, or folders between two of them.
    Folders,
    /// `[a-c]` or `[!a-c]`.
    Class {
        ranges: Vec<(char, char)>,
        is_negated: bool,
    },
    /// `{1..3}`.
    Number {
        least: i64,
        most: i64,
    },
    /// `{a,b}`.
    Choice(Vec<Vec<GlobPart>>),
}

impl PathGlob {
    /// Parses a pattern; every text is one. Without a separator, it matches in every folder.
    pub(super) fn parse(pattern: &str) -> PathGlob {
        let anchored = if pattern.contains('/') {
            format!("/{}", pattern.strip_prefix('/').unwrap_or(pattern))
        } else {
            format!("/**/{pattern}")
        };
        PathGlob(parse_parts(&anchored.chars().collect::<Vec<_>>(), 0))
    }

    /// Whether the whole path matches.
    pub(super) fn matches(&self, path: &str) -> bool {
        let text: Vec<char> = std::iter::once('/').chain(path.chars()).collect();
        let mut reached = vec![false; text.len() + 1];
        reached[0] = true;
        reach(&self.0, &text, reached)[text.len()]
    }
}

fn parse_parts(pattern: &[char], depth: usize) -> Vec<GlobPart> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let next = pattern.get(at + 1);
        let (part, length) = match pattern[at] {
            '\\' => (GlobPart::Character(*next.unwrap_or(&'\\')), 2),
            '?' => (GlobPart::AnyCharacter, 1),
            '*' if next != Some(&'*') => (GlobPart::WithinSegment, 1),
            '*' if pattern.get(at + 2) == Some(&'/') && parts.last() == Some(&GlobPart::Character('/')) => {
                parts.pop();
                (GlobPart::Folders, 3)
            }
            '*' => (GlobPart::Anything, 2),
            '[' => parse_class(&pattern[at..]).unwrap_or((GlobPart::Character('['), 1)),
            '{' if depth < MOST_NESTED => match closing_brace(&pattern[at..]) {
                Some(end) => {
                    parts.extend(parse_braces(&pattern[at + 1..at + end], depth + 1));
                    at += end + 1;
                    continue;
                }
                None => (GlobPart::Character('{'), 1),
            },
            plain => (GlobPart::Character(plain), 1),
        };
        parts.push(part);
        at += length;
    }
    parts
}

/// The characters between `[` and the next `]`, with the length of the whole; `None` where there is
/// no such class in this segment of the path.
fn parse_class(pattern: &[char]) -> Option<(GlobPart, usize)> {
    let is_negated = pattern.get(1) == Some(&'!');
    let mut at = if is_negated { 2 } else { 1 };
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        let mut character = *pattern.get(at)?;
        match character {
            '/' => return None,
            ']' if !ranges.is_empty() => return Some((GlobPart::Class { ranges, is_negated }, at + 1)),
            '-' if !ranges.is_empty() && pattern.get(at + 1).is_some_and(|end| *end != ']') => {
                let end = *pattern.get(at + 1)?;
                if let Some(last) = ranges.last_mut() {
                    last.1 = end;
                }
                at += 2;
                continue;
            }
            '\\' => {
                at += 1;
                character = *pattern.get(at)?;
            }
            _ => {}
        }
        ranges.push((character, character));
        at += 1;
    }
}

/// The offset of the brace that closes the one at the beginning.
fn closing_brace(pattern: &[char]) -> Option<usize> {
    let mut open = 0;
    let mut at = 0;
    while at < pattern.len() {
        match pattern[at] {
            '\\' => at += 1,
            '{' => open += 1,
            '}' if open == 1 => return Some(at),
            '}' => open -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The content of braces: a range of numbers, alternatives, or plain text with its braces.
fn parse_braces(content: &[char], depth: usize) -> Vec<GlobPart> {
    let text: String = content.iter().collect();
    let numbers = text.split_once("..").and_then(|(from, to)| Some((from.parse::<i64>().ok()?, to.parse::<i64>().ok()?)));
    if let Some((from, to)) = numbers {
        return vec![GlobPart::Number { least: from.min(to), most: from.max(to) }];
    }
    let mut alternatives = vec![Vec::new()];
    let mut open = 0_usize;
    let mut is_escaped = false;
    for character in content {
        match character {
            ',' if open == 0 && !is_escaped => {
                alternatives.push(Vec::new());
                continue;
            }
            '{' if !is_escaped => open += 1,
            '}' if !is_escaped => open = open.saturating_sub(1),
            _ => {}
        }
        is_escaped = *character == '\\' && !is_escaped;
        if let Some(last) = alternatives.last_mut() {
            last.push(*character);
        }
    }
    let mut alternatives: Vec<Vec<GlobPart>> = alternatives.iter().map(|one| parse_parts(one, depth)).collect();
    if alternatives.len() > 1 {
        return vec![GlobPart::Choice(alternatives)];
    }
    let mut plain = vec![GlobPart::Character('{')];
    plain.extend(alternatives.pop().unwrap_or_default());
    plain.push(GlobPart::Character('}'));
    plain
}

/// The positions behind the parts, where the text before each position of `from` is matched.
fn reach(parts: &[GlobPart], text: &[char], from: Vec<bool>) -> Vec<bool> {
    let mut reached = from;
    for part in parts {
        reached = match part {
            GlobPart::Character(character) => reach_one(text, &reached, |other| other == *character),
            GlobPart::AnyCharacter => reach_one(text, &reached, |other| other != '/'),
            GlobPart::Class { ranges, is_negated } => reach_one(text, &reached, |other| {
                other != '/' && ranges.iter().any(|(from, to)| (*from..=*to).contains(&other)) != *is_negated
            }),
            GlobPart::WithinSegment => reach_many(text, reached, |other| other != '/'),
            GlobPart::Anything => reach_many(text, reached, |_| true),
            GlobPart::Folders => {
                let behind = reach_one(text, &reached, |other| other == '/');
                let further = reach_one(text, &reach_many(text, behind.clone(), |_| true), |other| other == '/');
                union(behind, &further)
            }
            GlobPart::Number { least, most } => reach_number(text, &reached, *least, *most),
            GlobPart::Choice(alternatives) => alternatives
                .iter()
                .fold(vec![false; text.len() + 1], |all, alternative| union(all, &reach(alternative, text, reached.clone()))),
        };
    }
    reached
}

fn union(mut one: Vec<bool>, other: &[bool]) -> Vec<bool> {
    one.iter_mut().zip(other).for_each(|(one, other)| *one |= other);
    one
}

/// The positions one matching character further.
fn reach_one(text: &[char], from: &[bool], is_match: impl Fn(char) -> bool) -> Vec<bool> {
    let further = text.iter().zip(from).map(|(character, is_reached)| *is_reached && is_match(*character));
    std::iter::once(false).chain(further).collect()
}

/// The positions any number of matching characters further.
fn reach_many(text: &[char], mut from: Vec<bool>, is_match: impl Fn(char) -> bool) -> Vec<bool> {
    for (position, character) in text.iter().enumerate() {
        from[position + 1] |= from[position] && is_match(*character);
    }
    from
}

/// The positions behind a whole number of the range. A number has no zeros in front.
fn reach_number(text: &[char], from: &[bool], least: i64, most: i64) -> Vec<bool> {
    let mut reached = vec![false; text.len() + 1];
    for start in (0..text.len()).filter(|start| from[*start]) {
        let sign = usize::from(text[start] == '-');
        let digits = text[start + sign..].iter().take(MOST_DIGITS).take_while(|unit| unit.is_ascii_digit()).count();
        for end in start + sign + 1..=start + sign + digits {
            let number: String = text[start..end].iter().collect();
            let has_zeros = end > start + sign + 1 && text[start + sign] == '0';
            reached[end] |= !has_zeros && number.parse::<i64>().is_ok_and(|number| (least..=most).contains(&number));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_the_specification_says() {
        for (pattern, matching, other) in [
            ("*", &["A.java", "a/b/A.java"][..], &[][..]),
            ("*.java", &["A.java", "a/b/A.java"], &["A.kt", "A.java/x"]),
            ("*.{java,kt}", &["A.java", "a/A.kt"], &["A.kts", "A.{java,kt}"]),
            ("/*.java", &["A.java"], &["a/A.java"]),
            ("src/*.java", &["src/A.java"], &["A.java", "src/a/A.java", "x/src/A.java"]),
            ("src/**.java", &["src/A.java", "src/a/b/A.java"], &["x/src/A.java"]),
            ("src/**/A.java", &["src/A.java", "src/a/b/A.java"], &["src/aA.java"]),
            ("**/test/**", &["src/test/A.java", "test/a/A.java"], &["src/main/A.java"]),
            ("{src,out}/**", &["src/a/A.java", "out/A.java"], &["x/src/A.java"]),
            ("[A-C]?.java", &["B1.java", "a/C1.java"], &["D1.java", "B.java", "B12.java"]),
            ("[!A].java", &["B.java"], &["A.java"]),
            ("[ab].java", &["b.java"], &["ab.java"]),
            ("a[/b].java", &["a[/b].java"], &["ab.java", "a/b.java"]),
            ("{single}.java", &["{single}.java"], &["single.java"]),
            ("{a,b{1,2}}.java", &["a.java", "b2.java"], &["b.java", "b3.java"]),
            ("{a,}.java", &["a.java", ".java"], &["b.java"]),
            ("{3..1}.java", &["1.java", "3.java"], &["0.java", "4.java", "01.java"]),
            ("{-2..120}", &["-2", "-1", "120"], &["-3", "121", "1200"]),
            ("a{b", &["a{b"], &["ab"]),
            ("\\*.java", &["*.java"], &["a.java"]),
        ] {
            let glob = PathGlob::parse(pattern);
            for path in matching {
                assert!(glob.matches(path), "{pattern} {path}");
            }
            for path in other {
                assert!(!glob.matches(path), "{pattern} {path}");
            }
        }
    }

    #[test]
    fn many_stars_and_braces_take_no_time() {
        let path = "a".repeat(200);
        assert!(!PathGlob::parse(&format!("{}b", "*a".repeat(200))).matches(&path));
        assert!(!PathGlob::parse(&"{".repeat(900)).matches(&path));
        assert!(PathGlob::parse(&format!("{}*{}", "{a,".repeat(300), "}".repeat(300))).matches("a"));
    }
}
