//! What a method does on one side of its jumps only, in words of an observer.
//!
//! In: the code of methods. Out: the properties, calls and keys that depend on a jump, and whether a fact is about
//! one of them. Must not know which way a test went.
//!
//! ```text
//! if (product.getStatus() == null) {
//!     product.setStatus(DRAFT);      the status that a product has or keeps is worth an assertion
//! }
//! ```

use std::collections::BTreeSet;

use tracewright_classfile::{Constant, Instruction, Op};

use super::{Assertion, Fact};
use crate::program::{ClassModel, MethodRef, Program};
use crate::testcase::{Literal, StatementKind, TestCase};

/// Instructions between the name of an attribute and the call that adds it.
const NEAR: usize = 12;
/// Methods that put a value under a name.
const NAMING: [&str; 5] = ["addAttribute", "addFlashAttribute", "addObject", "setAttribute", "put"];

/// What the code does on one side of a jump.
#[derive(Debug, Default)]
pub(crate) struct GovernedEffects {
    /// Names of fields that are written, and of what setters set, with a small first letter.
    properties: BTreeSet<String>,
    /// Names of called methods, with the number of their parameters.
    calls: BTreeSet<(String, usize)>,
    /// Names under which values are put.
    keys: BTreeSet<Vec<u16>>,
}

impl GovernedEffects {
    /// What depends directly on the jump at this place, whichever way it goes.
    pub(crate) fn of_jump(program: &Program, method: &MethodRef, bci: u32) -> GovernedEffects {
        let mut effects = GovernedEffects::default();
        effects.add(program, method, |jump| jump == bci);
        effects
    }

    /// What depends on any jump of the method under test; nothing where there is none.
    pub(super) fn of_target(program: &Program, target: Option<&MethodRef>) -> GovernedEffects {
        let mut effects = GovernedEffects::default();
        if let Some(target) = target {
            effects.add(program, target, |_| true);
        }
        effects
    }

    /// That setters of this name depend on a jump.
    #[cfg(test)]
    pub(super) fn of_setters(names: &[&str]) -> GovernedEffects {
        GovernedEffects { properties: names.iter().filter_map(|name| set_property(name)).collect(), ..GovernedEffects::default() }
    }

    fn add(&mut self, program: &Program, method: &MethodRef, is_asked: impl Fn(u32) -> bool) {
        let Some(found) = program.resolve(method) else { return };
        let class = &found.class;
        let (Some(code), Some(control)) = (class.code(found.method()), class.control_dependence(found.method())) else { return };
        for (place, instruction) in code.instructions.iter().enumerate() {
            if control.depends_on(instruction.bci).iter().any(|edge| is_asked(edge.bci)) {
                self.add_instruction(class, method, &code.instructions[place.saturating_sub(NEAR)..=place]);
            }
        }
    }

    /// Adds what the last of these instructions does.
    fn add_instruction(&mut self, class: &ClassModel, method: &MethodRef, instructions: &[Instruction]) {
        let Some((instruction, before)) = instructions.split_last() else { return };
        let pool = class.file.constant_pool();
        if let Op::PutField(index) | Op::PutStatic(index) = &instruction.op
            && let Ok(member) = pool.member(*index)
        {
            self.properties.insert(member.name.to_owned());
        }
        let Some(called) = class.called_by(&instruction.op) else { return };
        self.properties.extend(set_property(called.name));
        let called_method = MethodRef::new(method.owner.clone(), called.name, called.descriptor);
        self.calls.insert((called.name.to_owned(), called_method.parameters().len()));
        if NAMING.contains(&called.name) {
            self.keys.extend(before.iter().filter_map(|instruction| match &instruction.op {
                Op::Ldc(index) => match pool.get(*index) {
                    Ok(Constant::String(units)) => Some(units),
                    _ => None,
                },
                _ => None,
            }));
        }
    }

    /// Whether the assertion of a test is about one of them. `acted`: number of the test's own statements.
    pub(crate) fn has(&self, test: &TestCase, acted: u32, assertion: &Assertion) -> bool {
        if let Fact::Called { method, .. } = &assertion.fact {
            return self.calls.contains(&(method.name.to_string(), method.parameters().len()));
        }
        assertion.subject.0 >= acted && self.is_read_by(test, &test.statement(assertion.subject).kind)
    }

    /// Whether a getter of this name reads one of them.
    pub(super) fn has_property(&self, getter: &str) -> bool {
        self.properties.contains(&read_property(getter))
    }

    /// Whether the inspector reads one of them.
    fn is_read_by(&self, test: &TestCase, inspector: &StatementKind) -> bool {
        match inspector {
            StatementKind::Call { method, receiver: Some(_), args, .. } => match args.as_slice() {
                [] => self.has_property(&method.name),
                [key] => matches!(test.literal(*key), Some(Literal::Str(units)) if self.keys.contains(units)),
                _ => false,
            },
            StatementKind::GetField { field, receiver: Some(_) } => self.properties.contains(&*field.name),
            _ => false,
        }
    }
}

/// What a setter of this name sets: `status` for `setStatus`.
fn set_property(name: &str) -> Option<String> {
    name.strip_prefix("set").filter(|rest| starts_with_capital(rest)).map(with_small_first)
}

/// What a getter of this name reads: `status` for `getStatus` and `status`.
fn read_property(name: &str) -> String {
    let rest = |prefix: &str| name.strip_prefix(prefix).filter(|rest| starts_with_capital(rest));
    with_small_first(rest("get").or(rest("is")).unwrap_or(name))
}

fn starts_with_capital(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
}

fn with_small_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::AssertedTest;

    #[test]
    fn getters_read_what_setters_set() {
        let text = "target p/Foo.fill (Lp/Item;)V\nacted 3\nv0: Lp/Foo; = new p/Foo.<init> ()V ()\n\
                    v1: Lp/Item; = new p/Item.<init> ()V ()\nv2: I = call method p/Foo.fill (Lp/Item;)I on v0 (v1)\n\
                    v3: I = call method p/Item.getStatus ()I on v1 ()\nassert v2 equals int 1\nassert v3 equals int 3\n";
        let test: AssertedTest = text.parse().expect("well-formed");
        let effects = GovernedEffects::of_setters(&["setStatus"]);
        let has = |place: usize| effects.has(&test.test, test.acted, &test.assertions[place]);
        assert_eq!([has(0), has(1)], [false, true]);
        assert_eq!(
            (set_property("settle"), read_property("isOpen"), read_property("size")),
            (None, "open".into(), "size".into())
        );
    }
}
