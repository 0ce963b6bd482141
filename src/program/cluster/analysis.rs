//! Hints from bytecode: fields read and written, purity, constants, and types that code casts to.
//!
//! In: models of classes. Out: hints. The analysis is unsound: it may be wrong about behaviour at
//! run time, so only preferences of the search may depend on it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tracewright_classfile::{Constant, Op, PrimitiveType};

use super::date_patterns::{add_dates, reads_dates};
use super::formats::add_examples;
use super::{CodeConstants, Hints};
use crate::program::{ClassModel, ClassName, ClassOrigin, FieldRef, JavaType, MethodModel, MethodRef, Program};

/// Facts about one method body without its callees.
#[derive(Debug, Default)]
struct Facts {
    reads: BTreeSet<FieldRef>,
    writes: BTreeSet<FieldRef>,
    /// Calls to project classes.
    project_calls: Vec<MethodRef>,
    /// It stores into an array that may be shared, or calls JDK code that may change state.
    impure: bool,
}

/// The analysis, with the facts of the methods seen so far.
pub(super) struct Analysis<'a> {
    program: &'a Program,
    facts: HashMap<MethodRef, Facts>,
}

/// Limit of direct and indirect callees; methods with more of them get no useful hints.
const MAX_CALLEES: usize = 200;

impl<'a> Analysis<'a> {
    /// An analysis of classes of this program.
    pub(crate) fn new(program: &'a Program) -> Analysis<'a> {
        Analysis { program, facts: HashMap::new() }
    }

    /// Hints for the search from the code of a method.
    pub(crate) fn hints(&mut self, class: &ClassModel, method: &MethodModel) -> Hints {
        if class.origin != ClassOrigin::Project {
            return Hints::default();
        }
        let family: BTreeSet<ClassName> =
            self.program.superclass_chain(&class.name).iter().map(|class| class.name.clone()).collect();
        let mut reads = BTreeSet::new();
        let mut writes = BTreeSet::new();
        let mut pure = true;
        let mut visited = BTreeSet::from([method.reference.clone()]);
        let mut pending = vec![method.reference.clone()];
        while let Some(next) = pending.pop() {
            let facts = self.facts_of(&next);
            let constructs = &*next.name == "<init>";
            // A constructor that a method calls writes fields of a new object: no existing state
            // changes.
            let fresh = constructs && !method.is_constructor();
            pure &= !facts.impure && (fresh || facts.writes.is_empty());
            reads.extend(facts.reads.iter().filter(|field| family.contains(&field.owner)).cloned());
            if !fresh {
                writes.extend(facts.writes.iter().filter(|field| family.contains(&field.owner)).cloned());
            }
            let callees = facts.project_calls.clone();
            if visited.len() > MAX_CALLEES {
                pure &= callees.is_empty();
                continue;
            }
            for callee in callees {
                // `this.m()` runs the most derived body that the class knows.
                let callee = match self.program.resolve(&callee) {
                    Some(resolved) if family.contains(&resolved.class.name) && !resolved.method().is_static() => {
                        match self.program.select_method(&class.name, &resolved) {
                            Some(selected) => selected.reference().clone(),
                            None => continue,
                        }
                    }
                    Some(resolved) => resolved.reference().clone(),
                    None => {
                        pure = false;
                        continue;
                    }
                };
                if visited.insert(callee.clone()) {
                    pending.push(callee);
                }
            }
        }
        let tells = method.parameters.is_empty() && method.returns != JavaType::Void;
        // These methods may cache their result, which no caller can observe.
        let by_name = matches!(method.name(), "toString" | "hashCode" | "size" | "isEmpty" | "length");
        Hints {
            observer: tells && !method.is_constructor() && !method.access.is_abstract() && (pure || by_name),
            reads: reads.into_iter().collect(),
            writes: writes.into_iter().collect(),
        }
    }

    fn facts_of(&mut self, method: &MethodRef) -> &Facts {
        let program = self.program;
        self.facts.entry(method.clone()).or_insert_with(|| {
            let class = program.class(&method.owner);
            class
                .as_ref()
                .and_then(|class| Some((class, class.method(&method.name, &method.descriptor)?)))
                .map_or_else(|| Facts { impure: true, ..Facts::default() }, |(class, method)| facts(program, class, method))
        })
    }

    /// Constants of the body and of the project methods it calls.
    pub(crate) fn constants(&mut self, class: &ClassModel, method: &MethodModel) -> CodeConstants {
        let mut constants = CodeConstants::default();
        if class.origin != ClassOrigin::Project {
            return constants;
        }
        collect_constants(class, method, &mut constants);
        if reads_dates(class, method) {
            add_dates(class, &mut constants);
        }
        let callees = self.facts_of(&method.reference).project_calls.clone();
        for callee in callees {
            if let Some(resolved) = self.program.resolve(&callee)
                && resolved.class.origin == ClassOrigin::Project
                && resolved.reference() != &method.reference
            {
                collect_constants(&resolved.class, resolved.method(), &mut constants);
                if reads_dates(&resolved.class, resolved.method()) {
                    add_dates(&resolved.class, &mut constants);
                }
            }
        }
        constants
    }
}

/// The facts of one method body, by one pass over its instructions.
fn facts(program: &Program, class: &ClassModel, method: &MethodModel) -> Facts {
    let mut facts = Facts::default();
    let Some(code) = class.code(method) else {
        // Abstract methods have no effect themselves; native ones may have any.
        facts.impure = method.access.is_native();
        return facts;
    };
    let pool = class.file.constant_pool();
    let in_constructor = method.is_constructor();
    // Fields whose objects may be on the operand stack: those loaded since the last return or
    // throw.
    let mut loaded: BTreeMap<JavaType, FieldRef> = BTreeMap::new();
    for instruction in &code.instructions {
        match &instruction.op {
            op @ (Op::GetField(index) | Op::GetStatic(index) | Op::PutField(index) | Op::PutStatic(index)) => {
                let Ok(member) = pool.member(*index) else { continue };
                let named = FieldRef::new(ClassName::new(member.owner), member.name, member.descriptor);
                let field = program.resolve_field_ref(&named).map_or(named, |resolved| resolved.field().reference.clone());
                if matches!(op, Op::GetField(_) | Op::GetStatic(_)) {
                    loaded.insert(field.field_type(), field.clone());
                    facts.reads.insert(field);
                } else {
                    facts.writes.insert(field);
                }
            }
            Op::ArrayStore(_) => {
                let arrays: Vec<FieldRef> =
                    loaded.iter().filter(|(ty, _)| matches!(ty, JavaType::Array(_))).map(|(_, field)| field.clone()).collect();
                // A method may fill an array of its own; one from a field or an argument is shared.
                facts.impure |= arrays.is_empty() && !in_constructor && !allocates_array(&code);
                facts.writes.extend(arrays);
            }
            op if op.is_invoke() => {
                let Some(member) = op.member_index().and_then(|index| pool.member(index).ok()) else { continue };
                let owner = ClassName::new(member.owner);
                let target = MethodRef::new(owner.clone(), member.name, member.descriptor);
                if program.is_project(&owner) {
                    facts.project_calls.push(target);
                    continue;
                }
                if !is_harmless(member.owner, member.name) {
                    match loaded.get(&JavaType::Class(owner)) {
                        Some(field) => {
                            facts.writes.insert(field.clone());
                        }
                        None => facts.impure = true,
                    }
                }
            }
            Op::Return(_) | Op::Athrow => loaded.clear(),
            _ => {}
        }
    }
    facts
}

fn allocates_array(code: &tracewright_classfile::Code) -> bool {
    code.instructions
        .iter()
        .any(|instruction| matches!(instruction.op, Op::NewArray(_) | Op::ANewArray(_) | Op::MultiANewArray { .. }))
}

/// Whether a call of the JDK method changes no state that the caller could observe; decided by
/// class and name.
fn is_harmless(owner: &str, name: &str) -> bool {
    const IMMUTABLE: [&str; 12] = [
        "java/lang/String",
        "java/lang/Number",
        "java/lang/Math",
        "java/lang/StrictMath",
        "java/lang/CharSequence",
        "java/lang/Object",
        "java/lang/Class",
        "java/util/Objects",
        "java/util/Optional",
        "java/math/BigInteger",
        "java/math/BigDecimal",
        "java/lang/Enum",
    ];
    // Builders are mostly local to one method.
    const LOCAL: [&str; 3] = ["java/lang/StringBuilder", "java/lang/StringBuffer", "java/util/StringJoiner"];
    // A stream changes nothing by itself, and moments and amounts of time never change.
    let is_stream = owner.starts_with("java/util/stream/") && !name.starts_with("forEach");
    let is_immutable = IMMUTABLE.contains(&owner)
        || is_stream
        || owner.starts_with("java/time/")
        || PrimitiveType::from_box_class(owner).is_some();
    if is_immutable || LOCAL.contains(&owner) || name == "<init>" || owner.starts_with('[') {
        return true;
    }
    const PREFIXES: [&str; 12] =
        ["get", "is", "has", "contains", "index", "lastIndex", "to", "compare", "value", "unmodifiable", "empty", "copy"];
    const NAMES: [&str; 25] = [
        "of",
        "max",
        "min",
        "size",
        "length",
        "iterator",
        "listIterator",
        "next",
        "equals",
        "hashCode",
        "keySet",
        "values",
        "entrySet",
        "peek",
        "first",
        "last",
        "subList",
        "stream",
        "charAt",
        "name",
        "ordinal",
        "clone",
        "firstKey",
        "lastKey",
        "asList",
    ];
    NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| {
            name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_uppercase()))
        })
}

/// Adds the literals of a method body, each once, and examples of the formats that it reads.
/// Operands of comparisons also add their neighbours.
pub(super) fn collect_constants(class: &ClassModel, method: &MethodModel, into: &mut CodeConstants) {
    let Some(code) = class.code(method) else { return };
    let pool = class.file.constant_pool();
    for (position, instruction) in code.instructions.iter().enumerate() {
        let compared = code
            .instructions
            .get(position + 1)
            .is_some_and(|next| next.op.is_conditional_jump() || matches!(next.op, Op::Compare(_)) || next.op.is_switch());
        match &instruction.op {
            Op::IntConst(value) => into.int(*value, compared),
            Op::LongConst(value) => into.long(*value, compared),
            Op::FloatConst(value) => add(&mut into.floats, value.to_bits()),
            Op::DoubleConst(value) => add(&mut into.doubles, value.to_bits()),
            Op::If(..) => into.int(0, true),
            Op::Ldc(index) => match pool.get(*index) {
                Ok(Constant::Integer(value)) => into.int(value, compared),
                Ok(Constant::Long(value)) => into.long(value, compared),
                Ok(Constant::Float(value)) => add(&mut into.floats, value.to_bits()),
                Ok(Constant::Double(value)) => add(&mut into.doubles, value.to_bits()),
                Ok(Constant::String(text)) => add(&mut into.strings, text),
                Ok(Constant::Class(name)) => add(&mut into.classes, class_literal(name)),
                _ => {}
            },
            Op::TableSwitch(switch) => {
                // In wide tables most keys lead to the default.
                let keys = (switch.low..=switch.high).zip(&switch.targets).filter(|(_, target)| **target != switch.default);
                keys.take(64).for_each(|(key, _)| into.int(key, false));
                into.int(switch.high.saturating_add(1), false);
            }
            Op::InvokeStatic(index) | Op::InvokeVirtual(index) | Op::InvokeSpecial(index) => {
                if let Ok(called) = pool.member(*index) {
                    add_examples(called.owner, called.name, called.descriptor, into);
                }
            }
            Op::LookupSwitch(switch) => switch.pairs.iter().take(64).for_each(|&(key, _)| into.int(key, false)),
            _ => {}
        }
    }
}

impl CodeConstants {
    fn int(&mut self, value: i32, compared: bool) {
        add(&mut self.ints, value);
        if compared {
            add(&mut self.ints, value.wrapping_sub(1));
            add(&mut self.ints, value.wrapping_add(1));
        }
    }

    fn long(&mut self, value: i64, compared: bool) {
        add(&mut self.longs, value);
        if compared {
            add(&mut self.longs, value.wrapping_sub(1));
            add(&mut self.longs, value.wrapping_add(1));
        }
    }
}

/// Limit of constants of one kind; more of them are a table of data rather than conditions.
const MAX_CONSTANTS: usize = 256;

/// Adds a value to a list that has room for it and does not hold it.
pub(super) fn add<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if list.len() < MAX_CONSTANTS && !list.contains(&value) {
        list.push(value);
    }
}

fn class_literal(name: &str) -> JavaType {
    JavaType::parse(name).filter(|ty| matches!(ty, JavaType::Array(_))).unwrap_or_else(|| JavaType::class(name))
}

/// Adds the reference types that the code casts to or checks by `instanceof`, in order of
/// appearance: they suggest classes for parameters of type `Object`.
pub(super) fn asked_types(class: &ClassModel, into: &mut Vec<JavaType>) {
    for method in &class.methods {
        let Some(code) = class.code(method) else { continue };
        if method.access.is_bridge() {
            continue;
        }
        for instruction in &code.instructions {
            if let Op::InstanceOf(index) | Op::CheckCast(index) = instruction.op
                && let Ok(name) = class.file.constant_pool().class_name(index)
            {
                add(into, class_literal(name));
            }
        }
    }
}

/// The classes whose methods the code calls on an object, as the instructions name them.
pub(super) fn called_classes(class: &ClassModel) -> BTreeSet<ClassName> {
    let mut found = BTreeSet::new();
    for code in class.methods.iter().filter_map(|method| class.code(method)) {
        for instruction in &code.instructions {
            if let Op::InvokeVirtual(index) | Op::InvokeInterface { method: index, .. } = instruction.op
                && let Ok(called) = class.file.constant_pool().member(index)
            {
                found.insert(ClassName::new(called.owner));
            }
        }
    }
    found
}
