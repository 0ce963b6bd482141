//! The text form of structural conditions. `parse(print(c)) == c`.
//!
//! ```text
//! structure <method> <signature> <branches> <dropped>
//! v<i> <type> <path>                inputs by number; a primitive type, `length` or `text`
//! null <path>                       then the clauses in order
//! alias <path> <earlier path>
//! fresh <path> <class>
//! present <path> <class>
//! concretised                       before the first clause that is not exact
//! jump 3 <method> @4 =0: <term>     a decision, as in the text of a path condition
//! ```
//!
//! A path is `this`, `arg<n>` or `static <class>.<name>`, then `.name`, `.<class>:name` (a field
//! that a subclass hides), `[<index>]`, and `.length` of an array. Separators inside names are
//! written `%<hex>;`.

use std::fmt;
use std::fmt::Write as _;

use tracewright_text::{LineCursor, ParseError};

use super::{AccessPath, AccessStep, InputType, Root, StructuralClause, StructuralCondition, StructuralInput};
use crate::expr::{SymbolKind, TermStore};
use crate::path::text::{escaped_with, next_method, parse_clause, print_clause, print_method, unescaped};
use crate::program::ClassName;

const SPECIAL: [char; 8] = [' ', '|', '(', ')', ':', '.', '[', ']'];

impl fmt::Display for AccessPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |name: &str| escaped_with(name, &SPECIAL);
        match &self.root {
            Root::This => f.write_str("this")?,
            Root::Argument(index) => write!(f, "arg{index}")?,
            Root::Static { owner, name: field } => write!(f, "static {}.{}", name(owner.internal()), name(field))?,
        }
        for step in &self.steps {
            match step {
                AccessStep::Field { owner: None, name: field } => write!(f, ".{}", name(field))?,
                AccessStep::Field { owner: Some(owner), name: field } => {
                    write!(f, ".{}:{}", name(owner.internal()), name(field))?
                }
                AccessStep::Cell(index) => write!(f, "[{index}]")?,
                AccessStep::Length => f.write_str(".length")?,
            }
        }
        Ok(())
    }
}

impl InputType {
    fn name(self) -> &'static str {
        match self {
            InputType::Primitive(kind) => kind.name(),
            InputType::String => "text",
        }
    }

    fn named(name: &str) -> Option<InputType> {
        if name == "text" {
            return Some(InputType::String);
        }
        SymbolKind::ALL.into_iter().find(|kind| kind.name() == name).map(InputType::Primitive)
    }
}

impl StructuralCondition {
    /// Prints the text form, which ends with a newline.
    pub fn print(&self, terms: &TermStore) -> String {
        let mut out =
            format!("structure {} {:016x} {} {}\n", print_method(&self.method), self.signature, self.branches, self.dropped);
        for (number, input) in self.inputs.iter().enumerate() {
            let _ = writeln!(out, "v{number} {} {}", input.ty.name(), input.path);
        }
        for (index, clause) in self.clauses.iter().enumerate() {
            if self.inexact_from == Some(index) {
                out.push_str("concretised\n");
            }
            let class = |class: &ClassName| escaped_with(class.internal(), &[' ']);
            let _ = match clause {
                StructuralClause::Null(path) => write!(out, "null {path}"),
                StructuralClause::Alias(path, of) => write!(out, "alias {path} {of}"),
                StructuralClause::Fresh(path, of) => write!(out, "fresh {path} {}", class(of)),
                StructuralClause::Present(path, of) => write!(out, "present {path} {}", class(of)),
                StructuralClause::Value(clause) => {
                    print_clause(clause, terms, &mut out);
                    Ok(())
                }
            };
            out.push('\n');
        }
        if self.inexact_from.is_some_and(|from| from >= self.clauses.len()) {
            out.push_str("concretised\n");
        }
        out
    }

    /// Reads the text form. Terms are built in the store as they are written, without
    /// simplification.
    ///
    /// # Errors
    /// The first line that is no line of a structural condition.
    pub fn parse(text: &str, terms: &mut TermStore) -> Result<StructuralCondition, ParseError> {
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line);
        let mut condition = parse_header(LineCursor::new(header)).map_err(|reason| ParseError::at_index(0, reason))?;
        for (index, line) in lines {
            condition.parse_line(line, terms).map_err(|reason| ParseError::at_index(index, reason))?;
        }
        Ok(condition)
    }

    fn parse_line(&mut self, line: &str, terms: &mut TermStore) -> Result<(), String> {
        let mut words = LineCursor::new(line);
        let word = words.word();
        let is_clause_of_value = words.rest().trim_start().starts_with(|c: char| c.is_ascii_digit());
        match word {
            "" => {}
            "concretised" => {
                self.inexact_from.get_or_insert(self.clauses.len());
            }
            _ if word.starts_with('v') && word[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                let number: usize = LineCursor::new(word).prefixed_number("v")?;
                if number != self.inputs.len() || !self.clauses.is_empty() {
                    return Err(format!("expected `v{}`, and inputs before clauses", self.inputs.len()));
                }
                let ty = words.word();
                let ty = InputType::named(ty).ok_or_else(|| format!("no type `{ty}`"))?;
                let path = parse_path(&mut words, ty == InputType::Primitive(SymbolKind::Length))?;
                self.inputs.push(StructuralInput { path, ty });
            }
            "null" | "alias" | "fresh" | "present" if !is_clause_of_value => {
                let path = parse_path(&mut words, false)?;
                self.clauses.push(match word {
                    "null" => StructuralClause::Null(path),
                    "alias" => StructuralClause::Alias(path, parse_path(&mut words, false)?),
                    "fresh" => StructuralClause::Fresh(path, parse_class(words.word())?),
                    _ => StructuralClause::Present(path, parse_class(words.word())?),
                });
            }
            _ => {
                self.clauses.push(StructuralClause::Value(parse_clause(line, terms)?));
                return Ok(());
            }
        }
        words.end()
    }
}

/// Reads `structure <method> <signature> <branches> <dropped>`.
fn parse_header(mut line: LineCursor<'_>) -> Result<StructuralCondition, String> {
    line.expect("structure")?;
    let condition = StructuralCondition {
        method: next_method(&mut line)?,
        inputs: Vec::new(),
        clauses: Vec::new(),
        signature: line.hexadecimal()?,
        branches: line.number()?,
        dropped: line.number()?,
        inexact_from: None,
    };
    line.end()?;
    Ok(condition)
}

/// What ends a name inside an access path.
const PATH_MARKS: &[char] = &['.', '['];

/// Reads an access path. With `of_length`, the last step is an array's length.
fn parse_path(words: &mut LineCursor<'_>, of_length: bool) -> Result<AccessPath, String> {
    let first = words.word();
    let text = if first == "static" { words.word() } else { first };
    if text.is_empty() {
        return Err("expected a path".into());
    }
    let mut parts = LineCursor::new(text).with_marks(PATH_MARKS);
    let root = match parts.word() {
        owner if first == "static" => {
            parts.expect_mark('.')?;
            Root::Static { owner: parse_class(owner)?, name: parse_name(parts.word())?.into() }
        }
        "this" => Root::This,
        root => Root::Argument(LineCursor::new(root).prefixed_number("arg")?),
    };
    let mut path = AccessPath::new(root);
    loop {
        path.steps.push(if parts.take_mark('[') {
            let index = parts.word();
            let digits = index.strip_suffix(']').ok_or_else(|| format!("`{text}` is no path: `]` is missing"))?;
            AccessStep::Cell(LineCursor::new(digits).number()?)
        } else if parts.take_mark('.') {
            let name = parts.word();
            match name.split_once(':') {
                Some((owner, name)) => AccessStep::Field { owner: Some(parse_class(owner)?), name: parse_name(name)?.into() },
                None if of_length && parts.rest().is_empty() && name == "length" => AccessStep::Length,
                None => AccessStep::Field { owner: None, name: parse_name(name)?.into() },
            }
        } else {
            break;
        });
    }
    if of_length && path.steps.last() != Some(&AccessStep::Length) {
        return Err(format!("`{text}` is no length"));
    }
    Ok(path)
}

/// Reads a name without its escapes.
fn parse_name(text: &str) -> Result<String, String> {
    unescaped(text).ok_or_else(|| format!("`{text}` is no name"))
}

fn parse_class(text: &str) -> Result<ClassName, String> {
    if text.is_empty() {
        return Err("expected a class".into());
    }
    parse_name(text).map(|name| ClassName::new(&name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::path::{BranchOutcome, Clause, ClauseKind};
    use crate::program::MethodRef;

    const TEXT: &str = "\
structure demo/List.contains(Ljava/lang/Object;)Z 00000000000000ff 3 1
v0 int this.size
v1 length this.items.length
v2 int this.demo/Base:length
v3 text static demo/List.name
v4 long arg1
fresh this demo/List
jump 1 demo/List.contains(Ljava/lang/Object;)Z @4 =0: (bvslt v0 v1.length) | =1: (not (bvslt v0 v1.length))
null this.length.length
concretised
alias this.items[0] static demo/List.first.next
null 1 demo/List.contains(Ljava/lang/Object;)Z @4 =0: (= v4:long 3L)
present this.items[10].key java/lang/Integer
fresh arg0 [Ljava/lang/String;
";

    #[test]
    fn a_condition_prints_as_it_was_parsed() {
        let mut terms = TermStore::new();
        let condition = StructuralCondition::parse(TEXT, &mut terms).expect("well-formed");
        assert_eq!(condition.print(&terms), TEXT);
        assert_eq!(condition.inputs[1].path.steps.last(), Some(&AccessStep::Length));
        assert_eq!(condition.inexact_from, Some(3));
        // A field with the name `length` is no array length.
        let field = AccessStep::Field { owner: None, name: "length".into() };
        assert_eq!(
            condition.clauses[2],
            StructuralClause::Null(AccessPath { root: Root::This, steps: vec![field.clone(), field] })
        );
        assert!(matches!(&condition.clauses[4], StructuralClause::Value(clause) if clause.kind == ClauseKind::Null));
    }

    #[test]
    fn malformed_lines_are_errors() {
        let head = "structure a.b()V 0 0 0\n";
        for text in [
            "",
            "structure a.b()V 0 0",
            "null that",
            "null arg",
            "null static a",
            "null this[x]",
            "null this[1",
            "null this this",
            "alias this",
            "fresh this",
            "v1 int this.a",
            "v0 real this.a",
            "v0 length this.a",
            "null this\nv0 int this.a",
            "hop 1 a.b()V @0 =0: true",
        ] {
            let whole =
                if text.is_empty() || text.starts_with("structure") { text.to_owned() } else { format!("{head}{text}\n") };
            assert!(StructuralCondition::parse(&whole, &mut TermStore::new()).is_err(), "{text}");
        }
        assert!(StructuralCondition::parse(head, &mut TermStore::new()).is_ok());
    }

    fn name() -> impl Strategy<Value = String> {
        // Names that the JVM allows (JVMS §4.2.2), and others.
        prop_oneof![Just("length".to_owned()), "[a-c/$:|()%\\[\\]. é]{1,4}"]
    }

    fn step() -> impl Strategy<Value = AccessStep> {
        prop_oneof![
            (proptest::option::of(name()), name()).prop_map(|(owner, name)| AccessStep::Field {
                owner: owner.map(|owner| ClassName::new(&owner)),
                name: name.into()
            }),
            any::<u32>().prop_map(AccessStep::Cell),
        ]
    }

    fn path() -> impl Strategy<Value = AccessPath> {
        let root = prop_oneof![
            Just(Root::This),
            any::<u32>().prop_map(Root::Argument),
            (name(), name()).prop_map(|(owner, name)| Root::Static { owner: ClassName::new(&owner), name: name.into() }),
        ];
        (root, proptest::collection::vec(step(), 0..4)).prop_map(|(root, steps)| AccessPath { root, steps })
    }

    fn input() -> impl Strategy<Value = StructuralInput> {
        (path(), 0..SymbolKind::ALL.len() + 1).prop_map(|(path, kind)| match SymbolKind::ALL.get(kind) {
            Some(&SymbolKind::Length) => {
                StructuralInput { path: path.then(AccessStep::Length), ty: InputType::Primitive(SymbolKind::Length) }
            }
            Some(&kind) => StructuralInput { path, ty: InputType::Primitive(kind) },
            None => StructuralInput { path, ty: InputType::String },
        })
    }

    /// A clause with a number instead of a term, since only a store makes terms.
    fn clause() -> impl Strategy<Value = (StructuralClause, Option<i32>)> {
        let class = || name().prop_map(|name| ClassName::new(&name));
        let method = MethodRef::new(ClassName::new("a/B"), "c", "()V");
        prop_oneof![
            path().prop_map(|path| (StructuralClause::Null(path), None)),
            (path(), path()).prop_map(|(path, of)| (StructuralClause::Alias(path, of), None)),
            (path(), class()).prop_map(|(path, class)| (StructuralClause::Fresh(path, class), None)),
            (path(), class()).prop_map(|(path, class)| (StructuralClause::Present(path, class), None)),
            (0..ClauseKind::ALL.len(), any::<u32>(), any::<i32>()).prop_map(move |(kind, bci, number)| {
                let site = BranchOutcome { method: method.clone(), bci, outcome: bci / 2 };
                let term = TermStore::new().bool(true);
                let clause = Clause { term, site, kind: ClauseKind::ALL[kind], statement: bci / 3, others: Vec::new() };
                (StructuralClause::Value(clause), Some(number))
            }),
        ]
    }

    proptest! {
        #[test]
        fn print_and_parse_are_inverse(
            inputs in proptest::collection::vec(input(), 0..4),
            clauses in proptest::collection::vec(clause(), 0..6),
            numbers in any::<(u64, u64, u64)>(),
            inexact in proptest::option::of(0..8usize),
        ) {
            let mut terms = TermStore::without_folding();
            let clauses: Vec<StructuralClause> = clauses
                .into_iter()
                .map(|(clause, number)| match (clause, number) {
                    (StructuralClause::Value(mut clause), Some(number)) => {
                        let input = terms.symbol(crate::expr::Symbol::value(3), SymbolKind::Int);
                        let number = terms.int(number);
                        clause.term = terms.eq(input, number);
                        let other = terms.not(clause.term);
                        clause.others.push((7, other));
                        StructuralClause::Value(clause)
                    }
                    (clause, _) => clause,
                })
                .collect();
            let (signature, branches, dropped) = numbers;
            let inexact_from = inexact.map(|from| from.min(clauses.len()));
            let method = MethodRef::new(ClassName::new("a/B c"), "d e", "(I)V");
            let condition = StructuralCondition { method, inputs, clauses, signature, branches, dropped, inexact_from };
            let text = condition.print(&terms);
            let parsed = StructuralCondition::parse(&text, &mut terms);
            prop_assert_eq!(parsed.as_ref(), Ok(&condition), "{}", text);
        }
    }
}
