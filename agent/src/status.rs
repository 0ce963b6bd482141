//! Counters by reason. Flows in: what was done with each class or method; flows out: lines
//! `reason=count`. Must not know files.

use std::collections::BTreeMap;

use crate::lock::Lock;

#[derive(Debug, Default)]
pub(crate) struct Status {
    counters: Lock<BTreeMap<String, u64>>,
}

impl Status {
    pub(crate) fn count(&self, reason: impl Into<String>) {
        let mut counters = self.counters.lock();
        *counters.entry(reason.into()).or_default() += 1;
    }

    /// The counters in alphabetical order.
    pub(crate) fn counts(&self) -> Vec<(String, u64)> {
        let counters = self.counters.lock();
        counters.iter().map(|(reason, count)| (reason.clone(), *count)).collect()
    }

    /// `reason=count`, one a line, in alphabetical order.
    pub(crate) fn text(&self) -> String {
        let counters = self.counters.lock();
        counters.iter().map(|(reason, count)| format!("{}={count}\n", reason.replace('\n', " "))).collect()
    }
}
