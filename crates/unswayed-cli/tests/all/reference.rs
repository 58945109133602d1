//! `docs/reference/command.md` is what the command says of itself. `UNSWAYED_BLESS=1` writes it.

use std::fmt::Write as _;
use std::path::Path;

use super::{text, unswayed};

const HEAD: &str = "# The command\n\nWhat `unswayed --help` and the help of each command print.\n";

/// The commands that `unswayed --help` lists.
fn commands(help: &str) -> Vec<&str> {
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect()
}

#[test]
fn the_reference_of_the_command_is_its_help() {
    let help_of = |arguments: &[&str]| text(&unswayed(".", arguments).stdout);
    let help = help_of(&["--help"]);
    let names = commands(&help);
    assert!(names.len() >= 10, "{names:?}");
    let mut page = format!("{HEAD}\n```text\n{}\n```\n", help.trim_end());
    for name in names {
        let help = help_of(&[name, "--help"]);
        write!(page, "\n## {name}\n\n```text\n{}\n```\n", help.trim_end()).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/command.md");
    if std::env::var_os("UNSWAYED_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written == page,
        "docs/reference/command.md is not what --help prints; UNSWAYED_BLESS=1 writes it"
    );
}
