//! `FENUM` of PIT 1.22.1: members of an enum that the compiler writes, namely the constructor,
//! `values()` and `valueOf(String)`. A constructor that the user wrote is left out as well, as in
//! PIT.

use crate::class::{ClassFile, Method};

/// Whether the filter leaves out the method.
pub(super) fn is_generated(class: &ClassFile, method: Method<'_>) -> bool {
    class.super_class() == Some("java/lang/Enum") && is_enum_member(class.this_class(), method.name(), method.descriptor())
}

fn is_enum_member(class: &str, name: &str, descriptor: &str) -> bool {
    match name {
        "<init>" => true,
        "valueOf" => descriptor == format!("(Ljava/lang/String;)L{class};"),
        "values" => descriptor == format!("()[L{class};"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overloads_of_the_user_are_mutated() {
        assert!(is_enum_member("p/E", "<init>", "(Ljava/lang/String;I)V"));
        assert!(is_enum_member("p/E", "valueOf", "(Ljava/lang/String;)Lp/E;"));
        assert!(is_enum_member("p/E", "values", "()[Lp/E;"));
        assert!(!is_enum_member("p/E", "valueOf", "(I)Lp/E;"));
        assert!(!is_enum_member("p/E", "values", "(Z)[Lp/E;"));
        assert!(!is_enum_member("p/E", "next", "()Lp/E;"));
    }
}
