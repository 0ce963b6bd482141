//! Lowering of class files to [`Code`]: one instruction of the class file becomes one [`Op`], with
//! references resolved (JVMS §5.4.3) and jump targets as positions. In: a method's `Code` attribute
//! and its trace sites; out: the body. Must not know a run.

use std::collections::HashMap;
use std::rc::Rc;

use tracewright_classfile as cf;
use tracewright_classfile::Constant;
use tracewright_trace::TraceSiteKind;

use super::super::data::call_sites::CallSite;
use super::super::data::code::{Code, HandlerInfo, Instr, NO_SITE, Op, SwitchInfo};
use super::super::data::ids::{FieldIx, HandleIx, InvokeIx, MethodIx, SlotKind, TypeIx};
use super::super::linked::{InvokeInfo, InvokeKind};
use super::super::models::methods::model_of;
use super::super::reason::UnsupportedReason;
use super::LinkedProgram;
use crate::program::{ClassModel, ClassName, FieldRef, JavaType, MethodRef, ResolvedMethod};

impl LinkedProgram<'_> {
    /// Lowers a method body. The error tells why the code cannot be run.
    pub(super) fn lower(&mut self, ix: MethodIx) -> Result<Code, UnsupportedReason> {
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
                    let element =
                        JavaType::parse(&element.descriptor().to_string()).ok_or(UnsupportedReason::UnknownElementType)?;
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
            // The interpreter uses local variables without bounds checks of its own.
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

    /// Adds a call of the reference from code of the class.
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

    /// Resolves `invokespecial`: a superclass's method is searched from the direct superclass of
    /// the calling class (JVMS §6.5 invokespecial).
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
