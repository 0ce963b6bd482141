//! The index of a session file: its records, with runs in a short form without their events.
//!
//! Events are nearly all of a session file. The index is made on all cores when a file is first
//! read, and is written beside it (`*.outline`), so that later readers do not decode every event
//! again.
//!
//! In: a session file. Out: the records of its index, encoded. An index that cannot be written, or
//! that belongs to another state of the file, is made again. Must not know what the runs are used
//! for.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use tracewright_trace::session::{FRAME, MAGIC, OutlineOf, Record, Records, SessionError, encode_record};

const EXTENSION: &str = "outline";
/// Bytes of records that one thread reads at once.
const STRETCH: u64 = 8 << 20;

/// The records of an index, and why there are no more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SessionIndex {
    pub(crate) records: Vec<u8>,
    pub(crate) cut: Option<SessionError>,
}

/// The index of a session file: read from beside the file, or made and then written there if
/// possible.
///
/// # Errors
/// The outer error: the session file cannot be read. The inner error: it is no session file of a
/// known version.
pub(crate) fn index_of(file: &Path) -> io::Result<Result<SessionIndex, SessionError>> {
    let length = fs::metadata(file)?.len();
    let beside = file.with_extension(EXTENSION);
    if let Some(index) = fs::read(&beside).ok().and_then(|bytes| SessionIndex::of_file(bytes, Some(length))) {
        return Ok(Ok(index));
    }
    let index = make(file, length)?;
    if let Ok(SessionIndex { records, cut: cut @ (None | Some(SessionError::Truncated { .. })) }) = &index {
        let whole = match cut {
            Some(SessionError::Truncated { byte }) => *byte,
            _ => length,
        };
        if let Err(error) = write_index(&beside, OutlineOf { length, whole }, records) {
            tracing::debug!("no {}: {error}", beside.display());
        }
    }
    Ok(index)
}

impl SessionIndex {
    /// The index in the bytes of its own file. `None` when it is malformed, or does not belong to a
    /// session file of `length` bytes.
    pub(crate) fn of_file(bytes: Vec<u8>, length: Option<u64>) -> Option<SessionIndex> {
        let (_, Record::OutlineOf(of)) = Records::new(&bytes).ok()?.next()?.ok()? else { return None };
        let cut = (of.whole < of.length).then_some(SessionError::Truncated { byte: of.whole });
        length.is_none_or(|length| of.length == length).then_some(SessionIndex { records: bytes, cut })
    }

    /// The index of the bytes of a session file.
    ///
    /// # Errors
    /// The bytes are no session file of a known version.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Result<SessionIndex, SessionError> {
        let index = shortened(Records::new(bytes)?);
        Ok(SessionIndex { records: [&MAGIC[..], &index.records].concat(), ..index })
    }
}

fn write_index(beside: &Path, of: OutlineOf, records: &[u8]) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(beside.parent().unwrap_or(Path::new(".")))?;
    let mut head = MAGIC.to_vec();
    encode_record(&Record::OutlineOf(of), &mut head);
    file.write_all(&head)?;
    // The magic number stands in `head` already.
    file.write_all(records.get(MAGIC.len()..).unwrap_or_default())?;
    file.persist(beside)?;
    Ok(())
}

fn make(file: &Path, length: u64) -> io::Result<Result<SessionIndex, SessionError>> {
    let mut reader = BufReader::new(File::open(file)?);
    let mut begin = Vec::new();
    (&mut reader).take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    if let Err(error) = Records::new(&begin) {
        return Ok(Err(error));
    }
    let (stretches, mut cut) = stretches(&mut reader, length)?;
    let next = AtomicUsize::new(0);
    let parts: Mutex<BTreeMap<usize, io::Result<SessionIndex>>> = Mutex::default();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(stretch) = stretches.get(at) else { break };
            let part = read(file, stretch.clone()).map(|bytes| shortened(Records::from_the_middle(&bytes, stretch.start)));
            parts.lock().unwrap_or_else(PoisonError::into_inner).insert(at, part);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
        work();
    });
    let mut records = MAGIC.to_vec();
    for part in parts.into_inner().unwrap_or_else(PoisonError::into_inner).into_values() {
        let part = part?;
        records.extend(part.records);
        if part.cut.is_some() {
            cut = part.cut;
            break;
        }
    }
    Ok(Ok(SessionIndex { records, cut }))
}

/// Ranges of whole records of about [`STRETCH`] bytes, and the place where the file ends inside a
/// record.
fn stretches(reader: &mut BufReader<File>, length: u64) -> io::Result<(Vec<Range<u64>>, Option<SessionError>)> {
    let mut found: Vec<Range<u64>> = Vec::new();
    let mut at = MAGIC.len() as u64;
    while at < length {
        let mut head = [0; 5];
        let whole = if length - at < head.len() as u64 {
            None
        } else {
            reader.read_exact(&mut head)?;
            let payload = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
            Some(u64::from(payload) + FRAME as u64).filter(|whole| at + whole <= length)
        };
        let Some(whole) = whole else { return Ok((found, Some(SessionError::Truncated { byte: at }))) };
        reader.seek_relative((whole - head.len() as u64) as i64)?;
        match found.last_mut() {
            Some(last) if last.end - last.start < STRETCH => last.end = at + whole,
            _ => found.push(at..at + whole),
        }
        at += whole;
    }
    Ok((found, None))
}

fn read(file: &Path, stretch: Range<u64>) -> io::Result<Vec<u8>> {
    let mut file = File::open(file)?;
    file.seek(SeekFrom::Start(stretch.start))?;
    let mut bytes = Vec::with_capacity((stretch.end - stretch.start) as usize);
    file.take(stretch.end - stretch.start).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The whole records in their short form: runs without their events.
fn shortened(records: Records<'_>) -> SessionIndex {
    let mut index = SessionIndex::default();
    for record in records {
        match record {
            Ok((place, Record::Run(run))) => encode_record(&Record::Outlined(run.outlined(place)), &mut index.records),
            Ok((_, record)) => encode_record(&record, &mut index.records),
            Err(error) => index.cut = Some(error),
        }
    }
    index
}
