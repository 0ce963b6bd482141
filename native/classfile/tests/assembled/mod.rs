//! Assembles class files with code that `javac` does not write.

use std::collections::BTreeSet;

/// The bytes of `class T` with a method `static void m()` with this code, one stack slot and one
/// local variable. `frames` are the bcis of its frames, which are empty.
pub(crate) fn class_with(major: u8, code: &[u8], frames: &BTreeSet<u32>) -> Vec<u8> {
    let mut pool = Vec::new();
    for text in ["T", "java/lang/Object", "m", "()V", "Code", "StackMapTable"] {
        pool.push(1);
        pool.extend((text.len() as u16).to_be_bytes());
        pool.extend(text.as_bytes());
    }
    pool.extend([7, 0, 1, 7, 0, 2]);
    let mut table = (frames.len() as u16).to_be_bytes().to_vec();
    let mut next = 0;
    for &at in frames {
        table.push(251);
        table.extend(((at - next) as u16).to_be_bytes());
        next = at + 1;
    }
    let mut attribute = vec![0, 1, 0, 1];
    attribute.extend((code.len() as u32).to_be_bytes());
    attribute.extend(code);
    attribute.extend([0, 0, 0, 1, 0, 6]);
    attribute.extend((table.len() as u32).to_be_bytes());
    attribute.extend(table);
    let mut class = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, major, 0, 9];
    class.extend(pool);
    class.extend([0, 0x21, 0, 7, 0, 8, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 4, 0, 1, 0, 5]);
    class.extend((attribute.len() as u32).to_be_bytes());
    class.extend(attribute);
    class.extend([0, 0]);
    class
}
