//! Packages of a module descriptor (JVMS §4.7.25, §4.7.26).
//!
//! In: the class file of a `module-info`. Out: names of packages. Must not know where modules come
//! from.

use crate::class::ClassFile;
use crate::error::ParseError;
use crate::pool::Constant;
use crate::reader::Reader;

/// The packages of one module, by internal name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModulePackages {
    /// Exported to every module; packages exported to named modules only are left out.
    pub exported: Vec<String>,
    /// Every package that `ModulePackages` lists; the exported ones where that attribute is missing
    /// or empty.
    pub all: Vec<String>,
}

impl ClassFile {
    /// The packages that the class file of a module descriptor (`module-info.class`) declares;
    /// `None` for any other class file.
    ///
    /// # Errors
    ///
    /// The `Module` or `ModulePackages` attribute is malformed.
    pub fn module_packages(&self) -> Result<Option<ModulePackages>, ParseError> {
        let Some(contents) = self.attribute("Module") else { return Ok(None) };
        let mut found = ModulePackages::default();
        let mut reader = Reader::new(contents, "Module");
        // Name, flags and version of the module.
        reader.take(6)?;
        let requires = usize::from(reader.u16()?);
        reader.take(requires * 6)?;
        for _ in 0..reader.u16()? {
            let package = reader.u16()?;
            let _flags = reader.u16()?;
            let targets = usize::from(reader.u16()?);
            reader.take(targets * 2)?;
            if targets == 0 {
                found.exported.push(self.package_name(package)?);
            }
        }
        if let Some(contents) = self.attribute("ModulePackages") {
            let mut reader = Reader::new(contents, "ModulePackages");
            for _ in 0..reader.u16()? {
                found.all.push(self.package_name(reader.u16()?)?);
            }
        }
        if found.all.is_empty() {
            found.all.clone_from(&found.exported);
        }
        Ok(Some(found))
    }

    fn package_name(&self, index: u16) -> Result<String, ParseError> {
        match self.constant_pool().get(index)? {
            Constant::Package(name) => Ok(name.to_owned()),
            _ => Err(ParseError::Attribute { attribute: "Module", problem: "names a constant that is no package" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `module-info.class` of `module m { exports a.b; exports c to n; }` with the packages `a.b`,
    /// `c` and `d`.
    fn descriptor() -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 53, 0, 13];
        for name in ["module-info", "Module", "ModulePackages", "m", "a/b", "c", "d"] {
            bytes.extend([1, 0, name.len() as u8]);
            bytes.extend(name.as_bytes());
        }
        // Constants 8 to 12: the class, the module, three packages.
        bytes.extend([7, 0, 1, 19, 0, 4, 20, 0, 5, 20, 0, 6, 20, 0, 7]);
        bytes.extend([0x80, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
        let module: [u8; 26] = [0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 0, 10, 0, 0, 0, 0, 0, 11, 0, 0, 0, 1, 0, 9, 0, 0];
        bytes.extend([0, 2, 0, 0, 0, 30]);
        bytes.extend(module);
        bytes.extend([0, 0, 0, 0]);
        bytes.extend([0, 3, 0, 0, 0, 8, 0, 3, 0, 10, 0, 11, 0, 12]);
        bytes
    }

    #[test]
    fn only_packages_exported_to_everyone_count_as_exported() {
        let file = ClassFile::parse(&descriptor()).expect("well-formed");
        let packages = file.module_packages().expect("well-formed").expect("a module");
        assert_eq!((packages.exported, packages.all), (vec!["a/b".into()], vec!["a/b".into(), "c".into(), "d".into()]));
    }

    #[test]
    fn a_package_that_is_no_package_is_malformed() {
        let mut bytes = descriptor();
        let last = bytes.len() - 1;
        bytes[last] = 8;
        let file = ClassFile::parse(&bytes).expect("well-formed");
        assert!(file.module_packages().is_err());
    }
}
