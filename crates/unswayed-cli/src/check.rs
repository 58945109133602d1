//! `unswayed check`: the same as the program `unswayed-check`.

use std::process::ExitCode;

use unswayed_check::Files;

use crate::args::CheckFlags;
use crate::print;
use crate::progress::Busy;

pub fn run(flags: &CheckFlags, as_json: bool) -> ExitCode {
    let CheckFlags { certificate, data, labels, target, expect, memory } = flags;
    let files = Files {
        certificate: certificate.clone(),
        data: data.clone(),
        labels: labels.clone(),
        target: target.clone(),
        memory: *memory,
    };
    let checked = {
        let _busy = Busy::with("checking");
        files.check().expect(expect)
    };
    if as_json {
        print::json(&checked.json());
    } else {
        print::text(&checked.text());
    }
    checked.code().into()
}
