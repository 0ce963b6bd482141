//! The check of test cases. Flows in: a test case and a type system; flows out: the first
//! violation. A legal test case uses only variables that are defined before, and every use fits the
//! declared types without a cast.

use super::{Answer, AnswerOutcome, Literal, Statement, StatementKind, TestCase, VarId};
use crate::program::{ClassName, JavaType, MethodRef};

/// The subtype relation that [`check`] needs.
pub trait TypeSystem {
    /// Whether a value of reference type `from` is a `to` without a cast: identity and widening
    /// reference conversion of erased types (JLS §5.1.5).
    fn is_subtype(&self, from: &JavaType, to: &JavaType) -> bool;

    /// Whether the test puts an object of the class `element`, at which a cast failed, into a generic
    /// object that is to have other elements (heap pollution, JLS §4.12.2). Without generic types there
    /// are none.
    fn pollutes_heap(&self, _test: &TestCase, _element: &ClassName) -> bool {
        false
    }

    /// Whether the test compiles with raw types alone, since a generic object has other elements than
    /// one of its uses allows.
    fn needs_raw_types(&self, _test: &TestCase) -> bool {
        false
    }
}

/// Why a test case is not legal. `statement` is the index of the statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// A use of a variable that no earlier statement defines.
    #[error("statement {statement} uses v{used}, which is not defined before it")]
    NotDefined {
        /// Index of the statement.
        statement: usize,
        /// Number of the used variable.
        used: u32,
    },
    /// A use of a variable where another type is expected.
    #[error("statement {statement} uses v{used} of type {found} as {expected}")]
    Type {
        /// Index of the statement.
        statement: usize,
        /// Number of the used variable.
        used: u32,
        /// Type of the variable.
        found: JavaType,
        /// The type that is expected.
        expected: JavaType,
    },
    /// A wrong number of arguments.
    #[error("statement {statement} passes {found} arguments where {expected} are expected")]
    Arguments {
        /// Index of the statement.
        statement: usize,
        /// Number of arguments that are passed.
        found: usize,
        /// Number of parameters.
        expected: usize,
    },
    /// A declared type other than that of the value.
    #[error("statement {statement} is declared {declared} but gives {given}")]
    Declared {
        /// Index of the statement.
        statement: usize,
        /// The declared type.
        declared: JavaType,
        /// The type of the value.
        given: JavaType,
    },
    /// A call or access on the null literal.
    #[error("statement {statement} uses the null literal v{used} as a receiver")]
    NullReceiver {
        /// Index of the statement.
        statement: usize,
        /// Number of the used variable.
        used: u32,
    },
    /// More cells than the array has.
    #[error("statement {statement} sets {found} cells of an array of {length}")]
    Elements {
        /// Index of the statement.
        statement: usize,
        /// Number of cells that are set.
        found: usize,
        /// Length of the array.
        length: u32,
    },
    /// An answer that neither returns nor throws anything.
    #[error("statement {statement} has an answer without an outcome")]
    NoOutcome {
        /// Index of the statement.
        statement: usize,
    },
}

/// Checks every statement of the test case.
///
/// # Errors
/// The violation in the first statement that has one.
pub fn check(test: &TestCase, types: &(impl TypeSystem + ?Sized)) -> Result<(), Invalid> {
    for index in 0..test.statements.len() {
        Checker { test, types, index }.statement()?;
    }
    Ok(())
}

/// Whether a variable of type `from` may be used as a `to`. Primitives fit exactly: test cases
/// state every widening and boxing.
pub fn fits(from: &JavaType, to: &JavaType, types: &(impl TypeSystem + ?Sized)) -> bool {
    from == to || (from.is_reference() && to.is_reference() && types.is_subtype(from, to))
}

struct Checker<'a, T: ?Sized> {
    test: &'a TestCase,
    types: &'a T,
    index: usize,
}

impl<T: TypeSystem + ?Sized> Checker<'_, T> {
    fn statement(&self) -> Result<(), Invalid> {
        let Statement { kind, ty } = &self.test.statements[self.index];
        match kind {
            StatementKind::Literal(Literal::Null) => match ty.is_reference() {
                true => Ok(()),
                false => self.gives(&JavaType::class("java/lang/Object")),
            },
            StatementKind::Literal(literal) => self.gives(&literal_type(literal)),
            StatementKind::Construct { constructor, args } => {
                self.arguments(constructor, args)?;
                self.gives(&JavaType::Class(constructor.owner.clone()))
            }
            StatementKind::Call { method, receiver, args, .. } => {
                if let Some(receiver) = receiver {
                    self.receiver(*receiver, &JavaType::Class(method.owner.clone()))?;
                }
                self.arguments(method, args)?;
                self.gives(&method.return_type())
            }
            StatementKind::GetField { field, receiver } => {
                if let Some(receiver) = receiver {
                    self.receiver(*receiver, &JavaType::Class(field.owner.clone()))?;
                }
                self.gives(&field.field_type())
            }
            StatementKind::PutField { field, receiver, value } => {
                if let Some(receiver) = receiver {
                    self.receiver(*receiver, &JavaType::Class(field.owner.clone()))?;
                }
                self.used_as(*value, &field.field_type())?;
                self.gives(&JavaType::Void)
            }
            StatementKind::Array { element, length, elements } => {
                if elements.len() > *length as usize {
                    return Err(Invalid::Elements { statement: self.index, found: elements.len(), length: *length });
                }
                for &value in elements {
                    self.used_as(value, element)?;
                }
                self.gives(&JavaType::Array(Box::new(element.clone())))
            }
            StatementKind::PutElement { array, value, .. } => {
                let found = self.defined(*array)?;
                let JavaType::Array(element) = found else {
                    let expected = JavaType::Array(Box::new(self.defined(*value)?.clone()));
                    return Err(Invalid::Type { statement: self.index, used: array.0, found: found.clone(), expected });
                };
                self.receiver(*array, found)?;
                self.used_as(*value, element)?;
                self.gives(&JavaType::Void)
            }
            StatementKind::Stub { class, answers, .. } => {
                answers.iter().try_for_each(|answer| self.answer(answer))?;
                self.gives(&JavaType::Class(class.clone()))
            }
        }
    }

    fn answer(&self, Answer { method, arguments, outcomes }: &Answer) -> Result<(), Invalid> {
        let parameters = method.parameters();
        if !arguments.is_empty() && arguments.len() != parameters.len() {
            return Err(Invalid::Arguments { statement: self.index, found: arguments.len(), expected: parameters.len() });
        }
        for (argument, parameter) in arguments.iter().zip(&parameters) {
            argument.map_or(Ok(()), |argument| self.used_as(argument, parameter))?;
        }
        if outcomes.is_empty() {
            return Err(Invalid::NoOutcome { statement: self.index });
        }
        outcomes.iter().try_for_each(|outcome| match outcome {
            AnswerOutcome::Returns(value) => self.used_as(*value, &method.return_type()),
            AnswerOutcome::Throws(exception) => self.receiver(*exception, &JavaType::class("java/lang/Throwable")),
        })
    }

    fn defined(&self, used: VarId) -> Result<&JavaType, Invalid> {
        match self.test.statements[..self.index].get(used.0 as usize) {
            Some(definition) if definition.ty != JavaType::Void => Ok(&definition.ty),
            _ => Err(Invalid::NotDefined { statement: self.index, used: used.0 }),
        }
    }

    fn used_as(&self, used: VarId, expected: &JavaType) -> Result<(), Invalid> {
        let found = self.defined(used)?;
        if fits(found, expected, self.types) {
            return Ok(());
        }
        Err(Invalid::Type { statement: self.index, used: used.0, found: found.clone(), expected: expected.clone() })
    }

    fn receiver(&self, used: VarId, owner: &JavaType) -> Result<(), Invalid> {
        self.used_as(used, owner)?;
        match self.test.statements[used.0 as usize].kind {
            StatementKind::Literal(Literal::Null) => Err(Invalid::NullReceiver { statement: self.index, used: used.0 }),
            _ => Ok(()),
        }
    }

    fn arguments(&self, method: &MethodRef, args: &[VarId]) -> Result<(), Invalid> {
        let parameters = method.parameters();
        if parameters.len() != args.len() && !method.suspends_with(args.len()) {
            return Err(Invalid::Arguments { statement: self.index, found: args.len(), expected: parameters.len() });
        }
        args.iter().zip(&parameters).try_for_each(|(&arg, parameter)| self.used_as(arg, parameter))
    }

    /// The declared type must be that of the value.
    fn gives(&self, given: &JavaType) -> Result<(), Invalid> {
        let declared = &self.test.statements[self.index].ty;
        if declared == given {
            return Ok(());
        }
        Err(Invalid::Declared { statement: self.index, declared: declared.clone(), given: given.clone() })
    }
}

/// The type of a literal. `null` counts as `Object` here; its statement states its type.
pub fn literal_type(literal: &Literal) -> JavaType {
    match literal {
        Literal::Null => JavaType::class("java/lang/Object"),
        Literal::Str(_) => JavaType::class("java/lang/String"),
        Literal::Class(_) => JavaType::class("java/lang/Class"),
        primitive => JavaType::from(primitive.primitive().expect("every other literal is primitive")),
    }
}

/// A hierarchy in which every class extends `Object` directly.
#[cfg(test)]
pub(crate) struct Flat;

#[cfg(test)]
impl TypeSystem for Flat {
    fn is_subtype(&self, _: &JavaType, to: &JavaType) -> bool {
        *to == JavaType::class("java/lang/Object")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_a_suspend_function_leaves_out_the_continuation() {
        let call = |parameters: &str, args: &str| {
            verdict(&format!(
                "v0: I = int 1\nv1: Ljava/lang/Object; = call method p/C.m ({parameters})Ljava/lang/Object; ({args})\n"
            ))
        };
        assert_eq!(call("ILkotlin/coroutines/Continuation;", "v0"), "legal");
        assert!(call("ILkotlin/coroutines/Continuation;", "").contains("0 arguments where 2"));
        assert!(call("ILp/Continuation;", "v0").contains("1 arguments where 2"));
    }

    fn verdict(text: &str) -> String {
        let test = text.parse().expect("well-formed");
        check(&test, &Flat).map_or_else(|invalid| invalid.to_string(), |()| "legal".into())
    }

    #[test]
    fn each_violation_is_found_in_its_statement() {
        for (text, expected) in [
            ("v0: I = int 3\nv1: LA; = new A.<init> (I)V (v0)\nv2: V = call method A.m (LA;)V on v1 (v1)", "legal"),
            ("v0: LA; = new A.<init> ()V ()\nv1: V = call method B.m (Ljava/lang/Object;)V (v0)", "legal"),
            ("v0: I = call method A.m (I)I (v0)", "statement 0 uses v0, which is not defined before it"),
            (
                "v0: V = call method A.m ()V ()\nv1: V = call method A.n (I)V (v0)",
                "statement 1 uses v0, which is not defined before it",
            ),
            ("v0: B = byte 3\nv1: I = call method A.m (I)I (v0)", "statement 1 uses v0 of type B as I"),
            ("v0: I = call method A.m (I)I ()", "statement 0 passes 0 arguments where 1 are expected"),
            ("v0: LB; = new A.<init> ()V ()", "statement 0 is declared LB; but gives LA;"),
            ("v0: J = int 3", "statement 0 is declared J but gives I"),
            ("v0: I = null", "statement 0 is declared I but gives Ljava/lang/Object;"),
            ("v0: LA; = null\nv1: I = get A.f I on v0", "statement 1 uses the null literal v0 as a receiver"),
            ("v0: I = int 1\nv1: [I = array I 1 (v0, v0)", "statement 1 sets 2 cells of an array of 1"),
            ("v0: I = int 1\nv1: [I = array I 2 (v0)\nv2: V = element v1 7 value v0", "legal"),
            ("v0: I = int 1\nv1: V = element v0 7 value v0", "statement 1 uses v0 of type I as [I"),
            ("v0: LA; = new A.<init> ()V ()\nv1: LF; = stub F (F.get ()LB; v0)", "statement 1 uses v0 of type LA; as LB;"),
            ("v0: I = int 1\nv1: LF; = mock F (F.get (II)I for v0,any v0 then v0)", "legal"),
            ("v0: I = int 1\nv1: LF; = mock F (F.get (II)I for v0 v0)", "statement 1 passes 1 arguments where 2 are expected"),
            ("v0: I = int 1\nv1: LF; = mock F (F.get (B)I for v0 v0)", "statement 1 uses v0 of type I as B"),
            (
                "v0: LE; = null\nv1: LF; = mock F (F.get ()I throws v0)",
                "statement 1 uses v0 of type LE; as Ljava/lang/Throwable;",
            ),
        ] {
            assert_eq!(verdict(text), expected, "{text}");
        }
    }
}
