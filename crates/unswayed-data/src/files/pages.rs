//! A look at what a Parquet file claims, before the library that reads it believes it.
//!
//! The library asks for as much memory as page headers tell it to, and follows nested columns however deep they are. Page
//! headers and the schema are in Thrift's compact protocol, of which this file reads as much as it needs.

use super::LARGEST_RATIO;

/// Encodings whose decoders ask for no more memory than there are values: PLAIN, PLAIN_DICTIONARY, RLE, BIT_PACKED,
/// DELTA_BINARY_PACKED, RLE_DICTIONARY, BYTE_STREAM_SPLIT.
const ENCODINGS: [i64; 7] = [0, 2, 3, 4, 5, 8, 9];
/// A table has no columns within columns; lists have two levels more.
const DEEPEST: usize = 64;

/// Why the pages of a column are refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Damaged,
    Encoding,
}

/// Refuses the pages of a column of so many rows if they claim more than they can hold.
pub(super) fn check_column(chunk: &[u8], rows: u64) -> Result<(), Refusal> {
    let mut rest = Thrift(chunk);
    while !rest.0.is_empty() {
        let page = Page::read(&mut rest).ok_or(Refusal::Damaged)?;
        let [compressed, uncompressed] = [page.compressed, page.uncompressed].map(u64::try_from);
        let (Ok(compressed), Ok(uncompressed)) = (compressed, uncompressed) else {
            return Err(Refusal::Damaged);
        };
        // A dictionary's entries have at least four bytes each.
        let most = if page.is_dictionary { uncompressed / 4 } else { rows };
        let fits = u64::try_from(page.values).is_ok_and(|values| values <= most);
        if !fits || uncompressed > LARGEST_RATIO * (compressed + 1) {
            return Err(Refusal::Damaged);
        }
        if !ENCODINGS.contains(&page.encoding) {
            return Err(Refusal::Encoding);
        }
        let length = usize::try_from(compressed).map_err(|_| Refusal::Damaged)?;
        rest.0 = rest.0.get(length..).ok_or(Refusal::Damaged)?;
    }
    Ok(())
}

/// Whether the schema in a file's footer is nested no deeper than a reader can follow.
pub(super) fn is_shallow(file: &[u8]) -> bool {
    // … metadata, its length in four bytes, PAR1
    let depth = || {
        let (rest, _) = file.split_last_chunk::<4>()?;
        let (rest, length) = rest.split_last_chunk()?;
        let start = rest.len().checked_sub(u32::from_le_bytes(*length) as usize)?;
        schema_depth(&mut Thrift(&rest[start..]))
    };
    depth().is_some_and(|depth| depth <= DEEPEST)
}

/// How deep the elements in field 2 of the metadata are nested, in depth-first order with their numbers of children.
fn schema_depth(metadata: &mut Thrift) -> Option<usize> {
    let (mut field, mut deepest) = (0, 0);
    while let kind @ 1.. = metadata.field(&mut field)? {
        if field != 2 || kind != LIST {
            metadata.skip(kind, 0)?;
            continue;
        }
        let (kind, length) = metadata.list()?;
        // For each group that is open, how many of its children are still to come.
        let mut open: Vec<i64> = Vec::new();
        for _ in 0..length {
            while open.last() == Some(&0) {
                open.pop();
            }
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            let children = if kind == STRUCT { metadata.number_in_struct(5)? } else { return None };
            open.push(children.max(0));
            deepest = deepest.max(open.len());
        }
    }
    Some(deepest)
}

/// What a page header says.
#[derive(Default)]
struct Page {
    compressed: i64,
    uncompressed: i64,
    is_dictionary: bool,
    values: i64,
    encoding: i64,
}

impl Page {
    fn read(thrift: &mut Thrift) -> Option<Page> {
        let mut page = Page::default();
        let mut field = 0;
        while let kind @ 1.. = thrift.field(&mut field)? {
            match (field, kind) {
                (2, INT) => page.uncompressed = thrift.int()?,
                (3, INT) => page.compressed = thrift.int()?,
                // Data pages of both versions, and dictionaries: values first, the encoding second or fourth.
                (5 | 7, STRUCT) => page.contents(thrift, 2)?,
                (8, STRUCT) => page.contents(thrift, 4)?,
                _ => thrift.skip(kind, 0)?,
            }
            page.is_dictionary |= field == 7;
        }
        Some(page)
    }

    fn contents(&mut self, thrift: &mut Thrift, encoding: i64) -> Option<()> {
        let mut field = 0;
        while let kind @ 1.. = thrift.field(&mut field)? {
            match kind {
                INT if field == 1 => self.values = self.values.max(thrift.int()?),
                INT if field == encoding => self.encoding = thrift.int()?,
                _ => thrift.skip(kind, 1)?,
            }
        }
        Some(())
    }
}

const INT: u8 = 5;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// What is left to read. Every function returns `None` if that is not what it should be.
struct Thrift<'a>(&'a [u8]);

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn int(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    /// The type of the next field of a struct, and its number; type 0 at its end.
    fn field(&mut self, number: &mut i64) -> Option<u8> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(0);
        }
        *number = if byte >> 4 == 0 { self.int()? } else { *number + i64::from(byte >> 4) };
        Some(byte & 0xf).filter(|kind| *kind != 0)
    }

    /// The type of a list's elements, and how many there are.
    fn list(&mut self) -> Option<(u8, u64)> {
        let byte = self.byte()?;
        let length = if byte >> 4 == 15 { self.unsigned()? } else { u64::from(byte >> 4) };
        Some((byte & 0xf, length))
    }

    /// The number in a field of a struct, 0 if it is not there; the other fields are skipped.
    fn number_in_struct(&mut self, wanted: i64) -> Option<i64> {
        let (mut field, mut number) = (0, 0);
        while let kind @ 1.. = self.field(&mut field)? {
            match kind {
                INT if field == wanted => number = self.int()?,
                _ => self.skip(kind, 1)?,
            }
        }
        Some(number)
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            1 | 2 => {}
            3 => {
                self.byte()?;
            }
            4..=6 => {
                self.unsigned()?;
            }
            7 => self.0 = self.0.get(8..)?,
            8 => {
                let length = usize::try_from(self.unsigned()?).ok()?;
                self.0 = self.0.get(length..)?;
            }
            9 | 10 => {
                let (kind, length) = self.list()?;
                for _ in 0..length {
                    // A truth value takes a byte in a list, and none in a field.
                    self.skip(if matches!(kind, 1 | 2) { 3 } else { kind }, depth + 1)?;
                }
            }
            STRUCT => {
                let mut field = 0;
                while let kind @ 1.. = self.field(&mut field)? {
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}
