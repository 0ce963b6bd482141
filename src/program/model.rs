//! One class as the program model knows it: the class file with its names made typed and its signatures parsed. In: bytes;
//! out: [`ClassModel`]. Must not know other classes.

use std::sync::{Arc, OnceLock};

use tracewright_classfile::{AccessFlags, ClassFile, Code, ParseError};

use super::control::ControlDependence;
use super::generics::{ClassSignature, GenericType, MethodSignature};
use super::{ClassName, ClassOrigin, FieldRef, JavaType, MethodRef};

/// A class, interface, enum, record or annotation.
#[derive(Debug)]
pub struct ClassModel {
    pub name: ClassName,
    pub(crate) origin: ClassOrigin,
    pub file: ClassFile,
    /// As declared in source: for a nested class the flags of its `InnerClasses` entry (which alone knows private, protected and static).
    pub(crate) access: AccessFlags,
    pub(crate) superclass: Option<ClassName>,
    pub(crate) interfaces: Vec<ClassName>,
    pub nesting: Nesting,
    pub(crate) is_record: bool,
    pub(crate) signature: ClassSignature,
    /// In class file order, synthetic ones too.
    pub fields: Vec<FieldModel>,
    /// In class file order, synthetic ones and initialisers too.
    pub methods: Vec<MethodModel>,
}

/// How a class stands in another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nesting {
    TopLevel,
    /// A member class; not static: its constructors take the enclosing instance first.
    Member {
        enclosing: ClassName,
        simple_name: String,
        is_static: bool,
    },
    Local {
        enclosing: ClassName,
    },
    Anonymous {
        enclosing: ClassName,
    },
}

#[derive(Debug)]
pub struct FieldModel {
    pub reference: FieldRef,
    pub access: AccessFlags,
    pub ty: JavaType,
    pub(crate) generic: GenericType,
}

#[derive(Debug)]
pub struct MethodModel {
    pub reference: MethodRef,
    pub access: AccessFlags,
    /// One argument for each parameter of the descriptor.
    pub signature: MethodSignature,
    pub parameters: Vec<JavaType>,
    pub returns: JavaType,
    /// Declared exceptions.
    pub(crate) exceptions: Vec<ClassName>,
    /// Position among the methods of the class file.
    pub index: usize,
    code: OnceLock<Option<Arc<Code>>>,
    parameter_names: OnceLock<Vec<Option<String>>>,
    control: OnceLock<Option<Arc<ControlDependence>>>,
}

impl ClassModel {
    pub fn parse(bytes: &[u8], origin: ClassOrigin) -> Result<ClassModel, ParseError> {
        let file = ClassFile::parse(bytes)?;
        let name = ClassName::new(file.this_class());
        let superclass = file.super_class().map(ClassName::new);
        let interfaces: Vec<ClassName> = file.interfaces().map(ClassName::new).collect();
        let (nesting, access) = nesting(&file, &name)?;
        // A malformed signature is ignored by the JVM too (JVMS §4.7.9): the descriptors stay.
        let signature = file
            .signature()?
            .and_then(ClassSignature::parse)
            .map(|signature| ClassSignature { superclass: signature.superclass.filter(|_| superclass.is_some()), ..signature })
            .unwrap_or_else(|| ClassSignature::erased(superclass.as_ref(), &interfaces));
        let fields = file
            .fields()
            .map(|field| {
                let reference = FieldRef::new(name.clone(), field.name(), field.descriptor());
                let ty = reference.field_type();
                let generic = field.signature().ok().flatten().and_then(GenericType::parse);
                FieldModel {
                    generic: generic.unwrap_or_else(|| GenericType::of(&ty)),
                    reference,
                    access: with_synthetic(field.access(), field.attribute("Synthetic").is_some()),
                    ty,
                }
            })
            .collect();
        let methods = file
            .methods()
            .map(|method| {
                let reference = MethodRef::new(name.clone(), method.name(), method.descriptor());
                let (parameters, returns) = JavaType::parse_method(method.descriptor()).unwrap_or((Vec::new(), JavaType::Void));
                let exceptions: Vec<ClassName> =
                    method.exceptions().unwrap_or_default().into_iter().map(ClassName::new).collect();
                let signature = method.signature().ok().flatten().and_then(MethodSignature::parse);
                MethodModel {
                    signature: fitted(signature, &parameters, &returns, &exceptions),
                    reference,
                    access: with_synthetic(method.access(), method.attribute("Synthetic").is_some()),
                    parameters,
                    returns,
                    exceptions,
                    index: method.index(),
                    code: OnceLock::new(),
                    parameter_names: OnceLock::new(),
                    control: OnceLock::new(),
                }
            })
            .collect();
        let is_record = superclass.as_ref().is_some_and(|superclass| superclass.internal() == "java/lang/Record");
        Ok(ClassModel { name, origin, access, superclass, interfaces, nesting, is_record, signature, fields, methods, file })
    }

    pub fn is_interface(&self) -> bool {
        self.access.is_interface()
    }

    pub fn is_abstract(&self) -> bool {
        self.access.is_abstract()
    }

    pub(crate) fn is_annotation(&self) -> bool {
        self.access.is_annotation()
    }

    /// An enum type itself, not the class of a constant with a body.
    pub fn is_enum(&self) -> bool {
        self.superclass.as_ref().is_some_and(|superclass| superclass.internal() == "java/lang/Enum")
    }

    /// Needs an enclosing instance.
    pub fn is_inner(&self) -> bool {
        matches!(self.nesting, Nesting::Member { is_static: false, .. })
    }

    /// The class around it, if any.
    pub(crate) fn enclosing(&self) -> Option<&ClassName> {
        match &self.nesting {
            Nesting::TopLevel => None,
            Nesting::Member { enclosing, .. } | Nesting::Local { enclosing } | Nesting::Anonymous { enclosing } => {
                Some(enclosing)
            }
        }
    }

    /// `JavaType` of the class itself.
    pub fn ty(&self) -> JavaType {
        JavaType::Class(self.name.clone())
    }

    /// The class with its own type variables as arguments: `Map<K, V>`.
    pub(crate) fn generic_type(&self) -> GenericType {
        GenericType::Class {
            name: self.name.clone(),
            arguments: self.signature.parameters.iter().map(|p| GenericType::Variable(p.name.clone())).collect(),
            outer: None,
        }
    }

    pub(crate) fn method(&self, name: &str, descriptor: &str) -> Option<&MethodModel> {
        self.methods.iter().find(|method| &*method.reference.name == name && &*method.reference.descriptor == descriptor)
    }

    pub(crate) fn field(&self, name: &str, descriptor: &str) -> Option<&FieldModel> {
        self.fields.iter().find(|field| &*field.reference.name == name && &*field.reference.descriptor == descriptor)
    }

    /// The constants of an enum in order of declaration; empty for other classes.
    pub fn enum_constants(&self) -> impl Iterator<Item = &FieldModel> {
        self.fields.iter().filter(|field| self.is_enum() && field.access.is_enum())
    }

    /// The decoded body; `None` for abstract and native methods (and for code that does not parse). Decoded once.
    pub fn code(&self, method: &MethodModel) -> Option<Arc<Code>> {
        method.code.get_or_init(|| self.file.method(method.index).code().ok().flatten().map(Arc::new)).clone()
    }

    /// What decides about each instruction of the body. Computed once.
    pub fn control_dependence(&self, method: &MethodModel) -> Option<Arc<ControlDependence>> {
        method.control.get_or_init(|| self.code(method).map(|code| Arc::new(ControlDependence::of(&code)))).clone()
    }

    /// Parameter names as far as the class file tells: `MethodParameters`, else `LocalVariableTable`.
    pub(crate) fn parameter_names<'a>(&self, method: &'a MethodModel) -> &'a [Option<String>] {
        method.parameter_names.get_or_init(|| self.read_parameter_names(method))
    }

    fn read_parameter_names(&self, method: &MethodModel) -> Vec<Option<String>> {
        let mut names = vec![None; method.parameters.len()];
        if let Ok(Some(declared)) = self.file.method(method.index).parameter_names() {
            for (name, declared) in names.iter_mut().zip(declared) {
                *name = declared.map(str::to_string);
            }
            if names.iter().any(Option::is_some) {
                return names;
            }
        }
        let Some(code) = self.code(method) else { return names };
        let mut slot = u16::from(!method.access.is_static());
        for (name, parameter) in names.iter_mut().zip(&method.parameters) {
            *name = code
                .local_variables
                .iter()
                .find(|variable| variable.slot == slot && variable.start == 0)
                .map(|variable| variable.name.clone());
            slot += if matches!(parameter, JavaType::Long | JavaType::Double) { 2 } else { 1 };
        }
        names
    }
}

impl MethodModel {
    pub fn name(&self) -> &str {
        &self.reference.name
    }

    pub fn is_constructor(&self) -> bool {
        &*self.reference.name == "<init>"
    }

    pub fn is_static(&self) -> bool {
        self.access.is_static()
    }
}

/// Class files before version 49 say `Synthetic` by an attribute (JVMS §4.7.8), not by the flag.
fn with_synthetic(access: AccessFlags, attribute: bool) -> AccessFlags {
    if attribute { access.with(AccessFlags::SYNTHETIC) } else { access }
}

fn nesting(file: &ClassFile, name: &ClassName) -> Result<(Nesting, AccessFlags), ParseError> {
    let enclosing_method = file.enclosing_method()?;
    for entry in file.inner_classes()? {
        if entry.inner != name.internal() {
            continue;
        }
        // The class file's own flags know `super` and `synthetic`; only the entry knows private, protected and static.
        let kept = file.access().0 & AccessFlags::SYNTHETIC;
        let access = entry.access.with(kept);
        let nesting = match (entry.outer, entry.name) {
            (Some(outer), Some(simple)) => Nesting::Member {
                enclosing: ClassName::new(outer),
                simple_name: simple.to_string(),
                is_static: access.is_static() || access.is_interface(),
            },
            (_, simple) => {
                let enclosing = enclosing_method.as_ref().map_or_else(
                    // Before Java 5 nothing but the name tells.
                    || name.internal().rsplit_once('$').map_or(name.internal(), |(outer, _)| outer),
                    |enclosing| enclosing.class,
                );
                let enclosing = ClassName::new(enclosing);
                if simple.is_some() { Nesting::Local { enclosing } } else { Nesting::Anonymous { enclosing } }
            }
        };
        return Ok((nesting, access));
    }
    Ok((Nesting::TopLevel, file.access()))
}

/// javac leaves the parameters it adds (enclosing instance, enum name and ordinal, captured variables) out of `Signature`: those in
/// front are filled up from the descriptor; where even that cannot be told, the descriptor alone counts.
fn fitted(
    signature: Option<MethodSignature>,
    parameters: &[JavaType],
    returns: &JavaType,
    exceptions: &[ClassName],
) -> MethodSignature {
    let erased = || MethodSignature::erased(parameters, returns, exceptions);
    let Some(mut signature) = signature else { return erased() };
    let Some(missing) = parameters.len().checked_sub(signature.arguments.len()) else { return erased() };
    if missing > 0 {
        let mut arguments: Vec<GenericType> = parameters[..missing].iter().map(GenericType::of).collect();
        arguments.append(&mut signature.arguments);
        signature.arguments = arguments;
    }
    let fits = signature.arguments.iter().zip(parameters).all(|(generic, erased)| match (generic, erased) {
        (GenericType::Primitive(generic), erased) => generic == erased,
        (GenericType::Class { name, .. }, JavaType::Class(erased)) => name == erased,
        (GenericType::Array(_), JavaType::Array(_)) | (GenericType::Variable(_), JavaType::Class(_) | JavaType::Array(_)) => true,
        _ => false,
    });
    if !fits {
        return erased();
    }
    if signature.throws.is_empty() {
        signature.throws = exceptions.iter().cloned().map(GenericType::class).collect();
    }
    signature
}
