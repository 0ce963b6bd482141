//! Configurations of the worker JVMs of a class, and the start of its second observer. Flows in: the context
//! and the target. Flows out: plain configurations, and a worker that starts in the background.

use super::background::Background;
use super::context::{Context, EarlierVersion};
use super::target::Target;
use crate::config::Budget;
use crate::jvm::{JvmError, ProbeMode, SearchWorker, WorkerConfig};
use crate::testcase::TestCase;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracewright_text::glob_matches;

/// With a time budget, the first timeout of a candidate is this part of the budget.
const CANDIDATES_PER_BUDGET: u32 = 40;
/// The first timeout is at least this long.
const LEAST_FIRST_TIMEOUT: Duration = Duration::from_millis(250);
/// Each candidate that times out shortens the timeout of later ones, down to this.
const LEAST_TIMEOUT: Duration = Duration::from_millis(100);

/// An execution may take this much wall-clock time where its thread neither runs nor waits in Java:
/// the machine is busy, or classes are loaded.
const HANG_TIMEOUT: Duration = Duration::from_secs(5);

/// The timeout for classes that are tested by requests: the first request in a JVM runs much code of
/// frameworks for the first time.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(4);

/// Where steps are counted, no execution ends by the clock. It may take this much time of its own,
/// and this much wall-clock time.
const OWN_TIMEOUT: Duration = Duration::from_secs(2);
const STEPS_HANG_TIMEOUT: Duration = Duration::from_secs(60);

/// The start of the second observer, and how long it took.
pub(super) type ObserverStart = Background<Result<(SearchWorker, Duration), JvmError>>;

/// Starts the second observer in the background. The start is given up at the deadline. Running `first` loads the
/// frameworks that tests need.
pub(super) fn start_observer(
    context: &Context<'_>,
    target: &Target,
    first: Option<TestCase>,
    deadline: Option<Instant>,
) -> ObserverStart {
    let mut config = worker_config(context, target, ProbeMode::Search);
    // Results that depend on the environment, the machine or the user then differ from the first
    // observation and are not asserted. The tests are verified in these surroundings too.
    config.vary_surroundings(target.surroundings()[1].clone());
    config.deadline = deadline;
    Background::start("the start of an observer", move || {
        let begin = Instant::now();
        let mut observer = SearchWorker::start(config)?;
        let took = begin.elapsed();
        if let Some(first) = first {
            observer.execute(&[first], false)?;
        }
        Ok((observer, took))
    })
}

/// Classes behind a request to a controller. With probes, a request would take many times longer, and
/// the caches in their static fields would be put back after each execution.
const BEHIND_REQUESTS: [&str; 29] = [
    "ch/qos/logback/*",
    "com/fasterxml/jackson/*",
    "io/micrometer/*",
    "jakarta/*",
    "org/apache/catalina/*",
    "org/apache/commons/logging/*",
    "org/apache/coyote/*",
    "org/apache/logging/*",
    "org/apache/tomcat/*",
    "org/hamcrest/*",
    "org/hibernate/validator/*",
    "org/jboss/logging/*",
    "org/slf4j/*",
    "org/springframework/aop/*",
    "org/springframework/asm/*",
    "org/springframework/beans/*",
    "org/springframework/cglib/*",
    "org/springframework/context/*",
    "org/springframework/core/*",
    "org/springframework/expression/*",
    "org/springframework/format/*",
    "org/springframework/http/*",
    "org/springframework/mock/*",
    "org/springframework/objenesis/*",
    "org/springframework/test/*",
    "org/springframework/util/*",
    "org/springframework/validation/*",
    "org/springframework/web/*",
    "tools/jackson/*",
];

/// A worker with the probes of `mode` in the classes of the target and the full timeout for each
/// test case. Stages that run again what the search has found use it: a timeout would lose the test
/// there.
pub(super) fn worker_config(context: &Context<'_>, target: &Target, mode: ProbeMode) -> WorkerConfig {
    let mut worker = WorkerConfig::new(
        context.jdk.clone(),
        context.installation.agent.clone(),
        context.config.classpath.clone(),
        context.temporary.to_path_buf(),
        mode,
    );
    // The event budget needs probes in every class of the class path: an endless loop may be in a
    // class that is only called.
    worker.include = vec!["*".into()];
    // No request is recorded.
    if target.cluster().has_requests() && mode != ProbeMode::Trace {
        let is_target = |pattern: &&str| target.classes().iter().any(|class| glob_matches(pattern, class.name.internal()));
        worker.exclude =
            BEHIND_REQUESTS.iter().filter(|pattern| !is_target(pattern)).map(|pattern| pattern.to_string()).collect();
    }
    worker.targets = target.classes().to_vec();
    (worker.branch_slots, worker.line_slots) = target.slot_counts();
    worker.argument_inspectors = target.cluster().argument_inspectors();
    worker.allow = context.allowed();
    worker.hang_timeout = Some(HANG_TIMEOUT);
    worker.idle = Some(Arc::clone(&context.idle_jvms));
    worker.measures_time = !context.config.budget.counts_steps();
    if context.config.budget.counts_steps() {
        worker.idle = None;
        (worker.candidate_timeout, worker.least_timeout) = (OWN_TIMEOUT, OWN_TIMEOUT);
        worker.hang_timeout = Some(STEPS_HANG_TIMEOUT);
    }
    if target.cluster().has_requests() {
        (worker.candidate_timeout, worker.least_timeout) = (REQUEST_TIMEOUT, REQUEST_TIMEOUT);
    }
    worker
}

/// A worker with the classes of the earlier version.
pub(super) fn earlier_worker_config(
    context: &Context<'_>,
    target: &Target,
    earlier: &EarlierVersion,
    mode: ProbeMode,
) -> WorkerConfig {
    let mut worker = worker_config(context, target, mode);
    worker.classpath.clone_from(&earlier.class_path);
    // The goals of its class files are not measured.
    worker.targets = Vec::new();
    (worker.branch_slots, worker.line_slots) = (0, 0);
    worker.idle = None;
    worker
}

/// The worker of the search, whose timeouts depend on the time budget.
pub(super) fn search_config(context: &Context<'_>, target: &Target) -> WorkerConfig {
    let mut worker = worker_config(context, target, ProbeMode::Search);
    if let Budget::Time(budget) = context.config.budget {
        if !target.cluster().has_requests() {
            worker.candidate_timeout = (budget / CANDIDATES_PER_BUDGET).clamp(LEAST_FIRST_TIMEOUT, worker.candidate_timeout);
        }
        worker.least_timeout = LEAST_TIMEOUT;
    }
    worker
}
