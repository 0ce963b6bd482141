//! Construction of a [`Cluster`]: the callables under test first, then, breadth first, the types
//! that their arguments need.
//!
//! In: a program, a target and limits. Out: a cluster. Each file below is one step and owns its
//! result:
//!
//! | Step | Result |
//! |---|---|
//! | [`roots`] | callables and fields under test |
//! | [`callables`] | table of callables, one entry for each use of a member |
//! | [`needed`] | work list of types |
//! | [`ways`], [`stubs`] | for one type: the ways to get a value of it |
//! | [`members`] | for one type: methods that modify or inspect its objects |
//! | [`injection`] | for one constructor: what a container gives its objects |
//! | [`roles`] | for one class: value, collection, function or collaborator |
//! | [`mocks`] | Mockito mocks for collaborators, and for types without another way |
//! | [`web`] | templates of requests to a controller |
//! | [`costs`] | ways ranked by the statements they take |
//!
//! No step knows how sequences are searched for. Ids of callables are given in order of first use,
//! so the order of the steps is part of the result.

mod callables;
mod costs;
mod injection;
mod members;
mod mocks;
mod needed;
mod roles;
mod roots;
mod stubs;
mod ways;
mod web;

use std::collections::BTreeMap;
use std::sync::Arc;

use self::callables::CallableTable;
use self::costs::UncostedChoice;
use self::injection::Injections;
use self::members::Members;
use self::mocks::{Mocks, has_mockito};
use self::needed::NeededTypes;
use self::roots::Roots;
use self::ways::{Ways, WaysFinder};
use super::access::Access;
use super::analysis::{asked_types, called_classes, collect_constants};
use super::formats::{add_enum_names, add_object_of_names};
use super::reflection::{is_reflective, known_members};
use super::scan::ProjectIndex;
use super::serialization::serialized_classes;
use super::{Callable, CallableId, CallableKind, Choice, Cluster, ClusterConfig, CodeConstants, Generator, Injection, StubKind};
use crate::program::{
    ClassModel, ClassName, FieldModel, GenericType, JavaType, MethodModel, Program, TargetError, source_level, targets,
};

/// Steps from the target beyond which types are not looked into.
const MAX_DISTANCE: u32 = 4;
/// Concrete subclasses of one class that are considered, nearest packages first.
const MAX_SUBCLASSES: usize = 8;

impl Cluster {
    /// The cluster of a class that [`crate::program::find_target`] accepted.
    ///
    /// # Errors
    /// [`TargetError::NothingToCall`] when the class cannot be loaded, or no member of it can be
    /// called or read by a test.
    pub fn build(program: &Arc<Program>, target: &ClassName, config: &ClusterConfig) -> Result<Cluster, TargetError> {
        let nothing = |why: String| TargetError::NothingToCall { name: target.clone(), why };
        let model = program.load(target).map_err(|error| nothing(error.to_string()))?;
        let test_package = config.test_package.clone().unwrap_or_else(|| target.package().to_string());
        let classes = targets(program, target);
        let release = source_level(model.file.major_version());
        let scope =
            Scope { program, target, classes: &classes, config, access: Access { program, package: &test_package, release } };
        let mut builder = Builder::new(scope, &model);
        if builder.roots.under_test.is_empty() && builder.roots.fields.is_empty() {
            return Err(nothing(reason_for_nothing(&model, config)));
        }
        if config.methods.is_empty() && are_generated(program, &classes) {
            return Err(nothing("all of its methods are generated, and nobody tests generated code".to_string()));
        }
        builder.close();
        let parts = builder.finish();
        let takes_members = parts.choices.keys().any(is_reflective);
        Ok(Cluster {
            target: target.clone(),
            constants: constants_of(program, &classes),
            requests: web::requests(scope),
            serialized: serialized_classes(program, &classes),
            members: if takes_members { known_members(program, scope.access, &classes) } else { Vec::new() },
            callables: parts.callables,
            under_test: parts.roots.under_test,
            own: parts.roots.own,
            fields: parts.roots.fields,
            remarks: parts.roots.remarks,
            choices: parts.choices,
            modifiers: parts.members.modifiers,
            inspectors: parts.members.inspectors,
            injections: parts.injections,
            unbuildable: parts.unbuildable,
            program: program.clone(),
            test_package,
            release,
            classes,
        })
    }
}

fn reason_for_nothing(model: &ClassModel, config: &ClusterConfig) -> String {
    if !config.methods.is_empty() {
        return "no method of that name (and descriptor) is one that a test can call; check --method".to_string();
    }
    if model.is_interface() {
        return "it is an interface without default or static methods; name a class that implements it".to_string();
    }
    "it has no constructor or method that a test in its package may name".to_string()
}

/// Whether the classes have methods with code, and all of them are generated.
fn are_generated(program: &Program, classes: &[ClassName]) -> bool {
    let mut found = false;
    for model in classes.iter().filter_map(|class| program.class(class)) {
        for method in model.methods.iter().filter(|method| model.code(method).is_some()) {
            if !model.is_generated(method) && !only_makes_constants(&model, method) {
                return false;
            }
            found = true;
        }
    }
    found
}

/// Whether the method only makes the constants of an enum that has nothing else.
fn only_makes_constants(model: &ClassModel, method: &MethodModel) -> bool {
    let is_plain_field = |field: &FieldModel| field.access.is_enum() || field.access.is_synthetic();
    let is_maker = match method.name() {
        "<init>" => &*method.reference.descriptor == "(Ljava/lang/String;I)V",
        "<clinit>" => model.fields.iter().all(is_plain_field),
        _ => false,
    };
    model.is_enum() && is_maker
}

fn constants_of(program: &Program, classes: &[ClassName]) -> CodeConstants {
    let mut constants = CodeConstants::default();
    for model in classes.iter().filter_map(|class| program.class(class)) {
        model.methods.iter().for_each(|method| collect_constants(&model, method, &mut constants));
        add_enum_names(program, &model, &mut constants);
    }
    add_object_of_names(&mut constants);
    constants
}

fn object() -> JavaType {
    JavaType::class("java/lang/Object")
}

fn string() -> JavaType {
    JavaType::class("java/lang/String")
}

/// The input of the construction, which every step reads and none changes.
#[derive(Clone, Copy)]
struct Scope<'a> {
    program: &'a Program,
    target: &'a ClassName,
    /// The target and its nested classes.
    classes: &'a [ClassName],
    config: &'a ClusterConfig,
    access: Access<'a>,
}

impl Scope<'_> {
    /// Whether the class is under test and its objects have code. A nested interface may have none.
    fn tests_code_of(self, class: &ClassModel) -> bool {
        let is_code = |method: &MethodModel| !method.is_static() && !method.access.is_abstract();
        self.classes.contains(&class.name) && (!class.is_interface() || class.methods.iter().any(is_code))
    }
}

/// The index of the project's classes, made when a step first asks for it.
struct LazyIndex<'a> {
    scope: Scope<'a>,
    index: Option<ProjectIndex>,
}

impl LazyIndex<'_> {
    fn get(&mut self) -> &ProjectIndex {
        let Scope { program, target, config, .. } = self.scope;
        self.index.get_or_insert_with(|| ProjectIndex::new(program, target, config.max_scanned))
    }

    /// Concrete subclasses that a test can name, nearest first, at most [`MAX_SUBCLASSES`].
    fn subclasses(&mut self, name: &ClassName) -> Vec<Arc<ClassModel>> {
        let Scope { program, access, .. } = self.scope;
        let names = self.get().subclasses(name);
        names
            .iter()
            .filter_map(|name| program.class(name))
            .filter(|class| !class.is_abstract() && !class.is_interface() && access.class(class))
            .take(MAX_SUBCLASSES)
            .collect()
    }

    /// Concrete subclasses that a test can name: those in the index, else those in the package of
    /// the class itself.
    fn implementations(&mut self, name: &ClassName) -> Vec<Arc<ClassModel>> {
        let found = self.subclasses(name);
        if !found.is_empty() {
            return found;
        }
        let Scope { program, access, .. } = self.scope;
        let neighbours = program.source().neighbours(name);
        neighbours
            .iter()
            .filter(|neighbour| neighbour.package() == name.package() && program.is_subclass(neighbour, name))
            .filter_map(|neighbour| program.class(neighbour))
            .filter(|class| !class.is_abstract() && !class.is_interface() && access.class(class))
            .take(MAX_SUBCLASSES)
            .collect()
    }
}

/// A cluster under construction.
struct Builder<'a> {
    scope: Scope<'a>,
    callables: CallableTable<'a>,
    index: LazyIndex<'a>,
    roots: Roots,
    /// Types to which the code under test casts, or for which it checks by `instanceof`.
    asked: Vec<JavaType>,
    ways: BTreeMap<JavaType, Ways>,
    /// Why a type has no way.
    unbuildable: BTreeMap<JavaType, String>,
    needed: NeededTypes,
    members: Members,
    mocks: Mocks,
    injections: Injections,
}

/// The results of the steps.
struct Parts {
    callables: Vec<Callable>,
    roots: Roots,
    choices: BTreeMap<JavaType, Vec<Choice>>,
    members: Members,
    injections: BTreeMap<CallableId, Vec<Injection>>,
    unbuildable: BTreeMap<JavaType, String>,
}

impl<'a> Builder<'a> {
    /// Collects the roots and what they need.
    fn new(scope: Scope<'a>, target: &Arc<ClassModel>) -> Builder<'a> {
        let mut asked = Vec::new();
        let mut members = Members::default();
        for model in scope.classes.iter().filter_map(|class| scope.program.class(class)) {
            asked_types(&model, &mut asked);
            members.used_classes.extend(called_classes(&model));
        }
        asked.retain(|ty| *ty != object());
        let mut callables = CallableTable::new(scope.program);
        let mut index = LazyIndex { scope, index: None };
        let roots = Roots::collect(scope, target, &mut callables, &mut index);
        let mut needed = NeededTypes::default();
        for id in &roots.under_test {
            needed.need_operands(scope.program, callables.get(*id), 0);
        }
        for field in &roots.fields {
            needed.need(field.field.field_type(), 1);
            needed.need_generic(&field.generic, 1);
        }
        Builder {
            scope,
            callables,
            index,
            roots,
            asked,
            ways: BTreeMap::new(),
            unbuildable: BTreeMap::new(),
            needed,
            members,
            mocks: Mocks::new(scope),
            injections: Injections::default(),
        }
    }

    /// Finds ways until every needed type has been looked into; then adds mocks one by one where
    /// Mockito may be used. At last, adds what tells the state of results.
    fn close(&mut self) {
        // `Object` and unbound type variables stand for these.
        for ty in [string(), JavaType::class("java/lang/Integer"), object()] {
            self.needed.need(ty, 0);
        }
        self.look_into_needed_types();
        if has_mockito(self.scope) {
            while self.mock_next() {
                self.look_into_needed_types();
            }
        }
        let results: Vec<JavaType> = self.roots.under_test.iter().map(|id| self.callables.get(*id).returns.clone()).collect();
        results.iter().for_each(|ty| self.members.add_inspectors_of(ty, self.scope, &mut self.callables));
    }

    fn look_into_needed_types(&mut self) {
        while let Some((ty, distance)) = self.needed.next() {
            if self.ways.len() >= self.scope.config.max_types || distance > MAX_DISTANCE {
                self.unbuildable.insert(ty, "too far from the target".to_string());
                continue;
            }
            let ways = self.ways_to(&ty, distance);
            for subtype in &ways.subtypes {
                self.needed.need(subtype.clone(), distance);
            }
            for UncostedChoice { generator, .. } in &ways.own {
                match generator {
                    Generator::Call(id) => {
                        self.needed.need_operands(self.scope.program, self.callables.get(*id), distance + 1);
                        self.need_injected(*id, distance + 1);
                    }
                    Generator::Array { element } => self.needed.need(element.clone(), distance),
                    stub @ Generator::Stub { .. } => need_answers(self.scope.program, stub, distance + 1, &mut self.needed),
                    Generator::Literal | Generator::Field(_) => {}
                }
            }
            self.ways.insert(ty.clone(), ways);
            self.members.add_members_of(&ty, distance, self.scope, &mut self.callables, &mut self.needed);
        }
    }

    /// Adds what a container gives the objects of a constructor.
    fn need_injected(&mut self, id: CallableId, distance: u32) {
        if self.callables.get(id).kind != CallableKind::Constructor {
            return;
        }
        let Builder { scope, mocks, index, callables, .. } = self;
        let mut mock_of = |class: &ClassModel| mocks.mock_injected(*scope, index, class);
        for injection in self.injections.add(*scope, callables, id, &mut mock_of) {
            match injection {
                Injection::Call(setter) => {
                    self.needed.need_operands(self.scope.program, self.callables.get(*setter), distance);
                }
                Injection::Field { field, generic } => {
                    self.needed.need(field.field_type(), distance);
                    self.needed.need_generic(generic, distance);
                }
                Injection::Mock { generic, mock, .. } => {
                    generic.arguments().iter().for_each(|argument| self.needed.need_generic_later(argument, distance));
                    need_answers(self.scope.program, mock, distance, &mut self.needed);
                }
            }
        }
    }

    fn ways_to(&mut self, ty: &JavaType, distance: u32) -> Ways {
        let mut finder = WaysFinder {
            scope: self.scope,
            callables: &mut self.callables,
            index: &mut self.index,
            roots: &self.roots,
            asked: &self.asked,
            target_is_needed: self.needed.contains(&JavaType::Class(self.scope.target.clone())),
            mocks: &mut self.mocks,
            unbuildable: &mut self.unbuildable,
        };
        finder.ways_to(ty, distance)
    }

    /// Adds a mock for the next type without a better way. Returns false when there is no such
    /// type.
    fn mock_next(&mut self) -> bool {
        let flattened = costs::flatten(&self.ways);
        let found = self.mocks.next(self.scope, &flattened, self.callables.all(), &self.needed);
        let Some((ty, mock)) = found else { return false };
        let distance = self.needed.distance(&ty);
        need_answers(self.scope.program, &mock.generator, distance + 1, &mut self.needed);
        self.ways.entry(ty).or_default().own.push(mock);
        true
    }

    fn finish(mut self) -> Parts {
        let mut flattened = costs::flatten(&self.ways);
        let only_mocked = self.mocks.only_mocked(self.scope, &flattened, self.callables.all());
        // Real collaborators that cost more than a mock are not built.
        for (_, ways) in flattened.iter_mut().filter(|(ty, _)| only_mocked.contains(*ty) && self.mocks.has_collaborator(ty)) {
            ways.retain(|choice| costs::is_mock(&choice.generator));
        }
        self.members.remove(&only_mocked);
        let callables = self.callables.into_callables();
        let choices = costs::choices(flattened, &callables, &only_mocked, self.scope.config.max_choices, &mut self.unbuildable);
        let mut roots = self.roots;
        roots.remarks.extend(self.injections.remarks(self.scope));
        let injections = self.injections.by_constructor;
        Parts { callables, roots, choices, members: self.members, injections, unbuildable: self.unbuildable }
    }
}

/// Defers what the methods of a stub return or throw.
fn need_answers(program: &Program, stub: &Generator, distance: u32, needed: &mut NeededTypes) {
    let Generator::Stub { class, kind, methods, exceptions } = stub else { return };
    let own = GenericType::class(class.clone());
    for method in methods {
        needed.need_later(method.return_type(), distance);
        if let Some((parameters, returned)) = program.bound_types(&own, method) {
            needed.need_generic_later(&returned, distance);
            // Their inspectors describe the arguments of calls on a mock.
            parameters.iter().filter(|_| *kind == StubKind::Mock).for_each(|ty| needed.need_generic_later(ty, distance));
        }
    }
    for (_, exception) in exceptions {
        needed.need_later(exception.clone(), distance);
    }
}
