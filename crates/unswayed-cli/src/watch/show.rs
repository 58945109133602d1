//! What a watch prints: its statement once, then a line for each update.

use serde_json::json;
use unswayed::Problem;
use unswayed::monitor::{MEANING, Update};

use crate::{Stop, print};

pub struct Show {
    as_json: bool,
    is_stated: bool,
    /// The newest line that was skipped and not yet spoken of.
    skipped: Option<String>,
}

impl Show {
    pub fn new(as_json: bool) -> Self {
        Show { as_json, is_stated: false, skipped: None }
    }

    /// Remembers a line that was skipped.
    pub fn skipped(&mut self, message: String) {
        self.skipped = Some(message);
    }

    /// Prints an update, and before the first one what all of them are about.
    pub fn update(
        &mut self,
        update: &Update,
        problem: &Problem,
        skipped: u64,
        verify: Option<&str>,
    ) -> Result<(), Stop> {
        if !self.is_stated {
            self.state(problem)?;
        }
        let newest = self.skipped.take();
        if self.as_json {
            let mut object = serde_json::to_value(update)?;
            object["event"] = "update".into();
            object["skipped"] = skipped.into();
            object["verify"] = verify.into();
            print::json(&object);
            return Ok(());
        }
        if let Some(message) = newest {
            print::text(&format!("skipped {skipped} lines so far, the newest: {message}\n"));
        }
        print::text(&(line(&cells(update)) + "\n"));
        if let Some(message) = &update.message {
            print::text(&format!("  {message}\n"));
        }
        Ok(())
    }

    fn state(&mut self, problem: &Problem) -> Result<(), Stop> {
        self.is_stated = true;
        let statement = problem.statement();
        // Each update is about other rows.
        let lines: Vec<_> = statement.lines().into_iter().filter(|(name, _)| *name != "rows").collect();
        if self.as_json {
            let assumes = statement.assumptions();
            print::json(&json!({
                "event": "statement",
                "lines": lines,
                "assumes": assumes,
                "meaning": MEANING,
                "learner": serde_json::to_value(&statement.learner)?,
                "threat": serde_json::to_value(&statement.threat)?,
            }));
            return Ok(());
        }
        let rows: Vec<String> = problem.data().iter().map(|data| data.rows().to_string()).collect();
        let more = [
            ("window", format!("{} rows", rows.join(" + "))),
            ("assumes", statement.assumptions()),
            ("meaning", MEANING.to_owned()),
        ];
        let lines = lines.into_iter().chain(more).collect();
        print::text(&format!("{}\n{}\n", print::lines(lines), line(&HEADER.map(str::to_owned))));
        Ok(())
    }
}

const HEADER: [&str; 11] = [
    "time (UTC)",
    "rows seen",
    "benign loss",
    "attack loss",
    "certified loss",
    "benign error",
    "attack error",
    "certified error",
    "status",
    "seconds",
    "",
];

fn cells(update: &Update) -> [String; 11] {
    let up = |value: Option<f64>| value.map_or("-".to_owned(), print::up);
    let down = |value: Option<f64>| value.map_or("-".to_owned(), print::down);
    [
        utc(update.time),
        update.rows.to_string(),
        down(update.benign_loss),
        down(update.attack_loss),
        up(update.certified_loss),
        down(update.benign_error),
        down(update.attack_error),
        up(update.certified_error),
        update.status.clone(),
        format!("{:.2}", update.seconds),
        if update.alarm { "ALARM" } else { "" }.to_owned(),
    ]
}

/// Cells in columns of fixed widths: what comes later is not known yet.
fn line(cells: &[String; 11]) -> String {
    let widths = [20, 10, 11, 11, 14, 12, 12, 15, 13, 7, 5];
    let padded =
        cells.iter().zip(widths).enumerate().map(|(c, (cell, width))| {
            if c == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

/// Seconds since 1970 as a date and a time of day.
pub fn utc(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    let (mut days, of_day) = (seconds / 86_400, seconds % 86_400);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0.0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_399.9), "2000-02-28T23:59:59Z");
        assert_eq!(utc(951_782_400.0), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_735_689_599.0), "2024-12-31T23:59:59Z");
        assert_eq!(utc(1_794_962_401.5), "2026-11-18T00:40:01Z");
    }
}
