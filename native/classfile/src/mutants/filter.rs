//! What is not mutated: code that the compiler wrote and nobody can test, changes that change nothing, loops that would never end. In: a
//! class; out: yes or no for methods, and for an operator at a bci. The rules are those that PIT applies by default.

use super::Operator;
use crate::class::ClassFile;
use crate::code::Code;
use crate::edit::skip_annotation;
use crate::error::ParseError;
use crate::instruction::{BinaryOp, Condition, Instruction, Kind, Op};
use crate::opcode;
use crate::pool::{Constant, ConstantPool, MemberRef};
use crate::reader::Reader;
use std::collections::{BTreeMap, BTreeSet};

/// Classes whose names begin so belong to a logging framework.
const LOGGING: [&str; 5] =
    ["java/util/logging", "org/apache/log4j", "org/apache/logging/log4j", "org/slf4j", "org/apache/commons/logging"];
/// Annotations that keep a class or a method from being mutated, by their simple names.
const EXCLUDING: [&str; 3] = ["Generated", "DoNotMutate", "CoverageIgnore"];

/// Of one class.
pub(crate) struct Filters {
    /// By method index.
    methods: Vec<bool>,
    /// Lines on which something is logged.
    logging: BTreeSet<u16>,
}

impl Filters {
    pub(crate) fn new(class: &ClassFile) -> Result<Filters, ParseError> {
        let methods = class.methods().len();
        let excluded = annotations(class, |name| class.attribute(name)).iter().any(|name| excludes(name));
        if class.access().is_synthetic() || class.access().is_module() || excluded {
            return Ok(Filters { methods: vec![false; methods], logging: BTreeSet::new() });
        }
        let mut codes = Vec::with_capacity(methods);
        for method in class.methods() {
            codes.push(method.code()?);
        }
        let mut admitted = vec![true; methods];
        let declared = if class.super_class() == Some("java/lang/Record") { declaration_line(&codes) } else { None };
        for method in class.methods() {
            let access = method.access();
            let lambda = method.name().starts_with("lambda$");
            let code = codes[method.index()].as_ref();
            let enum_made = class.super_class() == Some("java/lang/Enum")
                && match method.name() {
                    "<init>" => true,
                    "valueOf" => method.descriptor() == format!("(Ljava/lang/String;)L{};", class.this_class()),
                    "values" => method.descriptor() == format!("()[L{};", class.this_class()),
                    _ => false,
                };
            let record_made =
                declared.is_some() && code.is_some_and(|code| code.line_numbers.iter().any(|entry| Some(entry.line) == declared));
            let annotated = annotations(class, |name| method.attribute(name)).iter().any(|name| excludes(name));
            if (access.is_synthetic() && !lambda) || access.is_bridge() || enum_made || record_made || annotated {
                admitted[method.index()] = false;
            }
        }
        for index in only_initialising(class, &codes) {
            admitted[index] = false;
        }
        let mut logging = BTreeSet::new();
        for code in codes.iter().flatten() {
            for instruction in &code.instructions {
                let logs = |member: &MemberRef<'_>| LOGGING.iter().any(|prefix| member.owner.starts_with(prefix));
                if called(class.constant_pool(), instruction).as_ref().is_some_and(logs) {
                    logging.extend(code.line_of(instruction.bci));
                }
            }
        }
        Ok(Filters { methods: admitted, logging })
    }

    /// Whether the method is mutated at all.
    pub(crate) fn admits(&self, method: usize) -> bool {
        self.methods[method]
    }

    pub(crate) fn of_method(&self, class: &ClassFile, code: &Code) -> MethodFilter<'_> {
        let mut filter = MethodFilter { logging: &self.logging, left_out: BTreeMap::new() };
        let scan = Scan { pool: class.constant_pool(), code, instructions: &code.instructions, labels: labels(code) };
        scan.equivalent_returns(&mut filter);
        scan.loops(&mut filter);
        scan.assertions(&mut filter);
        scan.string_switches(&mut filter);
        scan.resources(&mut filter);
        scan.division_by_minus_one(&mut filter);
        filter
    }
}

/// Of one method.
pub(crate) struct MethodFilter<'a> {
    logging: &'a BTreeSet<u16>,
    /// By bci; an empty list means every operator.
    left_out: BTreeMap<u32, Vec<Operator>>,
}

impl MethodFilter<'_> {
    pub(crate) fn admits(&self, bci: u32, operator: Operator, line: u16) -> bool {
        let left_out = self.left_out.get(&bci).is_some_and(|operators| operators.is_empty() || operators.contains(&operator));
        !left_out && !self.logging.contains(&line)
    }

    fn leave_out(&mut self, instruction: &Instruction, operators: &[Operator]) {
        match self.left_out.get_mut(&instruction.bci) {
            Some(known) if known.is_empty() || operators.is_empty() => known.clear(),
            Some(known) => known.extend(operators),
            None => {
                self.left_out.insert(instruction.bci, operators.to_vec());
            }
        }
    }

    fn leave_out_all(&mut self, instructions: &[Instruction]) {
        instructions.iter().for_each(|instruction| self.leave_out(instruction, &[]));
    }
}

/// The bcis to which control can come straight on from the start of a handler that catches everything.
pub(crate) fn in_catch_all(code: &Code) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let handlers: BTreeSet<u32> =
        code.handlers.iter().filter(|handler| handler.catch_type.is_none()).map(|handler| handler.handler).collect();
    for start in handlers {
        let from = code.index_of(start).unwrap_or(code.instructions.len());
        for instruction in &code.instructions[from..] {
            found.insert(instruction.bci);
            if matches!(instruction.op, Op::Return(_) | Op::Athrow) {
                break;
            }
        }
    }
    found
}

/// Descriptors of the annotations of a class or method, as far as they can be read.
pub(crate) fn annotations<'a>(class: &ClassFile, attribute: impl Fn(&str) -> Option<&'a [u8]>) -> Vec<String> {
    let mut names = Vec::new();
    for bytes in ["RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"].into_iter().filter_map(attribute) {
        // What cannot be read excludes nothing.
        let _ = read_annotations(class.constant_pool(), bytes, &mut names);
    }
    names
}

fn read_annotations(pool: &ConstantPool, bytes: &[u8], names: &mut Vec<String>) -> Result<(), ParseError> {
    let mut reader = Reader::new(bytes, "annotations");
    for _ in 0..reader.u16()? {
        let name = Reader::new(&bytes[reader.position()..], "annotations").u16()?;
        names.push(pool.utf8(name)?.to_owned());
        skip_annotation(&mut reader, 0)?;
    }
    Ok(())
}

fn excludes(descriptor: &str) -> bool {
    let name = descriptor.trim_end_matches(';');
    EXCLUDING.contains(&name.rsplit(['/', '$']).next().unwrap_or_default())
}

/// The line of a record's header: the first among those that are all of a method.
fn declaration_line(codes: &[Option<Code>]) -> Option<u16> {
    codes
        .iter()
        .flatten()
        .filter_map(|code| {
            let lines: BTreeSet<u16> = code.line_numbers.iter().map(|entry| entry.line).collect();
            lines.first().copied().filter(|_| lines.len() == 1)
        })
        .min()
}

/// The initialiser of the class, and its private methods that the initialiser calls, directly or through each other. What only builds a
/// function that a static field keeps runs later.
fn only_initialising(class: &ClassFile, codes: &[Option<Code>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let Some(initialiser) = class.find_method("<clinit>", "()V") else { return found };
    let pool = class.constant_pool();
    let kept_functions: BTreeSet<&str> = class
        .fields()
        .filter(|field| field.signature().ok().flatten().is_some_and(names_function))
        .map(|field| field.name())
        .collect();
    let private: BTreeMap<(&str, &str), usize> = class
        .methods()
        .filter(|method| method.access().is_private())
        .map(|method| ((method.name(), method.descriptor()), method.index()))
        .collect();
    let mut waiting = vec![initialiser.index()];
    while let Some(index) = waiting.pop() {
        if !found.insert(index) {
            continue;
        }
        let Some(code) = &codes[index] else { continue };
        // The last place where a function is put into a static field, or an enum constant is finished.
        let keeps = code.instructions.iter().enumerate().rposition(|(at, instruction)| match instruction.op {
            Op::PutStatic(field) => {
                let after_constructor =
                    at > 0 && called(pool, &code.instructions[at - 1]).is_some_and(|called| called.name == "<init>");
                after_constructor || pool.member(field).is_ok_and(|member| kept_functions.contains(member.name))
            }
            _ => false,
        });
        for (at, instruction) in code.instructions.iter().enumerate() {
            let later = keeps.is_some_and(|keeps| at < keeps) && makes_function(pool, instruction);
            if later {
                continue;
            }
            for (owner, name, descriptor) in callees(class, instruction) {
                if owner == class.this_class()
                    && let Some(&callee) = private.get(&(&*name, &*descriptor))
                {
                    waiting.push(callee);
                }
            }
        }
    }
    found
}

/// Owner, name and descriptor of what an instruction calls or, for `invokedynamic`, refers to.
fn callees(class: &ClassFile, instruction: &Instruction) -> Vec<(String, String, String)> {
    let pool = class.constant_pool();
    if let Op::InvokeDynamic(index) = instruction.op {
        let (Ok(site), Ok(methods)) = (pool.dynamic(index), class.bootstrap_methods()) else { return Vec::new() };
        let Some(bootstrap) = methods.get(usize::from(site.bootstrap)) else { return Vec::new() };
        return bootstrap
            .arguments
            .iter()
            .filter_map(|&argument| pool.method_handle(argument).ok())
            .map(|handle| {
                let member = handle.member;
                (member.owner.to_owned(), member.name.to_owned(), member.descriptor.to_owned())
            })
            .collect();
    }
    called(pool, instruction)
        .map(|member| (member.owner.to_owned(), member.name.to_owned(), member.descriptor.to_owned()))
        .into_iter()
        .collect()
}

fn makes_function(pool: &ConstantPool, instruction: &Instruction) -> bool {
    let descriptor = match instruction.op {
        Op::InvokeDynamic(index) => pool.dynamic(index).ok().map(|site| site.descriptor),
        Op::InvokeStatic(index) => pool.member(index).ok().map(|member| member.descriptor),
        _ => None,
    };
    let returned = descriptor.and_then(|descriptor| descriptor.rsplit_once(")L"));
    returned.is_some_and(|(_, name)| is_function(name.trim_end_matches(';')))
}

fn names_function(signature: &str) -> bool {
    signature.split(['<', ';', '>']).any(|part| {
        let name = part.trim_start_matches(['+', '-', '[', '*']);
        name.strip_prefix('L').is_some_and(is_function)
    })
}

fn is_function(name: &str) -> bool {
    name.starts_with("java/util/function/")
        || name.contains("/function/Failable")
        || matches!(
            name,
            "java/lang/Runnable"
                | "java/util/Comparator"
                | "java/util/concurrent/Callable"
                | "java/io/FileFilter"
                | "java/io/FilenameFilter"
                | "com/google/common/base/Function"
                | "com/google/common/base/Predicate"
                | "com/google/common/base/Supplier"
        )
}

fn called<'a>(pool: &'a ConstantPool, instruction: &Instruction) -> Option<MemberRef<'a>> {
    let call =
        matches!(instruction.op, Op::InvokeVirtual(_) | Op::InvokeSpecial(_) | Op::InvokeStatic(_) | Op::InvokeInterface { .. });
    instruction.op.member_index().filter(|_| call).and_then(|index| pool.member(index).ok())
}

/// Where something else in the class file points: jumps, tables.
fn labels(code: &Code) -> BTreeSet<u32> {
    let mut labels = BTreeSet::new();
    for instruction in &code.instructions {
        instruction.op.for_each_target(|target| {
            labels.insert(target);
        });
    }
    labels.extend(code.line_numbers.iter().map(|entry| entry.bci));
    labels.extend(code.local_variables.iter().flat_map(|variable| [variable.start, variable.end]));
    labels.extend(code.handlers.iter().flat_map(|handler| [handler.start, handler.end, handler.handler]));
    labels
}

struct Scan<'a> {
    pool: &'a ConstantPool,
    code: &'a Code,
    instructions: &'a [Instruction],
    labels: BTreeSet<u32>,
}

impl Scan<'_> {
    fn op(&self, index: usize) -> Option<&Op> {
        self.instructions.get(index).map(|instruction| &instruction.op)
    }

    fn bci(&self, index: usize) -> Option<u32> {
        self.instructions.get(index).map(|instruction| instruction.bci)
    }

    fn call(&self, index: usize) -> Option<MemberRef<'_>> {
        called(self.pool, self.instructions.get(index)?)
    }

    fn is_call(&self, index: usize, owner: &str, name: &str) -> bool {
        self.call(index).is_some_and(|called| called.owner == owner && called.name == name)
    }

    fn is_static(&self, index: usize, owner: &str, name: &str) -> bool {
        match self.op(index) {
            Some(Op::GetStatic(field)) => {
                self.pool.member(*field).is_ok_and(|member| member.owner == owner && member.name == name)
            }
            _ => false,
        }
    }

    /// Returns of what the mutant returns as well: the value directly before the return, or in a variable that is not written in between.
    fn equivalent_returns(&self, filter: &mut MethodFilter<'_>) {
        let kind_of = |index: usize| match self.op(index) {
            Some(Op::Return(Some(kind))) => Some(*kind),
            _ => None,
        };
        // First and last instruction that make the value are `from` and `at - 1`; `kinds`: what returns it.
        let mut apply = |at: usize, reference: bool, operators: &[Operator]| {
            let fits = |index: usize| kind_of(index).is_some_and(|kind| (kind == Kind::Reference) == reference);
            if fits(at) {
                filter.leave_out(&self.instructions[at], operators);
            }
            if let Some(Op::Store(Kind::Reference, local)) = self.op(at) {
                for index in at + 1..self.instructions.len() {
                    match self.op(index) {
                        Some(Op::Store(Kind::Reference, other)) if other == local => break,
                        Some(Op::Load(Kind::Reference, other)) if other == local && fits(index + 1) => {
                            filter.leave_out(&self.instructions[index + 1], operators);
                        }
                        _ => {}
                    }
                }
            }
        };
        for index in 0..self.instructions.len() {
            let zero = match self.op(index) {
                Some(Op::IntConst(0)) => self.instructions[index].opcode == opcode::ICONST_0,
                Some(Op::LongConst(0)) => true,
                Some(Op::FloatConst(value)) => value.to_bits() == 0,
                Some(Op::DoubleConst(value)) => value.to_bits() == 0,
                _ => false,
            };
            let one = matches!(self.op(index), Some(Op::IntConst(1))) && self.instructions[index].opcode != opcode::BIPUSH;
            let boxes = self.call(index + 1).is_some_and(|called| called.name == "valueOf");
            let empty = [Operator::EmptyReturns, Operator::FalseReturns];
            if zero {
                apply(index + 1, false, &[Operator::PrimitiveReturns, Operator::FalseReturns]);
                if boxes {
                    apply(index + 2, true, &empty);
                }
            }
            if one {
                apply(index + 1, false, &[Operator::TrueReturns]);
                if boxes {
                    apply(index + 2, true, &[Operator::TrueReturns]);
                }
            }
            if matches!(self.op(index), Some(Op::NullConst)) {
                apply(index + 1, true, &[Operator::NullReturns]);
            }
            if self.is_static(index, "java/lang/Boolean", "TRUE") {
                apply(index + 1, true, &[Operator::TrueReturns]);
            }
            if self.is_static(index, "java/lang/Boolean", "FALSE") || self.is_empty_string(index) || self.is_empty_factory(index)
            {
                apply(index + 1, true, &empty);
            }
        }
    }

    fn is_empty_string(&self, index: usize) -> bool {
        match self.op(index) {
            Some(Op::Ldc(constant)) => self.pool.string(*constant).is_ok_and(|units| units.is_empty()),
            _ => false,
        }
    }

    fn is_empty_factory(&self, index: usize) -> bool {
        self.call(index).is_some_and(|called| {
            called.descriptor.starts_with("()")
                && matches!(
                    (called.owner, called.name),
                    ("java/util/Optional" | "java/util/stream/Stream", "empty")
                        | ("java/util/Collections", "emptyList" | "emptyMap" | "emptySet")
                        | ("java/util/Map" | "java/util/List" | "java/util/Set", "of")
                )
        })
    }

    /// The plumbing of for-each loops, and increments of the counters of `for` loops.
    fn loops(&self, filter: &mut MethodFilter<'_>) {
        let conditional = |index: usize| self.op(index).filter(|op| op.is_conditional_jump()).and_then(Op::jump_target);
        let store = |index: usize, kind: Kind| match self.op(index) {
            Some(Op::Store(found, local)) if *found == kind => Some(*local),
            _ => None,
        };
        let is_load = |index: usize, kind: Kind| matches!(self.op(index), Some(Op::Load(found, _)) if *found == kind);
        for index in 0..self.instructions.len() {
            // for (T x : iterable)
            let iterator = self.call(index).is_some_and(|called| called.descriptor.ends_with(")Ljava/util/Iterator;"))
                && store(index + 1, Kind::Reference).is_some();
            if iterator {
                let (start, has_next) = (index + 2, "hasNext");
                let here = self.is_one_piece(index, start)
                    && self.is_one_piece(start, start + 5)
                    && is_load(start, Kind::Reference)
                    && self.is_call(start + 1, "java/util/Iterator", has_next)
                    && is_load(start + 3, Kind::Reference)
                    && self.is_call(start + 4, "java/util/Iterator", "next");
                if let (true, Some(end), Some(start_bci)) = (here, conditional(start + 2), self.bci(start))
                    && self.goto_before(end, start_bci, start + 5).is_some()
                {
                    filter.leave_out(&self.instructions[start + 2], &[]);
                }
                // The condition at the end (ecj).
                if let Some(Op::Goto(end)) = self.op(index + 2)
                    && let Some(at) = self.code.index_of(*end)
                    && self.is_call(at + 1, "java/util/Iterator", has_next)
                    && conditional(at + 2).is_some()
                    && conditional(at + 2) == self.bci(index + 3)
                {
                    filter.leave_out(&self.instructions[at + 2], &[]);
                }
            }
            // for (T x : array)
            if matches!(self.op(index), Some(Op::ArrayLength))
                && store(index + 1, Kind::Int).is_some()
                && matches!(self.op(index + 2), Some(Op::IntConst(0)))
                && let Some(counter) = store(index + 3, Kind::Int)
            {
                let start = index + 4;
                let counts = |at: usize| matches!(self.op(at), Some(Op::Iinc { local, .. }) if *local == counter);
                if self.is_one_piece(index, start)
                    && self.is_one_piece(start, start + 3)
                    && is_load(start, Kind::Int)
                    && is_load(start + 1, Kind::Int)
                    && conditional(start + 2).is_some()
                    && let Some(start_bci) = self.bci(start)
                {
                    for at in start + 3..self.instructions.len() {
                        if counts(at) && matches!(self.op(at + 1), Some(Op::Goto(target)) if *target == start_bci) {
                            filter.leave_out(&self.instructions[start + 2], &[]);
                            filter.leave_out(&self.instructions[at], &[]);
                        }
                    }
                }
                if let Some(Op::Goto(end)) = self.op(index + 4)
                    && let Some(at) = self.code.index_of(*end)
                    && at > 0
                    && counts(at - 1)
                    && is_load(at, Kind::Int)
                    && is_load(at + 1, Kind::Int)
                    && conditional(at + 2).is_some()
                    && conditional(at + 2) == self.bci(index + 5)
                {
                    filter.leave_out(&self.instructions[at + 2], &[]);
                    filter.leave_out(&self.instructions[at - 1], &[]);
                }
            }
            if let Some(Op::Iinc { local, .. }) = self.op(index)
                && (self.counts_a_loop(index, *local) || self.counts_a_loop_to_its_end(index, *local))
            {
                filter.leave_out(&self.instructions[index], &[]);
            }
        }
    }

    /// Whether nothing points between the instructions: a loop that was written out begins a new line somewhere.
    fn is_one_piece(&self, from: usize, to: usize) -> bool {
        (from + 1..to).all(|index| self.bci(index).is_some_and(|bci| !self.labels.contains(&bci)))
    }

    /// The `goto start` right before `end`, at or behind the position `from`.
    fn goto_before(&self, end: u32, start: u32, from: usize) -> Option<usize> {
        let index = self.code.index_of(end)?.checked_sub(1).filter(|&index| index >= from)?;
        matches!(self.op(index), Some(Op::Goto(target)) if *target == start).then_some(index)
    }

    /// `start: iload x ... if.. end; ... iinc x; goto start; end:`
    fn counts_a_loop(&self, index: usize, counter: u16) -> bool {
        let Some(start) = self.op(index + 1).and_then(Op::jump_target) else { return false };
        let (Some(end), Some(first)) = (self.bci(index + 2), self.code.index_of(start)) else { return false };
        // Fields are read as variables are.
        let reads = self.instructions[first..].iter().find(|instruction| !matches!(instruction.op, Op::GetField(_)));
        let reads_counter = matches!(reads.map(|i| &i.op), Some(Op::Load(Kind::Int, local)) if *local == counter);
        first < index
            && reads_counter
            && self.is_one_piece(index, index + 2)
            && (first + 1..index).any(|at| {
                let op = &self.instructions[at].op;
                op.is_conditional_jump()
                    && op.jump_target() == Some(end)
                    && self.bci(at + 1).is_some_and(|next| self.labels.contains(&next))
            })
    }

    /// The condition at the end (ecj): `istore x; goto test; start: ... iinc x; test: iload x ... if.. start`.
    fn counts_a_loop_to_its_end(&self, index: usize, counter: u16) -> bool {
        let Some(test) = self.bci(index + 1) else { return false };
        if !matches!(self.op(index + 1), Some(Op::Load(Kind::Int, local)) if *local == counter) {
            return false;
        }
        (1..index).any(|at| {
            matches!(self.op(at), Some(Op::Goto(target)) if *target == test)
                && matches!(self.op(at - 1), Some(Op::Store(Kind::Int, local)) if *local == counter)
                && self.bci(at + 1).is_some_and(|start| {
                    (index + 2..self.instructions.len()).any(|jump| {
                        let op = &self.instructions[jump].op;
                        let compared = self
                            .op(jump - 1)
                            .is_some_and(|op| matches!(op, Op::ArrayLength | Op::IntConst(_)) || self.call(jump - 1).is_some());
                        op.is_conditional_jump() && op.jump_target() == Some(start) && compared
                    })
                })
        })
    }

    /// From the question whether assertions are on to the end of the assertion.
    fn assertions(&self, filter: &mut MethodFilter<'_>) {
        for index in 0..self.instructions.len() {
            let asks = matches!(self.op(index), Some(Op::GetStatic(field)) if self.pool.member(*field).is_ok_and(|member| member.name == "$assertionsDisabled"));
            if let (true, Some(Op::If(Condition::Ne, end))) = (asks, self.op(index + 1))
                && let Some(end) = self.code.index_of(*end).filter(|&end| end > index)
            {
                filter.leave_out_all(&self.instructions[index..end]);
            }
        }
    }

    /// `iconst_m1; istore; aload; String.hashCode; switch`, then `equals` by case, up to the second switch.
    fn string_switches(&self, filter: &mut MethodFilter<'_>) {
        for index in 0..self.instructions.len() {
            let begins = matches!(self.op(index), Some(Op::IntConst(-1)))
                && matches!(self.op(index + 1), Some(Op::Store(Kind::Int, _)))
                && matches!(self.op(index + 2), Some(Op::Load(Kind::Reference, _)))
                && self.is_call(index + 3, "java/lang/String", "hashCode")
                && self.op(index + 4).is_some_and(Op::is_switch);
            if !begins {
                continue;
            }
            let mut at = index + 5;
            // Another text with the same hash comes right behind.
            while matches!(self.op(at), Some(Op::Load(Kind::Reference, _)))
                && matches!(self.op(at + 1), Some(Op::Ldc(_)))
                && self.is_call(at + 2, "java/lang/String", "equals")
                && matches!(self.op(at + 3), Some(Op::If(Condition::Eq, _)))
                && matches!(self.op(at + 4), Some(Op::IntConst(_)))
                && matches!(self.op(at + 5), Some(Op::Store(Kind::Int, _)))
            {
                at += if matches!(self.op(at + 6), Some(Op::Goto(_))) { 7 } else { 6 };
            }
            let ends = matches!(self.op(at), Some(Op::Load(Kind::Int, _))) && self.op(at + 1).is_some_and(Op::is_switch);
            if at > index + 5 && ends {
                filter.leave_out_all(&self.instructions[index..=at]);
            }
        }
    }

    /// What closes resources: `[ifnull; aload;] close()` before a handler of `Throwable`, and `addSuppressed` first thing in one.
    fn resources(&self, filter: &mut MethodFilter<'_>) {
        if self.code.handlers.len() < 2 {
            return;
        }
        let handlers: BTreeSet<u32> = self
            .code
            .handlers
            .iter()
            .filter(|handler| handler.catch_type.as_deref() == Some("java/lang/Throwable"))
            .map(|handler| handler.handler)
            .collect();
        let Some(&last) = handlers.last() else { return };
        for index in 0..self.instructions.len() {
            let closes = |at: usize| {
                matches!(self.op(at), Some(Op::InvokeVirtual(_) | Op::InvokeInterface { .. }))
                    && self.call(at).is_some_and(|called| called.name == "close" && called.descriptor == "()V")
            };
            if closes(index) && self.instructions[index].bci < last {
                filter.leave_out(&self.instructions[index], &[]);
                if index >= 2
                    && matches!(self.op(index - 1), Some(Op::Load(Kind::Reference, _)))
                    && matches!(self.op(index - 2), Some(Op::IfNull(Condition::Eq, _)))
                {
                    filter.leave_out(&self.instructions[index - 2], &[]);
                }
            }
            let suppresses = handlers.contains(&self.instructions[index].bci)
                && matches!(self.op(index), Some(Op::Store(Kind::Reference, _)))
                && matches!(self.op(index + 1), Some(Op::Load(Kind::Reference, _)))
                && matches!(self.op(index + 2), Some(Op::Load(Kind::Reference, _)))
                && self.call(index + 3).is_some_and(|called| called.name == "addSuppressed");
            if suppresses {
                filter.leave_out(&self.instructions[index + 3], &[]);
            }
        }
    }

    /// `x * -1` is `x / -1`.
    fn division_by_minus_one(&self, filter: &mut MethodFilter<'_>) {
        for index in 1..self.instructions.len() {
            let minus_one = match self.op(index - 1) {
                Some(Op::IntConst(-1)) => true,
                Some(Op::Ldc(constant)) => match self.pool.get(*constant) {
                    Ok(Constant::Long(value)) => value == -1,
                    Ok(Constant::Float(value)) => value == -1.0,
                    Ok(Constant::Double(value)) => value == -1.0,
                    _ => false,
                },
                _ => false,
            };
            if minus_one && matches!(self.op(index), Some(Op::Binary(BinaryOp::Mul, _))) {
                filter.leave_out(&self.instructions[index], &[Operator::Math]);
            }
        }
    }
}
