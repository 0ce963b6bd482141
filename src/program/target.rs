//! Resolution of the class that the user names.
//!
//! In: a name as typed. Out: the class and the classes tested together with it, or one sentence why
//! there can be no tests.

use std::sync::Arc;

use super::missing::{MissingSupertype, missing_supertype};
use super::release::MAJOR_VERSION_OF_JAVA_0;
use super::{ClassModel, ClassName, ClassOrigin, LoadError, Nesting, Program};

/// Why a class cannot be tested. Each message is one sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// No class has the name.
    #[error("class {name} is not on the class path{}", suggestion(.near))]
    Unknown {
        /// The class.
        name: String,
        /// Similar names.
        near: Vec<String>,
    },
    /// The class file is newer than the JDK.
    #[error("class {} needs Java {needs}, but the JDK in use is {jdk}; name a newer one by --jdk", .name.binary())]
    TooNew {
        /// The class.
        name: ClassName,
        /// Feature version that the class file needs.
        needs: u16,
        /// Feature version of the JDK.
        jdk: u16,
    },
    /// The class file cannot be read.
    #[error("class file of {} cannot be read ({problem}); build it again", .name.binary())]
    Malformed {
        /// The class.
        name: ClassName,
        /// The reason, one clause.
        problem: String,
    },
    /// The JVM cannot load the class without a superclass or superinterface (JVMS §5.3.5).
    #[error("class {} cannot be loaded: {missing}; complete --classpath", .name.binary())]
    LacksSupertype {
        /// The class.
        name: ClassName,
        /// The supertype that the class path lacks.
        missing: MissingSupertype,
    },
    /// The class declares no method of that name, or none with that descriptor.
    #[error("{} declares no method {method}; {}", .name.binary(), known_methods(.near))]
    UnknownMethod {
        /// The class.
        name: ClassName,
        /// As the user typed it.
        method: String,
        /// Similar names, or the descriptors of the name.
        near: Vec<String>,
    },
    /// Annotations have no code.
    #[error("{} is an annotation and has no code to test; name a class that uses it", .0.binary())]
    Annotation(ClassName),
    /// The class belongs to the JDK.
    #[error("{} belongs to the JDK; name a class of the class path", .0.binary())]
    OfTheJdk(ClassName),
    /// Source code cannot name the class.
    #[error("{} {why}, so no test can name it; name {} instead, its tests reach this class", .name.binary(), .instead.binary())]
    Unnameable {
        /// The class.
        name: ClassName,
        /// The reason, one clause.
        why: &'static str,
        /// The class to name instead.
        instead: ClassName,
    },
    /// No member of the class is accessible to a test.
    #[error("nothing of {} can be called from a test: {why}", .name.binary())]
    NothingToCall {
        /// The class.
        name: ClassName,
        /// The reason, one clause.
        why: String,
    },
}

fn suggestion(near: &[String]) -> String {
    match near {
        [] => "; check the name and --classpath".to_string(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

fn known_methods(near: &[String]) -> String {
    match near {
        [] => "check --method".to_string(),
        names => format!("did you mean {}?", names.join(" or ")),
    }
}

/// The name that `--method` means, and its descriptor where one was typed. The simple name of the
/// class means its constructors.
///
/// # Errors
/// [`TargetError::UnknownMethod`] where the class declares no such method.
pub(crate) fn find_method(class: &ClassModel, typed: &str) -> Result<(String, Option<String>), TargetError> {
    let (name, descriptor) = typed.find('(').map_or((typed, None), |at| (&typed[..at], Some(&typed[at..])));
    let binary = class.name.binary();
    let is_constructor = Some(name) == binary.rsplit(['.', '$']).next();
    let in_source = class.methods.iter().filter(|method| !method.access.is_synthetic() && method.name() != "<clinit>");
    let declared = || in_source.clone();
    let name = if is_constructor && !declared().any(|method| method.name() == name) { "<init>" } else { name };
    let mut of_name = declared().filter(|method| method.name() == name).map(|method| &*method.reference.descriptor).peekable();
    let is_known = of_name.peek().is_some();
    let near = match descriptor {
        None if is_known => return Ok((name.to_owned(), None)),
        Some(descriptor) if of_name.clone().any(|known| known == descriptor) => {
            return Ok((name.to_owned(), Some(descriptor.to_owned())));
        }
        _ if is_known => of_name.map(|descriptor| format!("{name}{descriptor}")).collect(),
        _ => {
            let mut names: Vec<String> = declared().map(|method| method.name().to_owned()).collect();
            names.sort();
            names.dedup();
            nearest_names(name, names.into_iter())
        }
    };
    Err(TargetError::UnknownMethod { name: class.name.clone(), method: typed.to_owned(), near })
}

/// Finds a class by the name that a user types: `a.b.Outer.Inner`, `a.b.Outer$Inner` or
/// `a/b/Outer$Inner`.
///
/// # Errors
/// Every [`TargetError`] except [`TargetError::NothingToCall`] and [`TargetError::UnknownMethod`].
pub fn find_target(program: &Program, typed: &str) -> Result<Arc<ClassModel>, TargetError> {
    let mut name = typed.trim().trim_end_matches(".class").replace('.', "/");
    loop {
        let class = ClassName::new(&name);
        match program.load(&class) {
            Ok(model) => return usable(program, model),
            Err(LoadError::Malformed { name, problem }) => {
                // A class file of a newer Java may have constants that this reader does not know.
                return Err(match too_new(program, &class) {
                    Some(error) => error,
                    None => TargetError::Malformed { name, problem },
                });
            }
            Err(LoadError::Missing(_)) => {}
        }
        // Source code writes a member class with a dot.
        match name.rfind('/') {
            Some(slash) => name.replace_range(slash..=slash, "$"),
            None => break,
        }
    }
    Err(TargetError::Unknown { name: typed.to_string(), near: near_names(program, typed) })
}

fn too_new(program: &Program, name: &ClassName) -> Option<TargetError> {
    let (bytes, _) = program.source().bytes(name)?;
    let major = u16::from_be_bytes([*bytes.get(6)?, *bytes.get(7)?]);
    newer(program, name, major)
}

/// Whether the class file needs a newer JDK.
fn newer(program: &Program, name: &ClassName, major: u16) -> Option<TargetError> {
    let needs = major.checked_sub(MAJOR_VERSION_OF_JAVA_0)?;
    (needs > program.release()).then(|| TargetError::TooNew { name: name.clone(), needs, jdk: program.release() })
}

fn usable(program: &Program, class: Arc<ClassModel>) -> Result<Arc<ClassModel>, TargetError> {
    let name = class.name.clone();
    if class.origin == ClassOrigin::Jdk {
        return Err(TargetError::OfTheJdk(name));
    }
    if let Some(error) = newer(program, &name, class.file.major_version()) {
        return Err(error);
    }
    if class.is_annotation() {
        return Err(TargetError::Annotation(name));
    }
    let instead = outermost(program, &class);
    let why = match &class.nesting {
        Nesting::Anonymous { .. } => "is anonymous",
        Nesting::Local { .. } => "is a local class",
        Nesting::Member { .. } if class.access.is_private() => "is private",
        _ if class.access.is_synthetic() => "is made by the compiler",
        _ => {
            return match missing_supertype(program, &name) {
                Some(missing) => Err(TargetError::LacksSupertype { name, missing }),
                None => Ok(class),
            };
        }
    };
    Err(TargetError::Unnameable { name, why, instead })
}

fn outermost(program: &Program, class: &ClassModel) -> ClassName {
    let mut name = class.name.clone();
    // The bound ends a cycle of malformed class files.
    for _ in 0..64 {
        let enclosing = program.class(&name).and_then(|class| class.enclosing().cloned());
        match enclosing {
            Some(enclosing) if enclosing != name => name = enclosing,
            _ => break,
        }
    }
    name
}

/// The classes whose code holds the goals of a target: the class itself, then its member, local and
/// anonymous classes at any depth, in class file order. Synthetic classes are left out, since no
/// source code corresponds to them.
pub fn targets(program: &Program, class: &ClassName) -> Vec<ClassName> {
    let mut found = vec![class.clone()];
    let mut next = 0;
    while let Some(outer) = found.get(next).cloned() {
        next += 1;
        let Some(model) = program.class(&outer) else { continue };
        for entry in model.file.inner_classes().unwrap_or_default() {
            let inner = ClassName::new(entry.inner);
            if found.contains(&inner) || !entry.inner.starts_with(outer.internal()) {
                continue;
            }
            let Some(inner_model) = program.class(&inner) else { continue };
            if inner_model.enclosing() == Some(&outer) && !inner_model.access.is_synthetic() {
                found.push(inner);
            }
        }
    }
    found
}

/// Project classes that the user may have meant; see [`nearest_names`].
fn near_names(program: &Program, typed: &str) -> Vec<String> {
    nearest_names(typed, program.source().project_classes().iter().map(ClassName::binary))
}

/// At most three of the names that the user may have meant, most similar first. The parts behind
/// the last dot must be equal or differ in few characters, ignoring case.
pub fn nearest_names(typed: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let typed = typed.replace(['/', '$'], ".");
    let simple = typed.rsplit('.').next().unwrap_or(&typed).to_lowercase();
    let limit = (simple.len() / 3).clamp(2, 4);
    let mut ranked: Vec<(usize, usize, String)> = Vec::new();
    for binary in names {
        let source = binary.replace('$', ".");
        let candidate = source.rsplit('.').next().unwrap_or(&source).to_lowercase();
        if candidate.chars().all(|c| c.is_ascii_digit()) || candidate.len().abs_diff(simple.len()) > limit {
            continue;
        }
        let distance = edit_distance(&simple, &candidate);
        if distance <= limit {
            ranked.push((distance, edit_distance(&typed, &source), binary));
        }
    }
    ranked.sort();
    ranked.truncate(3);
    ranked.into_iter().map(|(_, _, name)| name).collect()
}

/// Levenshtein distance in characters; 0 for equal texts.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let substituted = diagonal + usize::from(l != *r);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names_are_similar_behind_the_last_dot() {
        let names = ["p.Fraction", "q.Fracton", "p.Other", "p.Fraction$1", "p.Outer$Fraction"];
        let found = nearest_names("x/Fraction", names.iter().map(|name| name.to_string()));
        assert_eq!(found, ["p.Fraction", "p.Outer$Fraction", "q.Fracton"]);
        assert!(nearest_names("Unrelated", names.iter().map(|name| name.to_string())).is_empty());
    }

    #[test]
    fn the_edit_distance_counts_changed_characters() {
        for (left, right, distance) in [("", "abc", 3), ("abc", "abc", 0), ("fraction", "fracton", 1), ("kitten", "sitting", 3)] {
            assert_eq!(edit_distance(left, right), distance, "{left} {right}");
        }
    }
}
