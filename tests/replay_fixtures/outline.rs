//! Outlines of JDK classes: names, supertypes and members without code. Fixtures replay against
//! outlines, so that no JDK is needed and no class file of a JDK is stored. A method that has code
//! in the JDK is native in the outline.
//!
//! ```text
//! class 31 java/lang/Integer java/lang/Number java/lang/Comparable
//! field 19 MAX_VALUE I
//! method 1 intValue ()I
//! ```
//! Access flags are hexadecimal; the superclass comes before the interfaces, `-` where there is
//! none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tracewright::program::{ClassName, ClassOrigin, ClassSource};
use tracewright::project::Project;
use tracewright_classfile::ClassFile;

const ACC_NATIVE: u16 = 0x100;
const ACC_ABSTRACT: u16 = 0x400;
/// Java 8: no attribute is needed.
const MAJOR_VERSION: u16 = 52;

/// A class without code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    access: u16,
    name: String,
    superclass: Option<String>,
    interfaces: Vec<String>,
    fields: Vec<Member>,
    methods: Vec<Member>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    access: u16,
    name: String,
    descriptor: String,
}

impl Outline {
    /// The outline of a class file, with those members whose names are in the set, constructors and
    /// initialisers.
    fn of(class: &ClassFile, names: &BTreeSet<String>) -> Outline {
        let is_needed = |name: &str| name.starts_with('<') || names.contains(name);
        let member = |access, name: &str, descriptor: &str| Member { access, name: name.into(), descriptor: descriptor.into() };
        let fields = class.fields().filter(|field| is_needed(field.name()));
        let methods = class.methods().filter(|method| is_needed(method.name()));
        Outline {
            access: class.access().0,
            name: class.this_class().into(),
            superclass: class.super_class().map(str::to_owned),
            interfaces: class.interfaces().map(str::to_owned).collect(),
            fields: fields.map(|field| member(field.access().0, field.name(), field.descriptor())).collect(),
            methods: methods
                .map(|method| {
                    let native = if method.access().0 & ACC_ABSTRACT == 0 { ACC_NATIVE } else { 0 };
                    member(method.access().0 | native, method.name(), method.descriptor())
                })
                .collect(),
        }
    }

    fn print(&self) -> String {
        let superclass = self.superclass.as_deref().unwrap_or("-");
        let mut out = format!("class {:x} {} {superclass}", self.access, self.name);
        self.interfaces.iter().for_each(|interface| out.extend([" ", interface]));
        out.push('\n');
        for (kind, members) in [("field", &self.fields), ("method", &self.methods)] {
            for Member { access, name, descriptor } in members {
                let _ = writeln!(out, "{kind} {access:x} {name} {descriptor}");
            }
        }
        out
    }

    /// The class file, in version 52.
    pub(crate) fn class_file(&self) -> (ClassName, Vec<u8>) {
        let mut pool = Pool::default();
        let mut body = self.access.to_be_bytes().to_vec();
        let this = pool.class(&self.name);
        let superclass = self.superclass.as_deref().map_or(0, |name| pool.class(name));
        let interfaces: Vec<u16> = self.interfaces.iter().map(|name| pool.class(name)).collect();
        for number in [this, superclass, interfaces.len() as u16].into_iter().chain(interfaces) {
            body.extend(number.to_be_bytes());
        }
        for members in [&self.fields, &self.methods] {
            body.extend((members.len() as u16).to_be_bytes());
            for Member { access, name, descriptor } in members {
                for number in [*access, pool.utf8(name), pool.utf8(descriptor), 0] {
                    body.extend(number.to_be_bytes());
                }
            }
        }
        body.extend([0, 0]);
        let mut file = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0];
        file.extend(MAJOR_VERSION.to_be_bytes());
        file.extend((pool.count + 1).to_be_bytes());
        file.extend(pool.bytes);
        file.extend(body);
        (ClassName::new(&self.name), file)
    }
}

/// The outlines of a text; panics with the line that is none.
pub(crate) fn parse_outlines(text: &str) -> Vec<Outline> {
    let mut outlines: Vec<Outline> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let access = words.get(1).and_then(|word| u16::from_str_radix(word, 16).ok());
        let access = access.unwrap_or_else(|| panic!("`{line}` has no access flags"));
        match (&words[..], outlines.last_mut()) {
            (["class", _, name, superclass, interfaces @ ..], _) => outlines.push(Outline {
                access,
                name: (*name).to_owned(),
                superclass: (*superclass != "-").then(|| (*superclass).to_owned()),
                interfaces: interfaces.iter().map(|&name| name.to_owned()).collect(),
                ..Outline::default()
            }),
            ([kind @ ("field" | "method"), _, name, descriptor], Some(outline)) => {
                let members = if *kind == "field" { &mut outline.fields } else { &mut outline.methods };
                members.push(Member { access, name: (*name).to_owned(), descriptor: (*descriptor).to_owned() });
            }
            _ => panic!("`{line}` belongs to no outline"),
        }
    }
    outlines
}

/// A constant pool of `Utf8` and `Class` entries.
#[derive(Default)]
struct Pool {
    bytes: Vec<u8>,
    known: BTreeMap<(u8, String), u16>,
    count: u16,
}

impl Pool {
    fn utf8(&mut self, text: &str) -> u16 {
        assert!(text.bytes().all(|byte| (1..0x80).contains(&byte)), "{text}: only ASCII is the same in modified UTF-8");
        let entry = [&[1], &(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat();
        self.entry(1, text, &entry)
    }

    fn class(&mut self, name: &str) -> u16 {
        let name_index = self.utf8(name);
        self.entry(7, name, &[&[7], &name_index.to_be_bytes()[..]].concat())
    }

    fn entry(&mut self, tag: u8, text: &str, entry: &[u8]) -> u16 {
        if let Some(&index) = self.known.get(&(tag, text.to_owned())) {
            return index;
        }
        self.bytes.extend(entry);
        self.count += 1;
        self.known.insert((tag, text.to_owned()), self.count);
        self.count
    }
}

/// The stored class files and outlines.
#[derive(Debug)]
pub(crate) struct StoredClasses {
    pub(crate) project: BTreeMap<ClassName, Vec<u8>>,
    pub(crate) jdk: BTreeMap<ClassName, Vec<u8>>,
}

impl ClassSource for StoredClasses {
    fn bytes(&self, class: &ClassName) -> Option<(Vec<u8>, ClassOrigin)> {
        let project = self.project.get(class).map(|bytes| (bytes.clone(), ClassOrigin::Project));
        project.or_else(|| self.jdk.get(class).map(|bytes| (bytes.clone(), ClassOrigin::Jdk)))
    }

    fn exports(&self, _package: &str) -> bool {
        true
    }

    fn release(&self) -> u16 {
        17
    }

    fn project_classes(&self) -> Vec<ClassName> {
        self.project.keys().cloned().collect()
    }

    fn neighbours(&self, _class: &ClassName) -> Vec<ClassName> {
        Vec::new()
    }
}

/// The outlines that a replay asked for, by class name.
pub(crate) type AskedOutlines = Arc<Mutex<BTreeMap<String, String>>>;

/// A project whose JDK classes are replaced by their outlines, which are collected.
#[derive(Debug)]
pub(crate) struct OutlinedProject {
    pub(crate) project: Project,
    /// Names of members that outlines have.
    pub(crate) names: Arc<BTreeSet<String>>,
    pub(crate) asked: AskedOutlines,
}

impl ClassSource for OutlinedProject {
    fn bytes(&self, class: &ClassName) -> Option<(Vec<u8>, ClassOrigin)> {
        let (bytes, origin) = self.project.bytes(class)?;
        if origin == ClassOrigin::Project {
            return Some((bytes, origin));
        }
        // A class has one outline, of the first JDK that a subject was recorded with.
        let mut outlines = self.asked.lock().expect("no other thread failed");
        let text = outlines
            .entry(class.internal().to_owned())
            .or_insert_with(|| Outline::of(&ClassFile::parse(&bytes).expect("a class file of the JDK"), &self.names).print());
        let outline = parse_outlines(text).into_iter().next().expect("its own text");
        Some((outline.class_file().1, origin))
    }

    fn exports(&self, _package: &str) -> bool {
        true
    }

    fn release(&self) -> u16 {
        17
    }

    fn project_classes(&self) -> Vec<ClassName> {
        self.project.project_classes()
    }

    fn neighbours(&self, _class: &ClassName) -> Vec<ClassName> {
        Vec::new()
    }
}
