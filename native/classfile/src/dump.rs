//! The text form of a class, for people and for golden files.
//!
//! In: a class file. Out: lines of text. A part that cannot be decoded is shown as `??` with the
//! error. Must not change how anything is decoded.

use crate::access::AccessFlags;
use crate::class::{ClassFile, Method};
use crate::code::Code;
use crate::error::ParseError;
use crate::frame::VerificationType;
use crate::instruction::{Instruction, Op};
use crate::opcode::{LDC, LDC2_W};
use crate::pool::{Constant, ConstantPool, MemberRef};
use std::fmt::{self, Display, Write};

impl ClassFile {
    /// The class with its members and their code, a line for each attribute, member and
    /// instruction.
    pub fn dump(&self) -> String {
        let mut out = String::new();
        self.write_dump(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write_dump(&self, out: &mut String) -> fmt::Result {
        write!(out, "class {}", self.this_class())?;
        if let Some(super_class) = self.super_class() {
            write!(out, " extends {super_class}")?;
        }
        for interface in self.interfaces() {
            write!(out, " implements {interface}")?;
        }
        writeln!(out, " version {}.{}{}", self.major_version(), self.minor_version(), FlagsText(self.access(), CLASS_FLAGS))?;
        self.write_attributes(out)?;
        for field in self.fields() {
            write!(out, "field {} {}{}", field.name(), field.descriptor(), FlagsText(field.access(), FIELD_FLAGS))?;
            write_optional(out, " signature ", field.signature())?;
            match field.constant_value() {
                Ok(None) => {}
                Ok(Some(value)) => write!(out, " = {}", ConstantText(&value))?,
                Err(error) => write!(out, " ?? {error}")?,
            }
            writeln!(out)?;
        }
        for method in self.methods() {
            out.push_str(&method.dump());
        }
        Ok(())
    }

    fn write_attributes(&self, out: &mut String) -> fmt::Result {
        let mut line = |label: &str, value: Result<String, ParseError>| match value {
            Ok(value) => writeln!(out, "{label} {value}"),
            Err(error) => writeln!(out, "{label} ?? {error}"),
        };
        for name in self.attribute_names() {
            match name {
                "Signature" => line("signature", self.signature().map(shown))?,
                "SourceFile" => line("source", self.source_file().map(shown))?,
                "InnerClasses" => match self.inner_classes() {
                    Ok(entries) => {
                        for entry in entries {
                            let (outer, name) = (shown(entry.outer), shown(entry.name));
                            line(
                                "inner",
                                Ok(format!("{} of {outer} as {name}{}", entry.inner, FlagsText(entry.access, CLASS_FLAGS))),
                            )?;
                        }
                    }
                    Err(error) => line("inner", Err(error))?,
                },
                "EnclosingMethod" => line(
                    "enclosed",
                    self.enclosing_method().map(|enclosing| match enclosing {
                        Some(found) => {
                            let (name, descriptor) = found.method.unwrap_or(("-", ""));
                            format!("{} {name}{descriptor}", found.class)
                        }
                        None => "-".into(),
                    }),
                )?,
                "NestHost" => line("nest-host", self.nest_host().map(shown))?,
                "NestMembers" => line("nest-members", self.nest_members().map(|names| names.join(" ")))?,
                "PermittedSubclasses" => line("permits", self.permitted_subclasses().map(|names| names.join(" ")))?,
                "Record" => match self.record_components() {
                    Ok(components) => {
                        for component in components.unwrap_or_default() {
                            let signature = component.signature.map(|text| format!(" signature {text}")).unwrap_or_default();
                            line("component", Ok(format!("{} {}{signature}", component.name, component.descriptor)))?;
                        }
                    }
                    Err(error) => line("component", Err(error))?,
                },
                "BootstrapMethods" => match self.bootstrap_methods() {
                    Ok(methods) => {
                        for (number, method) in methods.iter().enumerate() {
                            let pool = self.constant_pool();
                            let arguments: Vec<_> = method.arguments.iter().map(|&index| constant(pool, index)).collect();
                            let handle = HandleText(method.handle.kind, method.handle.member);
                            line("bootstrap", Ok(format!("{number} {handle} ({})", arguments.join(", "))))?;
                        }
                    }
                    Err(error) => line("bootstrap", Err(error))?,
                },
                other => line("attribute", Ok(other.to_owned()))?,
            }
        }
        Ok(())
    }
}

impl Method<'_> {
    /// The method with its code, a line for each attribute and instruction.
    pub fn dump(&self) -> String {
        let mut out = String::new();
        self.write_dump(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write_dump(&self, out: &mut String) -> fmt::Result {
        write!(out, "method {}{}{}", self.name(), self.descriptor(), FlagsText(self.access(), METHOD_FLAGS))?;
        write_optional(out, " signature ", self.signature())?;
        match self.exceptions() {
            Ok(names) if names.is_empty() => {}
            Ok(names) => write!(out, " throws {}", names.join(" "))?,
            Err(error) => write!(out, " throws ?? {error}")?,
        }
        match self.code() {
            Ok(Some(code)) => {
                writeln!(out, " stack {} locals {}", code.max_stack, code.max_locals)?;
                write_code(out, &code, self.class().constant_pool())?;
            }
            Ok(None) => writeln!(out)?,
            Err(error) => writeln!(out, " ?? {error}")?,
        }
        for name in self.attribute_names() {
            if !matches!(name, "Code" | "Signature" | "Exceptions") {
                writeln!(out, "  attribute {name}")?;
            }
        }
        Ok(())
    }
}

fn write_code(out: &mut String, code: &Code, pool: &ConstantPool) -> fmt::Result {
    for instruction in &code.instructions {
        for line in code.line_numbers.iter().filter(|line| line.bci == instruction.bci) {
            writeln!(out, "  line {}", line.line)?;
        }
        if let Some(frame) = code.frame_at(instruction.bci) {
            let types = |entries: &[VerificationType]| {
                let entries: Vec<String> = entries.iter().map(|&entry| verification_type(code, pool, entry)).collect();
                entries.join(", ")
            };
            writeln!(out, "  frame [{}] [{}]", types(&frame.locals), types(&frame.stack))?;
        }
        writeln!(out, "  {:5}: {}", instruction.bci, instruction_text(instruction, pool))?;
    }
    for handler in &code.handlers {
        let catch_type = handler.catch_type.as_deref().unwrap_or("any");
        writeln!(out, "  handler {}..{} -> {} {catch_type}", handler.start, handler.end, handler.handler)?;
    }
    for variable in &code.local_variables {
        let (start, end, slot) = (variable.start, variable.end, variable.slot);
        writeln!(out, "  variable {start}..{end} slot {slot} {} {}", variable.name, variable.descriptor)?;
    }
    Ok(())
}

fn verification_type(code: &Code, pool: &ConstantPool, entry: VerificationType) -> String {
    match entry {
        VerificationType::Top => "top".into(),
        VerificationType::Integer => "int".into(),
        VerificationType::Float => "float".into(),
        VerificationType::Long => "long".into(),
        VerificationType::Double => "double".into(),
        VerificationType::Null => "null".into(),
        VerificationType::UninitializedThis => "uninitialized this".into(),
        VerificationType::Uninitialized(bci) => format!("uninitialized {bci}"),
        VerificationType::Object(_) | VerificationType::Parameter(_) => match code.type_of(entry, pool) {
            Ok(Some(found)) => found.class_name().unwrap_or_default(),
            Ok(None) => "??".into(),
            Err(error) => format!("?? {error}"),
        },
    }
}

/// Mnemonic and operands, without the bci.
fn instruction_text(instruction: &Instruction, pool: &ConstantPool) -> String {
    let mnemonic = instruction.mnemonic();
    let wide = if instruction.wide { "wide " } else { "" };
    let operands = match &instruction.op {
        // The mnemonic of a short form contains the operand.
        Op::IntConst(value) if instruction.len > 1 => value.to_string(),
        Op::Load(_, local) | Op::Store(_, local) if instruction.len > 1 => local.to_string(),
        Op::Ret(local) => local.to_string(),
        Op::Iinc { local, delta } => format!("{local} {delta}"),
        Op::Ldc(index) if (LDC..=LDC2_W).contains(&instruction.opcode) => constant(pool, *index),
        Op::TableSwitch(switch) => {
            let cases = switch.targets.iter().enumerate();
            let cases: Vec<_> =
                cases.map(|(case, target)| format!("{}: {target}", i64::from(switch.low) + case as i64)).collect();
            format!("{{{}, default: {}}}", cases.join(", "), switch.default)
        }
        Op::LookupSwitch(switch) => {
            let mut cases: Vec<_> = switch.pairs.iter().map(|(key, target)| format!("{key}: {target}")).collect();
            cases.push(format!("default: {}", switch.default));
            format!("{{{}}}", cases.join(", "))
        }
        Op::InvokeInterface { method, count } => format!("{} {count}", constant(pool, *method)),
        Op::MultiANewArray { class, dimensions } => format!("{} {dimensions}", constant(pool, *class)),
        Op::NewArray(element) => element.keyword().into(),
        Op::InvokeDynamic(index) | Op::New(index) | Op::ANewArray(index) | Op::CheckCast(index) | Op::InstanceOf(index) => {
            constant(pool, *index)
        }
        op => match (op.jump_target(), op.member_index()) {
            (Some(target), _) => target.to_string(),
            (_, Some(index)) => constant(pool, index),
            _ => return mnemonic.into(),
        },
    };
    format!("{wide}{mnemonic} {operands}")
}

fn constant(pool: &ConstantPool, index: u16) -> String {
    match pool.get(index) {
        Ok(constant) => ConstantText(&constant).to_string(),
        Err(error) => format!("?? {error}"),
    }
}

struct ConstantText<'a>(&'a Constant<'a>);

impl Display for ConstantText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Constant::Utf8(text) => write!(f, "utf8 {text:?}"),
            Constant::Integer(value) => write!(f, "int {value}"),
            Constant::Float(value) => write!(f, "float {value:?}"),
            Constant::Long(value) => write!(f, "long {value}"),
            Constant::Double(value) => write!(f, "double {value:?}"),
            Constant::Class(name) => write!(f, "class {name}"),
            Constant::String(units) => {
                f.write_str("\"")?;
                for unit in char::decode_utf16(units.iter().copied()) {
                    match unit {
                        Ok(unit) => write!(f, "{}", unit.escape_debug())?,
                        Err(lone) => write!(f, "\\u{{{:x}}}", lone.unpaired_surrogate())?,
                    }
                }
                f.write_str("\"")
            }
            Constant::Field(member) | Constant::Method(member) | Constant::InterfaceMethod(member) => MemberText(*member).fmt(f),
            Constant::NameAndType(pair) => write!(f, "{} {}", pair.name, pair.descriptor),
            Constant::MethodHandle(handle) => HandleText(handle.kind, handle.member).fmt(f),
            Constant::MethodType(descriptor) => write!(f, "type {descriptor}"),
            Constant::Dynamic(site) | Constant::InvokeDynamic(site) => {
                write!(f, "bootstrap {} {} {}", site.bootstrap, site.name, site.descriptor)
            }
            Constant::Module(name) => write!(f, "module {name}"),
            Constant::Package(name) => write!(f, "package {name}"),
        }
    }
}

struct MemberText<'a>(MemberRef<'a>);

impl Display for MemberText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MemberRef { owner, name, descriptor, is_interface } = self.0;
        write!(f, "{}{owner}.{name} {descriptor}", if is_interface { "interface " } else { "" })
    }
}

struct HandleText<'a>(u8, MemberRef<'a>);

impl Display for HandleText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KINDS: [&str; 10] = [
            "?",
            "getField",
            "getStatic",
            "putField",
            "putStatic",
            "invokeVirtual",
            "invokeStatic",
            "invokeSpecial",
            "newInvokeSpecial",
            "invokeInterface",
        ];
        let kind = KINDS.get(usize::from(self.0)).unwrap_or(&KINDS[0]);
        write!(f, "handle {kind} {}", MemberText(self.1))
    }
}

fn shown(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}

fn write_optional(out: &mut String, label: &str, text: Result<Option<&str>, ParseError>) -> fmt::Result {
    match text {
        Ok(None) => Ok(()),
        Ok(Some(text)) => write!(out, "{label}{text}"),
        Err(error) => write!(out, "{label}?? {error}"),
    }
}

type FlagNames = [&'static str; 16];

const CLASS_FLAGS: FlagNames = [
    "public",
    "private",
    "protected",
    "static",
    "final",
    "super",
    "0x40",
    "0x80",
    "0x100",
    "interface",
    "abstract",
    "strict",
    "synthetic",
    "annotation",
    "enum",
    "module",
];
const FIELD_FLAGS: FlagNames = [
    "public",
    "private",
    "protected",
    "static",
    "final",
    "0x20",
    "volatile",
    "transient",
    "0x100",
    "0x200",
    "0x400",
    "0x800",
    "synthetic",
    "0x2000",
    "enum",
    "0x8000",
];
const METHOD_FLAGS: FlagNames = [
    "public",
    "private",
    "protected",
    "static",
    "final",
    "synchronized",
    "bridge",
    "varargs",
    "native",
    "0x200",
    "abstract",
    "strict",
    "synthetic",
    "0x2000",
    "0x4000",
    "0x8000",
];

struct FlagsText(AccessFlags, FlagNames);

impl Display for FlagsText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (bit, name) in self.1.iter().enumerate() {
            if self.0.contains(1 << bit) {
                write!(f, " {name}")?;
            }
        }
        Ok(())
    }
}
