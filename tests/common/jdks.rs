//! The JDKs of the machine as the program describes them.

use std::sync::OnceLock;

use tracewright::jvm::Jdk;

/// One JDK of each release from 17 on, ascending; never empty.
pub(crate) fn jdks() -> &'static [Jdk] {
    static JDKS: OnceLock<Vec<Jdk>> = OnceLock::new();
    let find = |jdk: &tracewright_test_support::Jdk| Jdk::find(Some(&jdk.home)).expect("a usable JDK");
    JDKS.get_or_init(|| tracewright_test_support::jdks().iter().map(find).collect())
}
