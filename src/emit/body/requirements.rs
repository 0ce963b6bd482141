//! Finds what the text of a method body requires of its surroundings. In: lines of Java; out:
//! exceptions to declare, static imports, warnings to suppress, and variables that have to be
//! declared raw. It is a fold over the tree, without decisions.

use std::collections::BTreeSet;

use crate::emit::call::mentions_raw;
use crate::emit::proxies::Proxies;
use crate::program::{ClassName, GenericType, Program};
use crate::testcase::VarId;

use super::java::{Ending, Expr, Instantiated, JavaStatement, Line, Mark, Qualifier, StaticImport};

/// The requirements of one method body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Requirements {
    /// Declared exceptions of all calls outside of `assertThrows`.
    pub(super) exceptions: BTreeSet<ClassName>,
    /// Raw types or unchecked conversions occur.
    pub(super) unchecked: bool,
    /// Simple names of the assertion methods.
    pub(super) assertions: BTreeSet<&'static str>,
    /// Qualified names of the methods of Mockito, spring-test and AssertJ.
    pub(super) mocking: BTreeSet<&'static str>,
    /// The helper method for stubs that are proxies.
    pub(super) proxies: Option<Proxies>,
    /// Simple names of classes that mean something else somewhere in the body.
    pub(super) shadowed: BTreeSet<String>,
    /// Variables that the next plan has to declare with raw types.
    pub(super) raw: BTreeSet<VarId>,
}

impl Requirements {
    /// The requirements of these lines together.
    pub(super) fn of(program: &Program, lines: &[Line]) -> Requirements {
        let mut requirements = Requirements::default();
        lines.iter().for_each(|line| requirements.add_statement(program, &line.statement));
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

    fn add_statement(&mut self, program: &Program, statement: &JavaStatement) {
        match statement {
            JavaStatement::Expression(value) | JavaStatement::Declaration { value, .. } => self.add(program, value),
            JavaStatement::Assignment { place, value } => {
                self.add(program, place);
                self.add(program, value);
            }
        }
    }

    fn add(&mut self, program: &Program, expr: &Expr) {
        match expr {
            Expr::Name(_) | Expr::Literal(_) | Expr::ClassLiteral(_) => {}
            Expr::NewArray { element, .. } => self.add_type(program, &GenericType::of(element)),
            Expr::Parenthesised(value) | Expr::Element { array: value, .. } => self.add(program, value),
            Expr::Cast { to, value } => {
                self.add_type(program, to);
                self.add(program, value);
            }
            Expr::New { class, args, exceptions, .. } => {
                self.exceptions.extend(exceptions.iter().cloned());
                if let Instantiated::Inner { outer, .. } = class {
                    self.add(program, outer);
                }
                args.iter().for_each(|arg| self.add(program, arg));
            }
            Expr::Call { on, args, exceptions, .. } => {
                self.exceptions.extend(exceptions.iter().cloned());
                self.add_qualifier(program, on);
                args.iter().for_each(|arg| self.add(program, arg));
            }
            Expr::Imported { method, args } => {
                match method {
                    StaticImport::Assertion(name) => self.assertions.insert(name),
                    StaticImport::Mockito(name) | StaticImport::Spring(name) | StaticImport::AssertJ(name) => {
                        self.mocking.insert(name)
                    }
                };
                args.iter().for_each(|arg| self.add(program, arg));
            }
            Expr::Field { on, .. } => self.add_qualifier(program, on),
            Expr::ArrayOf { element, cells } => {
                self.add_type(program, &GenericType::of(element));
                cells.iter().for_each(|cell| self.add(program, cell));
            }
            Expr::Lambda { ending, .. } => self.add_ending(program, ending),
            Expr::Anonymous { members, shadowed, .. } => {
                self.shadowed.extend(shadowed.iter().cloned());
                members.iter().for_each(|member| self.add_ending(program, &member.ending));
            }
            Expr::Proxy { answers, has_defaults, .. } => {
                let known = self.proxies.unwrap_or_default();
                self.proxies = Some(Proxies { run_defaults: known.run_defaults | has_defaults });
                answers.iter().for_each(|answer| self.add_ending(program, &answer.ending));
            }
            Expr::Action(action) => {
                let declared = std::mem::take(&mut self.exceptions);
                self.add_statement(program, action);
                self.exceptions = declared;
            }
            Expr::Marked { mark, value } => {
                match mark {
                    Mark::Unchecked => self.unchecked = true,
                    Mark::RequiresRaw(variable) => {
                        self.raw.insert(*variable);
                    }
                    Mark::Argument(_) | Mark::Fluent => {}
                }
                self.add(program, value);
            }
        }
    }

    /// A raw type causes a warning wherever it stands.
    fn add_type(&mut self, program: &Program, ty: &GenericType) {
        self.unchecked |= mentions_raw(program, ty);
    }

    fn add_ending(&mut self, program: &Program, ending: &Ending) {
        match ending {
            Ending::Nothing => {}
            Ending::Returns(value) | Ending::Throws(value) => self.add(program, value),
        }
    }

    fn add_qualifier(&mut self, program: &Program, on: &Qualifier) {
        if let Qualifier::Object(object) = on {
            self.add(program, object);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample_program;

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
        let requirements = Requirements::of(&sample_program(), &[before, asserted(vec![action])]);
        assert_eq!(requirements.exceptions, BTreeSet::from([ClassName::new("p/Before")]));
        assert_eq!(requirements.assertions, BTreeSet::from(["assertThrows"]));
    }

    #[test]
    fn marks_are_found_at_any_depth() {
        let raw = Expr::Name("x".into()).marked(Mark::RequiresRaw(VarId(3))).marked(Mark::Unchecked);
        let nested = Expr::Lambda {
            parameters: Vec::new(),
            ending: Box::new(Ending::Returns(raw.cast_primary(crate::program::JavaType::INT))),
        };
        let requirements = Requirements::of(&sample_program(), &[asserted(vec![nested])]);
        assert!(requirements.unchecked);
        assert_eq!(requirements.raw, BTreeSet::from([VarId(3)]));
        assert!(requirements.exceptions.is_empty());
    }

    #[test]
    fn raw_types_cause_warnings_in_casts_and_arrays() {
        let program = sample_program();
        let element = |class: &str| crate::program::JavaType::class(class);
        let is_unchecked = |expr: Expr| Requirements::of(&program, &[asserted(vec![expr])]).unchecked;
        assert!(is_unchecked(Expr::NewArray { element: element("p/Box"), length: 0 }));
        assert!(is_unchecked(Expr::Name("x".into()).cast(element("p/Box"))));
        assert!(!is_unchecked(Expr::Name("x".into()).cast(element("p/Calls"))));
    }
}
