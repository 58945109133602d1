//! What reports say beside their figures: the words they use, the day they were made, the digests of the data.

use std::time::{SystemTime, UNIX_EPOCH};

use unswayed_check::{Statement, Target};

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
    date(seconds)
}

/// A time in seconds after 1970 began.
fn date(seconds: u64) -> String {
    let leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let (mut days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02} {:02}:{:02} UTC", days + 1, minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_399), "2000-02-28 23:59 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(951_868_800), "2000-03-01 00:00 UTC");
        assert_eq!(date(1_798_761_599), "2026-12-31 23:59 UTC");
        assert_eq!(date(4_107_542_399), "2100-02-28 23:59 UTC");
        assert_eq!(date(4_107_542_400), "2100-03-01 00:00 UTC");
    }
}
