//! What the text of a method body requires of its surroundings. In: lines of Java; out: exceptions
//! to declare, static imports, warnings to suppress, and variables that have to be declared raw. A
//! fold over the tree, without decisions.

use std::collections::BTreeSet;

use crate::program::{ClassName, Program};
use crate::testcase::VarId;

use super::java::{Expr, Instantiated, JavaStatement, Line, Mark, Qualifier, StaticImport};

/// The requirements of one method body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Requirements {
    /// Declared exceptions of all calls outside of `assertThrows`.
    pub(super) exceptions: BTreeSet<ClassName>,
    /// Raw types or unchecked conversions occur.
    pub(super) unchecked: bool,
    /// Simple names of the assertion methods.
    pub(super) assertions: BTreeSet<&'static str>,
    /// Qualified names of the methods of Mockito.
    pub(super) mocking: BTreeSet<&'static str>,
    /// Variables that the next plan has to declare with raw types.
    pub(super) raw: BTreeSet<VarId>,
}

impl Requirements {
    /// The requirements of these lines together.
    pub(super) fn of(lines: &[Line]) -> Requirements {
        let mut requirements = Requirements::default();
        lines.iter().for_each(|line| requirements.add_statement(&line.statement));
        requirements
    }

    /// The class for the `throws` clause: `Exception`, `Throwable`, or `None` where every exception
    /// is unchecked (JLS §11.1.1).
    pub(super) fn throws(&self, program: &Program) -> Option<ClassName> {
        self.exceptions.iter().fold(None, |found: Option<ClassName>, class| {
            let is = |ancestor: &str| program.is_subclass(class, &ClassName::new(ancestor));
            match found {
                Some(found) if found.internal() == "java/lang/Throwable" => Some(found),
                found if is("java/lang/RuntimeException") || is("java/lang/Error") => found,
                _ if is("java/lang/Exception") => Some(ClassName::new("java/lang/Exception")),
                _ => Some(ClassName::new("java/lang/Throwable")),
            }
        })
    }

    fn add_statement(&mut self, statement: &JavaStatement) {
        match statement {
            JavaStatement::Expression(value) | JavaStatement::Declaration { value, .. } => self.add(value),
            JavaStatement::Assignment { place, value } => {
                self.add(place);
                self.add(value);
            }
        }
    }

    fn add(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(_) | Expr::Literal(_) | Expr::ClassLiteral(_) | Expr::NewArray { .. } => {}
            Expr::Parenthesised(value) | Expr::Cast { value, .. } | Expr::Element { array: value, .. } => self.add(value),
            Expr::New { class, args, exceptions, .. } => {
                self.exceptions.extend(exceptions.iter().cloned());
                if let Instantiated::Inner { outer, .. } = class {
                    self.add(outer);
                }
                args.iter().for_each(|arg| self.add(arg));
            }
            Expr::Call { on, args, exceptions, .. } => {
                self.exceptions.extend(exceptions.iter().cloned());
                self.add_qualifier(on);
                args.iter().for_each(|arg| self.add(arg));
            }
            Expr::Imported { method, args } => {
                match method {
                    StaticImport::Assertion(name) => self.assertions.insert(name),
                    StaticImport::Mockito(name) => self.mocking.insert(name),
                };
                args.iter().for_each(|arg| self.add(arg));
            }
            Expr::Field { on, .. } => self.add_qualifier(on),
            Expr::ArrayOf { cells, .. } => cells.iter().for_each(|cell| self.add(cell)),
            Expr::Lambda { body, .. } => body.iter().for_each(|body| self.add(body)),
            Expr::Anonymous { members, .. } => {
                members.iter().flat_map(|member| &member.answer).for_each(|answer| self.add(answer))
            }
            Expr::Action(action) => {
                let declared = std::mem::take(&mut self.exceptions);
                self.add_statement(action);
                self.exceptions = declared;
            }
            Expr::Marked { mark, value } => {
                match mark {
                    Mark::Unchecked => self.unchecked = true,
                    Mark::RequiresRaw(variable) => {
                        self.raw.insert(*variable);
                    }
                }
                self.add(value);
            }
        }
    }

    fn add_qualifier(&mut self, on: &Qualifier) {
        if let Qualifier::Object(object) = on {
            self.add(object);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(exception: &str) -> Expr {
        let exceptions = vec![ClassName::new(exception)];
        Expr::Call { on: Qualifier::Class(ClassName::new("p/C")), method: "m".into(), args: Vec::new(), exceptions }
    }

    fn asserted(args: Vec<Expr>) -> Line {
        let method = StaticImport::Assertion("assertThrows");
        Line { statement: JavaStatement::Expression(Expr::Imported { method, args }), is_assertion: true }
    }

    #[test]
    fn exceptions_inside_assert_throws_are_not_declared() {
        let action = Expr::Action(Box::new(JavaStatement::Expression(call("p/Inside"))));
        let before = Line { statement: JavaStatement::Expression(call("p/Before")), is_assertion: false };
        let requirements = Requirements::of(&[before, asserted(vec![action])]);
        assert_eq!(requirements.exceptions, BTreeSet::from([ClassName::new("p/Before")]));
        assert_eq!(requirements.assertions, BTreeSet::from(["assertThrows"]));
    }

    #[test]
    fn marks_are_found_at_any_depth() {
        let raw = Expr::Name("x".into()).marked(Mark::RequiresRaw(VarId(3))).marked(Mark::Unchecked);
        let nested = Expr::Lambda { parameters: 0, body: Some(Box::new(raw.cast_primary(crate::program::JavaType::Int))) };
        let requirements = Requirements::of(&[asserted(vec![nested])]);
        assert!(requirements.unchecked);
        assert_eq!(requirements.raw, BTreeSet::from([VarId(3)]));
        assert!(requirements.exceptions.is_empty());
    }
}
