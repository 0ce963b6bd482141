//! Classes as the interpreter wants them: types, fields, methods and call sites by small numbers, each resolved once. Knows no run.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use tracewright_classfile as cf;
use tracewright_classfile::{ArrayKind, BinaryOp, Comparison, Condition, Constant, Conversion, Kind, StackOp};
use tracewright_trace::{TraceSiteKind, TraceSites, trace_sites};

use crate::program::{ClassModel, ClassName, FieldRef, JavaType, MethodRef, Program, ResolvedMethod};
use crate::symbolic::dynamic::{CallSite, Handle};
use crate::symbolic::models::{LibraryModel, model_of};
use crate::symbolic::natives::{Native, is_closed, native_of};
use crate::symbolic::reason::UnsupportedReason;
use crate::symbolic::shared_heap::SharedHeap;

/// No probe at this instruction.
pub(crate) const NO_SITE: u32 = u32::MAX;

/// Literals of the program that are remembered, and their characters.
const MOST_LITERALS: usize = 1_000;
const LONGEST_LITERAL: usize = 64;

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}

index! {
    /// An erased type.
    TypeIx,
    /// A field in the class that declares it.
    FieldIx,
    /// A method in the class that declares it.
    MethodIx,
    /// A call instruction's reference in one class.
    InvokeIx,
    /// A method handle constant of one class.
    HandleIx,
}

/// What a variable of a type holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SlotKind {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Ref,
}

impl SlotKind {
    pub(crate) fn of(ty: &JavaType) -> SlotKind {
        match ty {
            JavaType::Boolean => SlotKind::Boolean,
            JavaType::Byte => SlotKind::Byte,
            JavaType::Char => SlotKind::Char,
            JavaType::Short => SlotKind::Short,
            JavaType::Int | JavaType::Void => SlotKind::Int,
            JavaType::Long => SlotKind::Long,
            JavaType::Float => SlotKind::Float,
            JavaType::Double => SlotKind::Double,
            JavaType::Class(_) | JavaType::Array(_) => SlotKind::Ref,
        }
    }

    pub(crate) fn is_wide(self) -> bool {
        matches!(self, SlotKind::Long | SlotKind::Double)
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            SlotKind::Long => Kind::Long,
            SlotKind::Float => Kind::Float,
            SlotKind::Double => Kind::Double,
            SlotKind::Ref => Kind::Reference,
            _ => Kind::Int,
        }
    }
}

#[derive(Debug)]
pub(crate) struct TypeInfo {
    pub(crate) ty: JavaType,
    /// Element type of an array.
    pub(crate) element: Option<TypeIx>,
    /// Loaded when first asked for.
    model: Option<Option<Arc<ClassModel>>>,
    sites: Option<Option<Rc<ClassSites>>>,
}

/// The trace sites of one class.
#[derive(Debug)]
pub(crate) struct ClassSites {
    pub(crate) sites: TraceSites,
    /// Local numbers by method.
    by_method: HashMap<usize, Vec<u32>>,
}

#[derive(Debug)]
pub(crate) struct FieldInfo {
    pub(crate) reference: FieldRef,
    pub(crate) kind: SlotKind,
    pub(crate) owner: TypeIx,
    pub(crate) is_static: bool,
    pub(crate) is_final: bool,
    pub(crate) constant: Option<FieldConstant>,
}

/// What a `ConstantValue` attribute says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldConstant {
    Bits(u64),
    Str(Rc<[u16]>),
}

#[derive(Debug)]
pub(crate) struct MethodInfo {
    pub(crate) reference: MethodRef,
    pub(crate) ty: TypeIx,
    pub(crate) index: usize,
    pub(crate) is_static: bool,
    pub(crate) is_init: bool,
    pub(crate) is_clinit: bool,
    pub(crate) has_code: bool,
    /// Without the receiver.
    pub(crate) parameters: Rc<[SlotKind]>,
    /// The model of the method itself, whatever a reference calls it.
    pub(crate) model: Option<LibraryModel>,
    pub(crate) native: Option<Native>,
    /// Its code shall not be interpreted: it works on what the replay keeps in another form.
    pub(crate) is_closed: bool,
    code: Option<Result<Rc<Code>, UnsupportedReason>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvokeKind {
    Virtual,
    Special,
    Static,
    Dynamic,
}

#[derive(Debug)]
pub(crate) struct InvokeInfo {
    pub(crate) kind: InvokeKind,
    pub(crate) reference: MethodRef,
    /// With the receiver.
    pub(crate) parameters: Rc<[SlotKind]>,
    pub(crate) returns: Option<SlotKind>,
    resolved: Option<ResolvedMethod>,
    /// The method that the reference resolves to.
    pub(crate) declared: Option<MethodIx>,
    /// What `invokespecial` and `invokestatic` run.
    pub(crate) direct: Option<MethodIx>,
    selected: HashMap<TypeIx, Option<MethodIx>>,
    pub(crate) model: Option<LibraryModel>,
    /// Class that an `invokestatic` initialises.
    pub(crate) owner: Option<TypeIx>,
    /// Of an `invokedynamic`.
    pub(crate) site: Option<Rc<CallSite>>,
}

/// A method body with references resolved and targets as positions.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Instr>,
    pub(crate) bcis: Vec<u32>,
    pub(crate) max_locals: usize,
    pub(crate) handlers: Vec<HandlerInfo>,
    pub(crate) switches: Vec<SwitchInfo>,
    pub(crate) strings: Vec<Rc<[u16]>>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Instr {
    pub(crate) op: Op,
    /// Local number of the probe here.
    pub(crate) site: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct HandlerInfo {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) handler: usize,
    pub(crate) catches: Option<TypeIx>,
    pub(crate) site: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct SwitchInfo {
    /// Distinct keys in class-file order and their targets.
    pub(crate) cases: Vec<(i32, usize)>,
    pub(crate) default: usize,
    /// `Some((low, high))` when the keys are a range.
    pub(crate) range: Option<(i32, i32)>,
}

impl SwitchInfo {
    /// Position among the cases; their number for the default.
    pub(crate) fn outcome(&self, key: i32) -> usize {
        match self.range {
            Some((low, high)) if (low..=high).contains(&key) => (i64::from(key) - i64::from(low)) as usize,
            Some(_) => self.cases.len(),
            None => self.cases.binary_search_by_key(&key, |case| case.0).unwrap_or(self.cases.len()),
        }
    }
}

/// An instruction ready to run. Targets are positions in [`Code::ops`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Nop,
    /// One-slot constant: int, float bits, null.
    Const(u32),
    /// Two-slot constant.
    WideConst(u64),
    Str(u32),
    ClassConst(TypeIx),
    /// A method type, or a handle that is not understood: an object nothing is known of.
    UnknownRef,
    /// A method handle.
    Handle(HandleIx),
    /// What a bootstrap method made, in this static field or in a place of its own; the recorded method that made it.
    Dynamic(FieldIx, Option<MethodIx>),
    Load(u16),
    Load2(u16),
    /// The same of a parameter that is asked for when it is used first (`entry`).
    LoadInput(u16),
    StoreInput(u16),
    Store(u16),
    Store2(u16),
    ArrayLoad(ArrayKind),
    ArrayStore(ArrayKind),
    Stack(StackOp),
    Binary(BinaryOp, Kind),
    Neg(Kind),
    Iinc(u16, i16),
    Convert(Conversion),
    Compare(Comparison),
    If(Condition, u32),
    IfIcmp(Condition, u32),
    IfAcmp(Condition, u32),
    IfNull(Condition, u32),
    Goto(u32),
    Switch(u32),
    Return(Option<Kind>),
    GetStatic(FieldIx),
    PutStatic(FieldIx),
    GetField(FieldIx),
    PutField(FieldIx),
    Invoke(InvokeIx),
    New(TypeIx),
    NewArray(TypeIx),
    MultiNewArray(TypeIx, u8),
    ArrayLength,
    Throw,
    CheckCast(TypeIx),
    InstanceOf(TypeIx),
    Monitor,
    Unsupported(&'static UnsupportedReason),
}

#[derive(Debug)]
pub(crate) struct LinkedProgram<'p> {
    pub(crate) program: &'p Program,
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
    /// String literals of recorded methods that were entered, and these methods.
    pub(crate) literals: BTreeSet<Rc<[u16]>>,
    read: HashSet<MethodIx>,
}

impl<'p> LinkedProgram<'p> {
    pub(crate) fn new(program: &'p Program) -> LinkedProgram<'p> {
        LinkedProgram {
            program,
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
        }
    }

    /// Notes the literals of a method.
    pub(crate) fn read_literals(&mut self, method: MethodIx, code: &Code) {
        if !code.strings.is_empty() && self.literals.len() < MOST_LITERALS && self.read.insert(method) {
            let short = code.strings.iter().filter(|units| units.len() <= LONGEST_LITERAL);
            self.literals.extend(short.cloned());
        }
    }

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

    pub(crate) fn class_ix(&mut self, internal: &str) -> TypeIx {
        self.type_ix(&JavaType::class(internal))
    }

    /// A class by what a `Class` constant or a recording calls it: an internal name, or an array's descriptor.
    pub(crate) fn named(&mut self, name: &str) -> TypeIx {
        match name.starts_with('[').then(|| JavaType::parse(name)).flatten() {
            Some(array) => self.type_ix(&array),
            None => self.class_ix(name),
        }
    }

    pub(crate) fn ty(&self, ix: TypeIx) -> &JavaType {
        &self.types[ix.index()].ty
    }

    pub(crate) fn element(&self, ix: TypeIx) -> Option<TypeIx> {
        self.types[ix.index()].element
    }

    /// The type's name as a `ClassName`, arrays by their descriptor.
    pub(crate) fn class_name(&self, ix: TypeIx) -> ClassName {
        match self.ty(ix) {
            JavaType::Class(name) => name.clone(),
            other => ClassName::new(&other.descriptor()),
        }
    }

    pub(crate) fn model(&mut self, ix: TypeIx) -> Option<Arc<ClassModel>> {
        let program = self.program;
        let info = &mut self.types[ix.index()];
        let JavaType::Class(name) = &info.ty else { return None };
        info.model.get_or_insert_with(|| program.class(name)).clone()
    }

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

    /// Whether the hierarchy of the type is known: not of hidden classes and of those made at run time.
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

    /// The method whose entry has this local number.
    pub(crate) fn entry_at(&mut self, ix: TypeIx, local: u32) -> Option<MethodIx> {
        let sites = self.sites(ix)?;
        let site = sites.sites.sites.get(local as usize)?;
        (site.kind == TraceSiteKind::Entry).then_some(())?;
        self.method_ix(ix, site.method)
    }

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

    pub(crate) fn method(&self, ix: MethodIx) -> &MethodInfo {
        &self.methods[ix.index()]
    }

    pub(crate) fn field(&self, ix: FieldIx) -> &FieldInfo {
        &self.fields[ix.index()]
    }

    /// The field with this number, if there is one.
    pub(crate) fn field_at_offset(&self, number: u64) -> Option<FieldIx> {
        let field = FieldIx(u32::try_from(number).ok()?);
        self.fields.get(field.index()).filter(|info| !info.is_static).map(|_| field)
    }

    pub(crate) fn invoke(&self, ix: InvokeIx) -> &InvokeInfo {
        &self.invokes[ix.index()]
    }

    pub(crate) fn handle_of(&self, ix: HandleIx) -> &Rc<Handle> {
        &self.handles[ix.index()]
    }

    /// The field that a reference resolves to; an unresolved one stands for itself.
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

    /// The instance fields that objects of the class have, by class from the class itself up.
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

    /// The class initialiser, if there is one.
    pub(crate) fn initialiser(&mut self, ty: TypeIx) -> Option<MethodIx> {
        let index = self.model(ty)?.method("<clinit>", "()V")?.index;
        self.method_ix(ty, index)
    }

    /// What a virtual call runs on a receiver of the type; `None`: not known, or nothing.
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

    /// A call that a test case makes: resolved like an instruction of no class.
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

    fn lower(&mut self, ix: MethodIx) -> Result<Code, UnsupportedReason> {
        let (ty, index) = (self.method(ix).ty, self.method(ix).index);
        let model = self.model(ty).ok_or(UnsupportedReason::MissingClass)?;
        let method = model.methods.get(index).ok_or(UnsupportedReason::MissingMethod)?;
        let code = model.code(method).ok_or(UnsupportedReason::UnreadableCode)?;
        let sites = self.sites(ty).ok_or(UnsupportedReason::UnnumberedSites)?;
        let mut probe_at: HashMap<u32, u32> = HashMap::new();
        let mut caught_at: HashMap<u32, u32> = HashMap::new();
        for &local in sites.by_method.get(&index).map_or(&[][..], |locals| locals) {
            let site = sites.sites.sites[local as usize];
            match site.kind {
                TraceSiteKind::Entry => {}
                TraceSiteKind::Caught => {
                    caught_at.insert(site.bci, local);
                }
                _ => {
                    probe_at.insert(site.bci, local);
                }
            }
        }
        let position = |bci: u32| code.index_of(bci).ok_or(UnsupportedReason::MissingInstruction(bci));
        let mut switches = Vec::new();
        let mut strings = Vec::new();
        let mut ops = Vec::with_capacity(code.instructions.len());
        let max_locals = usize::from(code.max_locals);
        for instruction in &code.instructions {
            let target = |bci: u32| position(bci).map(|position| position as u32);
            let op = match &instruction.op {
                cf::Op::Nop => Op::Nop,
                cf::Op::NullConst => Op::Const(0),
                cf::Op::IntConst(value) => Op::Const(*value as u32),
                cf::Op::LongConst(value) => Op::WideConst(*value as u64),
                cf::Op::FloatConst(value) => Op::Const(value.to_bits()),
                cf::Op::DoubleConst(value) => Op::WideConst(value.to_bits()),
                cf::Op::Ldc(constant) => self.constant(ty, &model, *constant, &mut strings)?,
                cf::Op::Load(kind, local) if kind.slots() == 2 => Op::Load2(*local),
                cf::Op::Load(_, local) => Op::Load(*local),
                cf::Op::Store(kind, local) if kind.slots() == 2 => Op::Store2(*local),
                cf::Op::Store(_, local) => Op::Store(*local),
                cf::Op::ArrayLoad(kind) => Op::ArrayLoad(*kind),
                cf::Op::ArrayStore(kind) => Op::ArrayStore(*kind),
                cf::Op::Stack(op) => Op::Stack(*op),
                cf::Op::Binary(op, kind) => Op::Binary(*op, *kind),
                cf::Op::Neg(kind) => Op::Neg(*kind),
                cf::Op::Iinc { local, delta } => Op::Iinc(*local, *delta),
                cf::Op::Convert(conversion) => Op::Convert(*conversion),
                cf::Op::Compare(comparison) => Op::Compare(*comparison),
                cf::Op::If(condition, bci) => Op::If(*condition, target(*bci)?),
                cf::Op::IfIcmp(condition, bci) => Op::IfIcmp(*condition, target(*bci)?),
                cf::Op::IfAcmp(condition, bci) => Op::IfAcmp(*condition, target(*bci)?),
                cf::Op::IfNull(condition, bci) => Op::IfNull(*condition, target(*bci)?),
                cf::Op::Goto(bci) => Op::Goto(target(*bci)?),
                cf::Op::Jsr(_) | cf::Op::Ret(_) => Op::Unsupported(&UnsupportedReason::Subroutine),
                cf::Op::TableSwitch(switch) => {
                    let keys = switch.low..=switch.high;
                    let cases: Result<Vec<_>, UnsupportedReason> =
                        keys.zip(&switch.targets).map(|(key, &bci)| Ok((key, position(bci)?))).collect();
                    let range = Some((switch.low, switch.high));
                    switches.push(SwitchInfo { cases: cases?, default: position(switch.default)?, range });
                    Op::Switch(switches.len() as u32 - 1)
                }
                cf::Op::LookupSwitch(switch) => {
                    let cases: Result<Vec<_>, UnsupportedReason> =
                        switch.pairs.iter().map(|&(key, bci)| Ok((key, position(bci)?))).collect();
                    switches.push(SwitchInfo { cases: cases?, default: position(switch.default)?, range: None });
                    Op::Switch(switches.len() as u32 - 1)
                }
                cf::Op::Return(kind) => Op::Return(*kind),
                cf::Op::GetStatic(field) => Op::GetStatic(self.field_at(ty, &model, *field)?),
                cf::Op::PutStatic(field) => Op::PutStatic(self.field_at(ty, &model, *field)?),
                cf::Op::GetField(field) => Op::GetField(self.field_at(ty, &model, *field)?),
                cf::Op::PutField(field) => Op::PutField(self.field_at(ty, &model, *field)?),
                cf::Op::InvokeVirtual(method) | cf::Op::InvokeInterface { method, .. } => {
                    Op::Invoke(self.invoke_at(ty, &model, *method, InvokeKind::Virtual)?)
                }
                cf::Op::InvokeSpecial(method) => Op::Invoke(self.invoke_at(ty, &model, *method, InvokeKind::Special)?),
                cf::Op::InvokeStatic(method) => Op::Invoke(self.invoke_at(ty, &model, *method, InvokeKind::Static)?),
                cf::Op::InvokeDynamic(call) => Op::Invoke(self.invoke_at(ty, &model, *call, InvokeKind::Dynamic)?),
                cf::Op::New(class) => Op::New(self.class_at(&model, *class)?),
                cf::Op::NewArray(element) => {
                    let element = JavaType::parse(&element.letter().to_string()).ok_or(UnsupportedReason::UnknownElementType)?;
                    Op::NewArray(self.type_ix(&JavaType::Array(Box::new(element))))
                }
                cf::Op::ANewArray(class) => {
                    let element = self.class_at(&model, *class)?;
                    let array = JavaType::Array(Box::new(self.ty(element).clone()));
                    Op::NewArray(self.type_ix(&array))
                }
                cf::Op::MultiANewArray { class, dimensions } => Op::MultiNewArray(self.class_at(&model, *class)?, *dimensions),
                cf::Op::ArrayLength => Op::ArrayLength,
                cf::Op::Athrow => Op::Throw,
                cf::Op::CheckCast(class) => Op::CheckCast(self.class_at(&model, *class)?),
                cf::Op::InstanceOf(class) => Op::InstanceOf(self.class_at(&model, *class)?),
                cf::Op::MonitorEnter | cf::Op::MonitorExit => Op::Monitor,
            };
            // The interpreter indexes locals without asking again.
            let (local, slots) = match op {
                Op::Load(local) | Op::Store(local) | Op::Iinc(local, _) => (local, 1),
                Op::Load2(local) | Op::Store2(local) => (local, 2),
                _ => (0, 0),
            };
            if usize::from(local) + slots > max_locals {
                return Err(UnsupportedReason::LocalOutOfBounds);
            }
            ops.push(Instr { op, site: probe_at.get(&instruction.bci).copied().unwrap_or(NO_SITE) });
        }
        let mut handlers = Vec::new();
        for handler in &code.handlers {
            let end = code.index_of(handler.end).unwrap_or(code.instructions.len());
            handlers.push(HandlerInfo {
                start: position(handler.start)?,
                end,
                handler: position(handler.handler)?,
                catches: handler.catch_type.as_deref().map(|name| self.named(name)),
                site: caught_at.get(&handler.handler).copied().unwrap_or(NO_SITE),
            });
        }
        let info = self.method(ix);
        let arguments: usize = info.parameters.iter().map(|kind| 1 + usize::from(kind.is_wide())).sum();
        if arguments + usize::from(!info.is_static) > max_locals {
            return Err(UnsupportedReason::ArgumentsOutOfBounds);
        }
        let bcis = code.instructions.iter().map(|instruction| instruction.bci).collect();
        Ok(Code { ops, bcis, max_locals, handlers, switches, strings })
    }

    fn constant(
        &mut self,
        class: TypeIx,
        model: &ClassModel,
        index: u16,
        strings: &mut Vec<Rc<[u16]>>,
    ) -> Result<Op, UnsupportedReason> {
        Ok(match model.file.constant_pool().get(index).map_err(|error| UnsupportedReason::MalformedClass(error.to_string()))? {
            Constant::Integer(value) => Op::Const(value as u32),
            Constant::Float(value) => Op::Const(value.to_bits()),
            Constant::Long(value) => Op::WideConst(value as u64),
            Constant::Double(value) => Op::WideConst(value.to_bits()),
            Constant::String(units) => {
                strings.push(units.into());
                Op::Str(strings.len() as u32 - 1)
            }
            Constant::Class(name) => Op::ClassConst(self.named(name)),
            Constant::MethodHandle(handle) => match self.handle(class, model, &handle) {
                Some(handle) => {
                    self.handles.push(Rc::new(handle));
                    Op::Handle(HandleIx(self.handles.len() as u32 - 1))
                }
                None => Op::UnknownRef,
            },
            Constant::MethodType(_) => Op::UnknownRef,
            Constant::Dynamic(dynamic) => self.dynamic_constant(class, model, index, &dynamic),
            _ => Op::Unsupported(&UnsupportedReason::UnloadableConstant),
        })
    }

    fn class_at(&mut self, model: &ClassModel, index: u16) -> Result<TypeIx, UnsupportedReason> {
        let name =
            model.file.constant_pool().class_name(index).map_err(|error| UnsupportedReason::MalformedClass(error.to_string()))?;
        Ok(self.named(name))
    }

    fn field_at(&mut self, class: TypeIx, model: &ClassModel, index: u16) -> Result<FieldIx, UnsupportedReason> {
        if let Some(&ix) = self.field_refs.get(&(class, index)) {
            return Ok(ix);
        }
        let member =
            model.file.constant_pool().member(index).map_err(|error| UnsupportedReason::MalformedClass(error.to_string()))?;
        let ix = self.field_ix(&FieldRef::new(ClassName::new(member.owner), member.name, member.descriptor));
        self.field_refs.insert((class, index), ix);
        Ok(ix)
    }

    fn invoke_at(
        &mut self,
        class: TypeIx,
        model: &ClassModel,
        index: u16,
        kind: InvokeKind,
    ) -> Result<InvokeIx, UnsupportedReason> {
        let key = (class, index, kind as u8);
        if let Some(&ix) = self.invoke_refs.get(&key) {
            return Ok(ix);
        }
        let pool = model.file.constant_pool();
        let mut site = None;
        let reference = if kind == InvokeKind::Dynamic {
            let dynamic = pool.dynamic(index).map_err(|error| UnsupportedReason::MalformedClass(error.to_string()))?;
            site = Some(Rc::new(self.call_site(class, model, &dynamic)));
            MethodRef::new(ClassName::new("invokedynamic"), dynamic.name, dynamic.descriptor)
        } else {
            let member = pool.member(index).map_err(|error| UnsupportedReason::MalformedClass(error.to_string()))?;
            MethodRef::new(ClassName::new(member.owner), member.name, member.descriptor)
        };
        let ix = self.new_invoke(class, model, reference, kind, site)?;
        self.invoke_refs.insert(key, ix);
        Ok(ix)
    }

    /// A call of this reference from code of the class.
    pub(crate) fn new_invoke(
        &mut self,
        class: TypeIx,
        model: &ClassModel,
        reference: MethodRef,
        kind: InvokeKind,
        site: Option<Rc<CallSite>>,
    ) -> Result<InvokeIx, UnsupportedReason> {
        let (declared, returned) = JavaType::parse_method(&reference.descriptor).ok_or(UnsupportedReason::MalformedDescriptor)?;
        let mut parameters: Vec<SlotKind> = declared.iter().map(SlotKind::of).collect();
        if matches!(kind, InvokeKind::Virtual | InvokeKind::Special) {
            parameters.insert(0, SlotKind::Ref);
        }
        let resolved = match kind {
            InvokeKind::Dynamic => None,
            InvokeKind::Special => self.special(class, model, &reference),
            _ => {
                // Arrays have the methods of `Object`.
                let owner = if reference.owner.internal().starts_with('[') {
                    ClassName::new("java/lang/Object")
                } else {
                    reference.owner.clone()
                };
                self.program.resolve_method(&owner, &reference.name, &reference.descriptor)
            }
        };
        let declared = resolved.as_ref().and_then(|resolved| self.method_of(resolved));
        let direct = declared.filter(|_| matches!(kind, InvokeKind::Special | InvokeKind::Static));
        let owner = (kind == InvokeKind::Static).then(|| self.named(reference.owner.internal()));
        let returns = (returned != JavaType::Void).then(|| SlotKind::of(&returned));
        let model = model_of(kind == InvokeKind::Static, &reference);
        let ix = InvokeIx(self.invokes.len() as u32);
        self.invokes.push(InvokeInfo {
            kind,
            parameters: parameters.into(),
            returns,
            resolved,
            declared,
            direct,
            selected: HashMap::new(),
            model,
            owner,
            site,
            reference,
        });
        Ok(ix)
    }

    /// JVMS §6.5 invokespecial: a method of a superclass is looked up from the direct superclass of the class that calls.
    fn special(&mut self, class: TypeIx, model: &ClassModel, reference: &MethodRef) -> Option<ResolvedMethod> {
        let resolved = self.program.resolve_method(&reference.owner, &reference.name, &reference.descriptor)?;
        let owner = self.type_ix(&JavaType::Class(reference.owner.clone()));
        let owner_is_interface = self.model(owner).is_some_and(|owner| owner.is_interface());
        if &*reference.name == "<init>" || owner == class || owner_is_interface || !self.is_subtype(class, owner) {
            return Some(resolved);
        }
        let superclass = model.superclass.clone()?;
        self.program.resolve_method(&superclass, &reference.name, &reference.descriptor)
    }
}
