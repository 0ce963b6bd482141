//! The frames between worker and runner.
//!
//! In: test cases. Out: bytes, and executions from bytes. Must not know processes.
//!
//! A frame is the length of kind and payload (4 bytes), the kind (1 byte) and the payload; all
//! numbers are big-endian. `Wire.java` is the other end, `Program.java` reads test cases,
//! `Session.java` writes results.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tracewright_text::ByteReader;
use tracewright_trace::{BranchSlot, LineSlot};

use super::WorkerConfig;
use super::snapshots::decode_snapshot;
use crate::execution::{
    ArgumentValue, Execution, Interaction, Leftovers, MutantMark, MutantRun, RunEnd, Thrown, ValueClass, WorldPart,
};
use crate::program::{ClassName, FieldRef, JavaType, MethodRef};
use crate::testcase::{Answer, AnswerOutcome, Literal, StatementKind, StubKind, TestCase, VarId};

/// Frames from a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Ready,
    Result,
    Fatal,
    Compiled,
    AnnouncedClasses,
    TestStarted,
    TestFinished,
    Done,
}

impl FrameKind {
    /// The kind with this number on the wire.
    pub(crate) fn from_number(number: u8) -> Option<FrameKind> {
        use FrameKind::{AnnouncedClasses, Compiled, Done, Fatal, Ready, Result, TestFinished, TestStarted};
        [Ready, Result, Fatal, Compiled, AnnouncedClasses, TestStarted, TestFinished, Done]
            .get(usize::from(number).checked_sub(1)?)
            .copied()
    }
}

const CONFIG: u8 = 1;
const DEFINE: u8 = 2;
const RUN: u8 = 3;
const COMPILE: u8 = 4;
const MUTATE: u8 = 5;
const JUNIT: u8 = 6;

/// A frame being written.
#[derive(Debug)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    fn frame(kind: u8) -> Writer {
        Writer(vec![0, 0, 0, 0, kind])
    }

    /// The bytes of the frame, with its length in front.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let length = (self.0.len() - 4) as u32;
        self.0[..4].copy_from_slice(&length.to_be_bytes());
        self.0
    }

    fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    fn u16(&mut self, value: u16) {
        self.0.extend(value.to_be_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.0.extend(value.to_be_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.0.extend(value.to_be_bytes());
    }

    fn string(&mut self, value: &str) {
        self.u32(value.len() as u32);
        self.0.extend(value.as_bytes());
    }

    fn chars(&mut self, units: &[u16]) {
        self.u32(units.len() as u32);
        self.0.extend(units.iter().flat_map(|unit| unit.to_be_bytes()));
    }

    fn tests(&mut self, tests: &[Vec<u8>]) {
        self.u32(tests.len() as u32);
        for test in tests {
            self.u32(test.len() as u32);
            self.0.extend(test);
        }
    }
}

/// The first frame. `temporary` is the folder that code under test may write to. With `prepare` the
/// runner initialises the targets ahead of the first execution.
pub(crate) fn config_frame(config: &WorkerConfig, temporary: &str, agent: &str, grace_millis: u32, prepare: bool) -> Vec<u8> {
    let mut out = Writer::frame(CONFIG);
    out.string(temporary);
    out.string(agent);
    out.u8(match config.mode {
        super::ProbeMode::Search => 1,
        super::ProbeMode::Trace => 2,
        super::ProbeMode::Mutants => 3,
        super::ProbeMode::Guard => 0,
    });
    out.u64(config.event_budget);
    let millis = |time: std::time::Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX / 2).min(i32::MAX as u32);
    out.u32(millis(config.candidate_timeout));
    out.u32(millis(config.least_timeout));
    out.u32(config.hang_timeout.map_or(0, millis));
    out.u32(grace_millis);
    out.u8(u8::from(config.pins.set_salt.is_some()));
    out.u32(config.pins.set_salt.unwrap_or(0));
    out.u8(u8::from(prepare));
    out.string(&config.pins.surroundings.thread);
    out.u32(config.classpath.len() as u32);
    for entry in &config.classpath {
        out.string(&entry.to_string_lossy());
    }
    out.u32(config.targets.len() as u32);
    for target in &config.targets {
        out.string(&target.name.binary());
        out.u32(target.branch_base.0);
        out.u32(target.line_base.0);
    }
    out.u32(config.argument_inspectors.len() as u32);
    for inspector in &config.argument_inspectors {
        out.string(&inspector.owner.binary());
        out.string(&inspector.name);
        out.string(&inspector.descriptor);
    }
    out.finish()
}

/// A request to the compile server.
pub(crate) fn compile_frame(
    sources: &[(String, String)],
    classpath: &[String],
    release: u32,
    out_folder: &str,
    processors: bool,
) -> Vec<u8> {
    let mut out = Writer::frame(COMPILE);
    out.u32(sources.len() as u32);
    for (path, text) in sources {
        out.string(path);
        out.string(text);
    }
    out.u32(classpath.len() as u32);
    for entry in classpath {
        out.string(entry);
    }
    out.u32(release);
    out.string(out_folder);
    out.u8(u8::from(processors));
    out.finish()
}

/// The JUnit classes to run, by binary name.
pub(crate) fn junit_frame(classes: &[String], own: &[String]) -> Vec<u8> {
    let mut out = Writer::frame(JUNIT);
    for names in [classes, own] {
        out.u32(names.len() as u32);
        names.iter().for_each(|name| out.string(name));
    }
    out.finish()
}

/// A batch of encoded test cases. `cautious`: each result is sent before the next test case begins.
pub(crate) fn run_frame(tests: &[Vec<u8>], observe: bool, cautious: bool) -> Vec<u8> {
    let mut out = Writer::frame(RUN);
    out.u8(u8::from(observe) | u8::from(cautious) << 1);
    out.tests(tests);
    out.finish()
}

/// Encoded test cases, and executions of them under mutants; mutant 0 is the unchanged class.
pub(crate) fn mutate_frame(tests: &[Vec<u8>], runs: &[MutantRun], cautious: bool) -> Vec<u8> {
    let mut out = Writer::frame(MUTATE);
    out.u8(u8::from(cautious) << 1);
    out.tests(tests);
    out.u32(runs.len() as u32);
    for MutantRun { test, mutant } in runs {
        out.u32(test.0);
        out.u32(mutant.map_or(0, |mutant| mutant.0));
    }
    out.finish()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum CallKind {
    Static = 0,
    Virtual = 1,
    Interface = 2,
    Constructor = 3,
}

/// Ids of types, methods and fields, given in order of first use. They are the same for every JVM
/// of a worker: each JVM gets the definitions that it lacks before it needs them.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    types: HashMap<String, u32>,
    methods: HashMap<(MethodRef, CallKind), u32>,
    fields: HashMap<(FieldRef, bool), u32>,
    type_list: Vec<String>,
    method_list: Vec<(u32, MethodRef, CallKind)>,
    field_list: Vec<(u32, FieldRef, u32, bool)>,
}

/// How many definitions of a dictionary one JVM has received.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SentDefinitions {
    types: usize,
    methods: usize,
    fields: usize,
}

/// The receiver of a static member.
const NO_VARIABLE: u16 = u16::MAX;

impl Dictionary {
    /// A frame with the definitions that the JVM has not received; `None` when it has all. Updates
    /// `known`.
    pub(crate) fn definitions(&self, known: &mut SentDefinitions) -> Option<Vec<u8>> {
        let (types, methods, fields) =
            (&self.type_list[known.types..], &self.method_list[known.methods..], &self.field_list[known.fields..]);
        if types.is_empty() && methods.is_empty() && fields.is_empty() {
            return None;
        }
        let mut out = Writer::frame(DEFINE);
        out.u32(types.len() as u32);
        types.iter().for_each(|descriptor| out.string(descriptor));
        out.u32(methods.len() as u32);
        for (owner, method, kind) in methods {
            out.u32(*owner);
            out.string(&method.name);
            out.string(&method.descriptor);
            out.u8(*kind as u8);
        }
        out.u32(fields.len() as u32);
        for (owner, field, ty, is_static) in fields {
            out.u32(*owner);
            out.string(&field.name);
            out.u32(*ty);
            out.u8(u8::from(*is_static));
        }
        *known = SentDefinitions { types: self.type_list.len(), methods: self.method_list.len(), fields: self.field_list.len() };
        Some(out.finish())
    }

    fn ty(&mut self, descriptor: String) -> u32 {
        if let Some(&id) = self.types.get(&descriptor) {
            return id;
        }
        let id = self.type_list.len() as u32;
        self.type_list.push(descriptor.clone());
        self.types.insert(descriptor, id);
        id
    }

    fn method(&mut self, method: &MethodRef, kind: CallKind) -> u32 {
        // The key is cheap: names are shared, so cloning copies three pointers.
        let key = (method.clone(), kind);
        if let Some(&id) = self.methods.get(&key) {
            return id;
        }
        let owner = self.ty(format!("L{};", method.owner));
        let id = self.method_list.len() as u32;
        self.method_list.push((owner, method.clone(), kind));
        self.methods.insert(key, id);
        id
    }

    fn field(&mut self, field: &FieldRef, is_static: bool) -> u32 {
        let key = (field.clone(), is_static);
        if let Some(&id) = self.fields.get(&key) {
            return id;
        }
        let owner = self.ty(format!("L{};", field.owner));
        let ty = self.ty(field.descriptor.to_string());
        let id = self.field_list.len() as u32;
        self.field_list.push((owner, field.clone(), ty, is_static));
        self.fields.insert(key, id);
        id
    }

    /// Encodes a test case.
    ///
    /// # Errors
    /// A sentence, when the test case exceeds the encoding: 65,534 statements, 255 arguments of a
    /// call, 65,535 elements or answers.
    pub(crate) fn encode(&mut self, test: &TestCase) -> Result<Vec<u8>, String> {
        let mut out = Writer(Vec::with_capacity(16 * test.statements.len() + 2));
        let count = u16::try_from(test.statements.len()).ok().filter(|&count| count < NO_VARIABLE);
        out.u16(count.ok_or("a test case has more than 65,534 statements")?);
        for statement in &test.statements {
            self.statement(&statement.kind, &mut out)?;
        }
        Ok(out.0)
    }

    fn statement(&mut self, kind: &StatementKind, out: &mut Writer) -> Result<(), String> {
        match kind {
            StatementKind::Literal(literal) => self.literal(literal, out),
            StatementKind::Construct { constructor, args } => {
                let id = self.method(constructor, CallKind::Constructor);
                out.u8(11);
                out.u32(id);
                out.u16(NO_VARIABLE);
                arguments(args, out)?;
            }
            StatementKind::Call { method, interface, receiver, args } => {
                let kind = match (receiver, interface) {
                    (None, _) => CallKind::Static,
                    (Some(_), true) => CallKind::Interface,
                    (Some(_), false) => CallKind::Virtual,
                };
                let id = self.method(method, kind);
                out.u8(12);
                out.u32(id);
                out.u16(variable(*receiver));
                arguments(args, out)?;
            }
            StatementKind::GetField { field, receiver } => {
                let id = self.field(field, receiver.is_none());
                out.u8(13);
                out.u32(id);
                out.u16(variable(*receiver));
            }
            StatementKind::PutField { field, receiver, value } => {
                let id = self.field(field, receiver.is_none());
                out.u8(14);
                out.u32(id);
                out.u16(variable(*receiver));
                out.u16(variable(Some(*value)));
            }
            StatementKind::Array { element, length, elements } => {
                let id = self.ty(element.descriptor());
                out.u8(15);
                out.u32(id);
                out.u32(*length);
                out.u16(u16::try_from(elements.len()).map_err(|_| "an array has more than 65,535 listed elements")?);
                elements.iter().for_each(|element| out.u16(variable(Some(*element))));
            }
            StatementKind::PutElement { array, index, value } => {
                out.u8(16);
                out.u16(variable(Some(*array)));
                out.u32(*index);
                out.u16(variable(Some(*value)));
            }
            StatementKind::Stub { class, kind, answers } => {
                let id = self.ty(format!("L{class};"));
                out.u8(17);
                out.u32(id);
                out.u8(u8::from(*kind == StubKind::Mock));
                out.u16(u16::try_from(answers.len()).map_err(|_| "a stub has more than 65,535 answers")?);
                for answer in answers {
                    self.answer(answer, out)?;
                }
            }
        }
        Ok(())
    }

    fn answer(&mut self, answer: &Answer, out: &mut Writer) -> Result<(), String> {
        let id = self.method(&answer.method, CallKind::Interface);
        out.u32(id);
        out.u8(u8::try_from(answer.arguments.len()).map_err(|_| "an answer has more than 255 arguments")?);
        answer.arguments.iter().for_each(|argument| out.u16(variable(*argument)));
        out.u16(u16::try_from(answer.outcomes.len()).map_err(|_| "an answer has more than 65,535 outcomes")?);
        for outcome in &answer.outcomes {
            out.u8(u8::from(matches!(outcome, AnswerOutcome::Throws(_))));
            out.u16(variable(Some(outcome.variable())));
        }
        Ok(())
    }

    fn literal(&mut self, literal: &Literal, out: &mut Writer) {
        match literal {
            Literal::Null => out.u8(0),
            Literal::Boolean(value) => {
                out.u8(1);
                out.u8(u8::from(*value));
            }
            Literal::Byte(value) => {
                out.u8(2);
                out.u8(*value as u8);
            }
            Literal::Char(value) => {
                out.u8(3);
                out.u16(*value);
            }
            Literal::Short(value) => {
                out.u8(4);
                out.u16(*value as u16);
            }
            Literal::Int(value) => {
                out.u8(5);
                out.u32(*value as u32);
            }
            Literal::Long(value) => {
                out.u8(6);
                out.u64(*value as u64);
            }
            Literal::Float(bits) => {
                out.u8(7);
                out.u32(*bits);
            }
            Literal::Double(bits) => {
                out.u8(8);
                out.u64(*bits);
            }
            Literal::Str(units) => {
                out.u8(9);
                out.chars(units);
            }
            Literal::Class(ty) => {
                let id = self.ty(ty.descriptor());
                out.u8(10);
                out.u32(id);
            }
        }
    }
}

fn variable(variable: Option<VarId>) -> u16 {
    // `encode` has bounded the number of statements, and a statement refers only to earlier ones.
    variable.map_or(NO_VARIABLE, |variable| variable.0 as u16)
}

fn arguments(args: &[VarId], out: &mut Writer) -> Result<(), String> {
    out.u8(u8::try_from(args.len()).map_err(|_| "a call has more than 255 arguments")?);
    args.iter().for_each(|argument| out.u16(variable(Some(*argument))));
    Ok(())
}

/// A payload being read. Every method is `None` when the rest is too short.
#[derive(Debug)]
pub(crate) struct PayloadReader<'a>(ByteReader<'a>);

impl<'a> PayloadReader<'a> {
    /// A reader at the start of the payload.
    pub(crate) fn new(payload: &'a [u8]) -> PayloadReader<'a> {
        PayloadReader(ByteReader::new(payload))
    }

    /// One byte; `None` at the end.
    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.0.u8()
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.0.u16_be()
    }

    /// Four bytes, big-endian; `None` when fewer are left.
    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.0.u32_be()
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.0.array().map(i32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.0.u64_be()
    }

    /// A string with its length; `None` when it is truncated or no UTF-8.
    pub(crate) fn string(&mut self) -> Option<String> {
        let length = self.u32()? as usize;
        Some(String::from_utf8_lossy(self.0.bytes(length)?).into_owned())
    }

    pub(super) fn chars(&mut self) -> Option<Vec<u16>> {
        let length = self.u32()? as usize;
        let (units, _) = self.0.bytes(length.checked_mul(2)?)?.as_chunks::<2>();
        Some(units.iter().map(|unit| u16::from_be_bytes(*unit)).collect())
    }

    pub(super) fn flag(&mut self) -> Option<bool> {
        self.u8().map(|flag| flag != 0)
    }

    /// A list: its length in four bytes, then the elements.
    pub(super) fn list<T>(&mut self, mut one: impl FnMut(&mut PayloadReader<'a>) -> Option<T>) -> Option<Vec<T>> {
        let count = self.u32()? as usize;
        // Every element takes at least one byte: an impossible count reserves no memory.
        let mut list = Vec::with_capacity(count.min(self.0.rest().len()));
        for _ in 0..count {
            list.push(one(self)?);
        }
        Some(list)
    }
}

/// Classes that results refer to by number. The numbers belong to one JVM.
#[derive(Debug, Default)]
pub(crate) struct AnnouncedClasses(Vec<JavaType>);

impl AnnouncedClasses {
    /// Adds the classes of a `Classes` frame; `None` when the frame is malformed.
    pub(crate) fn announce(&mut self, payload: &[u8]) -> Option<()> {
        let mut reader = PayloadReader::new(payload);
        let announced = reader.list(|reader| JavaType::parse(&reader.string()?))?;
        self.0.extend(announced);
        Some(())
    }

    pub(super) fn get(&self, id: u32) -> Option<JavaType> {
        self.0.get(id as usize).cloned()
    }

    pub(super) fn class(&self, id: u32) -> Option<ClassName> {
        match self.get(id)? {
            JavaType::Class(name) => Some(name),
            _ => None,
        }
    }
}

/// Whether the bytes are the payload of an announcement of classes.
pub(crate) fn are_announced_classes(payload: &[u8]) -> bool {
    AnnouncedClasses::default().announce(payload).is_some()
}

/// Whether the bytes are the payload of a `Result` frame of a JVM that has announced three classes.
pub(crate) fn is_result(payload: &[u8]) -> bool {
    let classes = AnnouncedClasses(vec![
        JavaType::class("java/lang/String"),
        JavaType::class("p/A"),
        JavaType::Array(Box::new(JavaType::INT)),
    ]);
    decode_result(payload, &classes).is_some()
}

/// A `Result` frame.
#[derive(Debug)]
pub(crate) struct ResultFrame {
    /// Number of the test case in its batch.
    pub(crate) index: u32,
    pub(crate) execution: Execution,
    /// The JVM asks to be replaced.
    pub(crate) replace: bool,
    /// Since its start.
    pub(crate) fresh_loaders: u32,
    /// Since its start.
    pub(crate) reinitialised: u32,
    /// The mutants that an execution without a mutant has reached.
    pub(crate) marks: Vec<MutantMark>,
}

/// The result of one execution; `None` when the payload is malformed.
pub(crate) fn decode_result(payload: &[u8], classes: &AnnouncedClasses) -> Option<ResultFrame> {
    let mut reader = PayloadReader::new(payload);
    let index = reader.u32()?;
    let end = decode_end(&mut reader, classes)?;
    let branches = reader.list(|reader| Some((BranchSlot(reader.u32()?), f64::from_bits(reader.u64()?))))?;
    let lines = reader.list(|reader| reader.u32().map(LineSlot))?;
    let (mut run_time_classes, mut outputs) = (Vec::new(), Vec::new());
    for _ in 0..reader.u16()? {
        run_time_classes.push(match reader.u32()? {
            u32::MAX => None,
            id => Some(classes.get(id)?),
        });
        outputs.push(match reader.u8()? {
            0 => None,
            code => Some(*ValueClass::ALL.get(usize::from(code) - 1)?),
        });
    }
    let seen_strings = reader.list(PayloadReader::chars)?;
    let (mut snapshots, mut final_snapshots, mut interactions) = (Vec::new(), Vec::new(), Vec::new());
    if reader.flag()? {
        for list in [&mut snapshots, &mut final_snapshots] {
            for _ in 0..run_time_classes.len() {
                list.push(decode_snapshot(&mut reader, classes, 0)?);
            }
        }
        interactions = reader.list(|reader| decode_interaction(reader, classes))?;
    }
    let flags = reader.u8()?;
    let (fresh_loaders, reinitialised) = (reader.u32()?, reader.u32()?);
    let marks = reader.list(|reader| reader.u32().map(MutantMark))?;
    let world = WorldPart::from_bits(reader.u16()?);
    let mut changed_classes = BTreeSet::new();
    for _ in 0..reader.u16()? {
        changed_classes.insert(classes.class(reader.u32()?)?);
    }
    let execution = Execution {
        end,
        branches,
        lines,
        snapshots,
        final_snapshots,
        classes: run_time_classes,
        outputs,
        seen_strings,
        interactions,
        left_running: flags & 2 != 0,
        leftovers: Leftovers { classes: changed_classes, world, idle_threads: flags & 4 != 0 },
        took: Duration::ZERO,
    };
    Some(ResultFrame { index, execution, replace: flags & 1 != 0, fresh_loaders, reinitialised, marks })
}

fn decode_end(reader: &mut PayloadReader<'_>, classes: &AnnouncedClasses) -> Option<RunEnd> {
    let kind = reader.u8()?;
    if kind == 0 {
        return Some(RunEnd::Completed);
    }
    let statement = reader.u32()?;
    Some(match kind {
        1 => {
            let class = classes.class(reader.u32()?)?;
            let message = if reader.flag()? { Some(reader.chars()?) } else { None };
            let in_project = reader.flag()?;
            let mut frames = Vec::new();
            for _ in 0..reader.u8()? {
                frames.push((ClassName::from_binary(&reader.string()?), reader.string()?, reader.i32()?));
            }
            RunEnd::Threw { statement, thrown: Thrown { class, message, in_project, frames } }
        }
        2 => RunEnd::Budget { statement },
        3 => RunEnd::Refused { statement, what: reader.string()? },
        4 => RunEnd::Exhausted { statement, what: reader.string()? },
        5 => RunEnd::Illegal { statement, why: reader.string()? },
        6 => RunEnd::Timeout { statement },
        _ => return None,
    })
}

/// A call on a mock, as `Interactions.java` writes it.
fn decode_interaction(reader: &mut PayloadReader<'_>, classes: &AnnouncedClasses) -> Option<Interaction> {
    let variable = |number: i32| u32::try_from(number).ok().map(VarId);
    let statement = reader.u32()?;
    let mock = variable(reader.i32()?)?;
    let method = decode_method(reader)?;
    let arguments = reader.list(|reader| {
        let variable = variable(reader.i32()?);
        let snapshot = decode_snapshot(reader, classes, 0)?;
        let inspected = reader.list(|reader| Some((decode_method(reader)?, decode_snapshot(reader, classes, 0)?)))?;
        Some(ArgumentValue { snapshot, variable, inspected })
    })?;
    Some(Interaction { statement, mock, method, arguments })
}

/// A method by the binary name of its class, its name and its descriptor.
fn decode_method(reader: &mut PayloadReader<'_>) -> Option<MethodRef> {
    let owner = ClassName::from_binary(&reader.string()?);
    let (name, descriptor) = (reader.string()?, reader.string()?);
    JavaType::parse_method(&descriptor)?;
    Some(MethodRef::new(owner, &name, &descriptor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::Snapshot;

    /// The bytes are those that `Session.java` and `Snapshots.java` write.
    #[test]
    fn a_result_is_read_whole_and_every_truncation_is_refused() {
        let mut classes = AnnouncedClasses::default();
        let mut announcement = Writer(Vec::new());
        announcement.u32(2);
        announcement.string("Lp/A;");
        announcement.string("[I");
        classes.announce(&announcement.0).expect("well-formed");
        let mut out = Writer(Vec::new());
        out.u32(3);
        out.u8(1);
        out.u32(1);
        out.u32(0);
        out.u8(1);
        out.chars(&[104, 0xD800]);
        out.u8(1);
        out.u8(1);
        out.string("p.A");
        out.string("m");
        out.u32(7);
        out.u32(1);
        out.u32(4);
        out.u64(2.5f64.to_bits());
        out.u32(1);
        out.u32(9);
        out.u16(2);
        out.u32(1);
        out.u8(8);
        out.u32(u32::MAX);
        out.u8(0);
        out.u32(0);
        out.u8(1);
        for _ in 0..2 {
            out.0.extend([14, 0, 0, 0, 1, 0, 0, 0, 1, 1, 6, 0, 0, 0, 5, 0]);
        }
        // One call with one argument, of which one inspector returns null.
        out.u32(1);
        out.u32(5);
        out.u32(4);
        for text in ["p.A", "save", "(Lp/V;)V"] {
            out.string(text);
        }
        out.u32(1);
        out.u32(u32::MAX);
        out.u8(1);
        out.u32(1);
        for text in ["p.V", "name", "()Ljava/lang/String;"] {
            out.string(text);
        }
        out.u8(1);
        out.u8(3);
        out.u32(1);
        out.u32(2);
        out.u32(1);
        out.u32(7);
        out.u16(0b10_0000_0010);
        out.u16(1);
        out.u32(0);
        let answer = decode_result(&out.0, &classes).expect("well-formed");
        assert_eq!((answer.index, answer.replace, answer.fresh_loaders, answer.reinitialised), (3, true, 1, 2));
        let leftovers = &answer.execution.leftovers;
        assert!(leftovers.classes.iter().map(ClassName::internal).eq(["p/A"]));
        assert!(leftovers.world.iter().eq([&WorldPart::Locale, &WorldPart::Providers]));
        assert_eq!(answer.marks, [MutantMark(7)]);
        let array =
            Snapshot::Array { element: JavaType::parse("[I").unwrap(), length: 1, elements: Some(vec![Snapshot::Int(5)]) };
        assert_eq!(answer.execution.snapshots, [array, Snapshot::Absent]);
        let name = MethodRef::new(ClassName::new("p/V"), "name", "()Ljava/lang/String;");
        let argument = ArgumentValue { snapshot: Snapshot::Null, variable: None, inspected: vec![(name, Snapshot::Null)] };
        let save = MethodRef::new(ClassName::new("p/A"), "save", "(Lp/V;)V");
        assert_eq!(
            answer.execution.interactions,
            [Interaction { statement: 5, mock: VarId(4), method: save, arguments: vec![argument] }]
        );
        assert_eq!(answer.execution.branches, [(BranchSlot(4), 2.5)]);
        assert_eq!(answer.execution.classes, [JavaType::parse("[I"), None]);
        assert_eq!(answer.execution.outputs, [Some(ValueClass::Empty), None]);
        let RunEnd::Threw { statement: 1, thrown } = answer.execution.end else { panic!("{:?}", answer.execution.end) };
        assert_eq!(thrown.frames, [(ClassName::new("p/A"), "m".to_string(), 7)]);
        assert_eq!(thrown.message, Some(vec![104, 0xD800]));
        for length in 0..out.0.len() {
            assert!(decode_result(&out.0[..length], &classes).is_none(), "{length}");
        }
    }

    #[test]
    fn each_jvm_gets_the_definitions_that_it_lacks() {
        let mut dictionary = Dictionary::default();
        let mut known = SentDefinitions::default();
        assert!(dictionary.definitions(&mut known).is_none());
        let method = MethodRef::new(ClassName::new("p/A"), "m", "()V");
        assert_eq!(dictionary.method(&method, CallKind::Static), 0);
        assert_eq!(dictionary.method(&method, CallKind::Virtual), 1);
        assert_eq!(dictionary.method(&method, CallKind::Static), 0);
        assert!(dictionary.definitions(&mut known).is_some());
        assert!(dictionary.definitions(&mut known).is_none());
        assert_eq!(dictionary.definitions(&mut SentDefinitions::default()).map(|frame| frame[4]), Some(DEFINE));
    }
}
