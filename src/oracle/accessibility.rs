//! Decides which types and members a test class in a given package can name (JLS §6.6). In: the
//! program model, a package; out: yes or no. Must not know where the name is written.

use crate::program::{ClassName, ClassOrigin, JavaType, MethodModel, Nesting, Program, ResolvedField};

/// First parts of a package that the packages of one project share: `org/example`.
const RELATED_SEGMENTS: usize = 2;

/// The program as a test class in one package sees it.
#[derive(Clone, Debug)]
pub struct Accessibility<'a> {
    program: &'a Program,
    /// Internal name of the test's package.
    package: String,
    /// Java release that the test is compiled for; `None`: that of the JDK.
    release: Option<u32>,
}

/// The package of the test for a class, by internal name: the package of the class. A package of
/// its own, below `tracewright`, replaces packages of the JDK and those that no class may join
/// (`separate`: sealed or signed).
pub fn test_package(program: &Program, class: &ClassName, separate: bool) -> String {
    let jdk = program.class(class).is_some_and(|model| model.origin == ClassOrigin::Jdk);
    match class.package() {
        package if !separate && !jdk => package.to_string(),
        "" => "tracewright".to_string(),
        package => format!("tracewright/{package}"),
    }
}

impl<'a> Accessibility<'a> {
    /// The view from the package with this internal name.
    pub fn new(program: &'a Program, package: &str) -> Accessibility<'a> {
        Accessibility { program, package: package.to_string(), release: None }
    }

    /// The view of a test that is compiled for this Java release.
    #[must_use]
    pub(crate) fn for_release(self, release: u32) -> Accessibility<'a> {
        Accessibility { release: Some(release), ..self }
    }

    /// Whether tests are compiled for this Java release or a later one.
    pub(crate) fn has_release(&self, release: u32) -> bool {
        self.release.is_none_or(|compiled| compiled >= release)
    }

    /// The view that has the members of every release.
    #[must_use]
    pub(crate) fn for_every_release(self) -> Accessibility<'a> {
        Accessibility { release: None, ..self }
    }

    /// The program that is seen.
    pub(crate) fn program(&self) -> &'a Program {
        self.program
    }

    /// Whether the class is of the same project as the test, as far as its package tells.
    pub(super) fn is_related(&self, name: &ClassName) -> bool {
        let package = self.package.strip_prefix("tracewright/").unwrap_or(&self.package);
        name.package().split('/').take(RELATED_SEGMENTS).eq(package.split('/').take(RELATED_SEGMENTS))
    }

    /// Whether the test's source can name the class, and javac can read all of its supertypes.
    pub fn can_name_class(&self, name: &ClassName) -> bool {
        let Some(model) = self.program.class(name) else { return false };
        let same_package = name.package() == self.package;
        if model.access.is_synthetic() || (name.package().is_empty() && !self.package.is_empty()) {
            return false;
        }
        if !same_package && model.origin == ClassOrigin::Jdk && !self.program.source().exports(name.package()) {
            return false;
        }
        if !self.has_all_supertypes(name)
            || self.release.is_some_and(|release| !self.program.is_class_in_release(&model, release))
        {
            return false;
        }
        match &model.nesting {
            Nesting::TopLevel => (model.access.is_public() || same_package) && name.internal().split('/').all(is_identifier),
            Nesting::Member { enclosing, simple_name, .. } => {
                self.can_use_member(model.access, name) && is_identifier(simple_name) && self.can_name_class(enclosing)
            }
            Nesting::Local { .. } | Nesting::Anonymous { .. } => false,
        }
    }

    /// Whether every supertype exists.
    fn has_all_supertypes(&self, name: &ClassName) -> bool {
        let chain = self.program.superclass_chain(name);
        let rooted = chain.last().is_some_and(|root| root.superclass.is_none());
        rooted && self.program.all_interfaces(name).iter().all(|interface| self.program.class(interface).is_some())
    }

    /// Whether the test's source can name the type.
    pub fn can_name(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Class(name) => self.can_name_class(name),
            JavaType::Array(element) => self.can_name(element),
            _ => true,
        }
    }

    /// Whether the test can use a member with these flags, declared in this class, through a class
    /// that it can name.
    pub fn can_use_member(&self, access: tracewright_classfile::AccessFlags, declaring: &ClassName) -> bool {
        access.is_public() || (!access.is_private() && declaring.package() == self.package)
    }

    /// Whether the test can use the method through a class that it can name.
    pub fn can_use_method(&self, method: &MethodModel) -> bool {
        self.can_use_member(method.access, &method.reference.owner)
            && self.release.is_none_or(|release| self.program.is_method_in_release(method, release))
    }

    /// Whether the test can use `List.of`, `Set.of` and `Map.of`.
    pub(crate) fn has_collection_factories(&self) -> bool {
        let list = ClassName::new("java/util/List");
        let factory = self.program.resolve_method(&list, "of", "()Ljava/util/List;");
        factory.is_some_and(|found| self.can_use_method(found.method()))
    }

    /// Whether the test can use the field through a class that it can name.
    pub(crate) fn can_use_field(&self, field: &ResolvedField) -> bool {
        self.can_use_member(field.field().access, &field.class.name)
    }

    /// The class itself or its nearest superclass that the test can name; `None` where there is
    /// none.
    pub(crate) fn nearest_superclass(&self, name: &ClassName) -> Option<ClassName> {
        self.program.superclass_chain(name).iter().map(|class| class.name.clone()).find(|class| self.can_name_class(class))
    }
}

/// Whether the text is a Java identifier (JLS §3.8) and no reserved word. ASCII only: how javac
/// reads other letters depends on the encoding of the source.
pub fn is_identifier(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$'));
    let goes_on = text.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '$'));
    starts && goes_on && !is_reserved(text)
}

/// Whether the word is a keyword or a literal (JLS §3.9).
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
