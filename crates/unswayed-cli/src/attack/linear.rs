//! `unswayed attack` for all linear learners but the hinge learner against a ball, and the attacks beside their bounds.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::Dataset;
use unswayed::attack::{Attack, Attacked, LinearSuite};
use unswayed::certify::Benign;
use unswayed_report::about::{LinearSubject, loss_name, subject_lines};

use super::{SAVED_POINTS, effort, save, table, to_json};
use crate::args::{AttackFlags, Attacks};
use crate::learner::{Flags, Task};
use crate::progress::Busy;
use crate::{Stop, print};

pub fn run(flags: &AttackFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let AttackFlags { data, read, setting, learner, .. } = flags;
    let asked = Flags { data, read, setting, learner, confidence: None };
    let task = asked.task()?;
    let datasets: Vec<&Dataset> = task.data.iter().collect();
    let test =
        flags.test.as_ref().map(|path| asked.test(path, flags.test_labels.as_deref(), &task)).transpose()?;
    let began = Instant::now();
    let busy = Busy::with("simulating attacks");
    let mut suite = LinearSuite::new(&datasets, &task.learner, task.target.as_ref())?
        .with_effort(effort(flags.attacks))
        .with_seed(setting.seed);
    if let Some(test) = &test {
        suite = suite.with_test(test)?;
    }
    let attacks = chosen(flags, &suite);
    let results = suite.run(&attacks)?;
    drop(busy);
    if let Some(path) = &flags.save {
        save(path, &attacks, datasets[0].dimension(), |attack| suite.poison_points(attack, SAVED_POINTS))?;
    }
    if as_json {
        let mut object = task.to_json(learner);
        object["attacks"] = results.iter().map(to_json).collect::<Vec<Value>>().into();
        object["benign_loss"] = json!(suite.benign().loss);
        object["benign_error"] = json!(suite.benign().error);
        object["seed"] = json!(setting.seed);
        object["seconds"] = json!(began.elapsed().as_secs_f64());
        print::json(&object);
    } else {
        print::text(&describe(&task, &datasets, suite.benign(), &results));
    }
    Ok(ExitCode::SUCCESS)
}

/// What stands beside a bound: the learner without adversary, and the strongest attack if any are wanted.
pub fn beside(
    data: &[&Dataset],
    task: &Task,
    attacks: Attacks,
    seed: u64,
) -> Result<(Benign, Option<Attacked>), Stop> {
    let _busy = Busy::with("simulating attacks");
    let suite = LinearSuite::new(data, &task.learner, task.target.as_ref())?;
    let suite = suite.with_effort(effort(attacks)).with_seed(seed);
    let results = suite.run(&offered(attacks, &suite))?;
    Ok((suite.benign().clone(), unswayed::attack::strongest(&results).cloned()))
}

/// The attacks that are wanted, as far as there are such on this learner.
fn offered(attacks: Attacks, suite: &LinearSuite) -> Vec<Attack> {
    let wanted = |attack: &Attack| match attacks {
        Attacks::None => false,
        Attacks::Fast => Attack::FAST.contains(attack),
        Attacks::Full => true,
    };
    suite.attacks().into_iter().filter(wanted).collect()
}

fn chosen(flags: &AttackFlags, suite: &LinearSuite) -> Vec<Attack> {
    if !flags.attack.is_empty() {
        return flags.attack.clone();
    }
    [vec![Attack::None], offered(flags.attacks, suite)].concat()
}

fn describe(task: &Task, data: &[&Dataset], benign: &Benign, results: &[Attacked]) -> String {
    let subject = LinearSubject { data, target: task.target.as_ref(), learner: &task.learner };
    let mut lines = subject_lines(&subject);
    lines.push(("benign loss", format!("{}  (small learning rates)", print::down(benign.loss))));
    format!(
        "{}\n{}\n\
         loss: simulated long-run {} loss, ± its 95 % confidence interval; error: fraction misclassified\n",
        print::lines(lines),
        table(results),
        loss_name(task.learner.loss),
    )
}
