//! Plans constructions and calls. In: statements of the test; out: Java expressions in which every
//! argument has the cast by which javac chooses the recorded member. [`crate::emit::call`] finds
//! that cast.

use std::collections::BTreeSet;

use crate::emit::Unprintable;
use crate::emit::call::{self, Adapt, CallPlan, Conversion, Static};
use crate::oracle::is_identifier;
use crate::program::{ClassName, GenericType, JavaType, MethodRef, Nesting, coroutines};
use crate::testcase::{Literal, StatementKind, VarId};

use super::expressions::Typed;
use super::java::{Ending, Expr, Instantiated, Mark, Qualifier};
use super::plan::Planner;

/// Name of the continuation in the lambda of a coroutine.
const CONTINUATION: &str = "continuation";
/// Names of the parameters of the lambda of a coroutine.
pub(super) const COROUTINE_PARAMETERS: [&str; 2] = ["scope", CONTINUATION];

/// What the called member belongs to.
#[derive(Clone, Copy)]
enum Site<'b> {
    Static,
    /// A receiver of this static type.
    Receiver(VarId, &'b GenericType),
    /// The variable of a construction, and the type that it creates.
    Constructed(VarId, &'b GenericType),
}

impl<'b> Site<'b> {
    fn receiver(self) -> Option<&'b GenericType> {
        if let Site::Receiver(_, ty) = self { Some(ty) } else { None }
    }

    fn constructed(self) -> Option<&'b GenericType> {
        if let Site::Constructed(_, ty) = self { Some(ty) } else { None }
    }
}

/// The arguments of a call, and what javac makes of it.
struct PlannedCall {
    plan: CallPlan,
    args: Vec<Expr>,
    marks: Marks,
}

/// Marks for a whole call: those of its arguments, and those of an attempt with another receiver.
#[derive(Clone, Debug, Default)]
struct Marks {
    unchecked: bool,
    raw: BTreeSet<VarId>,
}

impl Marks {
    fn apply(self, mut expr: Expr) -> Expr {
        for variable in self.raw {
            expr = expr.marked(Mark::RequiresRaw(variable));
        }
        if self.unchecked { expr.marked(Mark::Unchecked) } else { expr }
    }

    fn add(&mut self, other: Marks) {
        self.unchecked |= other.unchecked;
        self.raw.extend(other.raw);
    }
}

/// Why a call has no arguments as it stands.
enum Refusal {
    /// The type arguments of the receiver exclude an argument, and the receiver is no variable that
    /// could be declared raw. With the marks of the arguments before that one.
    NeedsRawReceiver(Marks),
    Unprintable(Unprintable),
}

impl From<Unprintable> for Refusal {
    fn from(reason: Unprintable) -> Refusal {
        Refusal::Unprintable(reason)
    }
}

impl From<Refusal> for Unprintable {
    fn from(refusal: Refusal) -> Unprintable {
        match refusal {
            Refusal::NeedsRawReceiver(_) => Unprintable::NeedsRawReceiver,
            Refusal::Unprintable(reason) => reason,
        }
    }
}

impl Planner<'_> {
    /// `new C<>(args)`; of an inner class `outer.new C<>(args)`, where the first argument is the
    /// enclosing instance.
    ///
    /// # Errors
    /// `Unprintable::Malformed` for a class without instances of its own or without its enclosing
    /// instance; what the call names and the test cannot use.
    pub(super) fn construction(&self, variable: VarId, constructor: &MethodRef, args: &[VarId]) -> Result<Typed, Unprintable> {
        let owner = &constructor.owner;
        let class = self.program().class(owner).ok_or_else(|| Unprintable::InaccessibleType(owner.to_string()))?;
        if class.is_abstract() || class.is_interface() || class.is_enum() {
            return Err(Unprintable::Malformed(format!("{owner} has no instances of its own")));
        }
        let declared = self.types.declared(variable);
        let named = self.named_class(owner)?;
        let instantiated = match &class.nesting {
            Nesting::Member { enclosing, simple_name, is_static: false } => {
                let outer = Box::new(self.enclosing_instance(constructor, enclosing, args)?);
                Instantiated::Inner { outer, simple_name: simple_name.clone() }
            }
            _ => Instantiated::Class(named),
        };
        let is_inner = matches!(instantiated, Instantiated::Inner { .. });
        let diamond = !declared.arguments().is_empty() && declared.class_name() == Some(owner);
        let constructed = if diamond { declared.clone() } else { GenericType::class(owner.clone()) };
        let mut operands = self.operands(args)?;
        if is_inner {
            // In source the enclosing instance is no argument, so that it fits its parameter in any
            // case.
            operands[0].ty = Some(GenericType::of(&constructor.parameters()[0]));
        }
        let PlannedCall { plan, mut args, mut marks } =
            self.arguments(constructor, Site::Constructed(variable, &constructed), args, operands)?;
        if is_inner {
            args.remove(0);
        }
        marks.unchecked |= !diamond && !class.signature.parameters.is_empty();
        let new = Expr::New { class: instantiated, diamond, args, exceptions: plan.exceptions };
        Ok(Typed::new(marks.apply(new), constructed))
    }

    /// The enclosing instance of an inner class, a primary expression.
    fn enclosing_instance(&self, constructor: &MethodRef, enclosing: &ClassName, args: &[VarId]) -> Result<Expr, Unprintable> {
        let outer = args.first().ok_or_else(|| Unprintable::Malformed(format!("{constructor} without its outer object")))?;
        let outer = self.operand(*outer)?;
        let enclosing = JavaType::Class(enclosing.clone());
        match &outer.ty {
            None => Err(Unprintable::Malformed(format!("{constructor} with null as its outer object"))),
            Some(ty) if self.program().is_subtype(&ty.erase(&[]), &enclosing) => Ok(outer.expr.into_primary()),
            Some(_) => self.cast_primary(outer.expr, &enclosing),
        }
    }

    /// A call with the cast that its result needs.
    ///
    /// # Errors
    /// `Unprintable::NotAnIdentifier` for a method without a Java name; `Unprintable::Malformed`
    /// for a call on null; what the call names and the test cannot use.
    pub(super) fn call(
        &self,
        variable: VarId,
        method: &MethodRef,
        receiver: Option<VarId>,
        given: &[VarId],
    ) -> Result<Typed, Unprintable> {
        if !is_identifier(&method.name) {
            return Err(Unprintable::NotAnIdentifier(method.name.to_string()));
        }
        let mut operands = self.operands(given)?;
        let suspends = method.suspends_with(given.len());
        if suspends {
            operands.push(Typed { expr: Expr::Name(CONTINUATION.into()), ty: None, inferred: false });
        }
        if receiver.is_none()
            && self.usage.is_inline(variable)
            && self.usage.is_constant(variable)
            && let [operand] = &operands[..]
        {
            return Ok(Typed::new(
                boxing(self.named_class(&method.owner)?, operand.expr.clone()),
                GenericType::class(method.owner.clone()),
            ));
        }
        if receiver.is_none()
            && let Some(moment) = self.moment(method, given)?
        {
            return self.narrow(variable, Typed::new(moment, GenericType::class(method.owner.clone())));
        }
        let (on, arguments) = match receiver {
            None => {
                let on = Qualifier::Class(self.named_class(&method.owner)?);
                (on, self.arguments(method, Site::Static, given, operands)?)
            }
            Some(receiver) => {
                let (on, ty) = self.receiver(method, receiver)?;
                if matches!(ty, GenericType::Array(_)) && &*method.name == "clone" {
                    let clone =
                        Expr::Call { on: on.into_qualifier(), method: "clone".into(), args: Vec::new(), exceptions: Vec::new() };
                    return self.narrow(variable, Typed::new(clone, ty));
                }
                match self.arguments(method, Site::Receiver(receiver, &ty), given, operands.clone()) {
                    Ok(arguments) => (on.into_qualifier(), arguments),
                    Err(Refusal::NeedsRawReceiver(marks)) => {
                        let on = self.cast_primary(on, &JavaType::Class(method.owner.clone()))?;
                        let raw = GenericType::class(method.owner.clone());
                        let mut arguments = self.arguments(method, Site::Receiver(receiver, &raw), given, operands)?;
                        arguments.marks.add(marks);
                        (on.into_qualifier(), arguments)
                    }
                    Err(Refusal::Unprintable(reason)) => return Err(reason),
                }
            }
        };
        let PlannedCall { plan, args, marks } = arguments;
        let call = Expr::Call { on, method: self.plainest_name(method, given).to_string(), args, exceptions: plan.exceptions };
        let call = if suspends { self.blocking(call)? } else { call };
        let called = Typed { expr: marks.apply(call), ty: Some(plan.returns), inferred: plan.inferred || suspends };
        self.narrow(variable, called)
    }

    /// The name of the method; `of` in place of `ofNullable` for what is an object.
    fn plainest_name<'m>(&self, method: &'m MethodRef, args: &[VarId]) -> &'m str {
        let is_object = |variable: &VarId| match self.usage.kind(*variable) {
            StatementKind::Construct { .. } | StatementKind::Stub { .. } => true,
            StatementKind::Literal(literal) => *literal != Literal::Null,
            _ => false,
        };
        let may_say_more = method.owner.internal() == "java/util/Optional" && &*method.name == "ofNullable";
        if may_say_more && args.iter().all(is_object) { "of" } else { &method.name }
    }

    /// `BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, continuation) -> call)`.
    fn blocking(&self, call: Expr) -> Result<Expr, Unprintable> {
        let class = |name: &str| self.named_class(&ClassName::new(name)).map(Qualifier::Class);
        let context = Expr::Field { on: class(coroutines::EMPTY_CONTEXT)?, name: "INSTANCE".into() };
        let parameters = COROUTINE_PARAMETERS.map(String::from).to_vec();
        let coroutine = Expr::Lambda { parameters, ending: Box::new(Ending::Returns(call)) };
        Ok(Expr::Call {
            on: class(coroutines::BUILDERS)?,
            method: coroutines::RUN_BLOCKING.into(),
            args: vec![context, coroutine],
            exceptions: vec![ClassName::new("java/lang/InterruptedException")],
        })
    }

    /// The receiver of a call with its static type: a cast makes it an instance of the method's
    /// owner.
    fn receiver(&self, method: &MethodRef, receiver: VarId) -> Result<(Expr, GenericType), Unprintable> {
        let on = self.operand(receiver)?;
        let ty = on.ty.ok_or_else(|| Unprintable::Malformed("a call on null".into()))?;
        let erased = ty.erase(&[]);
        let has_method = match &erased {
            JavaType::Class(class) => self.program().is_subclass(class, &method.owner),
            _ => true,
        };
        if !has_method {
            let owner = GenericType::class(method.owner.clone());
            return Ok((self.cast_primary(on.expr, &JavaType::Class(method.owner.clone()))?, owner));
        }
        let is_array = matches!(ty, GenericType::Array(_));
        if !is_array && !self.access.can_name(&erased) {
            return Err(Unprintable::InaccessibleType(erased.to_string()));
        }
        Ok((on.expr, ty))
    }

    /// The arguments with their casts.
    fn arguments(
        &self,
        method: &MethodRef,
        site: Site<'_>,
        args: &[VarId],
        operands: Vec<Typed>,
    ) -> Result<PlannedCall, Refusal> {
        let types: Vec<Static> = operands.iter().map(|operand| operand.ty.clone()).collect();
        let plan = call::plan_call(self.access, method, site.receiver(), site.constructed(), &types)?;
        let parameters = method.parameters();
        let names = self.parameter_names(method, &operands);
        let mut marks = Marks::default();
        let mut written = Vec::with_capacity(args.len());
        for (index, (operand, adapt)) in operands.into_iter().zip(&plan.arguments).enumerate() {
            let cast = |expr: Expr, to: &JavaType| {
                let to = GenericType::of(&self.named(to)?);
                Ok::<Expr, Unprintable>(match &types[index] {
                    Some(from) if !from.arguments().is_empty() => self.downcast(expr, from, to),
                    _ => expr.into_cast_operand().cast_generic(to),
                })
            };
            marks.unchecked |= matches!(adapt, Adapt::Raw | Adapt::RawReceiver);
            let boxed = args.get(index).filter(|arg| plan.boxes[index] && self.usage.is_inline(**arg));
            let unboxed = boxed.and_then(|arg| self.literal_in_box(*arg));
            let argument = match adapt {
                Adapt::Plain => unboxed.unwrap_or(operand.expr),
                Adapt::Cast => cast(operand.expr, &parameters[index])?,
                Adapt::Raw if self.can_become_raw(args[index]) => {
                    marks.raw.insert(args[index]);
                    operand.expr
                }
                Adapt::Raw => {
                    let to = types[index].as_ref().map_or_else(|| parameters[index].clone(), |ty| ty.erase(&[]));
                    cast(operand.expr, &to)?
                }
                Adapt::RawReceiver => match site {
                    Site::Receiver(variable, _) if self.can_become_raw(variable) => {
                        marks.raw.insert(variable);
                        operand.expr
                    }
                    Site::Receiver(..) => return Err(Refusal::NeedsRawReceiver(marks)),
                    Site::Constructed(variable, ty) if !ty.arguments().is_empty() => {
                        marks.raw.insert(variable);
                        operand.expr
                    }
                    Site::Constructed(..) | Site::Static => cast(operand.expr, &parameters[index])?,
                },
            };
            written.push(argument.for_parameter(names.get(index).and_then(Option::as_deref)));
        }
        if let Some((element, elements)) = self.spread_elements(method, &plan, &parameters, args) {
            written.pop();
            for cell in elements {
                written.push(self.cell(element, *cell)?);
            }
        }
        Ok(PlannedCall { plan, args: written, marks })
    }

    /// The names of the parameters; none where no argument is a plain value.
    fn parameter_names(&self, method: &MethodRef, operands: &[Typed]) -> Vec<Option<String>> {
        if !operands.iter().any(|operand| operand.expr.is_plain_value()) {
            return Vec::new();
        }
        let found = self.program().resolve(method);
        found.map_or_else(Vec::new, |found| found.class.parameter_names(found.method()).to_vec())
    }

    /// Whether the variable is declared with type arguments that another plan may drop.
    fn can_become_raw(&self, variable: VarId) -> bool {
        !self.usage.is_inline(variable) && !self.types.is_raw(variable) && !self.types.declared(variable).arguments().is_empty()
    }

    /// The type and the cells of an inline array that is the last argument of a varargs member.
    /// `None` where the cells cannot be passed as separate arguments.
    fn spread_elements(
        &self,
        method: &MethodRef,
        plan: &CallPlan,
        parameters: &[JavaType],
        args: &[VarId],
    ) -> Option<(&JavaType, &[VarId])> {
        let last = args.last().filter(|last| plan.varargs && plan.alone && self.usage.is_inline(**last))?;
        let StatementKind::Array { element, length, elements } = self.usage.kind(*last) else { return None };
        let written = args.len() - 1 + elements.len();
        if *length as usize != elements.len() || call::has_rival_with_arity(self.program(), method, written) {
            return None;
        }
        let is_exact = plan.arguments.last() == Some(&Adapt::Plain)
            && match plan.inferred {
                true => !elements.is_empty() && elements.iter().all(|cell| self.infers(element, *cell)),
                false => {
                    parameters.last() == Some(&JavaType::Array(Box::new(element.clone())))
                        && elements.iter().all(|cell| self.is_taken_alone(method, *cell))
                }
            };
        // javac would take a single null or array for the array itself (JLS §15.12.4.2).
        let may_be_the_array = |cell: VarId| {
            matches!(self.usage.kind(cell), StatementKind::Literal(Literal::Null))
                || !matches!(self.usage.erased(cell), JavaType::Class(_))
        };
        let is_clear = element.is_primitive() || elements.len() != 1 || !may_be_the_array(elements[0]);
        (is_exact && is_clear).then_some((element, &elements[..]))
    }

    /// Whether the cell has the type arguments of the elements: an array of `Class<? extends Throwable>` can have the
    /// class `String` in it, the call cannot take it alone.
    fn is_taken_alone(&self, method: &MethodRef, cell: VarId) -> bool {
        let Some(found) = self.program().resolve(method) else { return true };
        let Some(GenericType::Array(element)) = found.method().signature.arguments.last() else { return true };
        let is_open = element.arguments().is_empty() || !element.variables().is_empty();
        let converts = |ty: &GenericType| call::convert(self.program(), ty, element) != Conversion::None;
        is_open || self.types.static_type(self.usage, cell).is_none_or(|ty| converts(&ty))
    }

    /// Whether javac infers the same type from the cell alone as from an array of the element type.
    fn infers(&self, element: &JavaType, cell: VarId) -> bool {
        let is_null = matches!(self.usage.kind(cell), StatementKind::Literal(Literal::Null));
        let is_generic = match element {
            JavaType::Class(class) => self.program().class(class).is_none_or(|class| !class.signature.parameters.is_empty()),
            _ => true,
        };
        !is_null && !is_generic && self.types.declared(cell).erase(&[]) == *element
    }
}

/// `Integer.valueOf(value)`.
pub(super) fn boxing(class: ClassName, value: Expr) -> Expr {
    Expr::Call { on: Qualifier::Class(class), method: "valueOf".into(), args: vec![value], exceptions: Vec::new() }
}
