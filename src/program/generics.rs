//! Generic types (JVMS §4.7.9.1, JLS §4.5, JLS §4.10).
//!
//! In: signature strings and descriptors. Out: types with type variables, their substitution and
//! erasure. Must not know where classes come from.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{ClassName, JavaType};

/// A type as the source declared it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GenericType {
    /// A primitive type or void.
    Primitive(JavaType),
    /// A class, parameterized when `arguments` is not empty (a raw type or one without parameters
    /// otherwise). `outer` is kept only where the enclosing class is parameterized itself
    /// (`Outer<String>.Inner`).
    Class {
        /// The class.
        name: ClassName,
        /// The type arguments, which may be wildcards.
        arguments: Vec<GenericType>,
        /// The type of the enclosing instance.
        outer: Option<Box<GenericType>>,
    },
    /// A type variable, by name; its declaration is the method's or the class's [`TypeParameter`].
    Variable(Arc<str>),
    /// An array of this component type.
    Array(Box<GenericType>),
    /// Only as a type argument.
    Wildcard(Wildcard),
}

/// A wildcard type argument (JLS §4.5.1).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wildcard {
    /// `?`
    Any,
    /// `? extends T`
    Extends(Box<GenericType>),
    /// `? super T`
    Super(Box<GenericType>),
}

/// A declared type variable and its bounds, class bound first; no bounds means `Object`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeParameter {
    pub(crate) name: Arc<str>,
    pub(crate) bounds: Vec<GenericType>,
}

/// The `Signature` of a class; for a class without one, its erased supertypes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSignature {
    pub(crate) parameters: Vec<TypeParameter>,
    /// `None` for `java/lang/Object` alone.
    pub(crate) superclass: Option<GenericType>,
    pub(crate) interfaces: Vec<GenericType>,
}

/// The `Signature` of a method; `arguments` always has one entry for each parameter of the
/// descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodSignature {
    /// The method's own type parameters.
    pub parameters: Vec<TypeParameter>,
    /// The types of the parameters.
    pub arguments: Vec<GenericType>,
    pub(crate) returns: GenericType,
    pub(crate) throws: Vec<GenericType>,
}

/// Types for type variables, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Substitution(BTreeMap<Arc<str>, GenericType>);

impl Substitution {
    /// Binds each parameter to the argument at the same position. Empty when the numbers differ, as
    /// for a raw type.
    pub(crate) fn of(parameters: &[TypeParameter], arguments: &[GenericType]) -> Substitution {
        if parameters.len() != arguments.len() {
            return Substitution::default();
        }
        Substitution(parameters.iter().zip(arguments).map(|(p, a)| (p.name.clone(), a.clone())).collect())
    }

    /// The type bound to a variable.
    pub(crate) fn get(&self, variable: &str) -> Option<&GenericType> {
        self.0.get(variable)
    }

    /// Binds a variable, replacing an earlier type.
    pub(crate) fn bind(&mut self, variable: &Arc<str>, to: GenericType) {
        self.0.insert(variable.clone(), to);
    }

    /// Binds the variables of `declared` so that it becomes `wanted`; a variable that is bound
    /// already keeps its type. A wildcard in `wanted` counts as its bound. Parts with different
    /// shapes bind nothing.
    pub(crate) fn match_against(&mut self, declared: &GenericType, wanted: &GenericType) {
        match (declared, wanted) {
            (GenericType::Variable(name), wanted) => {
                let to = match wanted {
                    GenericType::Wildcard(Wildcard::Extends(bound) | Wildcard::Super(bound)) => (**bound).clone(),
                    GenericType::Wildcard(Wildcard::Any) | GenericType::Variable(_) | GenericType::Primitive(_) => return,
                    other => other.clone(),
                };
                self.0.entry(name.clone()).or_insert(to);
            }
            (
                GenericType::Class { name: left, arguments: declared, .. },
                GenericType::Class { name: right, arguments: wanted, .. },
            ) if left == right && declared.len() == wanted.len() => {
                for (declared, wanted) in declared.iter().zip(wanted) {
                    self.match_against(declared, wanted);
                }
            }
            (GenericType::Array(declared), GenericType::Array(wanted)) => self.match_against(declared, wanted),
            (GenericType::Wildcard(Wildcard::Extends(declared) | Wildcard::Super(declared)), wanted) => {
                let wanted = match wanted {
                    GenericType::Wildcard(Wildcard::Extends(bound) | Wildcard::Super(bound)) => bound,
                    other => other,
                };
                self.match_against(declared, wanted);
            }
            _ => {}
        }
    }
}

impl GenericType {
    /// A class without type arguments.
    pub(crate) fn class(name: ClassName) -> GenericType {
        GenericType::Class { name, arguments: Vec::new(), outer: None }
    }

    /// `java.lang.Object`.
    pub(crate) fn object() -> GenericType {
        GenericType::class(ClassName::new("java/lang/Object"))
    }

    /// The generic form of an erased type.
    pub(crate) fn of(erased: &JavaType) -> GenericType {
        match erased {
            JavaType::Class(name) => GenericType::class(name.clone()),
            JavaType::Array(element) => GenericType::Array(Box::new(GenericType::of(element))),
            other => GenericType::Primitive(other.clone()),
        }
    }

    /// Replaces type variables; those without a binding stay.
    pub(crate) fn substitute(&self, with: &Substitution) -> GenericType {
        match self {
            GenericType::Primitive(_) => self.clone(),
            GenericType::Variable(name) => with.get(name).cloned().unwrap_or_else(|| self.clone()),
            GenericType::Array(element) => match element.substitute(with) {
                GenericType::Wildcard(wildcard) => GenericType::Array(Box::new(wildcard.upper())),
                element => GenericType::Array(Box::new(element)),
            },
            GenericType::Class { name, arguments, outer } => GenericType::Class {
                name: name.clone(),
                arguments: arguments.iter().map(|argument| argument.substitute(with)).collect(),
                outer: outer.as_ref().map(|outer| Box::new(outer.substitute(with))),
            },
            GenericType::Wildcard(wildcard) => {
                let bound = |bound: &GenericType| match bound.substitute(with) {
                    GenericType::Wildcard(inner) => Box::new(inner.upper()),
                    other => Box::new(other),
                };
                GenericType::Wildcard(match wildcard {
                    Wildcard::Any => Wildcard::Any,
                    Wildcard::Extends(upper) => Wildcard::Extends(bound(upper)),
                    Wildcard::Super(lower) => Wildcard::Super(bound(lower)),
                })
            }
        }
    }

    /// A type without variables and wildcards to which values of this type belong. A wildcard
    /// becomes its upper bound, or its lower one for `? super T`. A variable becomes its first
    /// bound among `scope`, else `Object`.
    pub(crate) fn resolve(&self, scope: &[TypeParameter]) -> GenericType {
        self.resolve_within(scope, 0)
    }

    fn resolve_within(&self, scope: &[TypeParameter], depth: usize) -> GenericType {
        match self {
            GenericType::Primitive(_) => self.clone(),
            // `T extends Comparable<T>` is a cycle: at the second round the erased bound is used.
            GenericType::Variable(name) => match scope.iter().find(|parameter| parameter.name == *name) {
                Some(parameter) => match parameter.bounds.first() {
                    None => GenericType::object(),
                    Some(bound) if depth < 2 => bound.resolve_within(scope, depth + 1),
                    Some(bound) => GenericType::of(&bound.erase(scope)),
                },
                None => GenericType::object(),
            },
            GenericType::Array(element) => GenericType::Array(Box::new(element.resolve_within(scope, depth))),
            GenericType::Class { name, arguments, outer } => GenericType::Class {
                name: name.clone(),
                arguments: arguments.iter().map(|argument| argument.resolve_within(scope, depth)).collect(),
                outer: outer.as_ref().map(|outer| Box::new(outer.resolve_within(scope, depth))),
            },
            GenericType::Wildcard(wildcard) => wildcard.upper().resolve_within(scope, depth),
        }
    }

    /// Erasure (JLS §4.6); a variable erases to its first bound in `scope`, else `Object`.
    pub(crate) fn erase(&self, scope: &[TypeParameter]) -> JavaType {
        self.erase_within(scope, scope.len() + 1)
    }

    fn erase_within(&self, scope: &[TypeParameter], fuel: usize) -> JavaType {
        match self {
            GenericType::Primitive(primitive) => primitive.clone(),
            GenericType::Class { name, .. } => JavaType::Class(name.clone()),
            GenericType::Array(element) => JavaType::Array(Box::new(element.erase_within(scope, fuel))),
            GenericType::Wildcard(wildcard) => wildcard.upper().erase_within(scope, fuel),
            GenericType::Variable(name) => scope
                .iter()
                .find(|parameter| parameter.name == *name)
                .and_then(|parameter| parameter.bounds.first())
                .filter(|_| fuel > 0)
                .map_or_else(|| JavaType::class("java/lang/Object"), |bound| bound.erase_within(scope, fuel - 1)),
        }
    }

    /// The names of the type variables in it, in order of appearance.
    pub(crate) fn variables(&self) -> Vec<Arc<str>> {
        fn walk(ty: &GenericType, found: &mut Vec<Arc<str>>) {
            match ty {
                GenericType::Primitive(_) | GenericType::Wildcard(Wildcard::Any) => {}
                GenericType::Variable(name) => {
                    if !found.contains(name) {
                        found.push(name.clone());
                    }
                }
                GenericType::Array(inner) | GenericType::Wildcard(Wildcard::Extends(inner) | Wildcard::Super(inner)) => {
                    walk(inner, found);
                }
                GenericType::Class { arguments, outer, .. } => {
                    if let Some(outer) = outer {
                        walk(outer, found);
                    }
                    arguments.iter().for_each(|argument| walk(argument, found));
                }
            }
        }
        let mut found = Vec::new();
        walk(self, &mut found);
        found
    }

    /// The type arguments of a class type; empty for any other type.
    pub(crate) fn arguments(&self) -> &[GenericType] {
        match self {
            GenericType::Class { arguments, .. } => arguments,
            _ => &[],
        }
    }

    /// The class of a class type.
    pub(crate) fn class_name(&self) -> Option<&ClassName> {
        match self {
            GenericType::Class { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Parses a field's `Signature`, or a descriptor; `None` when it is malformed.
    pub fn parse(signature: &str) -> Option<GenericType> {
        let mut parser = SignatureParser::new(signature);
        let parsed = parser.any_type()?;
        parser.text.is_empty().then_some(parsed)
    }
}

impl Wildcard {
    /// The type that values for this wildcard should have: its upper bound, the lower bound for
    /// `super`, else `Object`.
    pub(crate) fn upper(&self) -> GenericType {
        match self {
            Wildcard::Any => GenericType::object(),
            Wildcard::Extends(bound) | Wildcard::Super(bound) => (**bound).clone(),
        }
    }
}

impl ClassSignature {
    /// Parses the `Signature` of a class; `None` when it is malformed.
    pub fn parse(signature: &str) -> Option<ClassSignature> {
        let mut parser = SignatureParser::new(signature);
        let parameters = parser.parameters()?;
        let superclass = Some(parser.class_type()?);
        let mut interfaces = Vec::new();
        while !parser.text.is_empty() {
            interfaces.push(parser.class_type()?);
        }
        Some(ClassSignature { parameters, superclass, interfaces })
    }

    /// The signature of a class without a `Signature` attribute.
    pub(crate) fn erased(superclass: Option<&ClassName>, interfaces: &[ClassName]) -> ClassSignature {
        ClassSignature {
            parameters: Vec::new(),
            superclass: superclass.cloned().map(GenericType::class),
            interfaces: interfaces.iter().cloned().map(GenericType::class).collect(),
        }
    }
}

impl MethodSignature {
    /// Parses the `Signature` of a method; `None` when it is malformed.
    pub fn parse(signature: &str) -> Option<MethodSignature> {
        let mut parser = SignatureParser::new(signature);
        let parameters = parser.parameters()?;
        parser.expect('(')?;
        let mut arguments = Vec::new();
        while !parser.text.starts_with(')') {
            arguments.push(parser.any_type()?);
        }
        parser.expect(')')?;
        let returns = parser.any_type()?;
        let mut throws = Vec::new();
        while !parser.text.is_empty() {
            parser.expect('^')?;
            throws.push(parser.any_type()?);
        }
        Some(MethodSignature { parameters, arguments, returns, throws })
    }

    /// The signature of a method without a `Signature` attribute.
    pub(crate) fn erased(parameters: &[JavaType], returns: &JavaType, throws: &[ClassName]) -> MethodSignature {
        MethodSignature {
            parameters: Vec::new(),
            arguments: parameters.iter().map(GenericType::of).collect(),
            returns: GenericType::of(returns),
            throws: throws.iter().cloned().map(GenericType::class).collect(),
        }
    }
}

/// Depth of types within types. A signature has up to 65,535 bytes, so without a limit its type
/// arguments could exhaust the stack. Arrays have at most 255 dimensions (JVMS §4.4.1).
const DEEPEST: usize = 300;
/// Inner classes that one signature names behind their outer classes. Each is a level of its own.
const MOST_INNER_CLASSES: usize = 500;

/// A recursive descent parser of JVMS §4.7.9.1. Every step takes a prefix of the text or fails.
struct SignatureParser<'a> {
    text: &'a str,
    /// Number of types around the next one.
    depth: usize,
    /// Number of inner classes so far.
    inner_classes: usize,
}

impl<'a> SignatureParser<'a> {
    fn new(text: &'a str) -> SignatureParser<'a> {
        SignatureParser { text, depth: 0, inner_classes: 0 }
    }

    fn expect(&mut self, wanted: char) -> Option<()> {
        self.text = self.text.strip_prefix(wanted)?;
        Some(())
    }

    fn take_until(&mut self, stops: &[char]) -> Option<&'a str> {
        let end = self.text.find(stops)?;
        let (taken, rest) = self.text.split_at(end);
        self.text = rest;
        Some(taken)
    }

    fn parameters(&mut self) -> Option<Vec<TypeParameter>> {
        let mut parameters = Vec::new();
        if !self.text.starts_with('<') {
            return Some(parameters);
        }
        self.expect('<')?;
        while !self.text.starts_with('>') {
            let name = self.take_until(&[':'])?;
            let mut bounds = Vec::new();
            while self.text.starts_with(':') {
                self.expect(':')?;
                // The class bound may be missing: `<T::Ljava/lang/Comparable;>`.
                if !self.text.starts_with([':', '>']) && self.starts_reference() {
                    bounds.push(self.any_type()?);
                }
            }
            parameters.push(TypeParameter { name: name.into(), bounds });
        }
        self.expect('>')?;
        Some(parameters)
    }

    fn starts_reference(&self) -> bool {
        self.text.starts_with(['L', 'T', '['])
    }

    /// A type one level deeper.
    fn any_type(&mut self) -> Option<GenericType> {
        self.depth += 1;
        let parsed = if self.depth <= DEEPEST { self.any_type_at_depth() } else { None };
        self.depth -= 1;
        parsed
    }

    fn any_type_at_depth(&mut self) -> Option<GenericType> {
        let first = self.text.chars().next()?;
        match first {
            'L' => self.class_type(),
            'T' => {
                self.expect('T')?;
                let name = self.take_until(&[';'])?;
                self.expect(';')?;
                Some(GenericType::Variable(name.into()))
            }
            '[' => {
                self.expect('[')?;
                Some(GenericType::Array(Box::new(self.any_type()?)))
            }
            _ => {
                let primitive = JavaType::parse(self.text.get(..1)?)?;
                self.text = &self.text[1..];
                Some(GenericType::Primitive(primitive))
            }
        }
    }

    fn class_type(&mut self) -> Option<GenericType> {
        self.expect('L')?;
        let mut name = self.take_until(&['<', ';', '.'])?.to_string();
        let mut arguments = self.type_arguments()?;
        let mut outer = None;
        while self.text.starts_with('.') {
            self.expect('.')?;
            self.inner_classes += 1;
            if self.inner_classes > MOST_INNER_CLASSES {
                return None;
            }
            let enclosing = GenericType::Class { name: ClassName::new(&name), arguments, outer };
            let parameterized = matches!(&enclosing, GenericType::Class { arguments, outer, .. }
                if !arguments.is_empty() || outer.is_some());
            outer = parameterized.then(|| Box::new(enclosing));
            name.push('$');
            name.push_str(self.take_until(&['<', ';', '.'])?);
            arguments = self.type_arguments()?;
        }
        self.expect(';')?;
        Some(GenericType::Class { name: ClassName::new(&name), arguments, outer })
    }

    fn type_arguments(&mut self) -> Option<Vec<GenericType>> {
        let mut arguments = Vec::new();
        if !self.text.starts_with('<') {
            return Some(arguments);
        }
        self.expect('<')?;
        while !self.text.starts_with('>') {
            let argument = match self.text.chars().next()? {
                '*' => {
                    self.expect('*')?;
                    GenericType::Wildcard(Wildcard::Any)
                }
                '+' => {
                    self.expect('+')?;
                    GenericType::Wildcard(Wildcard::Extends(Box::new(self.any_type()?)))
                }
                '-' => {
                    self.expect('-')?;
                    GenericType::Wildcard(Wildcard::Super(Box::new(self.any_type()?)))
                }
                _ => self.any_type()?,
            };
            arguments.push(argument);
        }
        self.expect('>')?;
        Some(arguments)
    }
}

/// As in source, with binary class names: `java.util.Map<K, ? extends V>`.
impl fmt::Display for GenericType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenericType::Primitive(primitive) => f.write_str(primitive.keyword().unwrap_or("?")),
            GenericType::Variable(name) => f.write_str(name),
            GenericType::Array(element) => write!(f, "{element}[]"),
            GenericType::Wildcard(Wildcard::Any) => f.write_str("?"),
            GenericType::Wildcard(Wildcard::Extends(bound)) => write!(f, "? extends {bound}"),
            GenericType::Wildcard(Wildcard::Super(bound)) => write!(f, "? super {bound}"),
            GenericType::Class { name, arguments, outer } => {
                match outer {
                    Some(outer) => {
                        let outer_name = outer.class_name().map_or("", ClassName::internal);
                        let simple = name.internal().strip_prefix(outer_name).unwrap_or(name.internal());
                        write!(f, "{outer}.{}", simple.trim_start_matches('$'))?;
                    }
                    None => f.write_str(&name.binary())?,
                }
                for (index, argument) in arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if index == 0 { "<" } else { ", " })?;
                }
                f.write_str(if arguments.is_empty() { "" } else { ">" })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(signature: &str) -> String {
        GenericType::parse(signature).map_or("malformed".into(), |parsed| parsed.to_string())
    }

    #[test]
    fn field_signatures_print_as_in_source() {
        for (signature, source) in [
            ("I", "int"),
            ("TT;", "T"),
            ("[[TE;", "E[][]"),
            ("Ljava/util/List<Ljava/lang/String;>;", "java.util.List<java.lang.String>"),
            ("Ljava/util/Map<+TK;-[I>;", "java.util.Map<? extends K, ? super int[]>"),
            ("Ljava/util/List<*>;", "java.util.List<?>"),
            ("Lp/Outer<TT;>.Inner<TV;>.Leaf;", "p.Outer<T>.Inner<V>.Leaf"),
            ("Lp/Outer.Inner<TV;>;", "p.Outer$Inner<V>"),
            ("Ljava/util/List<", "malformed"),
            ("Ljava/util/List<TT>;", "malformed"),
            ("L;é", "malformed"),
            ("é", "malformed"),
            ("II", "malformed"),
            ("", "malformed"),
        ] {
            assert_eq!(shown(signature), source, "{signature}");
        }
    }

    #[test]
    fn deep_signatures_are_malformed() {
        for (begin, end) in [("[", ""), ("LA<", ">;"), ("LA<+", ">;"), ("LA;", "")] {
            let of_depth = |depth: usize| format!("{}I{}", begin.repeat(depth), end.repeat(depth));
            assert_eq!(GenericType::parse(&of_depth(100)).is_some(), begin != "LA;", "{begin}");
            assert_eq!(GenericType::parse(&of_depth(20_000)), None, "{begin}");
        }
        for inner in [".B", ".B<TV;>"] {
            let of_depth = |depth: usize| format!("LA<TT;>{};", inner.repeat(depth));
            assert!(GenericType::parse(&of_depth(100)).is_some(), "{inner}");
            assert_eq!(GenericType::parse(&of_depth(20_000)), None, "{inner}");
        }
    }

    #[test]
    fn a_class_signature_has_parameters_with_bounds() {
        let parsed = ClassSignature::parse(
            "<T::Ljava/lang/Comparable<-TT;>;U:Ljava/lang/Number;:Ljava/io/Serializable;>Ljava/lang/Object;Ljava/util/List<TT;>;",
        )
        .expect("well-formed");
        assert_eq!(parsed.parameters.len(), 2);
        assert_eq!(parsed.parameters[0].bounds[0].to_string(), "java.lang.Comparable<? super T>");
        assert_eq!(parsed.parameters[1].bounds.len(), 2);
        assert_eq!(parsed.interfaces[0].to_string(), "java.util.List<T>");
        assert_eq!(GenericType::Variable("T".into()).erase(&parsed.parameters), JavaType::class("java/lang/Comparable"));
        assert_eq!(
            GenericType::Variable("T".into()).resolve(&parsed.parameters).to_string(),
            "java.lang.Comparable<java.lang.Comparable<java.lang.Comparable>>"
        );
    }

    #[test]
    fn a_method_signature_has_throws() {
        let parsed = MethodSignature::parse("<E:Ljava/lang/Exception;>(ITE;)Ljava/util/Set<TE;>;^TE;").expect("well-formed");
        assert_eq!(parsed.arguments.len(), 2);
        assert_eq!(parsed.throws, [GenericType::Variable("E".into())]);
        assert_eq!(MethodSignature::parse("(I"), None);
    }

    #[test]
    fn a_cycle_of_variables_erases_to_object() {
        let scope = ClassSignature::parse("<A:TB;B:TA;>Ljava/lang/Object;").expect("well-formed").parameters;
        assert_eq!(GenericType::Variable("A".into()).erase(&scope), JavaType::class("java/lang/Object"));
    }

    #[test]
    fn matching_binds_variables_to_the_wanted_types() {
        let declared = GenericType::parse("Ljava/util/Map<TK;Ljava/util/List<TV;>;>;").expect("well-formed");
        let wanted = GenericType::parse("Ljava/util/Map<+Ljava/lang/Number;Ljava/util/List<[I>;>;").expect("well-formed");
        let mut substitution = Substitution::default();
        substitution.match_against(&declared, &wanted);
        assert_eq!(substitution.get("K").expect("bound").to_string(), "java.lang.Number");
        assert_eq!(substitution.get("V").expect("bound").to_string(), "int[]");
        assert_eq!(declared.substitute(&substitution).to_string(), "java.util.Map<java.lang.Number, java.util.List<int[]>>");
    }
}
