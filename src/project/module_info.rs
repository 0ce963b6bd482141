//! Reads of a `module-info.class` what a test may name: exported packages (JVMS §4.7.25) and all packages (§4.7.26).

/// The packages of one module, by internal name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ModulePackages {
    /// Exported to everyone; packages exported to named modules only are left out.
    pub(crate) exported: Vec<String>,
    /// All of them, as `ModulePackages` lists them; the exported ones when the attribute is missing.
    pub(crate) all: Vec<String>,
}

/// `None` when the bytes are no module descriptor.
pub(super) fn parse(bytes: &[u8]) -> Option<ModulePackages> {
    let mut reader = Bytes { bytes, position: 0 };
    if reader.u32()? != 0xCAFE_BABE {
        return None;
    }
    reader.skip(4)?;
    let pool = Pool::read(&mut reader)?;
    reader.skip(6)?;
    // A module descriptor has no interfaces, fields or methods.
    for _ in 0..3 {
        if reader.u16()? != 0 {
            return None;
        }
    }
    let mut found = ModulePackages::default();
    let mut is_module = false;
    for _ in 0..reader.u16()? {
        let name = pool.utf8(reader.u16()?)?;
        let length = reader.u32()? as usize;
        let mut attribute = Bytes { bytes: reader.take(length)?, position: 0 };
        match name {
            "Module" => {
                is_module = true;
                attribute.skip(6)?;
                let requires = attribute.u16()? as usize;
                attribute.skip(requires * 6)?;
                for _ in 0..attribute.u16()? {
                    let package = pool.named(attribute.u16()?)?;
                    attribute.skip(2)?;
                    let targets = attribute.u16()? as usize;
                    attribute.skip(targets * 2)?;
                    if targets == 0 {
                        found.exported.push(package.to_string());
                    }
                }
            }
            "ModulePackages" => {
                for _ in 0..attribute.u16()? {
                    found.all.push(pool.named(attribute.u16()?)?.to_string());
                }
            }
            _ => {}
        }
    }
    if found.all.is_empty() {
        found.all.clone_from(&found.exported);
    }
    is_module.then_some(found)
}

struct Bytes<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.position..self.position.checked_add(length)?)?;
        self.position += length;
        Some(taken)
    }

    fn skip(&mut self, length: usize) -> Option<()> {
        self.take(length).map(|_| ())
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2).map(|b| u16::from_be_bytes([b[0], b[1]]))
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }
}

/// Only what module descriptors point to: texts, and the entries that are nothing but a name.
struct Pool<'a> {
    entries: Vec<Entry<'a>>,
}

enum Entry<'a> {
    Utf8(&'a str),
    Named(u16),
    Other,
}

impl<'a> Pool<'a> {
    fn read(reader: &mut Bytes<'a>) -> Option<Pool<'a>> {
        let count = reader.u16()?;
        let mut entries = vec![Entry::Other];
        while entries.len() < count as usize {
            match reader.take(1)?[0] {
                1 => {
                    let length = reader.u16()? as usize;
                    entries.push(std::str::from_utf8(reader.take(length)?).map_or(Entry::Other, Entry::Utf8));
                }
                7 | 19 | 20 => entries.push(Entry::Named(reader.u16()?)),
                8 | 16 => {
                    reader.skip(2)?;
                    entries.push(Entry::Other);
                }
                15 => {
                    reader.skip(3)?;
                    entries.push(Entry::Other);
                }
                3 | 4 | 9..=12 | 17 | 18 => {
                    reader.skip(4)?;
                    entries.push(Entry::Other);
                }
                5 | 6 => {
                    // Longs and doubles take two places (JVMS §4.4.5).
                    reader.skip(8)?;
                    entries.push(Entry::Other);
                    entries.push(Entry::Other);
                }
                _ => return None,
            }
        }
        Some(Pool { entries })
    }

    fn utf8(&self, index: u16) -> Option<&'a str> {
        match self.entries.get(index as usize)? {
            Entry::Utf8(text) => Some(text),
            _ => None,
        }
    }

    fn named(&self, index: u16) -> Option<&'a str> {
        match self.entries.get(index as usize)? {
            Entry::Named(name) => self.utf8(*name),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_descriptor_is_refused() {
        for bytes in [&b""[..], b"\xCA\xFE\xBA\xBE", b"PK\x03\x04", &[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61, 0, 9, 99]] {
            assert_eq!(parse(bytes), None);
        }
    }
}
