//! Properties of random descriptors, instructions and methods. A random method is interpreted
//! before and after rewriting. Both runs must be equal but for the inserted snippets.
#![allow(clippy::unwrap_used)]

mod assembled;

use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;
use tracewright_classfile::{
    ArrayKind, BinaryOp, ClassFile, Code, CodeEditor, Comparison, Condition, Conversion, EditError, Kind, LookupSwitch,
    MethodDescriptor, Op, PrimitiveType, Snippet, StackOp, TableSwitch, Type, check_types, decode_instructions,
};

fn types() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        proptest::sample::select(&PrimitiveType::ALL).prop_map(Type::Primitive),
        "[a-zA-Zé$_][a-z0-9$_]{0,5}(/[A-Z][a-z]{0,4}){0,3}".prop_map(|name| Type::Object(name.into())),
    ];
    leaf.prop_recursive(4, 4, 1, |component| component.prop_map(|component| Type::Array(Box::new(component))))
}

fn kinds() -> impl Strategy<Value = Kind> {
    proptest::sample::select(vec![Kind::Int, Kind::Long, Kind::Float, Kind::Double, Kind::Reference])
}

fn array_kinds() -> impl Strategy<Value = ArrayKind> {
    use ArrayKind::*;
    proptest::sample::select(vec![Int, Long, Float, Double, Reference, Byte, Char, Short])
}

fn conditions() -> impl Strategy<Value = Condition> {
    use Condition::*;
    proptest::sample::select(vec![Eq, Ne, Lt, Ge, Gt, Le])
}

/// Operations of every family. Jumps go to bci 0 or to themselves, since a single instruction has
/// no other targets.
fn ops(bci: u32) -> impl Strategy<Value = Op> {
    use proptest::sample::select;
    let stack_ops = {
        use StackOp::*;
        select(vec![Pop, Pop2, Dup, DupX1, DupX2, Dup2, Dup2X1, Dup2X2, Swap])
    };
    let arithmetic = {
        use BinaryOp::*;
        (select(vec![Add, Sub, Mul, Div, Rem]), select(vec![Kind::Int, Kind::Long, Kind::Float, Kind::Double]))
    };
    let bitwise = {
        use BinaryOp::*;
        (select(vec![Shl, Shr, Ushr, And, Or, Xor]), select(vec![Kind::Int, Kind::Long]))
    };
    let conversions = {
        use Conversion::*;
        select(vec![IntToLong, IntToShort, LongToInt, FloatToDouble, DoubleToFloat, IntToByte, DoubleToInt])
    };
    let comparisons = {
        use Comparison::*;
        select(vec![Long, FloatLess, FloatGreater, DoubleLess, DoubleGreater])
    };
    let primitives = select(&PrimitiveType::ALL);
    let targets = select(vec![0, bci]);
    let equality = select(vec![Condition::Eq, Condition::Ne]);
    prop_oneof![
        select(vec![Op::Nop, Op::NullConst, Op::ArrayLength, Op::Athrow, Op::MonitorEnter, Op::MonitorExit, Op::Return(None)]),
        any::<i16>().prop_map(|value| Op::IntConst(value.into())),
        (-1_i32..=6).prop_map(Op::IntConst),
        (0_i64..=1).prop_map(Op::LongConst),
        (0_u8..=2).prop_map(|value| Op::FloatConst(value.into())),
        (0_u8..=1).prop_map(|value| Op::DoubleConst(value.into())),
        any::<u16>().prop_map(Op::Ldc),
        (kinds(), any::<u16>()).prop_map(|(kind, local)| Op::Load(kind, local)),
        (kinds(), 0_u16..6).prop_map(|(kind, local)| Op::Store(kind, local)),
        array_kinds().prop_map(Op::ArrayLoad),
        array_kinds().prop_map(Op::ArrayStore),
        stack_ops.prop_map(Op::Stack),
        arithmetic.prop_map(|(op, kind)| Op::Binary(op, kind)),
        bitwise.prop_map(|(op, kind)| Op::Binary(op, kind)),
        (any::<u16>(), any::<i16>()).prop_map(|(local, delta)| Op::Iinc { local, delta }),
        (any::<u8>(), any::<i8>()).prop_map(|(local, delta)| Op::Iinc { local: local.into(), delta: delta.into() }),
        conversions.prop_map(Op::Convert),
        comparisons.prop_map(Op::Compare),
        (conditions(), targets.clone()).prop_map(|(condition, target)| Op::If(condition, target)),
        (conditions(), targets.clone()).prop_map(|(condition, target)| Op::IfIcmp(condition, target)),
        (equality.clone(), targets.clone()).prop_map(|(condition, target)| Op::IfAcmp(condition, target)),
        (equality, targets.clone()).prop_map(|(condition, target)| Op::IfNull(condition, target)),
        targets.clone().prop_map(Op::Goto),
        targets.clone().prop_map(Op::Jsr),
        any::<u16>().prop_map(Op::Ret),
        (targets.clone(), any::<i32>(), vec(targets.clone(), 1..5)).prop_map(|(default, low, targets)| {
            let low = low.min(i32::MAX - 5);
            let high = low + targets.len() as i32 - 1;
            Op::TableSwitch(Box::new(TableSwitch { default, low, high, targets }))
        }),
        (targets.clone(), proptest::collection::btree_map(any::<i32>(), targets, 0..5)).prop_map(|(default, pairs)| {
            Op::LookupSwitch(Box::new(LookupSwitch { default, pairs: pairs.into_iter().collect() }))
        }),
        kinds().prop_map(|kind| Op::Return(Some(kind))),
        (any::<u16>(), 0_usize..10).prop_map(|(index, family)| {
            [
                Op::GetStatic(index),
                Op::PutStatic(index),
                Op::GetField(index),
                Op::PutField(index),
                Op::InvokeVirtual(index),
                Op::InvokeSpecial(index),
                Op::InvokeStatic(index),
                Op::InvokeDynamic(index),
                Op::New(index),
                Op::CheckCast(index),
            ][family]
                .clone()
        }),
        (any::<u16>(), any::<u8>()).prop_map(|(method, count)| Op::InvokeInterface { method, count }),
        (any::<u16>(), any::<u8>()).prop_map(|(class, dimensions)| Op::MultiANewArray { class, dimensions }),
        primitives.prop_map(Op::NewArray),
        any::<u16>().prop_map(Op::ANewArray),
        any::<u16>().prop_map(Op::InstanceOf),
    ]
}

proptest! {
    #[test]
    fn a_printed_type_is_the_type(parsed in types()) {
        prop_assert_eq!(Type::parse(&parsed.to_string()).unwrap(), parsed);
    }

    #[test]
    fn a_printed_method_descriptor_is_the_descriptor(
        parameters in vec(types(), 0..6),
        result in proptest::option::of(types()),
    ) {
        let descriptor = MethodDescriptor { parameters, result };
        let parsed = MethodDescriptor::parse(&descriptor.to_string()).unwrap();
        prop_assert_eq!(parsed, descriptor);
    }

    #[test]
    fn a_parsed_descriptor_prints_as_its_text(text in "[\\[ZBIJLVa/;()]{0,8}") {
        if let Ok(parsed) = Type::parse(&text) {
            prop_assert_eq!(parsed.to_string(), &*text);
        }
        if let Ok(parsed) = MethodDescriptor::parse(&text) {
            prop_assert_eq!(parsed.to_string(), &*text);
        }
    }

    #[test]
    fn an_encoded_instruction_is_the_instruction(
        (nops, op) in (0_u32..300).prop_flat_map(|bci| (Just(bci), ops(bci))),
    ) {
        let mut code = vec![0; nops as usize];
        op.encode(nops, &mut code).unwrap();
        let decoded = decode_instructions(&code).unwrap();
        prop_assert_eq!(decoded.len(), nops as usize + 1);
        let last = decoded.last().unwrap();
        prop_assert_eq!(&last.op, &op);
        prop_assert_eq!(last.next_bci() as usize, code.len());
    }

    /// Random bytes never cause a panic. Decoded instructions can be encoded to bytes that decode
    /// to the same operations.
    #[test]
    fn a_decoded_instruction_can_be_encoded(code in vec(any::<u8>(), 1..64)) {
        for start in 0..code.len() {
            let Ok(decoded) = decode_instructions(&code[start..]) else { continue };
            for instruction in decoded {
                let mut again = Vec::new();
                if instruction.op.jump_target().is_none() && !instruction.op.is_switch() {
                    prop_assert!(instruction.op.encode(0, &mut again).is_some());
                    prop_assert_eq!(&decode_instructions(&again).unwrap()[0].op, &instruction.op);
                }
            }
        }
    }
}

/// A step of a random method. Targets are numbers of steps.
#[derive(Debug, Clone)]
enum Step {
    /// Leaves its number in the run and fills the code with this many `nop`s.
    Work {
        padding: u16,
    },
    If {
        not_equal: bool,
        target: usize,
    },
    Goto {
        target: usize,
    },
    Switch {
        table: bool,
        targets: Vec<usize>,
        default: usize,
    },
    Return,
}

#[derive(Debug, Clone)]
struct Plan {
    steps: Vec<Step>,
    /// By step: whether a snippet is inserted before and after it.
    before: Vec<bool>,
    after: Vec<bool>,
    entry: bool,
    choices: Vec<u8>,
}

fn plans() -> impl Strategy<Value = Plan> {
    (2_usize..14).prop_flat_map(|count| {
        let padding = prop_oneof![4 => 0_u16..8, 1 => 15_000_u16..16_500];
        let step = prop_oneof![
            4 => padding.prop_map(|padding| Step::Work { padding }),
            4 => (any::<bool>(), 0..count).prop_map(|(not_equal, target)| Step::If { not_equal, target }),
            1 => (0..count).prop_map(|target| Step::Goto { target }),
            1 => (any::<bool>(), vec(0..count, 1..4), 0..count)
                .prop_map(|(table, targets, default)| Step::Switch { table, targets, default }),
        ];
        let marks = || vec(any::<bool>(), count);
        (vec(step, count), marks(), marks(), any::<bool>(), vec(any::<u8>(), 60)).prop_map(
            |(mut steps, before, after, entry, choices)| {
                *steps.last_mut().unwrap() = Step::Return;
                Plan { steps, before, after, entry, choices }
            },
        )
    })
}

const WORK: i32 = 1000;
const ENTRY: i32 = 2000;
const BEFORE: i32 = 3000;
const AFTER: i32 = 4000;

/// The code of a plan. Each step is `sipush number; pop; nop...`, `iconst_0; if`, `goto`,
/// `iconst_0; switch` or `return`.
struct Assembled {
    class: Vec<u8>,
    /// By step: the bcis of its first instruction and of its jump, switch or return.
    first: Vec<u32>,
    decides: Vec<u32>,
}

fn assemble(plan: &Plan) -> Option<Assembled> {
    let mut first = vec![0; plan.steps.len()];
    let mut decides = vec![0; plan.steps.len()];
    let mut code = Vec::new();
    // The code is assembled twice: first each jump goes to itself, then to the known bci of its
    // step. A plan in which a `goto` would become a `goto_w` is left out, since it would move the
    // steps again.
    for pass in 0..2 {
        code.clear();
        for (number, step) in plan.steps.iter().enumerate() {
            first[number] = code.len() as u32;
            let place = |step: usize, at: usize| if pass == 0 { at as u32 } else { first[step] };
            let mut emit = |op: Op| {
                decides[number] = code.len() as u32;
                op.encode(code.len() as u32, &mut code)
            };
            match step {
                Step::Work { padding } => {
                    emit(Op::IntConst(WORK + number as i32))?;
                    emit(Op::Stack(StackOp::Pop))?;
                    for _ in 0..*padding {
                        emit(Op::Nop)?;
                    }
                }
                Step::If { not_equal, target } => {
                    emit(Op::IntConst(0))?;
                    let condition = if *not_equal { Condition::Ne } else { Condition::Eq };
                    let at = first[number] as usize + 1;
                    emit(Op::If(condition, place(*target, at)))?;
                }
                Step::Goto { target } => {
                    emit(Op::Goto(place(*target, first[number] as usize)))?;
                    if code.len() as u32 - first[number] > 3 {
                        return None;
                    }
                }
                Step::Switch { table, targets, default } => {
                    emit(Op::IntConst(0))?;
                    let at = first[number] as usize + 1;
                    let to: Vec<u32> = targets.iter().map(|&target| place(target, at)).collect();
                    let default = place(*default, at);
                    emit(if *table {
                        let high = to.len() as i32 - 1;
                        Op::TableSwitch(Box::new(TableSwitch { default, low: 0, high, targets: to }))
                    } else {
                        let pairs = to.into_iter().enumerate().map(|(key, to)| (key as i32, to)).collect();
                        Op::LookupSwitch(Box::new(LookupSwitch { default, pairs }))
                    })?;
                }
                Step::Return => emit(Op::Return(None))?,
            }
        }
    }
    if code.len() > 60_000 {
        return None;
    }
    Some(Assembled { class: assembled::class_with(52, &code, &frames_of(plan, &first)), first, decides })
}

/// The bcis that need a frame: targets, and instructions after one that does not fall through.
fn frames_of(plan: &Plan, first: &[u32]) -> BTreeSet<u32> {
    let mut at = BTreeSet::new();
    for (number, step) in plan.steps.iter().enumerate() {
        let targets = match step {
            Step::If { target, .. } => vec![*target],
            Step::Goto { target } => vec![*target, number + 1],
            Step::Switch { targets, default, .. } => targets.iter().copied().chain([*default, number + 1]).collect(),
            Step::Work { .. } | Step::Return => Vec::new(),
        };
        at.extend(targets.into_iter().map(|step| first[step]));
    }
    at
}

fn mark(value: i32) -> Snippet {
    let mut snippet = Snippet::new();
    snippet.push_int(value).pop();
    snippet
}

fn rewrite(plan: &Plan, assembled: &Assembled, class: &mut ClassFile) -> Result<(), EditError> {
    let mut editor = CodeEditor::new(class.method(0))?;
    if plan.entry {
        editor.insert_at_entry(mark(ENTRY))?;
    }
    for (number, step) in plan.steps.iter().enumerate() {
        let (first, decides) = (assembled.first[number], assembled.decides[number]);
        if plan.before[number] {
            editor.insert_before(first, mark(BEFORE + number as i32))?;
        }
        if plan.after[number] && matches!(step, Step::Work { .. } | Step::If { .. }) {
            editor.insert_after(decides, mark(AFTER + number as i32))?;
        }
    }
    editor.apply(class)
}

/// The marks of a run of the plan, which ends when no choice is left.
fn run_plan(plan: &Plan) -> Vec<i32> {
    let mut run = Vec::new();
    if plan.entry {
        run.push(ENTRY);
    }
    let mut choices = plan.choices.iter();
    let mut at = 0;
    loop {
        let number = at as i32;
        if plan.before[at] {
            run.push(BEFORE + number);
        }
        // Every jump uses up a choice, so that an endless loop ends.
        at = match &plan.steps[at] {
            Step::Work { .. } => {
                run.push(WORK + number);
                if plan.after[at] {
                    run.push(AFTER + number);
                }
                at + 1
            }
            Step::Return => return run,
            step => {
                let Some(&choice) = choices.next() else { return run };
                match step {
                    Step::If { not_equal, target } => {
                        if (choice % 2 == 0) != *not_equal {
                            *target
                        } else {
                            if plan.after[at] {
                                run.push(AFTER + number);
                            }
                            at + 1
                        }
                    }
                    Step::Goto { target } => *target,
                    Step::Switch { targets, default, .. } => {
                        let case = usize::from(choice) % 5;
                        match targets.get(case) {
                            Some(&target) => target,
                            None => *default,
                        }
                    }
                    Step::Work { .. } | Step::Return => unreachable!("handled above"),
                }
            }
        };
    }
}

/// The marks of a run of the code. The operand of a jump or switch is the next choice.
fn run_code(plan: &Plan, code: &Code) -> Vec<i32> {
    let mut run = Vec::new();
    let mut choices = plan.choices.iter();
    let mut index = 0;
    loop {
        let instruction = &code.instructions[index];
        let mut target = None;
        match &instruction.op {
            Op::IntConst(value) if *value >= WORK => run.push(*value),
            Op::If(condition, to) => {
                let Some(choice) = choices.next() else { return run };
                if condition.holds(i32::from(choice % 2), 0) {
                    target = Some(*to);
                }
            }
            Op::Goto(to) => {
                // A `goto` of the plan uses up a choice; one that the rewriting added does not.
                if is_of_plan(code, index) && choices.next().is_none() {
                    return run;
                }
                target = Some(*to);
            }
            Op::TableSwitch(switch) => {
                let Some(choice) = choices.next() else { return run };
                let case = usize::from(*choice) % 5;
                target = Some(*switch.targets.get(case).unwrap_or(&switch.default));
            }
            Op::LookupSwitch(switch) => {
                let Some(choice) = choices.next() else { return run };
                let case = usize::from(*choice) % 5;
                target = Some(switch.pairs.get(case).map_or(switch.default, |pair| pair.1));
            }
            Op::Return(_) => return run,
            _ => {}
        }
        index = match target {
            Some(to) => code.index_of(to).unwrap(),
            None => index + 1,
        };
    }
}

/// Whether the `goto` belongs to the plan. The one that rewriting adds to a long jump stands after
/// an inverted jump that skips it.
fn is_of_plan(code: &Code, index: usize) -> bool {
    let instruction = &code.instructions[index];
    let jumped_over = |before: &Op| matches!(before, Op::If(_, over) if *over == instruction.next_bci());
    let is_long_jump = instruction.len == 5 && index > 0 && jumped_over(&code.instructions[index - 1].op);
    !is_long_jump
}

fn check_plan(plan: &Plan) -> Result<Option<Code>, TestCaseError> {
    let Some(assembled) = assemble(plan) else { return Ok(None) };
    let mut class = ClassFile::parse(&assembled.class).unwrap();
    let old = class.method(0).code().unwrap().unwrap();
    check_types(&old, class.constant_pool(), |_, _| {}).unwrap();
    match rewrite(plan, &assembled, &mut class) {
        Ok(()) => {}
        Err(EditError::TooLarge { .. }) => return Ok(None),
        Err(error) => return Err(TestCaseError::fail(error.to_string())),
    }
    let class = ClassFile::parse(&class.to_bytes()).unwrap();
    let new = class.method(0).code().unwrap().unwrap();
    check_types(&new, class.constant_pool(), |_, _| {}).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(run_code(plan, &new), run_plan(plan));
    Ok(Some(new))
}

/// Jumps over 32 KiB, forwards and backwards.
#[test]
fn jumps_that_become_long_have_the_same_targets() {
    // The offsets of both jumps nearly fill 16 bits; the snippets make them longer.
    let steps = vec![
        Step::If { not_equal: false, target: 2 },
        Step::Work { padding: 32_756 },
        Step::If { not_equal: true, target: 1 },
        Step::Return,
    ];
    let all = vec![true; steps.len()];
    let choices = (0..60).map(|i| i / 3).collect();
    let plan = Plan { steps, before: all.clone(), after: all, entry: true, choices };
    let code = check_plan(&plan).unwrap().unwrap();
    let wide = code.instructions.iter().filter(|instruction| matches!(instruction.op, Op::Goto(_)) && instruction.len == 5);
    assert_eq!(wide.count(), 2, "{:?}", code.frames);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_rewritten_method_runs_as_before(plan in plans()) {
        check_plan(&plan)?;
    }
}
