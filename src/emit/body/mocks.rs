//! Plans mocks. In: statements that create an object whose own methods never run, with the answers
//! of its methods; out: Java that creates the object with Mockito and stubs its methods.

use crate::emit::Unprintable;
use crate::emit::call::{self, Adapt, Conversion, Static, convert, mentions_raw};
use crate::oracle::{is_identifier, returns_zero_by_default};
use crate::program::{
    ClassModel, ClassName, GenericType, JavaType, MethodModel, MethodRef, ResolvedMethod, passed_elements, targets,
};
use crate::testcase::{Answer, AnswerOutcome, VarId};
use tracewright_classfile::PrimitiveType;

use super::expressions::{Typed, is_zero};
use super::java::{Expr, Mark, StaticImport};
use super::plan::Planner;
use super::types::{mocks_by_type, mocks_safely_by_type};

/// An argument in a call that stubs or verifies a method of a mock.
pub(super) enum Passed {
    /// Any value.
    Any,
    /// A value that is equal to this one; a literal in a box also by itself.
    Value(Typed, Option<Expr>),
    /// The `capture()` of an `ArgumentCaptor`.
    Captor(Typed),
    /// The variable arguments, each by itself.
    Elements(Vec<Passed>),
}

impl Passed {
    /// Whether it is written as a matcher, so that all other arguments have to be matchers as well.
    fn is_matcher(&self) -> bool {
        match self {
            Passed::Value(..) => false,
            Passed::Any | Passed::Captor(_) => true,
            Passed::Elements(elements) => elements.iter().any(Passed::is_matcher),
        }
    }
}

/// A call that stubs or verifies a method of a mock, with its static type.
pub(super) struct MockedCall {
    pub(super) method: String,
    pub(super) args: Vec<Expr>,
    pub(super) exceptions: Vec<ClassName>,
    returns: GenericType,
    is_unchecked: bool,
}

impl MockedCall {
    /// The call on this object.
    pub(super) fn on(&self, on: Expr) -> Expr {
        let call = Expr::Call {
            on: on.into_qualifier(),
            method: self.method.clone(),
            args: self.args.clone(),
            exceptions: self.exceptions.clone(),
        };
        if self.is_unchecked { call.marked(Mark::Unchecked) } else { call }
    }
}

impl Planner<'_> {
    /// `mock(C.class)`, or `mock()` where the type of the variable says what a class literal cannot.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleType` for a class that the test cannot name.
    pub(super) fn mock(&self, variable: VarId, class: &ClassName) -> Result<Typed, Unprintable> {
        let declared = self.types.declared(variable);
        if !self.usage.is_inline(variable) && !declared.arguments().is_empty() && mocks_by_type(self.program()) {
            let mock = mockito("org.mockito.Mockito.mock", Vec::new());
            let is_safe = mocks_safely_by_type(self.program());
            return Ok(Typed::new(if is_safe { mock } else { mock.marked(Mark::Unchecked) }, declared.clone()));
        }
        let model = self.program().class(class).ok_or_else(|| Unprintable::InaccessibleType(class.to_string()))?;
        let args = vec![Expr::ClassLiteral(JavaType::Class(self.named_class(class)?))];
        let mock = mockito("org.mockito.Mockito.mock", args);
        let is_raw = !model.signature.parameters.is_empty();
        Ok(Typed::new(if is_raw { mock.marked(Mark::Unchecked) } else { mock }, GenericType::class(class.clone())))
    }

    /// The calls that make the mock answer. An answer that the mock gives by itself has none.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleMember` for a method that the test cannot call or Mockito cannot
    /// replace.
    pub(super) fn mocked_answers(
        &self,
        name: &str,
        variable: VarId,
        class: &ClassName,
        answers: &[Answer],
    ) -> Result<Vec<Expr>, Unprintable> {
        let mut planned = Vec::new();
        for (position, answer) in answers.iter().enumerate() {
            let earlier: Vec<&Answer> = answers[..position].iter().filter(|earlier| earlier.method == answer.method).collect();
            let is_zero = answer.constant().is_some_and(|value| is_zero(self.usage.kind(value)));
            if is_zero && earlier.is_empty() && returns_zero_by_default(&answer.method) {
                continue;
            }
            // The call inside `when` gets the earlier answer: it would throw, or use up an outcome.
            let is_answered = earlier
                .iter()
                .any(|earlier| earlier.outcomes.len() > 1 || matches!(earlier.outcomes[..], [AnswerOutcome::Throws(_)]));
            planned.push(self.mocked_answer(name, variable, class, answer, is_answered)?);
        }
        Ok(planned)
    }

    fn mocked_answer(
        &self,
        name: &str,
        variable: VarId,
        class: &ClassName,
        answer: &Answer,
        is_answered: bool,
    ) -> Result<Expr, Unprintable> {
        let method = &answer.method;
        let mut passed = if answer.arguments.iter().all(Option::is_none) {
            method.parameters().iter().map(|_| Passed::Any).collect()
        } else {
            let passed = |argument: &Option<VarId>| match argument {
                Some(value) => {
                    let literal = if self.usage.is_inline(*value) { self.literal_in_box(*value) } else { None };
                    Ok(Passed::Value(self.operand(*value)?, literal))
                }
                None => Ok(Passed::Any),
            };
            answer.arguments.iter().map(passed).collect::<Result<Vec<_>, Unprintable>>()?
        };
        if let (Some(last @ Passed::Any), Some(elements)) = (passed.last_mut(), self.variable_arguments(method)) {
            *last = Passed::Elements((0..elements).map(|_| Passed::Any).collect());
        }
        let call = self.mocked_call(variable, class, method, passed)?;
        let mock = Expr::Name(name.to_string());
        let mut outcomes = Vec::new();
        let mut needs_do = is_answered || call.returns == GenericType::Primitive(JavaType::Void);
        let mut is_unchecked = false;
        for outcome in &answer.outcomes {
            let value = self.operand(outcome.variable())?;
            if matches!(outcome, AnswerOutcome::Throws(_)) {
                outcomes.push((true, value.expr));
                continue;
            }
            let (value, conversion) = self.mocked_value(value, method, &call.returns)?;
            needs_do |= conversion == Conversion::None;
            is_unchecked |= conversion == Conversion::Unchecked;
            outcomes.push((false, value));
        }
        let chained = |on: Expr, method: &str, args: Vec<Expr>| Expr::Call {
            on: on.into_qualifier(),
            method: method.into(),
            args,
            exceptions: Vec::new(),
        };
        if needs_do {
            // `doReturn` takes any object, and does not call the method.
            let mut stubber: Option<Expr> = None;
            for (throws, value) in outcomes {
                stubber = Some(match (stubber, throws) {
                    (Some(on), true) => chained(on, "doThrow", vec![value]),
                    (Some(on), false) => chained(on, "doReturn", vec![value]),
                    (None, true) => mockito("org.mockito.Mockito.doThrow", vec![value]),
                    (None, false) => mockito("org.mockito.Mockito.doReturn", vec![value]),
                });
            }
            let stubber = stubber.ok_or_else(|| Unprintable::Malformed(format!("{method} has no outcome")))?;
            return Ok(call.on(chained(stubber, "when", vec![mock])));
        }
        let mut stubbing = mockito("org.mockito.Mockito.when", vec![call.on(mock)]);
        let is_plain = |value: &Expr| !value.is_null();
        // Several values are an array of the return type, which must have no type arguments.
        let may_join = call.returns.arguments().is_empty() && !matches!(call.returns, GenericType::Array(_));
        let mut rest = outcomes.into_iter().peekable();
        while let Some((throws, value)) = rest.next() {
            let mut args = vec![value];
            while !throws
                && may_join
                && args.iter().all(is_plain)
                && let Some((_, next)) = rest.next_if(|(throws, value)| !throws && is_plain(value))
            {
                args.push(next);
            }
            stubbing = chained(stubbing, if throws { "thenThrow" } else { "thenReturn" }, args);
        }
        Ok(if is_unchecked { stubbing.marked(Mark::Unchecked) } else { stubbing })
    }

    /// How many variable arguments the class under test passes to the method; `None` where it has none, and
    /// where calls differ.
    fn variable_arguments(&self, method: &MethodRef) -> Option<usize> {
        let target = &self.test().target.as_ref()?.owner;
        let is_variable = self.program().resolve(method).is_some_and(|found| found.method().access.is_varargs());
        if is_variable { passed_elements(self.program(), &targets(self.program(), target), method) } else { None }
    }

    /// The value with the cast that it needs, and how javac converts it to the type of the call.
    fn mocked_value(&self, value: Typed, method: &MethodRef, returns: &GenericType) -> Result<(Expr, Conversion), Unprintable> {
        let Some(ty) = &value.ty else { return Ok((value.expr, Conversion::Checked)) };
        let erased = method.return_type();
        if !self.program().is_subtype(&ty.erase(&[]), &erased) {
            return Ok((value.expr.into_primary().cast(self.named(&erased)?), Conversion::Checked));
        }
        let conversion = match returns {
            GenericType::Variable(_) | GenericType::Wildcard(_) => Conversion::None,
            returns => convert(self.program(), ty, returns),
        };
        Ok((value.expr, conversion))
    }

    /// A call of a method of a mock that stubs or verifies it: with plain values, or with matchers
    /// for all arguments.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleMember` for a method that the test cannot call or Mockito cannot
    /// replace.
    pub(super) fn mocked_call(
        &self,
        variable: VarId,
        class: &ClassName,
        method: &MethodRef,
        passed: Vec<Passed>,
    ) -> Result<MockedCall, Unprintable> {
        let found = self.program().resolve(method).ok_or_else(|| Unprintable::Malformed(format!("{method} does not exist")))?;
        let model = found.method();
        let access = model.access;
        // A matcher for all arguments of a varargs method depends on the version of Mockito.
        let has_elements = matches!(passed.last(), Some(Passed::Elements(_)));
        let is_variable = access.is_varargs() && !has_elements && passed.iter().any(Passed::is_matcher);
        if !self.access.can_use_method(model) || access.is_final() || access.is_static() || is_variable {
            return Err(Unprintable::InaccessibleMember(method.to_string()));
        }
        if !is_identifier(&method.name) {
            return Err(Unprintable::NotAnIdentifier(method.name.to_string()));
        }
        let receiver = self.types.declared(variable);
        if !self.program().is_subtype(&receiver.erase(&[]), &JavaType::Class(method.owner.clone())) {
            return Err(Unprintable::InaccessibleType(class.to_string()));
        }
        let types: Vec<Static> = passed
            .iter()
            .zip(&model.parameters)
            .map(|(passed, parameter)| match passed {
                Passed::Any => None,
                Passed::Value(value, _) | Passed::Captor(value) => value.ty.clone(),
                Passed::Elements(_) => Some(GenericType::of(parameter)),
            })
            .collect();
        let plan = call::plan_call(self.access, method, Some(receiver), None, &types)?;
        let has_matchers = passed.iter().any(Passed::is_matcher);
        let mut flat: Vec<(Passed, Adapt, JavaType)> = Vec::new();
        for (index, (passed, adapt)) in passed.into_iter().zip(&plan.arguments).enumerate() {
            let passed = match passed {
                Passed::Value(value, Some(literal)) if plan.boxes[index] => Passed::Value(Typed { expr: literal, ..value }, None),
                passed => passed,
            };
            match (passed, &model.parameters[index]) {
                (Passed::Elements(elements), JavaType::Array(element)) => {
                    flat.extend(elements.into_iter().map(|passed| (passed, Adapt::Plain, JavaType::clone(element))));
                }
                (passed, parameter) => flat.push((passed, adapt.clone(), parameter.clone())),
            }
        }
        let is_overloaded = self.has_overload(class, &found, flat.len());
        let mut is_unchecked = false;
        let mut args = Vec::new();
        for (passed, adapt, parameter) in flat {
            let is_any = matches!(passed, Passed::Any);
            let (arg, is_value) = match passed {
                Passed::Elements(_) => return Err(Unprintable::Malformed(format!("{method} takes no variable arguments"))),
                Passed::Any => (mockito(matcher(&parameter), Vec::new()), false),
                Passed::Captor(captor) => (captor.expr, false),
                Passed::Value(value, _) if has_matchers && value.ty.is_none() => {
                    (mockito("org.mockito.ArgumentMatchers.isNull", Vec::new()), false)
                }
                Passed::Value(value, _) if has_matchers => (mockito("org.mockito.ArgumentMatchers.eq", vec![value.expr]), false),
                Passed::Value(value, _) => (value.expr, true),
            };
            let needs_cast = match adapt {
                Adapt::Plain => false,
                Adapt::Cast => !is_any,
                Adapt::Raw | Adapt::RawReceiver => {
                    is_unchecked = true;
                    is_value
                }
            };
            // `any()` fits the parameters of all overloads.
            let needs_cast = needs_cast || is_any && is_overloaded && parameter.is_reference();
            if !needs_cast {
                args.push(arg);
                continue;
            }
            if parameter == JavaType::class("java/lang/Object") && !is_value {
                args.push(matcher_of_objects(arg, is_any));
                continue;
            }
            let ty = self.named(&parameter)?;
            is_unchecked |= mentions_raw(self.program(), &GenericType::of(&ty));
            args.push(arg.into_cast_operand().cast(ty));
        }
        let returns = self.mocked_return(model, receiver, plan.returns);
        let is_unchecked = is_unchecked || mentions_raw(self.program(), receiver);
        Ok(MockedCall { method: model.name().to_string(), args, exceptions: plan.exceptions, returns, is_unchecked })
    }

    /// The static type of a call on a mock. A type variable stands for a type that no value
    /// converts to for sure: one with type parameters of the method, or with wildcards.
    fn mocked_return(&self, method: &MethodModel, receiver: &GenericType, planned: GenericType) -> GenericType {
        let declared = &method.signature.returns;
        let is_raw = mentions_raw(self.program(), receiver);
        let own = |name: &std::sync::Arc<str>| method.signature.parameters.iter().any(|parameter| parameter.name == *name);
        let is_inferred = !matches!(declared, GenericType::Variable(_)) && declared.variables().iter().any(own);
        let is_wild = declared.arguments().iter().any(|argument| matches!(argument, GenericType::Wildcard(_)));
        if !is_raw && (is_inferred || is_wild) { GenericType::Variable("T".into()) } else { planned }
    }

    /// Whether the class has another method of that name which takes as many arguments, and neither
    /// overrides the method nor is overridden by it.
    fn has_overload(&self, class: &ClassName, method: &ResolvedMethod, arguments: usize) -> bool {
        let program = self.program();
        let inherited =
            |declaring: &ClassModel, model: &MethodModel| call::inherited_parameters(program, class, declaring, model);
        let own = inherited(&method.class, method.method());
        let mut family = program.superclass_chain(class);
        family.extend(program.all_interfaces(class).iter().filter_map(|interface| program.class(interface)));
        family.iter().flat_map(|class| class.methods.iter().map(move |other| (class, other))).any(|(declaring, other)| {
            let takes_as_many = match other.access.is_varargs() {
                true => other.parameters.len() <= arguments + 1,
                false => other.parameters.len() == arguments,
            };
            other.name() == method.method().name()
                && takes_as_many
                && !other.access.is_synthetic()
                && inherited(declaring, other) != own
        })
    }
}

/// A call of a statically imported method of Mockito.
pub(super) fn mockito(method: &'static str, args: Vec<Expr>) -> Expr {
    Expr::Imported { method: StaticImport::Mockito(method), args }
}

/// The matcher with the type `Object`, which chooses among overloads. A cast would do so too, but javac
/// calls it redundant.
fn matcher_of_objects(matcher: Expr, is_any: bool) -> Expr {
    let object = JavaType::class("java/lang/Object");
    let is_null = matches!(&matcher, Expr::Imported { args, .. } if args.is_empty());
    if is_any {
        mockito("org.mockito.ArgumentMatchers.nullable", vec![Expr::ClassLiteral(object)])
    } else if is_null {
        mockito("org.mockito.ArgumentMatchers.eq", vec![Expr::null(None).cast(object)])
    } else {
        matcher.cast(object)
    }
}

/// The matcher of Mockito for any argument of the type.
fn matcher(parameter: &JavaType) -> &'static str {
    match parameter {
        JavaType::Primitive(PrimitiveType::Boolean) => "org.mockito.ArgumentMatchers.anyBoolean",
        JavaType::Primitive(PrimitiveType::Byte) => "org.mockito.ArgumentMatchers.anyByte",
        JavaType::Primitive(PrimitiveType::Char) => "org.mockito.ArgumentMatchers.anyChar",
        JavaType::Primitive(PrimitiveType::Short) => "org.mockito.ArgumentMatchers.anyShort",
        JavaType::Primitive(PrimitiveType::Int) => "org.mockito.ArgumentMatchers.anyInt",
        JavaType::Primitive(PrimitiveType::Long) => "org.mockito.ArgumentMatchers.anyLong",
        JavaType::Primitive(PrimitiveType::Float) => "org.mockito.ArgumentMatchers.anyFloat",
        JavaType::Primitive(PrimitiveType::Double) => "org.mockito.ArgumentMatchers.anyDouble",
        JavaType::Class(_) | JavaType::Array(_) | JavaType::Void => "org.mockito.ArgumentMatchers.any",
    }
}
