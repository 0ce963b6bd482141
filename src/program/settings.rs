//! Environment variables and system properties that code reads, and whether it draws random numbers.
//!
//! In: classes. Out: the names that such code may ask for: the string constants of methods that read
//! a setting, or call a method which reads the setting of a given name. A constant of another meaning
//! does no harm, since nothing asks for a setting of that name. Must not know what the settings are used for.

use std::collections::BTreeSet;
use std::sync::Arc;

use tracewright_classfile::{Constant, MemberRef, Op};

use super::{ClassModel, ClassName, ClassOrigin, JavaType, MethodModel, MethodRef, Program};

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
    let models: Vec<Arc<ClassModel>> = all.iter().filter_map(|class| program.class(class)).collect();
    let methods = models.iter().flat_map(|model| model.methods.iter().filter_map(|method| Reading::of(model, method)));
    let mut methods: Vec<Reading> = methods.collect();
    pass_on(&mut methods);
    let mut names = SettingNames::default();
    methods.iter().for_each(|method| method.add_to(&mut names));
    names
}

/// What the code of a method may read.
struct Reading {
    method: MethodRef,
    /// Texts of the code that can be names of settings.
    constants: BTreeSet<String>,
    called: BTreeSet<MethodRef>,
    variables: bool,
    properties: bool,
    asks_release: bool,
    draws_random: bool,
}

impl Reading {
    fn of(class: &ClassModel, method: &MethodModel) -> Option<Reading> {
        let code = class.code(method)?;
        let pool = class.file.constant_pool();
        let mut reading = Reading {
            method: method.reference.clone(),
            constants: BTreeSet::new(),
            called: BTreeSet::new(),
            variables: false,
            properties: false,
            asks_release: false,
            draws_random: false,
        };
        for instruction in &code.instructions {
            if let Op::Ldc(index) = &instruction.op
                && let Ok(Constant::String(text)) = pool.get(*index)
            {
                reading.constants.extend(name_of_setting(&String::from_utf16_lossy(&text)));
            }
            let Some(called) = class.called_by(&instruction.op) else { continue };
            match &instruction.op {
                Op::InvokeSpecial(_) => reading.draws_random |= is_random_source(&called),
                Op::InvokeStatic(_) => {
                    reading.draws_random |= is_random_source(&called);
                    reading.asks_release |= called.owner == "java/lang/Runtime" && called.name == "version";
                    for (owner, name, is_variable) in READERS {
                        if called.owner == owner && called.name == name {
                            *(if is_variable { &mut reading.variables } else { &mut reading.properties }) = true;
                        }
                    }
                }
                _ => {}
            }
            reading.called.insert(MethodRef::new(ClassName::new(called.owner), called.name, called.descriptor));
        }
        Some(reading)
    }

    /// Whether a caller may give it the name of the setting.
    fn takes_name(&self) -> bool {
        (self.variables || self.properties)
            && self.method.parameters().contains(&JavaType::Class(ClassName::new("java/lang/String")))
    }

    fn add_to(&self, names: &mut SettingNames) {
        names.reads_release |= self.asks_release;
        names.draws_random |= self.draws_random;
        if self.variables {
            names.variables.extend(self.constants.iter().cloned());
        }
        if self.properties {
            let tells_release = |name: &String| RELEASE_PROPERTIES.iter().any(|prefix| name.starts_with(prefix));
            names.reads_release |= self.constants.iter().any(tells_release);
            names.properties.extend(self.constants.iter().cloned());
        }
    }
}

/// A method that calls one which reads the setting of a given name reads settings as well.
fn pass_on(methods: &mut [Reading]) {
    let mut readers: Vec<usize> = (0..methods.len()).filter(|at| methods[*at].takes_name()).collect();
    while let Some(reader) = readers.pop() {
        let (name, variables, properties) =
            (methods[reader].method.clone(), methods[reader].variables, methods[reader].properties);
        for (at, caller) in methods.iter_mut().enumerate() {
            let knows = caller.variables >= variables && caller.properties >= properties;
            if !knows && caller.called.contains(&name) {
                caller.variables |= variables;
                caller.properties |= properties;
                if caller.takes_name() {
                    readers.push(at);
                }
            }
        }
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
