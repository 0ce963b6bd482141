//! Constants that javac never writes: calls of static methods without parameters are replaced by
//! `ldc` of given constants.

use std::collections::HashMap;

#[derive(Clone)]
pub(crate) enum Constant {
    Int(i32),
    Class(String),
    Handle { kind: u8, owner: String, name: String, descriptor: String },
    Dynamic { bootstrap: Box<Constant>, name: String, descriptor: String, arguments: Vec<Constant> },
}

impl Constant {
    pub(crate) fn handle(kind: u8, owner: &str, name: &str, descriptor: &str) -> Constant {
        Constant::Handle { kind, owner: owner.into(), name: name.into(), descriptor: descriptor.into() }
    }

    pub(crate) fn dynamic(bootstrap: Constant, name: &str, descriptor: &str, arguments: Vec<Constant>) -> Constant {
        Constant::Dynamic { bootstrap: Box::new(bootstrap), name: name.into(), descriptor: descriptor.into(), arguments }
    }
}

/// Entries that are added to the constant pool.
struct Pool {
    entries: Vec<u8>,
    next: u16,
    bootstraps: Vec<Vec<u16>>,
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

impl Pool {
    fn add(&mut self, tag: u8, contents: &[u8]) -> u16 {
        self.entries.push(tag);
        self.entries.extend(contents);
        self.next += 1;
        self.next - 1
    }

    fn pair(&mut self, tag: u8, first: u16, second: u16) -> u16 {
        self.add(tag, &[first.to_be_bytes(), second.to_be_bytes()].concat())
    }

    fn text(&mut self, text: &str) -> u16 {
        let length = text.len() as u16;
        self.add(1, &[&length.to_be_bytes(), text.as_bytes()].concat())
    }

    fn named(&mut self, name: &str, descriptor: &str) -> u16 {
        let (name, descriptor) = (self.text(name), self.text(descriptor));
        self.pair(12, name, descriptor)
    }

    fn constant(&mut self, constant: &Constant) -> u16 {
        match constant {
            Constant::Int(value) => self.add(3, &value.to_be_bytes()),
            Constant::Class(name) => {
                let name = self.text(name);
                self.add(7, &name.to_be_bytes())
            }
            Constant::Handle { kind, owner, name, descriptor } => {
                let class = self.constant(&Constant::Class(owner.clone()));
                let member = self.named(name, descriptor);
                let tag = if *kind <= 4 { 9 } else { 10 };
                let reference = self.pair(tag, class, member);
                self.add(15, &[&[*kind][..], &reference.to_be_bytes()].concat())
            }
            Constant::Dynamic { bootstrap, name, descriptor, arguments } => {
                let mut method = vec![self.constant(bootstrap)];
                method.extend(arguments.iter().map(|argument| self.constant(argument)).collect::<Vec<u16>>());
                self.bootstraps.push(method);
                let member = self.named(name, descriptor);
                self.pair(17, self.bootstraps.len() as u16 - 1, member)
            }
        }
    }
}

/// Replaces each call of a named method of the class by `ldc_w`. The class must not have bootstrap
/// methods.
pub(crate) fn put_constants(bytes: &[u8], class: &str, constants: &[(&str, Constant)]) -> Vec<u8> {
    let count = word(bytes, 8);
    let mut offsets = vec![0; usize::from(count)];
    let (mut at, mut index) = (10, 1);
    while index < usize::from(count) {
        offsets[index] = at;
        let (length, slots) = match bytes[at] {
            1 => (3 + usize::from(word(bytes, at + 1)), 1),
            5 | 6 => (9, 2),
            7 | 8 | 16 | 19 | 20 => (3, 1),
            15 => (4, 1),
            _ => (5, 1),
        };
        at += length;
        index += slots;
    }
    let text = |index: u16| {
        let at = offsets[usize::from(index)];
        String::from_utf8_lossy(&bytes[at + 3..at + 3 + usize::from(word(bytes, at + 1))]).into_owned()
    };
    // The indices of method references by name.
    let mut calls: HashMap<u16, usize> = HashMap::new();
    for (index, &offset) in offsets.iter().enumerate().filter(|&(_, &offset)| offset > 0 && bytes[offset] == 10) {
        let owner = text(word(bytes, offsets[usize::from(word(bytes, offset + 1))] + 1));
        let member = offsets[usize::from(word(bytes, offset + 3))];
        let (name, descriptor) = (text(word(bytes, member + 1)), text(word(bytes, member + 3)));
        let known = constants.iter().position(|(wanted, _)| *wanted == name);
        if let Some(known) = known.filter(|_| owner == class && descriptor.starts_with("()")) {
            calls.insert(index as u16, known);
        }
    }
    let mut pool = Pool { entries: Vec::new(), next: count, bootstraps: Vec::new() };
    let indices: Vec<u16> = constants.iter().map(|(_, constant)| pool.constant(constant)).collect();
    let attribute = pool.text("BootstrapMethods");
    let (entries, rest) = bytes[10..].split_at(at - 10);
    let mut rest = rest.to_vec();
    let mut replaced = vec![false; constants.len()];
    for at in 0..rest.len() - 2 {
        if rest[at] == 0xb8
            && let Some(&call) = calls.get(&word(&rest, at + 1))
        {
            rest[at] = 0x13;
            rest[at + 1..at + 3].copy_from_slice(&indices[call].to_be_bytes());
            replaced[call] = true;
        }
    }
    assert!(replaced.iter().all(|&replaced| replaced), "{replaced:?}");
    // The attributes of the class follow its fields and methods.
    let mut at = 6 + 2 * usize::from(word(&rest, 6)) + 2;
    for _ in 0..2 {
        let members = word(&rest, at);
        at += 2;
        for _ in 0..members {
            let attributes = word(&rest, at + 6);
            at += 8;
            for _ in 0..attributes {
                at += 6 + usize::from(word(&rest, at + 2)) * 65536 + usize::from(word(&rest, at + 4));
            }
        }
    }
    let attributes = word(&rest, at) + 1;
    rest[at..at + 2].copy_from_slice(&attributes.to_be_bytes());
    let mut methods = (pool.bootstraps.len() as u16).to_be_bytes().to_vec();
    for method in &pool.bootstraps {
        methods.extend(method[0].to_be_bytes());
        methods.extend((method.len() as u16 - 1).to_be_bytes());
        method[1..].iter().for_each(|argument| methods.extend(argument.to_be_bytes()));
    }
    rest.extend(attribute.to_be_bytes());
    rest.extend((methods.len() as u32).to_be_bytes());
    rest.extend(methods);
    let mut all = bytes[..8].to_vec();
    all.extend(pool.next.to_be_bytes());
    all.extend(entries);
    all.extend(pool.entries);
    all.extend(rest);
    all
}
