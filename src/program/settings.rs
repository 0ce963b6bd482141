//! Environment variables and system properties that code reads, and whether it draws random numbers.
//!
//! In: classes. Out: the names that such code may ask for: the string constants of methods that read
//! a setting. A constant of another meaning does no harm, since nothing asks for a setting of that
//! name. Must not know what the settings are used for.

use std::collections::BTreeSet;

use tracewright_classfile::{Constant, MemberRef, Op};

use super::{ClassModel, ClassName, ClassOrigin, MethodModel, Program};

/// Names of settings that code may read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingNames {
    /// Environment variables.
    pub variables: BTreeSet<String>,
    /// System properties.
    pub properties: BTreeSet<String>,
    /// Whether code asks for the release of the JVM.
    pub reads_release: bool,
    /// Whether code makes a source of random numbers without a seed, or draws from one.
    pub draws_random: bool,
}

/// Methods that read a setting: class, name, and whether it is an environment variable.
const READERS: [(&str, &str, bool); 6] = [
    ("java/lang/System", "getenv", true),
    ("java/lang/System", "getProperty", false),
    ("java/lang/System", "getProperties", false),
    ("java/lang/Boolean", "getBoolean", false),
    ("java/lang/Integer", "getInteger", false),
    ("java/lang/Long", "getLong", false),
];
/// Prefixes of the system properties that tell release and vendor of the JVM.
const RELEASE_PROPERTIES: [&str; 6] =
    ["java.version", "java.vendor", "java.vm.", "java.specification.", "java.runtime.", "java.class.version"];
/// Methods that give random numbers, or make a source of them without a seed: class, name, descriptor;
/// an empty descriptor stands for any.
const RANDOM_SOURCES: [(&str, &str, &str); 9] = [
    ("java/util/Random", "<init>", "()V"),
    ("java/util/SplittableRandom", "<init>", "()V"),
    ("java/security/SecureRandom", "<init>", "()V"),
    ("java/util/concurrent/ThreadLocalRandom", "current", ""),
    ("java/util/random/RandomGenerator", "getDefault", ""),
    ("java/util/Collections", "shuffle", "(Ljava/util/List;)V"),
    ("java/util/UUID", "randomUUID", ""),
    ("java/lang/Math", "random", ""),
    ("java/lang/StrictMath", "random", ""),
];
/// Longest name of a setting, in bytes.
const LONGEST_NAME: usize = 100;

/// The settings that methods of these classes, and of project classes that they name, may read.
pub fn setting_names(program: &Program, classes: &[ClassName]) -> SettingNames {
    let mut all: BTreeSet<ClassName> = classes.iter().cloned().collect();
    for model in classes.iter().filter_map(|class| program.class(class)) {
        let pool = model.file.constant_pool();
        let named = pool.indices().filter_map(|index| pool.class_name(index).ok()).map(ClassName::new);
        all.extend(named.filter(|name| program.class(name).is_some_and(|class| class.origin == ClassOrigin::Project)));
    }
    let mut names = SettingNames::default();
    for model in all.iter().filter_map(|class| program.class(class)) {
        model.methods.iter().for_each(|method| add_names(&model, method, &mut names));
    }
    names
}

fn add_names(class: &ClassModel, method: &MethodModel, into: &mut SettingNames) {
    let Some(code) = class.code(method) else { return };
    let pool = class.file.constant_pool();
    let mut constants = BTreeSet::new();
    let (mut variables, mut properties) = (false, false);
    for instruction in &code.instructions {
        match &instruction.op {
            Op::Ldc(index) => {
                if let Ok(Constant::String(text)) = pool.get(*index) {
                    constants.extend(name_of_setting(&String::from_utf16_lossy(&text)));
                }
            }
            Op::InvokeSpecial(index) => {
                into.draws_random |= pool.member(*index).is_ok_and(|called| is_random_source(&called));
            }
            Op::InvokeStatic(index) => {
                let Ok(called) = pool.member(*index) else { continue };
                into.draws_random |= is_random_source(&called);
                for (owner, name, is_variable) in READERS {
                    if called.owner == owner && called.name == name {
                        *(if is_variable { &mut variables } else { &mut properties }) = true;
                    }
                }
                into.reads_release |= called.owner == "java/lang/Runtime" && called.name == "version";
            }
            _ => {}
        }
    }
    if variables {
        into.variables.extend(constants.iter().cloned());
    }
    if properties {
        let tells_release = |name: &String| RELEASE_PROPERTIES.iter().any(|prefix| name.starts_with(prefix));
        into.reads_release |= constants.iter().any(tells_release);
        into.properties.extend(constants);
    }
}

fn is_random_source(called: &MemberRef) -> bool {
    RANDOM_SOURCES.iter().any(|(owner, name, descriptor)| {
        called.owner == *owner && called.name == *name && (descriptor.is_empty() || called.descriptor == *descriptor)
    })
}

/// The text, if it can be the name of a setting.
fn name_of_setting(text: &str) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (!text.is_empty() && text.len() <= LONGEST_NAME && text.chars().all(fits)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_settings_have_no_other_signs() {
        for name in ["APP_MODE", "app.mode", "x-y"] {
            assert_eq!(name_of_setting(name).as_deref(), Some(name));
        }
        for text in ["", "a b", "A=B", "mode: ", "\u{e9}"] {
            assert_eq!(name_of_setting(text), None, "{text}");
        }
    }
}
