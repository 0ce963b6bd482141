//! Plans the verification of calls that mocks received. In: facts about calls; out: lines with
//! Mockito's `verify`, and with argument captors for objects that only their inspectors describe.

use crate::emit::Unprintable;
use crate::emit::call;
use crate::execution::{ContainerKind, HeldValues, Snapshot};
use crate::oracle::{ArgumentFact, Assertion, Fact, as_literal};
use crate::program::{ClassName, GenericType, JavaType, MethodRef};
use crate::testcase::{StatementKind, VarId};

use super::expressions::Typed;
use super::java::{Expr, JavaStatement, Line, Mark, Qualifier};
use super::layout::asserted;
use super::local_names::type_role;
use super::mocks::{Passed, mockito};
use super::plan::Planner;

/// What the inspectors of a captured argument return.
type Inspected = [(MethodRef, Snapshot)];

impl Planner<'_> {
    /// The lines that verify the calls of mocks, in the order of the assertions.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleMember` or `InaccessibleType` for a method or type that the test
    /// cannot use; `Malformed` for a subject that is no mock.
    pub(super) fn verified_calls(&self) -> Result<Vec<Line>, Unprintable> {
        let mut names = self.captor_names().into_iter();
        let mut lines = Vec::new();
        for Assertion { subject, fact } in &self.test().assertions {
            if let Fact::Called { method, arguments, times } = fact {
                lines.extend(self.verified_call(*subject, method, arguments, *times, &mut names)?);
            }
        }
        Ok(lines)
    }

    fn verified_call(
        &self,
        mock: VarId,
        method: &MethodRef,
        arguments: &[ArgumentFact],
        times: u32,
        names: &mut impl Iterator<Item = String>,
    ) -> Result<Vec<Line>, Unprintable> {
        let StatementKind::Stub { class, .. } = self.usage.kind(mock) else {
            return Err(Unprintable::Malformed(format!("{mock} is no mock")));
        };
        let is_varargs = self.program().resolve(method).is_some_and(|found| found.method().access.is_varargs());
        let (mut lines, mut inspected) = (Vec::new(), Vec::new());
        let mut passed = Vec::new();
        for (argument, parameter) in arguments.iter().zip(method.parameters()) {
            passed.push(match argument {
                ArgumentFact::Any => Passed::Any,
                ArgumentFact::Equals(Snapshot::Array { element, elements: Some(cells), .. })
                    if is_varargs && passed.len() + 1 == arguments.len() =>
                {
                    let elements: Result<_, _> = cells.iter().map(|cell| self.passed_value(cell, element)).collect();
                    Passed::Elements(elements?)
                }
                ArgumentFact::Is(variable) => Passed::Value(self.operand(*variable)?, None),
                ArgumentFact::Equals(value) => self.passed_value(value, &parameter)?,
                ArgumentFact::Captured(facts) => {
                    let name = names.next().unwrap_or_default();
                    let captured = self.named(&self.captured_type(facts, &parameter))?;
                    lines.push(self.captor(&name, &captured));
                    inspected.extend(self.inspections(&name, &captured, facts)?);
                    Passed::Captor(Typed::new(call_on(Expr::Name(name), "capture"), GenericType::of(&captured)))
                }
            });
        }
        let call = self.mocked_call(mock, class, method, passed)?;
        let mut args = vec![self.operand(mock)?.expr];
        match times {
            0 => args.push(mockito("org.mockito.Mockito.never", Vec::new())),
            1 => {}
            more => args.push(mockito("org.mockito.Mockito.times", vec![Expr::int(more as i32)])),
        }
        lines.push(asserted(call.on(mockito("org.mockito.Mockito.verify", args))));
        lines.extend(inspected);
        Ok(lines)
    }

    /// A literal as an argument; any value where no literal states it.
    fn passed_value(&self, value: &Snapshot, parameter: &JavaType) -> Result<Passed, Unprintable> {
        let ty = match value {
            Snapshot::Null => {
                return Ok(Passed::Value(Typed { expr: Expr::null(Some(parameter)), ty: None, inferred: false }, None));
            }
            Snapshot::Array { element, elements: Some(cells), .. } => {
                let ty = GenericType::Array(Box::new(GenericType::of(element)));
                return Ok(Passed::Value(Typed::new(self.array_value(element, cells)?, ty), None));
            }
            Snapshot::Array { .. } => return Ok(Passed::Any),
            Snapshot::Str(_) => JavaType::class("java/lang/String"),
            // The erased parameter of a generic method says less than the value.
            Snapshot::Boxed(inner) => match as_literal(inner).and_then(|literal| literal.primitive()) {
                Some(primitive) => JavaType::class(primitive.box_class()),
                None => parameter.clone(),
            },
            Snapshot::Enum { class, .. }
            | Snapshot::Container(HeldValues { kind: ContainerKind::Record(class) | ContainerKind::Value(class), .. }) => {
                JavaType::Class(class.clone())
            }
            _ => parameter.clone(),
        };
        Ok(Passed::Value(Typed::new(self.value(value)?, GenericType::of(&ty)), None))
    }

    /// `ArgumentCaptor<T> name = ArgumentCaptor.forClass(T.class)`.
    fn captor(&self, name: &str, captured: &JavaType) -> Line {
        let class = ClassName::new("org/mockito/ArgumentCaptor");
        let argument = GenericType::of(captured);
        let is_raw = call::mentions_raw(self.program(), &argument);
        let ty = GenericType::Class { name: class.clone(), arguments: vec![argument], outer: None };
        let value = Expr::Call {
            on: Qualifier::Class(class),
            method: "forClass".into(),
            args: vec![Expr::ClassLiteral(captured.clone())],
            exceptions: Vec::new(),
        };
        let value = if is_raw { value.marked(Mark::Unchecked) } else { value };
        Line { statement: JavaStatement::Declaration { ty, name: name.to_string(), value }, is_assertion: true }
    }

    /// The class of the captured object: that of its inspectors, if the parameter takes it.
    fn captured_type(&self, facts: &Inspected, parameter: &JavaType) -> JavaType {
        let owners = facts.iter().map(|(inspector, _)| JavaType::Class(inspector.owner.clone()));
        owners.fold(parameter.clone(), |found, owner| if self.program().is_subtype(&owner, &found) { owner } else { found })
    }

    /// One assertion for each inspector of the captured object.
    fn inspections(&self, name: &str, captured: &JavaType, facts: &Inspected) -> Result<Vec<Line>, Unprintable> {
        let receiver = GenericType::of(captured);
        let mut lines = Vec::new();
        for (inspector, value) in facts {
            let plan = call::plan_call(self.access, inspector, Some(&receiver), None, &[])?;
            let call = Expr::Call {
                on: call_on(Expr::Name(name.to_string()), "getValue").into_qualifier(),
                method: inspector.name.to_string(),
                args: Vec::new(),
                exceptions: plan.exceptions,
            };
            let fact = if *value == Snapshot::Null { Fact::Null } else { Fact::Equals(value.clone()) };
            lines.push(asserted(self.assertion(&fact, Typed::new(call, plan.returns), None)?));
        }
        Ok(lines)
    }

    /// Names of all captors of the test: those of the parameters, else of their types.
    fn captor_names(&self) -> Vec<String> {
        let mut wanted = Vec::new();
        for assertion in &self.test().assertions {
            let Fact::Called { method, arguments, .. } = &assertion.fact else { continue };
            let resolved = self.program().resolve(method);
            let declared = resolved.as_ref().map_or(&[][..], |found| found.class.parameter_names(found.method()));
            for (position, (argument, parameter)) in arguments.iter().zip(method.parameters()).enumerate() {
                if let ArgumentFact::Captured(facts) = argument {
                    let name = declared.get(position).cloned().flatten();
                    wanted.push(name.unwrap_or_else(|| type_role(&self.captured_type(facts, &parameter))));
                }
            }
        }
        self.names.parameters(wanted.into_iter())
    }
}

/// `on.method()`.
fn call_on(on: Expr, method: &str) -> Expr {
    Expr::Call { on: on.into_qualifier(), method: method.into(), args: Vec::new(), exceptions: Vec::new() }
}
