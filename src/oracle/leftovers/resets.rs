//! Candidates for putting static state back. In: classes, what observers of their first state show,
//! the test; out: resets in the order in which they read best, and statements for the end of the test.

use std::collections::BTreeSet;

use super::Reset;
use super::observers::{StateObservers, literals_for};
use super::own_settings::own_settings;
use super::reach::{Reach, StateHolder, distrust, is_final, may_reset};
use crate::execution::Snapshot;
use crate::oracle::{Accessibility, as_literal};
use crate::program::{ClassModel, ClassName, ClassOrigin, FieldRef, JavaType, MethodRef};
use crate::testcase::{Literal, StatementKind, TestCase, VarId};

/// Candidates for one test, at most.
const MOST_CANDIDATES: usize = 48;
/// Constants and literals that are tried for one parameter.
const MOST_VALUES: usize = 6;

/// What may give the static state of the classes its first value. `alone`: what the observers of
/// this state show without the test.
pub(crate) fn candidate_resets(
    classes: &BTreeSet<ClassName>,
    access: &Accessibility<'_>,
    test: &TestCase,
    (observers, alone): (&StateObservers, &[Snapshot]),
) -> Vec<Reset> {
    let reach = Reach::new(access);
    let types = observers.test.statements.iter().map(|statement| statement.ty.clone());
    let first: Vec<(JavaType, Snapshot)> = types.zip(alone.iter().cloned()).collect();
    let mut ranked: Vec<(usize, Reset)> = Vec::new();
    for setting in own_settings(access, &reach, test) {
        let shown = observers.place_of(&setting).and_then(|place| first.get(place));
        if let Some((ty, literal)) = shown.and_then(|(ty, shown)| Some((ty, as_literal(shown)?))) {
            let value = CandidateValue::Literal(literal, ty.clone());
            ranked.push((50, on_root(&reach, &setting.holder, &setting.setter, Some(&value))));
        }
    }
    for class in classes.iter().filter_map(|class| reach.class(class)) {
        let roots = reach.roots(&class);
        for method in reach.static_methods(&class, 0).iter().filter(|method| may_reset(method)) {
            let reset = statements(|test| {
                reach.append_call(test, method, None, Vec::new());
            });
            ranked.push((distrust(method), reset));
        }
        for root in &roots {
            let Some(of) = reach.class_of(root) else { continue };
            for method in reach.instance_methods(&of, 0).iter().filter(|method| may_reset(method)) {
                ranked.push((100 + distrust(method), on_root(&reach, root, method, None)));
            }
        }
        for (holder, emptying) in reach.emptied(&class) {
            ranked.push((60, on_root(&reach, &holder, &emptying, None)));
        }
        let values = |ty: &JavaType| values_of(&reach, &class, &first, ty);
        for method in reach.static_methods(&class, 1).iter().filter(|method| may_reset(method)) {
            for (place, value) in values(&method.parameters()[0]).iter().enumerate() {
                let reset = statements(|test| {
                    let argument = value.append(test);
                    reach.append_call(test, method, None, vec![argument]);
                });
                ranked.push((200 + place, reset));
            }
        }
        for root in roots.iter().filter(|root| !matches!(root, StateHolder::New(_))) {
            let Some(of) = reach.class_of(root) else { continue };
            for method in reach.instance_methods(&of, 1).iter().filter(|method| may_reset(method)) {
                for (place, value) in values(&method.parameters()[0]).iter().enumerate() {
                    ranked.push((300 + place, on_root(&reach, root, method, Some(value))));
                }
            }
        }
        for field in reach.static_fields(&class).into_iter().filter(|field| !is_final(&class, field)) {
            for value in values(&field.field_type()).into_iter().take(1) {
                let field = field.clone();
                let reset = statements(|test| {
                    let value = value.append(test);
                    test.push(StatementKind::PutField { field, receiver: None, value }, JavaType::Void);
                });
                ranked.push((400, reset));
            }
        }
        ranked.extend(saved(&reach, &class).into_iter().map(|reset| (500, reset)));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(MOST_CANDIDATES);
    ranked.into_iter().map(|(_, reset)| reset).collect()
}

/// Statements for the end of the test that may undo what it did: calls on its objects, static calls with its
/// literals, and calls that empty collections. Each is the test with the statements.
pub(crate) fn candidate_undos(classes: &BTreeSet<ClassName>, access: &Accessibility<'_>, test: &TestCase) -> Vec<TestCase> {
    let reach = Reach::new(access);
    let mut ranked: Vec<(usize, TestCase)> = Vec::new();
    let mut add = |rank: usize, method: &MethodRef, receiver: Option<VarId>, args: Vec<VarId>| {
        let mut longer = test.clone();
        reach.append_call(&mut longer, method, receiver, args);
        ranked.push((rank, longer));
    };
    for variable in (0..test.len() as u32).map(VarId) {
        let JavaType::Class(of) = test.type_of(variable) else { continue };
        if let Some((owner, name, descriptor)) = jdk_undo(of) {
            add(0, &MethodRef::new(ClassName::new(owner), name, descriptor), Some(variable), Vec::new());
        }
        if reach.class(of).is_none() || !holds_object(test, variable) {
            continue;
        }
        for method in reach.instance_methods(of, 0).iter().filter(|method| may_reset(method)) {
            add(distrust(method), method, Some(variable), Vec::new());
        }
        for method in reach.instance_methods(of, 1).iter().filter(|method| may_reset(method)) {
            if let Some(args) = literals_for(test, method) {
                add(100 + distrust(method), method, Some(variable), args);
            }
        }
    }
    let classes: Vec<_> = classes.iter().filter_map(|class| reach.class(class)).collect();
    for class in &classes {
        for parameters in 1..=2 {
            for method in reach.static_methods(class, parameters).iter().filter(|method| may_reset(method)) {
                if let Some(args) = literals_for(test, method) {
                    add(distrust(method), method, None, args);
                }
            }
        }
    }
    for (holder, emptying) in classes.iter().flat_map(|class| reach.emptied(class)) {
        let mut longer = test.clone();
        let collection = holder.append(&mut longer);
        reach.append_call(&mut longer, &emptying, Some(collection), Vec::new());
        ranked.push((60, longer));
    }
    ranked.extend(deletions(&reach, test).into_iter().map(|longer| (0, longer)));
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(MOST_CANDIDATES);
    ranked.into_iter().map(|(_, test)| test).collect()
}

/// The test with statements behind it that delete the new files which its calls returned; then the
/// folders of these files as well. The last file comes first: it may be in a folder before it.
fn deletions(reach: &Reach<'_>, test: &TestCase) -> Vec<TestCase> {
    let returned = |variable: &VarId| {
        let StatementKind::Call { method, .. } = &test.statement(*variable).kind else { return false };
        let makes_file = method.owner.internal() == "java/nio/file/Files" && method.name.starts_with("createTemp");
        makes_file || reach.class(&method.owner).is_some_and(|owner| owner.origin == ClassOrigin::Project)
    };
    let returned = (0..test.len() as u32).rev().map(VarId).filter(returned);
    let files: Vec<(VarId, &FileMethods)> =
        returned.filter_map(|variable| Some((variable, FileMethods::of(test.type_of(variable))?))).collect();
    if files.is_empty() {
        return Vec::new();
    }
    let mut deleted = test.clone();
    let mut folders = Vec::new();
    let mut all = test.clone();
    for (file, methods) in &files {
        methods.append_deletion(reach, &mut deleted, *file);
        let folder = reach.append_call(&mut all, &methods.parent(), Some(*file), Vec::new());
        methods.append_deletion(reach, &mut all, *file);
        folders.push((folder, methods));
    }
    for (folder, methods) in folders {
        methods.append_deletion(reach, &mut all, folder);
    }
    vec![deleted, all]
}

/// The methods of a type of files.
struct FileMethods {
    class: &'static str,
    parent: &'static str,
    /// Owner, name and descriptor; static where the owner is another class.
    delete: (&'static str, &'static str, &'static str),
}

const FILE_TYPES: [FileMethods; 2] = [
    FileMethods { class: "java/io/File", parent: "getParentFile", delete: ("java/io/File", "delete", "()Z") },
    FileMethods {
        class: "java/nio/file/Path",
        parent: "getParent",
        delete: ("java/nio/file/Files", "deleteIfExists", "(Ljava/nio/file/Path;)Z"),
    },
];

impl FileMethods {
    fn of(ty: &JavaType) -> Option<&'static FileMethods> {
        FILE_TYPES.iter().find(|methods| matches!(ty, JavaType::Class(class) if class.internal() == methods.class))
    }

    fn parent(&self) -> MethodRef {
        MethodRef::new(ClassName::new(self.class), self.parent, &format!("()L{};", self.class))
    }

    fn append_deletion(&self, reach: &Reach<'_>, test: &mut TestCase, file: VarId) {
        let (owner, name, descriptor) = self.delete;
        let method = MethodRef::new(ClassName::new(owner), name, descriptor);
        let (receiver, args) = if owner == self.class { (Some(file), Vec::new()) } else { (None, vec![file]) };
        reach.append_call(test, &method, receiver, args);
    }
}

/// Whether the variable may hold an object of the code under test, as far as its statement tells.
fn holds_object(test: &TestCase, variable: VarId) -> bool {
    !matches!(test.statement(variable).kind, StatementKind::Literal(_) | StatementKind::Stub { .. })
}

/// The method of a class of the JDK that undoes what making the object did.
fn jdk_undo(class: &ClassName) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match class.internal() {
        "java/util/concurrent/ExecutorService" | "java/util/concurrent/ScheduledExecutorService" => {
            ("java/util/concurrent/ExecutorService", "shutdownNow", "()Ljava/util/List;")
        }
        "java/util/Timer" => ("java/util/Timer", "cancel", "()V"),
        _ => return None,
    })
}

/// A value for a parameter.
enum CandidateValue {
    /// A literal, and the type of its variable.
    Literal(Literal, JavaType),
    /// A static final field.
    Constant(FieldRef),
}

impl CandidateValue {
    fn append(&self, test: &mut TestCase) -> VarId {
        match self {
            CandidateValue::Literal(literal, ty) => test.push(StatementKind::Literal(literal.clone()), ty.clone()),
            CandidateValue::Constant(field) => StateHolder::Field(field.clone()).append(test),
        }
    }
}

/// Values that state of this type may have had first: what observers show, constants of the class,
/// then zero.
fn values_of(reach: &Reach<'_>, class: &ClassModel, first: &[(JavaType, Snapshot)], ty: &JavaType) -> Vec<CandidateValue> {
    let mut literals: Vec<Literal> = Vec::new();
    let shown = first.iter().filter(|(of, _)| of == ty).filter_map(|(_, value)| as_literal(value));
    for literal in shown.chain(Literal::zero_of(ty)) {
        if !literals.contains(&literal) {
            literals.push(literal);
        }
    }
    let constants = reach.static_fields(class).into_iter().filter(|field| field.field_type() == *ty && is_final(class, field));
    let constants = constants.map(CandidateValue::Constant);
    let literals = literals.into_iter().map(|literal| CandidateValue::Literal(literal, ty.clone()));
    if ty.is_primitive() {
        literals.chain(constants).take(MOST_VALUES).collect()
    } else {
        constants.chain(literals).take(MOST_VALUES).collect()
    }
}

/// Pairs of static methods: a getter, and the setter of the same property.
fn saved(reach: &Reach<'_>, class: &ClassModel) -> Vec<Reset> {
    let getters: Vec<MethodRef> = reach.static_methods(class, 0);
    let mut pairs = Vec::new();
    for write in reach.static_methods(class, 1).into_iter().filter(|write| write.return_type() == JavaType::Void) {
        let property = write.name.strip_prefix("set").unwrap_or(&write.name).to_lowercase();
        let reads = |getter: &&MethodRef| {
            let name = getter.name.to_lowercase();
            getter.return_type() == write.parameters()[0] && (name.ends_with(&property) || name.starts_with(&property))
        };
        pairs.extend(getters.iter().find(reads).map(|read| Reset::Saved { read: read.clone(), write: write.clone() }));
    }
    pairs
}

fn statements(append: impl FnOnce(&mut TestCase)) -> Reset {
    let mut test = TestCase::default();
    append(&mut test);
    Reset::Statements(test)
}

fn on_root(reach: &Reach<'_>, root: &StateHolder, method: &MethodRef, value: Option<&CandidateValue>) -> Reset {
    statements(|test| {
        let object = root.append(test);
        let args = value.map(|value| vec![value.append(test)]).unwrap_or_default();
        reach.append_call(test, method, Some(object), args);
    })
}
