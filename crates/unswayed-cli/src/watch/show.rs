//! What a watch prints: its statement once, then a line for each update.

use serde_json::json;
use unswayed::Problem;
use unswayed::monitor::{MEANING, Update};
use unswayed_report::utc;

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
        utc(update.time as u64),
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
    print::aligned(cells, &[20, 10, 11, 11, 14, 12, 12, 15, 13, 7, 5])
}
