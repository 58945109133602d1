//! Tables of numbers and texts with missing values, before they are prepared.

use super::columns::{Columns, Layout, Role};
use super::source::{Format, Opened};
use super::text::{self, Cell, Dialect};
use super::{layout, located, parquet, read, refuse_unwanted, with_line};
use crate::Source;
use crate::error::{DataError, Place, Problem, excerpt};
use crate::frame::{Cells, Frame, FrameColumn, TextCells};
use crate::labels::{LabelParser, number};
use crate::make::Reading;

/// What stands for a missing value in text files, in any case.
const MISSING: [&str; 8] = ["", "na", "n/a", "nan", "null", "none", "?", "-"];
/// A table has no more cells than this for a byte of its file.
const MOST_CELLS: usize = 16;

/// Loads a table whose columns are numbers or texts, with values that may be missing. A column of a text file holds numbers if
/// every value that is not missing is one; `texts` decides otherwise: `Some(true)` for a column of texts, `Some(false)` for one
/// of numbers. Missing values are empty, or `NA`, `N/A`, `NaN`, `null`, `None`, `?` or `-`, or JSON's and Parquet's null.
///
/// # Errors
///
/// Refuses files that are missing, damaged or contradictory, values that are not finite, and columns of dates or lists.
pub fn load_frame(
    source: &Source,
    reading: &Reading,
    texts: impl Fn(&str) -> Option<bool>,
) -> Result<Frame, DataError> {
    located(source, |files| match files {
        [file] if matches!(file.format, Format::Npy | Format::Npz | Format::Svmlight) => {
            array(source, files, reading)
        }
        _ => {
            let Some(first) = files.first() else { return Err(Problem::NoTables.into()) };
            refuse_unwanted(source, first.format, reading)?;
            let frame = tables(files, layout(true, reading), &texts)?;
            checked(frame, reading)
        }
    })
}

/// The columns of an array, called x1, x2, ….
fn array(source: &Source, files: &[Opened], reading: &Reading) -> Result<Frame, DataError> {
    let table = read(source, files, &Reading { dense: true, ..reading.clone() })?.table;
    let (rows, columns) = (table.rows(), table.columns);
    let column = |j: usize| FrameColumn {
        name: format!("x{}", j + 1),
        cells: Cells::Numbers(table.x.iter().skip(j).step_by(columns).copied().collect()),
    };
    Ok(Frame { columns: (0..columns).map(column).collect(), rows, y: table.y, weights: table.weights })
}

fn tables(
    files: &[Opened],
    layout: Layout,
    texts: &impl Fn(&str) -> Option<bool>,
) -> Result<Frame, DataError> {
    let [file] = files else { return several(files, layout, texts) };
    match file.format {
        Format::Text(dialect) => text_frame(&file.content, dialect, layout, texts),
        Format::Parquet => parquet::read_frame(&file.content, layout),
        Format::Npy | Format::Npz | Format::Svmlight => Err(Problem::NoTables.into()),
    }
}

/// The rows of several files, one after the other. A column that is text in one of them is text in all.
fn several(
    files: &[Opened],
    layout: Layout,
    texts: &impl Fn(&str) -> Option<bool>,
) -> Result<Frame, DataError> {
    let each = |texts: &dyn Fn(&str) -> Option<bool>| {
        let one = |file: &Opened| {
            let frame = tables(std::slice::from_ref(file), Layout { rows: None, ..layout }, &texts);
            frame.map_err(|error| with_line(error, file).in_file(&file.path))
        };
        files.iter().map(one).collect::<Result<Vec<Frame>, DataError>>()
    };
    let mut frames = each(texts)?;
    let is_text = |name: &str| {
        let columns = frames.iter().flat_map(|frame| &frame.columns);
        columns.filter(|column| column.name == name).any(|column| matches!(column.cells, Cells::Texts(_)))
    };
    let mixed = |name: &str| texts(name).or_else(|| is_text(name).then_some(true));
    frames = each(&mixed)?;
    let mut all = Frame::default();
    for (frame, file) in frames.into_iter().zip(files) {
        let unlike = || DataError::from(Problem::UnlikeFiles(files[0].base_name())).in_file(&file.path);
        all = append(all, frame).ok_or_else(unlike)?;
    }
    Ok(first(all, layout.rows))
}

fn append(mut all: Frame, next: Frame) -> Option<Frame> {
    if all.rows == 0 {
        return Some(next);
    }
    let alike = all.columns.len() == next.columns.len();
    for (column, more) in all.columns.iter_mut().zip(next.columns) {
        match (&mut column.cells, more.cells) {
            _ if column.name != more.name => return None,
            (Cells::Numbers(numbers), Cells::Numbers(more)) => numbers.extend(more),
            (Cells::Texts(texts), Cells::Texts(more)) => more.iter().for_each(|text| texts.push(text)),
            _ => return None,
        }
    }
    all.rows += next.rows;
    if let (Some(weights), Some(more)) = (&mut all.weights, next.weights) {
        weights.extend(more);
    }
    all.y = match (all.y, next.y) {
        (None, None) => None,
        (Some(y), Some(more)) => Some(y.followed_by(more)?),
        _ => return None,
    };
    alike.then_some(all)
}

/// The first rows of a frame.
fn first(mut frame: Frame, rows: Option<usize>) -> Frame {
    let Some(wanted) = rows.filter(|rows| *rows < frame.rows) else { return frame };
    for column in &mut frame.columns {
        match &mut column.cells {
            Cells::Numbers(numbers) => numbers.truncate(wanted),
            Cells::Texts(texts) => {
                *texts = texts.iter().take(wanted).map(|text| text.map(str::to_owned)).collect();
            }
        }
    }
    frame.y = frame.y.map(|labels| labels.first(wanted));
    if let Some(weights) = &mut frame.weights {
        weights.truncate(wanted);
    }
    Frame { rows: wanted, ..frame }
}

/// Refuses what no frame may have: no rows, too few of them, weights and labels that are no numbers.
fn checked(frame: Frame, reading: &Reading) -> Result<Frame, DataError> {
    match reading.rows {
        _ if frame.rows == 0 => return Err(Problem::NoRows.into()),
        Some(wanted) if wanted > frame.rows => {
            return Err(Problem::TooFewRows { wanted, found: frame.rows }.into());
        }
        _ => {}
    }
    for column in &frame.columns {
        if let Cells::Numbers(numbers) = &column.cells
            && let Some(row) = numbers.iter().position(|number| number.is_infinite())
        {
            let place = Place { row: Some(row + 1), ..Place::column(&column.name) };
            return Err(Problem::NotFinite(numbers[row]).at(place));
        }
        if let Cells::Texts(texts) = &column.cells
            && !texts.levels().is_empty()
            && texts.levels().iter().all(|text| is_date(text))
        {
            return Err(Problem::Dates.at(Place::column(&column.name)));
        }
    }
    if let Some(labels) = &frame.y {
        let name = reading.label_column.as_deref().unwrap_or("label");
        labels.check().map_err(|error| error.in_column(name))?;
    }
    if let Some(weights) = &frame.weights {
        let name = reading.weight_column.as_deref().unwrap_or_default();
        crate::table::check_weights(weights).map_err(|error| error.in_column(name))?;
    }
    Ok(frame)
}

/// A date such as 2024-05-31, 31/05/2024 or 31.5.24, with or without a time; or a time such as 12:30.
fn is_date(text: &str) -> bool {
    let first = text.trim().split([' ', 'T']).next().unwrap_or_default();
    let separated_by = |separator: char, parts: std::ops::RangeInclusive<usize>| {
        let digits =
            |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        parts.contains(&first.split(separator).count()) && first.split(separator).all(digits)
    };
    ['-', '/', '.'].into_iter().any(|separator| separated_by(separator, 3..=3)) || separated_by(':', 2..=3)
}

fn text_frame(
    content: &[u8],
    dialect: Dialect,
    layout: Layout,
    texts: &impl Fn(&str) -> Option<bool>,
) -> Result<Frame, DataError> {
    let names = text::names(content, dialect)?;
    let Columns { roles, names: features } = Columns::new(&names, layout)?;
    let is_text = text_columns(content, dialect, &names, &roles, layout, texts)?;
    let new = |name: &String| FrameColumn { name: name.clone(), cells: Cells::Numbers(Vec::new()) };
    let mut columns: Vec<FrameColumn> = features.iter().map(new).collect();
    let (mut labels, mut weights, mut kept) = (LabelParser::default(), Vec::new(), 0);
    let most = content.len().saturating_mul(MOST_CELLS);
    text::for_each(content, dialect, &names, &roles, layout.rows, |row, cells| {
        kept = row + 1;
        if kept.saturating_mul(names.len()) > most {
            return Err(Problem::TooLarge { rows: kept, columns: names.len() }.into());
        }
        for (j, cell) in cells.iter().enumerate() {
            let read = match roles[j] {
                Role::Feature(feature) => push(&mut columns[feature].cells, cell, is_text[j]),
                Role::Weight => text::parse(cell).map(|value| weights.push(value)),
                Role::Label => labels.push(cell.as_deref().unwrap_or_default()),
                Role::StepWeight | Role::Ignored => Ok(()),
            };
            read.map_err(|problem| problem.at(Place::row(row).at_column(j, &names)))?;
        }
        Ok(())
    })?;
    Ok(Frame {
        columns,
        y: layout.label_column.map(|_| labels.finish()),
        weights: layout.weight_column.map(|_| weights),
        rows: kept,
    })
}

/// For each column whether it holds texts.
fn text_columns(
    content: &[u8],
    dialect: Dialect,
    names: &[String],
    roles: &[Role],
    layout: Layout,
    texts: &impl Fn(&str) -> Option<bool>,
) -> Result<Vec<bool>, DataError> {
    let decided: Vec<Option<bool>> = names.iter().map(|name| texts(name)).collect();
    let mut found = vec![false; names.len()];
    text::for_each(content, dialect, names, roles, layout.rows, |_, cells| {
        for (j, cell) in cells.iter().enumerate().filter(|(j, _)| matches!(roles[*j], Role::Feature(_))) {
            found[j] = found[j] || present(cell).is_some_and(|text| number(text).is_none());
        }
        Ok(())
    })?;
    Ok(decided.into_iter().zip(found).map(|(decided, found)| decided.unwrap_or(found)).collect())
}

/// The text of a cell that is not missing.
fn present<'a>(cell: &'a Cell) -> Option<&'a str> {
    let text = cell.as_deref()?.trim();
    (!MISSING.iter().any(|missing| text.eq_ignore_ascii_case(missing))).then_some(text)
}

fn push(cells: &mut Cells, cell: &Cell, is_text: bool) -> Result<(), Problem> {
    let text = present(cell);
    match cells {
        Cells::Numbers(numbers) if is_text && numbers.is_empty() => {
            let mut texts = TextCells::default();
            texts.push(text);
            *cells = Cells::Texts(texts);
        }
        Cells::Texts(texts) => texts.push(text),
        Cells::Numbers(numbers) => match text.map(|text| (text, number(text))) {
            None => numbers.push(f64::NAN),
            Some((_, Some(value))) => numbers.push(value),
            Some((text, None)) => return Err(Problem::NotANumber(excerpt(text))),
        },
    }
    Ok(())
}
