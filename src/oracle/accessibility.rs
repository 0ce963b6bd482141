//! What a test class in a given package can name (JLS §6.6). In: the program model, a package; out: yes or no.

use crate::program::{ClassName, ClassOrigin, JavaType, MethodModel, Nesting, Program, ResolvedField};

/// The view from a test class.
#[derive(Clone, Debug)]
pub struct Accessibility<'a> {
    program: &'a Program,
    /// Internal name of the test's package.
    package: String,
}

/// The package (internal name) of the test for a class: the class's own, or one of ours where foreign classes may not join the package
/// (`separate`: it is sealed or signed; packages of the JDK always).
pub fn test_package(program: &Program, class: &ClassName, separate: bool) -> String {
    let jdk = program.class(class).is_some_and(|model| model.origin == ClassOrigin::Jdk);
    match class.package() {
        package if !separate && !jdk => package.to_string(),
        "" => "tracewright".to_string(),
        package => format!("tracewright/{package}"),
    }
}

impl<'a> Accessibility<'a> {
    pub fn new(program: &'a Program, package: &str) -> Accessibility<'a> {
        Accessibility { program, package: package.to_string() }
    }

    pub(crate) fn program(&self) -> &'a Program {
        self.program
    }

    pub(crate) fn package(&self) -> &str {
        &self.package
    }

    /// Whether the test's source can name the class.
    pub fn class(&self, name: &ClassName) -> bool {
        let Some(model) = self.program.class(name) else { return false };
        let same_package = name.package() == self.package;
        if model.access.is_synthetic() || (name.package().is_empty() && !self.package.is_empty()) {
            return false;
        }
        if !same_package && model.origin == ClassOrigin::Jdk && !self.program.source().exports(name.package()) {
            return false;
        }
        if !self.is_whole(name) {
            return false;
        }
        match &model.nesting {
            Nesting::TopLevel => (model.access.is_public() || same_package) && name.internal().split('/').all(is_identifier),
            Nesting::Member { enclosing, simple_name, .. } => {
                self.member(model.access, name) && is_identifier(simple_name) && self.class(enclosing)
            }
            Nesting::Local { .. } | Nesting::Anonymous { .. } => false,
        }
    }

    /// Every supertype is there: javac reads them all.
    fn is_whole(&self, name: &ClassName) -> bool {
        let chain = self.program.superclass_chain(name);
        let rooted = chain.last().is_some_and(|root| root.superclass.is_none());
        rooted && self.program.all_interfaces(name).iter().all(|interface| self.program.class(interface).is_some())
    }

    pub fn ty(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Class(name) => self.class(name),
            JavaType::Array(element) => self.ty(element),
            _ => true,
        }
    }

    /// Whether a member with these flags, declared in this class, can be used through a class that can be named.
    pub fn member(&self, access: tracewright_classfile::AccessFlags, declaring: &ClassName) -> bool {
        access.is_public() || (!access.is_private() && declaring.package() == self.package)
    }

    pub fn method(&self, method: &MethodModel) -> bool {
        self.member(method.access, &method.reference.owner)
    }

    pub(crate) fn field(&self, field: &ResolvedField) -> bool {
        self.member(field.field().access, &field.class.name)
    }

    /// The class itself or its nearest superclass that the test can name.
    pub(crate) fn nearest_superclass(&self, name: &ClassName) -> Option<ClassName> {
        self.program.superclass_chain(name).iter().map(|class| class.name.clone()).find(|class| self.class(class))
    }
}

/// Whether the text is a Java identifier and no reserved word. ASCII only: other letters depend on the encoding of the source.
pub fn is_identifier(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$'));
    let goes_on = text.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '$'));
    starts && goes_on && !is_reserved(text)
}

/// Keywords and literals (JLS §3.9), contextual ones that may not name types or locals everywhere included.
pub fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "abstract"
            | "assert"
            | "boolean"
            | "break"
            | "byte"
            | "case"
            | "catch"
            | "char"
            | "class"
            | "const"
            | "continue"
            | "default"
            | "do"
            | "double"
            | "else"
            | "enum"
            | "extends"
            | "final"
            | "finally"
            | "float"
            | "for"
            | "goto"
            | "if"
            | "implements"
            | "import"
            | "instanceof"
            | "int"
            | "interface"
            | "long"
            | "native"
            | "new"
            | "package"
            | "private"
            | "protected"
            | "public"
            | "return"
            | "short"
            | "static"
            | "strictfp"
            | "super"
            | "switch"
            | "synchronized"
            | "this"
            | "throw"
            | "throws"
            | "transient"
            | "try"
            | "void"
            | "volatile"
            | "while"
            | "true"
            | "false"
            | "null"
            | "_"
    )
}
