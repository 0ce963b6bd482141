//! Plans the lines of the method: arrangement in the order of the test case, then the assertions.
//! An assertion about a call without another use holds the call itself.

use crate::emit::call::mentions_raw;
use crate::emit::{AssertionStyle, JUnit, Unprintable, literal};
use crate::oracle::{Assertion, Fact};
use crate::program::cluster::REFLECTION_TEST_UTILS;
use crate::program::generics::Wildcard;
use crate::program::{ClassName, FieldRef, GenericType, JavaType};
use crate::testcase::{Literal, StatementKind, StubKind, VarId};

use super::expressions::is_zero;
use super::fixture::{FixtureVariables, is_hidden};
use super::java::{Expr, JavaStatement, Level, Line, Mark, Qualifier, StaticImport};
use super::named_constants::named_constant;
use super::plan::Planner;
use super::usage::creates_temporary_file;

impl Planner<'_> {
    /// All lines of the method body, and the position of the line that calls the method under test,
    /// unless the call stands inside an assertion.
    ///
    /// # Errors
    /// The first reason for which Java source cannot express the test.
    pub(super) fn plan_lines(&self) -> Result<(Vec<Line>, Option<usize>), Unprintable> {
        let test = self.test();
        let throwing = self.usage.throwing();
        let own_call = self.own_call();
        let mut action = None;
        let mut lines: Vec<Line> = Vec::new();
        let mut placed = vec![false; test.assertions.len()];
        // The other assertions follow the last statement, in front of assertions that hold calls
        // after it.
        let mut end_of_arrangement = None;
        // What the calls inside assertions get: they may change it.
        let mut given: Vec<VarId> = Vec::new();
        let mut undoing = Vec::new();
        let first_undoing = self.usage.len() - test.undoing as usize;
        for variable in self.arranged_order() {
            if variable.index() >= first_undoing {
                undoing.extend(self.statement(variable)?.into_iter().map(arranged));
            } else if let Some(expected) = test.expected.as_ref().filter(|_| Some(variable.index()) == throwing) {
                action = Some(lines.len());
                lines.extend(self.expected_exception(variable, &expected.class, expected.message.as_deref())?);
                end_of_arrangement = Some(lines.len());
            } else if let Some(chained) = self.request.filter(|chained| chained.is_folded(variable)) {
                if variable == chained.perform() {
                    lines.push(self.expected_response(chained)?);
                    chained.expectations().iter().for_each(|position| placed[*position] = true);
                }
            } else if let Some(chained) = self.request.filter(|chained| chained.mock_mvc() == variable) {
                lines.push(arranged(self.standalone_setup(chained)?));
                end_of_arrangement = Some(lines.len());
            } else if let Some((position, line)) = self.asserted_call(variable)? {
                if variable.0 < test.acted {
                    given.extend(self.usage.kind(variable).uses());
                }
                lines.push(line);
                placed[position] = true;
            } else {
                if Some(variable) == own_call {
                    action = Some(lines.len());
                }
                lines.extend(self.statement(variable)?.into_iter().map(arranged));
                end_of_arrangement = Some(lines.len());
            }
        }
        let (mut late, mut last) = (Vec::new(), Vec::new());
        let states = |assertion: &Assertion| !matches!(assertion.fact, Fact::Called { .. });
        for (assertion, _) in test.assertions.iter().zip(&placed).filter(|(assertion, placed)| !**placed && states(assertion)) {
            let line = asserted(self.assertion(&assertion.fact, self.operand(assertion.subject)?, None)?);
            // Which object it is does not change.
            let is_given = matches!(assertion.fact, Fact::Equals(_)) && given.contains(&assertion.subject);
            if is_given { last.push(line) } else { late.push(line) }
        }
        let at = end_of_arrangement.unwrap_or(lines.len());
        lines.splice(at..at, late);
        lines.extend(last);
        lines.extend(self.verified_calls()?);
        if self.options.junit == JUnit::Five && test.target.is_some() && !lines.iter().any(|line| line.is_assertion) {
            say_that_nothing_is_thrown(&mut lines, self.options.style);
        }
        lines.extend(undoing);
        Ok((lines, action))
    }

    /// The statements that have lines, in their order. A local mock comes right before its first use:
    /// no other statement can see when it is made, and tests that make the same look alike. What the
    /// object under test is made of keeps its order.
    fn arranged_order(&self) -> Vec<VarId> {
        let owner = self.test().target.as_ref().map(|target| &target.owner);
        let is_part = |variable: VarId| {
            self.usage.live().any(|user| match self.usage.kind(user) {
                StatementKind::Construct { constructor, args } => Some(&constructor.owner) == owner && args.contains(&variable),
                StatementKind::PutField { receiver: Some(_), value, .. } => *value == variable,
                _ => false,
            })
        };
        let is_late = |variable: VarId| {
            let is_mock = matches!(self.usage.kind(variable), StatementKind::Stub { kind: StubKind::Mock, .. });
            is_mock && self.fixture.is_none_or(|fixture| fixture.name(variable).is_none()) && !is_part(variable)
        };
        let mut order = Vec::new();
        let lines: Vec<VarId> = self.usage.live().filter(|variable| !self.usage.is_inline(*variable)).collect();
        lines.iter().filter(|variable| !is_late(**variable)).for_each(|variable| self.place(*variable, &is_late, &mut order));
        // Those that no statement uses.
        lines.iter().for_each(|variable| self.place(*variable, &is_late, &mut order));
        order
    }

    /// Appends the late statements that this one uses and that are not there yet, then this one.
    fn place(&self, variable: VarId, is_late: &dyn Fn(VarId) -> bool, order: &mut Vec<VarId>) {
        if order.contains(&variable) {
            return;
        }
        self.usage.kind(variable).for_each_use(|used| {
            if self.usage.is_inline(used) || is_late(used) {
                self.place(used, is_late, order);
            }
        });
        if !self.usage.is_inline(variable) {
            order.push(variable);
        }
    }

    /// The last call of the method under test that the test itself makes.
    fn own_call(&self) -> Option<VarId> {
        let is_target = |variable: &VarId| match self.usage.kind(*variable) {
            StatementKind::Construct { constructor: method, .. } | StatementKind::Call { method, .. } => {
                self.test().is_about(method)
            }
            _ => false,
        };
        self.usage.live().take_while(|variable| variable.0 < self.test().acted).filter(is_target).last()
    }

    /// The only assertion about a call or field read, with the call inside, if nothing else uses
    /// the result. With the position of the assertion in the test.
    fn asserted_call(&self, variable: VarId) -> Result<Option<(usize, Line)>, Unprintable> {
        let kind = self.usage.kind(variable);
        let reads_well = matches!(kind, StatementKind::Call { .. } | StatementKind::GetField { .. });
        if !reads_well || self.usage.uses(variable) > 0 || self.usage.assertions_of(variable).count() != 1 {
            return Ok(None);
        }
        let assertions = &self.test().assertions;
        let Some(position) = assertions.iter().position(|assertion| assertion.subject == variable) else { return Ok(None) };
        let call = self.expression(variable)?;
        if call.inferred || call.expr.level() != Level::Primary {
            return Ok(None);
        }
        let assertion = self.assertion(&assertions[position].fact, call, Some(variable))?;
        Ok(Some((position, asserted(assertion))))
    }

    /// The statements that a statement of the test case becomes.
    fn statement(&self, variable: VarId) -> Result<Vec<JavaStatement>, Unprintable> {
        let kind = self.usage.kind(variable);
        match kind {
            StatementKind::PutField { field, .. }
                if self.fixture.is_some_and(FixtureVariables::is_injected) && is_hidden(self.access, field) =>
            {
                return Ok(Vec::new());
            }
            StatementKind::PutField { field, receiver, value } => {
                return Ok(vec![self.field_assignment(field, *receiver, *value)?]);
            }
            StatementKind::PutElement { array, index, value } => {
                return Ok(vec![self.element_assignment(*array, *index, *value)?]);
            }
            _ => {}
        }
        if let Some(name) = self.fixture.and_then(|fixture| fixture.name(variable)) {
            let StatementKind::Stub { class, answers, .. } = kind else { return Ok(Vec::new()) };
            let answers = self.mocked_answers(name, variable, class, answers)?;
            return Ok(answers.into_iter().map(JavaStatement::Expression).collect());
        }
        let value = self.expression(variable)?.expr;
        let is_needed = self.usage.uses(variable) > 0 || self.usage.is_asserted(variable);
        let is_temporary = matches!(kind, StatementKind::Call { method, .. } if creates_temporary_file(method));
        let may_stand_alone = matches!(kind, StatementKind::Call { .. } | StatementKind::Construct { .. })
            && value.level() == Level::Primary
            && !is_temporary;
        let name = match self.names.variable(variable) {
            Some(name) if is_needed || !may_stand_alone => name,
            // A constant is no statement, and nothing needs it.
            _ if named_constant(&value).is_some() => return Ok(Vec::new()),
            _ => return Ok(vec![JavaStatement::Expression(value)]),
        };
        let is_of_box = |class: &ClassName| self.declared_erasure(variable) == JavaType::Class(class.clone());
        let value = match kind {
            StatementKind::Call { method, .. } if is_of_box(&method.owner) => self.literal_in_box(variable).unwrap_or(value),
            _ => value,
        };
        let mut statements = vec![self.declaration(variable, name, value)?];
        match kind {
            StatementKind::Stub { class, kind: StubKind::Mock, answers } => {
                let answers = self.mocked_answers(name, variable, class, answers)?;
                statements.extend(answers.into_iter().map(JavaStatement::Expression));
            }
            // The array creation has none of the cells, and cells of 0, false and null are there by
            // themselves.
            StatementKind::Array { element, length, elements } if *length as usize != elements.len() => {
                for (index, cell) in elements.iter().enumerate().filter(|(_, cell)| !is_zero(self.usage.kind(**cell))) {
                    let place = Expr::Element { array: Box::new(Expr::Name(name.to_string())), index };
                    statements.push(JavaStatement::Assignment { place, value: self.cell(element, *cell)? });
                }
            }
            _ if is_temporary => statements.push(JavaStatement::Expression(delete_on_exit(name))),
            _ => {}
        }
        Ok(statements)
    }

    /// The declaration of a variable with its declared type.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleType` where the test cannot name the type.
    pub(super) fn declaration(&self, variable: VarId, name: &str, value: Expr) -> Result<JavaStatement, Unprintable> {
        let ty = self.types.declared(variable).clone();
        self.check_named(&ty)?;
        let value = if mentions_raw(self.program(), &ty) { value.marked(Mark::Unchecked) } else { value };
        Ok(JavaStatement::Declaration { ty, name: name.to_string(), value })
    }

    /// Checks that the test can name the type with all of its arguments.
    fn check_named(&self, ty: &GenericType) -> Result<(), Unprintable> {
        match ty {
            GenericType::Class { name, arguments, .. } if !arguments.is_empty() => {
                arguments.iter().try_for_each(|argument| self.check_named(argument))?;
                self.named_class(name).map(drop)
            }
            GenericType::Array(element) => self.check_named(element),
            GenericType::Wildcard(Wildcard::Any) => Ok(()),
            GenericType::Wildcard(Wildcard::Extends(bound) | Wildcard::Super(bound)) => self.check_named(bound),
            other => self.named(&other.erase(&[])).map(drop),
        }
    }

    /// `field = value`, with the cast that the value needs; of a private field that a container
    /// fills, `ReflectionTestUtils.setField(object, "field", value)`.
    ///
    /// # Errors
    /// As for the place and the value.
    pub(super) fn field_assignment(
        &self,
        field: &FieldRef,
        receiver: Option<VarId>,
        value: VarId,
    ) -> Result<JavaStatement, Unprintable> {
        if let Some(receiver) = receiver
            && is_hidden(self.access, field)
            && self.access.can_name_class(&ClassName::new(REFLECTION_TEST_UTILS))
        {
            return self.reflective_assignment(field, receiver, value).map(JavaStatement::Expression);
        }
        let (place, _) = self.field(field, receiver, true)?;
        Ok(JavaStatement::Assignment { place, value: self.stored(value, &field.field_type())? })
    }

    fn reflective_assignment(&self, field: &FieldRef, receiver: VarId, value: VarId) -> Result<Expr, Unprintable> {
        let object = self.operand(receiver)?.expr;
        let units: Vec<u16> = field.name.encode_utf16().collect();
        let name = Expr::literal(literal::string(&units, self.options.release)?, Literal::Str(units));
        let value = self.operand(value)?.expr;
        Ok(Expr::Call {
            on: Qualifier::Class(ClassName::new(REFLECTION_TEST_UTILS)),
            method: "setField".into(),
            args: vec![object, name, value],
            exceptions: Vec::new(),
        })
    }

    /// `array[index] = value`, with the cast that the value needs.
    ///
    /// # Errors
    /// As for the array and the value.
    pub(super) fn element_assignment(&self, array: VarId, index: u32, value: VarId) -> Result<JavaStatement, Unprintable> {
        let on = self.operand(array)?;
        let JavaType::Array(element) = on.erasure() else {
            return Err(Unprintable::Malformed(format!("{array} is no array")));
        };
        let place = Expr::Element { array: Box::new(on.expr.into_primary()), index: index as usize };
        Ok(JavaStatement::Assignment { place, value: self.stored(value, &element)? })
    }
}

fn arranged(statement: JavaStatement) -> Line {
    Line { statement, is_assertion: false }
}

pub(super) fn asserted(assertion: Expr) -> Line {
    Line { statement: JavaStatement::Expression(assertion), is_assertion: true }
}

/// `name.toFile().deleteOnExit()`.
fn delete_on_exit(name: &str) -> Expr {
    let call = |on: Expr, method: &str| Expr::Call {
        on: on.into_qualifier(),
        method: method.into(),
        args: Vec::new(),
        exceptions: Vec::new(),
    };
    call(call(Expr::Name(name.to_string()), "toFile"), "deleteOnExit")
}

/// Puts the last call into `assertDoesNotThrow`: that it returns is all that the test shows.
fn say_that_nothing_is_thrown(lines: &mut [Line], style: AssertionStyle) {
    let Some(Line { statement, is_assertion }) = lines.last_mut() else { return };
    if let JavaStatement::Expression(Expr::Call { .. } | Expr::New { .. }) = statement {
        let args = vec![Expr::Action(Box::new(statement.clone()))];
        let assertion = Expr::Imported { method: StaticImport::Assertion("assertDoesNotThrow"), args };
        let is_fluent = style == AssertionStyle::AssertJ;
        *statement = JavaStatement::Expression(if is_fluent { assertion.marked(Mark::Fluent) } else { assertion });
        *is_assertion = true;
    }
}
