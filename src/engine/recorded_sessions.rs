//! What a session of existing tests gives to the generation of new ones. Flows in: the session's folder, then one class after the other; flows out:
//! a search that begins with the session's values and calls, without the goals that its tests cover. Must not know how either is found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, bounded};
use tracewright_trace::numbering::search_sites;

use super::EngineError;
use super::class::Target;
use super::mutant_search::MutantSearch;
use crate::carving::{CallIndex, CarvedFacts};
use crate::path::BranchOutcome;
use crate::program::{ClassName, MethodRef, Program};
use crate::project::JdkImage;
use crate::recording::{RecordedProcess, Session, SessionClasses};
use crate::report::ExistingReport;
use crate::search::{GoalId, Search};
use crate::testcase::{CarvedSequence, TestCase};

/// What reading sessions ends with.
type Read = Result<Vec<CallIndex>, EngineError>;

/// The processes of sessions, looked through once for all classes, while the first of them is searched already: a large session takes seconds.
#[derive(Debug)]
pub(crate) struct RecordedSessions {
    reading: Mutex<Option<JoinHandle<Read>>>,
    processes: OnceLock<Read>,
}

/// The classes of a process of a session; JDKs are opened once each.
pub(crate) fn classes_of(
    recorded: &RecordedProcess,
    images: &mut BTreeMap<String, Arc<JdkImage>>,
) -> Result<SessionClasses, EngineError> {
    let home = &recorded.process.jdk_home;
    let image = match images.get(home) {
        Some(image) => image.clone(),
        None => {
            let image = JdkImage::open(Path::new(home)).map_err(|error| EngineError::Input(error.to_string()))?;
            images.entry(home.clone()).or_insert(Arc::new(image)).clone()
        }
    };
    Ok(SessionClasses::new(recorded, image))
}

impl RecordedSessions {
    /// Begins to read. What is no session is told at once.
    pub(crate) fn open(folders: Vec<PathBuf>) -> Result<RecordedSessions, EngineError> {
        for folder in &folders {
            Session::check(folder).map_err(super::input)?;
        }
        let reading = std::thread::Builder::new().name("session".into()).spawn(move || read(&folders));
        let reading = reading.map_err(|error| EngineError::Fault(format!("no thread to read the session: {error}")))?;
        Ok(RecordedSessions { reading: Mutex::new(Some(reading)), processes: OnceLock::new() })
    }

    /// Once they are read.
    fn processes(&self) -> Result<&[CallIndex], EngineError> {
        let read = self.processes.get_or_init(|| {
            let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner).take();
            let read = reading.and_then(|reading| reading.join().ok());
            read.unwrap_or_else(|| Err(EngineError::Fault("reading the session panicked".into())))
        });
        read.as_deref().map_err(Clone::clone)
    }

    /// Why the session cannot be read, if it is known by now that it cannot.
    pub(crate) fn fault(&self) -> Option<&EngineError> {
        self.processes.get()?.as_ref().err()
    }

    /// What all processes tell of the classes of a target, when that is known.
    pub(crate) fn of(self: &Arc<Self>, target: &Target, program: &Arc<Program>) -> Receiver<Result<CarvedFacts, EngineError>> {
        let names: BTreeSet<ClassName> = target.classes().iter().map(|class| class.name.clone()).collect();
        let (existing, program) = (Arc::clone(self), Arc::clone(program));
        let (tell, told) = bounded(1);
        std::thread::spawn(move || {
            let past = existing.processes().map(|processes| {
                let mut all = CarvedFacts::default();
                for process in processes {
                    all.add(process.carve(&names, &program));
                }
                all
            });
            tracing::debug!("what the session tells of the class is known");
            // A class that is done with by then does not hear of it.
            let _ = tell.send(past);
        });
        told
    }
}

fn read(folders: &[PathBuf]) -> Read {
    let mut recorded = Vec::new();
    for folder in folders {
        recorded.extend(Session::open(folder).map_err(super::input)?.processes);
    }
    tracing::debug!(runs = recorded.iter().map(|process| process.runs.len()).sum::<usize>(), "the session is opened");
    let mut images = BTreeMap::new();
    let mut processes = Vec::new();
    for recorded in recorded.into_iter().filter(|recorded| !recorded.runs.is_empty()) {
        let program = Program::new(classes_of(&recorded, &mut images)?);
        processes.push(CallIndex::new(Arc::new(recorded), Arc::new(program)));
    }
    tracing::debug!("the session is looked through");
    Ok(processes)
}

/// Seeds the search; the answer's test cases are the lives that it begins with. `keep_all`: goals that the recorded tests cover stay goals.
pub(crate) fn begin(
    past: CarvedFacts,
    target: &Target,
    program: &Program,
    search: &mut Search,
    mutant_search: Option<&mut MutantSearch<'_>>,
    keep_all: bool,
) -> (ExistingReport, Vec<TestCase>) {
    let mut report = ExistingReport { runs: past.runs, values: past.literals.len(), ..ExistingReport::default() };
    for literal in past.literals {
        search.seed(literal);
    }
    let rebuilt = |life: &CarvedSequence| {
        let test = search.rebuild(life);
        tracing::debug!("life\n{life}rebuilt\n{}", test.as_ref().map(ToString::to_string).unwrap_or_default());
        test
    };
    let lives: Vec<TestCase> = past.sequences.iter().filter_map(rebuilt).collect();
    report.calls = lives.len();
    let ran = |method: &MethodRef, bci: u32| past.covered.instructions.get(method).is_some_and(|bcis| bcis.contains(&bci));
    let goals = ClosedGoals::new(target, program, search, ran, &past.covered.branches);
    (report.lines, report.branches) = (goals.lines.len(), goals.branches.len());
    if !keep_all {
        report.left_out = goals.lines.len() + goals.branches.len();
        if let Some(mutant_search) = mutant_search {
            report.left_out += mutant_search.leave_out(ran);
        }
        search.settle(goals.all());
    }
    (report, lives)
}

/// Goals that are none: recorded runs cover them, or no change reaches them.
pub(crate) struct ClosedGoals {
    lines: BTreeSet<GoalId>,
    branches: BTreeSet<GoalId>,
    methods: BTreeSet<GoalId>,
}

impl ClosedGoals {
    /// `ran`: whether an instruction is settled, `branches`: the outcomes that are.
    pub(crate) fn new(
        target: &Target,
        program: &Program,
        search: &Search,
        ran: impl Fn(&MethodRef, u32) -> bool,
        branches: &BTreeSet<BranchOutcome>,
    ) -> ClosedGoals {
        let goals = search.goals();
        let mut settled = ClosedGoals { lines: BTreeSet::new(), branches: BTreeSet::new(), methods: BTreeSet::new() };
        settled.branches.extend(branches.iter().filter_map(|branch| goals.branch_goal(target.slot_of(branch)?)));
        for class in target.classes() {
            let Some(model) = program.class(&class.name) else { continue };
            let sites = search_sites(&model.file).map(|sites| sites.lines).unwrap_or_default();
            for site in sites {
                let Some(method) = model.methods.iter().find(|method| method.index == site.method) else { continue };
                if ran(&method.reference, site.bci) {
                    settled.lines.extend(goals.line_goal(class.line_base + site.slot));
                }
            }
            for method in model.methods.iter().filter(|method| ran(&method.reference, 0)) {
                settled.methods.extend(goals.method_goals(&method.reference));
            }
        }
        settled
    }

    pub(crate) fn all(self) -> impl Iterator<Item = GoalId> {
        self.lines.into_iter().chain(self.branches).chain(self.methods)
    }
}
