//! Members that tests look up by reflection, for code that takes a `Field`, a `Method` or a `Type`.
//!
//! In: the classes under test. Out: some of their members, and some of the JDK's. Must not know how a test looks
//! them up in a sequence.

use std::sync::Arc;

use super::access::Access;
use crate::program::{ClassName, JavaType, MethodRef, Program};

/// Members of one class and kind, at most.
const MOST_OF_A_CLASS: usize = 8;
/// Members of the JDK, with parameters as descriptors; a constructor has no name. Their types have type arguments,
/// type variables, arrays and primitive types in them.
const OF_JDK: [(&str, MemberKind, &str, &[&str]); 8] = [
    ("java/lang/String", MemberKind::Field, "CASE_INSENSITIVE_ORDER", &[]),
    ("java/lang/Integer", MemberKind::Field, "MAX_VALUE", &[]),
    ("java/util/List", MemberKind::Method, "add", &["Ljava/lang/Object;"]),
    ("java/util/Map", MemberKind::Method, "entrySet", &[]),
    ("java/lang/String", MemberKind::Method, "length", &[]),
    ("java/lang/Comparable", MemberKind::Method, "compareTo", &["Ljava/lang/Object;"]),
    ("java/util/ArrayList", MemberKind::Constructor, "", &["I"]),
    ("java/lang/String", MemberKind::Constructor, "", &["[C"]),
];

/// The kinds of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberKind {
    Field,
    Method,
    Constructor,
}

impl MemberKind {
    /// What the method finds, by the name of a member or its parameter types; `None` for other methods.
    pub(crate) fn of_lookup(method: &MethodRef) -> Option<MemberKind> {
        if method.owner.internal() != "java/lang/Class" {
            return None;
        }
        match &*method.name {
            "getDeclaredField" => Some(MemberKind::Field),
            "getDeclaredMethod" => Some(MemberKind::Method),
            "getDeclaredConstructor" => Some(MemberKind::Constructor),
            _ => None,
        }
    }
}

/// A member that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownMember {
    /// The class that declares it.
    pub(crate) class: ClassName,
    pub(crate) kind: MemberKind,
    /// Empty for a constructor.
    pub(crate) name: Arc<str>,
    /// The types of the parameters.
    pub(crate) parameters: Vec<JavaType>,
}

/// Whether values of the type come from members.
pub(super) fn is_reflective(ty: &JavaType) -> bool {
    matches!(ty, JavaType::Class(class) if matches!(class.internal(),
        "java/lang/reflect/Field" | "java/lang/reflect/Method" | "java/lang/reflect/Constructor"))
}

/// Members of the classes whose class and types a test can name, then those of the JDK.
pub(super) fn known_members(program: &Program, access: Access<'_>, classes: &[ClassName]) -> Vec<KnownMember> {
    let mut members = Vec::new();
    let nameable = classes.iter().filter_map(|name| program.class(name)).filter(|class| access.class(class));
    for class in nameable {
        let member = |kind, name: &Arc<str>, parameters: &[JavaType]| KnownMember {
            class: class.name.clone(),
            kind,
            name: Arc::clone(name),
            parameters: parameters.to_vec(),
        };
        let fields = class.fields.iter().filter(|field| !field.access.is_synthetic());
        members.extend(fields.take(MOST_OF_A_CLASS).map(|field| member(MemberKind::Field, &field.reference.name, &[])));
        let callable = |constructor: bool| {
            let declared = class.methods.iter().filter(move |method| method.is_constructor() == constructor);
            let named = declared.filter(|method| !method.access.is_synthetic() && &*method.reference.name != "<clinit>");
            named.filter(|method| method.parameters.iter().all(|ty| access.ty(ty))).take(MOST_OF_A_CLASS)
        };
        members.extend(callable(false).map(|method| member(MemberKind::Method, &method.reference.name, &method.parameters)));
        members.extend(callable(true).map(|method| member(MemberKind::Constructor, &Arc::from(""), &method.parameters)));
    }
    members.extend(OF_JDK.iter().map(|(class, kind, name, parameters)| KnownMember {
        class: ClassName::new(class),
        kind: *kind,
        name: Arc::from(*name),
        parameters: parameters.iter().filter_map(|descriptor| JavaType::parse(descriptor)).collect(),
    }));
    members
}
