//! Builds the cluster: callables under test first, then breadth first over the types their arguments need, nearest types first.

mod mock;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use super::access::Access;
use super::analysis::{Analysis, asked_types, collect_constants};
use super::jdk;
use super::scan::ProjectIndex;
use super::{Callable, CallableId, CallableKind, Choice, Cluster, ClusterConfig, Constants, FieldAccess, Generator, Parameter};
use crate::program::generics::{TypeParameter, Wildcard};
use crate::program::{
    ClassModel, ClassName, ClassOrigin, GenericType, JavaType, MethodModel, MethodRef, Program, TargetError, targets,
};

impl Cluster {
    /// The cluster of a class that [`crate::program::find_target`] accepted.
    pub fn build(program: &Arc<Program>, target: &ClassName, config: &ClusterConfig) -> Result<Cluster, TargetError> {
        let nothing = |why: String| TargetError::NothingToCall { name: target.clone(), why };
        let model = program.load(target).map_err(|error| nothing(error.to_string()))?;
        let package = config.test_package.clone().unwrap_or_else(|| target.package().to_string());
        let classes = targets(program, target);
        let mut builder = Builder::new(program, target, &package, config, &classes);
        builder.roots(&model);
        if builder.under_test.is_empty() && builder.fields.is_empty() {
            return Err(nothing(reason_for_nothing(&model, config)));
        }
        builder.close();
        Ok(builder.finish(program.clone(), package.clone(), classes.clone()))
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

/// A choice before costs are known.
#[derive(Clone, Debug)]
struct Raw {
    generator: Generator,
    ty: JavaType,
}

/// The ways to a type: its own, and those of subtypes.
#[derive(Debug, Default)]
struct Ways {
    own: Vec<Raw>,
    from: Vec<JavaType>,
}

struct Builder<'a> {
    program: &'a Program,
    target: &'a ClassName,
    /// The target and its nested classes.
    classes: &'a [ClassName],
    config: &'a ClusterConfig,
    access: Access<'a>,
    analysis: Analysis<'a>,
    index: Option<ProjectIndex>,
    callables: Vec<Callable>,
    ids: HashMap<(MethodRef, CallableKind), CallableId>,
    under_test: Vec<CallableId>,
    own: usize,
    fields: Vec<FieldAccess>,
    constants: Constants,
    remarks: Vec<String>,
    /// Types the code under test asks for by `instanceof` and casts.
    asked: Vec<JavaType>,
    ways: BTreeMap<JavaType, Ways>,
    reasons: BTreeMap<JavaType, String>,
    queue: VecDeque<JavaType>,
    /// Types that only modifiers need: looked into after all others.
    later: VecDeque<(JavaType, u32)>,
    /// Steps from the target: 0 for what the callables under test take, 1 for what their makers take, and so on.
    distance: BTreeMap<JavaType, u32>,
    /// Types through which tests meet objects whose class they cannot name or make: what gives such an object comes first.
    seen_as: BTreeMap<JavaType, Vec<Raw>>,
    modifiers: BTreeMap<JavaType, Vec<CallableId>>,
    inspectors: BTreeMap<JavaType, Vec<CallableId>>,
    /// Types that have a mock among their ways.
    mocks: BTreeSet<JavaType>,
    /// Methods that the code under test calls, once something asks.
    called: Option<Arc<BTreeSet<MethodRef>>>,
}

fn object() -> JavaType {
    JavaType::class("java/lang/Object")
}

fn string() -> JavaType {
    JavaType::class("java/lang/String")
}

impl<'a> Builder<'a> {
    fn new(
        program: &'a Program,
        target: &'a ClassName,
        package: &'a str,
        config: &'a ClusterConfig,
        classes: &'a [ClassName],
    ) -> Builder<'a> {
        let mut asked = Vec::new();
        let mut constants = Constants::default();
        for class in classes {
            if let Some(model) = program.class(class) {
                asked_types(&model, &mut asked);
                model.methods.iter().for_each(|method| collect_constants(&model, method, &mut constants));
            }
        }
        asked.retain(|ty| *ty != object());
        Builder {
            program,
            target,
            classes,
            config,
            access: Access { program, package },
            analysis: Analysis::new(program),
            index: None,
            callables: Vec::new(),
            ids: HashMap::new(),
            under_test: Vec::new(),
            own: 0,
            fields: Vec::new(),
            constants,
            remarks: Vec::new(),
            asked,
            ways: BTreeMap::new(),
            reasons: BTreeMap::new(),
            queue: VecDeque::new(),
            later: VecDeque::new(),
            distance: BTreeMap::new(),
            seen_as: BTreeMap::new(),
            modifiers: BTreeMap::new(),
            inspectors: BTreeMap::new(),
            mocks: BTreeSet::new(),
            called: None,
        }
    }

    // ---- what is under test

    fn roots(&mut self, target: &Arc<ClassModel>) {
        let classes: Vec<Arc<ClassModel>> = targets(self.program, &target.name)
            .iter()
            .filter_map(|name| self.program.class(name))
            .filter(|class| self.access.class(class))
            .collect();
        if !self.access.class(target) {
            self.remarks.push(format!("{} cannot be named in package {}", target.name.binary(), self.access.package));
        }
        let mut compiler_made = Vec::new();
        for class in &classes {
            for method in &class.methods {
                if !self.access.method(method) || method.access.is_abstract() || !self.wanted(class, method) {
                    continue;
                }
                if method.is_constructor() && (class.is_abstract() || class.is_enum()) {
                    continue;
                }
                let id = self.callable(class, method, &class.name);
                if class.is_enum() && is_enum_boilerplate(class, method) {
                    compiler_made.push(id);
                } else {
                    self.under_test.push(id);
                }
            }
            for field in &class.fields {
                if self.config.methods.is_empty() && self.access.member(field.access, &class.name) {
                    self.fields.push(FieldAccess {
                        field: field.reference.clone(),
                        generic: field.generic.clone(),
                        is_static: field.access.is_static(),
                        // Whoever writes a field that is not meant for everyone makes objects that no program makes.
                        writable: !field.access.is_final() && field.access.is_public(),
                    });
                }
            }
        }
        self.under_test.extend(compiler_made);
        self.own = self.under_test.len();
        for class in classes.iter().filter(|class| !class.is_interface()) {
            self.inherited(class);
        }
        if target.is_abstract() && !target.is_interface() {
            let concrete = self.subclasses(&target.name).first().map(|class| class.name.clone());
            self.remarks.push(match concrete {
                Some(subclass) => {
                    format!("{} is abstract: its methods are called on {}", target.name.binary(), subclass.binary())
                }
                None if self.extensible(target) && self.program_permits_stub(target) => {
                    format!("{} is abstract: its methods are called on an anonymous subclass", target.name.binary())
                }
                None => format!(
                    "{} is abstract and the class path has no subclass that a test can make: only its static methods are called",
                    target.name.binary()
                ),
            });
        }
        let foreign = self.foreign_protected(target);
        if foreign > 0 {
            self.remarks.push(format!(
                "{foreign} protected methods that {} inherits from other packages can be called by a subclass only",
                target.name.binary()
            ));
        }
        self.through_others();
        for id in self.under_test.clone() {
            self.needs(id, 0, false);
        }
        for field in self.fields.clone() {
            self.need(field.field.field_type(), 1, false);
            self.need_generic(&field.generic, 1);
        }
    }

    /// Objects whose class a test cannot name or make (private iterators, anonymous comparators, singletons behind an interface, lambdas)
    /// are met through what the target returns them as: the methods of that type are under test then, on such objects first.
    fn through_others(&mut self) {
        if !self.config.methods.is_empty() {
            return;
        }
        let models: Vec<Arc<ClassModel>> = self.classes.iter().filter_map(|name| self.program.class(name)).collect();
        let mut returned: Vec<ClassName> = Vec::new();
        let mut note = |ty: &JavaType| match ty {
            JavaType::Class(name) if name.internal() != "java/lang/Object" && !returned.contains(name) => {
                returned.push(name.clone())
            }
            _ => {}
        };
        let mut has_lambdas = false;
        for model in &models {
            for method in &model.methods {
                let by_compiler = method.access.is_synthetic();
                has_lambdas |= by_compiler && method.name().starts_with("lambda$");
                // A type variable says nothing about what comes.
                let named = !matches!(method.signature.returns, GenericType::Variable(_));
                if !by_compiler && named && !method.access.is_private() && !method.is_constructor() {
                    note(&method.returns);
                }
            }
            model
                .fields
                .iter()
                .filter(|field| !field.access.is_private() && !field.access.is_synthetic())
                .for_each(|field| note(&field.ty));
        }
        let hidden: Vec<&Arc<ClassModel>> = models
            .iter()
            .filter(|model| {
                let makeable = self.access.class(model)
                    && model.methods.iter().any(|method| method.is_constructor() && self.access.method(method));
                !model.is_interface() && !makeable && !returned.contains(&model.name)
            })
            .collect();
        for name in &returned {
            let Some(seen_as) = self.program.class(name).filter(|class| self.access.class(class)) else { continue };
            if self.classes.contains(name) || seen_as.is_enum() {
                continue;
            }
            let behind: Vec<&&Arc<ClassModel>> =
                hidden.iter().filter(|hidden| self.program.is_subclass(&hidden.name, name)).collect();
            let mut found = Vec::new();
            let mut ancestors = self.program.superclass_chain(name);
            ancestors.extend(self.program.all_interfaces(name).iter().filter_map(|interface| self.program.class(interface)));
            for ancestor in ancestors.iter().filter(|ancestor| ancestor.name.internal() != "java/lang/Object") {
                for method in &ancestor.methods {
                    if method.is_static() || method.is_constructor() || !self.access.method(method) {
                        continue;
                    }
                    let Some(resolved) = self.program.resolve_method(name, method.name(), &method.reference.descriptor) else {
                        continue;
                    };
                    if resolved.reference() != &method.reference {
                        continue;
                    }
                    let ours = behind.iter().any(|hidden| {
                        self.program.select_method(&hidden.name, &resolved).is_some_and(|selected| {
                            selected.class.origin == ClassOrigin::Project && !selected.method().access.is_abstract()
                        })
                    });
                    if ours {
                        found.push((ancestor.clone(), method.index));
                    }
                }
            }
            if found.is_empty()
                && has_lambdas
                && let Some(functional) = self.program.functional_method(name)
                && self.access.method(functional.method())
            {
                found.push((functional.class.clone(), functional.method().index));
            }
            if found.is_empty() {
                continue;
            }
            let ty = JavaType::Class(name.clone());
            let mut raws = Vec::new();
            for id in &self.under_test {
                let callable = &self.callables[id.0 as usize];
                if callable.kind != CallableKind::Constructor && self.program.is_subtype(&callable.returns, &ty) {
                    push(&mut raws, Raw { generator: Generator::Call(*id), ty: callable.returns.clone() });
                }
            }
            for field in self.fields.iter().filter(|field| field.is_static) {
                let field_type = field.field.field_type();
                if self.program.is_subtype(&field_type, &ty) {
                    push(&mut raws, Raw { generator: Generator::Field(field.field.clone()), ty: field_type });
                }
            }
            for (class, index) in found {
                let id = self.callable(&class, &class.methods[index], name);
                if !self.under_test.contains(&id) {
                    self.under_test.push(id);
                }
            }
            self.seen_as.insert(ty, raws);
        }
    }

    /// Whether `--method` lets the method through: with a descriptor exactly that one, else every one of that name.
    fn wanted(&self, class: &ClassModel, method: &MethodModel) -> bool {
        self.config.methods.is_empty()
            || class.name == *self.target
                && self.config.methods.iter().any(|(name, descriptor)| {
                    name == method.name()
                        && descriptor.as_ref().is_none_or(|descriptor| **descriptor == *method.reference.descriptor)
                })
    }

    /// Methods of superclasses that run on an instance: hooks of the class are often reached through them alone. Those of the
    /// project's classes, and of the JDK's abstract ones (`AbstractList`), which are there to call what a subclass provides.
    fn inherited(&mut self, class: &Arc<ClassModel>) {
        if !self.config.methods.is_empty() {
            return;
        }
        let mut ancestors: Vec<Arc<ClassModel>> = self.program.superclass_chain(&class.name).into_iter().skip(1).collect();
        ancestors.extend(self.program.all_interfaces(&class.name).iter().filter_map(|interface| self.program.class(interface)));
        for ancestor in ancestors {
            let skeleton = ancestor.is_abstract() && !matches!(ancestor.name.internal(), "java/lang/Enum" | "java/lang/Record");
            if ancestor.origin == ClassOrigin::Jdk && (!skeleton || ancestor.is_interface()) {
                continue;
            }
            // Its methods are under test by themselves already.
            if self.classes.contains(&ancestor.name) && self.access.class(&ancestor) {
                continue;
            }
            for method in &ancestor.methods {
                let plain = !method.is_static() && !method.is_constructor() && !method.access.is_abstract();
                if !plain || !self.access.method(method) {
                    continue;
                }
                // Overridden ones are under test by the overriding method.
                let selected = self.program.resolve_method(&class.name, method.name(), &method.reference.descriptor);
                if selected.is_none_or(|selected| selected.reference() != &method.reference) {
                    continue;
                }
                // Called on the class itself: any other subclass would do for the declaring one.
                let id = self.callable(&ancestor, method, &class.name);
                if !self.under_test.contains(&id) {
                    self.under_test.push(id);
                }
            }
        }
    }

    /// Methods that run on an instance but that no test in the package may name: protected, of a superclass elsewhere (JLS §6.6.2).
    fn foreign_protected(&self, class: &ClassModel) -> usize {
        let ancestors = self.program.superclass_chain(&class.name);
        let project = ancestors.iter().skip(1).filter(|ancestor| ancestor.origin == ClassOrigin::Project);
        project
            .flat_map(|ancestor| ancestor.methods.iter())
            .filter(|method| {
                let access = method.access;
                let concrete = !method.is_constructor() && !access.is_abstract() && !access.is_synthetic();
                let inherited = self.program.resolve_method(&class.name, method.name(), &method.reference.descriptor);
                concrete
                    && access.is_protected()
                    && method.reference.owner.package() != self.access.package
                    && inherited.is_some_and(|found| found.reference() == &method.reference)
            })
            .count()
    }

    // ---- callables

    fn callable(&mut self, class: &ClassModel, method: &MethodModel, owner: &ClassName) -> CallableId {
        let kind = if method.is_constructor() {
            CallableKind::Constructor
        } else if method.is_static() {
            CallableKind::Static
        } else {
            CallableKind::Instance
        };
        // Where the owner has a bridge of this descriptor, source that names the owner means another method (JLS §15.12.4.5).
        let bridged = *owner != class.name
            && self
                .program
                .resolve_method(owner, method.name(), &method.reference.descriptor)
                .is_some_and(|resolved| resolved.method().access.is_synthetic());
        let owner = if bridged { &class.name } else { owner };
        let reference = MethodRef { owner: owner.clone(), ..method.reference.clone() };
        if let Some(&id) = self.ids.get(&(reference.clone(), kind)) {
            return id;
        }
        let id = CallableId(u32::try_from(self.callables.len()).expect("fewer callables than class file members"));
        let names = class.parameter_names(method).to_vec();
        let parameters = method
            .parameters
            .iter()
            .zip(&method.signature.arguments)
            .zip(names)
            .map(|((ty, generic), name)| Parameter { ty: ty.clone(), generic: generic.clone(), name })
            .collect();
        let (returns, generic_returns) = match kind {
            CallableKind::Constructor => (class.ty(), class.generic_type()),
            _ => (method.returns.clone(), method.signature.returns.clone()),
        };
        let interface = self.program.class(owner).is_some_and(|owner| owner.is_interface());
        let callable = Callable {
            id,
            kind,
            method: reference.clone(),
            interface,
            declared_in: class.name.clone(),
            parameters,
            returns,
            generic_returns,
            type_parameters: self.type_parameters(class, method),
            exceptions: method.exceptions.clone(),
            varargs: method.access.is_varargs(),
            project: class.origin == ClassOrigin::Project,
            hints: self.analysis.hints(class, method),
            constants: self.analysis.constants(class, method),
        };
        self.callables.push(callable);
        self.ids.insert((reference, kind), id);
        id
    }

    /// The method's own variables, then those of the class and, for inner classes, of the classes around it.
    fn type_parameters(&self, class: &ClassModel, method: &MethodModel) -> Vec<TypeParameter> {
        let mut parameters = method.signature.parameters.clone();
        if method.is_static() {
            return parameters;
        }
        parameters.extend(class.signature.parameters.iter().cloned());
        let mut inner = class.is_inner().then(|| class.enclosing().cloned()).flatten();
        while let Some(enclosing) = inner.and_then(|name| self.program.class(&name)) {
            parameters.extend(enclosing.signature.parameters.iter().cloned());
            inner = enclosing.is_inner().then(|| enclosing.enclosing().cloned()).flatten();
        }
        parameters
    }

    /// Everything that a call takes: receiver, parameters, and what their type arguments are made of.
    fn needs(&mut self, id: CallableId, distance: u32, later: bool) {
        let callable = &self.callables[id.0 as usize];
        let scope = callable.type_parameters.clone();
        let receiver = callable.receiver();
        let parameters = callable.parameters.clone();
        let used: BTreeSet<Arc<str>> = parameters.iter().flat_map(|parameter| parameter.generic.variables()).collect();
        if let Some(receiver) = receiver {
            self.need(receiver, distance, later);
        }
        for parameter in parameters {
            self.need(parameter.ty, distance, later);
            if !later {
                self.need_generic(&parameter.generic.resolve(&scope), distance);
            }
        }
        if !later {
            for parameter in scope.iter().filter(|parameter| used.contains(&parameter.name)) {
                for candidate in candidates(self.program, parameter, &scope) {
                    self.need_generic(&candidate, distance);
                }
            }
        }
    }

    fn need_generic(&mut self, ty: &GenericType, distance: u32) {
        match ty {
            GenericType::Class { name, arguments, .. } => {
                self.need(JavaType::Class(name.clone()), distance, false);
                // The argument of `Class<T>` is named by a literal, not built.
                if name.internal() != "java/lang/Class" {
                    arguments.iter().for_each(|argument| self.need_generic(argument, distance));
                }
            }
            GenericType::Array(element) => {
                self.need(ty.erase(&[]), distance, false);
                self.need_generic(element, distance);
            }
            GenericType::Wildcard(Wildcard::Extends(bound) | Wildcard::Super(bound)) => self.need_generic(bound, distance),
            GenericType::Wildcard(Wildcard::Any) | GenericType::Variable(_) | GenericType::Primitive(_) => {}
        }
    }

    fn need(&mut self, ty: JavaType, distance: u32, later: bool) {
        if ty == JavaType::Void || self.distance.contains_key(&ty) {
            return;
        }
        if later {
            self.later.push_back((ty, distance));
        } else {
            self.distance.insert(ty.clone(), distance);
            self.queue.push_back(ty);
        }
    }

    // ---- types

    fn close(&mut self) {
        // What `Object` and unbound type variables become.
        for ty in [string(), JavaType::class("java/lang/Integer"), object()] {
            self.need(ty, 0, false);
        }
        self.look_into_all();
        if self.has_mockito() {
            while self.mock_next() {
                self.look_into_all();
            }
        }
    }

    /// Every type that is needed, and what it needs.
    fn look_into_all(&mut self) {
        loop {
            while let Some(ty) = self.queue.pop_front() {
                let distance = self.distance.get(&ty).copied().unwrap_or(0);
                if self.ways.len() >= self.config.max_types || distance > MAX_DISTANCE {
                    self.reasons.insert(ty, "too far from the target".to_string());
                    continue;
                }
                let ways = self.ways_to(&ty, distance);
                for subtype in &ways.from {
                    self.need(subtype.clone(), distance, false);
                }
                for raw in &ways.own {
                    match &raw.generator {
                        Generator::Call(id) => self.needs(*id, distance + 1, false),
                        Generator::Array { element } => self.need(element.clone(), distance, false),
                        Generator::Stub { methods, .. } => {
                            for method in methods.clone() {
                                self.need(method.return_type(), distance + 1, true);
                            }
                        }
                        Generator::Literal | Generator::Field(_) => {}
                    }
                }
                self.ways.insert(ty.clone(), ways);
                self.members_of(&ty, distance);
            }
            match self.later.pop_front() {
                Some((ty, distance)) => self.need(ty, distance, false),
                None => break,
            }
        }
    }

    fn ways_to(&mut self, ty: &JavaType, distance: u32) -> Ways {
        let literal = || Ways { own: vec![Raw { generator: Generator::Literal, ty: ty.clone() }], from: Vec::new() };
        match ty {
            JavaType::Array(element) => {
                if !self.access.ty(element) {
                    self.reasons.insert(ty.clone(), "its element type cannot be named".to_string());
                    return Ways::default();
                }
                let generator = Generator::Array { element: (**element).clone() };
                Ways { own: vec![Raw { generator, ty: ty.clone() }], from: Vec::new() }
            }
            JavaType::Class(name) => match name.internal() {
                "java/lang/String" | "java/lang/Class" => literal(),
                "java/lang/Object" => self.ways_to_object(),
                _ => self.ways_to_class(name, distance),
            },
            _ => literal(),
        }
    }

    /// Anything goes: what the code asks for first, then a bit of everything.
    fn ways_to_object(&mut self) -> Ways {
        let mut ways = Ways::default();
        let mut from = vec![string(), JavaType::class("java/lang/Integer")];
        // A utility class has no instances to pass.
        if self.distance.contains_key(&JavaType::Class(self.target.clone())) {
            from.push(JavaType::Class(self.target.clone()));
        }
        from.extend(self.asked.iter().filter(|ty| self.access.ty(ty)).cloned());
        from.extend([
            JavaType::Array(Box::new(JavaType::Int)),
            JavaType::Array(Box::new(string())),
            JavaType::class("java/lang/Double"),
            JavaType::class("java/util/ArrayList"),
        ]);
        for ty in from {
            if !ways.from.contains(&ty) {
                ways.from.push(ty);
            }
        }
        if let Some(class) = self.program.class(&ClassName::new("java/lang/Object"))
            && let Some(constructor) = class.method("<init>", "()V")
        {
            let id = self.callable(&class, constructor, &class.name);
            ways.own.push(Raw { generator: Generator::Call(id), ty: object() });
        }
        ways
    }

    fn ways_to_class(&mut self, name: &ClassName, distance: u32) -> Ways {
        let ty = JavaType::Class(name.clone());
        let Some(class) = self.program.class(name) else {
            self.reasons.insert(ty, "its class file is not on the class path".to_string());
            return Ways::default();
        };
        if !self.access.class(&class) {
            self.reasons.insert(ty, "a test cannot name it".to_string());
            return Ways::default();
        }
        let mut ways = Ways { own: self.seen_as.get(&ty).cloned().unwrap_or_default(), from: Vec::new() };
        // What the code casts to and checks for comes before what merely fits.
        for asked in self.asked.clone() {
            if asked != ty && self.program.is_subtype(&asked, &ty) && self.access.ty(&asked) {
                ways.from.push(asked);
            }
        }
        if class.is_enum() {
            for constant in class.enum_constants() {
                ways.own.push(Raw { generator: Generator::Field(constant.reference.clone()), ty: ty.clone() });
            }
            return ways;
        }
        if let Some((_, recipes)) = jdk::KNOWN.iter().find(|(known, _)| *known == name.internal()) {
            for recipe in *recipes {
                self.recipe(recipe, &ty, &mut ways);
            }
            if class.is_interface() && !recipes.is_empty() {
                self.stub(&class, &mut ways);
            }
            return ways;
        }
        match class.origin {
            ClassOrigin::Project => self.ways_to_project_class(&class, &mut ways, distance),
            ClassOrigin::Jdk => self.ways_to_jdk_class(&class, &mut ways),
        }
        ways
    }

    fn recipe(&mut self, recipe: &str, wanted: &JavaType, ways: &mut Ways) {
        let Some((owner, rest)) = recipe.split_once('.') else {
            ways.from.push(JavaType::class(recipe));
            return;
        };
        let owner = ClassName::new(owner);
        let Some(class) = self.program.class(&owner) else { return };
        match rest.split_once(' ') {
            Some((name, descriptor)) => {
                let Some(method) = class.method(name, descriptor) else { return };
                let id = self.callable(&class, method, &owner);
                let ty = if method.is_constructor() { class.ty() } else { method.returns.clone() };
                ways.own.push(Raw { generator: Generator::Call(id), ty });
            }
            None => {
                let Some(field) = class.fields.iter().find(|field| &*field.reference.name == rest) else { return };
                let ty = if self.program.is_subtype(&field.ty, wanted) { field.ty.clone() } else { wanted.clone() };
                ways.own.push(Raw { generator: Generator::Field(field.reference.clone()), ty });
            }
        }
    }

    /// An interface can always be stubbed (a functional one reads well as a lambda), an abstract class where an anonymous class may
    /// extend it.
    fn stub(&mut self, class: &ClassModel, ways: &mut Ways) {
        let extensible = if class.is_interface() { !class.is_annotation() } else { self.extensible(class) };
        if !extensible || !self.program_permits_stub(class) {
            return;
        }
        let methods: Vec<MethodRef> = match self.program.functional_method(&class.name) {
            Some(method) => vec![method.reference().clone()],
            None => self.program.abstract_methods(&class.name).iter().map(|method| method.reference().clone()).collect(),
        };
        let nameable =
            methods.iter().all(|method| method.parameters().iter().chain([&method.return_type()]).all(|ty| self.access.ty(ty)));
        let overridable = methods.iter().all(|method| {
            self.program.resolve(method).is_some_and(|found| {
                let access = found.method().access;
                access.is_protected() || self.access.member(access, &found.class.name)
            })
        });
        if !overridable {
            self.reasons.insert(class.ty(), "it has abstract methods that are private to another package".to_string());
        } else if nameable {
            ways.own.push(Raw {
                generator: Generator::Stub { interface: class.name.clone(), mocked: false, methods },
                ty: class.ty(),
            });
        } else {
            self.reasons.insert(class.ty(), "its methods use types that a test cannot name".to_string());
        }
    }

    /// Whether `new C() { .. }` may stand in a test (JLS §15.9.5): the constructor is one for subclasses, takes nothing and throws nothing.
    fn extensible(&self, class: &ClassModel) -> bool {
        class.is_abstract()
            && !class.is_enum()
            && class.method("<init>", "()V").is_some_and(|constructor| {
                let access = constructor.access;
                constructor.exceptions.is_empty() && (access.is_protected() || self.access.member(access, &class.name))
            })
    }

    /// A sealed type has no further subclasses.
    fn program_permits_stub(&self, class: &ClassModel) -> bool {
        class.file.permitted_subclasses().is_ok_and(|permitted| permitted.is_empty())
    }

    fn ways_to_project_class(&mut self, class: &Arc<ClassModel>, ways: &mut Ways, distance: u32) {
        let ty = class.ty();
        self.own_ways(class, &ty, ways);
        // Builders and holders nested in the class, and factories among the callables under test.
        let nested: Vec<Arc<ClassModel>> = targets(self.program, &class.name)
            .iter()
            .skip(1)
            .filter_map(|name| self.program.class(name))
            .filter(|nested| self.access.class(nested))
            .collect();
        for nested in &nested {
            self.methods_returning(nested, &ty, ways);
        }
        for id in self.under_test.clone() {
            let callable = &self.callables[id.0 as usize];
            if callable.kind != CallableKind::Constructor
                && self.program.is_subtype(&callable.returns, &ty)
                && callable.receiver().as_ref() != Some(&ty)
            {
                push(&mut ways.own, Raw { generator: Generator::Call(id), ty: callable.returns.clone() });
            }
        }
        let open = !class.access.is_final();
        if open && distance <= MAX_SCANNING_DISTANCE && (class.is_abstract() || class.is_interface() || ways.own.is_empty()) {
            for subclass in self.subclasses(&class.name) {
                if subclass.name != class.name {
                    ways.from.push(subclass.ty());
                }
            }
        }
        // Static methods of other classes: where the class makes none itself, and where it only is what others are seen as.
        if ways.own.is_empty() || class.is_interface() && distance == 0 {
            let factories = self.index().factories(&class.name);
            for (owner, position) in factories {
                let Some(owner) = self.program.class(&owner) else { continue };
                let method = &owner.methods[position];
                if self.access.class(&owner) && self.access.method(method) {
                    let id = self.callable(&owner, method, &owner.name);
                    push(&mut ways.own, Raw { generator: Generator::Call(id), ty: method.returns.clone() });
                }
            }
        }
        self.chains(class, &ty, ways);
        let nothing = ways.own.is_empty() && ways.from.is_empty();
        self.makers(class, nothing, ways);
        // An abstract class's own code is the same under every subclass; elsewhere an object that does something is worth more.
        if class.is_interface() || distance == 0 || ways.own.is_empty() && ways.from.is_empty() {
            self.stub(class, ways);
        }
        if ways.own.is_empty() && ways.from.is_empty() {
            let reason = if class.is_abstract() {
                "it is abstract and no subclass or factory can be called"
            } else {
                "no constructor, factory or constant of it can be named"
            };
            self.reasons.entry(ty).or_insert_with(|| reason.to_string());
        }
    }

    /// Constructors, static factories and constants of the class itself.
    fn own_ways(&mut self, class: &Arc<ClassModel>, ty: &JavaType, ways: &mut Ways) {
        if !class.is_abstract() && !class.is_interface() {
            for method in class.methods.iter().filter(|method| method.is_constructor()) {
                if self.access.method(method) {
                    let id = self.callable(class, method, &class.name);
                    push(&mut ways.own, Raw { generator: Generator::Call(id), ty: class.ty() });
                }
            }
        }
        for method in class.methods.iter().filter(|method| method.is_static()) {
            if self.access.method(method) && method.returns.is_reference() && self.program.is_subtype(&method.returns, ty) {
                let id = self.callable(class, method, &class.name);
                push(&mut ways.own, Raw { generator: Generator::Call(id), ty: method.returns.clone() });
            }
        }
        for field in &class.fields {
            let constant = field.access.is_static() && field.access.is_final() && self.access.member(field.access, &class.name);
            if constant && field.ty.is_reference() && self.program.is_subtype(&field.ty, ty) {
                push(&mut ways.own, Raw { generator: Generator::Field(field.reference.clone()), ty: field.ty.clone() });
            }
        }
    }

    /// Methods of an immutable object that give another of its kind (`splitter.trimResults()`); those that change the object and return it
    /// are modifiers.
    fn chains(&mut self, class: &Arc<ClassModel>, ty: &JavaType, ways: &mut Ways) {
        for method in &class.methods {
            let plain = !method.is_static() && !method.is_constructor() && !method.access.is_abstract();
            if plain
                && method.returns.is_reference()
                && self.program.is_subtype(&method.returns, ty)
                && self.access.method(method)
                && self.analysis.hints(class, method).writes.is_empty()
            {
                let id = self.callable(class, method, &class.name);
                push(&mut ways.own, Raw { generator: Generator::Call(id), ty: method.returns.clone() });
            }
        }
    }

    /// Methods of other classes' objects that give one: of `FooBuilder` and `FooFactory` beside `Foo`, and where there is no other way of
    /// any class.
    fn makers(&mut self, class: &Arc<ClassModel>, any: bool, ways: &mut Ways) {
        let mut found = Vec::new();
        for kind in ["Builder", "Factory"] {
            let sibling = ClassName::new(&format!("{}{kind}", class.name.internal()));
            if let Some(owner) = self.program.class(&sibling).filter(|owner| owner.origin == ClassOrigin::Project) {
                let makes = |method: &MethodModel| !method.is_constructor() && method.returns == class.ty();
                found.extend(owner.methods.iter().filter(|method| makes(method)).map(|method| (owner.clone(), method.index)));
            }
        }
        if any && found.is_empty() {
            let indexed = self.index().makers(&class.name);
            found.extend(indexed.into_iter().filter_map(|(owner, position)| Some((self.program.class(&owner)?, position))));
        }
        let usable = found.into_iter().filter(|(owner, position)| {
            self.access.class(owner)
                && self.access.method(&owner.methods[*position])
                && !owner.methods[*position].access.is_synthetic()
        });
        for (owner, position) in usable.take(MAX_MAKERS).collect::<Vec<_>>() {
            let method = &owner.methods[position];
            let id = self.callable(&owner, method, &owner.name);
            push(&mut ways.own, Raw { generator: Generator::Call(id), ty: method.returns.clone() });
        }
    }

    fn methods_returning(&mut self, class: &Arc<ClassModel>, ty: &JavaType, ways: &mut Ways) {
        for method in &class.methods {
            let fits = !method.is_constructor() && method.returns.is_reference() && self.program.is_subtype(&method.returns, ty);
            if fits && self.access.method(method) {
                let id = self.callable(class, method, &class.name);
                push(&mut ways.own, Raw { generator: Generator::Call(id), ty: method.returns.clone() });
            }
        }
    }

    /// A JDK class that the tables do not know: public constructors and factories whose arguments are simple, so that the search does not
    /// wander through the JDK.
    fn ways_to_jdk_class(&mut self, class: &Arc<ClassModel>, ways: &mut Ways) {
        let ty = class.ty();
        if jdk::LEFT_OUT.iter().any(|prefix| class.name.internal().starts_with(prefix)) && !class.is_interface() {
            self.reasons.insert(ty, "values of it reach outside the JVM or into its running and are not made".to_string());
            return;
        }
        let mut found = Ways::default();
        self.own_ways(class, &ty, &mut found);
        for raw in found.own {
            let simple = match &raw.generator {
                Generator::Call(id) => {
                    self.callables[id.0 as usize].parameters.iter().all(|parameter| self.simple(&parameter.ty))
                }
                _ => true,
            };
            if simple {
                ways.own.push(raw);
            }
        }
        if class.is_interface() || ways.own.is_empty() && ways.from.is_empty() {
            self.stub(class, ways);
        }
        if ways.own.is_empty() && ways.from.is_empty() {
            let reason = if class.is_abstract() {
                "it is abstract and no implementation of it is known"
            } else {
                "no public constructor or factory of it takes simple arguments"
            };
            self.reasons.insert(ty, reason.to_string());
        }
    }

    fn simple(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Array(element) => self.simple(element),
            JavaType::Class(name) => {
                matches!(name.internal(), "java/lang/String" | "java/lang/Class" | "java/lang/Object")
                    || jdk::KNOWN.iter().any(|(known, _)| *known == name.internal())
                    || self.program.class(name).is_some_and(|class| class.is_enum())
            }
            _ => true,
        }
    }

    // ---- the project around the target

    fn index(&mut self) -> &ProjectIndex {
        let (program, target, limit) = (self.program, self.target, self.config.max_scanned);
        self.index.get_or_insert_with(|| ProjectIndex::new(program, target, limit))
    }

    /// Concrete subclasses that a test can name, nearest first.
    fn subclasses(&mut self, name: &ClassName) -> Vec<Arc<ClassModel>> {
        let names = self.index().subclasses(name);
        names
            .iter()
            .filter_map(|name| self.program.class(name))
            .filter(|class| !class.is_abstract() && !class.is_interface() && self.access.class(class))
            .take(8)
            .collect()
    }

    // ---- members for building up and looking at

    fn members_of(&mut self, ty: &JavaType, distance: u32) {
        let JavaType::Class(name) = ty else { return };
        let Some(class) = self.program.class(name) else { return };
        match class.origin {
            ClassOrigin::Jdk => {
                for (table, modifies) in [(jdk::MODIFIERS, true), (jdk::INSPECTORS, false)] {
                    for entry in table {
                        let Some(id) = self.table_method(entry, name) else { continue };
                        let members = if modifies { &mut self.modifiers } else { &mut self.inspectors };
                        members.entry(ty.clone()).or_default().push(id);
                        if modifies {
                            self.needs(id, distance + 1, true);
                        }
                    }
                }
            }
            ClassOrigin::Project => self.project_members(&class, distance),
        }
    }

    fn table_method(&mut self, entry: &str, of: &ClassName) -> Option<CallableId> {
        let (owner, rest) = entry.split_once('.')?;
        let (name, descriptor) = rest.split_once(' ')?;
        let owner = ClassName::new(owner);
        // The cheap test first: most entries are of classes that have nothing to do with the type.
        if !self.program.is_subclass(of, &owner) {
            return None;
        }
        let class = self.program.class(&owner)?;
        let method = class.method(name, descriptor)?;
        Some(self.callable(&class, method, &owner))
    }

    fn project_members(&mut self, class: &Arc<ClassModel>, distance: u32) {
        let under_test = self.classes.contains(&class.name);
        let ty = class.ty();
        let mut taken: BTreeSet<(String, String)> = BTreeSet::new();
        let mut ancestors = self.program.superclass_chain(&class.name);
        ancestors.extend(self.program.all_interfaces(&class.name).iter().filter_map(|interface| self.program.class(interface)));
        for ancestor in ancestors {
            if ancestor.origin == ClassOrigin::Jdk {
                for (table, modifies) in [(jdk::MODIFIERS, true), (jdk::INSPECTORS, false)] {
                    let prefix = format!("{}.", ancestor.name);
                    for entry in table.iter().filter(|entry| entry.starts_with(&prefix)) {
                        let Some((name, descriptor)) = entry[prefix.len()..].split_once(' ') else { continue };
                        if !taken.insert((name.to_string(), descriptor.to_string())) {
                            continue;
                        }
                        let Some(id) = self.table_method(entry, &class.name) else { continue };
                        let members = if modifies { &mut self.modifiers } else { &mut self.inspectors };
                        members.entry(ty.clone()).or_default().push(id);
                        if modifies {
                            self.needs(id, distance + 1, true);
                        }
                    }
                }
                continue;
            }
            for method in &ancestor.methods {
                let plain = !method.is_static() && !method.is_constructor() && self.access.method(method);
                if !plain || !taken.insert((method.name().to_string(), method.reference.descriptor.to_string())) {
                    continue;
                }
                let owner = if !under_test && self.access.class(&ancestor) { &ancestor.name } else { &class.name };
                let hints = self.analysis.hints(&ancestor, method);
                let looks = matches!(
                    (method.name(), &*method.reference.descriptor),
                    ("equals", "(Ljava/lang/Object;)Z") | ("hashCode", "()I")
                );
                let tells = hints.observer && self.comparable(&method.returns);
                let inspects = tells
                    || method.access.is_abstract()
                        && method.parameters.is_empty()
                        && self.comparable(&method.returns)
                        && reads_like_a_getter(method.name(), &method.returns)
                    || looks;
                if inspects {
                    let id = self.callable(&ancestor, method, owner);
                    self.inspectors.entry(ty.clone()).or_default().push(id);
                } else if !hints.writes.is_empty() || method.returns == JavaType::Void || method.access.is_abstract() {
                    if method.parameters.len() > MAX_MODIFIER_PARAMETERS || distance > MAX_BUILT_UP_DISTANCE {
                        continue;
                    }
                    let id = self.callable(&ancestor, method, owner);
                    self.modifiers.entry(ty.clone()).or_default().push(id);
                    self.needs(id, distance + 1, true);
                }
            }
        }
    }

    /// Whether an assertion can say what a value of the type is.
    fn comparable(&self, ty: &JavaType) -> bool {
        match ty {
            JavaType::Void => false,
            JavaType::Array(element) => self.comparable(element),
            JavaType::Class(name) => {
                name.internal().starts_with("java/lang/")
                    || ["java/util/Collection", "java/util/Map", "java/util/Optional", "java/util/Date", "java/util/Locale"]
                        .iter()
                        .any(|known| self.program.is_subclass(name, &ClassName::new(known)))
                    || self
                        .program
                        .class(name)
                        .is_some_and(|class| class.is_enum() || class.method("equals", "(Ljava/lang/Object;)Z").is_some())
            }
            _ => true,
        }
    }

    // ---- costs

    fn finish(mut self, program: Arc<Program>, test_package: String, classes: Vec<ClassName>) -> Cluster {
        let flattened = self.flatten();
        let costs = settle(&flattened, &self.callables);
        let mocked = self.only_mocked(&flattened);
        self.modifiers.retain(|ty, _| !mocked.contains(ty));
        self.inspectors.retain(|ty, _| !mocked.contains(ty));
        let mut choices: BTreeMap<JavaType, Vec<Choice>> = BTreeMap::new();
        for (ty, raws) in flattened {
            let mut found: Vec<Choice> = raws
                .into_iter()
                .filter(|raw| match &raw.generator {
                    Generator::Call(id) => {
                        self.callables[id.0 as usize].receiver().is_none_or(|receiver| !mocked.contains(&receiver))
                    }
                    _ => true,
                })
                .filter_map(|raw| {
                    let cost = cost_of(&raw.generator, &self.callables, &costs)?;
                    Some(Choice { generator: raw.generator, ty: raw.ty, cost })
                })
                .collect();
            found.sort_by_key(|choice| choice.cost);
            let (mut others, mut chains) = (0, 0);
            found.retain(|choice| {
                let (count, limit) = match is_chain(&choice.generator, &self.callables, &ty) {
                    true => (&mut chains, MAX_CHAINS),
                    false => (&mut others, self.config.max_choices),
                };
                *count += 1;
                *count <= limit
            });
            if found.is_empty() {
                self.reasons.entry(ty.clone()).or_insert_with(|| "what it takes to make one cannot be made itself".to_string());
            } else {
                self.reasons.remove(&ty);
            }
            choices.insert(ty, found);
        }
        Cluster {
            target: self.target.clone(),
            classes,
            test_package,
            callables: self.callables,
            under_test: self.under_test,
            own: self.own,
            fields: self.fields,
            constants: self.constants,
            remarks: self.remarks,
            choices,
            modifiers: self.modifiers,
            inspectors: self.inspectors,
            unbuildable: self.reasons,
            program,
        }
    }

    /// Each type with its own ways and, after them, those of its subtypes.
    fn flatten(&self) -> BTreeMap<JavaType, Vec<Raw>> {
        let mut flattened = BTreeMap::new();
        for ty in self.ways.keys() {
            let mut raws: Vec<Raw> = Vec::new();
            let mut visited = BTreeSet::from([ty]);
            let mut pending: VecDeque<(&JavaType, usize)> = VecDeque::from([(ty, usize::MAX)]);
            while let Some((next, limit)) = pending.pop_front() {
                let Some(ways) = self.ways.get(next) else { continue };
                // A few of each subtype, so that one with many ways does not push the others out.
                ways.own.iter().take(limit).for_each(|raw| push(&mut raws, raw.clone()));
                pending.extend(ways.from.iter().filter(|ty| visited.insert(ty)).map(|ty| (ty, MAX_WAYS_OF_SUBTYPE)));
            }
            flattened.insert(ty.clone(), raws);
        }
        flattened
    }
}

/// Steps from the target beyond which types are not looked into.
const MAX_DISTANCE: u32 = 4;
/// Steps up to which the project is searched for subclasses.
const MAX_SCANNING_DISTANCE: u32 = 2;
/// Steps up to which objects of the project are built up by their methods.
const MAX_BUILT_UP_DISTANCE: u32 = 1;

const MAX_WAYS_OF_SUBTYPE: usize = 5;
/// Methods of builders, factories and, where need be, other objects that give one of a type.
const MAX_MAKERS: usize = 4;
/// Calls on an object of the type itself that give another one: beside all other ways, not instead of them.
const MAX_CHAINS: usize = 6;
const MAX_MODIFIER_PARAMETERS: usize = 4;

/// A null where nothing can be built counts as much as this many statements: possible, but the last resort.
const NULL_COST: u32 = 9;

fn push(raws: &mut Vec<Raw>, raw: Raw) {
    if !raws.iter().any(|known| known.generator == raw.generator && known.ty == raw.ty) {
        raws.push(raw);
    }
}

/// The least costs, as a fixed point from above.
fn settle(ways: &BTreeMap<JavaType, Vec<Raw>>, callables: &[Callable]) -> HashMap<JavaType, u32> {
    let mut costs: HashMap<JavaType, u32> = HashMap::new();
    loop {
        let mut changed = false;
        for (ty, raws) in ways {
            let least = raws.iter().filter_map(|raw| cost_of(&raw.generator, callables, &costs)).min();
            if let Some(least) = least
                && costs.get(ty).is_none_or(|known| least < *known)
            {
                costs.insert(ty.clone(), least);
                changed = true;
            }
        }
        if !changed {
            return costs;
        }
    }
}

/// `None` when the receiver cannot be built (so far).
fn cost_of(generator: &Generator, callables: &[Callable], costs: &HashMap<JavaType, u32>) -> Option<u32> {
    Some(match generator {
        Generator::Literal | Generator::Field(_) | Generator::Array { .. } => 1,
        // A stub is legal Java, but what it returns is nobody's behaviour.
        Generator::Stub { .. } => 3,
        Generator::Call(id) => {
            let callable = &callables[id.0 as usize];
            let receiver = match callable.receiver() {
                Some(receiver) => *costs.get(&receiver)?,
                None => 0,
            };
            let arguments =
                callable.parameters.iter().map(|parameter| costs.get(&parameter.ty).copied().unwrap_or(NULL_COST).min(NULL_COST));
            arguments.fold(receiver.saturating_add(1), u32::saturating_add)
        }
    })
}

/// The receiver is of the type that is wanted.
fn is_chain(generator: &Generator, callables: &[Callable], wanted: &JavaType) -> bool {
    matches!(generator, Generator::Call(id) if callables[id.0 as usize].receiver().as_ref() == Some(wanted))
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

fn reads_like_a_getter(name: &str, returns: &JavaType) -> bool {
    let after = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    *returns != JavaType::Void && (after("get") || after("is") || after("has") || matches!(name, "size" | "isEmpty" | "length"))
}

/// What a type variable may stand for: its bound, and well-known types within it. Never empty, none has variables.
pub(super) fn candidates(program: &Program, parameter: &TypeParameter, scope: &[TypeParameter]) -> Vec<GenericType> {
    let bounds: Vec<JavaType> = parameter.bounds.iter().map(|bound| bound.erase(scope)).collect();
    let common = ["java/lang/String", "java/lang/Integer", "java/util/concurrent/TimeUnit"].map(JavaType::class);
    let enumeration = bounds.iter().any(|bound| *bound == JavaType::class("java/lang/Enum"));
    let mut found: Vec<GenericType> = common
        .iter()
        .filter(|ty| enumeration || **ty != common[2])
        .filter(|ty| bounds.iter().all(|bound| program.is_subtype(ty, bound)))
        .map(GenericType::of)
        .collect();
    let bound = GenericType::Variable(parameter.name.clone()).resolve(scope);
    // `Comparable` alone would let two values of different types meet in one comparison.
    let vague = bound.class_name().is_some_and(|name| matches!(name.internal(), "java/lang/Comparable" | "java/lang/Enum"));
    if !vague || found.is_empty() {
        found.push(bound);
    }
    found
}
