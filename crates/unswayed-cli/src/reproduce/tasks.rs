//! Images and rewards: choose on some tasks, judge on another.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use unswayed::Problem;
use unswayed::data::{Features, LabelPolicy, Reading, load};
use unswayed::design::table::{Row, to_csv, to_json};
use unswayed::design::{Request, Run, Task, design};
use unswayed::experiment::{PaperBound, TaskResult, preference_rows, run_tasks};
use unswayed_check::{Feature, features, unsupported};
use unswayed_report::about::{certificate_name, task_sections};

use super::Found;
use crate::args::ReproduceFlags;
use crate::progress::Bar;
use crate::{Stop, input, output, print, problem};

/// A test task and the tasks to choose on.
struct Experiment {
    title: &'static str,
    test: &'static str,
    train: &'static [&'static str],
}

const IMAGES: [Experiment; 3] = [
    Experiment {
        title: "MNIST 1 v 7",
        test: "mnist_1v7",
        train: &["mnist_4v9", "mnist_5v8", "mnist_3v8", "mnist_0v6"],
    },
    Experiment {
        title: "Fashion-MNIST sandal v ankle boot",
        test: "fashion_5v9",
        train: &["fashion_7v9", "fashion_5v7", "fashion_0v6", "fashion_2v4"],
    },
    Experiment {
        title: "CIFAR-10 cat v dog",
        test: "cifar10_3v5",
        train: &["cifar10_4v7", "cifar10_1v9", "cifar10_0v8", "cifar10_2v6"],
    },
];

const OTHER_SCORES: [&str; 3] = ["helpsteer_coherence", "helpsteer_complexity", "helpsteer_verbosity"];

const REWARD: [Experiment; 2] = [
    Experiment { title: "HelpSteer helpfulness", test: "helpsteer_helpfulness", train: &OTHER_SCORES },
    Experiment { title: "HelpSteer correctness", test: "helpsteer_correctness", train: &OTHER_SCORES },
];

/// The preference pairs, which are split into a part to choose on and a part to judge on.
const PAIRS: &str = "helpsteerpairs_preferred";

/// The image experiments.
pub fn images(flags: &ReproduceFlags, bar: &Bar) -> Result<Found, Stop> {
    let mut found = Vec::new();
    for experiment in &IMAGES {
        found.push(one(experiment.title, &request(flags, experiment)?, flags, bar)?);
    }
    Ok(join(found))
}

/// The reward experiments.
pub fn reward(flags: &ReproduceFlags, bar: &Bar) -> Result<Found, Stop> {
    let mut found = Vec::new();
    for experiment in &REWARD {
        found.push(one(experiment.title, &request(flags, experiment)?, flags, bar)?);
    }
    found.push(one("HelpSteer preference pairs", &pairs(flags)?, flags, bar)?);
    let mut joined = join(found);
    joined.verdict.push(
        "The scored HelpSteer sample is small (400 training rows) and its signal is weak: a certified loss near 1 says that little \
         can be learned from it, with or without an adversary."
            .into(),
    );
    Ok(joined)
}

fn request(flags: &ReproduceFlags, experiment: &Experiment) -> Result<Request, Stop> {
    let train = experiment.train.iter().map(|name| task(flags, name)).collect::<Result<_, _>>()?;
    asked(flags, train, task(flags, experiment.test)?)
}

/// The request for the learner and adversary of the flags.
fn asked(flags: &ReproduceFlags, train: Vec<Task>, test: Task) -> Result<Request, Stop> {
    let template = problem::template(&flags.learner, &flags.steps, Some(test.data.origin().columns))?;
    Ok(Request { test: Some(test), template, seed: flags.seed, ..Request::new(train) })
}

/// The first rows of a task's training part.
fn task(flags: &ReproduceFlags, name: &str) -> Result<Task, Stop> {
    let path = present(flags, name)?;
    let data = load(&input::source(&path, None, LabelPolicy::Detect), &Reading::default())?;
    let data = if data.rows() > flags.rows { data.first(flags.rows)? } else { data };
    Ok(Task { name: name.into(), data: Arc::new(data) })
}

/// The path of a task's features, or how to make them.
fn present(flags: &ReproduceFlags, name: &str) -> Result<std::path::PathBuf, Stop> {
    let file = |ending: &str| flags.data.join(format!("{name}_train{ending}"));
    let found = [file("_x.npy"), file(".npz")].into_iter().find(|path| path.exists());
    found.ok_or_else(|| {
        Stop(format!(
            "{}: is not there; features of CIFAR-10 and HelpSteer are not part of this project. Make them from the public data \
             with an encoder of your choice: `unswayed prepare DATA --encoder MODEL.onnx --output {name}_train.npz` (more in \
             docs/reproduction.md), put them beside the others, and name the folder with --data",
            file("_x.npy").display()
        ))
    })
}

fn pairs(flags: &ReproduceFlags) -> Result<Request, Stop> {
    let path = present(flags, PAIRS)?;
    let source = input::source(&path, None, LabelPolicy::Detect);
    let rows = preference_rows(&Features::load(&source, &Reading::default())?)?;
    let half = flags.rows.min(rows.rows() / 2);
    let part = |from: usize, name: &str| -> Result<Task, Stop> {
        let z = rows.z()[from * rows.dimension()..(from + half) * rows.dimension()].to_vec();
        let data = unswayed::Dataset::from_rows(z, rows.dimension(), None)?;
        Ok(Task { name: name.into(), data: Arc::new(data) })
    };
    asked(flags, vec![part(0, "helpsteer_pairs_first")?], part(half, "helpsteer_pairs_second")?)
}

/// Runs one experiment in a folder of its own.
fn one(title: &str, request: &Request, flags: &ReproduceFlags, bar: &Bar) -> Result<Found, Stop> {
    let name = request.test.as_ref().map_or("tasks", |t| t.name.as_str());
    let folder = flags.output.join(name);
    std::fs::create_dir_all(folder.join("certificates"))
        .map_err(|error| Stop(format!("{}: cannot be made ({error})", folder.display())))?;
    let result = run_one(request, (&folder.join("journal.jsonl"), flags.resume), bar)?;
    write_files(&folder, &result)?;
    let paper: Vec<_> =
        result.paper.iter().map(|p: &PaperBound| (p.setting, p.poison_rate, p.certified_loss)).collect();
    let mut sections = task_sections(&format!("{name}-"), request, &result.design, &paper);
    for section in &mut sections {
        section.heading = format!("{title}: {}", section.heading);
    }
    let verdict = verdict(title, &result);
    Ok(Found {
        text: format!("{verdict}\n\n{}\n", table(&result)),
        verdict: vec![verdict],
        sections,
        json: json!({ title: to_value(&result) }),
    })
}

/// The design, and the paper's certificates beside it where there are such.
fn run_one(request: &Request, journal: (&Path, bool), bar: &Bar) -> Result<TaskResult, Stop> {
    let task = request.test.as_ref().unwrap_or(&request.train[0]);
    let problem = Problem::of_template(task.data.clone(), request.template.clone())
        .learning_rate(request.grid.learning_rates[0])
        .regularization(request.grid.regularizations[0])
        .poison_rate(0.0)
        .build()?;
    let all = [features(problem.statement()), vec![Feature::Paper]].concat();
    if unsupported(&all).is_none() {
        return Ok(run_tasks(request, Some(journal), bar)?);
    }
    Ok(TaskResult { design: design(request, Some(journal), &Run::observed(bar))?, paper: vec![] })
}

fn write_files(folder: &Path, result: &TaskResult) -> Result<(), Stop> {
    output::replace(&folder.join("results.csv"), &to_csv(&result.design.rows), "--output")?;
    for (task, rate, bytes) in &result.design.certificates {
        let path = folder.join("certificates").join(certificate_name(task, *rate));
        output::replace(&path, bytes, "--output")?;
    }
    Ok(())
}

/// The paper's bound for a row, if it was computed.
fn paper_of(result: &TaskResult, row: &Row) -> Option<f64> {
    let here = |p: &&PaperBound| {
        p.setting.learning_rate.to_bits() == row.learning_rate.to_bits()
            && p.setting.regularization.to_bits() == row.regularization.to_bits()
            && p.poison_rate.to_bits() == row.poison_rate.to_bits()
    };
    result.paper.iter().find(here).map(|p| p.certified_loss)
}

fn verdict(title: &str, result: &TaskResult) -> String {
    let Some((row, test)) = result.design.test.as_ref().and_then(|t| Some((t.chosen.last()?, t))) else {
        return title.into();
    };
    let paper = paper_of(result, row).map_or(String::new(), |bound| {
        format!(", where the paper's certificate proves {}", print::up(bound))
    });
    format!(
        "{title}: with learning rate {} and regularization {}, chosen without {}, no adversary at {} gets the long-run loss above \
         {}{paper}; the strongest attack found reaches {}.",
        print::number(row.learning_rate),
        print::number(row.regularization),
        test.task,
        print::percent(row.poison_rate),
        print::up(row.certified_loss),
        row.attack_loss.map_or_else(|| "-".into(), print::down),
    )
}

fn table(result: &TaskResult) -> String {
    let header = ["setting", "poison rate", "benign loss", "attack loss", "certified loss", "paper's", "gap"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let Some(test) = &result.design.test else { return String::new() };
    for (word, part) in [("chosen", &test.chosen), ("poor", &test.poor)] {
        for (i, row) in part.iter().enumerate() {
            rows.push(vec![
                if i == 0 { word.to_owned() } else { String::new() },
                print::percent(row.poison_rate),
                print::down(row.benign_loss),
                row.attack_loss.map_or_else(|| "-".into(), print::down),
                print::up(row.certified_loss),
                paper_of(result, row).map_or_else(|| "-".into(), print::up),
                row.gap.map_or_else(|| "-".into(), print::gap),
            ]);
        }
    }
    print::table(&rows)
}

fn to_value(result: &TaskResult) -> Value {
    let paper = |p: &PaperBound| {
        json!({
            "learning_rate": p.setting.learning_rate,
            "regularization": p.setting.regularization,
            "poison_rate": p.poison_rate,
            "certified_loss": p.certified_loss,
        })
    };
    let test = result.design.test.as_ref();
    json!({
        "learning_rate": result.design.chosen.setting.learning_rate,
        "regularization": result.design.chosen.setting.regularization,
        "chosen": test.map(|t| to_json(&t.chosen)),
        "poor": test.map(|t| to_json(&t.poor)),
        "paper": result.paper.iter().map(paper).collect::<Vec<_>>(),
    })
}

/// Several experiments as one.
fn join(parts: Vec<Found>) -> Found {
    let mut joined = Found { verdict: vec![], sections: vec![], text: String::new(), json: json!({}) };
    for part in parts {
        joined.text.push_str(&part.text);
        joined.verdict.extend(part.verdict);
        joined.sections.extend(part.sections);
        if let (Some(all), Value::Object(one)) = (joined.json.as_object_mut(), part.json) {
            all.extend(one);
        }
    }
    joined
}
