//! Plans expressions other than calls: operands, literals, fields, arrays and conversions. In:
//! statements of the test; out: Java expressions with their static types.

use crate::emit::call::Static;
use crate::emit::{Unprintable, literal};
use crate::oracle::is_identifier;
use crate::program::{ClassName, FieldRef, GenericType, JavaType};
use crate::testcase::{Literal, StatementKind, StubKind, VarId};

use super::java::{Expr, Mark, Qualifier};
use super::plan::Planner;

/// Longest array of zeros that is written with its cells.
const WRITTEN_ZEROS: u32 = 3;

/// An expression with its static type.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) expr: Expr,
    pub(super) ty: Static,
    /// javac infers the type from the context, so that the expression must not be an argument of an
    /// overloaded method.
    pub(super) inferred: bool,
}

impl Typed {
    /// An expression with its static type, whose type javac does not infer from the context.
    pub(super) fn new(expr: Expr, ty: GenericType) -> Typed {
        Typed { expr, ty: Some(ty), inferred: false }
    }

    /// The erased static type; `Object` for the null type.
    pub(super) fn erasure(&self) -> JavaType {
        self.ty.as_ref().map_or_else(|| JavaType::class("java/lang/Object"), |ty| ty.erase(&[]))
    }
}

impl Planner<'_> {
    /// The value of a variable where it is used: its expression if that is inline, else its name.
    ///
    /// # Errors
    /// `Unprintable::Malformed` for a statement without a value; what the inline expression cannot
    /// say.
    pub(super) fn operand(&self, variable: VarId) -> Result<Typed, Unprintable> {
        if self.usage.is_inline(variable) {
            let mut operand = self.expression(variable)?;
            if operand.ty.is_some() {
                operand.ty = self.types.static_type(self.usage, variable);
            }
            return Ok(operand);
        }
        let name = self.names.variable(variable).ok_or_else(|| Unprintable::Malformed(format!("{variable} has no value")))?;
        Ok(Typed::new(Expr::Name(name.to_string()), self.types.declared(variable).clone()))
    }

    /// The values of the variables, in order.
    ///
    /// # Errors
    /// As [`Planner::operand`].
    pub(super) fn operands(&self, args: &[VarId]) -> Result<Vec<Typed>, Unprintable> {
        args.iter().map(|arg| self.operand(*arg)).collect()
    }

    /// The statement as an expression of its declared type or a subtype.
    ///
    /// # Errors
    /// `Unprintable::Malformed` for an assignment; what the expression names and the test cannot
    /// use.
    pub(super) fn expression(&self, variable: VarId) -> Result<Typed, Unprintable> {
        if let Some(chained) = self.request.filter(|chained| chained.perform() == variable) {
            return self.performed(chained);
        }
        match self.usage.kind(variable) {
            StatementKind::Literal(value) => self.literal(value, self.usage.erased(variable)),
            StatementKind::Construct { constructor, args } => self.construction(variable, constructor, args),
            StatementKind::Call { method, receiver, args, .. } => self.call(variable, method, *receiver, args),
            StatementKind::GetField { field, receiver } => {
                let (place, generic) = self.field(field, *receiver, false)?;
                self.narrow(variable, Typed::new(place, generic))
            }
            StatementKind::Array { element, length, elements } => self.array(element, *length, elements),
            StatementKind::Stub { class, kind: StubKind::Mock, .. } => self.mock(variable, class),
            StatementKind::Stub { class, answers, .. } => self.stub(variable, class, answers),
            StatementKind::PutField { .. } | StatementKind::PutElement { .. } => {
                Err(Unprintable::Malformed(format!("{variable} is an assignment and has no value")))
            }
        }
    }

    /// A literal of the given type. Numbers of the types `byte` and `short` have a cast.
    pub(super) fn literal(&self, value: &Literal, ty: &JavaType) -> Result<Typed, Unprintable> {
        let number = |text: String| Typed::new(Expr::literal(text, value.clone()), GenericType::of(ty));
        let cast = |text: String, to: JavaType| Typed::new(Expr::literal(text, value.clone()).cast(to), GenericType::of(ty));
        Ok(match value {
            Literal::Null => Typed { expr: Expr::null(Some(ty)), ty: None, inferred: false },
            Literal::Boolean(flag) => number(flag.to_string()),
            Literal::Byte(byte) => cast(byte.to_string(), JavaType::BYTE),
            Literal::Short(short) => cast(short.to_string(), JavaType::SHORT),
            Literal::Char(unit) => number(literal::char(*unit)),
            Literal::Int(int) => number(literal::int(*int)),
            Literal::Long(long) => number(literal::long(*long)),
            Literal::Float(bits) => number(literal::float(*bits)),
            Literal::Double(bits) => number(literal::double(*bits)),
            Literal::Str(units) => {
                let text = literal::string(units, self.options.release)?;
                Typed::new(Expr::literal(text, value.clone()), GenericType::class(ClassName::new("java/lang/String")))
            }
            Literal::Class(ty) => {
                Typed::new(Expr::ClassLiteral(self.named(ty)?), GenericType::class(ClassName::new("java/lang/Class")))
            }
        })
    }

    /// The literal in the box that the variable is, where javac boxes it in the same way (JLS §5.1.7).
    /// `None` for a `byte` and a `short`, which have no literals.
    pub(super) fn literal_in_box(&self, variable: VarId) -> Option<Expr> {
        let StatementKind::Call { method, args, .. } = self.usage.kind(variable) else { return None };
        let is_cast = matches!(method.owner.internal(), "java/lang/Byte" | "java/lang/Short");
        let [literal] = args[..] else { return None };
        let operand = (self.usage.is_constant(variable) && !is_cast).then(|| self.operand(literal))?;
        operand.ok().map(|literal| literal.expr)
    }

    /// A cast to a subtype, by way of `Object` where the type arguments exclude the subtype (JLS
    /// §5.5.1): `Comparable<Object>` cannot be a `String`, which is a `Comparable<String>`.
    pub(super) fn downcast(&self, value: Expr, from: &GenericType, to: GenericType) -> Expr {
        let subtype = to.class_name().and_then(|class| self.program().class(class)).map(|class| class.generic_type());
        let parent = from.class_name().zip(subtype).and_then(|(class, subtype)| self.program().as_super(&subtype, class));
        let is_excluded = parent.is_some_and(|parent| {
            !parent.arguments().is_empty()
                && !from.arguments().is_empty()
                && parent.variables().is_empty()
                && parent.arguments() != from.arguments()
        });
        let value = value.into_primary();
        let value = if is_excluded { value.cast(JavaType::class("java/lang/Object")) } else { value };
        value.cast_generic(to)
    }

    /// Adds the cast that makes the static type of the expression a subtype of the variable's
    /// declared type.
    pub(super) fn narrow(&self, variable: VarId, value: Typed) -> Result<Typed, Unprintable> {
        let declared = self.declared_erasure(variable);
        match &value.ty {
            Some(ty) if declared != JavaType::Void && !self.program().is_subtype(&ty.erase(&[]), &declared) => {
                let to = GenericType::of(&self.named(&declared)?);
                Ok(Typed::new(self.downcast(value.expr, ty, to.clone()), to))
            }
            _ => Ok(value),
        }
    }

    /// The field as a place to read or write, with its type.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleMember` for a field that the test cannot use, or cannot write if
    /// `write`; `Unprintable::NotAnIdentifier` for a name that is none in Java;
    /// `Unprintable::Malformed` for a missing field.
    pub(super) fn field(
        &self,
        field: &FieldRef,
        receiver: Option<VarId>,
        write: bool,
    ) -> Result<(Expr, GenericType), Unprintable> {
        let program = self.program();
        let found = program.resolve_field_ref(field).ok_or_else(|| Unprintable::Malformed(format!("{field} does not exist")))?;
        let access = found.field().access;
        if !self.access.can_use_field(&found) || access.is_synthetic() || (write && access.is_final()) {
            return Err(Unprintable::InaccessibleMember(field.to_string()));
        }
        if !is_identifier(&field.name) {
            return Err(Unprintable::NotAnIdentifier(field.name.to_string()));
        }
        let generic = &found.field().generic;
        let is_exact = generic.variables().is_empty() && receiver.is_none();
        let generic = if is_exact { generic.clone() } else { GenericType::of(&found.field().ty) };
        let name = field.name.to_string();
        let Some(receiver) = receiver else {
            return Ok((Expr::Field { on: Qualifier::Class(self.named_class(&field.owner)?), name }, generic));
        };
        let on = self.operand(receiver)?;
        let ty = on.ty.as_ref().ok_or_else(|| Unprintable::Malformed("a field of null".into()))?.erase(&[]);
        // A class between the static type and the owner may declare a field of the same name (JLS
        // §8.3).
        let is_reached = match &ty {
            JavaType::Class(class) => program
                .resolve_field(class, &field.name, &field.descriptor)
                .is_some_and(|reached| reached.class.name == found.class.name),
            _ => false,
        };
        let on = if is_reached { on.expr } else { self.cast_primary(on.expr, &JavaType::Class(field.owner.clone()))? };
        Ok((Expr::Field { on: on.into_qualifier(), name }, generic))
    }

    /// An array creation. It lists the cells only if all of them are known and the array is not a
    /// long one of zeros.
    fn array(&self, element: &JavaType, length: u32, elements: &[VarId]) -> Result<Typed, Unprintable> {
        let ty = GenericType::Array(Box::new(GenericType::of(element)));
        let named = self.named(element)?;
        let is_zeroed = elements.iter().all(|cell| is_zero(self.usage.kind(*cell)));
        let has_cells = length as usize == elements.len() && (!is_zeroed || length <= WRITTEN_ZEROS) && length > 0;
        let expr = if has_cells {
            let cells: Result<Vec<Expr>, _> = elements.iter().map(|cell| self.cell(element, *cell)).collect();
            Expr::ArrayOf { element: named, cells: cells? }
        } else {
            Expr::NewArray { element: named, length }
        };
        Ok(Typed::new(expr, ty))
    }

    /// A cell of an array creation. Constants are narrowed and boxed there without a cast (JLS
    /// §5.2, §10.6).
    pub(super) fn cell(&self, element: &JavaType, variable: VarId) -> Result<Expr, Unprintable> {
        match self.usage.kind(variable) {
            StatementKind::Literal(value @ Literal::Byte(byte)) if *element == JavaType::BYTE => {
                Ok(Expr::literal(byte.to_string(), value.clone()))
            }
            StatementKind::Literal(value @ Literal::Short(short)) if *element == JavaType::SHORT => {
                Ok(Expr::literal(short.to_string(), value.clone()))
            }
            StatementKind::Call { method, args, .. } if self.usage.is_inline(variable) && self.usage.is_constant(variable) => {
                let boxes =
                    matches!(element, JavaType::Class(class) if *class == method.owner || class.internal() == "java/lang/Object");
                Ok(self.operand(if boxes { args[0] } else { variable })?.expr)
            }
            _ => {
                let operand = self.operand(variable)?;
                let fits = operand.ty.as_ref().is_none_or(|ty| self.program().is_subtype(&ty.erase(&[]), element));
                if fits { Ok(operand.expr) } else { Ok(operand.expr.into_primary().cast(self.named(element)?)) }
            }
        }
    }

    /// A value that is stored where the erased type is wanted. A cast drops type arguments: the
    /// field may have others.
    pub(super) fn stored(&self, value: VarId, to: &JavaType) -> Result<Expr, Unprintable> {
        if let StatementKind::Call { method, .. } = self.usage.kind(value)
            && self.usage.is_inline(value)
            && *to == JavaType::Class(method.owner.clone())
            && let Some(literal) = self.literal_in_box(value)
        {
            return Ok(literal);
        }
        let operand = self.operand(value)?;
        let is_generic = operand.ty.as_ref().is_some_and(|ty| !ty.arguments().is_empty());
        let fits = operand.ty.as_ref().is_none_or(|ty| self.program().is_subtype(&ty.erase(&[]), to));
        if fits && !is_generic {
            return Ok(operand.expr);
        }
        let cast = operand.expr.into_primary().cast(self.named(to)?);
        Ok(if is_generic { cast.marked(Mark::Unchecked) } else { cast })
    }
}

/// Whether the statement is the literal that a new array has in each of its cells (JLS §4.12.5).
pub(super) fn is_zero(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Literal(literal) if literal.is_zero())
}
