//! The ways to get a value of one type: constructors, factories, constants, builders, arrays,
//! stubs, and the ways of subtypes.
//!
//! A function of program, access and type. It interns the callables it finds; it must not know
//! costs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::callables::CallableTable;
use super::costs::{UncostedChoice, push_distinct};
use super::mocks::Mocks;
use super::roots::Roots;
use super::{LazyIndex, Scope, object, string};
use crate::program::cluster::{CallableId, CallableKind, Generator, jdk};
use crate::program::coroutines::CONTINUATION;
use crate::program::{ClassModel, ClassName, ClassOrigin, FieldRef, JavaType, MethodModel, Nesting, targets};

/// Distance from the target up to which the project is searched for subclasses.
const MAX_SCANNING_DISTANCE: u32 = 2;
/// Annotations of classes whose objects a persistence provider makes, by descriptor. It needs a
/// constructor without parameters.
const PERSISTENT: &[&str] = &[
    "Ljakarta/persistence/Embeddable;",
    "Ljakarta/persistence/Entity;",
    "Ljavax/persistence/Embeddable;",
    "Ljavax/persistence/Entity;",
];
/// Methods of builders, factories and other objects that count for one type.
const MAX_MAKERS: usize = 4;

/// The ways to one type: its own, and the subtypes whose ways count as well.
#[derive(Debug, Default)]
pub(super) struct Ways {
    pub(super) own: Vec<UncostedChoice>,
    pub(super) subtypes: Vec<JavaType>,
}

impl Ways {
    fn is_empty(&self) -> bool {
        self.own.is_empty() && self.subtypes.is_empty()
    }

    fn add_call(&mut self, id: CallableId, ty: &JavaType) {
        push_distinct(&mut self.own, UncostedChoice { generator: Generator::Call(id), ty: ty.clone() });
    }

    fn add_field(&mut self, field: &FieldRef, ty: &JavaType) {
        push_distinct(&mut self.own, UncostedChoice { generator: Generator::Field(field.clone()), ty: ty.clone() });
    }
}

/// The inputs of [`WaysFinder::ways_to`], and the tables it adds to.
pub(super) struct WaysFinder<'b, 'a> {
    pub(super) scope: Scope<'a>,
    pub(super) callables: &'b mut CallableTable<'a>,
    pub(super) index: &'b mut LazyIndex<'a>,
    pub(super) roots: &'b Roots,
    /// Types to which the code under test casts, or for which it checks by `instanceof`.
    pub(super) asked: &'b [JavaType],
    /// Some callable takes an object of the target: the target is no utility class.
    pub(super) target_is_needed: bool,
    pub(super) mocks: &'b mut Mocks,
    /// Why a type has no way.
    pub(super) unbuildable: &'b mut BTreeMap<JavaType, String>,
}

impl WaysFinder<'_, '_> {
    /// The ways to a type that is `distance` steps away from the target. A type without one gets a
    /// reason.
    pub(super) fn ways_to(&mut self, ty: &JavaType, distance: u32) -> Ways {
        let only = |generator| Ways { own: vec![UncostedChoice { generator, ty: ty.clone() }], subtypes: Vec::new() };
        match ty {
            JavaType::Array(element) if !self.scope.access.ty(element) => {
                self.unbuildable.insert(ty.clone(), "its element type cannot be named".to_string());
                Ways::default()
            }
            JavaType::Array(element) => only(Generator::Array { element: (**element).clone() }),
            JavaType::Class(name) => match name.internal() {
                "java/lang/String" | "java/lang/Class" => only(Generator::Literal),
                "java/lang/Object" => self.ways_to_object(),
                _ => self.ways_to_class(name, distance),
            },
            _ => only(Generator::Literal),
        }
    }

    /// Every reference type is a subtype of `Object`: the types that the code asks for come first,
    /// then a small sample.
    fn ways_to_object(&mut self) -> Ways {
        let mut subtypes = vec![string(), JavaType::class("java/lang/Integer")];
        if self.target_is_needed {
            subtypes.push(JavaType::Class(self.scope.target.clone()));
        }
        subtypes.extend(self.asked.iter().filter(|ty| self.scope.access.ty(ty)).cloned());
        subtypes.extend([
            JavaType::Array(Box::new(JavaType::INT)),
            JavaType::Array(Box::new(string())),
            JavaType::class("java/lang/Double"),
            JavaType::class("java/util/ArrayList"),
        ]);
        let mut ways = Ways::default();
        for ty in subtypes {
            if !ways.subtypes.contains(&ty) {
                ways.subtypes.push(ty);
            }
        }
        if let Some(class) = self.scope.program.class(&ClassName::new("java/lang/Object"))
            && let Some(constructor) = class.method("<init>", "()V")
        {
            ways.add_call(self.callables.intern(&class, constructor, &class.name), &object());
        }
        ways
    }

    fn ways_to_class(&mut self, name: &ClassName, distance: u32) -> Ways {
        let Scope { program, access, .. } = self.scope;
        let ty = JavaType::Class(name.clone());
        let Some(class) = program.class(name) else {
            self.unbuildable.insert(ty, "its class file is not on the class path".to_string());
            return Ways::default();
        };
        if !access.class(&class) {
            self.unbuildable.insert(ty, "a test cannot name it".to_string());
            return Ways::default();
        }
        let mut ways = Ways { own: self.roots.seen_as.get(&ty).cloned().unwrap_or_default(), subtypes: Vec::new() };
        // Types that the code asks for come before those that merely fit.
        let is_asked = |asked: &&JavaType| **asked != ty && program.is_subtype(asked, &ty) && access.ty(asked);
        ways.subtypes.extend(self.asked.iter().filter(is_asked).cloned());
        if class.is_enum() {
            let constant = |field: &FieldRef| UncostedChoice { generator: Generator::Field(field.clone()), ty: ty.clone() };
            ways.own.extend(class.enum_constants().map(|field| constant(&field.reference)));
            return ways;
        }
        if let Some((_, recipes)) = jdk::KNOWN.iter().find(|(known, _)| *known == name.internal()) {
            for recipe in *recipes {
                self.add_recipe(recipe, &ty, &mut ways);
            }
            // Real collections and sequences are better than stubs of them.
            if !recipes.is_empty() && program.functional_method(&class.name).is_some() && !is_sequence(&class.name) {
                self.add_stub(&class, &mut ways);
            }
            return ways;
        }
        if name.internal() == CONTINUATION {
            self.unbuildable.insert(ty, "only coroutines have one".to_string());
            return Ways::default();
        }
        match class.origin {
            ClassOrigin::Project => self.add_ways_to_project_class(&class, &mut ways, distance),
            ClassOrigin::Jdk => self.add_ways_to_jdk_class(&class, &mut ways),
        }
        ways
    }

    /// Adds one entry of [`jdk::KNOWN`]; one that this JDK does not have adds nothing.
    fn add_recipe(&mut self, recipe: &str, wanted: &JavaType, ways: &mut Ways) {
        let Some((owner, member)) = recipe.split_once('.') else {
            ways.subtypes.push(JavaType::class(recipe));
            return;
        };
        let owner = ClassName::new(owner);
        let Some(class) = self.scope.program.class(&owner) else { return };
        let (generator, ty) = match member.split_once(' ') {
            Some((name, descriptor)) => {
                let Some(method) = class.method(name, descriptor) else { return };
                let ty = if method.is_constructor() { class.ty() } else { method.returns.clone() };
                (Generator::Call(self.callables.intern(&class, method, &owner)), ty)
            }
            None => {
                let Some(field) = class.fields.iter().find(|field| &*field.reference.name == member) else { return };
                let ty = if self.scope.program.is_subtype(&field.ty, wanted) { &field.ty } else { wanted };
                (Generator::Field(field.reference.clone()), ty.clone())
            }
        };
        ways.own.push(UncostedChoice { generator, ty });
    }

    /// Adds a stub or, where Mockito may be used and the class is no function, a mock.
    fn add_stub(&mut self, class: &ClassModel, ways: &mut Ways) {
        if self.mocks.replace_stub(self.scope, self.index, class)
            && let Some(mock) = self.mocks.mock(self.scope, &class.ty())
        {
            return ways.own.push(mock);
        }
        match self.scope.stub(class) {
            Ok(stub) => ways.own.extend(stub),
            Err(reason) => {
                self.unbuildable.insert(class.ty(), reason.to_string());
            }
        }
    }

    fn add_ways_to_project_class(&mut self, class: &Arc<ClassModel>, ways: &mut Ways, distance: u32) {
        let ty = class.ty();
        if self.mocks.is_collaborator(self.scope, self.index, class)
            && let Some(mock) = self.mocks.mock_collaborator(self.scope, class)
        {
            ways.own.push(mock);
        }
        self.add_own_ways(class, &ty, ways);
        // Builders and holders nested in the class, and factories among the callables under test.
        let nested = targets(self.scope.program, &class.name);
        for nested in nested.iter().skip(1).filter_map(|name| self.scope.program.class(name)) {
            if self.scope.access.class(&nested) {
                self.add_methods_returning(&nested, &ty, ways);
            }
        }
        for &id in &self.roots.under_test {
            let callable = self.callables.get(id);
            if callable.kind != CallableKind::Constructor
                && self.scope.program.is_subtype(&callable.returns, &ty)
                && callable.receiver().as_ref() != Some(&ty)
            {
                ways.add_call(id, &callable.returns);
            }
        }
        let is_open = !class.access.is_final();
        let needs_subclasses = class.is_abstract() || class.is_interface() || ways.own.is_empty();
        if is_open && distance <= MAX_SCANNING_DISTANCE && needs_subclasses {
            let subclasses = self.index.implementations(&class.name);
            ways.subtypes.extend(subclasses.iter().filter(|subclass| subclass.name != class.name).map(|class| class.ty()));
        }
        // Static methods of other classes count where the class makes none itself, and for
        // interfaces of the target.
        if ways.own.is_empty() || class.is_interface() && distance == 0 {
            self.add_foreign_factories(class, ways);
        }
        self.add_chains(class, &ty, ways);
        self.add_makers(class, ways);
        self.leave_out_deprecated(ways);
        // An abstract class's own code is the same under every subclass; elsewhere a real object is
        // worth more than a stub.
        let is_mocked = self.mocks.has_collaborator(&ty);
        if !is_mocked && (class.is_interface() || distance == 0 || ways.is_empty()) {
            self.add_stub(class, ways);
        }
        if ways.is_empty() {
            let reason = if class.is_abstract() {
                "it is abstract and no subclass or factory can be called"
            } else {
                "no constructor, factory or constant of it can be named"
            };
            self.unbuildable.entry(ty).or_insert_with(|| reason.to_string());
        }
    }

    /// Removes the deprecated ways where there are others. A test shows its readers how objects are made.
    fn leave_out_deprecated(&self, ways: &mut Ways) {
        let program = self.scope.program;
        let is_current = |way: &UncostedChoice| match &way.generator {
            Generator::Call(id) => !program.is_deprecated_method(&self.callables.get(*id).method),
            Generator::Field(field) => !program.is_deprecated_field(field),
            _ => true,
        };
        if ways.own.iter().any(is_current) {
            ways.own.retain(is_current);
        }
    }

    /// Adds constructors, static factories and constants of the class itself.
    fn add_own_ways(&mut self, class: &Arc<ClassModel>, ty: &JavaType, ways: &mut Ways) {
        let Scope { program, access, .. } = self.scope;
        if !class.is_abstract() && !class.is_interface() {
            let is_callable = |method: &&MethodModel| method.is_constructor() && access.method(method);
            let takes_state = class.methods.iter().filter(is_callable).any(|method| !method.parameters.is_empty());
            let is_for_container = takes_state && !self.scope.classes.contains(&class.name) && is_filled_by_provider(class);
            for method in class.methods.iter().filter(is_callable) {
                if is_for_container && method.parameters.is_empty() {
                    continue;
                }
                ways.add_call(self.callables.intern(class, method, &class.name), &class.ty());
            }
        }
        let gives = |returned: &JavaType| returned.is_reference() && program.is_subtype(returned, ty);
        for method in class.methods.iter().filter(|method| method.is_static()) {
            if access.method(method) && gives(&method.returns) {
                ways.add_call(self.callables.intern(class, method, &class.name), &method.returns);
            }
        }
        let constants = |owner: &ClassModel, gives: &dyn Fn(&JavaType) -> bool, ways: &mut Ways| {
            for field in &owner.fields {
                let flags = field.access;
                if flags.is_static() && flags.is_final() && access.member(flags, &owner.name) && gives(&field.ty) {
                    ways.add_field(&field.reference, &field.ty);
                }
            }
        };
        constants(class, &gives, ways);
        // The companion of a Kotlin class is a constant of the class around it.
        if let Nesting::Member { enclosing, .. } = &class.nesting
            && let Some(outer) = program.class(enclosing).filter(|outer| access.class(outer))
        {
            constants(&outer, &|of| of == ty, ways);
        }
    }

    /// Adds static methods of other project classes that return exactly this class.
    fn add_foreign_factories(&mut self, class: &ClassModel, ways: &mut Ways) {
        let Scope { program, access, .. } = self.scope;
        for (owner, position) in self.index.get().factories(&class.name) {
            let Some(owner) = program.class(&owner) else { continue };
            let method = &owner.methods[position];
            if access.class(&owner) && access.method(method) {
                ways.add_call(self.callables.intern(&owner, method, &owner.name), &method.returns);
            }
        }
    }

    /// Adds methods of an immutable object that give another of its kind
    /// (`splitter.trimResults()`). Methods that change their receiver and return it are modifiers.
    fn add_chains(&mut self, class: &Arc<ClassModel>, ty: &JavaType, ways: &mut Ways) {
        let Scope { program, access, .. } = self.scope;
        for method in &class.methods {
            let is_plain = !method.is_static() && !method.is_constructor() && !method.access.is_abstract();
            if is_plain
                && method.returns.is_reference()
                && program.is_subtype(&method.returns, ty)
                && access.method(method)
                && self.callables.hints(class, method).writes.is_empty()
            {
                ways.add_call(self.callables.intern(class, method, &class.name), &method.returns);
            }
        }
    }

    /// Adds methods of other objects that give one of the class: those of `FooBuilder` and
    /// `FooFactory` beside `Foo` and, where there is no other way, those of any project class.
    fn add_makers(&mut self, class: &Arc<ClassModel>, ways: &mut Ways) {
        let Scope { program, access, .. } = self.scope;
        let mut found = Vec::new();
        for kind in ["Builder", "Factory"] {
            let sibling = ClassName::new(&format!("{}{kind}", class.name.internal()));
            if let Some(owner) = program.class(&sibling).filter(|owner| owner.origin == ClassOrigin::Project) {
                let makes = |method: &&MethodModel| !method.is_constructor() && method.returns == class.ty();
                found.extend(owner.methods.iter().filter(makes).map(|method| (owner.clone(), method.index)));
            }
        }
        if found.is_empty() && ways.is_empty() {
            let indexed = self.index.get().makers(&class.name);
            found.extend(indexed.into_iter().filter_map(|(owner, position)| Some((program.class(&owner)?, position))));
        }
        found.retain(|(owner, position)| {
            let method = &owner.methods[*position];
            access.class(owner) && access.method(method) && !method.access.is_synthetic()
        });
        for (owner, position) in found.into_iter().take(MAX_MAKERS) {
            let method = &owner.methods[position];
            ways.add_call(self.callables.intern(&owner, method, &owner.name), &method.returns);
        }
    }

    fn add_methods_returning(&mut self, class: &Arc<ClassModel>, ty: &JavaType, ways: &mut Ways) {
        let Scope { program, access, .. } = self.scope;
        for method in &class.methods {
            let gives = !method.is_constructor() && method.returns.is_reference() && program.is_subtype(&method.returns, ty);
            if gives && access.method(method) {
                ways.add_call(self.callables.intern(class, method, &class.name), &method.returns);
            }
        }
    }

    /// Adds ways to a JDK class without an entry in [`jdk::KNOWN`]: only public constructors and
    /// factories whose arguments are simple, so that the search does not spread through the JDK.
    fn add_ways_to_jdk_class(&mut self, class: &Arc<ClassModel>, ways: &mut Ways) {
        let ty = class.ty();
        if jdk::LEFT_OUT.iter().any(|prefix| class.name.internal().starts_with(prefix)) && !class.is_interface() {
            let reason = "values of it reach outside the JVM or into its running and are not made";
            self.unbuildable.insert(ty, reason.to_string());
            return;
        }
        let mut found = Ways::default();
        self.add_own_ways(class, &ty, &mut found);
        ways.own.extend(found.own.into_iter().filter(|choice| match &choice.generator {
            Generator::Call(id) => {
                self.callables.get(*id).parameters.iter().all(|parameter| self.is_simple_argument(&parameter.ty))
            }
            _ => true,
        }));
        if class.is_interface() || ways.is_empty() {
            self.add_stub(class, ways);
        }
        if ways.is_empty() {
            let reason = if class.is_abstract() {
                "it is abstract and no implementation of it is known"
            } else {
                "no public constructor or factory of it takes simple arguments"
            };
            self.unbuildable.insert(ty, reason.to_string());
        }
    }

    /// Whether values of the type take no further unknown JDK class.
    fn is_simple_argument(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Array(element) => self.is_simple_argument(element),
            JavaType::Class(name) => {
                matches!(name.internal(), "java/lang/String" | "java/lang/Class" | "java/lang/Object")
                    || jdk::KNOWN.iter().any(|(known, _)| *known == name.internal())
                    || self.scope.program.class(name).is_some_and(|class| class.is_enum())
            }
            _ => true,
        }
    }
}

/// Whether a persistence provider makes objects of the class without their state and then writes
/// their fields: it is marked as an entity, and has setters for less than half of its fields.
fn is_filled_by_provider(class: &ClassModel) -> bool {
    let annotations = class.file.annotation_types();
    let is_entity = annotations.iter().any(|annotation| PERSISTENT.contains(&annotation.as_str()));
    let is_setter = |method: &&MethodModel| {
        method.access.is_public() && !method.is_static() && method.name().starts_with("set") && method.parameters.len() == 1
    };
    let setters = class.methods.iter().filter(is_setter).count();
    let fields = class.fields.iter().filter(|field| !field.access.is_static()).count();
    is_entity && 2 * setters < fields
}

/// Whether a type of one method yields elements or characters, so that it is no function.
fn is_sequence(name: &ClassName) -> bool {
    matches!(name.internal(), "java/lang/Iterable" | "java/lang/Readable")
}
