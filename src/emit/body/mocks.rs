//! Plans mocks. In: statements that create an object whose own methods never run; out: Java that
//! creates the object with Mockito.

use crate::emit::Unprintable;
use crate::program::{ClassName, GenericType, JavaType, MethodRef};
use crate::testcase::VarId;

use super::expressions::{Typed, is_zero};
use super::java::{Expr, Mark, Qualifier, StaticImport};
use super::plan::Planner;

impl Planner<'_> {
    /// `mock(C.class)`.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleType` for a class that the test cannot name.
    pub(super) fn mock(&self, class: &ClassName) -> Result<Typed, Unprintable> {
        let model = self.program().class(class).ok_or_else(|| Unprintable::InaccessibleType(class.to_string()))?;
        let args = vec![Expr::ClassLiteral(JavaType::Class(self.named_class(class)?))];
        let mock = Expr::Imported { method: StaticImport::Mockito("org.mockito.Mockito.mock"), args };
        let is_raw = !model.signature.parameters.is_empty();
        Ok(Typed::new(if is_raw { mock.marked(Mark::Unchecked) } else { mock }, GenericType::class(class.clone())))
    }

    /// The call that makes the mock return the answer from a method; `None` where it does so by
    /// itself.
    ///
    /// # Errors
    /// `Unprintable::InaccessibleMember` for a method that the test cannot call or Mockito cannot
    /// replace.
    pub(super) fn mocked_answer(
        &self,
        mock: &str,
        class: &ClassName,
        method: &MethodRef,
        answer: VarId,
    ) -> Result<Option<Expr>, Unprintable> {
        if is_zero(self.usage.kind(answer)) && returns_zero_by_default(method) {
            return Ok(None);
        }
        let found = self.program().resolve(method).ok_or_else(|| Unprintable::Malformed(format!("{method} does not exist")))?;
        let model = found.method();
        let access = model.access;
        if !self.access.can_use_method(model) || access.is_final() || access.is_static() || access.is_varargs() {
            return Err(Unprintable::InaccessibleMember(method.to_string()));
        }
        let is_overloaded = self.has_overload(class, method.name.as_ref(), &model.parameters);
        let matchers: Result<Vec<Expr>, Unprintable> = model
            .parameters
            .iter()
            .map(|parameter| {
                let any = Expr::Imported { method: StaticImport::Mockito(matcher(parameter)), args: Vec::new() };
                if is_overloaded && parameter.is_reference() { Ok(any.cast(self.named(parameter)?)) } else { Ok(any) }
            })
            .collect();
        let matchers = matchers?;
        let value = self.answer(Some(answer), &model.returns, &GenericType::of(&model.returns))?.expr;
        let mock = Expr::Name(mock.to_string());
        let mocked_call = |on: Expr| Expr::Call {
            on: on.into_qualifier(),
            method: model.name().to_string(),
            args: matchers,
            exceptions: model.exceptions.clone(),
        };
        let mockito = |method: &'static str, arg: Expr| Expr::Imported { method: StaticImport::Mockito(method), args: vec![arg] };
        let chained = |on: Expr, method: &str, arg: Expr| Expr::Call {
            on: Qualifier::Object(Box::new(on)),
            method: method.into(),
            args: vec![arg],
            exceptions: Vec::new(),
        };
        let returns = &model.signature.returns;
        let is_plain = returns.arguments().is_empty() && returns.variables().is_empty();
        Ok(Some(if is_plain {
            chained(mockito("org.mockito.Mockito.when", mocked_call(mock)), "thenReturn", value)
        } else {
            // `thenReturn` wants a value of the exact type arguments, `doReturn` takes any object.
            mocked_call(chained(mockito("org.mockito.Mockito.doReturn", value), "when", mock))
        }))
    }

    /// Whether the class has another method of that name with as many parameters.
    fn has_overload(&self, class: &ClassName, name: &str, parameters: &[JavaType]) -> bool {
        let program = self.program();
        let mut family = program.superclass_chain(class);
        family.extend(program.all_interfaces(class).iter().filter_map(|interface| program.class(interface)));
        family.iter().flat_map(|class| &class.methods).any(|other| {
            other.name() == name
                && other.parameters.len() == parameters.len()
                && other.parameters != parameters
                && !other.access.is_synthetic()
        })
    }
}

/// Whether Mockito's default answer (`RETURNS_DEFAULTS`) for the method is 0, false or null.
fn returns_zero_by_default(method: &MethodRef) -> bool {
    match method.return_type() {
        JavaType::Class(class) => {
            let name = class.internal();
            let has_empty_value =
                name.starts_with("java/util/") || name.starts_with("java/time/") || name == "java/lang/Iterable";
            !has_empty_value && JavaType::unboxed(&class).is_none()
        }
        _ => &*method.name != "compareTo",
    }
}

/// The matcher of Mockito for any argument of the type.
fn matcher(parameter: &JavaType) -> &'static str {
    match parameter {
        JavaType::Boolean => "org.mockito.ArgumentMatchers.anyBoolean",
        JavaType::Byte => "org.mockito.ArgumentMatchers.anyByte",
        JavaType::Char => "org.mockito.ArgumentMatchers.anyChar",
        JavaType::Short => "org.mockito.ArgumentMatchers.anyShort",
        JavaType::Int => "org.mockito.ArgumentMatchers.anyInt",
        JavaType::Long => "org.mockito.ArgumentMatchers.anyLong",
        JavaType::Float => "org.mockito.ArgumentMatchers.anyFloat",
        JavaType::Double => "org.mockito.ArgumentMatchers.anyDouble",
        JavaType::Class(_) | JavaType::Array(_) | JavaType::Void => "org.mockito.ArgumentMatchers.any",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_answers_follow_returns_defaults() {
        for (descriptor, expected) in [
            ("()I", true),
            ("()Ljava/lang/String;", true),
            ("()Ljava/util/List;", false),
            ("()Ljava/util/Optional;", false),
            ("()Ljava/time/Duration;", false),
            ("()Ljava/lang/Integer;", false),
        ] {
            assert_eq!(
                returns_zero_by_default(&MethodRef::new(ClassName::new("p/C"), "m", descriptor)),
                expected,
                "{descriptor}"
            );
        }
        assert!(!returns_zero_by_default(&MethodRef::new(ClassName::new("p/C"), "compareTo", "(Lp/C;)I")));
    }
}
