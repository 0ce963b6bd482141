//! The text form of terms: S-expressions with SMT-LIB's names where they exist, such as `(bvslt
//! (bvadd v0 1) v1:byte)` (docs/formats/queries.md). In: terms or text; out: the other. Parsing a
//! printed term gives the same term.
//!
//! Leaves are values (`-7`, `7L`, `true`, `f#…`, `d#…`) and inputs (`v3`, `v3.length`, `v3[2]`,
//! `v3:long`). A large term names what it shares: `(let* ((?0 (bvadd v0 1))) (bvmul ?0 ?0))`. A
//! name may use the names before it. The reader builds what is written, without simplification.

use super::{BinaryOp, Input, Term, TermId, TermStore, UnaryOp, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;
use tracewright_text::LineCursor;

/// Terms of at most this many nodes (as a tree) are written as trees.
const TREE_LIMIT: u64 = 200;

impl TermStore {
    /// The text form of a term. Large terms name the subterms that they share.
    pub fn print(&self, id: TermId) -> String {
        if self.tree_size(id) <= TREE_LIMIT {
            return TermWriter::new(self, &[]).term(id);
        }
        let mut writer = TermWriter::new(self, &[id]);
        let mut definitions = writer.definitions(id).peekable();
        if definitions.peek().is_none() {
            drop(definitions);
            return writer.term(id);
        }
        let bindings: Vec<String> = definitions.map(|(name, text)| format!("({name} {text})")).collect();
        format!("(let* ({}) {})", bindings.join(" "), writer.term(id))
    }

    /// Reads the text form, without simplification.
    ///
    /// # Errors
    /// One sentence that names the word: malformed text, an unknown operator, or operands of wrong
    /// sorts.
    pub fn parse(&mut self, text: &str) -> Result<TermId, String> {
        TermReader::new(self).term(text)
    }
}

/// Writes terms that share subterms, each shared one once.
#[derive(Debug)]
pub(crate) struct TermWriter<'a> {
    terms: &'a TermStore,
    /// How often a term occurs as an operand below the roots, or as a root.
    uses: FxHashMap<TermId, u32>,
    names: FxHashMap<TermId, String>,
}

impl<'a> TermWriter<'a> {
    /// A writer for these roots, which share names. Without roots, every term is written as a tree.
    pub(crate) fn new(terms: &'a TermStore, roots: &[TermId]) -> TermWriter<'a> {
        let mut uses = FxHashMap::default();
        // A root that is an operand, or stands there twice, is shared as well: it would be written
        // as a whole again and again.
        for root in roots {
            *uses.entry(*root).or_insert(0) += 1;
        }
        for id in terms.reachable(roots) {
            for operand in terms.get(id).operands() {
                *uses.entry(operand).or_insert(0) += 1;
            }
        }
        TermWriter { terms, uses, names: FxHashMap::default() }
    }

    /// Names and texts of the shared subterms of a term that were not defined yet. The walk stops
    /// at named terms, so shared subterms are visited once for all roots.
    pub(crate) fn definitions(&mut self, root: TermId) -> impl Iterator<Item = (String, String)> + use<> {
        let mut shared = Vec::new();
        let mut seen = FxHashSet::default();
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let is_leaf = self.terms.tree_size(id) == 1;
            if is_leaf || self.names.contains_key(&id) || !seen.insert(id) {
                continue;
            }
            if self.uses.get(&id).is_some_and(|uses| *uses >= 2) {
                shared.push(id);
            }
            pending.extend(self.terms.get(id).operands());
        }
        shared.sort_unstable();
        let mut definitions = Vec::new();
        for id in shared {
            let text = self.term(id);
            let name = format!("?{}", self.names.len());
            self.names.insert(id, name.clone());
            definitions.push((name, text));
        }
        definitions.into_iter()
    }

    /// The text of one term, with the names defined so far.
    pub(crate) fn term(&self, root: TermId) -> String {
        enum WritePiece {
            Term(TermId),
            Close,
        }
        let mut text = String::new();
        let mut pending = vec![WritePiece::Term(root)];
        while let Some(piece) = pending.pop() {
            let id = match piece {
                WritePiece::Close => {
                    text.push(')');
                    continue;
                }
                WritePiece::Term(id) => id,
            };
            if !text.is_empty() {
                text.push(' ');
            }
            if let Some(name) = self.names.get(&id) {
                text.push_str(name);
                continue;
            }
            let term = self.terms.get(id);
            match term {
                Term::Constant(value) => write!(text, "{value}"),
                Term::Input(input) => write!(text, "{input}"),
                Term::Unary(op, _) => write!(text, "({}", op.name()),
                Term::Binary(op, ..) => write!(text, "({}", op.name()),
                Term::Ite(..) => write!(text, "(ite"),
            }
            .expect("writing to a string");
            if term.operands().next().is_some() {
                pending.push(WritePiece::Close);
                pending.extend(term.operands().rev().map(WritePiece::Term));
            }
        }
        text
    }
}

/// Reads terms into a store.
#[derive(Debug)]
pub(crate) struct TermReader<'a> {
    terms: &'a mut TermStore,
    names: FxHashMap<String, TermId>,
}

impl<'a> TermReader<'a> {
    /// A reader into the store, without any name defined.
    pub(crate) fn new(terms: &'a mut TermStore) -> TermReader<'a> {
        TermReader { terms, names: FxHashMap::default() }
    }

    /// Gives a name (`?0`) to the term in the text.
    pub(crate) fn define(&mut self, name: &str, text: &str) -> Result<(), String> {
        if !name.starts_with('?') {
            return Err(unexpected(name));
        }
        let term = self.term(text)?;
        self.names.insert(name.into(), term);
        Ok(())
    }

    /// Reads one term.
    pub(crate) fn term(&mut self, text: &str) -> Result<TermId, String> {
        let mut text = LineCursor::new(text).with_marks(&['(', ')']);
        let term = self.read(&mut text)?;
        text.end().map(|()| term)
    }

    fn read(&mut self, text: &mut LineCursor<'_>) -> Result<TermId, String> {
        struct OpenList<'t> {
            operator: &'t str,
            operands: Vec<TermId>,
            /// Inside `let*`: the name that is defined; `Some(None)` before the body.
            binding: Option<Option<&'t str>>,
        }
        // An explicit stack: the text may be as deep as a loop ran, and it comes from outside.
        let mut open: Vec<OpenList<'_>> = Vec::new();
        loop {
            let complete = if text.take_mark('(') {
                let operator = text.word();
                let mut frame = OpenList { operator, operands: Vec::new(), binding: None };
                if operator == "let*" {
                    text.expect_mark('(')?;
                    frame.binding = Some(next_binding(text)?);
                }
                open.push(frame);
                continue;
            } else if text.take_mark(')') {
                let frame = open.pop().ok_or_else(|| unexpected(")"))?;
                match frame.binding {
                    None => self.apply(frame.operator, &frame.operands)?,
                    Some(None) if frame.operands.len() == 1 => frame.operands[0],
                    Some(_) => return Err(wrong_operands(frame.operator)),
                }
            } else {
                self.leaf(text.word())?
            };
            match open.last_mut() {
                None => return Ok(complete),
                // A bound term closes its binding and opens the next one, or the body.
                Some(OpenList { binding: Some(binding @ Some(_)), .. }) => {
                    text.expect_mark(')')?;
                    if let Some(name) = binding.take() {
                        self.names.insert(name.into(), complete);
                    }
                    *binding = next_binding(text)?;
                }
                Some(frame) => frame.operands.push(complete),
            }
        }
    }

    fn leaf(&mut self, token: &str) -> Result<TermId, String> {
        if let Some(term) = self.names.get(token) {
            return Ok(*term);
        }
        let term = match (token.parse::<Value>(), token.parse::<Input>()) {
            (Ok(value), _) => Term::Constant(value),
            (_, Ok(input)) => Term::Input(input),
            _ => return Err(unexpected(token)),
        };
        self.terms.exact(term).ok_or_else(|| wrong_operands(token))
    }

    fn apply(&mut self, operator: &str, operands: &[TermId]) -> Result<TermId, String> {
        let unary = UnaryOp::ALL.iter().find(|op| op.name() == operator);
        let binary = BinaryOp::ALL.iter().find(|op| op.name() == operator);
        let term = match (operator, unary, binary, operands) {
            ("ite", _, _, [condition, then, otherwise]) => Term::Ite(*condition, *then, *otherwise),
            (_, Some(op), _, [a]) => Term::Unary(*op, *a),
            (_, _, Some(op), [a, b]) => Term::Binary(*op, *a, *b),
            ("ite", ..) | (_, Some(_), ..) | (_, _, Some(_), _) => return Err(wrong_operands(operator)),
            _ => return Err(format!("unknown operator `{operator}`")),
        };
        self.terms.exact(term).ok_or_else(|| wrong_operands(operator))
    }
}

/// After `let* (` or a binding: the name of the next binding, or `None` after the parenthesis that
/// ends the bindings.
fn next_binding<'t>(text: &mut LineCursor<'t>) -> Result<Option<&'t str>, String> {
    if text.take_mark(')') {
        return Ok(None);
    }
    text.expect_mark('(')?;
    let name = text.word();
    if name.starts_with('?') { Ok(Some(name)) } else { Err(unexpected(name)) }
}

fn unexpected(word: &str) -> String {
    match word {
        "" => "the text ends inside a term".into(),
        word => format!("`{word}` where a term should stand"),
    }
}

fn wrong_operands(operator: &str) -> String {
    format!("operands of `{operator}` have the wrong number or sorts")
}
