//! Simulated classes for the search, without a JVM: their methods are Rust functions that report
//! branch distances as probes do.

#![allow(dead_code)] // Each user takes what it needs.

use std::sync::Arc;

use tracewright::execution::{Execution, RunEnd, Thrown, ValueClass};
use tracewright::program::{ClassName, JavaType, MethodRef};
use tracewright::search::{
    CallableEntry, CallableEntryKind, CallableTable, CallableTableBuilder, GoalRegistry, Search, SearchConfig, TargetMethod,
    TargetSite,
};
use tracewright::testcase::{Literal, StatementKind, TestCase, TypeSystem};
use tracewright_trace::{BranchSlot, LineSlot};

/// Every class is a subtype of `Object`, and `Special` of `Stack`.
pub(crate) struct Types;

impl TypeSystem for Types {
    fn is_subtype(&self, from: &JavaType, to: &JavaType) -> bool {
        *to == JavaType::class("java/lang/Object")
            || (*from == JavaType::class("toy/Special") && *to == JavaType::class("toy/Stack"))
    }
}

fn method(owner: &str, name: &str, descriptor: &str) -> MethodRef {
    MethodRef::new(ClassName::new(owner), name, descriptor)
}

/// All callables; the methods under test are the first.
pub(crate) fn methods() -> Vec<MethodRef> {
    vec![
        method("toy/Predicates", "nested", "(IILjava/lang/String;D)I"),
        method("toy/Predicates", "chars", "(Ljava/lang/String;[I)Z"),
        method("toy/Stack", "<init>", "(I)V"),
        method("toy/Stack", "push", "(I)V"),
        method("toy/Stack", "pop", "()I"),
        method("toy/Stack", "merge", "(Ltoy/Stack;Ljava/lang/Object;)Ltoy/Stack;"),
        method("toy/Special", "<init>", "()V"),
        method("toy/Stack", "hang", "(J)V"),
    ]
}

pub(crate) fn model() -> CallableTable {
    let mut builder = CallableTableBuilder::new();
    for (index, method) in methods().into_iter().enumerate() {
        let owner = JavaType::Class(method.owner.clone());
        let params = method.parameters().iter().map(|ty| builder.plain(ty)).collect();
        let owner_id = builder.plain(&owner);
        let constructor = &*method.name == "<init>";
        let receiver = (!constructor && method.owner.internal() == "toy/Stack").then_some(owner_id);
        let result = match method.return_type() {
            _ if constructor => Some(owner_id),
            JavaType::Void => None,
            other => Some(builder.plain(&other)),
        };
        let kind = match constructor {
            true => CallableEntryKind::Construct(method.clone()),
            false => CallableEntryKind::Call { method: method.clone(), interface: false },
        };
        let callable = builder.callable(CallableEntry { kind, receiver, params, result });
        if constructor {
            let stack = builder.plain(&JavaType::class("toy/Stack"));
            let object = builder.plain(&JavaType::class("java/lang/Object"));
            builder.generator(stack, callable);
            builder.generator(owner_id, callable);
            builder.generator(object, callable);
        } else if let Some(receiver) = receiver {
            builder.modifier(receiver, callable);
        }
        if index < 6 || index == 7 {
            builder.under_test(callable);
        }
    }
    builder.constant(Literal::Int(4242));
    builder.constant(Literal::Str("needle".encode_utf16().collect()));
    builder.finish(&Types)
}

/// Branch sites: method, first slot, and the slots that the site depends on. A site has two slots:
/// not taken, taken.
const SITES: [(usize, u32, &[u32]); 13] = [
    (0, 0, &[]),    // a == 123456789
    (0, 2, &[1]),   // b == a + 7
    (0, 4, &[3]),   // "needle".equals(s)
    (0, 6, &[5]),   // d > 3.25
    (0, 8, &[7]),   // d < 3.25001
    (1, 10, &[]),   // s.length() == 4
    (1, 12, &[11]), // s.charAt(2) == '%'
    (1, 14, &[13]), // xs.length == 3
    (1, 16, &[15]), // xs[0] > xs[1]
    (4, 18, &[]),   // size == 0: throws
    (4, 20, &[18]), // size == 5
    (4, 22, &[21]), // top == 77
    (5, 24, &[]),   // other.size == 2
];

pub(crate) const BRANCH_SLOTS: usize = 26;

pub(crate) fn goals() -> GoalRegistry {
    let methods = methods();
    let targets = methods[..6]
        .iter()
        .enumerate()
        .map(|(index, method)| TargetMethod {
            method: method.clone(),
            branches: SITES
                .iter()
                .filter(|site| site.0 == index)
                .flat_map(|site| {
                    let depends_on: Vec<BranchSlot> = site.2.iter().copied().map(BranchSlot).collect();
                    [site.1, site.1 + 1].map(|slot| TargetSite { slot: BranchSlot(slot), depends_on: depends_on.clone() })
                })
                .collect(),
            lines: vec![TargetSite { slot: LineSlot(index as u32), depends_on: Vec::new() }],
            defaults: Vec::new(),
        })
        .collect();
    GoalRegistry::new(targets, |method| methods.contains(method))
}

pub(crate) fn search(seed: u64, config: SearchConfig) -> Search {
    Search::with_callables(model(), Arc::new(Types), goals(), config, seed)
}

#[derive(Clone, Debug)]
enum Value {
    Void,
    Null,
    Int(i64),
    Real(f64),
    Text(Vec<u16>),
    Ints(Vec<i64>),
    Stack(usize),
}

struct Run {
    values: Vec<Value>,
    stacks: Vec<Vec<i64>>,
    branches: Vec<Option<f64>>,
    lines: Vec<bool>,
}

impl Run {
    /// Executes a conditional jump with the distance of the other outcome. Returns whether it is
    /// taken.
    fn jump(&mut self, slot: u32, holds: bool, distance: f64) -> bool {
        let outcomes = if holds { [1.0, 0.0] } else { [0.0, distance] };
        for (slot, distance) in (slot as usize..).zip(outcomes) {
            let least = self.branches[slot].get_or_insert(distance);
            *least = least.min(distance);
        }
        holds
    }

    fn eq(&mut self, slot: u32, left: i64, right: i64) -> bool {
        self.jump(slot, left == right, (left as f64 - right as f64).abs())
    }
}

/// Executes a test case as a worker does.
pub(crate) fn execute(test: &TestCase) -> Execution {
    let mut run = Run { values: Vec::new(), stacks: Vec::new(), branches: vec![None; BRANCH_SLOTS], lines: vec![false; 6] };
    let mut end = RunEnd::Completed;
    let mut seen_strings = Vec::new();
    for (index, statement) in test.statements.iter().enumerate() {
        match step(&mut run, &statement.kind, &mut seen_strings) {
            Ok(value) => run.values.push(value),
            Err("hang") => {
                end = RunEnd::Budget { statement: index as u32 };
                break;
            }
            Err(class) => {
                let thrown = Thrown {
                    class: ClassName::new(class),
                    message: None,
                    in_project: class != "null receiver",
                    frames: vec![(ClassName::new("toy/Stack"), "pop".into(), 9)],
                };
                end = RunEnd::Threw { statement: index as u32, thrown };
                break;
            }
        }
    }
    let mut outputs: Vec<Option<ValueClass>> = run
        .values
        .iter()
        .map(|value| match value {
            Value::Int(0) => Some(ValueClass::Zero),
            Value::Int(value) => Some(if *value < 0 { ValueClass::Negative } else { ValueClass::Positive }),
            Value::Null => Some(ValueClass::Null),
            _ => None,
        })
        .collect();
    outputs.resize(test.len(), None);
    Execution {
        branches: (0u32..)
            .zip(&run.branches)
            .filter_map(|(slot, distance)| distance.map(|distance| (BranchSlot(slot), distance)))
            .collect(),
        lines: (0u32..).zip(&run.lines).filter(|(_, ran)| **ran).map(|(slot, _)| LineSlot(slot)).collect(),
        classes: vec![None; test.len()],
        outputs,
        seen_strings,
        ..Execution::without_measurements(end)
    }
}

fn step(run: &mut Run, kind: &StatementKind, seen: &mut Vec<Vec<u16>>) -> Result<Value, &'static str> {
    const NPE: &str = "java/lang/NullPointerException";
    Ok(match kind {
        StatementKind::Literal(literal) => match literal {
            Literal::Null => Value::Null,
            Literal::Boolean(value) => Value::Int((*value).into()),
            Literal::Int(value) => Value::Int((*value).into()),
            Literal::Long(value) => Value::Int(*value),
            Literal::Double(bits) => Value::Real(f64::from_bits(*bits)),
            Literal::Str(units) => Value::Text(units.clone()),
            _ => Value::Void,
        },
        StatementKind::Array { length, elements, .. } => {
            let mut cells = vec![0; *length as usize];
            for (cell, element) in cells.iter_mut().zip(elements) {
                if let Value::Int(value) = run.values[element.0 as usize] {
                    *cell = value;
                }
            }
            Value::Ints(cells)
        }
        StatementKind::Construct { constructor, args } => {
            let capacity = args.first().map(|arg| run.values[arg.0 as usize].clone());
            if constructor.owner.internal() == "toy/Stack" {
                run.lines[2] = true;
                if let Some(Value::Int(..0)) = capacity {
                    return Err("java/lang/IllegalArgumentException");
                }
            }
            run.stacks.push(Vec::new());
            Value::Stack(run.stacks.len() - 1)
        }
        StatementKind::Call { method, receiver, args, .. } => {
            let args: Vec<Value> = args.iter().map(|arg| run.values[arg.0 as usize].clone()).collect();
            let receiver = match receiver.map(|receiver| run.values[receiver.0 as usize].clone()) {
                Some(Value::Stack(stack)) => stack,
                Some(_) => return Err("null receiver"),
                None => usize::MAX,
            };
            match (&*method.name, &args[..]) {
                ("nested", [Value::Int(a), Value::Int(b), s, Value::Real(d)]) => {
                    run.lines[0] = true;
                    let mut depth = 0;
                    if run.eq(0, *a, 123_456_789) {
                        depth = 1;
                        if run.eq(2, *b, *a + 7) {
                            depth = 2;
                            let needle: Vec<u16> = "needle".encode_utf16().collect();
                            seen.push(needle.clone());
                            let equal = matches!(s, Value::Text(text) if *text == needle);
                            if run.jump(4, equal, 1.0) {
                                depth = 3;
                                if run.jump(6, *d > 3.25, 3.25 - d) && run.jump(8, *d < 3.25001, d - 3.25001) {
                                    depth = 4;
                                }
                            }
                        }
                    }
                    Value::Int(depth)
                }
                ("chars", [Value::Text(text), xs]) => {
                    run.lines[1] = true;
                    let mut found = false;
                    if run.eq(10, text.len() as i64, 4) && run.eq(12, text[2].into(), '%' as i64) {
                        let Value::Ints(xs) = xs else { return Err(NPE) };
                        if run.eq(14, xs.len() as i64, 3) {
                            found = run.jump(16, xs[0] > xs[1], (xs[1] - xs[0]) as f64 + 1.0);
                        }
                    }
                    Value::Int(found.into())
                }
                ("chars", _) => return Err(NPE),
                ("push", [Value::Int(value)]) => {
                    run.lines[3] = true;
                    run.stacks[receiver].push(*value);
                    Value::Void
                }
                ("pop", []) => {
                    run.lines[4] = true;
                    let size = run.stacks[receiver].len() as i64;
                    if run.eq(18, size, 0) {
                        return Err("java/util/EmptyStackException");
                    }
                    let top = *run.stacks[receiver].last().expect("not empty");
                    if run.eq(20, size, 5) {
                        run.eq(22, top, 77);
                    }
                    run.stacks[receiver].pop();
                    Value::Int(top)
                }
                ("merge", [other, _]) => {
                    run.lines[5] = true;
                    let Value::Stack(other) = other else { return Err(NPE) };
                    let cells = run.stacks[*other].clone();
                    run.eq(24, cells.len() as i64, 2);
                    run.stacks[receiver].extend(cells);
                    Value::Stack(receiver)
                }
                ("hang", _) => return Err("hang"),
                other => panic!("no such method: {other:?}"),
            }
        }
        other => panic!("not part of this world: {other:?}"),
    })
}
