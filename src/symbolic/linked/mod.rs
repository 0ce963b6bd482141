//! The program in linked form: types, fields, methods and call sites have numbers, and each is
//! resolved once (JVMS §5.4.3). In: class files; out: tables. Must not know runs.

mod bootstrap;
mod lower;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use tracewright_classfile::{Constant, PrimitiveType};
use tracewright_trace::{TraceSiteKind, TraceSites, trace_sites};

use super::data::call_sites::{CallSite, Handle, HandleTarget};
use super::data::code::Code;
use super::data::ids::{FieldIx, HandleIx, InvokeIx, MethodIx, SlotKind, TypeIx};
use super::data::natives::{Native, is_closed, native_of};
use super::data::values::ObjectId;
use super::models::methods::{LibraryModel, model_of};
use super::reason::UnsupportedReason;
use super::state::shared_heap::SharedHeap;
use crate::program::{ClassModel, ClassName, FieldRef, JavaType, MethodRef, Program, ResolvedMethod};

/// String literals that are kept, at most; and their length in UTF-16 units, at most.
const MOST_LITERALS: usize = 1_000;
const LONGEST_LITERAL: usize = 64;

/// A type and what was loaded for it.
#[derive(Debug)]
pub(crate) struct TypeInfo {
    pub(crate) ty: JavaType,
    /// Component type of an array type.
    pub(crate) element: Option<TypeIx>,
    /// Loaded at the first use.
    model: Option<Option<Arc<ClassModel>>>,
    sites: Option<Option<Rc<ClassSites>>>,
}

/// The trace sites of one class.
#[derive(Debug)]
pub(crate) struct ClassSites {
    pub(crate) sites: TraceSites,
    /// Site numbers in the class, by method.
    by_method: HashMap<usize, Vec<u32>>,
}

/// A resolved field.
#[derive(Debug)]
pub(crate) struct FieldInfo {
    pub(crate) reference: FieldRef,
    pub(crate) kind: SlotKind,
    pub(crate) owner: TypeIx,
    pub(crate) is_static: bool,
    pub(crate) is_final: bool,
    pub(crate) constant: Option<FieldConstant>,
}

/// The value of a `ConstantValue` attribute (JVMS §4.7.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldConstant {
    Bits(u64),
    Str(Rc<[u16]>),
}

/// A declared method.
#[derive(Debug)]
pub(crate) struct MethodInfo {
    pub(crate) reference: MethodRef,
    pub(crate) ty: TypeIx,
    pub(crate) index: usize,
    pub(crate) is_static: bool,
    pub(crate) is_init: bool,
    pub(crate) is_clinit: bool,
    pub(crate) has_code: bool,
    /// Kinds of the parameters, without the receiver.
    pub(crate) parameters: Rc<[SlotKind]>,
    /// The model of the method itself, whatever a reference calls it.
    pub(crate) model: Option<LibraryModel>,
    pub(crate) native: Option<Native>,
    /// Whether its code must not be interpreted: the replay represents its objects otherwise.
    pub(crate) is_closed: bool,
    code: Option<Result<Rc<Code>, UnsupportedReason>>,
}

/// The family of an invoke instruction; `Virtual` includes `invokeinterface`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvokeKind {
    Virtual,
    Special,
    Static,
    Dynamic,
}

/// A call instruction's reference, resolved once.
#[derive(Debug)]
pub(crate) struct InvokeInfo {
    pub(crate) kind: InvokeKind,
    pub(crate) reference: MethodRef,
    /// Kinds of the parameters, with the receiver.
    pub(crate) parameters: Rc<[SlotKind]>,
    pub(crate) returns: Option<SlotKind>,
    resolved: Option<ResolvedMethod>,
    /// The resolved method.
    pub(crate) declared: Option<MethodIx>,
    /// The method that `invokespecial` or `invokestatic` runs.
    pub(crate) direct: Option<MethodIx>,
    selected: HashMap<TypeIx, Option<MethodIx>>,
    pub(crate) model: Option<LibraryModel>,
    /// The class that an `invokestatic` initialises.
    pub(crate) owner: Option<TypeIx>,
    /// The call site of an `invokedynamic`.
    pub(crate) site: Option<Rc<CallSite>>,
}

/// The tables of a program, which grow while code is linked.
#[derive(Debug)]
pub(crate) struct LinkedProgram<'p> {
    pub(crate) program: &'p Program,
    string: TypeIx,
    types: Vec<TypeInfo>,
    by_type: HashMap<JavaType, TypeIx>,
    subtypes: HashMap<(TypeIx, TypeIx), bool>,
    fields: Vec<FieldInfo>,
    by_field: HashMap<FieldRef, FieldIx>,
    field_refs: HashMap<(TypeIx, u16), FieldIx>,
    methods: Vec<MethodInfo>,
    by_method: HashMap<(TypeIx, usize), MethodIx>,
    invokes: Vec<InvokeInfo>,
    invoke_refs: HashMap<(TypeIx, u16, u8), InvokeIx>,
    instance_fields: HashMap<TypeIx, Rc<[FieldIx]>>,
    pub(crate) shared_heap: SharedHeap,
    handles: Vec<Rc<Handle>>,
    /// String literals of the recorded methods that runs have entered.
    pub(crate) literals: BTreeSet<Rc<[u16]>>,
    read: HashSet<MethodIx>,
}

impl<'p> LinkedProgram<'p> {
    /// Empty tables for a program.
    pub(crate) fn new(program: &'p Program) -> LinkedProgram<'p> {
        let mut linked = LinkedProgram {
            program,
            string: TypeIx(0),
            types: Vec::new(),
            by_type: HashMap::new(),
            subtypes: HashMap::new(),
            fields: Vec::new(),
            by_field: HashMap::new(),
            field_refs: HashMap::new(),
            methods: Vec::new(),
            by_method: HashMap::new(),
            invokes: Vec::new(),
            invoke_refs: HashMap::new(),
            instance_fields: HashMap::new(),
            shared_heap: SharedHeap::default(),
            handles: Vec::new(),
            literals: BTreeSet::new(),
            read: HashSet::new(),
        };
        linked.string = linked.class_ix("java/lang/String");
        linked
    }

    /// Keeps the string literals of a method.
    pub(crate) fn read_literals(&mut self, method: MethodIx, code: &Code) {
        if !code.strings.is_empty() && self.literals.len() < MOST_LITERALS && self.read.insert(method) {
            let short = code.strings.iter().filter(|units| units.len() <= LONGEST_LITERAL);
            self.literals.extend(short.cloned());
        }
    }

    /// The number of a type.
    pub(crate) fn type_ix(&mut self, ty: &JavaType) -> TypeIx {
        if let Some(&ix) = self.by_type.get(ty) {
            return ix;
        }
        let element = match ty {
            JavaType::Array(element) => Some(self.type_ix(element)),
            _ => None,
        };
        let ix = TypeIx(self.types.len() as u32);
        self.types.push(TypeInfo { ty: ty.clone(), element, model: None, sites: None });
        self.by_type.insert(ty.clone(), ix);
        ix
    }

    /// The number of a class by its internal name.
    pub(crate) fn class_ix(&mut self, internal: &str) -> TypeIx {
        self.type_ix(&JavaType::class(internal))
    }

    /// A type by its name in a `Class` constant or a recording: an internal name or an array
    /// descriptor.
    pub(crate) fn named(&mut self, name: &str) -> TypeIx {
        match name.starts_with('[').then(|| JavaType::parse(name)).flatten() {
            Some(array) => self.type_ix(&array),
            None => self.class_ix(name),
        }
    }

    /// The type of a number.
    pub(crate) fn ty(&self, ix: TypeIx) -> &JavaType {
        &self.types[ix.index()].ty
    }

    /// `java.lang.String`.
    #[inline]
    pub(crate) fn string(&self) -> TypeIx {
        self.string
    }

    /// The name of an object's run-time class, for messages; `?` if it is unknown.
    pub(crate) fn type_name(&self, object: ObjectId, ty: Option<TypeIx>) -> String {
        if object.is_null() {
            return "null".into();
        }
        match ty.map(|ty| self.ty(ty)) {
            Some(JavaType::Class(name)) => name.internal().to_string(),
            Some(other) => other.descriptor(),
            None => "?".into(),
        }
    }

    /// The component type of an array type; `None`: the type is no array.
    pub(crate) fn element(&self, ix: TypeIx) -> Option<TypeIx> {
        self.types[ix.index()].element
    }

    /// The type's name; for arrays the descriptor.
    pub(crate) fn class_name(&self, ix: TypeIx) -> ClassName {
        match self.ty(ix) {
            JavaType::Class(name) => name.clone(),
            other => ClassName::new(&other.descriptor()),
        }
    }

    /// The class file of a class; `None`: the program does not have it.
    pub(crate) fn model(&mut self, ix: TypeIx) -> Option<Arc<ClassModel>> {
        let program = self.program;
        let info = &mut self.types[ix.index()];
        let JavaType::Class(name) = &info.ty else { return None };
        info.model.get_or_insert_with(|| program.class(name)).clone()
    }

    /// Whether `ty` is `of` or a subtype of it.
    pub(crate) fn is_subtype(&mut self, ty: TypeIx, of: TypeIx) -> bool {
        if ty == of {
            return true;
        }
        if let Some(&known) = self.subtypes.get(&(ty, of)) {
            return known;
        }
        let result = self.program.is_subtype(self.ty(ty), self.ty(of));
        self.subtypes.insert((ty, of), result);
        result
    }

    /// Whether the class file of the type is known. Those of hidden and generated classes are not.
    pub(crate) fn is_known(&mut self, ix: TypeIx) -> bool {
        match self.ty(ix).clone() {
            JavaType::Class(_) => self.model(ix).is_some(),
            JavaType::Array(_) => {
                let mut element = ix;
                while let Some(inner) = self.element(element) {
                    element = inner;
                }
                self.ty(element).is_primitive() || self.model(element).is_some()
            }
            _ => true,
        }
    }

    /// The trace sites of a class; `None`: they cannot be numbered.
    pub(crate) fn sites(&mut self, ix: TypeIx) -> Option<Rc<ClassSites>> {
        if let Some(known) = &self.types[ix.index()].sites {
            return known.clone();
        }
        let sites = self.model(ix).and_then(|model| trace_sites(&model.file).ok()).map(|sites| {
            let mut by_method: HashMap<usize, Vec<u32>> = HashMap::new();
            for (local, site) in sites.sites.iter().enumerate() {
                by_method.entry(site.method).or_default().push(local as u32);
            }
            Rc::new(ClassSites { sites, by_method })
        });
        self.types[ix.index()].sites = Some(sites.clone());
        sites
    }

    /// The method of an entry site; `local`: the site's number in its class.
    pub(crate) fn entry_at(&mut self, ix: TypeIx, local: u32) -> Option<MethodIx> {
        let sites = self.sites(ix)?;
        let site = sites.sites.sites.get(local as usize)?;
        (site.kind == TraceSiteKind::Entry).then_some(())?;
        self.method_ix(ix, site.method)
    }

    /// The number of a method by its position in the class file.
    pub(crate) fn method_ix(&mut self, ix: TypeIx, index: usize) -> Option<MethodIx> {
        if let Some(&method) = self.by_method.get(&(ix, index)) {
            return Some(method);
        }
        let model = self.model(ix)?;
        let method = model.methods.get(index)?;
        let reference = method.reference.clone();
        let info = MethodInfo {
            ty: ix,
            index,
            is_static: method.access.is_static(),
            is_init: &*reference.name == "<init>",
            is_clinit: &*reference.name == "<clinit>",
            has_code: model.file.method(method.index).has_code(),
            parameters: method.parameters.iter().map(SlotKind::of).collect(),
            model: model_of(method.access.is_static(), &reference),
            native: native_of(&reference),
            is_closed: is_closed(&reference),
            reference,
            code: None,
        };
        let method = MethodIx(self.methods.len() as u32);
        self.methods.push(info);
        self.by_method.insert((ix, index), method);
        Some(method)
    }

    fn method_of(&mut self, resolved: &ResolvedMethod) -> Option<MethodIx> {
        let owner = self.type_ix(&JavaType::Class(resolved.reference().owner.clone()));
        self.method_ix(owner, resolved.method().index)
    }

    /// The method of a number.
    pub(crate) fn method(&self, ix: MethodIx) -> &MethodInfo {
        &self.methods[ix.index()]
    }

    /// The field of a number.
    pub(crate) fn field(&self, ix: FieldIx) -> &FieldInfo {
        &self.fields[ix.index()]
    }

    /// The instance field with a number; `None`: there is none.
    pub(crate) fn field_at_offset(&self, number: u64) -> Option<FieldIx> {
        let field = FieldIx(u32::try_from(number).ok()?);
        self.fields.get(field.index()).filter(|info| !info.is_static).map(|_| field)
    }

    /// The call of a number.
    pub(crate) fn invoke(&self, ix: InvokeIx) -> &InvokeInfo {
        &self.invokes[ix.index()]
    }

    /// The method handle of a number.
    pub(crate) fn handle_of(&self, ix: HandleIx) -> &Rc<Handle> {
        &self.handles[ix.index()]
    }

    /// The number of the resolved field. An unresolved reference has a number of its own.
    pub(crate) fn field_ix(&mut self, reference: &FieldRef) -> FieldIx {
        if let Some(&ix) = self.by_field.get(reference) {
            return ix;
        }
        let resolved = self.program.resolve_field_ref(reference);
        let declared = resolved.as_ref().map_or_else(|| reference.clone(), |resolved| resolved.field().reference.clone());
        let ix = match self.by_field.get(&declared) {
            Some(&ix) => ix,
            None => {
                let owner = self.type_ix(&JavaType::Class(declared.owner.clone()));
                let ix = FieldIx(self.fields.len() as u32);
                let kind = SlotKind::of(&declared.field_type());
                let access = resolved.as_ref().map(|resolved| resolved.field().access);
                let info = FieldInfo {
                    kind,
                    owner,
                    is_static: access.is_some_and(|access| access.is_static()),
                    is_final: access.is_some_and(|access| access.is_final()),
                    constant: self.constant_of(owner, &declared),
                    reference: declared.clone(),
                };
                self.fields.push(info);
                self.by_field.insert(declared, ix);
                ix
            }
        };
        self.by_field.insert(reference.clone(), ix);
        ix
    }

    fn constant_of(&mut self, owner: TypeIx, field: &FieldRef) -> Option<FieldConstant> {
        let model = self.model(owner)?;
        let declared = model.file.fields().find(|declared| {
            declared.name() == &*field.name && declared.descriptor() == &*field.descriptor && declared.access().is_static()
        })?;
        Some(match declared.constant_value().ok()?? {
            Constant::Integer(value) => FieldConstant::Bits(u64::from(value as u32)),
            Constant::Float(value) => FieldConstant::Bits(u64::from(value.to_bits())),
            Constant::Long(value) => FieldConstant::Bits(value as u64),
            Constant::Double(value) => FieldConstant::Bits(value.to_bits()),
            Constant::String(units) => FieldConstant::Str(units.into()),
            _ => return None,
        })
    }

    /// The instance fields of a class and its superclasses, those of the class itself first.
    pub(crate) fn instance_fields(&mut self, ty: TypeIx) -> Rc<[FieldIx]> {
        if let Some(known) = self.instance_fields.get(&ty) {
            return known.clone();
        }
        let fields: Rc<[FieldIx]> = self.find_instance_fields(ty).into();
        self.instance_fields.insert(ty, fields.clone());
        fields
    }

    fn find_instance_fields(&mut self, ty: TypeIx) -> Vec<FieldIx> {
        let JavaType::Class(name) = self.ty(ty).clone() else { return Vec::new() };
        let chain = self.program.superclass_chain(&name);
        let fields = chain.iter().flat_map(|class| &class.fields).filter(|field| !field.access.is_static());
        fields.map(|field| self.field_ix(&field.reference)).collect()
    }

    /// The class initialiser; `None`: the class has none.
    pub(crate) fn initialiser(&mut self, ty: TypeIx) -> Option<MethodIx> {
        let index = self.model(ty)?.method("<clinit>", "()V")?.index;
        self.method_ix(ty, index)
    }

    /// The method that a virtual call selects for a receiver type (JVMS §5.4.6); `None`: unknown,
    /// or none.
    pub(crate) fn select(&mut self, invoke: InvokeIx, receiver: TypeIx) -> Option<MethodIx> {
        let info = &self.invokes[invoke.index()];
        if info.kind != InvokeKind::Virtual {
            return info.direct;
        }
        if let Some(&known) = info.selected.get(&receiver) {
            return known;
        }
        let selected = info.resolved.clone().and_then(|resolved| {
            let runtime = match self.ty(receiver) {
                JavaType::Class(name) => name.clone(),
                // Arrays have the methods of `Object`.
                _ => ClassName::new("java/lang/Object"),
            };
            self.program.select_method(&runtime, &resolved)
        });
        let selected = selected.and_then(|resolved| self.method_of(&resolved));
        self.invokes[invoke.index()].selected.insert(receiver, selected);
        selected
    }

    /// The method that a call of a test case runs; the receiver's type selects virtual methods.
    pub(crate) fn statement_target(&mut self, method: &MethodRef, receiver: Option<TypeIx>) -> Option<MethodIx> {
        let resolved = self.program.resolve(method)?;
        let resolved = match receiver {
            Some(receiver) if &*method.name != "<init>" => {
                let runtime = match self.ty(receiver) {
                    JavaType::Class(name) => name.clone(),
                    _ => ClassName::new("java/lang/Object"),
                };
                self.program.select_method(&runtime, &resolved)?
            }
            _ => resolved,
        };
        self.method_of(&resolved)
    }

    /// The body, decoded and resolved once.
    pub(crate) fn code(&mut self, ix: MethodIx) -> Result<Rc<Code>, UnsupportedReason> {
        if let Some(code) = &self.methods[ix.index()].code {
            return code.clone();
        }
        let code = self.lower(ix).map(Rc::new);
        self.methods[ix.index()].code = Some(code.clone());
        code
    }

    /// The method that a handle runs, if no receiver selects it.
    pub(crate) fn implementation(&self, handle: &Handle) -> Option<MethodIx> {
        match handle.target {
            HandleTarget::Call(invoke) | HandleTarget::New(invoke, _) => self.invoke(invoke).declared,
            HandleTarget::Get(_) => None,
        }
    }

    /// The kind of a variable of the type.
    pub(crate) fn kind_of(&self, ty: TypeIx) -> SlotKind {
        SlotKind::of(self.ty(ty))
    }

    /// The kind of value that a box of this class holds; `None`: the class is no box.
    pub(crate) fn boxed_kind(&self, ty: TypeIx) -> Option<SlotKind> {
        let JavaType::Class(name) = self.ty(ty) else { return None };
        SlotKind::of_box(name.internal())
    }

    /// The box class of a primitive kind; `java/lang/Object` for references.
    pub(crate) fn box_class(&mut self, kind: SlotKind) -> TypeIx {
        self.class_ix(kind.primitive().map_or("java/lang/Object", PrimitiveType::box_class))
    }
}
