//! The checker from the outside, in one program.
//!
//! By default everything is small and takes seconds. With `UNSWAYED_FULL=1` the searches for counterexamples and the
//! changes of files are many times as long.
#![allow(
    clippy::too_many_lines,
    clippy::items_after_statements,
    clippy::semicolon_if_nothing_returned,
    clippy::needless_pass_by_value,
    clippy::enum_glob_use,
    clippy::float_cmp,
    clippy::format_collect,
    clippy::type_complexity,
    clippy::single_match_else,
    clippy::assigning_clones,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "tables of cases are long, exact numbers are compared exactly, and nothing here has to be fast"
)]

mod arrivals;
mod boundaries;
mod bounds;
mod common;
mod confidence;
mod contraction;
mod docs;
mod expect;
mod files;
mod format;
mod hostile;
mod intercepts;
mod levels;
mod levels_edges;
mod levels_start;
mod levels_truth;
mod mean;
mod moments;
mod momentum;
mod mutations;
mod oracles;
mod paper;
mod rates;
mod rejections;
mod rule;
mod rules;
mod seeds;
mod sparse;
mod steps;
mod truth;
