//! An assembler for class files that javac does not write, and for generated programs. In: text.
//! Out: class files.
//!
//! ```text
//! class p/A version 49            (also: super p/B, implements p/I, interface, abstract)
//! field static x I
//! method static add (II)I         (also: private, abstract, synchronized; no flag: public)
//!   iload 0
//! top:
//!   wide iload 1
//!   tableswitch 3 a b default c
//!   lookupswitch 7 a 9 b default c
//!   ldc string "text"             (also: int, float, long, double, class, type,
//!                                  handle KIND OWNER.NAME DESC, dynamic NAME DESC BOOTSTRAP [static args])
//!   invokestatic p/A.add (II)I    (for methods of an interface: `interface invokestatic …`)
//!   catch java/lang/Exception from to handler
//! ```
//! Version 49 has no stack map frames: the verifier infers the types.

use std::collections::BTreeMap;
use tracewright_classfile::{PrimitiveType, opcode};

/// `max_stack` and `max_locals` of every method.
const MOST: u16 = 400;

#[derive(Default)]
struct Pool {
    entries: Vec<Vec<u8>>,
    known: BTreeMap<Vec<u8>, u16>,
    next: u16,
    bootstraps: Vec<Vec<u8>>,
}

impl Pool {
    fn add(&mut self, entry: Vec<u8>) -> u16 {
        if let Some(&index) = self.known.get(&entry) {
            return index;
        }
        self.next += 1;
        let index = self.next;
        if matches!(entry[0], 5 | 6) {
            self.next += 1;
        }
        self.known.insert(entry.clone(), index);
        self.entries.push(entry);
        index
    }

    fn utf8(&mut self, text: &str) -> u16 {
        assert!(text.chars().all(|c| c != '\0' && c <= '\u{ffff}'), "modified UTF-8 is UTF-8 here");
        self.add([&[1], &(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat())
    }

    fn pair(&mut self, tag: u8, a: u16, b: u16) -> u16 {
        self.add([&[tag][..], &a.to_be_bytes(), &b.to_be_bytes()].concat())
    }

    fn named(&mut self, tag: u8, text: &str) -> u16 {
        let name = self.utf8(text);
        self.add([&[tag][..], &name.to_be_bytes()].concat())
    }

    fn class(&mut self, name: &str) -> u16 {
        self.named(7, name)
    }

    /// A reference with tag 9 (field), 10 (method) or 11 (method of an interface).
    fn member(&mut self, tag: u8, member: &str, descriptor: &str) -> u16 {
        let (owner, name) = member.rsplit_once('.').unwrap_or_else(|| panic!("{member}: no owner"));
        let (owner, signature) = (self.class(owner), self.name_and_type(name, descriptor));
        self.pair(tag, owner, signature)
    }

    fn name_and_type(&mut self, name: &str, descriptor: &str) -> u16 {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        self.pair(12, name, descriptor)
    }

    fn handle(&mut self, words: &[&str]) -> u16 {
        let [kind, member, descriptor] = words else { panic!("{words:?}: KIND OWNER.NAME DESC") };
        let (number, tag) = match *kind {
            "getfield" => (1, 9),
            "getstatic" => (2, 9),
            "putfield" => (3, 9),
            "putstatic" => (4, 9),
            "virtual" => (5, 10),
            "static" => (6, 10),
            "special" => (7, 10),
            "new" => (8, 10),
            "interface" => (9, 11),
            _ => panic!("{kind}: no kind of handle"),
        };
        let member = self.member(tag, member, descriptor);
        self.add([&[15, number][..], &member.to_be_bytes()].concat())
    }

    /// `NAME DESC BOOTSTRAP-OWNER.NAME BOOTSTRAP-DESC {; constant}`
    fn dynamic(&mut self, tag: u8, words: &[&str]) -> u16 {
        let mut parts = words.split(|word| *word == ";");
        let Some([name, descriptor, bootstrap, bootstrap_descriptor]) = parts.next() else { panic!("{words:?}") };
        let handle = self.handle(&["static", bootstrap, bootstrap_descriptor]);
        let constants: Vec<u16> = parts.map(|constant| self.constant(constant)).collect();
        let mut entry = [handle.to_be_bytes(), (constants.len() as u16).to_be_bytes()].concat();
        entry.extend(constants.iter().flat_map(|constant| constant.to_be_bytes()));
        let index = self.bootstraps.iter().position(|known| *known == entry).unwrap_or(self.bootstraps.len());
        if index == self.bootstraps.len() {
            self.bootstraps.push(entry);
        }
        let signature = self.name_and_type(name, descriptor);
        self.pair(tag, index as u16, signature)
    }

    fn constant(&mut self, words: &[&str]) -> u16 {
        match words {
            ["int", value] => self.add([&[3][..], &number::<i32>(value).to_be_bytes()].concat()),
            ["float", value] => self.add([&[4][..], &number::<f32>(value).to_bits().to_be_bytes()].concat()),
            ["long", value] => self.add([&[5][..], &number::<i64>(value).to_be_bytes()].concat()),
            ["double", value] => self.add([&[6][..], &number::<f64>(value).to_bits().to_be_bytes()].concat()),
            ["string", text @ ..] => {
                let text = text.join(" ");
                self.named(8, text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).expect("a text in quotes"))
            }
            ["class", name] => self.class(name),
            ["type", descriptor] => self.named(16, descriptor),
            ["handle", rest @ ..] => self.handle(rest),
            ["dynamic", rest @ ..] => self.dynamic(17, rest),
            other => panic!("{other:?}: no constant"),
        }
    }
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text}: no number"))
}

#[derive(Default)]
struct Body {
    bytes: Vec<u8>,
    labels: BTreeMap<String, usize>,
    /// For each jump: position of the offset, position it is relative to, its size in bytes, the
    /// label.
    jumps: Vec<(usize, usize, usize, String)>,
    handlers: Vec<(Option<String>, [String; 3])>,
}

impl Body {
    fn jump(&mut self, from: usize, bytes: usize, label: &str) {
        self.jumps.push((self.bytes.len(), from, bytes, label.to_owned()));
        self.bytes.extend(std::iter::repeat_n(0, bytes));
    }

    fn place(&self, label: &str) -> usize {
        *self.labels.get(label).unwrap_or_else(|| panic!("{label}: no such label"))
    }

    fn instruction(&mut self, pool: &mut Pool, words: &[&str]) {
        let at = self.bytes.len();
        let (name, operands) = (words[0], &words[1..]);
        if name == "interface" {
            return self.invoke(pool, operands, 11);
        }
        if name == "wide" {
            self.bytes.extend([opcode::WIDE, numbered(operands[0])]);
            self.bytes.extend(number::<u16>(operands[1]).to_be_bytes());
            self.bytes.extend(operands.get(2).map(|delta| number::<i16>(delta).to_be_bytes()).into_iter().flatten());
            return;
        }
        let code = numbered(name);
        if name.starts_with("invoke") && name != "invokedynamic" {
            return self.invoke(pool, words, if name == "invokeinterface" { 11 } else { 10 });
        }
        self.bytes.push(code);
        match name {
            "bipush" => self.bytes.push(number::<i8>(operands[0]) as u8),
            "sipush" => self.bytes.extend(number::<i16>(operands[0]).to_be_bytes()),
            "ldc" => self.bytes.push(u8::try_from(pool.constant(operands)).expect("the first constants")),
            "ldc_w" | "ldc2_w" => self.bytes.extend(pool.constant(operands).to_be_bytes()),
            "iinc" => self.bytes.extend([number::<u8>(operands[0]), number::<i8>(operands[1]) as u8]),
            "getstatic" | "putstatic" | "getfield" | "putfield" => {
                self.bytes.extend(pool.member(9, operands[0], operands[1]).to_be_bytes());
            }
            "invokedynamic" => {
                self.bytes.extend(pool.dynamic(18, operands).to_be_bytes());
                self.bytes.extend([0, 0]);
            }
            "new" | "anewarray" | "checkcast" | "instanceof" => self.bytes.extend(pool.class(operands[0]).to_be_bytes()),
            "multianewarray" => {
                self.bytes.extend(pool.class(operands[0]).to_be_bytes());
                self.bytes.push(number(operands[1]));
            }
            "newarray" => {
                let element = PrimitiveType::from_keyword(operands[0]).expect("a primitive type");
                self.bytes.push(element.newarray_code());
            }
            "tableswitch" | "lookupswitch" => {
                while !self.bytes.len().is_multiple_of(4) {
                    self.bytes.push(0);
                }
                let [cases @ .., "default", default] = operands else { panic!("{words:?}: no default") };
                self.jump(at, 4, default);
                if name == "tableswitch" {
                    let low = number::<i32>(cases[0]);
                    self.bytes.extend(low.to_be_bytes());
                    self.bytes.extend(low.wrapping_add(cases.len() as i32 - 2).to_be_bytes());
                    cases[1..].iter().for_each(|label| self.jump(at, 4, label));
                } else {
                    self.bytes.extend((cases.len() as i32 / 2).to_be_bytes());
                    for case in cases.chunks(2) {
                        self.bytes.extend(number::<i32>(case[0]).to_be_bytes());
                        self.jump(at, 4, case[1]);
                    }
                }
            }
            "goto_w" | "jsr_w" => self.jump(at, 4, operands[0]),
            _ if name.starts_with("if") || matches!(name, "goto" | "jsr") => self.jump(at, 2, operands[0]),
            // Loads and stores of locals, `ret`, and instructions without operands.
            _ => self.bytes.extend(operands.iter().map(|operand| number::<u8>(operand))),
        }
    }

    fn invoke(&mut self, pool: &mut Pool, words: &[&str], tag: u8) {
        let [name, member, descriptor] = words else { panic!("{words:?}: OWNER.NAME DESC") };
        self.bytes.push(numbered(name));
        self.bytes.extend(pool.member(tag, member, descriptor).to_be_bytes());
        if *name == "invokeinterface" {
            let parsed = tracewright_classfile::MethodDescriptor::parse(descriptor).expect("a descriptor");
            self.bytes.extend([parsed.parameter_slots() as u8 + 1, 0]);
        }
    }

    fn finish(mut self, pool: &mut Pool) -> Vec<u8> {
        for (at, from, bytes, label) in std::mem::take(&mut self.jumps) {
            let offset = self.place(&label) as i64 - from as i64;
            assert!(bytes == 4 || i16::try_from(offset).is_ok(), "{label} is too far");
            self.bytes[at..at + bytes].copy_from_slice(&(offset as i32).to_be_bytes()[4 - bytes..]);
        }
        let mut out = [MOST.to_be_bytes(), MOST.to_be_bytes()].concat();
        out.extend((self.bytes.len() as u32).to_be_bytes());
        out.extend(&self.bytes);
        out.extend((self.handlers.len() as u16).to_be_bytes());
        for (class, places) in &self.handlers {
            for place in places {
                out.extend((self.place(place) as u16).to_be_bytes());
            }
            let class = class.as_ref().map_or(0, |class| pool.class(class));
            out.extend(class.to_be_bytes());
        }
        out.extend([0, 0]);
        out
    }
}

fn numbered(mnemonic: &str) -> u8 {
    let found = (0..=u8::MAX).find(|&code| opcode::mnemonic(code) == Some(mnemonic));
    found.unwrap_or_else(|| panic!("{mnemonic}: no instruction"))
}

/// Assembles one class. Returns its name and bytes.
///
/// # Panics
/// The text is malformed.
pub(crate) fn assemble(text: &str) -> (String, Vec<u8>) {
    let mut pool = Pool::default();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).peekable();
    let header: Vec<&str> = lines.next().expect("a class").split_whitespace().collect();
    let ["class", name, options @ ..] = &header[..] else { panic!("{header:?}: no class") };
    let after = |word: &str| options.iter().position(|option| *option == word).and_then(|place| options.get(place + 1));
    let is_interface = options.contains(&"interface");
    let access: u16 = 1 | if is_interface { 0x600 } else { 0x20 } | if options.contains(&"abstract") { 0x400 } else { 0 };
    let this = pool.class(name);
    let parent = pool.class(after("super").unwrap_or(&"java/lang/Object"));
    let interfaces: Vec<u16> = after("implements")
        .map_or("", |names| names)
        .split(',')
        .filter(|name| !name.is_empty())
        .map(|name| pool.class(name))
        .collect();
    let (mut fields, mut methods) = (Vec::new(), Vec::new());
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [kind, flags @ .., name, descriptor] = &words[..] else { panic!("{line}: no member") };
        let mut access = if flags.contains(&"private") { 2u16 } else { 1 };
        for (flag, bit) in [("static", 8), ("final", 0x10), ("synchronized", 0x20), ("abstract", 0x400)] {
            access |= if flags.contains(&flag) { bit } else { 0 };
        }
        let mut member = access.to_be_bytes().to_vec();
        member.extend(pool.utf8(name).to_be_bytes());
        member.extend(pool.utf8(descriptor).to_be_bytes());
        if *kind == "field" {
            member.extend([0, 0]);
            fields.push(member);
            continue;
        }
        assert_eq!(*kind, "method", "{line}");
        let mut body = Body::default();
        while let Some(line) = lines.next_if(|line| !line.starts_with("method ") && !line.starts_with("field ")) {
            if let Some(label) = line.strip_suffix(':') {
                assert!(body.labels.insert(label.to_owned(), body.bytes.len()).is_none(), "{label} is there twice");
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["catch", class, from, to, handler] = words[..] {
                let class = (class != "any").then(|| class.to_owned());
                body.handlers.push((class, [from.to_owned(), to.to_owned(), handler.to_owned()]));
            } else {
                body.instruction(&mut pool, &words);
            }
        }
        if access & 0x400 != 0 {
            member.extend([0, 0]);
        } else {
            let code = body.finish(&mut pool);
            member.extend([0, 1]);
            member.extend(pool.utf8("Code").to_be_bytes());
            member.extend((code.len() as u32).to_be_bytes());
            member.extend(code);
        }
        methods.push(member);
    }
    let bootstraps = std::mem::take(&mut pool.bootstraps);
    let bootstraps_name = if bootstraps.is_empty() { 0 } else { pool.utf8("BootstrapMethods") };
    let version: u16 = after("version").map_or(49, |version| number(version));
    let mut out = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0];
    out.extend(version.to_be_bytes());
    out.extend((pool.next + 1).to_be_bytes());
    out.extend(pool.entries.concat());
    for number in [access, this, parent, interfaces.len() as u16].iter().chain(&interfaces) {
        out.extend(number.to_be_bytes());
    }
    for members in [fields, methods] {
        out.extend((members.len() as u16).to_be_bytes());
        out.extend(members.concat());
    }
    if bootstraps.is_empty() {
        out.extend([0, 0]);
    } else {
        let table = bootstraps.concat();
        out.extend([0, 1]);
        out.extend(bootstraps_name.to_be_bytes());
        out.extend((table.len() as u32 + 2).to_be_bytes());
        out.extend((bootstraps.len() as u16).to_be_bytes());
        out.extend(table);
    }
    ((*name).to_owned(), out)
}

/// Assembles several classes, each of which begins with a line `class`, and writes them into the
/// folder.
pub(crate) fn assemble_all(text: &str, folder: &std::path::Path) {
    for part in text.split("\nclass ").filter(|part| !part.trim().is_empty()) {
        let part = part.trim_start();
        let (name, bytes) = assemble(&if part.starts_with("class ") { part.to_owned() } else { format!("class {part}") });
        let file = folder.join(format!("{name}.class"));
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("writable");
        std::fs::write(file, bytes).expect("writable");
    }
}
