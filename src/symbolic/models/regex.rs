//! Models of `Pattern`, `Matcher` and the pattern methods of `String`, for constant patterns.
//! Membership in the language is one clause over all lengths. `split` and `replaceAll` are modelled
//! where the pattern is a string or a character class. Flows in: a method and its arguments; flows
//! out: a [`ModelResult`], computed by the automaton. Must not know how patterns are parsed.

use std::rc::Rc;

use super::known_string::StringTerms;
use super::methods::regex::RegexModel;
use super::result::{ModelResult, NULL_POINTER};
use crate::expr::TermId;
use crate::path::ClauseKind;
use crate::symbolic::completion::InterpResult;
use crate::symbolic::context::ModelContext;
use crate::symbolic::data::automaton::{Automaton, LITERAL, PositionCondition, TERMINATORS, Transition, automaton, contains};
use crate::symbolic::data::objects::{Matcher, ObjectBody, ObjectId, Slot};
use crate::symbolic::data::strings::KnownString;

/// The part of a string that must match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MatchRegion {
    Whole,
    Prefix,
    Anywhere,
}

/// The result of a search for all matches.
struct SplitParts {
    /// The strings between matches; the last one follows the last match.
    between: Vec<KnownString>,
}

impl ModelContext<'_, '_> {
    /// Applies a model to the arguments of a call, the receiver first.
    pub(super) fn apply_regex(&mut self, model: RegexModel, arguments: &[Slot]) -> InterpResult<ModelResult> {
        let first = arguments.first().copied().unwrap_or_default();
        let second = arguments.get(1).copied().unwrap_or_default();
        match model {
            RegexModel::Matches | RegexModel::MatchesStatic => {
                let (text, pattern) = if model == RegexModel::Matches { (first, second) } else { (second, first) };
                if text.object().is_null() || pattern.object().is_null() {
                    return Ok(ModelResult::Throws(NULL_POINTER));
                }
                match (self.sequence(text.object()), self.constant_automaton(pattern.object(), 0)) {
                    (Some(text), Some(automaton)) => self.membership(&automaton, &text, MatchRegion::Whole),
                    _ => Ok(ModelResult::Opaque),
                }
            }
            RegexModel::Compile => {
                let flags = second.as_int();
                if second.term.is_some() {
                    return Ok(ModelResult::Opaque);
                }
                Ok(match self.constant_automaton(first.object(), flags) {
                    Some(automaton) => ModelResult::Object(ObjectBody::Pattern(Rc::new(automaton))),
                    None => ModelResult::Opaque,
                })
            }
            RegexModel::Matcher => {
                let ObjectBody::Pattern(automaton) = &self.object(first.object()).body else { return Ok(ModelResult::Opaque) };
                let automaton = automaton.clone();
                if second.object().is_null() {
                    return Ok(ModelResult::Throws(NULL_POINTER));
                }
                // A matcher reads a builder at the time of matching, so builders are not modelled.
                Ok(match self.known_string(second.object()) {
                    Some(text) => ModelResult::Object(ObjectBody::Matcher(Matcher { automaton, text, is_fresh: true })),
                    None => ModelResult::Opaque,
                })
            }
            RegexModel::IsWhole | RegexModel::IsPrefix | RegexModel::Find | RegexModel::Reset => {
                let ObjectBody::Matcher(matcher) = &self.object(first.object()).body else { return Ok(ModelResult::Opaque) };
                let (automaton, text, is_fresh) = (matcher.automaton.clone(), matcher.text.clone(), matcher.is_fresh);
                if let ObjectBody::Matcher(matcher) = &mut self.object_mut(first.object()).body {
                    matcher.is_fresh = model == RegexModel::Reset;
                }
                match model {
                    RegexModel::Reset => Ok(ModelResult::Value(first)),
                    RegexModel::IsWhole => self.membership(&automaton, &text, MatchRegion::Whole),
                    RegexModel::IsPrefix => self.membership(&automaton, &text, MatchRegion::Prefix),
                    // A second search begins after the first match.
                    _ if is_fresh => self.membership(&automaton, &text, MatchRegion::Anywhere),
                    _ => Ok(ModelResult::Opaque),
                }
            }
            RegexModel::Split | RegexModel::ReplaceAll | RegexModel::ReplaceFirst => {
                if second.object().is_null() {
                    return Ok(ModelResult::Throws(NULL_POINTER));
                }
                let (Some(text), Some(automaton)) =
                    (self.known_string(first.object()), self.constant_automaton(second.object(), 0))
                else {
                    return Ok(ModelResult::Opaque);
                };
                let third = arguments.get(2).copied();
                match model {
                    RegexModel::Split => self.split(&text, &automaton, third.unwrap_or_default()),
                    _ => self.replace_matches(&text, &automaton, third.unwrap_or_default(), model == RegexModel::ReplaceFirst),
                }
            }
        }
    }

    fn constant_automaton(&self, pattern: ObjectId, flags: i32) -> Option<Automaton> {
        let pattern = self.known_string(pattern)?;
        // `LITERAL` changes the meaning of the other flags.
        (pattern.is_constant() && (flags & LITERAL == 0 || flags == LITERAL)).then(|| automaton(&pattern.units, flags)).flatten()
    }

    /// Decides by a clause whether the string has no surrogates, which patterns read in pairs.
    /// Returns the answer of this run.
    fn has_no_pairs(&mut self, text: &KnownString) -> InterpResult<bool> {
        let holds = !text.units.iter().any(|unit| (0xd800..0xe000).contains(unit));
        if text.is_constant() {
            return Ok(holds);
        }
        let Some(line) = self.string_terms(text)? else { return Ok(false) };
        let clause = self.all_inside(&line, |context, cell| {
            let surrogate = context.in_interval(cell, 0xd800, 0xdfff);
            context.terms.not(surrogate)
        });
        let clause = if holds { clause } else { self.terms.not(clause) };
        self.add_clause(ClauseKind::Model, u32::from(!holds), clause)?;
        Ok(holds)
    }

    fn membership(&mut self, automaton: &Automaton, text: &KnownString, at: MatchRegion) -> InterpResult<ModelResult> {
        if !self.has_no_pairs(text)? {
            return Ok(ModelResult::Opaque);
        }
        let holds = match at {
            MatchRegion::Whole => automaton.accepts(&text.units, 0, true),
            MatchRegion::Prefix => automaton.accepts(&text.units, 0, false),
            MatchRegion::Anywhere => automaton.is_found(&text.units),
        };
        if text.is_constant() {
            return Ok(self.boolean_result(holds, None));
        }
        let Some(line) = self.string_terms(text)? else { return Ok(ModelResult::Opaque) };
        let edges: usize = automaton.edges.iter().map(Vec::len).sum();
        if edges * line.cells.len() > 1 << 14 {
            return Ok(ModelResult::Opaque);
        }
        let clause = self.language(automaton, &line, at);
        Ok(self.boolean_result(holds, Some(clause)))
    }

    /// The formula that the string is in the language: for each length, the states reached after
    /// that many units, and the string has that length. For a prefix, the string is at least that
    /// long.
    fn language(&mut self, automaton: &Automaton, line: &StringTerms, at: MatchRegion) -> TermId {
        let nothing = self.terms.bool(false);
        let mut states = vec![nothing; automaton.edges.len()];
        let mut any = nothing;
        for place in 0..=line.high {
            if place == 0 || at == MatchRegion::Anywhere {
                states[0] = self.terms.bool(true);
            }
            self.reach(automaton, &mut states, line, place);
            let place_term = self.terms.int(place as i32);
            let ends = match at {
                MatchRegion::Whole => self.terms.eq(line.length, place_term),
                _ => self.terms.le(place_term, line.length),
            };
            let here = self.terms.and(ends, states[automaton.accepting]);
            any = self.terms.or(any, here);
            let Some(&cell) = line.cells.get(place) else { break };
            let mut next = vec![nothing; automaton.edges.len()];
            for (state, edges) in automaton.edges.iter().enumerate() {
                if states[state] == nothing {
                    continue;
                }
                for edge in edges {
                    let Transition::Unit(class, to) = edge else { continue };
                    let is_member = self.is_member(cell, class);
                    let step = self.terms.and(states[state], is_member);
                    next[*to] = self.terms.or(next[*to], step);
                }
            }
            states = next;
        }
        any
    }

    fn is_member(&mut self, cell: TermId, class: &[(u16, u16)]) -> TermId {
        let mut any = self.terms.bool(false);
        for &(low, high) in class {
            let inside = if low == high {
                let unit = self.terms.int(i32::from(low));
                self.terms.eq(cell, unit)
            } else {
                self.in_interval(cell, i32::from(low), i32::from(high))
            };
            any = self.terms.or(any, inside);
        }
        any
    }

    /// Follows the transitions that read nothing.
    fn reach(&mut self, automaton: &Automaton, states: &mut [TermId], line: &StringTerms, place: usize) {
        let nothing = self.terms.bool(false);
        let begin = states.to_vec();
        // The conditions on the end of the string that the way needs, as bits.
        let conditions: [TermId; 2] =
            [PositionCondition::End, PositionCondition::VeryEnd].map(|at| self.is_place(at, line, place));
        for (state, &reached) in begin.iter().enumerate() {
            if reached == nothing {
                continue;
            }
            let mut seen = vec![[false; 4]; states.len()];
            seen[state][0] = true;
            let mut pending = vec![(state, 0usize)];
            while let Some((state, asked)) = pending.pop() {
                for edge in &automaton.edges[state] {
                    let Transition::Empty(at, to) = edge else { continue };
                    let asked = match at {
                        PositionCondition::Any => asked,
                        PositionCondition::Start if place == 0 => asked,
                        PositionCondition::Start => continue,
                        PositionCondition::End => asked | 1,
                        PositionCondition::VeryEnd => asked | 2,
                    };
                    if !seen[*to][asked] && !seen[*to][0] {
                        seen[*to][asked] = true;
                        pending.push((*to, asked));
                    }
                }
            }
            for (to, ways) in seen.into_iter().enumerate() {
                for asked in (0..4).filter(|&asked| ways[asked]) {
                    let mut way = reached;
                    for (bit, &condition) in conditions.iter().enumerate() {
                        if asked & (1 << bit) != 0 {
                            way = self.terms.and(way, condition);
                        }
                    }
                    states[to] = self.terms.or(states[to], way);
                }
            }
        }
    }

    fn is_place(&mut self, at: PositionCondition, line: &StringTerms, place: usize) -> TermId {
        let position = self.terms.int(place as i32);
        match at {
            PositionCondition::Any => self.terms.bool(true),
            PositionCondition::Start => self.terms.bool(place == 0),
            PositionCondition::VeryEnd => self.terms.eq(line.length, position),
            PositionCondition::End => {
                let mut any = self.terms.eq(line.length, position);
                let (one, two) = (self.terms.int(place as i32 + 1), self.terms.int(place as i32 + 2));
                if let Some(&cell) = line.cells.get(place) {
                    let is_last = self.terms.eq(line.length, one);
                    let mut ends = self.is_member(cell, TERMINATORS);
                    if place > 0 {
                        let before = self.is_member(line.cells[place - 1], &[(13, 13)]);
                        let feed = self.is_member(cell, &[(10, 10)]);
                        let between = self.terms.and(before, feed);
                        let apart = self.terms.not(between);
                        ends = self.terms.and(ends, apart);
                    }
                    let here = self.terms.and(is_last, ends);
                    any = self.terms.or(any, here);
                    if let Some(&next) = line.cells.get(place + 1) {
                        let is_last = self.terms.eq(line.length, two);
                        let first = self.is_member(cell, &[(13, 13)]);
                        let second = self.is_member(next, &[(10, 10)]);
                        let both = self.terms.and(first, second);
                        let here = self.terms.and(is_last, both);
                        any = self.terms.or(any, here);
                    }
                }
                any
            }
        }
    }

    /// The parts between at most `limit` matches of a string or character class. A clause decides
    /// the length; then one clause for each position says whether a match begins there.
    fn parts(&mut self, text: &KnownString, automaton: &Automaton, most: usize) -> InterpResult<Option<SplitParts>> {
        if automaton.literal.as_ref().is_none_or(Vec::is_empty) && automaton.class.is_none() || !self.has_no_pairs(text)? {
            return Ok(None);
        }
        let line = match self.string_terms(text)? {
            Some(line) => self.decide_length(line)?,
            None => None,
        };
        let Some(line) = line else { return Ok(None) };
        let mut between = Vec::new();
        let (mut place, mut begin) = (0, 0);
        let part = |context: &mut Self, begin: usize, end: usize| {
            let length = context.terms.int((end - begin) as i32);
            context.string_of_terms(line.units[begin..end].to_vec(), length, line.cells[begin..end].to_vec())
        };
        while place < line.units.len() && between.len() < most {
            let mut end = place;
            match &automaton.class {
                Some((class, repeats)) => {
                    while end < line.units.len() && (end == place || *repeats) {
                        if !self.decide_member(&line, end, class)? {
                            break;
                        }
                        end += 1;
                    }
                }
                None => {
                    let literal = automaton.literal.clone().unwrap_or_default();
                    let is_there = line.units[place..].starts_with(&literal);
                    let needle = KnownString::constant(literal);
                    let Some(needle) = self.string_terms(&needle)? else { return Ok(None) };
                    let clause = self.occurs_at(&line, place, &needle);
                    let holds = if is_there { clause } else { self.terms.not(clause) };
                    self.add_clause(ClauseKind::Model, u32::from(is_there), holds)?;
                    if is_there {
                        end += needle.units.len();
                    }
                }
            }
            if end > place {
                between.push(part(self, begin, place));
                begin = end;
                place = end;
            } else {
                place += 1;
            }
        }
        between.push(part(self, begin, line.units.len()));
        Ok(Some(SplitParts { between }))
    }

    fn decide_member(&mut self, line: &StringTerms, place: usize, class: &[(u16, u16)]) -> InterpResult<bool> {
        let is_member = contains(class, line.units[place]);
        let clause = self.is_member(line.cells[place], class);
        let holds = if is_member { clause } else { self.terms.not(clause) };
        self.add_clause(ClauseKind::Model, u32::from(is_member), holds)?;
        Ok(is_member)
    }

    fn split(&mut self, text: &KnownString, automaton: &Automaton, limit: Slot) -> InterpResult<ModelResult> {
        if limit.term.is_some() {
            return Ok(ModelResult::Opaque);
        }
        let most = if limit.as_int() > 0 { limit.as_int() as usize - 1 } else { usize::MAX };
        let Some(mut parts) = self.parts(text, automaton, most)?.map(|parts| parts.between) else {
            return Ok(ModelResult::Opaque);
        };
        // Without a limit, empty parts at the end are dropped, but never the whole string.
        if limit.as_int() == 0 && parts.len() > 1 {
            while parts.last().is_some_and(|part| part.units.is_empty()) {
                parts.pop();
            }
        }
        Ok(ModelResult::Strings(parts))
    }

    /// The replacement must be a constant without group references.
    fn replace_matches(
        &mut self,
        text: &KnownString,
        automaton: &Automaton,
        by: Slot,
        only_first: bool,
    ) -> InterpResult<ModelResult> {
        if by.object().is_null() {
            return Ok(ModelResult::Opaque);
        }
        let Some(by) = self.known_string(by.object()) else { return Ok(ModelResult::Opaque) };
        let refers = by.units.iter().any(|&unit| unit == u16::from(b'$') || unit == u16::from(b'\\'));
        if refers || !by.is_constant() {
            return Ok(ModelResult::Opaque);
        }
        let most = if only_first { 1 } else { usize::MAX };
        let Some(parts) = self.parts(text, automaton, most)? else { return Ok(ModelResult::Opaque) };
        let mut result = KnownString::of("");
        for (index, part) in parts.between.iter().enumerate() {
            if index > 0 {
                let Some(joined) = self.concatenate(&result, &by)? else { return Ok(ModelResult::Opaque) };
                result = joined;
            }
            let Some(joined) = self.concatenate(&result, part)? else { return Ok(ModelResult::Opaque) };
            result = joined;
        }
        Ok(ModelResult::String(result))
    }
}
