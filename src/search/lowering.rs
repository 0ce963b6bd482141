//! Lowers the test cluster to the callable table, and target classes to goals. Flows in: program,
//! cluster, first slots of classes; flows out: [`CallableTable`], [`GoalRegistry`]. Must not know
//! candidates.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use tracewright_classfile::{Code, Op};
use tracewright_trace::{BranchSite, BranchSiteKind, BranchSlot, search_sites};

use super::callable_table::{CallableEntry, CallableEntryKind, CallableIx, CallableTable, CallableTableBuilder, TypeId};
use super::goals::{GoalRegistry, Handler, InjectedMember, TargetMethod, TargetSite, ValueClasses};
use super::pollution;
use super::requests::RequestTable;
use crate::execution::TargetClass;
use crate::program::cluster::{self, CallableId, Choice, Cluster, CodeConstants, Generator, Injection};
use crate::program::{ClassModel, ClassName, ClassOrigin, GenericType, JavaType, MethodModel, MethodRef, Program};
use crate::testcase::{Literal, TestCase, TypeSystem, fits};

/// Wanted types with type arguments at most; later ones lose their arguments.
const WANTED: usize = 2000;
/// Depth to which type arguments of type arguments are kept.
const ARGUMENT_DEPTH: u32 = 2;
/// Bindings of the type variables of a callable under test.
const BINDINGS: usize = 3;

impl TypeSystem for Program {
    fn is_subtype(&self, from: &JavaType, to: &JavaType) -> bool {
        Program::is_subtype(self, from, to)
    }

    fn pollutes_heap(&self, test: &TestCase, element: &ClassName) -> bool {
        pollution::pollutes_heap(self, test, element)
    }

    fn needs_raw_types(&self, test: &TestCase) -> bool {
        pollution::needs_raw_types(self, test)
    }
}

impl GoalRegistry {
    /// The goals of the target classes. Generated methods have none, nor have those that only hold values. A
    /// class whose code cannot be read has none; the agent inserts no probes there either.
    pub fn of_classes(program: &Program, classes: &[TargetClass], cluster: &Cluster) -> GoalRegistry {
        let mut methods = Vec::new();
        for target in classes {
            methods.extend(target_methods(program, target, &cluster.target).unwrap_or_default());
        }
        let under_test: std::collections::HashSet<&MethodRef> =
            cluster.under_test.iter().map(|id| &cluster.callable(*id).method).collect();
        let is_called = |method: &MethodRef| under_test.contains(method) && !program.only_holds_values(&cluster.target, method);
        let mut goals = GoalRegistry::new(methods, is_called);
        let injected = cluster.all_injections().map(|injection| match injection {
            Injection::Call(setter) => InjectedMember::Method(cluster.callable(*setter).method.clone()),
            Injection::Field { field, .. } | Injection::Mock { field, .. } => InjectedMember::Field(field.clone()),
        });
        goals.set_injected(injected.collect());
        goals.set_mocks(cluster.has_mocks());
        goals.set_values(values(cluster.program(), classes));
        let chains = || classes.iter().flat_map(|target| program.superclass_chain(&target.name));
        let superclasses = || chains().filter(|class| class.origin == ClassOrigin::Project);
        goals.add_superclasses(superclasses().map(|class| class.name.clone()));
        let all = classes.iter().flat_map(|class| generated_methods(program, class, &cluster.target));
        goals.set_generated(all.collect());
        let models = classes.iter().filter_map(|class| program.class(&class.name));
        let hidden = |class: &ClassModel| -> Vec<MethodRef> {
            let hidden = class.methods.iter().filter(|method| !method.access.is_public());
            hidden.map(|method| method.reference.clone()).collect()
        };
        // A test calls an inherited method as one of the class itself.
        let inherited = superclasses().flat_map(|class| hidden(&class));
        let as_own = inherited.map(|method| MethodRef { owner: cluster.target.clone(), ..method });
        goals.set_internal(models.flat_map(|class| hidden(&class)).chain(as_own).collect());
        let own = cluster.under_test.iter().map(|id| cluster.callable(*id));
        goals.set_inherited(own.map(|callable| (callable.method.clone(), callable.declared_in.clone())));
        let templates = cluster.requests.iter().flat_map(|requests| &requests.templates);
        goals.with_handlers(templates.map(|template| {
            let handler = Handler { method: template.handler.clone(), validates: template.validates };
            ((template.verb.name.to_string(), template.path.clone()), handler)
        }))
    }
}

/// The classes of the project with state that no field of these classes holds: amounts, entities. What
/// they refuse is tested with them.
fn values(program: &Arc<Program>, classes: &[TargetClass]) -> ValueClasses {
    let chains = classes.iter().flat_map(|target| program.superclass_chain(&target.name));
    let mut held: Vec<ClassName> = Vec::new();
    for class in chains {
        held.extend(class.fields.iter().filter_map(|field| match &field.ty {
            JavaType::Class(held) => Some(held.clone()),
            _ => None,
        }));
    }
    let program = Arc::clone(program);
    ValueClasses::new(move |class| {
        let has_state = |model: &ClassModel| model.fields.iter().any(|field| !field.access.is_static());
        let is_held = || held.iter().any(|held| program.is_subclass(class, held));
        program.is_project(class) && program.class(class).is_some_and(|model| has_state(&model)) && !is_held()
    })
}

/// The methods of the class whose effects are no goals in tests of `target`.
fn generated_methods(program: &Program, class: &TargetClass, target: &ClassName) -> Vec<MethodRef> {
    let Some(class) = program.class(&class.name) else { return Vec::new() };
    let is_plain = |method: &MethodModel| program.only_holds_values(target, &method.reference);
    let generated = class.methods.iter().filter(|method| class.is_generated(method) || is_plain(method));
    generated.map(|method| method.reference.clone()).collect()
}

/// The methods of a class with goals in tests of `tested`.
fn target_methods(program: &Program, target: &TargetClass, tested: &ClassName) -> Option<Vec<TargetMethod>> {
    let class = program.class(&target.name)?;
    let sites = search_sites(&class.file).ok()?;
    let mut methods = Vec::new();
    let has_goals = |method: &&MethodModel| !class.is_generated(method) && !program.only_holds_values(tested, &method.reference);
    for method in class.methods.iter().filter(has_goals) {
        let Some(control) = class.control_dependence(method) else { continue };
        let own: Vec<_> = sites.branches.iter().filter(|site| site.method == method.index).collect();
        let first_slots: BTreeMap<u32, BranchSlot> =
            own.iter().map(|site| (site.bci, site.slot.from_base(target.branch_base))).collect();
        let depends_on = |bci: u32| -> Vec<BranchSlot> {
            control
                .depends_on(bci)
                .iter()
                .filter_map(|decision| first_slots.get(&decision.bci).map(|slot| slot.of_outcome(decision.outcome)))
                .collect()
        };
        let defaults = defaults_of(class.code(method).as_deref(), &own, target.branch_base);
        let branches = own.iter().flat_map(|site| {
            let depends_on = depends_on(site.bci);
            (0..site.slots()).map(move |outcome| TargetSite {
                slot: site.slot.of_outcome(outcome).from_base(target.branch_base),
                depends_on: depends_on.clone(),
            })
        });
        let branches = branches.filter(|site| !defaults.iter().any(|(key, _)| *key == site.slot)).collect();
        let lines = sites
            .lines
            .iter()
            .filter(|site| site.method == method.index)
            .map(|site| TargetSite { slot: site.slot.from_base(target.line_base), depends_on: depends_on(site.bci) });
        methods.push(TargetMethod { method: method.reference.clone(), branches, lines: lines.collect(), defaults });
    }
    Some(methods)
}

/// The keys of `tableswitch` instructions that lead to the default, each with the slot of the default.
fn defaults_of(code: Option<&Code>, sites: &[&BranchSite], base: BranchSlot) -> Vec<(BranchSlot, BranchSlot)> {
    let mut found = Vec::new();
    for site in sites.iter().filter(|site| matches!(site.kind, BranchSiteKind::TableSwitch { .. })) {
        let mut instructions = code.iter().flat_map(|code| &code.instructions);
        let switch = instructions.find(|instruction| instruction.bci == site.bci).map(|instruction| &instruction.op);
        let Some(Op::TableSwitch(switch)) = switch else { continue };
        let slot = |outcome: u32| site.slot.of_outcome(outcome).from_base(base);
        let keys = (0..).zip(&switch.targets).filter(|(_, target)| **target == switch.default);
        found.extend(keys.map(|(outcome, _)| (slot(outcome), slot(site.slots() - 1))));
    }
    found
}

impl CallableTable {
    /// All callables, values and field writes of the cluster, with bound type arguments.
    pub(crate) fn of_cluster(cluster: &Cluster) -> CallableTable {
        let mut compiler = ClusterLowering {
            cluster,
            builder: CallableTableBuilder::new(),
            generic: Vec::new(),
            pending: VecDeque::new(),
            callables: HashMap::new(),
        };
        compiler.constants(&cluster.constants).into_iter().for_each(|literal| compiler.builder.constant(literal));
        for &id in &cluster.under_test {
            compiler.under_test(cluster.callable(id));
            compiler.injections(id);
        }
        if let Some(requests) = &cluster.requests {
            let controller = compiler.wanted(&GenericType::class(cluster.target.clone()), 0);
            compiler.builder.requests(RequestTable { requests: requests.clone(), controller });
        }
        compiler.builder.members(cluster.members.clone());
        for class in &cluster.serialized {
            let wanted = compiler.wanted(&GenericType::class(class.clone()), 0);
            compiler.builder.serialized(wanted);
        }
        while let Some(wanted) = compiler.pending.pop_front() {
            compiler.complete(wanted);
        }
        compiler.builder.finish(&**cluster.program())
    }
}

struct ClusterLowering<'a> {
    cluster: &'a Cluster,
    builder: CallableTableBuilder,
    /// By wanted type.
    generic: Vec<GenericType>,
    pending: VecDeque<TypeId>,
    callables: HashMap<(CallableEntryKind, Option<TypeId>, Vec<TypeId>), CallableIx>,
}

impl ClusterLowering<'_> {
    fn wanted(&mut self, generic: &GenericType, depth: u32) -> TypeId {
        let generic = match generic {
            GenericType::Wildcard(wildcard) => wildcard.upper(),
            other => other.clone(),
        };
        let erased = generic.erase(&[]);
        let arguments: Vec<TypeId> = match &generic {
            GenericType::Array(element) => vec![self.wanted(element, depth)],
            _ if depth < ARGUMENT_DEPTH && self.generic.len() < WANTED => {
                generic.arguments().to_vec().iter().map(|argument| self.wanted(argument, depth + 1)).collect()
            }
            _ => Vec::new(),
        };
        let (id, new) = self.builder.wanted(&erased, &arguments);
        if new {
            let place = id.0 as usize;
            // The builder also numbers element types.
            while self.generic.len() < place {
                let skipped = TypeId(self.generic.len() as u32);
                self.generic.push(GenericType::of(self.builder.java_type(skipped)));
                self.pending.push_back(skipped);
            }
            let known = if arguments.is_empty() { GenericType::of(&erased) } else { generic };
            self.generic.push(known);
            self.pending.push_back(id);
        }
        id
    }

    /// The wanted type where the erased type is `declared`. Raw types and unchecked bounds may
    /// contradict the erased type, which then decides.
    fn bounded(&mut self, generic: &GenericType, declared: &JavaType) -> TypeId {
        let wanted = self.wanted(generic, 0);
        if fits(self.builder.java_type(wanted), declared, &**self.cluster.program()) {
            return wanted;
        }
        self.wanted(&GenericType::of(declared), 0)
    }

    fn callable(
        &mut self,
        kind: CallableEntryKind,
        receiver: Option<TypeId>,
        params: Vec<TypeId>,
        result: Option<TypeId>,
    ) -> CallableIx {
        let key = (kind, receiver, params);
        if let Some(&id) = self.callables.get(&key) {
            return id;
        }
        let (kind, receiver, params) = key.clone();
        let id = self.builder.callable(CallableEntry { kind, receiver, params, result });
        self.callables.insert(key, id);
        id
    }

    /// Adds one use of a callable of the cluster.
    fn bound(
        &mut self,
        callable: &cluster::Callable,
        receiver: Option<TypeId>,
        wanted: Option<TypeId>,
        choice: usize,
    ) -> CallableIx {
        let receiver_generic = receiver.map(|id| self.generic[id.0 as usize].clone());
        let wanted_generic = wanted.map(|id| self.generic[id.0 as usize].clone());
        let binding =
            self.cluster.bind(callable, receiver_generic.as_ref(), wanted_generic.as_ref(), &mut |candidates| match candidates
                .len()
            {
                0 => 0,
                count => choice % count,
            });
        let params = binding
            .parameters
            .iter()
            .zip(&callable.parameters)
            .map(|(bound, declared)| self.bounded(bound, &declared.ty))
            .collect();
        let returns = match &callable.returns {
            JavaType::Void => None,
            // The statement's type is the erased type of the descriptor.
            returns => {
                let bound = self.wanted(&binding.returns, 0);
                let plain = self.wanted(&GenericType::of(returns), 0);
                Some(if self.builder.java_type(bound) == returns { bound } else { plain })
            }
        };
        let (kind, receiver) = match callable.kind {
            cluster::CallableKind::Constructor => (CallableEntryKind::Construct(callable.method.clone()), None),
            kind => {
                let call = CallableEntryKind::Call { method: callable.method.clone(), interface: callable.interface };
                let receiver = match kind {
                    cluster::CallableKind::Static => None,
                    _ => Some(match receiver {
                        Some(receiver) => receiver,
                        None => self.wanted(&GenericType::of(&JavaType::Class(callable.method.owner.clone())), 0),
                    }),
                };
                (call, receiver)
            }
        };
        let id = self.callable(kind, receiver, params, returns);
        let constants = self.constants(&callable.constants);
        self.builder.callable_constants(id, constants);
        id
    }

    fn under_test(&mut self, callable: &cluster::Callable) {
        let first = self.bound(callable, None, None, 0);
        self.builder.under_test(first);
        for choice in 1..BINDINGS {
            let variant = self.bound(callable, None, None, choice);
            self.builder.variant(first, variant);
        }
    }

    /// Adds generators and modifiers of a wanted type.
    fn complete(&mut self, wanted: TypeId) {
        let cluster = self.cluster;
        let erased = self.builder.java_type(wanted).clone();
        for choice in cluster.choices(&erased) {
            if let Some(generator) = self.generator(wanted, &erased, choice) {
                self.builder.generator(wanted, generator);
            }
        }
        for &modifier in cluster.modifiers(&erased) {
            let callable = cluster.callable(modifier);
            let receiver = callable.receiver().map(|_| wanted);
            let modifier = self.bound(callable, receiver, None, 0);
            self.builder.modifier(wanted, modifier);
        }
        for access in cluster.fields.iter().filter(|access| access.writable && !access.is_static) {
            if JavaType::Class(access.field.owner.clone()) == erased {
                let value = self.bounded(&access.generic, &access.field.field_type());
                let write = self.callable(CallableEntryKind::PutField(access.field.clone()), Some(wanted), vec![value], None);
                self.builder.modifier(wanted, write);
            }
        }
        if let JavaType::Class(class) = &erased
            && class.internal() == "java/lang/Class"
        {
            let bound = match self.generic[wanted.0 as usize].arguments() {
                [argument] => Some(argument.erase(&[])),
                _ => None,
            };
            let mut classes: Vec<JavaType> = cluster.constants.classes.clone();
            classes
                .extend(["java/lang/String", "java/lang/Integer", "java/lang/Object"].iter().map(|name| JavaType::class(name)));
            classes.push(JavaType::INT);
            classes.push(JavaType::Array(Box::new(JavaType::INT)));
            classes.push(JavaType::Class(cluster.target.clone()));
            let object = JavaType::class("java/lang/Object");
            let fitting: Vec<JavaType> = match bound.filter(|bound| *bound != object) {
                Some(bound) => {
                    let mut fitting: Vec<JavaType> =
                        classes.into_iter().filter(|class| cluster.is_subtype(class, &bound)).collect();
                    fitting.push(bound);
                    fitting
                }
                None => classes,
            };
            for class in fitting {
                self.builder.class_literal(wanted, class);
            }
        }
    }

    fn generator(&mut self, wanted: TypeId, erased: &JavaType, choice: &Choice) -> Option<CallableIx> {
        let cluster = self.cluster;
        match &choice.generator {
            Generator::Literal | Generator::Array { .. } if choice.ty == *erased => None,
            Generator::Literal | Generator::Array { .. } => {
                let other = self.wanted(&GenericType::of(&choice.ty), 0);
                Some(self.callable(CallableEntryKind::Value, None, vec![other], Some(other)))
            }
            Generator::Call(id) => {
                let callable = cluster.callable(*id);
                self.injections(*id);
                Some(self.bound(callable, None, Some(wanted), 0))
            }
            Generator::Field(field) => {
                let result = self.wanted(&GenericType::of(&field.field_type()), 0);
                Some(self.callable(CallableEntryKind::GetField(field.clone()), None, Vec::new(), Some(result)))
            }
            stub @ Generator::Stub { class, .. } => {
                let wanted = self.generic[wanted.0 as usize].clone();
                let ty = if wanted.class_name() == Some(class) { wanted } else { GenericType::class(class.clone()) };
                self.stub(&ty, stub)
            }
        }
    }

    /// The entry that makes a stub, which stands for an object of the type.
    fn stub(&mut self, ty: &GenericType, stub: &Generator) -> Option<CallableIx> {
        let Generator::Stub { class, kind, methods, exceptions } = stub else { return None };
        let answers: Vec<MethodRef> = methods.iter().filter(|method| method.return_type() != JavaType::Void).cloned().collect();
        let exceptions: Vec<(MethodRef, TypeId)> =
            exceptions.iter().map(|(method, exception)| (method.clone(), self.wanted(&GenericType::of(exception), 0))).collect();
        let params = answers.iter().map(|method| self.answer(ty, method)).collect();
        let result = self.wanted(&GenericType::of(&JavaType::Class(class.clone())), 0);
        let kind = CallableEntryKind::Stub { class: class.clone(), kind: *kind, answers, exceptions };
        Some(self.callable(kind, None, params, Some(result)))
    }

    /// Adds what completes the objects of a constructor.
    fn injections(&mut self, constructor: CallableId) {
        let cluster = self.cluster;
        let injections = cluster.injections(constructor);
        if injections.is_empty() {
            return;
        }
        let method = &cluster.callable(constructor).method;
        let object = self.wanted(&GenericType::of(&JavaType::Class(method.owner.clone())), 0);
        let completing = injections.iter().map(|injection| match injection {
            Injection::Call(setter) => self.bound(cluster.callable(*setter), Some(object), None, 0),
            Injection::Field { field, generic } => {
                let value = self.bounded(generic, &field.field_type());
                self.callable(CallableEntryKind::PutField(field.clone()), Some(object), vec![value], None)
            }
            Injection::Mock { field, generic, mock } => {
                let value = self.bounded(generic, &field.field_type());
                let write = self.callable(CallableEntryKind::PutField(field.clone()), Some(object), vec![value], None);
                if let Some(mock) = self.stub(generic, mock) {
                    self.builder.injected_mock(write, mock);
                }
                write
            }
        });
        let completing = completing.collect();
        self.builder.injections(method, completing);
    }

    /// The type of a stub's answer: `R` of a `Function<T, R>` follows from the type arguments.
    fn answer(&mut self, stub: &GenericType, method: &MethodRef) -> TypeId {
        let declared = method.return_type();
        match self.cluster.program().bound_types(stub, method) {
            Some((_, returns)) => self.bounded(&returns, &declared),
            None => self.wanted(&GenericType::of(&declared), 0),
        }
    }

    fn constants(&self, constants: &CodeConstants) -> Vec<Literal> {
        let mut literals: Vec<Literal> = Vec::new();
        literals.extend(constants.ints.iter().copied().map(Literal::Int));
        literals.extend(constants.longs.iter().copied().map(Literal::Long));
        literals.extend(constants.floats.iter().copied().map(Literal::Float));
        literals.extend(constants.doubles.iter().copied().map(Literal::Double));
        literals.extend(constants.strings.iter().cloned().map(Literal::Str));
        literals
    }
}
