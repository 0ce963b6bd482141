//! Every class of the JDKs and jars is read and written back byte by byte.
#![allow(clippy::unwrap_used)]

use tracewright_classfile::{ClassFile, MethodDescriptor, ParseError, Type};
use tracewright_test_support::{all_jdks, every_class, for_each_class, java_base_classes};

#[test]
fn every_class_is_read_and_written_back() {
    for_each_class(&every_class(), |sample| {
        let class = ClassFile::parse(&sample.bytes).map_err(|e| e.to_string())?;
        if class.to_bytes() != sample.bytes {
            return Err("the written bytes differ from those that were read".into());
        }
        read_everything(&class).map_err(|e| e.to_string())
    });
}

fn read_everything(class: &ClassFile) -> Result<(), ParseError> {
    let pool = class.constant_pool();
    for index in pool.indices() {
        pool.get(index)?;
    }
    class.signature()?;
    class.source_file()?;
    class.inner_classes()?;
    class.enclosing_method()?;
    class.nest_host()?;
    class.nest_members()?;
    class.permitted_subclasses()?;
    class.record_components()?;
    class.bootstrap_methods()?;
    for field in class.fields() {
        let parsed = Type::parse(field.descriptor())?;
        assert_eq!(parsed.to_string(), field.descriptor());
        field.signature()?;
        field.constant_value()?;
    }
    for method in class.methods() {
        let parsed = MethodDescriptor::parse(method.descriptor())?;
        assert_eq!(parsed.to_string(), method.descriptor());
        method.signature()?;
        method.exceptions()?;
        method.parameter_names()?;
        if let Some(code) = method.code()? {
            let last = code.instructions.last().expect("code is not empty");
            assert_eq!(last.next_bci(), code.code_len());
            for instruction in &code.instructions {
                if let Some(member) = instruction.op.member_index() {
                    pool.member(member)?;
                }
            }
            for frame in &code.frames {
                for &entry in frame.locals.iter().chain(&frame.stack) {
                    code.type_of(entry, pool)?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn malformed_class_files_are_rejected() {
    assert_eq!(ClassFile::parse(b"PK\x03\x04 and so on").unwrap_err(), ParseError::Magic(0x504b_0304));
    let home = &all_jdks()[0].home;
    let sample = java_base_classes(home).into_iter().find(|sample| sample.origin.ends_with("/java/lang/Object.class")).unwrap();
    for end in 0..sample.bytes.len() {
        assert!(ClassFile::parse(&sample.bytes[..end]).is_err(), "{end}");
    }
    let mut longer = sample.bytes.clone();
    longer.push(0);
    assert_eq!(ClassFile::parse(&longer).unwrap_err(), ParseError::Trailing(1));
}

/// After a change of any byte, reading succeeds or fails without a panic.
#[test]
fn a_damaged_class_never_panics() {
    let home = &all_jdks()[0].home;
    let sample =
        java_base_classes(home).into_iter().find(|sample| sample.origin.ends_with("/java/lang/StringBuilder.class")).unwrap();
    for at in 0..sample.bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = sample.bytes.clone();
            damaged[at] ^= flip;
            if let Ok(class) = ClassFile::parse(&damaged) {
                class.signature().ok();
                class.inner_classes().ok();
                class.bootstrap_methods().ok();
                for method in class.methods() {
                    method.exceptions().ok();
                    method.code().ok();
                }
            }
        }
    }
}
