//! Mean estimation: noise does not help; what does.

use serde_json::json;
use unswayed::experiment::{Curve, MeanExperiment, Panel};
use unswayed_report::{Axis, Block, Kind, LinePlot, Section, Series, Table};

use super::Found;
use crate::progress::Bar;
use crate::{Stop, print};

pub fn run(seed: u64, bar: &Bar) -> Result<Found, Stop> {
    let experiment = MeanExperiment { seed, ..MeanExperiment::default() };
    let result = experiment.run(bar)?;
    let [by_rate, by_poison] = &result.panels;
    let choice = |(eps, eta, sigma): &(f64, f64, f64)| {
        vec![print::percent(*eps), print::number(*eta), print::number(*sigma)]
    };
    let chosen = Table {
        id: "mean-chosen".into(),
        title: "Chosen on the training distributions".into(),
        header: ["poison rate", "learning rate", "shrinkage"].map(str::to_owned).to_vec(),
        rows: result.chosen.iter().map(choice).collect(),
        note: "Smallest mean of benign loss + certified loss.".into(),
    };
    let radii = Table {
        id: "mean-radius".into(),
        title: "A smaller acceptance radius".into(),
        header: ["squared radius", "certified loss"].map(str::to_owned).to_vec(),
        rows: result.radii.iter().map(|(r, loss)| vec![print::number(*r), print::up(*loss)]).collect(),
        note: format!(
            "No noise, learning rate {}, poison rate {}.",
            experiment.learning_rate, experiment.poison_rate
        ),
    };
    let sections = vec![Section {
        heading: "Mean estimation".into(),
        text: format!(
            "{} dimensions, {} training and {} test distributions from the paper's priors, squared radius {}; means over the test \
             distributions. The adversary always pushes the estimate straight away from the mean.",
            experiment.dimension, experiment.train, experiment.test, experiment.squared_radius
        ),
        blocks: vec![
            Block::Lines(plot("mean-learning-rate", by_rate, Axis::log("learning rate"))),
            Block::Lines(plot("mean-poison-rate", by_poison, Axis::percent("poison rate"))),
            Block::Table(chosen),
            Block::Table(radii),
        ],
    }];
    let verdict = verdict(&experiment, by_poison, &result.noise_traces);
    Ok(Found {
        text: format!("{verdict}\n\n{}\n", table(by_poison)),
        verdict: vec![verdict],
        json: json!({
            "learning_rate_panel": panel_json(by_rate),
            "poison_rate_panel": panel_json(by_poison),
            "noise_traces": result.noise_traces,
            "chosen": result.chosen,
            "radii": result.radii,
        }),
        sections,
    })
}

fn verdict(experiment: &MeanExperiment, panel: &Panel, traces: &[Vec<f64>; 2]) -> String {
    let last = |curve: &Curve| curve.certified.last().copied().unwrap_or(f64::NAN);
    let all_zero = traces.iter().all(|t| t.iter().skip(2).all(|x| *x == 0.0));
    let algorithm = if all_zero {
        "Algorithm 1 removes all noise with its first step"
    } else {
        "Algorithm 1 keeps some noise"
    };
    format!(
        "Mean estimation: noise does not protect. {algorithm}; noise of trace {} raises the certified loss at the largest poison \
         rate from {} to {}. A smaller learning rate and shrinkage, chosen on the training distributions, lower it to {}.",
        experiment.noise_trace,
        print::up(last(&panel.curves[0])),
        print::up(last(&panel.curves[1])),
        print::up(last(&panel.curves[3])),
    )
}

fn plot(id: &str, panel: &Panel, x: Axis) -> LinePlot {
    let mut series = Vec::new();
    for curve in &panel.curves {
        let points = |y: &[f64]| curve.x.iter().copied().zip(y.iter().copied()).collect::<Vec<_>>();
        let name = |what: &str| format!("{what}, {}", curve.name);
        series.push(Series::new(&name("certified"), Kind::Certified, points(&curve.certified)));
        series.push(Series::new(&name("attack"), Kind::Attack, points(&curve.attack)));
    }
    LinePlot {
        id: id.into(),
        title: format!("Long-run squared error, {}", panel.title),
        x,
        y: Axis::log("E‖θ−μ‖²"),
        series,
        note:
            "For each learner the certified loss and what the adversary reaches, which is a little below it."
                .into(),
        ..LinePlot::default()
    }
}

fn table(panel: &Panel) -> String {
    let header = ["", "poison rate", "benign loss", "attack loss", "certified loss"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for curve in &panel.curves {
        for i in 0..curve.x.len() {
            rows.push(vec![
                if i == 0 { curve.name.clone() } else { String::new() },
                print::percent(curve.x[i]),
                print::down(curve.benign[i]),
                print::down(curve.attack[i]),
                print::up(curve.certified[i]),
            ]);
        }
    }
    print::table(&rows)
}

fn panel_json(panel: &Panel) -> serde_json::Value {
    let curve = |c: &Curve| json!({ "name": c.name, "x": c.x, "certified_loss": c.certified, "attack_loss": c.attack, "benign_loss": c.benign });
    json!({ "title": panel.title, "curves": panel.curves.iter().map(curve).collect::<Vec<_>>() })
}
