//! Plans stubs: lambdas for functional interfaces, anonymous classes for other interfaces and
//! abstract classes. In: stub statements with the answers of their methods; out: Java expressions.

use std::collections::BTreeSet;

use crate::emit::Unprintable;
use crate::program::generics::Substitution;
use crate::program::{ClassModel, ClassName, GenericType, JavaType, MethodRef, ResolvedMethod};
use crate::testcase::{Answer, VarId};

use super::expressions::Typed;
use super::java::{Expr, Mark, Member, Visibility};
use super::plan::Planner;

/// The answer of a stubbed method as an expression.
pub(super) struct AnswerExpr {
    pub(super) expr: Expr,
    /// javac accepts it for the generic return type without a conversion.
    pub(super) fits: bool,
}

/// The answers that a stub statement gives, by the methods that they are given for.
type Answers<'b> = &'b [Answer];

impl Planner<'_> {
    /// # Errors
    /// `Unprintable::InaccessibleType` or `InaccessibleMember` where the test cannot name a type or
    /// override a method; what the answers cannot say.
    pub(super) fn stub(&self, variable: VarId, interface: &ClassName, answers: Answers<'_>) -> Result<Typed, Unprintable> {
        let program = self.program();
        let model = program.class(interface).ok_or_else(|| Unprintable::InaccessibleType(interface.to_string()))?;
        self.named_class(interface)?;
        answers.iter().try_for_each(|answer| constant_answer(answer).map(|_| ()))?;
        let methods = program.abstract_methods(interface);
        match self.functional_method(interface, &methods) {
            Some(function) => self.lambda(variable, &function, answers),
            None => self.anonymous_class(&model, &methods, answers),
        }
    }

    fn lambda(&self, variable: VarId, function: &ResolvedMethod, answers: Answers<'_>) -> Result<Typed, Unprintable> {
        let declared = self.types.declared(variable);
        let method = function.method();
        if !self.access.can_use_method(method) {
            return Err(Unprintable::InaccessibleMember(method.reference.to_string()));
        }
        let parameters = method.parameters.len();
        // The declared type's view of the method, erased where that type is raw.
        let returns = match self.program().as_super(declared, &function.class.name) {
            Some(instance) if !instance.arguments().is_empty() || function.class.signature.parameters.is_empty() => {
                let bound = Substitution::of(&function.class.signature.parameters, instance.arguments());
                method.signature.returns.substitute(&bound)
            }
            _ => GenericType::of(&method.returns),
        };
        let lambda = |body: Option<Expr>| Expr::Lambda { parameters, body: body.map(Box::new) };
        if method.returns == JavaType::Void {
            return Ok(Typed::new(lambda(None), declared.clone()));
        }
        let answer = self.answer(self.find_answer(answers, &method.reference), &method.returns, &returns)?;
        let expr = if answer.fits || self.types.is_raw(variable) {
            lambda(Some(answer.expr))
        } else if declared.arguments().is_empty() {
            // The view cannot be erased: a cast drops the type arguments of the answer, or makes it
            // what is wanted.
            lambda(Some(answer.expr.cast(self.named(&returns.erase(&[]))?))).marked(Mark::Unchecked)
        } else {
            lambda(Some(answer.expr)).marked(Mark::RequiresRaw(variable))
        };
        Ok(Typed::new(expr, declared.clone()))
    }

    /// An anonymous class of the raw type: the types of its supertypes are erased as well (JLS
    /// §4.8). Those of a class without type parameters are as declared.
    fn anonymous_class(
        &self,
        model: &ClassModel,
        methods: &[ResolvedMethod],
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
        let is_raw = !model.signature.parameters.is_empty();
        let own = GenericType::class(model.name.clone());
        let mut members = Vec::new();
        let mut seen = BTreeSet::new();
        for found in methods {
            let method = found.method();
            let visibility = match method.access {
                access if access.is_public() => Visibility::Public,
                access if access.is_protected() => Visibility::Protected,
                _ if self.access.can_use_method(method) => Visibility::Package,
                _ => return Err(Unprintable::InaccessibleMember(method.reference.to_string())),
            };
            let declaring = &found.class;
            let instance = program.as_super(&own, &declaring.name).unwrap_or_else(|| GenericType::class(declaring.name.clone()));
            let is_generic = !is_raw && !instance.arguments().is_empty();
            let bound = Substitution::of(&declaring.signature.parameters, instance.arguments());
            let scope = &method.signature.parameters;
            let view = |ty: &GenericType, erased: &JavaType| {
                if is_generic { ty.substitute(&bound).erase(scope) } else { erased.clone() }
            };
            let parameters: Vec<JavaType> =
                method.signature.arguments.iter().zip(&method.parameters).map(|(ty, erased)| view(ty, erased)).collect();
            let returns = view(&method.signature.returns, &method.returns);
            if !seen.insert((method.name().to_string(), parameters.clone())) {
                continue;
            }
            parameters.iter().try_for_each(|parameter| self.named(parameter).map(|_| ()))?;
            let answer = if returns == JavaType::Void {
                None
            } else {
                let given = self.find_answer(answers, &method.reference);
                Some(self.answer(given, &returns, &GenericType::of(&returns))?.expr)
            };
            let returns = self.named(&returns)?;
            members.push(Member { visibility, returns, name: method.name().to_string(), parameters, answer });
        }
        let expr = Expr::Anonymous { class: model.name.clone(), members };
        Ok(Typed::new(if is_raw { expr.marked(Mark::Unchecked) } else { expr }, own))
    }

    /// The answer for a method. It may be given for the erased method that a subinterface
    /// overrides; the types of the answers tell overloads apart.
    fn find_answer(&self, answers: Answers<'_>, method: &MethodRef) -> Option<VarId> {
        let returns = method.return_type();
        let is_same = |answered: &MethodRef| answered.name == method.name && answered.descriptor == method.descriptor;
        let is_overridden = |answered: &MethodRef, answer: VarId| {
            answered.name == method.name
                && answered.parameters().len() == method.parameters().len()
                && self.program().is_subtype(self.usage.erased(answer), &returns)
        };
        let constants = || answers.iter().filter_map(|answer| Some((&answer.method, answer.constant()?)));
        let exact = constants().find(|(answered, _)| is_same(answered));
        let found = exact.or_else(|| constants().find(|(answered, answer)| is_overridden(answered, *answer)));
        found.map(|(_, answer)| answer)
    }

    /// The method of a functional interface (JLS §9.8): a method and the erased one that it
    /// overrides count once. Generic methods have no lambda (JLS §15.27.3).
    fn functional_method(&self, interface: &ClassName, methods: &[ResolvedMethod]) -> Option<ResolvedMethod> {
        let program = self.program();
        let model = program.class(interface).filter(|model| model.is_interface())?;
        let own = model.generic_type();
        let mut signatures = BTreeSet::new();
        for found in methods {
            let instance = program.as_super(&own, &found.class.name)?;
            let bound = Substitution::of(&found.class.signature.parameters, instance.arguments());
            let method = found.method();
            let scope: Vec<_> = method.signature.parameters.iter().chain(&model.signature.parameters).cloned().collect();
            let parameters: Vec<JavaType> =
                method.signature.arguments.iter().map(|argument| argument.substitute(&bound).erase(&scope)).collect();
            signatures.insert((method.name().to_string(), parameters));
        }
        let first = methods.first()?;
        (signatures.len() == 1 && first.method().signature.parameters.is_empty()).then(|| first.clone())
    }

    /// The answer of a method that returns `erased` or, with its type arguments, `returns`. Without
    /// an answer it is 0, false or null.
    pub(super) fn answer(
        &self,
        answer: Option<VarId>,
        erased: &JavaType,
        returns: &GenericType,
    ) -> Result<AnswerExpr, Unprintable> {
        let Some(answer) = answer else {
            return Ok(AnswerExpr { expr: Expr::Literal(default_value(erased).into()), fits: true });
        };
        let operand = self.operand(answer)?;
        let Some(ty) = operand.ty else { return Ok(AnswerExpr { expr: operand.expr, fits: true }) };
        let found = ty.erase(&[]);
        let program = self.program();
        if !program.is_subtype(&found, erased) {
            return Ok(AnswerExpr { expr: operand.expr.into_primary().cast(self.named(erased)?), fits: false });
        }
        let fits = !matches!(returns, GenericType::Wildcard(_))
            && returns.variables().is_empty()
            && program.is_subtype(&found, &returns.erase(&[]))
            && (returns.arguments().is_empty() || *returns == ty);
        Ok(AnswerExpr { expr: operand.expr, fits })
    }
}

/// The variable that every call returns.
///
/// # Errors
/// `Unprintable::Malformed` for an answer that depends on arguments or calls, or throws.
pub(super) fn constant_answer(answer: &Answer) -> Result<VarId, Unprintable> {
    answer.constant().ok_or_else(|| Unprintable::Malformed(format!("the answer of {} varies", answer.method)))
}

/// The literal of the value that a field of the type begins with (JLS §4.12.5).
fn default_value(ty: &JavaType) -> &'static str {
    match ty {
        JavaType::Boolean => "false",
        JavaType::Class(_) | JavaType::Array(_) => "null",
        JavaType::Char => "'\\000'",
        JavaType::Long => "0L",
        JavaType::Float => "0.0F",
        JavaType::Double => "0.0",
        _ => "0",
    }
}
