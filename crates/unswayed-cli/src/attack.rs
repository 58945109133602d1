//! `unswayed attack`, and the attacks beside a bound.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::Problem;
use unswayed::attack::{Attack, Attacked, Effort, Suite};
use unswayed::data::write_arrays;
use unswayed::simulate::Estimate;
use unswayed_report::about::Stated;

use crate::args::{AttackFlags, Attacks};
use crate::problem::ProblemFlags;
use crate::progress::Busy;
use crate::{Stop, input, output, print};

/// Points of each attack that `--save` writes.
const SAVED_POINTS: usize = 1000;

pub fn run(flags: &AttackFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let asked = ProblemFlags {
        data: &flags.data,
        read: &flags.read,
        learner: &flags.learner,
        steps: &flags.steps,
        nature: &flags.nature,
    };
    if let Some(path) = &flags.save {
        let mut inputs = asked.files();
        inputs.extend(flags.start.iter().map(PathBuf::from));
        inputs.extend(flags.test.iter().chain(&flags.test_labels).cloned());
        inputs.extend(flags.test.as_ref().and_then(|test| input::labels_beside(test)));
        output::keep_inputs(path, "--save", &inputs)?;
    }
    let parts = asked.parts()?;
    let problem = parts.problem(&flags.rates)?;
    let test = flags.test.as_ref().map(|path| parts.test(path, flags.test_labels.as_deref())).transpose()?;
    let began = Instant::now();
    let busy = Busy::with("simulating attacks");
    let effort = flags.attacks.0.unwrap_or(Effort::Fast);
    let mut suite = Suite::new(&problem)?.with_effort(effort).with_seed(flags.seed);
    if let Some(test) = &test {
        suite = suite.with_test(test)?;
    }
    let attacks = match flags.attack.as_slice() {
        [] if flags.attacks == Attacks(None) => vec![Attack::None],
        [] => [vec![Attack::None], suite.usual()].concat(),
        chosen => chosen.to_vec(),
    };
    let results = match flags.horizon {
        Some(steps) => suite.run_first(&attacks, &start(flags, &problem)?, steps)?,
        None => suite.run(&attacks)?,
    };
    drop(busy);
    if let Some(path) = &flags.save {
        save(path, &attacks, &suite, parts.data[0].dimension())?;
    }
    let statement = problem.statement();
    let stated = Stated { adversary: parts.template.adversary.to_string(), ..Stated::of(statement) };
    if as_json {
        let mut object = json!({
            "attacks": results.iter().map(to_json).collect::<Vec<Value>>(),
            "benign_loss": suite.benign().loss,
            "benign_error": suite.benign().error,
            "horizon": flags.horizon,
            "effort": effort,
            "seed": flags.seed,
            "seconds": began.elapsed().as_secs_f64(),
        });
        if let (Some(object), Value::Object(stated)) =
            (object.as_object_mut(), serde_json::to_value(&stated)?)
        {
            object.extend(stated);
        }
        print::json(&object);
    } else {
        let mut lines = statement.lines();
        let benign = print::down(suite.benign().loss);
        lines.push(("benign loss", format!("{benign}  without an adversary, for small learning rates")));
        let loss = match flags.horizon {
            Some(steps) => {
                format!("simulated {} loss, average over the first {steps} steps", stated.loss_function)
            }
            None => format!("simulated long-run {} loss", stated.loss_function),
        };
        print::text(&format!(
            "{}\n{}\nloss: {loss}, ± its 95 % confidence interval; error: fraction misclassified\n",
            print::lines(lines),
            table(&results),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the learner starts, for a horizon.
fn start(flags: &AttackFlags, problem: &Problem) -> Result<Vec<f64>, Stop> {
    match &flags.start {
        Some(text) => input::vector(text, "--start"),
        None => Ok(vec![0.0; problem.parameters()]),
    }
}

/// The attacks that are run beside a bound; none if none are wanted.
pub fn beside_bound(problem: &Problem, attacks: Attacks, seed: u64) -> Result<Vec<Attacked>, Stop> {
    let Attacks(Some(effort)) = attacks else { return Ok(vec![]) };
    let _busy = Busy::with("simulating attacks");
    let suite = Suite::new(problem)?.with_effort(effort).with_seed(seed);
    Ok(suite.run(&suite.usual())?)
}

/// An attack for machines.
fn to_json(attacked: &Attacked) -> Value {
    let simulated = &attacked.simulated;
    json!({
        "attack": attacked.attack.name(),
        "attack_loss": simulated.loss.mean,
        "attack_loss_interval": [simulated.loss.low(), simulated.loss.high()],
        "attack_error": simulated.error.map(|e| e.mean),
        "attack_error_interval": simulated.error.map(|e| [e.low(), e.high()]),
        "test_loss": simulated.test_loss.map(|e| e.mean),
        "test_error": simulated.test_error.map(|e| e.mean),
        "settled_loss": attacked.steady.as_ref().map(|s| s.loss),
        "settled_error": attacked.steady.as_ref().and_then(|s| s.error),
        "steps": simulated.steps,
        "verdict": simulated.verdict.word(),
    })
}

/// A row for each attack.
fn table(results: &[Attacked]) -> String {
    let tested = results.iter().any(|r| r.simulated.test_loss.is_some());
    let mut table = vec![["attack", "loss", "±", "error"].map(str::to_owned).to_vec()];
    if tested {
        table[0].extend(["test loss", "test error"].map(str::to_owned));
    }
    table[0].extend(["steps", "verdict"].map(str::to_owned));
    for attacked in results {
        let s = &attacked.simulated;
        let show = |e: Option<Estimate>| e.map_or(String::new(), |e| print::down(e.mean));
        let mut row =
            vec![attacked.attack.name().to_owned(), print::down(s.loss.mean), print::up(s.loss.half_width)];
        row.push(show(s.error));
        if tested {
            row.extend([show(s.test_loss), show(s.test_error)]);
        }
        row.extend([print::steps(s.steps as f64), s.verdict.word().to_owned()]);
        table.push(row);
    }
    print::table(&table)
}

/// Writes the points that each attack sends.
fn save(path: &Path, attacks: &[Attack], suite: &Suite, dimension: usize) -> Result<(), Stop> {
    let mut arrays = Vec::new();
    for attack in attacks.iter().filter(|a| **a != Attack::None) {
        arrays.push((attack.name().replace('-', "_"), suite.poison_points(*attack, SAVED_POINTS)?));
    }
    output::write(path, &write_arrays(&arrays, dimension)?, "--save").map(|_| ())
}
