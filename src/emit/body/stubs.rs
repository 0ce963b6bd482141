//! Plans stubs: lambdas for functional interfaces, anonymous classes for types with few methods,
//! and proxies for other interfaces. In: stub statements with the answers of their methods; out:
//! Java expressions.

use std::collections::BTreeSet;
use tracewright_classfile::PrimitiveType;

use crate::emit::Unprintable;
use crate::emit::call::{Conversion, convert, mentions_raw};
use crate::program::generics::Substitution;
use crate::program::{ClassModel, ClassName, GenericType, JavaType, MethodRef, ResolvedMethod};
use crate::testcase::{Answer, AnswerOutcome, Literal, VarId};

use super::expressions::{Typed, is_zero};
use super::java::{Ending, Expr, Mark, Member, ProxyAnswer, lambda_names};
use super::local_names::type_role;
use super::overrides::{self, Override, overriding_methods};
use super::plan::Planner;

/// Most methods of an anonymous class. A longer one hides the test.
const LONGEST_CLASS: usize = 3;
/// The first release with `InvocationHandler.invokeDefault`.
const RELEASE_WITH_DEFAULTS: u32 = 16;

/// The answers that a stub statement gives, by the methods that they are given for.
type Answers<'b> = &'b [Answer];

impl Planner<'_> {
    /// # Errors
    /// `Unprintable::InaccessibleType` or `InaccessibleMember` where the test cannot name a type or
    /// override a method; `LongStub` for an abstract class with many methods; what the answers
    /// cannot say.
    pub(super) fn stub(&self, variable: VarId, interface: &ClassName, answers: Answers<'_>) -> Result<Typed, Unprintable> {
        let program = self.program();
        let model = program.class(interface).ok_or_else(|| Unprintable::InaccessibleType(interface.to_string()))?;
        self.named_class(interface)?;
        let methods = program.abstract_methods(interface);
        if self.is_functional(interface, &methods) {
            return self.lambda(variable, &methods, answers);
        }
        let declared = self.types.declared(variable);
        let is_parameterised = declared.class_name() == Some(interface) && !declared.arguments().is_empty();
        let ty = if is_parameterised { declared.clone() } else { GenericType::class(interface.clone()) };
        let methods = overriding_methods(self.access, &ty)?;
        match methods.len() {
            count if count <= LONGEST_CLASS => self.anonymous_class(variable, &model, ty, methods, answers),
            _ if model.is_interface() => self.proxy(&model, &methods, answers),
            count => Err(Unprintable::LongStub(interface.clone(), count)),
        }
    }

    fn lambda(&self, variable: VarId, methods: &[ResolvedMethod], answers: Answers<'_>) -> Result<Typed, Unprintable> {
        let declared = self.types.declared(variable);
        // A redeclared method may return a subtype.
        let returns_less = |one: &ResolvedMethod, other: &ResolvedMethod| {
            let (one, other) = (&one.method().returns, &other.method().returns);
            one != other && self.program().is_subtype(one, other)
        };
        let function = methods.iter().fold(&methods[0], |best, other| if returns_less(other, best) { other } else { best });
        let method = function.method();
        if !self.access.can_use_method(method) {
            return Err(Unprintable::InaccessibleMember(method.reference.to_string()));
        }
        let parameters = lambda_names(method.parameters.len());
        // The declared type's view of the method, erased where that type is raw.
        let returns = match self.program().as_super(declared, &function.class.name) {
            Some(instance) if !instance.arguments().is_empty() || function.class.signature.parameters.is_empty() => {
                let bound = Substitution::of(&function.class.signature.parameters, instance.arguments());
                method.signature.returns.substitute(&bound)
            }
            _ => GenericType::of(&method.returns),
        };
        let references: Vec<MethodRef> = methods.iter().map(|method| method.reference().clone()).collect();
        let ending = self.ending(variable, find_answer(answers, &references), &returns, &returns.erase(&[]))?;
        Ok(Typed::new(Expr::Lambda { parameters, ending: Box::new(ending) }, declared.clone()))
    }

    /// An anonymous class. Of a raw type the types of the methods are erased (JLS §4.8).
    fn anonymous_class(
        &self,
        variable: VarId,
        model: &ClassModel,
        ty: GenericType,
        methods: Vec<Override>,
        answers: Answers<'_>,
    ) -> Result<Typed, Unprintable> {
        let program = self.program();
        if !model.is_interface() {
            let is_usable = model
                .method("<init>", "()V")
                .is_some_and(|constructor| self.access.can_use_method(constructor) || constructor.access.is_protected());
            if !is_usable || model.access.is_final() {
                return Err(Unprintable::InaccessibleMember(format!("{}.<init>()V", model.name)));
            }
        }
        let mut shadowed = overrides::member_class_names(program, &model.name);
        let mut has_raw_types = mentions_raw(program, &ty);
        let mut members = Vec::new();
        for method in methods {
            let erased = method.returns.erase(&method.type_parameters);
            let answer = find_answer(answers, &method.all);
            let ending = self.ending(variable, answer, &method.returns, &erased)?;
            let throws = answer.map_or_else(Vec::new, |answer| self.checked_exceptions(answer));
            shadowed.extend(method.type_parameters.iter().map(|parameter| parameter.name.to_string()));
            has_raw_types |= method.parameters.iter().chain([&method.returns]).any(|ty| mentions_raw(program, ty));
            members.push(Member { throws, ..self.member(method, ending) });
        }
        let expr = Expr::Anonymous { ty: ty.clone(), members, shadowed };
        Ok(Typed::new(if has_raw_types { expr.marked(Mark::Unchecked) } else { expr }, ty))
    }

    fn member(&self, method: Override, ending: Ending) -> Member {
        let model = method.overridden.method();
        let declared = method.overridden.class.parameter_names(model);
        let erased = method.parameters.iter().map(|parameter| parameter.erase(&method.type_parameters));
        let names = declared.iter().zip(erased).map(|(name, ty)| name.clone().unwrap_or_else(|| type_role(&ty)));
        let names = self.names.parameters(names);
        Member {
            visibility: method.visibility,
            name: model.name().to_string(),
            is_varargs: model.access.is_varargs(),
            type_parameters: method.type_parameters,
            returns: method.returns,
            parameters: method.parameters.into_iter().zip(names).collect(),
            throws: Vec::new(),
            ending,
        }
    }

    /// A proxy that answers the methods with answers other than 0, false and null.
    fn proxy(&self, model: &ClassModel, methods: &[Override], answers: Answers<'_>) -> Result<Typed, Unprintable> {
        let family = self.family(model);
        let mut answered = Vec::new();
        for method in methods {
            let model = method.overridden.method();
            let ending = match find_answer(answers, &method.all).map(only_outcome).transpose()? {
                Some(AnswerOutcome::Returns(value)) if is_zero(self.usage.kind(value)) || model.returns == JavaType::Void => {
                    continue;
                }
                None => continue,
                Some(AnswerOutcome::Throws(exception)) => Ending::Throws(self.operand(exception)?.expr),
                Some(AnswerOutcome::Returns(value)) => {
                    let value = self.operand(value)?;
                    let is_widened = model.returns.is_primitive() && value.erasure() != model.returns;
                    let to = model.returns.clone();
                    Ending::Returns(if is_widened { value.expr.into_primary().cast(to) } else { value.expr })
                }
            };
            let overloads: Vec<&[JavaType]> = family
                .iter()
                .flat_map(|class| &class.methods)
                .filter(|other| other.name() == model.name() && !other.is_static() && !other.access.is_private())
                .filter(|other| !method.all.iter().any(|known| known.descriptor == other.reference.descriptor))
                .map(|other| &other.parameters[..])
                .collect();
            let rivals = || overloads.iter().filter(|other| other.len() == model.parameters.len());
            let differing = |position: &usize| rivals().any(|other| other[*position] != model.parameters[*position]);
            let parameter = (0..model.parameters.len()).find(differing);
            answered.push(ProxyAnswer {
                method: model.name().to_string(),
                count: overloads.iter().any(|other| other.len() != model.parameters.len()).then_some(model.parameters.len()),
                parameter: parameter.map(|position| (position, model.parameters[position].clone())),
                ending,
            });
        }
        let is_default = |class: &ClassModel| {
            let runs =
                |flags: tracewright_classfile::AccessFlags| !flags.is_abstract() && !flags.is_static() && !flags.is_private();
            class.methods.iter().any(|method| runs(method.access))
        };
        let has_defaults = self.options.release >= RELEASE_WITH_DEFAULTS && family.iter().any(|class| is_default(class));
        let parameters = self.names.parameters(["proxy", "method", "args"].map(String::from).into_iter());
        let parameters = <[String; 3]>::try_from(parameters).unwrap_or_default();
        let expr = Expr::Proxy { class: model.name.clone(), parameters, answers: answered, has_defaults };
        let is_raw = !model.signature.parameters.is_empty();
        let ty = GenericType::class(model.name.clone());
        Ok(Typed::new(if is_raw { expr.marked(Mark::Unchecked) } else { expr }, ty))
    }

    /// The interface and its superinterfaces.
    fn family(&self, model: &ClassModel) -> Vec<std::sync::Arc<ClassModel>> {
        let program = self.program();
        let interfaces = program.all_interfaces(&model.name);
        [&model.name].into_iter().chain(&interfaces).filter_map(|interface| program.class(interface)).collect()
    }

    /// How a method of a stub ends. Without an answer it returns 0, false or null. `erased`: the
    /// erased return type.
    fn ending(
        &self,
        stub: VarId,
        answer: Option<&Answer>,
        returns: &GenericType,
        erased: &JavaType,
    ) -> Result<Ending, Unprintable> {
        Ok(match answer.map(only_outcome).transpose()? {
            Some(AnswerOutcome::Throws(exception)) => Ending::Throws(self.operand(exception)?.expr),
            _ if *erased == JavaType::Void => Ending::Nothing,
            Some(AnswerOutcome::Returns(value)) => Ending::Returns(self.returned(stub, value, returns, erased)?),
            None => Ending::Returns(default_value(erased)),
        })
    }

    /// The checked exceptions that an answer throws (JLS §11.1.1).
    fn checked_exceptions(&self, answer: &Answer) -> Vec<ClassName> {
        let is = |class: &ClassName, ancestor: &str| self.program().is_subclass(class, &ClassName::new(ancestor));
        let thrown = answer.outcomes.iter().filter_map(|outcome| match outcome {
            AnswerOutcome::Throws(exception) => match self.declared_erasure(*exception) {
                JavaType::Class(class) => Some(class),
                _ => None,
            },
            AnswerOutcome::Returns(_) => None,
        });
        thrown.filter(|class| !is(class, "java/lang/RuntimeException") && !is(class, "java/lang/Error")).collect()
    }

    /// The value that a method of a stub returns, converted to its return type.
    fn returned(&self, stub: VarId, value: VarId, returns: &GenericType, erased: &JavaType) -> Result<Expr, Unprintable> {
        let operand = self.operand(value)?;
        let Some(ty) = operand.ty else { return Ok(operand.expr) };
        let found = ty.erase(&[]);
        let program = self.program();
        let is_variable = matches!(returns, GenericType::Variable(_));
        if !program.is_subtype(&found, erased) {
            let is_castable = found.is_primitive() || program.is_subtype(erased, &found);
            if !is_castable && !self.types.declared(stub).arguments().is_empty() {
                // The type arguments of the stub exclude the answer.
                return Ok(operand.expr.marked(Mark::RequiresRaw(stub)));
            }
            let to = if is_variable { returns.clone() } else { GenericType::of(&self.named(erased)?) };
            let cast = if is_castable {
                self.downcast(operand.expr, &ty, to)
            } else {
                operand.expr.into_primary().cast(JavaType::class("java/lang/Object")).cast_generic(to)
            };
            return Ok(if is_variable { cast.marked(Mark::Unchecked) } else { cast });
        }
        Ok(match convert(program, &ty, returns) {
            _ if is_variable => operand.expr.into_primary().cast_generic(returns.clone()).marked(Mark::Unchecked),
            Conversion::Checked => operand.expr,
            Conversion::Unchecked => operand.expr.marked(Mark::Unchecked),
            // Without its type arguments the value converts (JLS §5.1.9).
            Conversion::None if returns.arguments().is_empty() => operand.expr,
            Conversion::None => operand.expr.into_primary().cast(self.named(erased)?).marked(Mark::Unchecked),
        })
    }

    /// Whether a lambda can implement the interface (JLS §9.8): a method and the erased one that it
    /// overrides count once. Generic methods have no lambda (JLS §15.27.3).
    fn is_functional(&self, interface: &ClassName, methods: &[ResolvedMethod]) -> bool {
        let program = self.program();
        let Some(model) = program.class(interface).filter(|model| model.is_interface()) else { return false };
        let own = model.generic_type();
        let mut signatures = BTreeSet::new();
        for found in methods {
            let Some(instance) = program.as_super(&own, &found.class.name) else { return false };
            let bound = Substitution::of(&found.class.signature.parameters, instance.arguments());
            let method = found.method();
            let scope: Vec<_> = method.signature.parameters.iter().chain(&model.signature.parameters).cloned().collect();
            let parameters: Vec<JavaType> =
                method.signature.arguments.iter().map(|argument| argument.substitute(&bound).erase(&scope)).collect();
            signatures.insert((method.name().to_string(), parameters));
        }
        signatures.len() == 1 && methods.iter().all(|found| found.method().signature.parameters.is_empty())
    }
}

/// The answer for one of these methods. The last one counts.
fn find_answer<'b>(answers: Answers<'b>, methods: &[MethodRef]) -> Option<&'b Answer> {
    let is_same = |one: &MethodRef, other: &MethodRef| one.name == other.name && one.descriptor == other.descriptor;
    methods.iter().find_map(|method| answers.iter().rev().find(|answer| is_same(&answer.method, method)))
}

/// The only outcome of an answer to every call.
///
/// # Errors
/// `Unprintable::Malformed` for an answer that depends on arguments or calls.
fn only_outcome(answer: &Answer) -> Result<AnswerOutcome, Unprintable> {
    match answer.outcomes[..] {
        [outcome] if answer.arguments.iter().all(Option::is_none) => Ok(outcome),
        _ => Err(Unprintable::Malformed(format!("the answer of {} varies", answer.method))),
    }
}

/// The literal of the value that a field of the type begins with (JLS §4.12.5).
fn default_value(ty: &JavaType) -> Expr {
    match ty {
        JavaType::Primitive(PrimitiveType::Boolean) => Expr::literal("false", Literal::Boolean(false)),
        JavaType::Class(_) | JavaType::Array(_) => Expr::null(Some(ty)),
        JavaType::Primitive(PrimitiveType::Char) => Expr::literal("'\\000'", Literal::Char(0)),
        JavaType::Primitive(PrimitiveType::Long) => Expr::literal("0L", Literal::Long(0)),
        JavaType::Primitive(PrimitiveType::Float) => Expr::literal("0.0F", Literal::Float(0)),
        JavaType::Primitive(PrimitiveType::Double) => Expr::literal("0.0", Literal::Double(0)),
        _ => Expr::int(0),
    }
}
