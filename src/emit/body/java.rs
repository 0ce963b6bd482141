//! The Java of one test method as a tree. Flows in: nothing; flows out: the value that planning
//! builds and that printing and the collection of requirements read. Types stand as erased types or
//! internal names, never as text. Parentheses are nodes of the tree. Must not know the test case or
//! why an expression was chosen.

use std::collections::BTreeSet;

use crate::emit::names::is_telling;
use crate::oracle::{is_identifier, is_reserved};
use crate::program::generics::TypeParameter;
use crate::program::{ClassName, GenericType, JavaType};
use crate::testcase::{Literal, VarId};

/// How tightly an expression binds, as far as casts and member accesses need to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// A primary expression (JLS §15.8) or a method call on one: a member access may follow.
    Primary,
    /// A cast, a signed number (JLS §15.15, §15.16) or a sum.
    Unary,
    /// A lambda expression (JLS §15.27).
    Lambda,
}

/// A Java expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    /// A local variable or the parameter of a lambda.
    Name(String),
    Literal(JavaLiteral),
    /// `T.class`.
    ClassLiteral(JavaType),
    Parenthesised(Box<Expr>),
    /// `(T) value`. The value has the parentheses that it needs.
    Cast {
        to: GenericType,
        value: Box<Expr>,
    },
    /// `new C(args)` or `outer.new C(args)`.
    New {
        class: Instantiated,
        diamond: bool,
        args: Vec<Expr>,
        exceptions: Vec<ClassName>,
    },
    /// A call of a method by a class or on an object. `exceptions`: the declared ones, erased.
    Call {
        on: Qualifier,
        method: String,
        args: Vec<Expr>,
        exceptions: Vec<ClassName>,
    },
    /// A call of a statically imported method.
    Imported {
        method: StaticImport,
        args: Vec<Expr>,
    },
    /// A field, or the length of an array.
    Field {
        on: Qualifier,
        name: String,
    },
    /// `array[index]`.
    Element {
        array: Box<Expr>,
        index: usize,
    },
    /// `new E[] {cells}`.
    ArrayOf {
        element: JavaType,
        cells: Vec<Expr>,
    },
    /// `new E[length]`.
    NewArray {
        element: JavaType,
        length: u32,
    },
    /// `(x, y) -> body`.
    Lambda {
        parameters: Vec<String>,
        ending: Box<Ending>,
    },
    /// An anonymous class that implements or extends the type. `shadowed`: simple names of classes
    /// that mean something else in its body.
    Anonymous {
        ty: GenericType,
        members: Vec<Member>,
        shadowed: BTreeSet<String>,
    },
    /// `stub(C.class, (proxy, method, args) -> ..)`: a call of the helper method of the file.
    Proxy {
        class: ClassName,
        parameters: [String; 3],
        answers: Vec<ProxyAnswer>,
        /// The interface has default methods, which run.
        has_defaults: bool,
    },
    /// `() -> action`, the argument of `assertThrows`. The exceptions of the action need no
    /// declaration.
    Action(Box<JavaStatement>),
    /// An expression with a property that does not show in its text.
    Marked {
        mark: Mark,
        value: Box<Expr>,
    },
}

/// A literal, or the constant or call of the JDK that stands for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JavaLiteral {
    /// As source text. A negative number begins with its sign.
    pub(super) text: String,
    pub(super) value: Literal,
    /// Of null: the type of the variable that it stands for, if that is known.
    pub(super) type_of_null: Option<JavaType>,
}

impl JavaLiteral {
    /// Whether a number is written as a sum with a bound: `Integer.MAX_VALUE - 1`.
    fn is_sum(&self) -> bool {
        matches!(self.value, Literal::Int(_) | Literal::Long(_)) && self.text.contains(' ')
    }
}

/// A property of an expression that the method, the next plan or a table of tests has to respect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// A raw type or an unchecked conversion (JLS §5.1.9) occurs.
    Unchecked,
    /// The expression compiles only if this variable is declared with a raw type (JLS §4.8).
    RequiresRaw(VarId),
    /// The value is the argument for the parameter of this name.
    Argument(String),
    /// An assertion of JUnit that is written as one of AssertJ.
    Fluent,
}

/// The class or object that a member is accessed through.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Qualifier {
    Class(ClassName),
    /// A primary expression.
    Object(Box<Expr>),
}

/// The class that an instance creation names.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Instantiated {
    Class(ClassName),
    /// An inner class by its simple name, qualified by its enclosing instance (JLS §15.9.1), a
    /// primary expression.
    Inner {
        outer: Box<Expr>,
        simple_name: String,
    },
}

/// A static method that is imported by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StaticImport {
    /// A method of the assertion class of the JUnit version.
    Assertion(&'static str),
    /// A method of Mockito with its qualified name.
    Mockito(&'static str),
    /// A method of spring-test with its qualified name.
    Spring(&'static str),
    /// A method of AssertJ with its qualified name.
    AssertJ(&'static str),
}

/// A method of an anonymous class.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) visibility: Visibility,
    pub(super) type_parameters: Vec<TypeParameter>,
    pub(super) returns: GenericType,
    pub(super) name: String,
    /// Types and names.
    pub(super) parameters: Vec<(GenericType, String)>,
    pub(super) is_varargs: bool,
    /// Checked exceptions that it throws.
    pub(super) throws: Vec<ClassName>,
    pub(super) ending: Ending,
}

/// How a method of a stub ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ending {
    /// It does nothing (a void method).
    Nothing,
    /// It returns the value.
    Returns(Expr),
    /// It throws the exception.
    Throws(Expr),
}

/// The answer of a method of a proxy, and what tells the method from its overloads.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ProxyAnswer {
    pub(super) method: String,
    /// An overload has another number of parameters.
    pub(super) count: Option<usize>,
    /// An overload has another type at this position.
    pub(super) parameter: Option<(usize, JavaType)>,
    pub(super) ending: Ending,
}

/// The access modifier of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visibility {
    Public,
    Protected,
    Package,
}

/// A Java statement without its semicolon.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum JavaStatement {
    Expression(Expr),
    /// `T name = value`.
    Declaration {
        ty: GenericType,
        name: String,
        value: Expr,
    },
    /// `place = value`.
    Assignment {
        place: Expr,
        value: Expr,
    },
}

/// A statement and its role in the layout of the method.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) statement: JavaStatement,
    pub(super) is_assertion: bool,
}

impl Expr {
    /// A literal with its source text.
    pub(super) fn literal(text: impl Into<String>, value: Literal) -> Expr {
        Expr::Literal(JavaLiteral { text: text.into(), value, type_of_null: None })
    }

    /// An `int` without a special form.
    pub(super) fn int(value: i32) -> Expr {
        Expr::literal(value.to_string(), Literal::Int(value))
    }

    /// `null`. `ty`: the type of the variable that it stands for, if that is known.
    pub(super) fn null(ty: Option<&JavaType>) -> Expr {
        Expr::Literal(JavaLiteral { text: "null".into(), value: Literal::Null, type_of_null: ty.cloned() })
    }

    /// Whether it is the literal `null`.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.unmarked(), Expr::Literal(JavaLiteral { value: Literal::Null, .. }))
    }

    /// How tightly the expression binds.
    pub(super) fn level(&self) -> Level {
        match self {
            Expr::Literal(literal) if literal.text.starts_with('-') || literal.is_sum() => Level::Unary,
            Expr::Cast { .. } => Level::Unary,
            Expr::Lambda { .. } | Expr::Action(_) => Level::Lambda,
            Expr::Marked { value, .. } => value.level(),
            _ => Level::Primary,
        }
    }

    /// The expression as one that a member access may follow.
    pub(super) fn into_primary(self) -> Expr {
        if self.level() == Level::Primary { self } else { Expr::Parenthesised(Box::new(self)) }
    }

    /// The expression as the operand of a cast to a reference type: `(Integer) -5` would be a
    /// subtraction (JLS §15.16).
    pub(super) fn into_cast_operand(self) -> Expr {
        let is_signed = matches!(self.unmarked(), Expr::Literal(literal) if literal.text.starts_with('-'));
        if is_signed || self.level() == Level::Lambda { Expr::Parenthesised(Box::new(self)) } else { self }
    }

    /// `(T) this`. The expression has the parentheses that it needs.
    pub(super) fn cast(self, to: JavaType) -> Expr {
        self.cast_generic(GenericType::of(&to))
    }

    /// As [`Expr::cast`], to a type with type arguments or to a type variable.
    pub(super) fn cast_generic(self, to: GenericType) -> Expr {
        let is_sum = matches!(self.unmarked(), Expr::Literal(literal) if literal.is_sum());
        let value = if is_sum { Expr::Parenthesised(Box::new(self)) } else { self };
        Expr::Cast { to, value: Box::new(value) }
    }

    /// `((T) this)`, a primary expression.
    pub(super) fn cast_primary(self, to: JavaType) -> Expr {
        Expr::Parenthesised(Box::new(self.into_primary().cast(to)))
    }

    /// The expression with a mark; its text stays the same.
    pub(super) fn marked(self, mark: Mark) -> Expr {
        Expr::Marked { mark, value: Box::new(self) }
    }

    /// The expression before the dot of a member access.
    pub(super) fn into_qualifier(self) -> Qualifier {
        Qualifier::Object(Box::new(self.into_primary()))
    }

    /// Whether the expression is written from a single literal or static field: tests that differ
    /// in it may be rows of one table.
    pub(super) fn is_plain_value(&self) -> bool {
        match self {
            Expr::Literal(_) | Expr::Field { on: Qualifier::Class(_), .. } => true,
            Expr::Parenthesised(value) | Expr::Cast { value, .. } | Expr::Marked { value, .. } => value.is_plain_value(),
            Expr::Call { on: Qualifier::Class(_), method, args, .. } if method == "valueOf" => {
                matches!(&args[..], [value] if value.is_plain_value())
            }
            _ => false,
        }
    }

    /// The expression as the argument for a parameter with this name, where it is a plain value and
    /// the name has a meaning.
    pub(super) fn for_parameter(self, name: Option<&str>) -> Expr {
        match name.filter(|name| is_telling(name) && is_identifier(name) && !is_reserved(name)) {
            Some(name) if self.is_plain_value() => self.marked(Mark::Argument(name.to_owned())),
            _ => self,
        }
    }

    /// The expression inside all marks.
    pub(super) fn unmarked(&self) -> &Expr {
        match self {
            Expr::Marked { value, .. } => value.unmarked(),
            other => other,
        }
    }
}

impl StaticImport {
    /// The simple name of the method.
    pub(super) fn simple_name(self) -> &'static str {
        let (StaticImport::Assertion(name)
        | StaticImport::Mockito(name)
        | StaticImport::Spring(name)
        | StaticImport::AssertJ(name)) = self;
        name.rsplit('.').next().unwrap_or(name)
    }
}

/// Names for the parameters of a lambda that uses none of them, or whose body names them too.
pub(super) fn lambda_names(count: usize) -> Vec<String> {
    (0..count).map(|index| ["x", "y", "z"].get(index).map_or(format!("x{index}"), |name| name.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> Expr {
        Expr::literal(text, Literal::Int(0))
    }

    #[test]
    fn only_signed_numbers_and_lambdas_need_parentheses_under_a_cast() {
        let lambda = Expr::Lambda { parameters: lambda_names(1), ending: Box::new(Ending::Nothing) };
        assert!(matches!(literal("-5").into_cast_operand(), Expr::Parenthesised(_)));
        assert!(matches!(literal("-5").marked(Mark::Unchecked).into_cast_operand(), Expr::Parenthesised(_)));
        assert!(matches!(lambda.into_cast_operand(), Expr::Parenthesised(_)));
        assert!(matches!(literal("-5").cast(JavaType::BYTE).into_cast_operand(), Expr::Cast { .. }));
        assert!(matches!(literal("5").into_cast_operand(), Expr::Literal(_)));
    }

    #[test]
    fn a_member_access_follows_primary_expressions_only() {
        assert_eq!(literal("5").into_primary(), literal("5"));
        assert!(matches!(literal("5").cast(JavaType::BYTE).into_primary(), Expr::Parenthesised(_)));
        assert_eq!(literal("5").cast_primary(JavaType::BYTE).level(), Level::Primary);
    }

    #[test]
    fn a_sum_is_in_parentheses_under_casts_and_before_dots() {
        let sum = || literal("Integer.MAX_VALUE - 1");
        assert!(matches!(sum().into_primary(), Expr::Parenthesised(_)));
        let operand = |value: Expr| match value.cast(JavaType::LONG) {
            Expr::Cast { value, .. } => *value,
            other => other,
        };
        assert!(matches!(operand(sum()), Expr::Parenthesised(_)));
        assert!(matches!(operand(literal("5")), Expr::Literal(_)));
    }

    #[test]
    fn an_imported_method_is_called_by_its_simple_name() {
        assert_eq!(StaticImport::Mockito("org.mockito.Mockito.mock").simple_name(), "mock");
        assert_eq!(StaticImport::Assertion("assertNull").simple_name(), "assertNull");
    }
}
