//! Prints the mutants of class files, one a line:
//! `cargo run -p tracewright-classfile --example mutants -- Foo.class...`

use tracewright_classfile::{ClassFile, mutants};

fn main() {
    for path in std::env::args().skip(1) {
        let class = std::fs::read(&path).map_err(|error| error.to_string());
        let class = class.and_then(|bytes| ClassFile::parse(&bytes).map_err(|error| error.to_string()));
        match class.and_then(|class| mutants(&class).map_err(|error| error.to_string())) {
            Ok(mutants) => mutants.iter().for_each(|mutant| println!("{mutant}")),
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
}
