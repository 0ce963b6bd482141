//! Call sites and constants that a bootstrap method makes (JVMS §5.4.3.6). The JDK's bootstrap
//! methods are known by name: `LambdaMetafactory`, `StringConcatFactory`, `ObjectMethods`,
//! `SwitchBootstraps`, `ConstantBootstraps`. In: constant pools; out: call sites, handles and
//! constants. Must not know a run.

use std::rc::Rc;
use std::sync::Arc;

use tracewright_classfile::{Constant, DynamicRef, MethodHandle};

use super::super::data::call_sites::{
    CallSite, CaseLabel, Component, Handle, HandleTarget, LambdaSite, Part, RecordMethod, RecordSite,
};
use super::super::data::code::Op;
use super::super::data::ids::{MethodIx, TypeIx};
use super::super::linked::InvokeKind;
use super::LinkedProgram;
use crate::program::{ClassModel, ClassName, FieldRef, JavaType, MethodRef};

const FLAG_SERIALIZABLE: i32 = 1;
const FLAG_MARKERS: i32 = 2;
const FLAG_BRIDGES: i32 = 4;

/// Markers in a recipe of `StringConcatFactory.makeConcatWithConstants`.
const ARGUMENT: u16 = 1;
const CONSTANT: u16 = 2;

fn units(text: &str) -> Rc<[u16]> {
    text.encode_utf16().collect()
}

impl LinkedProgram<'_> {
    /// The call site of an `invokedynamic`; [`CallSite::Other`] where its bootstrap method or an
    /// argument is unknown.
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
                let labels = constants.iter().map(|constant| self.label(model, constant).unwrap_or(CaseLabel::Unknown));
                CallSite::Switch(labels.collect())
            }
            ("java/lang/runtime/SwitchBootstraps", "enumSwitch") => {
                let &selector = arguments.first()?;
                let labels = constants.iter().map(|constant| match constant {
                    Constant::String(name) => {
                        let name = String::from_utf16_lossy(name);
                        self.enum_label(selector, &name)
                    }
                    Constant::Class(name) => CaseLabel::Class(self.named(name)),
                    _ => CaseLabel::Unknown,
                });
                CallSite::Switch(labels.collect())
            }
            _ => return None,
        })
    }

    /// The call site of `LambdaMetafactory`; `None`: an argument is of an unknown form.
    pub(crate) fn lambda_site(
        &mut self,
        class: TypeIx,
        model: &ClassModel,
        name: &str,
        interface: TypeIx,
        captured: Vec<TypeIx>,
        constants: &[Constant<'_>],
    ) -> Option<LambdaSite> {
        let [Constant::MethodType(erased), Constant::MethodHandle(handle), Constant::MethodType(instantiated), rest @ ..] =
            constants
        else {
            return None;
        };
        let mut descriptors: Vec<Arc<str>> = vec![Arc::from(*erased)];
        let mut interfaces = vec![interface];
        // Arguments of `altMetafactory`: flags, then a count with markers, then a count with
        // bridges.
        if let Some((Constant::Integer(flags), rest)) = rest.split_first() {
            let mut rest = rest.iter();
            if flags & FLAG_SERIALIZABLE != 0 {
                interfaces.push(self.class_ix("java/io/Serializable"));
            }
            if flags & FLAG_MARKERS != 0 {
                let Some(Constant::Integer(count)) = rest.next() else { return None };
                for _ in 0..*count {
                    let Some(Constant::Class(marker)) = rest.next() else { return None };
                    interfaces.push(self.named(marker));
                }
            }
            if flags & FLAG_BRIDGES != 0 {
                let Some(Constant::Integer(count)) = rest.next() else { return None };
                for _ in 0..*count {
                    let Some(Constant::MethodType(bridge)) = rest.next() else { return None };
                    descriptors.push(Arc::from(*bridge));
                }
            }
        }
        let (instantiated, _) = JavaType::parse_method(instantiated)?;
        let instantiated: Vec<TypeIx> = instantiated.iter().map(|ty| self.type_ix(ty)).collect();
        let implementation = self.handle(class, model, handle)?;
        let fits = captured.len() + instantiated.len() == implementation.parameters.len();
        fits.then_some(LambdaSite { interfaces, name: name.into(), descriptors, instantiated, captured, implementation })
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

    /// The result of `Class.getSimpleName`.
    fn simple_name(&mut self, class: TypeIx) -> Option<String> {
        let model = self.model(class)?;
        let inner = model.file.inner_classes().ok()?;
        let name = match inner.iter().find(|inner| inner.inner == model.name.internal()) {
            Some(inner) => inner.name?,
            None => model.name.internal().rsplit('/').next()?,
        };
        Some(name.to_string())
    }

    fn label(&mut self, model: &ClassModel, constant: &Constant<'_>) -> Option<CaseLabel> {
        Some(match constant {
            Constant::Class(name) => CaseLabel::Class(self.named(name)),
            Constant::String(text) => CaseLabel::String(text.as_slice().into()),
            Constant::Integer(number) => CaseLabel::Number(*number),
            // javac emits `EnumDesc.of(ClassDesc.of("Class"), "CONSTANT")`. A primitive class is a
            // dynamic constant too.
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

    fn enum_label(&mut self, class: TypeIx, name: &str) -> CaseLabel {
        let JavaType::Class(owner) = self.ty(class).clone() else { return CaseLabel::Unknown };
        let field = self.field_ix(&FieldRef::new(owner.clone(), name, &JavaType::Class(owner).descriptor()));
        CaseLabel::Constant { class, field }
    }

    /// The handle of a method handle constant; `None`: its kind is not supported.
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

    /// The instruction for `ldc` of a dynamic constant (JVMS §4.4.10).
    pub(crate) fn dynamic_constant(&mut self, class: TypeIx, model: &ClassModel, index: u16, dynamic: &DynamicRef<'_>) -> Op {
        match self.known_constant(model, dynamic) {
            Some(op) => op,
            None => {
                // A static field without a Java name keeps its value.
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

/// The class, method and arguments that `ConstantBootstraps.invoke` calls.
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
