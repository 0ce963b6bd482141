//! The classes of a program and their relations: loading, subtyping and member resolution (JVMS
//! §5.4.3, JVMS §5.4.6, JLS §4.10).
//!
//! In: a [`ClassSource`]. Out: models and resolved members. Does no I/O itself.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, RwLock};

use tracewright_classfile::Op;

use super::branch::{BranchOutcome, SourceCondition, demanded_queries, guards_close, source_condition};
use super::constructors::is_constant;
use super::generics::{GenericType, Substitution, TypeParameter};
use super::{ClassModel, ClassName, ClassOrigin, ClassSource, FieldModel, FieldRef, JavaType, MethodModel, MethodRef};

/// The classes on the class path and in the JDK, loaded when first asked for and then kept. Shared
/// between threads.
pub struct Program {
    source: Box<dyn ClassSource>,
    classes: RwLock<HashMap<ClassName, Result<Arc<ClassModel>, LoadError>>>,
    /// The superclasses and superinterfaces of a class, transitively.
    ancestors: RwLock<HashMap<ClassName, Arc<HashSet<ClassName>>>>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").finish_non_exhaustive()
    }
}

/// Why a class cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The source has no such class.
    #[error("class {0} is neither on the class path nor in the JDK")]
    Missing(ClassName),
    /// The class file cannot be read.
    #[error("class {name} is malformed: {problem}")]
    Malformed {
        /// The class.
        name: ClassName,
        /// The reason, one clause.
        problem: String,
    },
}

/// A method found in the class that declares it.
#[derive(Clone, Debug)]
pub struct ResolvedMethod {
    /// The class that declares it.
    pub class: Arc<ClassModel>,
    index: usize,
}

impl ResolvedMethod {
    /// The declaration.
    pub fn method(&self) -> &MethodModel {
        &self.class.methods[self.index]
    }

    /// The method with its declaring class as owner.
    pub(crate) fn reference(&self) -> &MethodRef {
        &self.method().reference
    }
}

/// A field found in the class that declares it.
#[derive(Clone, Debug)]
pub struct ResolvedField {
    pub(crate) class: Arc<ClassModel>,
    index: usize,
}

impl ResolvedField {
    /// The declaration.
    pub(crate) fn field(&self) -> &FieldModel {
        &self.class.fields[self.index]
    }
}

impl Program {
    /// A program whose classes are read from the source when they are first asked for.
    pub fn new(source: impl ClassSource + 'static) -> Program {
        Program { source: Box::new(source), classes: RwLock::default(), ancestors: RwLock::default() }
    }

    /// The source of the class files.
    pub fn source(&self) -> &dyn ClassSource {
        &*self.source
    }

    /// Feature number of the JDK that will run the classes.
    pub(crate) fn release(&self) -> u16 {
        self.source.release()
    }

    /// The model of a class; `None` when it is missing or malformed.
    pub fn class(&self, name: &ClassName) -> Option<Arc<ClassModel>> {
        self.load(name).ok()
    }

    /// The model of a class.
    ///
    /// # Errors
    /// [`LoadError::Missing`], or [`LoadError::Malformed`] also when the bytes define another
    /// class.
    pub(crate) fn load(&self, name: &ClassName) -> Result<Arc<ClassModel>, LoadError> {
        if let Some(known) = self.classes.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(name) {
            return known.clone();
        }
        // Parsed outside the lock: two threads may parse one class twice, but no thread waits for
        // another.
        let loaded = match self.source.bytes(name) {
            None => Err(LoadError::Missing(name.clone())),
            Some((bytes, origin)) => match ClassModel::parse(&bytes, origin) {
                Ok(model) if model.name == *name => Ok(Arc::new(model)),
                Ok(model) => {
                    Err(LoadError::Malformed { name: name.clone(), problem: format!("its bytes define {}", model.name) })
                }
                Err(error) => Err(LoadError::Malformed { name: name.clone(), problem: error.to_string() }),
            },
        };
        let mut classes = self.classes.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        classes.entry(name.clone()).or_insert(loaded).clone()
    }

    /// Whether the class comes from the user's class path.
    pub(crate) fn is_project(&self, name: &ClassName) -> bool {
        self.class(name).is_some_and(|class| class.origin == ClassOrigin::Project)
    }

    /// The class itself, then its superclasses up to `Object`. Ends early at a missing class.
    pub fn superclass_chain(&self, name: &ClassName) -> Vec<Arc<ClassModel>> {
        let mut chain: Vec<Arc<ClassModel>> = Vec::new();
        let mut next = Some(name.clone());
        while let Some(class) = next.and_then(|name| self.class(&name)) {
            // The JVM rejects a cycle with ClassCircularityError.
            if chain.iter().any(|known| known.name == class.name) {
                break;
            }
            next = class.superclass.clone();
            chain.push(class);
        }
        chain
    }

    /// Every superinterface of the class and its superclasses, nearest first, without the class
    /// itself.
    pub(crate) fn all_interfaces(&self, name: &ClassName) -> Vec<ClassName> {
        let mut found = Vec::new();
        for class in self.superclass_chain(name) {
            let mut pending = class.interfaces.clone();
            while !pending.is_empty() {
                let mut next = Vec::new();
                for interface in pending {
                    if !found.contains(&interface) {
                        if let Some(class) = self.class(&interface) {
                            next.extend(class.interfaces.iter().cloned());
                        }
                        found.push(interface);
                    }
                }
                pending = next;
            }
        }
        found
    }

    /// Whether `class` is `ancestor` or derives from it.
    pub fn is_subclass(&self, class: &ClassName, ancestor: &ClassName) -> bool {
        if class == ancestor || ancestor.internal() == "java/lang/Object" {
            return true;
        }
        self.ancestors(class).contains(ancestor)
    }

    /// All superclasses and superinterfaces that can be loaded, without the class itself. Computed
    /// once for each class.
    fn ancestors(&self, class: &ClassName) -> Arc<HashSet<ClassName>> {
        if let Some(known) = self.ancestors.read().unwrap_or_else(std::sync::PoisonError::into_inner).get(class) {
            return Arc::clone(known);
        }
        let mut visited = HashSet::new();
        let mut pending = vec![class.clone()];
        while let Some(name) = pending.pop() {
            let Some(model) = self.class(&name) else { continue };
            for parent in model.superclass.iter().chain(&model.interfaces) {
                if visited.insert(parent.clone()) {
                    pending.push(parent.clone());
                }
            }
        }
        let mut ancestors = self.ancestors.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(ancestors.entry(class.clone()).or_insert_with(|| Arc::new(visited)))
    }

    /// Subtyping without conversions (JLS §4.10): primitives are subtypes of themselves alone,
    /// arrays are covariant.
    pub fn is_subtype(&self, ty: &JavaType, of: &JavaType) -> bool {
        match (ty, of) {
            (JavaType::Class(class), JavaType::Class(ancestor)) => self.is_subclass(class, ancestor),
            (JavaType::Array(_), JavaType::Class(ancestor)) => {
                matches!(ancestor.internal(), "java/lang/Object" | "java/lang/Cloneable" | "java/io/Serializable")
            }
            (JavaType::Array(element), JavaType::Array(of)) => {
                element == of || element.is_reference() && self.is_subtype(element, of)
            }
            _ => ty == of,
        }
    }

    /// The class in which members of the owner are looked up: `Object` for arrays.
    fn owner(&self, owner: &ClassName) -> Option<Arc<ClassModel>> {
        if owner.internal().starts_with('[') { self.class(&ClassName::new("java/lang/Object")) } else { self.class(owner) }
    }

    /// Method resolution (JVMS §5.4.3.3, §5.4.3.4), access checks aside.
    pub fn resolve_method(&self, owner: &ClassName, name: &str, descriptor: &str) -> Option<ResolvedMethod> {
        let class = self.owner(owner)?;
        if class.is_interface() {
            if let Some(index) = position(&class, name, descriptor) {
                return Some(ResolvedMethod { class, index });
            }
            let object = self.class(&ClassName::new("java/lang/Object"))?;
            if let Some(index) = position(&object, name, descriptor) {
                let method = &object.methods[index];
                if method.access.is_public() && !method.is_static() {
                    return Some(ResolvedMethod { class: object, index });
                }
            }
        } else {
            for class in self.superclass_chain(&class.name) {
                let index = position(&class, name, descriptor).or_else(|| signature_polymorphic(&class, name));
                if let Some(index) = index {
                    return Some(ResolvedMethod { class, index });
                }
            }
        }
        let candidates = self.interface_methods(&class.name, name, descriptor);
        let specific = self.maximally_specific(&candidates);
        let mut concrete = specific.iter().filter(|candidate| !candidate.method().access.is_abstract());
        match (concrete.next(), concrete.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => candidates.into_iter().next(),
        }
    }

    /// As [`Program::resolve_method`].
    pub(crate) fn resolve(&self, method: &MethodRef) -> Option<ResolvedMethod> {
        self.resolve_method(&method.owner, &method.name, &method.descriptor)
    }

    /// The method that `invokevirtual` or `invokeinterface` of a resolved method runs on a receiver
    /// of class `runtime` (JVMS §5.4.6). It may be abstract, then the JVM throws
    /// `AbstractMethodError`. `None`: two default methods conflict, or a class is missing.
    pub fn select_method(&self, runtime: &ClassName, resolved: &ResolvedMethod) -> Option<ResolvedMethod> {
        let wanted = resolved.method();
        if wanted.access.is_private() {
            return Some(resolved.clone());
        }
        let class = self.owner(runtime)?;
        let chain = self.superclass_chain(&class.name);
        for class in &chain {
            if let Some(index) = position(class, wanted.name(), &wanted.reference.descriptor) {
                let found = &class.methods[index];
                let overrides = class.name == resolved.class.name
                    || resolved.class.is_interface() && !found.access.is_private() && !found.is_static()
                    || self.overrides(class, found, resolved, &chain);
                if overrides {
                    return Some(ResolvedMethod { class: class.clone(), index });
                }
            }
        }
        let candidates = self.interface_methods(&class.name, wanted.name(), &wanted.reference.descriptor);
        let specific = self.maximally_specific(&candidates);
        let mut concrete = specific.iter().filter(|candidate| !candidate.method().access.is_abstract());
        match (concrete.next(), concrete.next()) {
            (Some(only), None) => Some(only.clone()),
            (Some(_), Some(_)) => None,
            (None, _) => specific.into_iter().next(),
        }
    }

    /// Whether one method overrides another (JVMS §5.4.5). A package-private method is overridden
    /// only inside its package, or through a method that widened its access.
    fn overrides(&self, class: &ClassModel, found: &MethodModel, resolved: &ResolvedMethod, chain: &[Arc<ClassModel>]) -> bool {
        if found.access.is_private() || found.is_static() {
            return false;
        }
        let wanted = resolved.method();
        if wanted.access.is_public() || wanted.access.is_protected() || class.name.package() == resolved.class.name.package() {
            return true;
        }
        // Transitively: a method between the two overrides the resolved one and is overridden by
        // the found one.
        let Some(at) = chain.iter().position(|ancestor| ancestor.name == class.name) else { return false };
        chain[at + 1..].iter().take_while(|between| between.name != resolved.class.name).any(|between| {
            between.method(wanted.name(), &wanted.reference.descriptor).is_some_and(|middle| {
                self.overrides(between, middle, resolved, chain)
                    && (middle.access.is_public()
                        || middle.access.is_protected()
                        || class.name.package() == between.name.package())
            })
        })
    }

    /// Methods of superinterfaces, neither private nor static, nearest first.
    fn interface_methods(&self, class: &ClassName, name: &str, descriptor: &str) -> Vec<ResolvedMethod> {
        self.all_interfaces(class)
            .iter()
            .filter_map(|interface| {
                let class = self.class(interface)?;
                let index = position(&class, name, descriptor)?;
                let method = &class.methods[index];
                (!method.access.is_private() && !method.is_static()).then_some(ResolvedMethod { class, index })
            })
            .collect()
    }

    fn maximally_specific(&self, candidates: &[ResolvedMethod]) -> Vec<ResolvedMethod> {
        candidates
            .iter()
            .filter(|candidate| {
                !candidates.iter().any(|other| {
                    other.class.name != candidate.class.name && self.is_subclass(&other.class.name, &candidate.class.name)
                })
            })
            .cloned()
            .collect()
    }

    /// Field resolution (JVMS §5.4.3.2): the class, then its superinterfaces, then its superclass.
    pub(crate) fn resolve_field(&self, owner: &ClassName, name: &str, descriptor: &str) -> Option<ResolvedField> {
        for class in self.superclass_chain(owner) {
            if let Some(found) = field_in(&class, name, descriptor) {
                return Some(found);
            }
            let mut pending: Vec<ClassName> = class.interfaces.iter().rev().cloned().collect();
            let mut visited = BTreeSet::new();
            while let Some(interface) = pending.pop() {
                if !visited.insert(interface.clone()) {
                    continue;
                }
                let Some(class) = self.class(&interface) else { continue };
                if let Some(found) = field_in(&class, name, descriptor) {
                    return Some(found);
                }
                pending.extend(class.interfaces.iter().rev().cloned());
            }
        }
        None
    }

    /// As [`Program::resolve_field`].
    pub(crate) fn resolve_field_ref(&self, field: &FieldRef) -> Option<ResolvedField> {
        self.resolve_field(&field.owner, &field.name, &field.descriptor)
    }

    /// Whether a tool or a compiler wrote the method that the reference names.
    pub(crate) fn is_generated(&self, method: &MethodRef) -> bool {
        self.resolve(method).is_some_and(|found| found.class.is_generated(found.method()))
    }

    /// Whether the method that the reference names only reads or writes a field.
    pub(crate) fn is_plain_accessor(&self, method: &MethodRef) -> bool {
        self.resolve(method).is_some_and(|found| found.class.is_plain_accessor(found.method()))
    }

    /// The class that declares a constant whose object is of this class. A constant of an enum with a body has a class
    /// of its own, whose superclass is the enum (JLS §8.9.1).
    pub(crate) fn class_of_constant(&self, class: &ClassName) -> ClassName {
        let superclass = self.class(class).and_then(|model| model.superclass.clone());
        let is_enum = |superclass: &ClassName| self.class(superclass).is_some_and(|model| model.is_enum());
        superclass.filter(is_enum).unwrap_or_else(|| class.clone())
    }

    /// Whether the code of the method only returns one constant.
    pub(crate) fn gives_constant(&self, method: &MethodRef) -> bool {
        let Some(found) = self.resolve(method) else { return false };
        let Some(code) = found.class.code(found.method()) else { return false };
        let ops: Vec<&Op> = code.instructions.iter().map(|instruction| &instruction.op).collect();
        // What a static field holds may change.
        matches!(&ops[..], [value, Op::Return(Some(_))] if is_constant(value) && !matches!(value, Op::GetStatic(_)))
    }

    /// The line of the source at which the code of the method begins, where the class file has it.
    pub(crate) fn first_line(&self, method: &MethodRef) -> Option<u32> {
        let found = self.resolve(method)?;
        found.class.code(found.method())?.line_of(0).map(u32::from)
    }

    /// What the source says where a branch has this outcome; `None` for other branches than jumps.
    pub fn source_condition(&self, branch: &BranchOutcome) -> Option<SourceCondition> {
        let found = self.resolve(&branch.method)?;
        source_condition(&found.class, found.method(), branch.bci, branch.outcome == 1)
    }

    /// Whether the branch only decides if a resource is closed.
    pub(crate) fn guards_close(&self, branch: &BranchOutcome) -> bool {
        self.resolve(&branch.method).is_some_and(|found| guards_close(&found.class, found.method(), branch.bci))
    }

    /// Whether tests of `target` call the method only to make or to read values: the constructor of a
    /// record or data class nested in it that only fills the components, and the accessor of a Kotlin property.
    pub fn only_holds_values(&self, target: &ClassName, method: &MethodRef) -> bool {
        self.resolve(method).is_some_and(|found| {
            let (class, method) = (&found.class, found.method());
            class.only_fills_components(method) && class.name != *target || class.is_kotlin() && class.is_plain_accessor(method)
        })
    }

    /// Whether the code of the method makes an object of the class.
    pub fn makes_object(&self, method: &MethodRef, class: &ClassName) -> bool {
        let Some(found) = self.resolve(method) else { return false };
        let pool = found.class.file.constant_pool();
        let is_made = |op: &Op| matches!(op, Op::New(made) if pool.class_name(*made).is_ok_and(|made| made == class.internal()));
        let code = found.class.code(found.method());
        code.is_some_and(|code| code.instructions.iter().any(|instruction| is_made(&instruction.op)))
    }

    /// The bcis at which the code of a method calls another one with this name and descriptor.
    pub(crate) fn places_of_calls(&self, caller: &MethodRef, called: &MethodRef) -> Vec<u32> {
        let Some(found) = self.resolve(caller) else { return Vec::new() };
        let is_called = |op: &Op| {
            let member = found.class.called_by(op);
            member.is_some_and(|member| member.name == &*called.name && member.descriptor == &*called.descriptor)
        };
        let code = found.class.code(found.method());
        let calls = code.iter().flat_map(|code| &code.instructions).filter(|instruction| is_called(&instruction.op));
        calls.map(|instruction| instruction.bci).collect()
    }

    /// The queries of collaborators for whose result the method asks by `orElseThrow`, where the method or a
    /// lambda of its class makes the exception; in the order of the code.
    pub fn demanded_queries(&self, method: &MethodRef, exception: &ClassName) -> Vec<MethodRef> {
        let Some(found) = self.resolve(method) else { return Vec::new() };
        let is_made_by =
            |lambda: &MethodModel| lambda.name().contains("lambda$") && self.makes_object(&lambda.reference, exception);
        let is_made = exception.internal() == "java/util/NoSuchElementException" || found.class.methods.iter().any(is_made_by);
        if is_made { demanded_queries(&found.class, found.method()) } else { Vec::new() }
    }

    /// Whether the class is an interface whose methods return nothing.
    pub(crate) fn returns_nothing(&self, class: &ClassName) -> bool {
        self.class(class).is_some_and(|model| {
            model.is_interface()
                && model.interfaces.is_empty()
                && model.methods.iter().all(|method| method.is_static() || method.reference.return_type() == JavaType::Void)
        })
    }

    /// The parameterisation of the supertype `ancestor`: `Collection<String>` for a class that
    /// extends `ArrayList<String>`. Without arguments when the type is raw; `None` when it is no
    /// subtype.
    pub fn as_super(&self, ty: &GenericType, ancestor: &ClassName) -> Option<GenericType> {
        let GenericType::Class { name, arguments, .. } = ty else {
            return (ancestor.internal() == "java/lang/Object").then(GenericType::object);
        };
        if name == ancestor {
            return Some(ty.clone());
        }
        let class = self.class(name)?;
        let raw = arguments.is_empty() && !class.signature.parameters.is_empty();
        let substitution = Substitution::of(&class.signature.parameters, arguments);
        let parents = class.signature.superclass.iter().chain(&class.signature.interfaces);
        for parent in parents {
            let parent_name = parent.class_name()?;
            if parent_name != ancestor && !self.is_subclass(parent_name, ancestor) {
                continue;
            }
            let parent = if raw { GenericType::class(parent_name.clone()) } else { parent.substitute(&substitution) };
            if let Some(found) = self.as_super(&parent, ancestor) {
                return Some(found);
            }
        }
        (ancestor.internal() == "java/lang/Object").then(GenericType::object)
    }

    /// The types of the parameters and of the result of the method for a receiver of the type. They
    /// have no type variables: those of the declaring class stand for the type's arguments, those
    /// of the method for their bounds. `None` when the type has no such method.
    pub(crate) fn bound_types(&self, on: &GenericType, method: &MethodRef) -> Option<(Vec<GenericType>, GenericType)> {
        let found = self.resolve(method)?;
        let instance = self.as_super(on, &found.class.name)?;
        let of_class = &found.class.signature.parameters;
        let bound = Substitution::of(of_class, instance.arguments());
        let signature = &found.method().signature;
        let mut scope: Vec<TypeParameter> = signature.parameters.iter().chain(of_class).cloned().collect();
        for parameter in &mut scope {
            parameter.bounds = parameter.bounds.iter().map(|of| of.substitute(&bound)).collect();
        }
        let bind = |ty: &GenericType| ty.substitute(&bound).resolve(&scope);
        Some((signature.arguments.iter().map(bind).collect(), bind(&signature.returns)))
    }

    /// The abstract methods that an implementation of the type must provide, in order of
    /// declaration, nearest type first. Methods of an interface that `Object` implements are left
    /// out (JLS §9.8).
    pub fn abstract_methods(&self, name: &ClassName) -> Vec<ResolvedMethod> {
        let Some(class) = self.class(name) else { return Vec::new() };
        let mut types: Vec<ClassName> = self.superclass_chain(name).iter().map(|class| class.name.clone()).collect();
        types.extend(self.all_interfaces(name));
        let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
        let mut found = Vec::new();
        for ty in types {
            let Some(model) = self.class(&ty) else { continue };
            for method in &model.methods {
                if !method.access.is_abstract()
                    || !seen.insert((method.name().to_string(), method.reference.descriptor.to_string()))
                {
                    continue;
                }
                let resolved = ResolvedMethod { class: model.clone(), index: method.index };
                let provided =
                    self.select_method(&class.name, &resolved).is_some_and(|selected| !selected.method().access.is_abstract());
                let of_object = model.is_interface()
                    && self
                        .class(&ClassName::new("java/lang/Object"))
                        .and_then(|object| object.method(method.name(), &method.reference.descriptor).map(|m| m.access))
                        .is_some_and(|access| access.is_public());
                if !provided && !of_object {
                    found.push(resolved);
                }
            }
        }
        found
    }

    /// The single abstract method of a functional interface (JLS §9.8).
    pub fn functional_method(&self, name: &ClassName) -> Option<ResolvedMethod> {
        if !self.class(name)?.is_interface() {
            return None;
        }
        let mut methods = self.abstract_methods(name);
        // A subinterface that overrides a method with another erasure has both. Same name and
        // parameter count means the same method here.
        methods.dedup_by(|second, first| {
            second.method().name() == first.method().name()
                && second.method().parameters.len() == first.method().parameters.len()
                && self.is_subclass(&first.class.name, &second.class.name)
        });
        match methods.len() {
            1 => methods.pop(),
            _ => None,
        }
    }
}

fn position(class: &ClassModel, name: &str, descriptor: &str) -> Option<usize> {
    class.methods.iter().position(|method| method.name() == name && &*method.reference.descriptor == descriptor)
}

/// A signature polymorphic method (JVMS §2.9.3), such as `MethodHandle.invoke`, which accepts every
/// descriptor.
fn signature_polymorphic(class: &ClassModel, name: &str) -> Option<usize> {
    if !matches!(class.name.internal(), "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle") {
        return None;
    }
    class.methods.iter().position(|method| {
        method.name() == name
            && method.access.is_native()
            && method.access.is_varargs()
            && method.reference.descriptor.starts_with("([Ljava/lang/Object;)")
    })
}

fn field_in(class: &Arc<ClassModel>, name: &str, descriptor: &str) -> Option<ResolvedField> {
    let index =
        class.fields.iter().position(|field| &*field.reference.name == name && &*field.reference.descriptor == descriptor)?;
    Some(ResolvedField { class: class.clone(), index })
}
