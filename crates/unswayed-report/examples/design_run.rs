//! Makes a report of the folder that `unswayed design` wrote: `cargo run --example design_run -- RUN OUTPUT`.

use std::error::Error;
use std::path::Path;

use serde_json::Value;
use unswayed_report::number::{down, parameter, percent, up};
use unswayed_report::{
    Axis, Block, HeatMap, Kind, LinePlot, Report, ScatterPlot, ScatterPoint, Section, Series, Steps, Table,
    write_folder,
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [run, output] = arguments.as_slice() else {
        return Err("usage: design_run RUN OUTPUT".into());
    };
    let results: Value = serde_json::from_slice(&std::fs::read(Path::new(run).join("results.json"))?)?;
    write_folder(&report(&results, run), Path::new(output))?;
    Ok(())
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or(f64::NAN)
}

fn same(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq()
}

fn rows<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

fn setting(row: &Value) -> String {
    let (rate, strength) = (number(row, "learning_rate"), number(row, "regularization"));
    format!("learning rate {}, regularization {}", parameter(rate), parameter(strength))
}

fn report(results: &Value, run: &str) -> Report {
    let test = &results["test"];
    let task = test["task"].as_str().unwrap_or("the test task");
    let (chosen, poor) = (rows(test, "chosen"), rows(test, "poor"));
    let last = |rows: &[Value]| rows.last().map_or(f64::NAN, |row| number(row, "certified_loss"));
    let worst = chosen.last().map_or(f64::NAN, |row| number(row, "poison_rate"));
    let names: Vec<&str> = rows(results, "train").iter().filter_map(Value::as_str).collect();
    Report {
        title: format!("Poisoning of an online learner: {task}"),
        verdict: vec![
            format!(
                "Even if {} of the data are poisoned by an adversary who sees everything, the long-run loss stays below {}.",
                percent(worst),
                up(last(chosen))
            ),
            format!(
                "This is proven for the chosen setting ({}). A poor setting only guarantees {}.",
                setting(&results["chosen"]),
                up(last(poor))
            ),
        ],
        facts: vec![
            ("chosen on".into(), names.join(", ")),
            ("learning rate".into(), parameter(number(&results["chosen"], "learning_rate"))),
            ("regularization".into(), parameter(number(&results["chosen"], "regularization"))),
            ("largest norm of a poisoned point".into(), parameter(number(results, "radius"))),
        ],
        sections: vec![losses(task, chosen, poor), choice(results), figures(task, chosen)],
        command: format!("unswayed design {} --test {task} --output {run}", names.join(" ")),
        check: chosen
            .iter()
            .map(|row| {
                let rate = number(row, "poison_rate");
                format!(
                    "unswayed check {run}/certificates/{task}-{rate}.certificate.safetensors {task}_x.npy"
                )
            })
            .collect(),
        tool: format!("unswayed {}", env!("CARGO_PKG_VERSION")),
    }
}

fn losses(task: &str, chosen: &[Value], poor: &[Value]) -> Section {
    let series = |name: &str, kind, rows: &[Value], column: &str| {
        let points = rows.iter().map(|row| (number(row, "poison_rate"), number(row, column)));
        Series::new(name, kind, points.filter(|(_, y)| y.is_finite()))
    };
    let attack = series("attack loss", Kind::Attack, chosen, "attack_loss")
        .with_half_widths(chosen.iter().map(|row| number(row, "attack_loss_half_width")));
    let attacked = !attack.points.is_empty();
    let mut all = vec![series("certified loss", Kind::Certified, chosen, "certified_loss")];
    attacked.then(|| all.push(attack));
    all.push(series("benign loss", Kind::Benign, chosen, "benign_loss"));
    all.push(series("certified loss, poor setting", Kind::Certified, poor, "certified_loss"));
    let plot = LinePlot {
        id: "losses".into(),
        title: format!("Loss on {task} by poison rate"),
        x: Axis::percent("poison rate"),
        y: Axis::new("long-run average hinge loss"),
        series: all,
        gaps: if attacked { vec![(0, 1)] } else { Vec::new() },
        note: "The truth lies between attack loss and certified loss.".into(),
        ..LinePlot::default()
    };
    Section {
        heading: "What an adversary can do".into(),
        text: "The certified loss is a proven upper bound; the attack loss is what the strongest attack found reaches."
            .into(),
        blocks: vec![Block::Lines(plot)],
    }
}

fn choice(results: &Value) -> Section {
    let ranking = rows(results, "ranking");
    let values = |name: &str| {
        let mut values: Vec<f64> = ranking.iter().map(|row| number(row, name)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (rates, strengths) = (values("learning_rate"), values("regularization"));
    let is = |row: &Value, rate: f64, strength: f64| {
        same(number(row, "learning_rate"), rate) && same(number(row, "regularization"), strength)
    };
    let cell = |rate: f64, strength: f64| {
        ranking.iter().find(|row| is(row, rate, strength)).map(|row| number(row, "certified_loss"))
    };
    let place = |all: &[f64], name: &str| all.iter().position(|x| same(*x, number(&results["chosen"], name)));
    let map = HeatMap {
        id: "settings".into(),
        title: "Certified loss of each setting".into(),
        cells: rates.iter().map(|rate| strengths.iter().map(|s| cell(*rate, *s)).collect()).collect(),
        chosen: place(&rates, "learning_rate").zip(place(&strengths, "regularization")),
        rows: Steps::new("learning rate", &rates),
        columns: Steps::new("regularization", &strengths),
        unit: "certified loss".into(),
        kind: Kind::Certified,
        note: "Mean over the training tasks and poison rates. Darker is larger.".into(),
    };
    let point = |row: &Value| ScatterPoint {
        label: setting(row),
        x: number(row, "benign_loss"),
        y: number(row, "certified_loss"),
    };
    let plot = ScatterPlot {
        id: "trade-off".into(),
        title: "Benign and certified loss of each setting".into(),
        x: Axis::new("benign loss"),
        y: Axis::new("certified loss"),
        points: ranking.iter().map(point).collect(),
        front: (0..ranking.len()).filter(|i| ranking[*i]["pareto"] == true).collect(),
        chosen: ranking.iter().position(|row| setting(row) == setting(&results["chosen"])),
        note: "Pareto front: no other setting is better in one loss and no worse in the other.".into(),
    };
    Section {
        heading: "Why this setting".into(),
        text: String::new(),
        blocks: vec![Block::Heat(map), Block::Scatter(plot)],
    }
}

fn figures(task: &str, chosen: &[Value]) -> Section {
    let header = ["poison rate", "benign loss", "certified loss", "certified error", "method", "status"];
    let row = |row: &Value| {
        vec![
            percent(number(row, "poison_rate")),
            down(number(row, "benign_loss")),
            up(number(row, "certified_loss")),
            up(number(row, "certified_error")),
            row["method"].as_str().unwrap_or_default().into(),
            row["status"].as_str().unwrap_or_default().into(),
        ]
    };
    let table = Table {
        id: "certificates".into(),
        title: format!("The chosen setting on {task}"),
        header: header.map(str::to_owned).to_vec(),
        rows: chosen.iter().map(row).collect(),
        note: "Bounds are rounded up, measurements down.".into(),
    };
    Section { heading: "Certificates".into(), text: String::new(), blocks: vec![Block::Table(table)] }
}
