//! The model of one class: its class file with typed names and parsed signatures.
//!
//! In: bytes. Out: [`ClassModel`]. Must not know other classes.

use std::sync::{Arc, OnceLock};

use tracewright_classfile::{
    AccessFlags, ClassFile, Code, MemberRef, Op, ParseError, is_generated, is_kotlin, is_plain_accessor,
    is_plain_data_constructor, is_plain_record_constructor,
};

use super::control::ControlDependence;
use super::generics::{ClassSignature, GenericType, MethodSignature};
use super::{ClassName, ClassOrigin, FieldRef, JavaType, MethodRef};

/// A class, interface, enum, record or annotation.
#[derive(Debug)]
pub struct ClassModel {
    /// The class itself.
    pub name: ClassName,
    pub(crate) origin: ClassOrigin,
    /// The class file.
    pub file: ClassFile,
    /// The flags as declared in source. For a nested class they come from `InnerClasses`, since the
    /// class file's own flags cannot express private, protected and static (JVMS §4.7.6).
    pub(crate) access: AccessFlags,
    pub(crate) superclass: Option<ClassName>,
    pub(crate) interfaces: Vec<ClassName>,
    /// Whether and how the class is nested.
    pub nesting: Nesting,
    pub(crate) signature: ClassSignature,
    /// In class file order, including synthetic fields.
    pub fields: Vec<FieldModel>,
    /// In class file order, including synthetic methods and initialisers.
    pub methods: Vec<MethodModel>,
}

/// How a class is nested in another one (JLS §8.1.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// Not nested.
    TopLevel,
    /// A member class. Constructors of one that is not static take the enclosing instance as first
    /// parameter.
    Member {
        /// The class that declares it.
        enclosing: ClassName,
        /// Its name in source.
        simple_name: String,
        /// It has no enclosing instance.
        is_static: bool,
    },
    /// Declared in a method, with a name.
    Local {
        /// The class around the method.
        enclosing: ClassName,
    },
    /// Declared in an expression, without a name.
    Anonymous {
        /// The class around the expression.
        enclosing: ClassName,
    },
}

/// A declared field.
#[derive(Debug)]
pub struct FieldModel {
    /// The field with its declaring class as owner.
    pub reference: FieldRef,
    /// The flags; synthetic also where only the attribute says so.
    pub access: AccessFlags,
    /// The erased type.
    pub ty: JavaType,
    pub(crate) generic: GenericType,
    /// Position among the fields of the class file.
    pub(crate) index: usize,
}

/// A declared method, constructor or initialiser.
#[derive(Debug)]
pub struct MethodModel {
    /// The method with its declaring class as owner.
    pub reference: MethodRef,
    /// The flags; synthetic also where only the attribute says so.
    pub access: AccessFlags,
    /// The generic signature, with one argument for each parameter of the descriptor.
    pub signature: MethodSignature,
    /// The erased types of the parameters, without the receiver.
    pub parameters: Vec<JavaType>,
    /// The erased type of the result.
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
    /// Reads a class file. Malformed signatures are ignored, as the JVM does (JVMS §4.7.9).
    ///
    /// # Errors
    /// The class file is malformed outside of method bodies and signatures.
    pub fn parse(bytes: &[u8], origin: ClassOrigin) -> Result<ClassModel, ParseError> {
        let file = ClassFile::parse(bytes)?;
        let name = ClassName::new(file.this_class());
        let superclass = file.super_class().map(ClassName::new);
        let interfaces: Vec<ClassName> = file.interfaces().map(ClassName::new).collect();
        let (nesting, access) = nesting(&file, &name)?;
        let signature = file
            .signature()?
            .and_then(ClassSignature::parse)
            .map(|signature| ClassSignature { superclass: signature.superclass.filter(|_| superclass.is_some()), ..signature })
            .unwrap_or_else(|| ClassSignature::erased(superclass.as_ref(), &interfaces));
        let fields = file
            .fields()
            .enumerate()
            .map(|(index, field)| {
                let reference = FieldRef::new(name.clone(), field.name(), field.descriptor());
                let ty = reference.field_type();
                let generic = field.signature().ok().flatten().and_then(GenericType::parse);
                FieldModel {
                    generic: generic.unwrap_or_else(|| GenericType::of(&ty)),
                    reference,
                    access: with_synthetic(field.access(), field.attribute("Synthetic").is_some()),
                    ty,
                    index,
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
        Ok(ClassModel { name, origin, access, superclass, interfaces, nesting, signature, fields, methods, file })
    }

    /// Whether it is an interface or annotation.
    pub fn is_interface(&self) -> bool {
        self.access.is_interface()
    }

    /// Whether it is declared abstract; true for interfaces.
    pub fn is_abstract(&self) -> bool {
        self.access.is_abstract()
    }

    /// Whether it is an annotation interface.
    pub(crate) fn is_annotation(&self) -> bool {
        self.access.is_annotation()
    }

    /// Whether it is an enum class. The class of a constant with a body is none.
    pub fn is_enum(&self) -> bool {
        self.superclass.as_ref().is_some_and(|superclass| superclass.internal() == "java/lang/Enum")
    }

    /// Whether its instances have an enclosing instance.
    pub fn is_inner(&self) -> bool {
        matches!(self.nesting, Nesting::Member { is_static: false, .. })
    }

    /// The directly enclosing class, if any.
    pub(crate) fn enclosing(&self) -> Option<&ClassName> {
        match &self.nesting {
            Nesting::TopLevel => None,
            Nesting::Member { enclosing, .. } | Nesting::Local { enclosing } | Nesting::Anonymous { enclosing } => {
                Some(enclosing)
            }
        }
    }

    /// The type of its instances.
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

    /// The declared method with this name and descriptor.
    pub(crate) fn method(&self, name: &str, descriptor: &str) -> Option<&MethodModel> {
        self.methods.iter().find(|method| &*method.reference.name == name && &*method.reference.descriptor == descriptor)
    }

    /// The constants of an enum, in order of declaration; empty for other classes.
    pub fn enum_constants(&self) -> impl Iterator<Item = &FieldModel> {
        self.fields.iter().filter(|field| self.is_enum() && field.access.is_enum())
    }

    /// The decoded body; `None` for abstract and native methods (and for code that does not parse).
    /// Decoded once.
    pub fn code(&self, method: &MethodModel) -> Option<Arc<Code>> {
        method.code.get_or_init(|| self.file.method(method.index).code().ok().flatten().map(Arc::new)).clone()
    }

    /// The method that an instruction of this class calls by its name in the constant pool.
    pub(crate) fn called_by(&self, op: &Op) -> Option<MemberRef<'_>> {
        let index = op.member_index().filter(|_| op.is_invoke())?;
        self.file.constant_pool().member(index).ok()
    }

    /// Whether a tool or a compiler wrote the method: see [`tracewright_classfile::is_generated`].
    pub(crate) fn is_generated(&self, method: &MethodModel) -> bool {
        is_generated(&self.file, self.file.method(method.index), self.code(method).as_deref())
    }

    /// Whether the method only reads or writes a field: see [`tracewright_classfile::is_plain_accessor`].
    pub(crate) fn is_plain_accessor(&self, method: &MethodModel) -> bool {
        self.code(method).is_some_and(|code| is_plain_accessor(&code))
    }

    /// Whether it was compiled by Kotlin.
    pub(crate) fn is_kotlin(&self) -> bool {
        is_kotlin(&self.file)
    }

    /// Whether the method only fills the components of a record or of a data class: see
    /// [`tracewright_classfile::is_plain_record_constructor`] and
    /// [`tracewright_classfile::is_plain_data_constructor`].
    pub(crate) fn only_fills_components(&self, method: &MethodModel) -> bool {
        let declared = self.file.method(method.index);
        self.code(method).is_some_and(|code| {
            is_plain_record_constructor(&self.file, declared, &code) || is_plain_data_constructor(&self.file, declared, &code)
        })
    }

    /// The control dependences of the body; `None` where [`ClassModel::code`] is. Computed once.
    pub fn control_dependence(&self, method: &MethodModel) -> Option<Arc<ControlDependence>> {
        method.control.get_or_init(|| self.code(method).map(|code| Arc::new(ControlDependence::of(&code)))).clone()
    }

    /// The names of the parameters, from `MethodParameters`, else from `LocalVariableTable`; one
    /// entry for each parameter.
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
            slot += parameter.slots();
        }
        names
    }
}

impl MethodModel {
    /// The simple name; `<init>` for constructors.
    pub fn name(&self) -> &str {
        &self.reference.name
    }

    /// Whether it is a constructor.
    pub fn is_constructor(&self) -> bool {
        &*self.reference.name == "<init>"
    }

    /// Whether it is static.
    pub fn is_static(&self) -> bool {
        self.access.is_static()
    }
}

/// Class files before version 49 mark synthetic members by an attribute (JVMS §4.7.8) instead of a
/// flag.
fn with_synthetic(access: AccessFlags, attribute: bool) -> AccessFlags {
    if attribute { access.with(AccessFlags::SYNTHETIC) } else { access }
}

fn nesting(file: &ClassFile, name: &ClassName) -> Result<(Nesting, AccessFlags), ParseError> {
    let enclosing_method = file.enclosing_method()?;
    for entry in file.inner_classes()? {
        if entry.inner != name.internal() {
            continue;
        }
        // The flag `synthetic` may stand in the class file's own flags alone.
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
                    // Class files before Java 5 have no `EnclosingMethod`: the name must do.
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

/// The signature with one argument for each parameter of the descriptor. javac omits the parameters
/// that it adds (enclosing instance, enum name and ordinal, captured variables). Missing ones in
/// front are taken from the descriptor; a signature that still does not fit is replaced by the
/// erased one.
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
