//! `unswayed attack`, and the attacks beside a bound.

pub mod linear;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};
use unswayed::attack::{Attack, Attacked, Effort, Suite};
use unswayed::data::write_arrays;
use unswayed::{AttackError, Dataset, Hinge, Threat};

use crate::args::{AttackFlags, Attacks};
use crate::progress::Busy;
use crate::{Stop, input, print};

/// Points of each attack that `--save` writes.
const SAVED_POINTS: usize = 1000;

pub fn run(flags: &AttackFlags, as_json: bool) -> Result<ExitCode, Stop> {
    if let Some(path) = &flags.save {
        let mut inputs = input::learner_files(&flags.data, &flags.learner);
        inputs.extend(flags.test.iter().chain(&flags.test_labels).cloned());
        inputs.extend(flags.test.as_ref().and_then(|test| input::labels_beside(test)));
        input::keep_inputs(path, "--save", &inputs)?;
    }
    if !flags.learner.is_plain() {
        return linear::run(flags, as_json);
    }
    let (learner, threat) = input::setting(&flags.setting)?;
    let data = input::dataset(&flags.data, &flags.read)?;
    let test = flags.test.as_ref().map(|path| input::test_data(path, flags)).transpose()?;
    let attacks = chosen(flags);
    let began = Instant::now();
    let mut suite =
        Suite::new(&data, &learner, &threat).with_effort(effort(flags.attacks)).with_seed(flags.setting.seed);
    if let Some(test) = &test {
        suite = suite.with_test(test)?;
    }
    let results = {
        let _busy = Busy::with("simulating attacks");
        suite.run(&attacks)?
    };
    if let Some(path) = &flags.save {
        save(path, &attacks, data.dimension(), |attack| suite.poison_points(attack, SAVED_POINTS))?;
    }
    if as_json {
        let attacks: Vec<Value> = results.iter().map(to_json).collect();
        print::json(&json!({
            "attacks": attacks,
            "benign_loss": suite.benign().loss,
            "benign_error": suite.benign().error,
            "rows": data.rows(),
            "dimension": data.dimension(),
            "learning_rate": learner.learning_rate(),
            "regularization": learner.regularization(),
            "poison_rate": threat.poison_rate(),
            "radius": threat.radius(),
            "seed": flags.setting.seed,
            "seconds": began.elapsed().as_secs_f64(),
        }));
    } else {
        print::text(&describe(&results, &suite, &data, &learner, &threat));
    }
    Ok(ExitCode::SUCCESS)
}

fn chosen(flags: &AttackFlags) -> Vec<Attack> {
    if !flags.attack.is_empty() {
        return flags.attack.clone();
    }
    match flags.attacks {
        Attacks::None => vec![Attack::None],
        Attacks::Fast => [&[Attack::None], &Attack::FAST[..]].concat(),
        Attacks::Full => Attack::ALL.to_vec(),
    }
}

fn effort(attacks: Attacks) -> Effort {
    if attacks == Attacks::Full { Effort::Full } else { Effort::Fast }
}

/// The strongest of the attacks that are run beside a bound; `None` if none are wanted.
pub fn strongest(
    data: &Dataset,
    learner: &Hinge,
    threat: &Threat,
    attacks: Attacks,
    seed: u64,
) -> Result<Option<Attacked>, Stop> {
    let which = match attacks {
        Attacks::None => return Ok(None),
        Attacks::Fast => &Attack::FAST[..],
        Attacks::Full => &Attack::ALL[1..],
    };
    let _busy = Busy::with("simulating attacks");
    let suite = Suite::new(data, learner, threat).with_effort(effort(attacks)).with_seed(seed);
    Ok(unswayed::attack::strongest(&suite.run(which)?).cloned())
}

/// An attack for machines.
pub fn to_json(attacked: &Attacked) -> Value {
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
        "steps": simulated.steps,
        "verdict": simulated.verdict.word(),
    })
}

fn describe(results: &[Attacked], suite: &Suite, data: &Dataset, learner: &Hinge, threat: &Threat) -> String {
    format!(
        "{}\nhinge learner, learning rate {}, regularization {}; {} of the points are the adversary's, norm up to {}\n\
         benign loss {} (small learning rates)\n\n{}\n\
         loss: simulated long-run hinge loss, ± its 95 % confidence interval; error: fraction misclassified\n",
        data.describe(),
        learner.learning_rate(),
        learner.regularization(),
        print::percent(threat.poison_rate()),
        threat.radius(),
        print::down(suite.benign().loss),
        table(results),
    )
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
        let show = |e: Option<unswayed::simulate::Estimate>| e.map_or(String::new(), |e| print::down(e.mean));
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
fn save(
    path: &Path,
    attacks: &[Attack],
    dimension: usize,
    points: impl Fn(Attack) -> Result<Vec<f64>, AttackError>,
) -> Result<(), Stop> {
    let mut arrays = Vec::new();
    for attack in attacks.iter().filter(|a| **a != Attack::None) {
        arrays.push((attack.name().replace('-', "_"), points(*attack)?));
    }
    input::write(path, &write_arrays(&arrays, dimension)?, "--save")
}
