//! The helper method of a test file that makes stubs with `java.lang.reflect.Proxy`. In: what the
//! stubs of the file need; out: the text of the method, with marked type names.

use crate::program::ClassName;

use super::names::mark;

/// The name of the helper method.
pub(crate) const HELPER: &str = "stub";

/// What the helper method has to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Proxies {
    /// Default methods without an answer run.
    pub(crate) run_defaults: bool,
}

impl Proxies {
    /// One helper method that does what both have to do.
    pub(crate) fn merge(one: Option<Proxies>, other: Option<Proxies>) -> Option<Proxies> {
        match (one, other) {
            (Some(one), Some(other)) => Some(Proxies { run_defaults: one.run_defaults || other.run_defaults }),
            (one, other) => one.or(other),
        }
    }
}

/// The helper method, indented as a member of the test class. The stub behaves like the one of the
/// worker: identity for the methods of `Object`, and 0, false or null without an answer.
pub(crate) fn helper(proxies: Proxies) -> String {
    let name = |class: &str| mark(&ClassName::new(class));
    let (class, object) = (name("java/lang/Class"), name("java/lang/Object"));
    let (proxy, handler) = (name("java/lang/reflect/Proxy"), name("java/lang/reflect/InvocationHandler"));
    let array = name("java/lang/reflect/Array");
    let defaults = if proxies.run_defaults {
        format!(
            "            if (answer == null && method.isDefault()) {{\n                \
             return {handler}.invokeDefault(proxy, method, args);\n            }}\n"
        )
    } else {
        String::new()
    };
    format!(
        "    /** A stub whose methods return 0, false or null where they have no answer. */\n    \
             private static <T> T {HELPER}({class}<T> type, {handler} answers) {{\n        \
                 return type.cast({proxy}.newProxyInstance(type.getClassLoader(), new {class}<?>[] {{type}}, (proxy, method, args) -> {{\n            \
                     if (method.getDeclaringClass() == {object}.class) {{\n                \
                         return method.getName().equals(\"equals\") ? proxy == args[0] : method.invoke(answers, args);\n            \
                     }}\n            \
                     {object} answer = answers.invoke(proxy, method, args);\n\
         {defaults}            \
                     {class}<?> returned = method.getReturnType();\n            \
                     boolean isZero = answer == null && returned.isPrimitive() && returned != void.class;\n            \
                     return isZero ? {array}.get({array}.newInstance(returned, 1), 0) : answer;\n        \
                 }}));\n    \
             }}\n"
    )
}

/// Whether the line declares the helper method.
pub(crate) fn declares_helper(line: &str) -> bool {
    line.starts_with("    private static <T> T ") && line.contains(&format!(" {HELPER}("))
}

/// Whether the source of a test file has the helper method.
pub(crate) fn has_helper(source: &str) -> bool {
    source.lines().any(declares_helper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_methods_run_only_where_a_stub_has_some() {
        let (plain, running) = (Proxies::default(), Proxies { run_defaults: true });
        assert!(!helper(plain).contains("invokeDefault") && helper(running).contains("invokeDefault"));
        assert_eq!(Proxies::merge(Some(plain), Some(running)), Some(running));
        assert_eq!(Proxies::merge(None, None), None);
    }

    #[test]
    fn the_helper_is_a_member_of_the_class() {
        let text = helper(Proxies { run_defaults: true });
        assert!(text.lines().all(|line| line.starts_with("    ")), "{text}");
        assert!(text.lines().skip(2).all(|line| line == "    }" || line.starts_with("        ")), "{text}");
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert!(has_helper(&text) && !has_helper("        X x = stub(X.class, (proxy, method, args) -> null);"));
    }
}
