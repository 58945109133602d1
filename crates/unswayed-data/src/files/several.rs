//! Several tables as one: a folder, a pattern of names, or a list of names.

use std::path::{Path, PathBuf};

use super::source::{Format, read};
use crate::error::{DataError, Problem};

/// The files that a path stands for, in the order of their rows, if it stands for several:
///
/// - a folder: the tables in it, in the order of the bytes of their names;
/// - a name with `*` (any characters) or `?` (one): the files of its folder with such a name, in the same order;
/// - `@` and the name of a text file: the files that it names, one a line, in that order. Names are relative to its folder; empty
///   lines and lines that begin with `#` are skipped.
///
/// A file that has such a name itself is that file.
pub(super) fn files(path: &Path) -> Option<Result<Vec<PathBuf>, DataError>> {
    if path.is_dir() {
        let is_table =
            |file: &Path| matches!(Format::of_name(file), Some((Format::Text(_) | Format::Parquet, _)));
        return Some(in_folder(path, is_table).and_then(not_none));
    }
    let name = path.file_name()?.to_str()?;
    if path.exists() {
        return None;
    }
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    if let Some(list) = list(path) {
        return Some(named_in(&list).and_then(not_none));
    }
    if !name.contains(['*', '?']) {
        return None;
    }
    let fits = |file: &Path| {
        let file = file.file_name().and_then(|file| file.to_str());
        file.is_some_and(|file| matches(name, file))
    };
    let found = in_folder(folder, fits).map(|files| {
        // As the user would name them.
        let is_here = folder == Path::new(".");
        let named =
            |file: PathBuf| if is_here { file.file_name().map_or(file.clone(), PathBuf::from) } else { file };
        files.into_iter().map(named).collect()
    });
    Some(found.and_then(not_none))
}

/// Whether a path stands for several files, as far as its form tells.
pub(super) fn is_several(path: &Path) -> bool {
    let is_pattern =
        || path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.contains(['*', '?']));
    path.is_dir() || !path.exists() && (list(path).is_some() || is_pattern())
}

/// The text file of a list.
pub(super) fn list(path: &Path) -> Option<PathBuf> {
    path.to_str()?.strip_prefix('@').filter(|name| !name.is_empty()).map(PathBuf::from)
}

fn not_none(files: Vec<PathBuf>) -> Result<Vec<PathBuf>, DataError> {
    if files.is_empty() { Err(Problem::NoTables.into()) } else { Ok(files) }
}

fn in_folder(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, DataError> {
    let unreadable = |error: std::io::Error| Problem::Unreadable(error.to_string());
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if is_wanted(&file) && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn named_in(list: &Path) -> Result<Vec<PathBuf>, DataError> {
    let content = read(list)?;
    let text = std::str::from_utf8(&content).map_err(|_| Problem::Damaged("it is no text".to_owned()))?;
    let names = text.lines().map(str::trim).filter(|name| !name.is_empty() && !name.starts_with('#'));
    Ok(names.map(|name| list.parent().unwrap_or(Path::new("")).join(name)).collect())
}

/// Whether a name is of a pattern's form.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // The last star, and where what it stands for ends.
    let mut star: Option<(usize, usize)> = None;
    let (mut at, mut reached) = (0, 0);
    while reached < name.len() {
        match (pattern.get(at), star) {
            (Some('*'), _) => {
                star = Some((at, reached));
                at += 1;
            }
            (Some(c), _) if *c == '?' || *c == name[reached] => {
                at += 1;
                reached += 1;
            }
            (_, Some((place, end))) => {
                star = Some((place, end + 1));
                (at, reached) = (place + 1, end + 1);
            }
            (_, None) => return false,
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_any_characters_and_question_marks_for_one() {
        for name in ["part-1.csv", "part-.csv", "part-ä.csv", "part-1.csv.csv"] {
            assert!(matches("part-*.csv", name), "{name}");
        }
        for name in ["part-1.csv.gz", "apart-1.csv", "part-1_csv", ""] {
            assert!(!matches("part-*.csv", name), "{name}");
        }
        assert!(matches("p?.csv", "pä.csv") && !matches("p?.csv", "p.csv") && !matches("p?.csv", "p12.csv"));
        assert!(matches("*a*b*", "xxaxxbaab") && !matches("*a*b*", "bbba") && matches("*", ""));
    }
}
