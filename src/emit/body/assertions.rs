//! Plans assertions. In: facts of an asserted test, and the expressions of their subjects; out:
//! calls of JUnit's assertion methods.

use crate::emit::{AssertionStyle, JUnit, Unprintable, literal};
use crate::execution::{ContainerKind, HeldValues, Snapshot};
use crate::oracle::{Fact, as_literal, reads_printed_lines};
use crate::program::{ClassName, GenericType, JavaType};
use crate::testcase::{Literal, StatementKind, VarId};
use tracewright_classfile::PrimitiveType;

use super::calls::boxing;
use super::expressions::Typed;
use super::java::{Expr, Instantiated, JavaStatement, Level, Line, Mark, Qualifier, StaticImport};
use super::plan::Planner;

/// Decimals with at most this many digits are compared exactly.
const EXACT_DIGITS: usize = 6;
/// Digits of a number that JVMs agree on.
const DOUBLE_PRECISION: i32 = 9;
const FLOAT_PRECISION: i32 = 5;
/// The delta of a smaller number would be a denormal one.
const SMALLEST_WITH_DELTA: f64 = 1e-290;

/// Types with an `assertThat` of their own, which a class may have more than one of.
const SPECIAL_TYPES: [&str; 12] = [
    "java/lang/Comparable",
    "java/lang/Iterable",
    "java/lang/CharSequence",
    "java/lang/Throwable",
    "java/util/Iterator",
    "java/util/Map",
    "java/util/concurrent/Future",
    "java/util/concurrent/CompletionStage",
    "java/util/function/Predicate",
    "java/util/stream/BaseStream",
    "java/util/function/IntPredicate",
    "java/io/InputStream",
];

/// Value classes of the JDK that AssertJ compares by `equals`.
const PLAIN_VALUES: [&str; 7] = [
    "java/math/BigDecimal",
    "java/math/BigInteger",
    "java/time/LocalDate",
    "java/time/LocalTime",
    "java/time/Instant",
    "java/time/Duration",
    "java/util/UUID",
];

/// The name and the arguments of an assertion method.
type Call = (&'static str, Vec<Expr>);

impl Planner<'_> {
    /// The assertion of a fact about `actual`. `subject`: the variable whose call `actual` is,
    /// where the call stands inside the assertion.
    ///
    /// # Errors
    /// `Unprintable::Malformed` for a value that no literal states; `InaccessibleType` for a class
    /// that cannot be named.
    pub(super) fn assertion(&self, fact: &Fact, actual: Typed, subject: Option<VarId>) -> Result<Expr, Unprintable> {
        let ty = actual.erasure();
        let is_fluent = self.options.style == AssertionStyle::AssertJ && self.is_fluent(fact, actual.ty.as_ref());
        let (method, args) = match fact {
            Fact::Called { method, .. } => return Err(Unprintable::Malformed(format!("calls of {method} are no value"))),
            Fact::Null => ("assertNull", vec![actual.expr]),
            Fact::NotNull => ("assertNotNull", vec![actual.expr]),
            Fact::SameAs(other) => ("assertSame", vec![self.operand(*other)?.expr, actual.expr]),
            Fact::InstanceOf(class) => {
                let expected = Expr::ClassLiteral(JavaType::Class(self.named_class(class)?));
                let found = Expr::Call {
                    on: actual.expr.into_qualifier(),
                    method: "getClass".into(),
                    args: Vec::new(),
                    exceptions: Vec::new(),
                };
                ("assertEquals", vec![expected, found])
            }
            Fact::Equals(value) => self.equality(value, self.with_line_feeds(value, actual.expr, subject)?, &ty, subject)?,
        };
        // In place of a call of `equals`, its argument is compared, whose type is not known here.
        let is_argument = matches!(fact, Fact::Equals(Snapshot::Boolean(_))) && method.ends_with("Equals");
        let is_fluent = is_fluent && !is_argument;
        let assertion = Expr::Imported { method: StaticImport::Assertion(method), args };
        Ok(if is_fluent { assertion.marked(Mark::Fluent) } else { assertion })
    }

    /// The text with line feeds in place of what ends lines on the machine, where lines were printed to it.
    fn with_line_feeds(&self, expected: &Snapshot, actual: Expr, subject: Option<VarId>) -> Result<Expr, Unprintable> {
        let line_feed = u16::from(b'\n');
        let is_of_lines = matches!(expected, Snapshot::Str(Some(units)) if units.contains(&line_feed));
        if !is_of_lines || !subject.is_some_and(|subject| reads_printed_lines(&self.test().test, subject)) {
            return Ok(actual);
        }
        let call =
            |on: Qualifier, method: &str, args: Vec<Expr>| Expr::Call { on, method: method.into(), args, exceptions: Vec::new() };
        let system = Qualifier::Class(self.named_class(&ClassName::new("java/lang/System"))?);
        let args = vec![call(system, "lineSeparator", Vec::new()), self.value(&Snapshot::Str(Some(vec![line_feed])))?];
        Ok(call(actual.into_qualifier(), "replace", args))
    }

    /// Whether javac finds one `assertThat` of AssertJ for what the fact says of a value with this static
    /// type, and the assertion means the same.
    fn is_fluent(&self, fact: &Fact, ty: Option<&GenericType>) -> bool {
        match fact {
            // The class of the object, and the length of an array.
            Fact::InstanceOf(_) | Fact::Equals(Snapshot::Array { elements: None, .. }) => true,
            // What equality of zeros and of NaN means depends on the version of AssertJ.
            Fact::Equals(Snapshot::Double(bits)) if is_zero_or_nan(f64::from_bits(*bits)) => false,
            Fact::Equals(Snapshot::Float(bits)) if is_zero_or_nan(f64::from(f32::from_bits(*bits))) => false,
            _ => ty.is_some_and(|ty| self.has_one_assert_that(ty)),
        }
    }

    fn has_one_assert_that(&self, ty: &GenericType) -> bool {
        let GenericType::Class { name, arguments, .. } = ty else {
            return match ty {
                GenericType::Array(element) => !matches!(**element, GenericType::Variable(_)),
                GenericType::Variable(_) | GenericType::Wildcard(_) => false,
                // A primitive type.
                _ => true,
            };
        };
        let is = |ancestor: &str| self.program().is_subclass(name, &ClassName::new(ancestor));
        if matches!(name.internal(), "java/lang/Object" | "java/lang/String" | "java/lang/Class")
            || PLAIN_VALUES.contains(&name.internal())
            || JavaType::unboxed(name).is_some()
        {
            return true;
        }
        if matches!(
            name.internal(),
            "java/util/List" | "java/util/Set" | "java/util/Collection" | "java/util/Map" | "java/util/Optional"
        ) {
            return !arguments.is_empty();
        }
        let Some(model) = self.program().class(name) else { return false };
        // That of a `Comparable` means the same for enums, where it is the only one.
        let is_special = |special: &str| is(special) && !(model.is_enum() && special == "java/lang/Comparable");
        self.program().is_project(name) && !model.is_interface() && !SPECIAL_TYPES.into_iter().any(is_special)
    }

    /// The assertion that an expression of type `ty` equals the value.
    fn equality(&self, value: &Snapshot, actual: Expr, ty: &JavaType, subject: Option<VarId>) -> Result<Call, Unprintable> {
        Ok(match (value, ty) {
            (Snapshot::Boolean(outcome), JavaType::Primitive(PrimitiveType::Boolean)) => self.truth(*outcome, actual, subject)?,
            (Snapshot::Boxed(inner), JavaType::Class(class)) if class.internal() == "java/lang/Boolean" => {
                (truth_method(**inner == Snapshot::Boolean(true)), vec![actual])
            }
            (Snapshot::Double(bits), _) => {
                let expected = literal::double(*bits);
                let delta = self.delta(f64::from_bits(*bits), &expected).map(|delta| decimal(&delta));
                ("assertEquals", number_arguments(Expr::literal(expected, Literal::Double(*bits)), actual, delta))
            }
            (Snapshot::Float(bits), _) => {
                let expected = literal::float(*bits);
                let delta = self.delta(f64::from(f32::from_bits(*bits)), &expected).map(|delta| short_decimal(&delta));
                ("assertEquals", number_arguments(Expr::literal(expected, Literal::Float(*bits)), actual, delta))
            }
            (Snapshot::Array { element, length, elements: None } | Snapshot::Array { element, length: length @ 0, .. }, _) => {
                let found = Expr::Field { on: self.as_array(actual, ty, element)?.into_qualifier(), name: "length".into() };
                ("assertEquals", vec![Expr::int(*length as i32), found])
            }
            (Snapshot::Array { element, elements: Some(cells), .. }, _) => {
                let written = match ty {
                    JavaType::Array(declared) if declared.is_reference() => declared,
                    _ => element,
                };
                // An array of arrays may be seen as `Object[]`, but its cells need their own types.
                let mut args = vec![self.array_value(written, cells)?, self.as_array(actual, ty, element)?];
                args.extend(match (self.options.junit, element) {
                    (JUnit::Four, JavaType::Primitive(PrimitiveType::Double)) => Some(decimal("0.0")),
                    (JUnit::Four, JavaType::Primitive(PrimitiveType::Float)) => Some(short_decimal("0.0")),
                    _ => None,
                });
                ("assertArrayEquals", args)
            }
            (Snapshot::Boxed(inner), JavaType::Class(class)) if JavaType::unboxed(class).is_some() => {
                match JavaType::unboxed(class) == primitive_of(inner) {
                    true => ("assertEquals", vec![boxing(class.clone(), self.value(inner)?), actual]),
                    false => ("assertEquals", vec![self.value(inner)?, actual.into_cast_operand().cast(object())]),
                }
            }
            (Snapshot::Container(contents), JavaType::Class(class))
                if contents.elements.is_empty() && self.has_is_empty(class) =>
            {
                let on = actual.into_qualifier();
                ("assertTrue", vec![Expr::Call { on, method: "isEmpty".into(), args: Vec::new(), exceptions: Vec::new() }])
            }
            (value, _) => ("assertEquals", vec![self.value(value)?, actual]),
        })
    }

    fn has_is_empty(&self, class: &ClassName) -> bool {
        ["java/util/Collection", "java/util/Map"].map(ClassName::new).iter().any(|of| self.program().is_subclass(class, of))
    }

    /// An expression for an object with these contents.
    ///
    /// # Errors
    /// As [`Planner::value`].
    fn container(&self, HeldValues { kind, elements }: &HeldValues) -> Result<Expr, Unprintable> {
        let args = elements.iter().map(|element| self.value(element)).collect::<Result<Vec<Expr>, Unprintable>>()?;
        let has_factories = self.access.has_collection_factories();
        let (class, method) = match kind {
            ContainerKind::Value(class) => return self.jdk_value(class, elements),
            ContainerKind::Record(class) => {
                let is_generic = self.program().class(class).is_some_and(|model| !model.signature.parameters.is_empty());
                let class = Instantiated::Class(self.named_class(class)?);
                return Ok(Expr::New { class, diamond: is_generic, args, exceptions: Vec::new() });
            }
            ContainerKind::Optional => ("java/util/Optional", if args.is_empty() { "empty" } else { "of" }),
            // An array of variable arguments is no single null.
            ContainerKind::List if **elements == [Snapshot::Null] => ("java/util/Collections", "singletonList"),
            ContainerKind::List if !has_factories && args.is_empty() => ("java/util/Collections", "emptyList"),
            ContainerKind::List if !has_factories || elements.contains(&Snapshot::Null) => ("java/util/Arrays", "asList"),
            ContainerKind::List => ("java/util/List", "of"),
            ContainerKind::Set if has_factories => ("java/util/Set", "of"),
            ContainerKind::Set if args.is_empty() => ("java/util/Collections", "emptySet"),
            ContainerKind::Set if args.len() == 1 => ("java/util/Collections", "singleton"),
            ContainerKind::Set => {
                let elements = self.static_call("java/util/Arrays", "asList", args)?;
                let class = Instantiated::Class(self.named_class(&ClassName::new("java/util/HashSet"))?);
                return Ok(Expr::New { class, diamond: true, args: vec![elements], exceptions: Vec::new() });
            }
            ContainerKind::Map if has_factories => ("java/util/Map", "of"),
            ContainerKind::Map if args.is_empty() => ("java/util/Collections", "emptyMap"),
            ContainerKind::Map => ("java/util/Collections", "singletonMap"),
        };
        self.static_call(class, method, args)
    }

    /// A call of a static method of the JDK.
    fn static_call(&self, class: &str, method: &str, args: Vec<Expr>) -> Result<Expr, Unprintable> {
        let on = Qualifier::Class(self.named_class(&ClassName::new(class))?);
        Ok(Expr::Call { on, method: method.into(), args, exceptions: Vec::new() })
    }

    /// `assertEquals(a, b)` says more than `assertTrue(a.equals(b))`, unless the test is about
    /// `equals` itself.
    fn truth(&self, outcome: bool, actual: Expr, subject: Option<VarId>) -> Result<Call, Unprintable> {
        if let Some(variable) = subject
            && let StatementKind::Call { method, receiver: Some(receiver), args, .. } = self.usage.kind(variable)
            && &*method.name == "equals"
            && &*method.descriptor == "(Ljava/lang/Object;)Z"
            && self.test().target.as_ref().is_some_and(|target| &*target.name != "equals")
        {
            let (receiver, argument) = (self.operand(*receiver)?, self.operand(args[0])?);
            let is_plain = |operand: &Typed| {
                operand.expr.level() == Level::Primary
                    && matches!(&operand.ty, Some(GenericType::Class { name, .. }) if JavaType::unboxed(name).is_none())
            };
            if is_plain(&receiver) && is_plain(&argument) {
                let method = if outcome { "assertEquals" } else { "assertNotEquals" };
                return Ok((method, vec![receiver.expr, argument.expr]));
            }
        }
        Ok((truth_method(outcome), vec![actual]))
    }

    /// The third argument of `assertEquals` for numbers. Short decimals are exact: JUnit 5 compares
    /// their bits and refuses a delta of 0, JUnit 4 wants one. Others get a billionth of their
    /// size, since mathematical functions may differ in the last place between JVMs.
    fn delta(&self, value: f64, written: &str) -> Option<String> {
        let digits = written.trim_end_matches('F').chars().filter(char::is_ascii_digit).count();
        if !value.is_finite() || value == 0.0 || digits <= EXACT_DIGITS || value.abs() < SMALLEST_WITH_DELTA {
            return match self.options.junit {
                JUnit::Five => None,
                JUnit::Four => Some("0.0".into()),
            };
        }
        let precision = if written.ends_with('F') { FLOAT_PRECISION } else { DOUBLE_PRECISION };
        let exponent = value.abs().log10().floor() as i32 - precision;
        Some(format!("1.0E{exponent}"))
    }

    /// The actual value as an array, a primary expression.
    fn as_array(&self, actual: Expr, ty: &JavaType, element: &JavaType) -> Result<Expr, Unprintable> {
        if matches!(ty, JavaType::Array(_)) {
            return Ok(actual.into_primary());
        }
        Ok(actual.cast_primary(JavaType::Array(Box::new(self.nameable_element(element)))))
    }

    /// The element type, or `Object` for one that the test cannot name.
    fn nameable_element(&self, element: &JavaType) -> JavaType {
        if self.access.can_name(element) { element.clone() } else { JavaType::class("java/lang/Object") }
    }

    /// An array creation with these cells.
    ///
    /// # Errors
    /// As [`Planner::value`].
    pub(super) fn array_value(&self, element: &JavaType, cells: &[Snapshot]) -> Result<Expr, Unprintable> {
        let element = self.nameable_element(element);
        let mut written = Vec::new();
        for cell in cells {
            written.push(match (cell, &element) {
                (Snapshot::Byte(value), JavaType::Primitive(PrimitiveType::Byte)) => {
                    Expr::literal(value.to_string(), Literal::Byte(*value))
                }
                (Snapshot::Short(value), JavaType::Primitive(PrimitiveType::Short)) => {
                    Expr::literal(value.to_string(), Literal::Short(*value))
                }
                (Snapshot::Array { element, elements: Some(cells), .. }, _) => self.array_value(element, cells)?,
                _ => self.value(cell)?,
            });
        }
        Ok(Expr::ArrayOf { element, cells: written })
    }

    /// An expression that equals the value.
    ///
    /// # Errors
    /// `Unprintable::Malformed` for a value that no literal states.
    pub(super) fn value(&self, value: &Snapshot) -> Result<Expr, Unprintable> {
        if let Some(found) = as_literal(value) {
            // The static type of an expected value is not used.
            return Ok(self.literal(&found, &JavaType::Void)?.expr);
        }
        match value {
            Snapshot::Boxed(inner) => self.value(inner),
            Snapshot::Container(contents) => self.container(contents),
            Snapshot::Enum { class, constant } => {
                let class = self.program().class_of_constant(class);
                Ok(Expr::Field { on: Qualifier::Class(self.named_class(&class)?), name: constant.clone() })
            }
            _ => Err(Unprintable::Malformed("a value that no literal states".into())),
        }
    }

    /// The assertion that the last statement throws, and that the exception has its message.
    ///
    /// # Errors
    /// `Unprintable::Malformed` for a statement that cannot throw; what its expression cannot say.
    pub(super) fn expected_exception(
        &self,
        variable: VarId,
        class: &ClassName,
        message: Option<&[u16]>,
    ) -> Result<Vec<Line>, Unprintable> {
        let class = self.named_class(class)?;
        let action = match self.usage.kind(variable) {
            StatementKind::PutField { field, receiver, value } => self.field_assignment(field, *receiver, *value)?,
            StatementKind::PutElement { array, index, value } => self.element_assignment(*array, *index, *value)?,
            kind => {
                let value = self.expression(variable)?.expr;
                match kind {
                    StatementKind::Call { .. } | StatementKind::Construct { .. } if value.level() == Level::Primary => {
                        JavaStatement::Expression(value)
                    }
                    StatementKind::Call { .. } | StatementKind::GetField { .. } => self.declaration(variable, "value", value)?,
                    _ => return Err(Unprintable::Malformed(format!("{variable} cannot throw"))),
                }
            }
        };
        let args = vec![Expr::ClassLiteral(JavaType::Class(class.clone())), Expr::Action(Box::new(action))];
        let thrown = Expr::Imported { method: StaticImport::Assertion("assertThrows"), args };
        let thrown = if self.options.style == AssertionStyle::AssertJ { thrown.marked(Mark::Fluent) } else { thrown };
        let Some(message) = message else {
            return Ok(vec![Line { statement: JavaStatement::Expression(thrown), is_assertion: true }]);
        };
        let name = self.names.exception().to_string();
        let message = Expr::literal(literal::string(message, self.options.release)?, Literal::Str(message.to_vec()));
        let get_message = Expr::Call {
            on: Expr::Name(name.clone()).into_qualifier(),
            method: "getMessage".into(),
            args: Vec::new(),
            exceptions: Vec::new(),
        };
        let compared = Expr::Imported { method: StaticImport::Assertion("assertEquals"), args: vec![message, get_message] };
        // What only gives its message needs no longer name.
        let exception = ClassName::new("java/lang/Exception");
        let declared = if self.program().is_subclass(&class, &exception) { exception } else { class };
        let declared = JavaStatement::Declaration { ty: GenericType::class(declared), name, value: thrown };
        Ok(vec![
            Line { statement: declared, is_assertion: false },
            Line { statement: JavaStatement::Expression(compared), is_assertion: true },
        ])
    }
}

fn is_zero_or_nan(value: f64) -> bool {
    value == 0.0 || value.is_nan()
}

/// The arguments of an `assertEquals` for numbers.
fn number_arguments(expected: Expr, actual: Expr, delta: Option<Expr>) -> Vec<Expr> {
    [expected, actual].into_iter().chain(delta).collect()
}

/// A `double` that is written like this.
fn decimal(text: &str) -> Expr {
    Expr::literal(text, Literal::Double(text.parse::<f64>().unwrap_or_default().to_bits()))
}

/// A `float` that is written like this, without its suffix.
fn short_decimal(text: &str) -> Expr {
    Expr::literal(format!("{text}F"), Literal::Float(text.parse::<f32>().unwrap_or_default().to_bits()))
}

/// The type of a primitive value.
fn primitive_of(value: &Snapshot) -> Option<JavaType> {
    Some(match value {
        Snapshot::Boolean(_) => JavaType::BOOLEAN,
        Snapshot::Byte(_) => JavaType::BYTE,
        Snapshot::Char(_) => JavaType::CHAR,
        Snapshot::Short(_) => JavaType::SHORT,
        Snapshot::Int(_) => JavaType::INT,
        Snapshot::Long(_) => JavaType::LONG,
        Snapshot::Float(_) => JavaType::FLOAT,
        Snapshot::Double(_) => JavaType::DOUBLE,
        _ => return None,
    })
}

fn object() -> JavaType {
    JavaType::class("java/lang/Object")
}

fn truth_method(outcome: bool) -> &'static str {
    if outcome { "assertTrue" } else { "assertFalse" }
}
