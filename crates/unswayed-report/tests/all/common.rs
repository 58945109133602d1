//! A report with every block, and with names that would like to be code.

use unswayed_report::{
    Axis, Block, HeatMap, Kind, Limit, LinePlot, Report, ScatterPlot, ScatterPoint, Section, Series, Steps,
    Table,
};

/// A name that must stay a name.
pub const HOSTILE: &str = "<script>window.hacked = 1</script>\"'><img src=x onerror=\"window.hacked = 1\">";

pub fn lines() -> LinePlot {
    let rates = [0.01, 0.02, 0.03, 0.04, 0.05];
    let with = |y: [f64; 5]| rates.into_iter().zip(y);
    LinePlot {
        id: "losses".into(),
        title: "Loss by poison rate".into(),
        x: Axis::percent("poison rate"),
        y: Axis::new("loss"),
        series: vec![
            Series::new(
                "certified loss",
                Kind::Certified,
                with([0.088_91, 0.1309, 0.183_61, 0.2401, 0.2976]),
            ),
            Series::new("attack loss", Kind::Attack, with([0.0824, 0.1110, 0.153_08, 0.1858, 0.2266]))
                .with_half_widths([0.001, 0.002, 0.003, 0.004, 0.005]),
            Series::new("benign loss", Kind::Benign, with([0.0594; 5])),
            Series::new(HOSTILE, Kind::Other, with([0.1, 0.2, f64::NAN, 0.2, 0.1])),
        ],
        gaps: vec![(0, 1)],
        limits: vec![Limit { value: 0.25, label: "limit".into() }],
        note: "The truth lies between.".into(),
        ..LinePlot::default()
    }
}

pub fn heat() -> HeatMap {
    HeatMap {
        id: "settings".into(),
        title: "Certified loss of each setting".into(),
        rows: Steps::new("learning rate", &[5e-5, 1e-4]),
        columns: Steps::new("regularization", &[0.003, 0.006, 0.01]),
        cells: vec![vec![Some(0.214_41), Some(0.206_21), Some(0.2121)], vec![Some(0.31), None, Some(0.4)]],
        unit: "certified loss".into(),
        kind: Kind::Certified,
        chosen: Some((0, 1)),
        note: String::new(),
    }
}

pub fn scatter() -> ScatterPlot {
    let point = |label: &str, x, y| ScatterPoint { label: label.into(), x, y };
    ScatterPlot {
        id: "trade-off".into(),
        title: "Benign and certified loss".into(),
        x: Axis::new("benign loss"),
        y: Axis::log("certified loss"),
        points: vec![
            point("first", 0.0772, 0.2145),
            point("second", 0.1021, 0.2063),
            point(HOSTILE, 0.3149, 0.3779),
        ],
        front: vec![0, 1],
        chosen: Some(0),
        note: String::new(),
    }
}

pub fn table() -> Table {
    let words = |row: &[&str]| row.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let header =
        ["task", "poison rate", "benign loss", "attack loss", "certified loss", "certified error", "method"];
    Table {
        id: "results".into(),
        title: "Results".into(),
        header: words(&header),
        rows: vec![words(&[HOSTILE, "1 %", "0.0594", "0.0824", "0.0890", "0.0814", "bounded-range"]); 3],
        note: "Bounds are rounded up.".into(),
    }
}

pub fn report() -> Report {
    let section =
        |heading: &str, blocks| Section { heading: heading.into(), text: "Some words.".into(), blocks };
    Report {
        title: format!("Report on {HOSTILE}"),
        verdict: vec!["With 5 % poison the loss stays below 0.2976.".into(), HOSTILE.into()],
        facts: vec![("task".into(), HOSTILE.into()), ("radius".into(), "1".into())],
        sections: vec![
            section("Losses", vec![Block::Lines(lines()), Block::Text(HOSTILE.into())]),
            section("Settings", vec![Block::Heat(heat()), Block::Scatter(scatter())]),
            section(HOSTILE, vec![Block::Table(table())]),
        ],
        command: "unswayed design a.npz --test 'b & c.npz' --output run".into(),
        check: vec!["unswayed check a.certificate.json a.npz".into(), "unswayed-check b c".into()],
        tool: "unswayed 0.1.0".into(),
        glossary: vec![("poison rate".into(), HOSTILE.into())],
        ..Report::default()
    }
}
