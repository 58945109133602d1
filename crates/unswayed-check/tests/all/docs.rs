//! The documentation agrees with the code: every lemma names a file that names it, and the table of unsupported combinations is
//! the one that the checker reads. `UNSWAYED_BLESS=1` writes the table.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use unswayed_check::{Feature, RULES};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files that statements of docs/theory.md name, each with the statement's name.
fn anchors() -> Vec<(String, String)> {
    let theory = read("docs/theory.md");
    let (mut statement, mut found, mut is_code) = (String::new(), vec![], false);
    for line in theory.lines() {
        if let Some(rest) = line.strip_prefix("**") {
            let name: Vec<&str> = rest.split([' ', '.', ':', '*', '(']).take(2).collect();
            if matches!(name[..], ["Theorem" | "Lemma" | "Proposition", _]) {
                statement = name.join(" ");
            }
        }
        is_code = line.starts_with("Code:") || (is_code && line.starts_with('`'));
        if is_code {
            let paths = line.split('`').skip(1).step_by(2);
            found.extend(paths.map(|path| (statement.clone(), path.to_owned())));
        }
    }
    found
}

#[test]
fn every_statement_names_files_that_exist() {
    let anchors = anchors();
    assert!(anchors.len() >= 30, "only {} anchors", anchors.len());
    for (statement, path) in &anchors {
        assert!(root().join(path).is_file(), "{statement} names {path}, which is no file");
    }
}

/// Each file of a part is headed by a lemma or theorem, and docs/theory.md names that file.
#[test]
fn every_part_names_its_lemma() {
    let named: Vec<String> = anchors().into_iter().map(|(_, path)| path).collect();
    for folder in ["parts/rows", "parts/points", "parts"] {
        let folder = root().join("crates/unswayed-check/src").join(folder);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() || matches!(name, "mod.rs" | "tests.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let head: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
            let has_lemma = ["Lemma L", "Lemma I", "Theorem L", "Theorem H", "Theorem 4", "Section"]
                .iter()
                .any(|word| head.contains(word));
            assert!(has_lemma, "{name} is not headed by its lemma");
            assert!(named.iter().any(|path| path.ends_with(name)), "docs/theory.md does not name {name}");
        }
    }
}

/// The table of unsupported combinations, in Markdown.
fn table() -> String {
    let join = |features: &[Feature], word: &str| {
        features.iter().map(Feature::to_string).collect::<Vec<_>>().join(word)
    };
    let mut text = String::from("| unsupported | unless with | reason |\n|---|---|---|\n");
    for rule in RULES {
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            join(rule.these, " with "),
            join(rule.unless, " or "),
            rule.reason
        );
    }
    text
}

#[test]
fn the_table_of_unsupported_combinations_is_current() {
    const MARKS: [&str; 2] = ["<!-- rules: begin -->\n", "<!-- rules: end -->"];
    let path = "docs/certificate-format.md";
    let text = read(path);
    let [begin, end] = MARKS.map(|mark| text.find(mark).expect("the marks of the table"));
    let (before, after) = (&text[..begin + MARKS[0].len()], &text[end..]);
    let wanted = format!("{before}{}{after}", table());
    if std::env::var_os("UNSWAYED_BLESS").is_some() {
        std::fs::write(root().join(path), &wanted).unwrap();
    }
    assert_eq!(read(path), wanted, "run UNSWAYED_BLESS=1 cargo test -p unswayed-check docs");
}
