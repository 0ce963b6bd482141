//! The roots of a cluster: callables and fields under test, and remarks on what cannot be tested.
//!
//! In: the target and its nested classes. Out: ids in the table of callables. Must not know how
//! their operands are built.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::callables::CallableTable;
use super::costs::{UncostedChoice, push_distinct};
use super::stubs::is_sealed;
use super::{LazyIndex, Scope, string};
use crate::program::cluster::{CallableId, CallableKind, FieldAccess, Generator};
use crate::program::{ClassModel, ClassName, ClassOrigin, GenericType, JavaType, MethodModel};

/// Everything under test.
#[derive(Debug, Default)]
pub(super) struct Roots {
    /// The target's callables, then those of its nested classes, then inherited ones, then those of
    /// supertypes through which tests reach objects of hidden classes.
    pub(super) under_test: Vec<CallableId>,
    /// How many of `under_test` are declared in the target or its nested classes.
    pub(super) own: usize,
    pub(super) fields: Vec<FieldAccess>,
    /// One sentence for each obstacle.
    pub(super) remarks: Vec<String>,
    /// Supertypes through which tests reach objects of hidden classes, with the members that return
    /// such objects.
    pub(super) seen_as: BTreeMap<JavaType, Vec<UncostedChoice>>,
}

impl Roots {
    /// Collects the roots of the target, which is one of the classes in scope.
    pub(super) fn collect<'a>(
        scope: Scope<'a>,
        target: &Arc<ClassModel>,
        callables: &mut CallableTable<'a>,
        index: &mut LazyIndex<'a>,
    ) -> Roots {
        let mut roots = Roots::default();
        let Scope { program, access, .. } = scope;
        if !access.class(target) {
            roots.remarks.push(format!("{} cannot be named in package {}", target.name.binary(), access.package));
        }
        let classes: Vec<Arc<ClassModel>> =
            scope.classes.iter().filter_map(|name| program.class(name)).filter(|class| access.class(class)).collect();
        roots.add_declared(scope, &classes, callables);
        if scope.config.methods.is_empty() {
            for class in classes.iter().filter(|class| !class.is_interface()) {
                roots.add_inherited(scope, class, callables);
            }
        }
        roots.add_remarks(scope, target, index);
        if scope.config.methods.is_empty() {
            roots.add_supertypes_of_hidden_classes(scope, callables);
        }
        roots
    }

    /// Adds the members that the classes declare. Methods that the compiler adds to enums come
    /// last.
    fn add_declared(&mut self, scope: Scope<'_>, classes: &[Arc<ClassModel>], callables: &mut CallableTable<'_>) {
        let mut compiler_made = Vec::new();
        for class in classes {
            for method in &class.methods {
                if scope.access.lacks_coroutines(method) {
                    let name = format!("{}.{}", class.name.binary(), method.name());
                    let what = "is a suspend function: a test can call it with kotlinx-coroutines on its class path";
                    self.remarks.push(format!("{name} {what}"));
                }
                if !scope.access.method(method) || method.access.is_abstract() || !scope.selects(class, method) {
                    continue;
                }
                if method.is_constructor() && (class.is_abstract() || class.is_enum()) {
                    continue;
                }
                let id = callables.intern(class, method, &class.name);
                if class.is_enum() && is_enum_boilerplate(class, method) {
                    compiler_made.push(id);
                } else {
                    self.under_test.push(id);
                }
            }
            for field in &class.fields {
                if scope.config.methods.is_empty() && scope.access.member(field.access, &class.name) {
                    self.fields.push(FieldAccess {
                        field: field.reference.clone(),
                        generic: field.generic.clone(),
                        is_static: field.access.is_static(),
                        // Writes to fields that are not public make objects that no program makes.
                        writable: !field.access.is_final() && field.access.is_public(),
                    });
                }
            }
        }
        self.under_test.extend(compiler_made);
        self.own = self.under_test.len();
    }

    /// Adds methods of superclasses and superinterfaces that run on an instance: often the only
    /// callers of the class's hooks. Of the JDK only abstract classes count (`AbstractList`), which
    /// exist to call what a subclass provides.
    fn add_inherited(&mut self, scope: Scope<'_>, class: &Arc<ClassModel>, callables: &mut CallableTable<'_>) {
        let Scope { program, access, .. } = scope;
        let mut ancestors: Vec<Arc<ClassModel>> = program.superclass_chain(&class.name).into_iter().skip(1).collect();
        ancestors.extend(program.all_interfaces(&class.name).iter().filter_map(|interface| program.class(interface)));
        for ancestor in ancestors {
            let is_skeleton =
                ancestor.is_abstract() && !matches!(ancestor.name.internal(), "java/lang/Enum" | "java/lang/Record");
            if ancestor.origin == ClassOrigin::Jdk && (!is_skeleton || ancestor.is_interface()) {
                continue;
            }
            // The ancestor's own methods are under test already.
            if scope.classes.contains(&ancestor.name) && access.class(&ancestor) {
                continue;
            }
            for method in &ancestor.methods {
                let is_plain = !method.is_static() && !method.is_constructor() && !method.access.is_abstract();
                if !is_plain || !access.method(method) {
                    continue;
                }
                // Overridden methods are under test by the overriding method.
                let selected = program.resolve_method(&class.name, method.name(), &method.reference.descriptor);
                if selected.is_none_or(|selected| selected.reference() != &method.reference) {
                    continue;
                }
                // The owner is the class itself: with the declaring class any other subclass would
                // do as receiver.
                self.add_distinct(callables.intern(&ancestor, method, &class.name));
            }
        }
    }

    fn add_remarks(&mut self, scope: Scope<'_>, target: &ClassModel, index: &mut LazyIndex<'_>) {
        let name = target.name.binary();
        if target.is_abstract() && !target.is_interface() {
            let concrete = index.subclasses(&target.name).first().map(|class| class.name.clone());
            self.remarks.push(match concrete {
                Some(subclass) => format!("{name} is abstract: its methods are called on {}", subclass.binary()),
                None if scope.is_extensible_by_anonymous_class(target) && !is_sealed(target) => {
                    format!("{name} is abstract: its methods are called on an anonymous subclass")
                }
                None => format!(
                    "{name} is abstract and the class path has no subclass that a test can make: only its static methods are called"
                ),
            });
        }
        let foreign = count_foreign_protected_methods(scope, target);
        if foreign > 0 {
            self.remarks.push(format!(
                "{foreign} protected methods that {name} inherits from other packages can be called by a subclass only"
            ));
        }
    }

    /// Adds methods of the types as which the target returns objects of hidden classes: private
    /// iterators, anonymous comparators, singletons behind an interface, lambdas. Tests can neither
    /// name nor make such objects.
    fn add_supertypes_of_hidden_classes(&mut self, scope: Scope<'_>, callables: &mut CallableTable<'_>) {
        let Scope { program, access, .. } = scope;
        let models: Vec<Arc<ClassModel>> = scope.classes.iter().filter_map(|name| program.class(name)).collect();
        let returned = returned_classes(&models);
        let has_lambdas = models
            .iter()
            .flat_map(|model| &model.methods)
            .any(|method| method.access.is_synthetic() && method.name().starts_with("lambda$"));
        let is_hidden = |model: &&Arc<ClassModel>| {
            let is_makeable =
                access.class(model) && model.methods.iter().any(|method| method.is_constructor() && access.method(method));
            !model.is_interface() && !is_makeable && !returned.contains(&model.name)
        };
        let hidden: Vec<&Arc<ClassModel>> = models.iter().filter(is_hidden).collect();
        for name in &returned {
            let Some(seen_as) = program.class(name).filter(|class| access.class(class)) else { continue };
            if scope.classes.contains(name) || seen_as.is_enum() {
                continue;
            }
            let mut found = methods_run_by_hidden_classes(scope, name, &hidden);
            if found.is_empty()
                && has_lambdas
                && let Some(functional) = program.functional_method(name)
                && access.method(functional.method())
            {
                found.push((functional.class.clone(), functional.method().index));
            }
            if found.is_empty() {
                continue;
            }
            let ty = JavaType::Class(name.clone());
            let returning = self.members_returning(scope, &ty, callables);
            for (class, index) in found {
                self.add_distinct(callables.intern(&class, &class.methods[index], name));
            }
            self.seen_as.insert(ty, returning);
        }
    }

    /// Callables under test and static fields whose value is of the type.
    fn members_returning(&self, scope: Scope<'_>, ty: &JavaType, callables: &CallableTable<'_>) -> Vec<UncostedChoice> {
        let mut choices = Vec::new();
        for id in &self.under_test {
            let callable = callables.get(*id);
            if callable.kind != CallableKind::Constructor && scope.program.is_subtype(&callable.returns, ty) {
                let choice = UncostedChoice { generator: Generator::Call(*id), ty: callable.returns.clone() };
                push_distinct(&mut choices, choice);
            }
        }
        for field in self.fields.iter().filter(|field| field.is_static) {
            let field_type = field.field.field_type();
            if scope.program.is_subtype(&field_type, ty) {
                let choice = UncostedChoice { generator: Generator::Field(field.field.clone()), ty: field_type };
                push_distinct(&mut choices, choice);
            }
        }
        choices
    }

    fn add_distinct(&mut self, id: CallableId) {
        if !self.under_test.contains(&id) {
            self.under_test.push(id);
        }
    }
}

impl Scope<'_> {
    /// Whether `--method` selects the method: with a descriptor exactly that one, else every one of
    /// that name.
    fn selects(self, class: &ClassModel, method: &MethodModel) -> bool {
        self.config.methods.is_empty()
            || class.name == *self.target
                && self.config.methods.iter().any(|(name, descriptor)| {
                    name == method.name()
                        && descriptor.as_ref().is_none_or(|descriptor| **descriptor == *method.reference.descriptor)
                })
    }
}

/// The classes, without `Object`, that visible methods and fields of the models have as their type.
/// A method that returns a type variable does not count, since its bound says nothing about the
/// value.
fn returned_classes(models: &[Arc<ClassModel>]) -> Vec<ClassName> {
    let mut returned: Vec<ClassName> = Vec::new();
    for model in models {
        let methods = model.methods.iter().filter(|method| {
            let is_visible = !method.access.is_synthetic() && !method.access.is_private() && !method.is_constructor();
            is_visible && !matches!(method.signature.returns, GenericType::Variable(_))
        });
        let fields = model.fields.iter().filter(|field| !field.access.is_private() && !field.access.is_synthetic());
        for ty in methods.map(|method| &method.returns).chain(fields.map(|field| &field.ty)) {
            if let JavaType::Class(name) = ty
                && name.internal() != "java/lang/Object"
                && !returned.contains(name)
            {
                returned.push(name.clone());
            }
        }
    }
    returned
}

/// Methods of a supertype, as class and position, whose calls run code of a hidden class.
fn methods_run_by_hidden_classes(
    scope: Scope<'_>,
    supertype: &ClassName,
    hidden: &[&Arc<ClassModel>],
) -> Vec<(Arc<ClassModel>, usize)> {
    let Scope { program, access, .. } = scope;
    let behind: Vec<&ClassName> =
        hidden.iter().map(|hidden| &hidden.name).filter(|hidden| program.is_subclass(hidden, supertype)).collect();
    let mut ancestors = program.superclass_chain(supertype);
    ancestors.extend(program.all_interfaces(supertype).iter().filter_map(|interface| program.class(interface)));
    let mut found = Vec::new();
    for ancestor in ancestors.iter().filter(|ancestor| ancestor.name.internal() != "java/lang/Object") {
        for method in &ancestor.methods {
            if method.is_static() || method.is_constructor() || !access.method(method) {
                continue;
            }
            let resolved = program.resolve_method(supertype, method.name(), &method.reference.descriptor);
            let Some(resolved) = resolved.filter(|resolved| resolved.reference() == &method.reference) else { continue };
            let runs_project_code = |hidden: &&ClassName| {
                program.select_method(hidden, &resolved).is_some_and(|selected| {
                    selected.class.origin == ClassOrigin::Project && !selected.method().access.is_abstract()
                })
            };
            if behind.iter().any(runs_project_code) {
                found.push((ancestor.clone(), method.index));
            }
        }
    }
    found
}

/// Methods that run on an instance but that no test in the package may name: protected ones of
/// superclasses in other packages (JLS §6.6.2).
fn count_foreign_protected_methods(scope: Scope<'_>, class: &ClassModel) -> usize {
    let ancestors = scope.program.superclass_chain(&class.name);
    let project = ancestors.iter().skip(1).filter(|ancestor| ancestor.origin == ClassOrigin::Project);
    project
        .flat_map(|ancestor| ancestor.methods.iter())
        .filter(|method| {
            let flags = method.access;
            let is_concrete = !method.is_constructor() && !flags.is_abstract() && !flags.is_synthetic();
            let inherited = scope.program.resolve_method(&class.name, method.name(), &method.reference.descriptor);
            is_concrete
                && flags.is_protected()
                && method.reference.owner.package() != scope.access.package
                && inherited.is_some_and(|found| found.reference() == &method.reference)
        })
        .count()
}

/// `values()` and `valueOf(String)`, which the compiler adds to an enum.
fn is_enum_boilerplate(class: &ClassModel, method: &MethodModel) -> bool {
    method.is_static()
        && match method.name() {
            "values" => method.parameters.is_empty(),
            "valueOf" => method.parameters == [string()] && method.returns == class.ty(),
            _ => false,
        }
}
