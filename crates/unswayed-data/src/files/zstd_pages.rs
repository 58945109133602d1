//! Parquet columns that are compressed by Zstandard. The library that reads Parquet would need a C library for it: it is told that
//! they are not compressed, and its pages are expanded here.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use super::{LARGEST_RATIO, expand};

/// A reader of a column whose pages are compressed by Zstandard.
pub(super) fn column(content: &Bytes, column: &ColumnChunkMetaData, rows: usize) -> Result<ColumnReader> {
    let plain = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
    let pages = SerializedPageReader::new(Arc::new(content.clone()), &plain, rows, None)?;
    Ok(get_column_reader(column.column_descr_ptr(), Box::new(ZstdPages(pages))))
}

struct ZstdPages(SerializedPageReader<Bytes>);

impl Iterator for ZstdPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for ZstdPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.0.get_next_page()?.map(expanded).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
}

fn expanded(mut page: Page) -> Result<Page> {
    match &mut page {
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = expand_from(buf, 0)?,
        Page::DataPageV2 { buf, is_compressed: true, def_levels_byte_len, rep_levels_byte_len, .. } => {
            // The levels stand in front of the values, and are never compressed.
            let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
            *buf = expand_from(buf, usize::try_from(levels)?)?;
        }
        Page::DataPageV2 { .. } => {}
    }
    Ok(page)
}

/// The first bytes as they are, then the rest expanded.
fn expand_from(content: &Bytes, start: usize) -> Result<Bytes> {
    let damaged = || ParquetError::General("a page cannot be expanded".to_owned());
    let (levels, values) = content.split_at_checked(start).ok_or_else(damaged)?;
    let limit = (values.len() + 1).saturating_mul(usize::try_from(LARGEST_RATIO)?);
    let values = expand::zstd(values, limit).map_err(|_| damaged())?;
    Ok([levels, &values].concat().into())
}
