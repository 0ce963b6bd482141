//! Finite automata for a subset of `java.util.regex`. Flows in: a pattern and its flags; flows out:
//! an automaton over UTF-16 units, which a run's string is matched against and which becomes a
//! clause over the inputs. A pattern outside the subset (back references, look-around, possessive
//! quantifiers, word boundaries, Unicode classes, intersections) has no automaton. The construction
//! is Thompson's: one fragment for each node of the pattern, joined by transitions that read
//! nothing. Must not know the replay.

/// `Pattern.CASE_INSENSITIVE`, which concerns ASCII letters only.
pub(crate) const CASE_INSENSITIVE: i32 = 2;
/// `Pattern.LITERAL`.
pub(crate) const LITERAL: i32 = 16;
/// `Pattern.DOTALL`.
pub(crate) const DOTALL: i32 = 32;

/// Most states of an automaton. A clause has one term for each state and position.
const STATES: usize = 512;
/// The line terminators of `.` and `$`.
pub(crate) const TERMINATORS: &[(u16, u16)] = &[(10, 10), (13, 13), (0x85, 0x85), (0x2028, 0x2029)];

/// Ranges of UTF-16 units, ascending and disjoint.
pub(crate) type CharacterClass = Vec<(u16, u16)>;

/// A transition between states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Transition {
    /// Reads one unit of the class and goes to the state.
    Unit(CharacterClass, usize),
    /// Reads nothing and goes to the state where the condition holds.
    Empty(PositionCondition, usize),
}

/// A condition on the position at which a transition that reads nothing is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PositionCondition {
    Any,
    /// `^`, `\A`.
    Start,
    /// `$`, `\Z`: the end of the string, or before its last line terminator.
    End,
    /// `\z`.
    VeryEnd,
}

/// Starts in state 0. The language is over UTF-16 units, so it is right for strings without
/// surrogates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Automaton {
    pub(crate) edges: Vec<Vec<Transition>>,
    pub(crate) accepting: usize,
    /// The class, where the pattern is a single class; `true` where it is one or more of the class.
    pub(crate) class: Option<(CharacterClass, bool)>,
    /// The string, where the pattern matches this string only.
    pub(crate) literal: Option<Vec<u16>>,
}

/// The automaton of a pattern; `None` where the pattern or its flags are outside the subset.
pub(crate) fn automaton(pattern: &[u16], flags: i32) -> Option<Automaton> {
    if flags & !(CASE_INSENSITIVE | LITERAL | DOTALL) != 0 {
        return None;
    }
    let mut parser =
        PatternParser { units: pattern, at: 0, ignores_case: flags & CASE_INSENSITIVE != 0, all: flags & DOTALL != 0, depth: 0 };
    let tree = if flags & LITERAL != 0 {
        PatternTree::Sequence(pattern.iter().map(|&unit| PatternTree::Class(parser.folded(vec![(unit, unit)]))).collect())
    } else {
        let tree = parser.alternatives()?;
        if parser.at != pattern.len() {
            return None;
        }
        tree
    };
    let mut automaton =
        Automaton { edges: vec![Vec::new(), Vec::new()], accepting: 1, class: tree.as_class(), literal: tree.as_literal() };
    automaton.build(&tree, 0, 1)?;
    Some(automaton)
}

#[derive(Clone, Debug)]
enum PatternTree {
    Class(CharacterClass),
    Place(PositionCondition),
    Sequence(Vec<PatternTree>),
    Choice(Vec<PatternTree>),
    Repeat(Box<PatternTree>, u32, Option<u32>),
}

impl PatternTree {
    fn as_class(&self) -> Option<(CharacterClass, bool)> {
        match self {
            PatternTree::Class(class) => Some((class.clone(), false)),
            PatternTree::Sequence(parts) | PatternTree::Choice(parts) if parts.len() == 1 => parts[0].as_class(),
            PatternTree::Repeat(inner, 1, None) => match inner.as_class() {
                Some((class, false)) => Some((class, true)),
                _ => None,
            },
            _ => None,
        }
    }

    fn as_literal(&self) -> Option<Vec<u16>> {
        match self {
            PatternTree::Class(class) => match class[..] {
                [(low, high)] if low == high => Some(vec![low]),
                _ => None,
            },
            PatternTree::Choice(parts) if parts.len() == 1 => parts[0].as_literal(),
            PatternTree::Sequence(parts) => {
                let parts: Option<Vec<Vec<u16>>> = parts.iter().map(PatternTree::as_literal).collect();
                parts.map(|parts| parts.concat())
            }
            _ => None,
        }
    }
}

impl Automaton {
    fn state(&mut self) -> Option<usize> {
        self.edges.push(Vec::new());
        (self.edges.len() <= STATES).then(|| self.edges.len() - 1)
    }

    fn build(&mut self, tree: &PatternTree, from: usize, to: usize) -> Option<()> {
        match tree {
            PatternTree::Class(class) => self.edges[from].push(Transition::Unit(class.clone(), to)),
            PatternTree::Place(place) => self.edges[from].push(Transition::Empty(*place, to)),
            PatternTree::Sequence(parts) => {
                let mut last = from;
                for part in parts {
                    let next = self.state()?;
                    self.build(part, last, next)?;
                    last = next;
                }
                self.edges[last].push(Transition::Empty(PositionCondition::Any, to));
            }
            PatternTree::Choice(parts) => {
                for part in parts {
                    let begin = self.state()?;
                    self.edges[from].push(Transition::Empty(PositionCondition::Any, begin));
                    self.build(part, begin, to)?;
                }
            }
            PatternTree::Repeat(inner, least, most) => {
                let mut last = from;
                for _ in 0..*least {
                    let next = self.state()?;
                    self.build(inner, last, next)?;
                    last = next;
                }
                match most {
                    None => {
                        // The loop gets its own state, so that other fragments do not enter it.
                        let begin = self.state()?;
                        self.edges[last].push(Transition::Empty(PositionCondition::Any, begin));
                        self.build(inner, begin, begin)?;
                        self.edges[begin].push(Transition::Empty(PositionCondition::Any, to));
                    }
                    Some(most) => {
                        for _ in *least..*most {
                            self.edges[last].push(Transition::Empty(PositionCondition::Any, to));
                            let next = self.state()?;
                            self.build(inner, last, next)?;
                            last = next;
                        }
                        self.edges[last].push(Transition::Empty(PositionCondition::Any, to));
                    }
                }
            }
        }
        Some(())
    }

    /// Whether the automaton accepts a prefix of the string from the position `from` on, or with
    /// `whole` all of the rest.
    pub(crate) fn accepts(&self, text: &[u16], from: usize, whole: bool) -> bool {
        let mut states = vec![false; self.edges.len()];
        states[0] = true;
        for place in from..=text.len() {
            self.close(&mut states, text, place);
            if states[self.accepting] && (!whole || place == text.len()) {
                return true;
            }
            let Some(&unit) = text.get(place) else { return false };
            let mut next = vec![false; self.edges.len()];
            for (_, edges) in self.edges.iter().enumerate().filter(|(state, _)| states[*state]) {
                for edge in edges {
                    if let Transition::Unit(class, to) = edge
                        && contains(class, unit)
                    {
                        next[*to] = true;
                    }
                }
            }
            states = next;
        }
        false
    }

    /// Whether the pattern matches anywhere in the string.
    pub(crate) fn is_found(&self, text: &[u16]) -> bool {
        (0..=text.len()).any(|from| self.accepts(text, from, false))
    }

    fn close(&self, states: &mut [bool], text: &[u16], place: usize) {
        let mut pending: Vec<usize> = (0..states.len()).filter(|&state| states[state]).collect();
        while let Some(state) = pending.pop() {
            for edge in &self.edges[state] {
                if let Transition::Empty(condition, to) = edge
                    && !states[*to]
                    && holds(*condition, text, place)
                {
                    states[*to] = true;
                    pending.push(*to);
                }
            }
        }
    }
}

/// Whether a class contains the unit.
pub(crate) fn contains(class: &[(u16, u16)], unit: u16) -> bool {
    class.iter().any(|&(low, high)| (low..=high).contains(&unit))
}

fn holds(condition: PositionCondition, text: &[u16], place: usize) -> bool {
    match condition {
        PositionCondition::Any => true,
        PositionCondition::Start => place == 0,
        PositionCondition::VeryEnd => place == text.len(),
        PositionCondition::End => match &text[place..] {
            [] | [13, 10] => true,
            // The position between the two units of `\r\n` is not before a line terminator.
            [10] => place == 0 || text[place - 1] != 13,
            [last] => contains(TERMINATORS, *last),
            _ => false,
        },
    }
}

/// The complement of a class.
fn complement(class: &[(u16, u16)]) -> CharacterClass {
    let mut result = Vec::new();
    let mut next = 0u32;
    for &(low, high) in class {
        if u32::from(low) > next {
            result.push((next as u16, low - 1));
        }
        next = u32::from(high) + 1;
    }
    if next <= 0xffff {
        result.push((next as u16, 0xffff));
    }
    result
}

/// Sorts the ranges and joins those that overlap or touch.
fn normal(mut class: CharacterClass) -> CharacterClass {
    class.sort_unstable();
    let mut result: CharacterClass = Vec::new();
    for (low, high) in class {
        match result.last_mut() {
            Some((_, last)) if u32::from(low) <= u32::from(*last) + 1 => *last = (*last).max(high),
            _ => result.push((low, high)),
        }
    }
    result
}

struct PatternParser<'a> {
    units: &'a [u16],
    at: usize,
    ignores_case: bool,
    all: bool,
    depth: usize,
}

impl PatternParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.units.get(self.at).map(|&unit| u8::try_from(unit).unwrap_or(0xff))
    }

    fn consume(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn follows(&self, wanted: &str) -> bool {
        self.units[self.at..].iter().copied().take(wanted.len()).eq(wanted.encode_utf16())
    }

    fn alternatives(&mut self) -> Option<PatternTree> {
        self.depth += 1;
        if self.depth > 50 {
            return None;
        }
        let mut parts = vec![self.sequence()?];
        while self.consume(b'|') {
            parts.push(self.sequence()?);
        }
        self.depth -= 1;
        Some(PatternTree::Choice(parts))
    }

    fn sequence(&mut self) -> Option<PatternTree> {
        let mut parts = Vec::new();
        while let Some(unit) = self.peek() {
            if matches!(unit, b'|' | b')') {
                break;
            }
            let atom = self.atom()?;
            parts.push(self.quantified(atom)?);
        }
        Some(PatternTree::Sequence(parts))
    }

    fn quantified(&mut self, atom: PatternTree) -> Option<PatternTree> {
        let (least, most) = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => {
                self.at += 1;
                let least = self.number()?;
                let most = match self.consume(b',') {
                    false => Some(least),
                    true if self.peek() == Some(b'}') => None,
                    true => Some(self.number()?),
                };
                if self.peek() != Some(b'}') || most.is_some_and(|most| most < least) {
                    return None;
                }
                (least, most)
            }
            _ => return Some(atom),
        };
        self.at += 1;
        // A reluctant quantifier has the same language as a greedy one. A possessive quantifier
        // does not.
        if self.peek() == Some(b'+') {
            return None;
        }
        self.consume(b'?');
        if matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'{')) {
            return None;
        }
        Some(PatternTree::Repeat(Box::new(atom), least, most))
    }

    fn number(&mut self) -> Option<u32> {
        let mut value: Option<u32> = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = Some(value.unwrap_or(0).checked_mul(10)?.checked_add(u32::from(digit - b'0'))?);
            self.at += 1;
        }
        value.filter(|&value| value as usize <= STATES)
    }

    fn atom(&mut self) -> Option<PatternTree> {
        let unit = self.units[self.at];
        self.at += 1;
        Some(match u8::try_from(unit).unwrap_or(0xff) {
            b'.' => PatternTree::Class(if self.all { vec![(0, 0xffff)] } else { complement(TERMINATORS) }),
            b'^' => PatternTree::Place(PositionCondition::Start),
            b'$' => PatternTree::Place(PositionCondition::End),
            b'[' => PatternTree::Class(self.class()?),
            b'(' => {
                let (ignores_case, all) = (self.ignores_case, self.all);
                if self.consume(b'?') {
                    if self.follows("<") && !self.follows("<=") && !self.follows("<!") {
                        while !self.consume(b'>') {
                            self.peek()?;
                            self.at += 1;
                        }
                    } else {
                        while let Some(flag) = self.peek() {
                            match flag {
                                b'i' => self.ignores_case = true,
                                b's' => self.all = true,
                                _ => break,
                            }
                            self.at += 1;
                        }
                        if self.consume(b')') {
                            // A flag holds up to the end of the enclosing group.
                            return Some(PatternTree::Sequence(Vec::new()));
                        }
                        if !self.consume(b':') {
                            return None;
                        }
                    }
                }
                let inner = self.alternatives()?;
                (self.ignores_case, self.all) = (ignores_case, all);
                if !self.consume(b')') {
                    return None;
                }
                inner
            }
            b'\\' => match self.peek()? {
                b'A' => {
                    self.at += 1;
                    PatternTree::Place(PositionCondition::Start)
                }
                b'Z' => {
                    self.at += 1;
                    PatternTree::Place(PositionCondition::End)
                }
                b'z' => {
                    self.at += 1;
                    PatternTree::Place(PositionCondition::VeryEnd)
                }
                b'Q' => {
                    self.at += 1;
                    let mut parts = Vec::new();
                    while self.at < self.units.len() && !self.follows("\\E") {
                        let unit = self.units[self.at];
                        parts.push(PatternTree::Class(self.folded(vec![(unit, unit)])));
                        self.at += 1;
                    }
                    self.at = (self.at + 2).min(self.units.len());
                    // A following quantifier applies to the last character only.
                    if matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'{')) {
                        return None;
                    }
                    PatternTree::Sequence(parts)
                }
                _ => {
                    let class = self.escape()?;
                    PatternTree::Class(self.folded(class))
                }
            },
            b'*' | b'+' | b'?' | b'{' | b')' => return None,
            _ if (0xd800..0xe000).contains(&unit) => return None,
            _ => PatternTree::Class(self.folded(vec![(unit, unit)])),
        })
    }

    fn folded(&self, class: CharacterClass) -> CharacterClass {
        if !self.ignores_case {
            return normal(class);
        }
        let mut both = class.clone();
        for (from, to, other) in [(b'a', b'z', b'A'), (b'A', b'Z', b'a')] {
            for (unit, other) in (from..=to).zip(other..) {
                if contains(&class, u16::from(unit)) {
                    both.push((u16::from(other), u16::from(other)));
                }
            }
        }
        normal(both)
    }

    /// Parses a character class after its opening bracket.
    fn class(&mut self) -> Option<CharacterClass> {
        let negated = self.consume(b'^');
        let mut class = Vec::new();
        let mut first = true;
        loop {
            let unit = self.peek()?;
            if unit == b']' && !first {
                self.at += 1;
                break;
            }
            first = false;
            // Unions and intersections are outside the subset. A `]` in the first position is
            // refused, because its meaning depends on the JDK.
            if matches!(unit, b'[' | b']') || self.follows("&&") {
                return None;
            }
            let low = self.member()?;
            let is_range = self.peek() == Some(b'-') && self.units.get(self.at + 1).is_some_and(|&next| next != u16::from(b']'));
            match (low, is_range) {
                (Ok(low), true) => {
                    self.at += 1;
                    if self.peek() == Some(b'[') {
                        return None;
                    }
                    let Ok(high) = self.member()? else { return None };
                    if high < low {
                        return None;
                    }
                    class.push((low, high));
                }
                (Ok(unit), false) => class.push((unit, unit)),
                (Err(members), false) => class.extend(members),
                (Err(_), true) => return None,
            }
        }
        let class = self.folded(class);
        Some(if negated { complement(&class) } else { class })
    }

    /// Parses one unit or one escape inside a character class.
    fn member(&mut self) -> Option<Result<u16, CharacterClass>> {
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        if (0xd800..0xe000).contains(&unit) {
            return None;
        }
        if unit != u16::from(b'\\') {
            return Some(Ok(unit));
        }
        let class = self.escape()?;
        Some(match class[..] {
            [(low, high)] if low == high => Ok(low),
            _ => Err(class),
        })
    }

    /// Parses an escape after its backslash.
    fn escape(&mut self) -> Option<CharacterClass> {
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        let one = |unit: u8| vec![(u16::from(unit), u16::from(unit))];
        let ranges = |text: &[(u8, u8)]| -> CharacterClass { text.iter().map(|&(a, b)| (u16::from(a), u16::from(b))).collect() };
        Some(match u8::try_from(unit).unwrap_or(0xff) {
            b'd' => ranges(&[(b'0', b'9')]),
            b'D' => complement(&ranges(&[(b'0', b'9')])),
            b'w' => ranges(&[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')]),
            b'W' => complement(&ranges(&[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')])),
            b's' => ranges(&[(9, 13), (32, 32)]),
            b'S' => complement(&ranges(&[(9, 13), (32, 32)])),
            b't' => one(9),
            b'n' => one(10),
            b'r' => one(13),
            b'f' => one(12),
            b'a' => one(7),
            b'e' => one(27),
            b'x' => self.hexadecimal(2)?,
            b'u' => self.hexadecimal(4)?,
            b'p' => self.posix()?,
            b'P' => complement(&self.posix()?),
            // Other letters have a meaning outside the subset or are errors; digits are back
            // references.
            letter if letter.is_ascii_alphanumeric() => return None,
            _ if (0xd800..0xe000).contains(&unit) => return None,
            _ => vec![(unit, unit)],
        })
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<CharacterClass> {
        let text = String::from_utf16(self.units.get(self.at..self.at + digits)?).ok()?;
        if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let unit = u16::from_str_radix(&text, 16).ok()?;
        self.at += digits;
        (!(0xd800..0xe000).contains(&unit)).then(|| vec![(unit, unit)])
    }

    /// Parses the name of a POSIX class of ASCII characters, such as `{Alpha}`.
    fn posix(&mut self) -> Option<CharacterClass> {
        let end = self.units[self.at..].iter().position(|&unit| unit == u16::from(b'}'))?;
        let name = String::from_utf16(&self.units[self.at..self.at + end]).ok()?;
        self.at += end + 1;
        // With `CASE_INSENSITIVE` some of these classes contain more characters.
        if self.ignores_case && matches!(&*name, "{Lower" | "{Upper") {
            return None;
        }
        Some(match &*name {
            "{Lower" => vec![(97, 122)],
            "{Upper" => vec![(65, 90)],
            "{ASCII" => vec![(0, 127)],
            "{Alpha" => vec![(65, 90), (97, 122)],
            "{Digit" => vec![(48, 57)],
            "{Alnum" => vec![(48, 57), (65, 90), (97, 122)],
            "{Punct" => vec![(33, 47), (58, 64), (91, 96), (123, 126)],
            "{Graph" => vec![(33, 126)],
            "{Print" => vec![(32, 126)],
            "{Blank" => vec![(9, 9), (32, 32)],
            "{Cntrl" => vec![(0, 31), (127, 127)],
            "{XDigit" => vec![(48, 57), (65, 70), (97, 102)],
            "{Space" => vec![(9, 13), (32, 32)],
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    fn matches(pattern: &str, flags: i32, text: &str) -> Option<bool> {
        automaton(&units(pattern), flags).map(|automaton| automaton.accepts(&units(text), 0, true))
    }

    #[test]
    fn an_automaton_accepts_the_language_of_its_pattern() {
        for (pattern, accepted, rejected) in [
            ("a|bc", "bc", "ac"),
            ("(ab)*", "abab", "aba"),
            ("a{2,3}", "aaa", "aaaa"),
            ("[a-c]+\\d?", "abc1", "1"),
            ("[^x]", "y", "x"),
            ("\\p{Alpha}\\.", "k.", "kk"),
            ("a+?b", "aab", "b"),
            ("^a$", "a", "ba"),
            (".*", "ab", "a\nb"),
        ] {
            assert_eq!(matches(pattern, 0, accepted), Some(true), "{pattern}");
            assert_eq!(matches(pattern, 0, rejected), Some(false), "{pattern}");
        }
        assert_eq!(matches("aB", CASE_INSENSITIVE, "Ab"), Some(true));
        assert_eq!(matches("a.", LITERAL, "ab"), Some(false));
        assert_eq!(matches("a.b", DOTALL, "a\nb"), Some(true));
    }

    #[test]
    fn patterns_outside_the_subset_have_no_automaton() {
        for pattern in ["(a)\\1", "a(?=b)", "a++", "\\bword", "\\p{IsGreek}", "[a&&b]", "(", "a{2", "*"] {
            assert_eq!(matches(pattern, 0, "a"), None, "{pattern}");
        }
        assert_eq!(matches("a", 8, "a"), None, "MULTILINE");
    }

    #[test]
    fn matches_are_found_anywhere_and_classes_and_literals_are_recognised() {
        let found = |pattern: &str, text: &str| automaton(&units(pattern), 0).map(|automaton| automaton.is_found(&units(text)));
        assert_eq!(found("b+", "abba"), Some(true));
        assert_eq!(found("b+", "aca"), Some(false));
        let shape = |pattern: &str| automaton(&units(pattern), 0).map(|automaton| (automaton.class, automaton.literal));
        assert_eq!(shape("[,;]+").map(|(class, _)| class.is_some_and(|(_, is_repeated)| is_repeated)), Some(true));
        assert_eq!(shape("ab").map(|(_, literal)| literal), Some(Some(units("ab"))));
    }
}
