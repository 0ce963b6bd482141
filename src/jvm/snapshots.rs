//! Reads values of variables as `Snapshots.java` writes them. In: the payload of a frame, the classes
//! that the worker announced; out: snapshots, or nothing where the bytes are malformed.

use super::wire::{AnnouncedClasses, PayloadReader};
use crate::execution::{ContainerKind, HeldValues, Snapshot};
use crate::program::ClassName;

/// Depth of nested arrays, boxes and contents in a snapshot.
const DEEPEST: u32 = 16;

/// Reads one value. `depth`: the number of values around it.
pub(super) fn decode_snapshot(reader: &mut PayloadReader<'_>, classes: &AnnouncedClasses, depth: u32) -> Option<Snapshot> {
    Some(match reader.u8()? {
        0 => Snapshot::Absent,
        1 => Snapshot::Null,
        2 => Snapshot::Boolean(reader.flag()?),
        3 => Snapshot::Byte(reader.u8()? as i8),
        4 => Snapshot::Char(reader.u16()?),
        5 => Snapshot::Short(reader.u16()? as i16),
        6 => Snapshot::Int(reader.i32()?),
        7 => Snapshot::Long(reader.u64()? as i64),
        8 => Snapshot::Float(reader.u32()?),
        9 => Snapshot::Double(reader.u64()?),
        10 => Snapshot::Str(if reader.flag()? { Some(reader.chars()?) } else { None }),
        11 if depth < DEEPEST => Snapshot::Boxed(Box::new(decode_snapshot(reader, classes, depth + 1)?)),
        12 => Snapshot::Enum { class: classes.class(reader.u32()?)?, constant: reader.string()? },
        13 => Snapshot::ClassLiteral(classes.get(reader.u32()?)?),
        14 if depth < DEEPEST => {
            let element = classes.get(reader.u32()?)?;
            let length = reader.u32()?;
            let mut elements = None;
            if reader.flag()? {
                let list = elements.insert(Vec::new());
                for _ in 0..length {
                    list.push(decode_snapshot(reader, classes, depth + 1)?);
                }
            }
            Snapshot::Array { element, length, elements }
        }
        15 if depth < DEEPEST => {
            let class = classes.class(reader.u32()?)?;
            let same_as = u32::try_from(reader.i32()?).ok();
            let size = u32::try_from(reader.i32()?).ok();
            let contents = match container_kind(reader.u8()?, &class)? {
                None => None,
                Some(kind) => {
                    let elements = reader.list(|reader| decode_snapshot(reader, classes, depth + 1))?;
                    Some(HeldValues::new(kind, elements))
                }
            };
            let to_string = if reader.flag()? { Some(reader.chars()?) } else { None };
            Snapshot::Object { class, same_as, size, contents, to_string }
        }
        _ => return None,
    })
}

/// The kind of a container by its number in `Snapshots.java`; `None` inside for another object.
fn container_kind(number: u8, class: &ClassName) -> Option<Option<ContainerKind>> {
    Some(match number {
        0 => None,
        1 => Some(ContainerKind::List),
        2 => Some(ContainerKind::Set),
        3 => Some(ContainerKind::Map),
        4 => Some(ContainerKind::Optional),
        5 => Some(ContainerKind::Record(class.clone())),
        6 => Some(ContainerKind::Value(named_class(class))),
        _ => return None,
    })
}

/// The class of a value by which a test names it.
fn named_class(class: &ClassName) -> ClassName {
    match class.internal() {
        "java/time/ZoneRegion" => ClassName::new("java/time/ZoneId"),
        _ => class.clone(),
    }
}
