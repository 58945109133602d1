//! A report and its figures as files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::escape::slug;
use crate::{Block, Report, to_csv, to_html, to_svg};
#[cfg(feature = "png")]
use crate::{PngError, to_png};

/// Pixels of a picture to the pixel of the figure: at 640 pixels, the width of a page with 300 dots to the inch.
#[cfg(feature = "png")]
const SCALE: f32 = 3.0;

/// Why the files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be written.
    #[error("{path}: cannot be written ({source})")]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The report cannot be written as JSON.
    #[error("the report cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A table cannot be written as Parquet.
    #[error("the table cannot be written as Parquet: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// A figure cannot be drawn.
    #[cfg(feature = "png")]
    #[error("figure {id}: {source}")]
    Figure {
        /// Its name.
        id: String,
        /// Why.
        source: PngError,
    },
}

/// Writes `report.html`, `report.json`, and for each plot `figures/<id>.svg` and `.csv` (for each table only `.csv`)
/// into the folder, which is made if it is missing.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// use unswayed_report::{Report, write_folder};
/// write_folder(&Report { title: "Spam filter".into(), ..Report::default() }, folder)?;
/// let again: Report = serde_json::from_slice(&std::fs::read(folder.join("report.json"))?)?;
/// assert_eq!(again.title, "Spam filter");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_folder(report: &Report, folder: &Path) -> Result<(), Error> {
    let figures = folder.join("figures");
    std::fs::create_dir_all(&figures).map_err(|source| Error::Write { path: figures.clone(), source })?;
    write(&folder.join("report.html"), to_html(report).as_bytes())?;
    write(&folder.join("report.json"), (serde_json::to_string_pretty(report)? + "\n").as_bytes())?;
    for (id, block) in named(report) {
        write_figure(&figures, &id, block)?;
    }
    Ok(())
}

fn write_figure(figures: &Path, id: &str, block: &Block) -> Result<(), Error> {
    let file = |extension: &str| figures.join(format!("{id}.{extension}"));
    write(&file("csv"), to_csv(block).as_bytes())?;
    to_svg(block).map_or(Ok(()), |svg| write(&file("svg"), svg.as_bytes()))
}

/// Writes each plot as `figures/<id>.png` too, into the folder of [`write_folder`].
#[cfg(feature = "png")]
pub fn write_pictures(report: &Report, folder: &Path) -> Result<(), Error> {
    for (id, block) in named(report) {
        let Some(png) = to_png(block, SCALE) else { continue };
        let png = png.map_err(|source| Error::Figure { id: id.clone(), source })?;
        write(&folder.join("figures").join(format!("{id}.png")), &png)?;
    }
    Ok(())
}

/// Writes a file in full or not at all: to a neighbour first, then renamed.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut partial = path.as_os_str().to_os_string();
    partial.push(".partial");
    let done = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    done.map_err(|source| {
        let _ = std::fs::remove_file(&partial);
        Error::Write { path: path.into(), source }
    })
}

/// All plots and tables with names that are fit for files, and unique.
pub fn named(report: &Report) -> Vec<(String, &Block)> {
    let mut taken = HashSet::new();
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let named = blocks.filter_map(|block| {
        let base = slug(block.id()?);
        let name = |n: usize| if n == 1 { base.clone() } else { format!("{base}-{n}") };
        // Case does not tell files apart everywhere.
        let free = (1..10_000).map(name).find(|name| taken.insert(name.to_lowercase()))?;
        Some((free, block))
    });
    named.collect()
}
