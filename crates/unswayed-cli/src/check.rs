//! `unswayed check`: the same as the program `unswayed-check`.

use std::process::ExitCode;

use unswayed_check::Files;

use crate::args::CheckFlags;
use crate::print;

pub fn run(flags: &CheckFlags, as_json: bool) -> ExitCode {
    let CheckFlags { certificate, data, labels, target, expect } = flags;
    let files = Files {
        certificate: certificate.clone(),
        data: data.clone(),
        labels: labels.clone(),
        target: target.clone(),
    };
    let checked = files.check().expect(expect);
    if as_json {
        print::json(&checked.json());
    } else {
        print::text(&checked.text());
    }
    checked.code().into()
}
