//! Regular expressions of the subset that automata can do: parsed from the pattern, matched against texts of this run and, as a clause, against
//! texts over the inputs. Flows in: a pattern and flags; flows out: an automaton over UTF-16 units. What is not in the subset (references,
//! look-around, possessive quantifiers, word boundaries, classes of Unicode, intersections) is no automaton. Must not know the replay.

/// `Pattern.CASE_INSENSITIVE`: of ASCII letters.
pub(crate) const CASE_INSENSITIVE: i32 = 2;
/// `Pattern.LITERAL`.
pub(crate) const LITERAL: i32 = 16;
/// `Pattern.DOTALL`.
pub(crate) const DOTALL: i32 = 32;

/// States above this number cost too many terms.
const STATES: usize = 512;
/// What ends a line, for `.` and `$`.
pub(crate) const TERMINATORS: &[(u16, u16)] = &[(10, 10), (13, 13), (0x85, 0x85), (0x2028, 0x2029)];

/// Units of a character class, in order, without overlap.
pub(crate) type Class = Vec<(u16, u16)>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// Reads a unit of the class.
    Unit(Class, usize),
    /// Reads nothing, under a condition on the place.
    Empty(Place, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Any,
    /// `^`, `\A`.
    Start,
    /// `$`, `\Z`: the end, or before the terminator of the last line.
    End,
    /// `\z`.
    VeryEnd,
}

/// Starts in state 0. Its language is over units: right for texts without surrogates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Automaton {
    pub(crate) edges: Vec<Vec<Edge>>,
    pub(crate) accepting: usize,
    /// The pattern is one class, or (true) one or more of it: matches are where its units are.
    pub(crate) class: Option<(Class, bool)>,
    /// The pattern is this text.
    pub(crate) literal: Option<Vec<u16>>,
}

/// `None`: not in the subset.
pub(crate) fn automaton(pattern: &[u16], flags: i32) -> Option<Automaton> {
    if flags & !(CASE_INSENSITIVE | LITERAL | DOTALL) != 0 {
        return None;
    }
    let mut parser =
        Parser { units: pattern, at: 0, ignores_case: flags & CASE_INSENSITIVE != 0, all: flags & DOTALL != 0, depth: 0 };
    let tree = if flags & LITERAL != 0 {
        Tree::Sequence(pattern.iter().map(|&unit| Tree::Class(parser.folded(vec![(unit, unit)]))).collect())
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
enum Tree {
    Class(Class),
    Place(Place),
    Sequence(Vec<Tree>),
    Choice(Vec<Tree>),
    Repeat(Box<Tree>, u32, Option<u32>),
}

impl Tree {
    fn as_class(&self) -> Option<(Class, bool)> {
        match self {
            Tree::Class(class) => Some((class.clone(), false)),
            Tree::Sequence(parts) | Tree::Choice(parts) if parts.len() == 1 => parts[0].as_class(),
            Tree::Repeat(inner, 1, None) => match inner.as_class() {
                Some((class, false)) => Some((class, true)),
                _ => None,
            },
            _ => None,
        }
    }

    fn as_literal(&self) -> Option<Vec<u16>> {
        match self {
            Tree::Class(class) => match class[..] {
                [(low, high)] if low == high => Some(vec![low]),
                _ => None,
            },
            Tree::Choice(parts) if parts.len() == 1 => parts[0].as_literal(),
            Tree::Sequence(parts) => {
                let parts: Option<Vec<Vec<u16>>> = parts.iter().map(Tree::as_literal).collect();
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

    fn build(&mut self, tree: &Tree, from: usize, to: usize) -> Option<()> {
        match tree {
            Tree::Class(class) => self.edges[from].push(Edge::Unit(class.clone(), to)),
            Tree::Place(place) => self.edges[from].push(Edge::Empty(*place, to)),
            Tree::Sequence(parts) => {
                let mut last = from;
                for part in parts {
                    let next = self.state()?;
                    self.build(part, last, next)?;
                    last = next;
                }
                self.edges[last].push(Edge::Empty(Place::Any, to));
            }
            Tree::Choice(parts) => {
                for part in parts {
                    let begin = self.state()?;
                    self.edges[from].push(Edge::Empty(Place::Any, begin));
                    self.build(part, begin, to)?;
                }
            }
            Tree::Repeat(inner, least, most) => {
                let mut last = from;
                for _ in 0..*least {
                    let next = self.state()?;
                    self.build(inner, last, next)?;
                    last = next;
                }
                match most {
                    None => {
                        // A state of its own: the loop must not be entered from outside.
                        let begin = self.state()?;
                        self.edges[last].push(Edge::Empty(Place::Any, begin));
                        self.build(inner, begin, begin)?;
                        self.edges[begin].push(Edge::Empty(Place::Any, to));
                    }
                    Some(most) => {
                        for _ in *least..*most {
                            self.edges[last].push(Edge::Empty(Place::Any, to));
                            let next = self.state()?;
                            self.build(inner, last, next)?;
                            last = next;
                        }
                        self.edges[last].push(Edge::Empty(Place::Any, to));
                    }
                }
            }
        }
        Some(())
    }

    /// Whether a prefix of the text from a place on is of the language (`whole`: the rest of the text).
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
                    if let Edge::Unit(class, to) = edge
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

    /// Whether it matches anywhere.
    pub(crate) fn is_found(&self, text: &[u16]) -> bool {
        (0..=text.len()).any(|from| self.accepts(text, from, false))
    }

    fn close(&self, states: &mut [bool], text: &[u16], place: usize) {
        let mut pending: Vec<usize> = (0..states.len()).filter(|&state| states[state]).collect();
        while let Some(state) = pending.pop() {
            for edge in &self.edges[state] {
                if let Edge::Empty(condition, to) = edge
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

pub(crate) fn contains(class: &[(u16, u16)], unit: u16) -> bool {
    class.iter().any(|&(low, high)| (low..=high).contains(&unit))
}

fn holds(condition: Place, text: &[u16], place: usize) -> bool {
    match condition {
        Place::Any => true,
        Place::Start => place == 0,
        Place::VeryEnd => place == text.len(),
        Place::End => match &text[place..] {
            [] | [13, 10] => true,
            // Not between the two of a line terminator.
            [10] => place == 0 || text[place - 1] != 13,
            [last] => contains(TERMINATORS, *last),
            _ => false,
        },
    }
}

/// What is not in the class.
fn complement(class: &[(u16, u16)]) -> Class {
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

/// In order, without overlap.
fn normal(mut class: Class) -> Class {
    class.sort_unstable();
    let mut result: Class = Vec::new();
    for (low, high) in class {
        match result.last_mut() {
            Some((_, last)) if u32::from(low) <= u32::from(*last) + 1 => *last = (*last).max(high),
            _ => result.push((low, high)),
        }
    }
    result
}

struct Parser<'a> {
    units: &'a [u16],
    at: usize,
    ignores_case: bool,
    all: bool,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.units.get(self.at).map(|&unit| u8::try_from(unit).unwrap_or(0xff))
    }

    fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn follows(&self, wanted: &str) -> bool {
        self.units[self.at..].iter().copied().take(wanted.len()).eq(wanted.encode_utf16())
    }

    fn alternatives(&mut self) -> Option<Tree> {
        self.depth += 1;
        if self.depth > 50 {
            return None;
        }
        let mut parts = vec![self.sequence()?];
        while self.take(b'|') {
            parts.push(self.sequence()?);
        }
        self.depth -= 1;
        Some(Tree::Choice(parts))
    }

    fn sequence(&mut self) -> Option<Tree> {
        let mut parts = Vec::new();
        while let Some(unit) = self.peek() {
            if matches!(unit, b'|' | b')') {
                break;
            }
            let atom = self.atom()?;
            parts.push(self.quantified(atom)?);
        }
        Some(Tree::Sequence(parts))
    }

    fn quantified(&mut self, atom: Tree) -> Option<Tree> {
        let (least, most) = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => {
                self.at += 1;
                let least = self.number()?;
                let most = match self.take(b',') {
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
        // A reluctant one has the same language; a possessive one has not.
        if self.peek() == Some(b'+') {
            return None;
        }
        self.take(b'?');
        if matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'{')) {
            return None;
        }
        Some(Tree::Repeat(Box::new(atom), least, most))
    }

    fn number(&mut self) -> Option<u32> {
        let mut value: Option<u32> = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = Some(value.unwrap_or(0).checked_mul(10)?.checked_add(u32::from(digit - b'0'))?);
            self.at += 1;
        }
        value.filter(|&value| value as usize <= STATES)
    }

    fn atom(&mut self) -> Option<Tree> {
        let unit = self.units[self.at];
        self.at += 1;
        Some(match u8::try_from(unit).unwrap_or(0xff) {
            b'.' => Tree::Class(if self.all { vec![(0, 0xffff)] } else { complement(TERMINATORS) }),
            b'^' => Tree::Place(Place::Start),
            b'$' => Tree::Place(Place::End),
            b'[' => Tree::Class(self.class()?),
            b'(' => {
                let (ignores_case, all) = (self.ignores_case, self.all);
                if self.take(b'?') {
                    if self.follows("<") && !self.follows("<=") && !self.follows("<!") {
                        while !self.take(b'>') {
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
                        if self.take(b')') {
                            // Holds up to the end of the group around it.
                            return Some(Tree::Sequence(Vec::new()));
                        }
                        if !self.take(b':') {
                            return None;
                        }
                    }
                }
                let inner = self.alternatives()?;
                (self.ignores_case, self.all) = (ignores_case, all);
                if !self.take(b')') {
                    return None;
                }
                inner
            }
            b'\\' => match self.peek()? {
                b'A' => {
                    self.at += 1;
                    Tree::Place(Place::Start)
                }
                b'Z' => {
                    self.at += 1;
                    Tree::Place(Place::End)
                }
                b'z' => {
                    self.at += 1;
                    Tree::Place(Place::VeryEnd)
                }
                b'Q' => {
                    self.at += 1;
                    let mut parts = Vec::new();
                    while self.at < self.units.len() && !self.follows("\\E") {
                        let unit = self.units[self.at];
                        parts.push(Tree::Class(self.folded(vec![(unit, unit)])));
                        self.at += 1;
                    }
                    self.at = (self.at + 2).min(self.units.len());
                    // A quantifier behind it is of the last character alone.
                    if matches!(self.peek(), Some(b'*' | b'+' | b'?' | b'{')) {
                        return None;
                    }
                    Tree::Sequence(parts)
                }
                _ => {
                    let class = self.escape()?;
                    Tree::Class(self.folded(class))
                }
            },
            b'*' | b'+' | b'?' | b'{' | b')' => return None,
            _ if (0xd800..0xe000).contains(&unit) => return None,
            _ => Tree::Class(self.folded(vec![(unit, unit)])),
        })
    }

    fn folded(&self, class: Class) -> Class {
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

    /// Behind the bracket.
    fn class(&mut self) -> Option<Class> {
        let negated = self.take(b'^');
        let mut class = Vec::new();
        let mut first = true;
        loop {
            let unit = self.peek()?;
            if unit == b']' && !first {
                self.at += 1;
                break;
            }
            first = false;
            // Unions and intersections of classes; a bracket that is first is refused, as what it means has changed.
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

    /// A unit, or the class of an escape.
    fn member(&mut self) -> Option<Result<u16, Class>> {
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

    /// Behind the backslash.
    fn escape(&mut self) -> Option<Class> {
        let unit = *self.units.get(self.at)?;
        self.at += 1;
        let one = |unit: u8| vec![(u16::from(unit), u16::from(unit))];
        let ranges = |text: &[(u8, u8)]| -> Class { text.iter().map(|&(a, b)| (u16::from(a), u16::from(b))).collect() };
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
            // Other letters mean something, or are refused; of digits, references.
            letter if letter.is_ascii_alphanumeric() => return None,
            _ if (0xd800..0xe000).contains(&unit) => return None,
            _ => vec![(unit, unit)],
        })
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<Class> {
        let text = String::from_utf16(self.units.get(self.at..self.at + digits)?).ok()?;
        if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let unit = u16::from_str_radix(&text, 16).ok()?;
        self.at += digits;
        (!(0xd800..0xe000).contains(&unit)).then(|| vec![(unit, unit)])
    }

    /// `{Alpha}` and its like, of ASCII.
    fn posix(&mut self) -> Option<Class> {
        let end = self.units[self.at..].iter().position(|&unit| unit == u16::from(b'}'))?;
        let name = String::from_utf16(&self.units[self.at..self.at + end]).ok()?;
        self.at += end + 1;
        // With case ignored, some of them hold for more.
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
