//! What reports say beside their figures: the words they use, the day they were made, the digests of the data.

use std::time::{SystemTime, UNIX_EPOCH};

use unswayed_check::{Statement, Target};

use crate::calendar::utc;

/// Words of all reports about learners.
const WORDS: [(&str, &str); 13] = [
    (
        "certified loss",
        "An upper bound, proven and verified in exact arithmetic: no adversary of the statement, however it adapts, gets the long-run average of the loss above it. Rounded up.",
    ),
    ("certified error", "The same for the fraction of points that are misclassified."),
    (
        "attack loss, attack error",
        "What an attack reaches: a lower bound on the harm that is possible. Simulated, with a 95 % confidence interval. Rounded down.",
    ),
    (
        "fixed-point attack",
        "One point that is sent again and again, and the place where it holds the learner: what the attack reaches for small learning rates, without simulation.",
    ),
    (
        "gap",
        "Certified divided by attack loss. The worst case lies between the two; at a gap of 1 it is known.",
    ),
    (
        "benign loss, benign error",
        "Where the learner settles if nobody poisons it, for small learning rates.",
    ),
    ("poison rate ε", "The probability that a point is the adversary's."),
    ("learning rate η", "The length of a step of the learner."),
    (
        "regularization σ",
        "How strongly the model is drawn to 0; each step forgets the share ησ of the model.",
    ),
    (
        "radius R",
        "The largest norm of a poisoned point that reaches the learner. It has to be enforced, by clipping or refusing longer points.",
    ),
    ("point z", "Label times features, where the label is −1 or +1; chosen minus rejected for preferences."),
    ("transient", "The steps after which the start adds less than 1 % to the certified loss."),
    ("vacuous", "Proven, but no better than the loss of a model that never learns."),
];

/// The words of a report.
pub fn glossary() -> Vec<(String, String)> {
    WORDS.map(|(word, meaning)| (word.to_owned(), meaning.to_owned())).to_vec()
}

/// The digests of the rows that a statement is about.
pub fn digests(statement: &Statement) -> Vec<(String, String)> {
    let target = if let Target::Rows(origin) = &statement.target { Some(origin) } else { None };
    let origins = statement.data.iter().chain(target);
    origins.map(|origin| ("data digest".to_owned(), format!("SHA-256 {}", origin.sha256))).collect()
}

/// The day and the minute, such as 2026-11-18 09:30 UTC.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let time = utc(seconds);
    format!("{} {} UTC", &time[..10], &time[11..16])
}
