//! The classes of an application that have collaborators.
//!
//! In: the folder of its classes, as `javap` prints them. Out: binary names with those of their
//! collaborators. A collaborator is the type of an instance field that does work for the class and
//! is no value: an interface or class of a library, an interface of the application, or a class of
//! it that has collaborators itself.

use crate::setup::java_tool;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use walkdir::WalkDir;

/// Packages of the JDK whose types are values, not collaborators.
const VALUES: [&str; 7] = ["java.lang.", "java.util.", "java.math.", "java.time.", "java.text.", "java.io.", "java.net.URI"];
/// Languages whose own types are values.
const LANGUAGES: [&str; 3] = ["kotlin.", "scala.", "groovy.lang."];

/// A class as `javap` prints it.
#[derive(Debug, Default)]
struct Shape {
    is_interface: bool,
    /// Types of instance fields, without type arguments.
    fields: Vec<String>,
}

/// The collaborators of classes that have some.
pub(super) type Collaborators = BTreeMap<String, BTreeSet<String>>;

/// The classes with collaborators below a folder of class files.
///
/// # Errors
/// `javap` fails.
pub(super) fn classes(folder: &Path) -> Result<Collaborators> {
    let mut files: Vec<_> = WalkDir::new(folder)
        .into_iter()
        .filter_map(Result::ok)
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "class"))
        .filter(|path| !path.ends_with("module-info.class") && !path.ends_with("package-info.class"))
        .collect();
    files.sort();
    let mut shapes = BTreeMap::new();
    for some in files.chunks(500) {
        let output = Command::new(java_tool("javap")).arg("-p").args(some).output().context("javap cannot be started")?;
        if !output.status.success() {
            bail!("javap: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        read(&String::from_utf8_lossy(&output.stdout), &mut shapes);
    }
    Ok(with_collaborators(&shapes))
}

/// Adds the classes that `javap -p` printed.
fn read(text: &str, shapes: &mut BTreeMap<String, Shape>) {
    let mut current: Option<String> = None;
    for line in text.lines() {
        if let Some(head) = line.strip_suffix(" {").filter(|_| !line.starts_with(' ')) {
            let words: Vec<&str> = head.split(' ').collect();
            let kind = words.iter().position(|word| matches!(*word, "class" | "interface" | "@interface"));
            let Some((kind, name)) = kind.and_then(|kind| Some((words[kind], *words.get(kind + 1)?))) else { continue };
            let name = name.split('<').next().unwrap_or(name).to_owned();
            shapes.insert(name.clone(), Shape { is_interface: kind == "interface", fields: Vec::new() });
            current = Some(name);
        } else if let Some(field) = line.strip_prefix("  ").and_then(|line| line.strip_suffix(';')) {
            let is_field = !field.contains('(') && !field.split(' ').any(|word| word == "static");
            let shape = current.as_ref().and_then(|name| shapes.get_mut(name));
            if let Some(shape) = shape.filter(|_| is_field) {
                let end = field.rfind(' ').unwrap_or(0);
                let declared = field[..end].split('<').next().unwrap_or_default();
                shape.fields.push(declared.rsplit(' ').next().unwrap_or_default().to_owned());
            }
        }
    }
}

/// The classes with a field whose type is a collaborator.
fn with_collaborators(shapes: &BTreeMap<String, Shape>) -> Collaborators {
    let mut found = Collaborators::new();
    loop {
        let of = |shape: &Shape| shape.fields.iter().filter(|field| is_collaborator(field, shapes, &found)).cloned().collect();
        let all = shapes.iter().map(|(name, shape)| (name.clone(), of(shape)));
        let more: Collaborators = all.filter(|(_, types): &(String, BTreeSet<String>)| !types.is_empty()).collect();
        if more == found {
            return found;
        }
        found = more;
    }
}

/// Whether a field type is a collaborator. `found` are classes known to have collaborators.
fn is_collaborator(field: &str, shapes: &BTreeMap<String, Shape>, found: &Collaborators) -> bool {
    match shapes.get(field) {
        Some(shape) => shape.is_interface || found.contains_key(field),
        None => {
            field.contains('.')
                && !field.ends_with("[]")
                && !VALUES.iter().chain(&LANGUAGES).any(|package| field.starts_with(package))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_say_which_classes_have_collaborators() {
        let text = "Compiled from \"A.java\"
public class p.Service {
  private final p.Repository<p.Entity, java.lang.Long> repository;
  private static final org.slf4j.Logger log;
  public p.Service(p.Repository);
}
public interface p.Repository<T, I> extends org.data.Crud<T, I> {
  public abstract T find(I);
}
public class p.Controller extends p.Base {
  p.Service service;
}
public class p.Entity {
  private java.util.List<p.Line> lines;
  private p.Entity parent;
  private int[] counts;
  private static final p.Repository shared;
}
public final class p.Jdbc {
  private final javax.sql.DataSource source;
}
";
        let mut shapes = BTreeMap::new();
        read(text, &mut shapes);
        assert_eq!(shapes["p.Entity"].fields, ["java.util.List", "p.Entity", "int[]"]);
        let found = with_collaborators(&shapes);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["p.Controller", "p.Jdbc", "p.Service"]);
        assert_eq!(found["p.Service"], BTreeSet::from(["p.Repository".to_owned()]));
    }
}
