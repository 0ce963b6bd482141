//! Generated methods: members that a tool marks as generated, and those that javac and the
//! Kotlin compiler add. The rules are the documented filters of JaCoCo 0.8.13, so that coverage
//! means the same in both.
//!
//! In: a method with its class. Out: whether it is generated. Must not know who asks.

use crate::class::{ClassFile, Method};
use crate::code::Code;
use crate::instruction::Op;

/// A class with this annotation was compiled by Kotlin.
const KOTLIN: &str = "Lkotlin/Metadata;";

/// Whether the method is generated. `code`: its body, if it has one.
///
/// Bodies of lambdas are synthetic, but the user wrote them.
pub fn is_generated(class: &ClassFile, method: Method<'_>, code: Option<&Code>) -> bool {
    let is_lambda = method.name().contains("lambda$");
    is_marked(&class.annotation_types())
        || is_marked(&method.annotation_types())
        || (method.access().is_synthetic() || method.access().is_bridge()) && !is_lambda
        || is_enum_member(class, method)
        || code.is_some_and(|code| is_record_member(class, method, code) || is_made_by_kotlin(class, code))
}

/// Whether the simple name of an annotation contains `Generated`. The retention is `CLASS` or
/// `RUNTIME`, since the others are not in the class file.
fn is_marked(annotations: &[String]) -> bool {
    let simple_name = |descriptor: &str| descriptor.trim_end_matches(';').rsplit(['/', '$']).next().map(str::to_owned);
    annotations.iter().filter_map(|annotation| simple_name(annotation)).any(|name| name.contains("Generated"))
}

/// `values()` and `valueOf(String)` of an enum.
fn is_enum_member(class: &ClassFile, method: Method<'_>) -> bool {
    let own = class.this_class();
    class.super_class() == Some("java/lang/Enum")
        && match method.name() {
            "values" => method.descriptor() == format!("()[L{own};"),
            "valueOf" => method.descriptor() == format!("(Ljava/lang/String;)L{own};"),
            _ => false,
        }
}

/// `equals`, `hashCode` and `toString` of a record that only call its bootstrap method, and accessors
/// that only read their field.
fn is_record_member(class: &ClassFile, method: Method<'_>, code: &Code) -> bool {
    if class.super_class() != Some("java/lang/Record") {
        return false;
    }
    let is_object_method = matches!(
        (method.name(), method.descriptor()),
        ("toString", "()Ljava/lang/String;") | ("hashCode", "()I") | ("equals", "(Ljava/lang/Object;)Z")
    );
    let calls_bootstrap = || {
        let most = code.instructions.len() <= 4;
        most && code.instructions.iter().any(|instruction| matches!(instruction.op, Op::InvokeDynamic(_)))
    };
    let reads_its_field = || match &code.instructions[..] {
        [_, read, _] => match &read.op {
            Op::GetField(field) => class.constant_pool().member(*field).is_ok_and(|field| field.name == method.name()),
            _ => false,
        },
        _ => false,
    };
    is_object_method && calls_bootstrap() || method.descriptor().starts_with("()") && reads_its_field()
}

/// `copy`, `componentN`, bridges to `$DefaultImpls` and the like: the Kotlin compiler gives them no
/// line.
fn is_made_by_kotlin(class: &ClassFile, code: &Code) -> bool {
    code.line_numbers.is_empty() && class.attribute("SourceFile").is_some() && is_kotlin(class)
}

/// Whether the class was compiled by Kotlin.
pub fn is_kotlin(class: &ClassFile) -> bool {
    class.annotation_types().iter().any(|annotation| annotation == KOTLIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simple_name_of_an_annotation_decides() {
        let marked = |descriptor: &str| is_marked(&[descriptor.to_owned()]);
        assert!(marked("Llombok/Generated;") && marked("Lp/Outer$JacocoGenerated;") && marked("Lp/GeneratedBy;"));
        assert!(!marked("Lgenerated/Value;") && !marked("Lp/Generator;") && !marked("Lp/Generated$Inner;"));
    }
}
