//! Call sites and constants that a bootstrap method makes (JVMS §5.4.3.6): the JDK's own bootstrap methods are known by name, and what
//! their call sites do is computed. Flows in: class files and the arguments of a call; flows out: what lambdas, concatenations, record
//! methods and pattern switches are made of. Must not know how a recording says what a call gave.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use tracewright_classfile::{Constant, DynamicRef, MethodHandle};
use tracewright_trace::Event;

use super::lambda::LambdaSite;
use super::linked::{FieldIx, InvokeIx, InvokeKind, LinkedProgram, MethodIx, NO_SITE, Op, SlotKind, TypeIx};
use super::machine::{Completion, InterpResult, Machine};
use super::objects::{Object, ObjectBody, ObjectId, Slot};
use super::reason::UnsupportedReason;
use super::step::Flow;
use crate::program::{ClassModel, ClassName, FieldRef, JavaType, MethodRef};

/// What the call site of an `invokedynamic` does.
#[derive(Debug)]
pub(crate) enum CallSite {
    /// `LambdaMetafactory`.
    Lambda(Rc<LambdaSite>),
    /// `StringConcatFactory`: what the text is made of.
    Concat(Vec<Part>),
    /// `ObjectMethods`.
    Record(RecordSite),
    /// `SwitchBootstraps`.
    Switch(Vec<Label>),
    /// A bootstrap method nothing is known of.
    Other,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(Rc<[u16]>),
    /// The next argument, of this type.
    Argument(TypeIx),
}

#[derive(Debug)]
pub(crate) struct RecordSite {
    pub(crate) record: TypeIx,
    pub(crate) method: RecordMethod,
    /// Simple name of the record.
    pub(crate) name: Rc<[u16]>,
    pub(crate) components: Vec<Component>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordMethod {
    Equals,
    HashCode,
    ToString,
}

#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) name: Rc<[u16]>,
    pub(crate) field: FieldIx,
    pub(crate) ty: TypeIx,
}

/// A case label of a pattern switch.
#[derive(Debug)]
pub(crate) enum Label {
    Class(TypeIx),
    Text(Rc<[u16]>),
    Number(i32),
    /// A constant of an enum.
    Constant {
        class: TypeIx,
        field: FieldIx,
    },
    /// A label that is not understood: whether it fits is not known.
    Unknown,
}

/// A direct method handle (JVMS §5.4.3.5).
#[derive(Debug)]
pub(crate) struct Handle {
    pub(crate) target: HandleTarget,
    /// The receiver's first.
    pub(crate) parameters: Vec<TypeIx>,
    /// `None`: void.
    pub(crate) returns: Option<TypeIx>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum HandleTarget {
    Call(InvokeIx),
    /// Makes an object of the class and runs the constructor.
    New(InvokeIx, TypeIx),
    Get(FieldIx),
}

/// Marks of a recipe (`StringConcatFactory.makeConcatWithConstants`).
const ARGUMENT: u16 = 1;
const CONSTANT: u16 = 2;

fn units(text: &str) -> Rc<[u16]> {
    text.encode_utf16().collect()
}

impl LinkedProgram<'_> {
    /// The call site of an `invokedynamic`; [`CallSite::Other`] where something about it is not understood.
    pub(crate) fn call_site(&mut self, class: TypeIx, model: &ClassModel, dynamic: &DynamicRef<'_>) -> CallSite {
        self.known_site(class, model, dynamic).unwrap_or(CallSite::Other)
    }

    fn known_site(&mut self, class: TypeIx, model: &ClassModel, dynamic: &DynamicRef<'_>) -> Option<CallSite> {
        let methods = model.file.bootstrap_methods().ok()?;
        let bootstrap = methods.get(usize::from(dynamic.bootstrap))?;
        let pool = model.file.constant_pool();
        let constants: Vec<Constant<'_>> =
            bootstrap.arguments.iter().map(|&index| pool.get(index)).collect::<Result<_, _>>().ok()?;
        let (declared, returned) = JavaType::parse_method(dynamic.descriptor)?;
        let arguments: Vec<TypeIx> = declared.iter().map(|ty| self.type_ix(ty)).collect();
        Some(match (bootstrap.handle.member.owner, bootstrap.handle.member.name) {
            ("java/lang/invoke/LambdaMetafactory", "metafactory" | "altMetafactory") => {
                let interface = self.type_ix(&returned);
                CallSite::Lambda(Rc::new(self.lambda_site(class, model, dynamic.name, interface, arguments, &constants)?))
            }
            ("java/lang/invoke/StringConcatFactory", "makeConcat") => {
                CallSite::Concat(arguments.into_iter().map(Part::Argument).collect())
            }
            ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants") => {
                CallSite::Concat(recipe(&arguments, &constants)?)
            }
            ("java/lang/runtime/ObjectMethods", "bootstrap") => CallSite::Record(self.record_site(dynamic.name, &constants)?),
            ("java/lang/runtime/SwitchBootstraps", "typeSwitch") => {
                let labels = constants.iter().map(|constant| self.label(model, constant).unwrap_or(Label::Unknown));
                CallSite::Switch(labels.collect())
            }
            ("java/lang/runtime/SwitchBootstraps", "enumSwitch") => {
                let &selector = arguments.first()?;
                let labels = constants.iter().map(|constant| match constant {
                    Constant::String(name) => {
                        let name = String::from_utf16_lossy(name);
                        self.enum_label(selector, &name)
                    }
                    Constant::Class(name) => Label::Class(self.named(name)),
                    _ => Label::Unknown,
                });
                CallSite::Switch(labels.collect())
            }
            _ => return None,
        })
    }

    fn record_site(&mut self, name: &str, constants: &[Constant<'_>]) -> Option<RecordSite> {
        let method = match name {
            "equals" => RecordMethod::Equals,
            "hashCode" => RecordMethod::HashCode,
            "toString" => RecordMethod::ToString,
            _ => return None,
        };
        let [Constant::Class(record), Constant::String(names), getters @ ..] = constants else { return None };
        let record = self.named(record);
        let names = String::from_utf16(names).ok()?;
        let names: Vec<&str> = if names.is_empty() { Vec::new() } else { names.split(';').collect() };
        if names.len() != getters.len() {
            return None;
        }
        let components = names.into_iter().zip(getters).map(|(name, getter)| match getter {
            Constant::MethodHandle(MethodHandle { kind: 1, member }) => {
                let reference = FieldRef::new(ClassName::new(member.owner), member.name, member.descriptor);
                let ty = self.type_ix(&reference.field_type());
                Some(Component { name: units(name), field: self.field_ix(&reference), ty })
            }
            _ => None,
        });
        let components = components.collect::<Option<_>>()?;
        Some(RecordSite { record, method, name: units(&self.simple_name(record)?), components })
    }

    /// `Class.getSimpleName`.
    fn simple_name(&mut self, class: TypeIx) -> Option<String> {
        let model = self.model(class)?;
        let inner = model.file.inner_classes().ok()?;
        let name = match inner.iter().find(|inner| inner.inner == model.name.internal()) {
            Some(inner) => inner.name?,
            None => model.name.internal().rsplit('/').next()?,
        };
        Some(name.to_string())
    }

    fn label(&mut self, model: &ClassModel, constant: &Constant<'_>) -> Option<Label> {
        Some(match constant {
            Constant::Class(name) => Label::Class(self.named(name)),
            Constant::String(text) => Label::Text(text.as_slice().into()),
            Constant::Integer(number) => Label::Number(*number),
            // javac: `EnumDesc.of(ClassDesc.of("Class"), "CONSTANT")`; a primitive class is a constant, too.
            Constant::Dynamic(dynamic) => {
                let methods = model.file.bootstrap_methods().ok()?;
                let (owner, name, arguments) = constant_call(model, &methods, dynamic)?;
                match (owner, name, arguments.as_slice()) {
                    ("java/lang/Enum$EnumDesc", "of", [Constant::Dynamic(class), Constant::String(constant)]) => {
                        let ("java/lang/constant/ClassDesc", "of", class) = constant_call(model, &methods, class)? else {
                            return None;
                        };
                        let [Constant::String(class)] = class.as_slice() else { return None };
                        let class = self.class_ix(&String::from_utf16(class).ok()?.replace('.', "/"));
                        self.enum_label(class, &String::from_utf16(constant).ok()?)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        })
    }

    fn enum_label(&mut self, class: TypeIx, name: &str) -> Label {
        let JavaType::Class(owner) = self.ty(class).clone() else { return Label::Unknown };
        let field = self.field_ix(&FieldRef::new(owner.clone(), name, &JavaType::Class(owner).descriptor()));
        Label::Constant { class, field }
    }

    /// A method handle constant; `None`: of a kind that is not understood.
    pub(crate) fn handle(&mut self, class: TypeIx, model: &ClassModel, handle: &MethodHandle<'_>) -> Option<Handle> {
        let member = &handle.member;
        let owner = ClassName::new(member.owner);
        if handle.kind == 1 || handle.kind == 2 {
            let reference = FieldRef::new(owner, member.name, member.descriptor);
            let receiver = (handle.kind == 1).then(|| self.named(member.owner));
            let returns = Some(self.type_ix(&reference.field_type()));
            let target = HandleTarget::Get(self.field_ix(&reference));
            return Some(Handle { target, parameters: receiver.into_iter().collect(), returns });
        }
        let kind = match handle.kind {
            5 | 9 => InvokeKind::Virtual,
            6 => InvokeKind::Static,
            7 | 8 => InvokeKind::Special,
            _ => return None,
        };
        let (declared, returned) = JavaType::parse_method(member.descriptor)?;
        let invoke = self.new_invoke(class, model, MethodRef::new(owner, member.name, member.descriptor), kind, None).ok()?;
        let owner = self.named(member.owner);
        let mut parameters: Vec<TypeIx> = declared.iter().map(|ty| self.type_ix(ty)).collect();
        if handle.kind == 8 {
            return Some(Handle { target: HandleTarget::New(invoke, owner), parameters, returns: Some(owner) });
        }
        if kind != InvokeKind::Static {
            parameters.insert(0, owner);
        }
        let returns = (returned != JavaType::Void).then(|| self.type_ix(&returned));
        Some(Handle { target: HandleTarget::Call(invoke), parameters, returns })
    }

    /// `ldc` of what a bootstrap method gives (condy).
    pub(crate) fn dynamic_constant(&mut self, class: TypeIx, model: &ClassModel, index: u16, dynamic: &DynamicRef<'_>) -> Op {
        match self.known_constant(model, dynamic) {
            Some(op) => op,
            None => {
                // Its value stands for a static field of the class that no code names.
                let owner = model.name.clone();
                let field = self.field_ix(&FieldRef::new(owner, &format!("#{index}"), dynamic.descriptor));
                Op::Dynamic(field, self.constant_maker(class, model, dynamic))
            }
        }
    }

    fn known_constant(&mut self, model: &ClassModel, dynamic: &DynamicRef<'_>) -> Option<Op> {
        let methods = model.file.bootstrap_methods().ok()?;
        let bootstrap = methods.get(usize::from(dynamic.bootstrap))?;
        if bootstrap.handle.member.owner != "java/lang/invoke/ConstantBootstraps" {
            return None;
        }
        Some(match bootstrap.handle.member.name {
            "nullConstant" => Op::Const(0),
            "primitiveClass" => {
                Op::ClassConst(JavaType::parse(dynamic.name).filter(JavaType::is_primitive).map(|ty| self.type_ix(&ty))?)
            }
            "enumConstant" | "getStaticFinal" => {
                let owner = match bootstrap.arguments.first() {
                    Some(&owner) => model.file.constant_pool().class_name(owner).ok()?.to_string(),
                    None => match JavaType::parse(dynamic.descriptor)? {
                        JavaType::Class(name) => name.internal().to_string(),
                        _ => return None,
                    },
                };
                Op::Dynamic(self.field_ix(&FieldRef::new(ClassName::new(&owner), dynamic.name, dynamic.descriptor)), None)
            }
            _ => return None,
        })
    }

    /// The method whose result is the constant.
    fn constant_maker(&mut self, class: TypeIx, model: &ClassModel, dynamic: &DynamicRef<'_>) -> Option<MethodIx> {
        let methods = model.file.bootstrap_methods().ok()?;
        let bootstrap = methods.get(usize::from(dynamic.bootstrap))?;
        let handle = match (bootstrap.handle.member.owner, bootstrap.arguments.first()) {
            ("java/lang/invoke/ConstantBootstraps", Some(&handle)) => model.file.constant_pool().method_handle(handle).ok()?,
            _ => bootstrap.handle,
        };
        match self.handle(class, model, &handle)?.target {
            HandleTarget::Call(invoke) => self.invoke(invoke).direct,
            _ => None,
        }
    }
}

/// What a dynamic constant of `ConstantBootstraps.invoke` calls: class, method and arguments.
fn constant_call<'a>(
    model: &'a ClassModel,
    methods: &[tracewright_classfile::BootstrapMethod<'a>],
    dynamic: &DynamicRef<'a>,
) -> Option<(&'a str, &'a str, Vec<Constant<'a>>)> {
    let bootstrap = methods.get(usize::from(dynamic.bootstrap))?;
    let member = &bootstrap.handle.member;
    if (member.owner, member.name) != ("java/lang/invoke/ConstantBootstraps", "invoke") {
        return None;
    }
    let pool = model.file.constant_pool();
    let (&handle, arguments) = bootstrap.arguments.split_first()?;
    let called = pool.method_handle(handle).ok()?.member;
    let arguments = arguments.iter().map(|&index| pool.get(index)).collect::<Result<_, _>>().ok()?;
    Some((called.owner, called.name, arguments))
}

fn recipe(arguments: &[TypeIx], constants: &[Constant<'_>]) -> Option<Vec<Part>> {
    let (Constant::String(recipe), constants) = constants.split_first()? else { return None };
    let (mut arguments, mut constants) = (arguments.iter(), constants.iter());
    let mut parts = Vec::new();
    let mut text: Vec<u16> = Vec::new();
    for &unit in recipe {
        match unit {
            ARGUMENT => {
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text).into()));
                }
                parts.push(Part::Argument(*arguments.next()?));
            }
            CONSTANT => match constants.next()? {
                Constant::String(constant) => text.extend(constant),
                Constant::Integer(number) => text.extend(number.to_string().encode_utf16()),
                Constant::Long(number) => text.extend(number.to_string().encode_utf16()),
                _ => return None,
            },
            unit => text.push(unit),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text.into()));
    }
    arguments.next().is_none().then_some(parts)
}

impl Machine<'_, '_> {
    /// An `invokedynamic` with its arguments.
    pub(crate) fn invoke_dynamic(&mut self, ix: InvokeIx, arguments: &[Slot], floor: usize) -> InterpResult<Flow> {
        let site = self.linked.invoke(ix).site.clone();
        if !self.top.recorded {
            return match site.as_deref() {
                Some(CallSite::Lambda(site)) => self.own_lambda(site.clone(), arguments),
                // Messages of exceptions mostly.
                Some(CallSite::Concat(_)) => self.unknown_text(ix, arguments),
                _ => self.abort_for_good(UnsupportedReason::InterpretedInvokeDynamic),
            };
        }
        match site.as_deref() {
            Some(CallSite::Lambda(site)) => self.make_lambda(site.clone(), ix, arguments, floor),
            Some(CallSite::Concat(parts)) => self.concat_site(parts, ix, arguments, floor),
            Some(CallSite::Record(site)) => self.record_call(site, ix, arguments, floor),
            Some(CallSite::Switch(labels)) => self.pattern_switch(labels, ix, arguments, floor),
            Some(CallSite::Other) | None => self.outer_call(ix, ix, None, arguments, Vec::new(), floor),
        }
    }

    /// A constant that its bootstrap method has made, in this run or in an earlier one.
    pub(crate) fn dynamic_constant(&mut self, field: FieldIx, maker: Option<MethodIx>, floor: usize) -> InterpResult<Flow> {
        let kind = self.linked.field(field).kind;
        let mut value = None;
        while let Some(Event::Entry { site }) = self.cursor.peek() {
            let Some((entered, _)) = self.entry_method(site.0) else { break };
            if value.is_some() || self.is_entered_later(entered) {
                break;
            }
            let is_maker = maker == Some(entered);
            match self.run_nested_entry()? {
                Completion::Returned(made) if is_maker => {
                    let returns = maker.map(|maker| SlotKind::of(&self.linked.method(maker).reference.return_type()));
                    value = match (returns, kind) {
                        (Some(SlotKind::Ref), SlotKind::Ref) => Some(made),
                        (Some(SlotKind::Ref), _) => match self.object(made.object()).body {
                            ObjectBody::Boxed(content) => Some(Slot { bits: content.bits, term: made.term.or(content.term) }),
                            _ => None,
                        },
                        (Some(returns), kind) if returns == kind => Some(made),
                        _ => None,
                    };
                }
                Completion::Returned(_) => {}
                Completion::Threw(_) => {
                    let exception = self.inferred_exception("constant of a bootstrap method")?;
                    return self.throw(exception, floor);
                }
            }
        }
        let value = match value.or_else(|| self.statics.get(&field).copied()) {
            Some(value) => value,
            None if kind == SlotKind::Ref => Slot::reference(self.unknown_object()?),
            None => return self.unsupported(UnsupportedReason::PrimitiveDynamicConstant),
        };
        self.statics.insert(field, value);
        self.push_kind(kind, value);
        self.top.pc += 1;
        Ok(None)
    }

    /// Whether the entry is that of an instruction after this one: a constant that was made in an earlier run shows none.
    fn is_entered_later(&self, entered: MethodIx) -> bool {
        let info = self.linked.method(entered);
        if info.is_clinit {
            return false;
        }
        for instr in self.top.code.ops.iter().skip(self.top.pc + 1) {
            match instr.op {
                Op::Invoke(ix) => {
                    let called = &self.linked.invoke(ix).reference;
                    return called.name == info.reference.name && called.descriptor == info.reference.descriptor;
                }
                Op::Dynamic(_, maker) if maker == Some(entered) => return true,
                Op::If(..) | Op::IfIcmp(..) | Op::IfAcmp(..) | Op::IfNull(..) | Op::Switch(_) | Op::Return(_) | Op::Throw => {
                    return false;
                }
                Op::Goto(_) => return true,
                _ if instr.site != NO_SITE => return false,
                _ => {}
            }
        }
        false
    }

    /// An object nothing is known of.
    pub(crate) fn unknown_object(&mut self) -> InterpResult<ObjectId> {
        let body = ObjectBody::Fields(Vec::new());
        self.allocate(Object { ty: None, hash: 0, zeroed: false, escaped: true, body })
    }

    /// Whether the object is of a type; `None`: its class is not known.
    pub(crate) fn is_instance(&mut self, object: ObjectId, ty: TypeIx) -> Option<bool> {
        if let ObjectBody::Lambda { site, .. } = &self.object(object).body {
            let site = site.clone();
            return Some(
                *self.linked.ty(ty) == JavaType::class("java/lang/Object")
                    || site.interfaces.iter().any(|&interface| self.linked.is_subtype(interface, ty)),
            );
        }
        let class = self.object(object).ty;
        match class {
            Some(class) if self.linked.is_known(class) => Some(self.linked.is_subtype(class, ty)),
            _ => None,
        }
    }

    /// What the recorded methods that a call site runs on its operands gave, by operand. Each operand with what it runs.
    pub(crate) fn run_callbacks_on(&mut self, operands: &[(ObjectId, MethodIx)]) -> InterpResult<HashMap<usize, Completion>> {
        let mut results = HashMap::new();
        while let [Event::Entry { site }, rest @ ..] = self.cursor.remaining() {
            let Some((entered, _)) = self.entry_method(site.0) else { break };
            let receiver = match rest.first() {
                Some(Event::ArgRef { value, .. }) => Some(*value),
                _ => None,
            };
            let fits = |machine: &Self, object: ObjectId| {
                let known = machine.object(object);
                receiver.is_some_and(|receiver| known.hash == receiver.hash || known.hash == 0)
            };
            let mut fitting: Vec<usize> = Vec::new();
            for (at, &(object, method)) in operands.iter().enumerate() {
                if method == entered && !results.contains_key(&at) && fits(self, object) {
                    fitting.push(at);
                }
            }
            let Some(&at) = fitting.first() else {
                self.run_nested_entry()?;
                continue;
            };
            let completion = self.run_nested_entry_with(Some(&[Slot::reference(operands[at].0)]))?;
            results.insert(at, completion);
        }
        Ok(results)
    }

    /// The recorded method that a virtual method of the object is; `None`: it is none, or not known.
    pub(crate) fn recorded_method(&mut self, object: ObjectId, method: &MethodRef) -> Option<MethodIx> {
        let ty = match &self.object(object).body {
            ObjectBody::Lambda { site, .. } => site.interfaces.first().copied(),
            _ => self.object(object).ty,
        }?;
        let target = self.linked.statement_target(method, Some(ty))?;
        let info = self.linked.method(target);
        (info.has_code && self.is_recorded_class(info.ty)).then_some(target)
    }
}

pub(crate) fn object_method(name: &str, descriptor: &str) -> MethodRef {
    MethodRef { owner: ClassName::new("java/lang/Object"), name: Arc::from(name), descriptor: Arc::from(descriptor) }
}
