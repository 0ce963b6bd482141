//! Members that only read or write a field, or all components, are told from all others.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use tracewright_classfile::{ClassFile, Method, is_plain_accessor, is_plain_record_constructor};
use tracewright_test_support::{all_jdks, compile_java};

#[test]
fn plain_accessors_only_read_or_write_a_field() {
    let source = "class Bean {
        int count; long total; String name; static int shared; Bean next;
        int getCount() { return count; }
        long total() { return this.total; }
        void setTotal(long total) { this.total = total; }
        Bean withName(String name) { this.name = name; return this; }
        static int getShared() { return shared; }
        int getNextCount() { return next.count; }
        int getCountPlusOne() { return count + 1; }
        void setNextCount(int count) { next.count = count; }
        void setSecond(String first, String second) { name = second; }
        void setZero(int ignored) { count = 0; }
        int swapCount(int count) { this.count = count; return count; }
        void setChecked(String name) { if (name != null) { this.name = name; } }
    }";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("accessors");
    let classes = compile_java(&all_jdks()[0].home, 11, &folder, &[("Bean.java", source)]);
    let class = ClassFile::parse(&std::fs::read(classes.join("Bean.class")).unwrap()).unwrap();
    let is_plain = |code| is_plain_accessor(&code);
    let plain: Vec<&str> =
        class.methods().filter(|method| method.code().unwrap().is_some_and(is_plain)).map(|method| method.name()).collect();
    assert_eq!(plain, ["getCount", "total", "setTotal", "withName"]);
}

#[test]
fn plain_constructors_of_records_only_fill_the_components() {
    let source = "record Plain(String name, long total, int[] counts) {
        Plain(String name) { this(name, 0, null); }
        Plain(long total, String name) { this(name, total, new int[0]); }
        static Plain of(String name) { return new Plain(name); }
    }
    record Checked(String name) { Checked { if (name.isEmpty()) { throw new IllegalArgumentException(); } } }
    record Copied(int[] counts) { Copied { counts = counts.clone(); } }
    class Bean { int count; Bean(int count) { this.count = count; } }";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("record-constructors");
    let classes = compile_java(&all_jdks()[0].home, 17, &folder, &[("Plain.java", source)]);
    let plain = |name: &str| -> Vec<String> {
        let class = ClassFile::parse(&std::fs::read(classes.join(format!("{name}.class"))).unwrap()).unwrap();
        let is_plain =
            |method: &Method<'_>| method.code().unwrap().is_some_and(|code| is_plain_record_constructor(&class, *method, &code));
        class.methods().filter(is_plain).map(|method| method.descriptor().to_owned()).collect()
    };
    assert_eq!(plain("Plain"), ["(Ljava/lang/String;J[I)V"]);
    for other in ["Checked", "Copied", "Bean"] {
        assert_eq!(plain(other), [""; 0], "{other}");
    }
}
