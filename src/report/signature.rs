//! Methods as Java declares them. Flows in: the name and descriptor of a method (JVMS §4.3.3). Flows
//! out: texts with simple names of types, such as those by which coverage names a method. Must not know the
//! program.

use tracewright_classfile::{MethodDescriptor, Type};

/// A method of a class with this binary name, such as `int classify(int, String[])`. A descriptor
/// that is none stands behind the name as it is.
pub(super) fn java_declaration(class: &str, name: &str, descriptor: &str) -> String {
    let Ok(parsed) = MethodDescriptor::parse(descriptor) else { return format!("{name}{descriptor}") };
    let parameters = parameter_types(&parsed);
    match name {
        "<init>" => format!("new {}({parameters})", simple_name(class)),
        "<clinit>" => format!("static initializer of {}", simple_name(class)),
        _ => format!("{} {name}({parameters})", parsed.result.as_ref().map_or_else(|| "void".into(), type_in_source)),
    }
}

/// The same without the type of the result; a constructor has the simple name of its class.
pub(super) fn java_call(class: &str, name: &str, descriptor: &str) -> String {
    let name = if name == "<init>" { class.rsplit(['.', '$']).next().unwrap_or(class) } else { name };
    match MethodDescriptor::parse(descriptor) {
        Ok(parsed) => format!("{name}({})", parameter_types(&parsed)),
        Err(_) => format!("{name}{descriptor}"),
    }
}

fn parameter_types(descriptor: &MethodDescriptor) -> String {
    descriptor.parameters.iter().map(type_in_source).collect::<Vec<String>>().join(", ")
}

/// The simple name of the type, as in Java source.
fn type_in_source(ty: &Type) -> String {
    match ty {
        Type::Primitive(primitive) => primitive.keyword().to_owned(),
        Type::Object(name) => simple_name(name),
        Type::Array(component) => type_in_source(component) + "[]",
    }
}

/// The name of a class without its package, with nested classes as in Java source.
fn simple_name(class: &str) -> String {
    class.rsplit(['/', '.']).next().unwrap_or(class).replace('$', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_those_of_java_source() {
        let declaration = |name: &str, descriptor: &str| java_declaration("p.Outer$Inner", name, descriptor);
        assert_eq!(declaration("f", "(I[[Ljava/util/Map$Entry;Z)J"), "long f(int, Map.Entry[][], boolean)");
        assert_eq!(declaration("f", "()V"), "void f()");
        assert_eq!(declaration("<init>", "(BCDFS)V"), "new Outer.Inner(byte, char, double, float, short)");
        assert_eq!(declaration("<clinit>", "()V"), "static initializer of Outer.Inner");
    }

    #[test]
    fn a_text_that_is_no_descriptor_is_shown_as_it_is() {
        for descriptor in ["", "(", "(I", "()", "(Q)V", "(Ljava/lang/String)V", "()VV", "([)V", "(é)V"] {
            assert_eq!(java_declaration("p.A", "f", descriptor), format!("f{descriptor}"));
        }
    }
}
