//! The report of a design: the choice, the grid, the front, the test task.

use unswayed::design::axis::Axis as Varied;
use unswayed::design::choose::Objective;
use unswayed::design::table::Row;
use unswayed::design::{Design, Request, Setting};
use unswayed::{Adversary, Column, Template};
use unswayed_check::TextLine;

use super::{axis_value, certificate_name, setting_name, shown_axes, tool, words};
use crate::number::{down, percent, up};
use crate::{
    Axis, Block, HeatMap, Kind, LinePlot, Report, ScatterPlot, ScatterPoint, Section, Series, Steps, Table,
};

/// The paper's bound at one place: setting, poison rate, bound.
pub type PaperPoint = (Setting, f64, f64);

/// The whole report of `unswayed design`.
pub fn design_report(request: &Request, result: &Design, command: String, folder: &str) -> Report {
    let report = Report {
        title: "Choosing the learner".into(),
        verdict: verdict(result),
        facts: facts(request, result),
        sections: task_sections("", request, result, &[]),
        command,
        check: check_commands(result, folder),
        glossary: words::glossary(),
        tool: tool(),
        ..Report::default()
    };
    report.with_common_axes()
}

/// What was found, in words.
fn verdict(result: &Design) -> Vec<String> {
    let mut words = vec![format!("Use {}.", setting_name(result.chosen.setting))];
    if let Some(test) = &result.test
        && let (Some(chosen), Some(poor)) = (test.chosen.last(), test.poor.last())
    {
        let attack = chosen
            .attack_loss
            .map_or(String::new(), |loss| format!(" The strongest attack found reaches {}.", down(loss)));
        words.push(format!(
            "On {}, which was not used for the choice, no adversary who controls {} of the points can push the {} above \
             {}.{attack} A poor setting ({}) is certified at {} only.",
            test.task,
            percent(chosen.poison_rate),
            chosen.horizon.map_or("long-run loss".into(), |points| format!("average loss over the first {points} points")),
            up(chosen.bound()),
            setting_name(result.poor.setting),
            up(poor.bound()),
        ));
    }
    words
}

fn facts(request: &Request, result: &Design) -> Vec<(String, String)> {
    let names: Vec<&str> = request.train.iter().map(|t| t.name.as_str()).collect();
    let template = template_lines(&request.template);
    let mut facts: Vec<(String, String)> =
        template.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
    facts.extend([
        ("chosen on".to_owned(), names.join(", ")),
        (
            "objective".to_owned(),
            match result.objective {
                Objective::Weighted(kappa) => {
                    format!("benign loss ({}) + {kappa} · certified loss", request.benign.word())
                }
                Objective::AtMostError(limit) => {
                    format!("benign loss ({}), the certified error at most {limit}", request.benign.word())
                }
            },
        ),
        (
            "price".to_owned(),
            format!("{} of benign loss given up against the best of the grid", up(result.price)),
        ),
        ("certificates".to_owned(), format!("{}, each verified in exact arithmetic", result.rows.len())),
    ]);
    facts.extend(request.horizon.map(|points| {
        ("horizon".to_owned(), format!("all figures are averages over the first {points} points"))
    }));
    facts.extend(result.customary.bounds.last().map(|(rate, loss, _)| {
        let (task, rate) = (&result.customary.task, percent(*rate));
        let text =
            format!("its default setting on {task}, {rate} poisoned: certified long-run loss {}", up(*loss));
        ("scikit-learn".to_owned(), text)
    }));
    if let Some(task) = &request.validate {
        facts.push(("validated on".to_owned(), task.name.clone()));
    }
    facts
}

fn check_commands(result: &Design, folder: &str) -> Vec<String> {
    let (Some(test), Some(rate)) = (&result.test, result.rows.last().map(|r| r.poison_rate)) else {
        return vec![format!("unswayed check {folder}/certificates/FILE DATA")];
    };
    vec![format!("unswayed check {folder}/certificates/{} DATA", certificate_name(&test.task, rate))]
}

/// Learner and threat of a template in words.
///
/// ```
/// use unswayed::{Adversary, Template};
/// let template = Template { adversary: Adversary::LabelFlips, clip: Some(1.0), ..Template::default() };
/// let lines = unswayed_report::about::template_lines(&template);
/// assert_eq!(lines[0], ("learner", "hinge loss, gradients clipped at 1".to_owned()));
/// ```
pub fn template_lines(template: &Template) -> Vec<TextLine> {
    let Template {
        adversary,
        radius,
        batch,
        projection,
        clip,
        momentum,
        bias,
        label_bound,
        contaminated,
        moments,
        ..
    } = template;
    let column = |column: &Column| match column {
        Column::Index(index) => format!("column {}", index + 1),
        Column::FromEnd(1) => "the last column".to_owned(),
        Column::FromEnd(place) => format!("column {place} from the end"),
        Column::Name(name) => format!("column {name}"),
    };
    let learner = [
        Some(format!("{} loss", template_loss(template))),
        (*batch > 1).then(|| format!("{batch} points per step")),
        projection.map(|radius| format!("projected on norms up to {radius}")),
        clip.map(|norm| format!("gradients clipped at {norm}")),
        momentum.map(|momentum| format!("momentum {momentum}")),
        bias.as_ref().map(|bias| format!("{} not regularized", column(bias))),
    ];
    let threat = match adversary {
        Adversary::Ball => match radius {
            Some(radius) => format!("any point of norm up to {radius}, in the units of the data"),
            None => "any point of norm up to 1, after any division of the rows".to_owned(),
        },
        Adversary::BoxAroundData => "any point of the smallest box around the rows".to_owned(),
        Adversary::Box(radii) if radii.len() == 1 => {
            format!("any point with entries up to {}, in the units of the data", radii[0])
        }
        Adversary::Box(_) => "any point of a given box, in the units of the data".to_owned(),
        Adversary::EllipsoidAroundData => {
            "any point that a Mahalanobis filter passes if it passes all rows".to_owned()
        }
        Adversary::Ellipsoid(_) => "any point of a given ellipsoid".to_owned(),
        Adversary::Points(_) => "any of the given points, in the units of the data".to_owned(),
        Adversary::Flips => "any row of the data, as it is or with its label flipped".to_owned(),
        Adversary::LabelFlips => "the label of the row drawn, as it is or flipped".to_owned(),
        Adversary::Any => "any point at all".to_owned(),
        other => other.to_string(),
    };
    let threat = match label_bound {
        Some(bound) => format!("{threat}, with any label |y| ≤ {bound}"),
        None => threat,
    };
    let threat = match moments {
        Some(block) => format!("{threat}; at moments of its choosing, in blocks of {block} points"),
        None => threat,
    };
    let hostile = contaminated.map(|part| {
        let text =
            format!("{part} of the rows may be hostile, nobody knows which; bounds are for the others");
        ("hostile", text)
    });
    let learner = learner.into_iter().flatten().collect::<Vec<_>>().join(", ");
    [("learner", learner), ("threat", threat)].into_iter().chain(hostile).collect()
}

/// The name of a template's loss; a template that leaves it open means the hinge loss, or for preferences the logistic one.
fn template_loss(template: &Template) -> String {
    template.loss.map_or_else(|| "hinge".to_owned(), |loss| loss.to_string())
}

/// What the losses of a design are, for an axis.
fn loss_axis(request: &Request) -> String {
    let loss = template_loss(&request.template);
    request.horizon.map_or_else(
        || format!("long-run {loss} loss"),
        |points| format!("{loss} loss, average over the first {points} points"),
    )
}

/// The plots and tables of one design; `prefix` keeps the names of files apart where a report has several.
pub fn task_sections(prefix: &str, request: &Request, result: &Design, paper: &[PaperPoint]) -> Vec<Section> {
    let mut sections = Vec::new();
    if let Some(test) = &result.test {
        let mut blocks = vec![Block::Lines(losses(
            &format!("{prefix}chosen"),
            &format!("{}: chosen setting ({})", test.task, setting_name(result.chosen.setting)),
            &test.chosen,
            &of_setting(paper, result.chosen.setting),
            request,
        ))];
        if result.poor.setting != result.chosen.setting {
            blocks.push(Block::Lines(losses(
                &format!("{prefix}poor"),
                &format!("{}: poor setting ({})", test.task, setting_name(result.poor.setting)),
                &test.poor,
                &of_setting(paper, result.poor.setting),
                request,
            )));
        }
        sections.push(Section {
            heading: format!("{} under attack", test.task),
            text: "The truth lies in the shaded area: above what the strongest attack found reaches, below what is proven for every \
                   adversary."
                .into(),
            blocks,
        });
    }
    sections.push(Section {
        heading: "The choice".into(),
        text: "Means over the training tasks and poison rates.".into(),
        blocks: heats(prefix, result)
            .into_iter()
            .map(Block::Heat)
            .chain([Block::Scatter(front(prefix, result)), Block::Table(ranking(prefix, result))])
            .collect(),
    });
    sections.push(Section {
        heading: "All figures".into(),
        text: String::new(),
        blocks: vec![Block::Table(figures(prefix, result))],
    });
    sections
}

fn of_setting(paper: &[PaperPoint], setting: Setting) -> Vec<(f64, f64)> {
    paper.iter().filter(|p| p.0 == setting).map(|p| (p.1, p.2)).collect()
}

/// Certified, attack and benign loss against the poison rate.
fn losses(id: &str, title: &str, rows: &[Row], paper: &[(f64, f64)], request: &Request) -> LinePlot {
    let over = |pick: &dyn Fn(&Row) -> Option<f64>| {
        rows.iter().filter_map(|r| Some((r.poison_rate, pick(r)?))).collect::<Vec<_>>()
    };
    let mut series = vec![Series::new("certified loss", Kind::Certified, over(&|r| Some(r.bound())))];
    let attack = over(&|r| r.attack_loss);
    let mut gaps = Vec::new();
    if !attack.is_empty() {
        let widths = rows.iter().map(|r| r.attack_loss_half_width.unwrap_or(0.0));
        series.push(Series::new("attack loss", Kind::Attack, attack).with_half_widths(widths));
        gaps.push((0, 1));
    }
    series.push(Series::new("benign loss", Kind::Benign, over(&|r| Some(r.benign_loss))));
    if !paper.is_empty() {
        series.push(Series::new("the paper's certificate", Kind::Paper, paper.iter().copied()));
    }
    LinePlot {
        id: id.into(),
        title: title.into(),
        x: Axis::percent("poison rate"),
        y: Axis::new(&loss_axis(request)),
        series,
        gaps,
        ..LinePlot::default()
    }
}

/// Certified losses by learning rate and each of the other axes with several values, the rest as in the best setting of the grid.
fn heats(prefix: &str, result: &Design) -> Vec<HeatMap> {
    let others = Varied::ALL.into_iter().filter(|axis| *axis != Varied::LearningRate);
    let several = |axis: &Varied| *axis == Varied::Regularization || axis.values(&result.grid).len() > 1;
    others.filter(several).map(|axis| heat(prefix, result, axis)).collect()
}

fn heat(prefix: &str, result: &Design, across: Varied) -> HeatMap {
    let (rates, values) = (&result.grid.learning_rates, across.values(&result.grid));
    let best = result.ranking[0].setting;
    let setting = |eta: f64, value: f64| across.put(Setting { learning_rate: eta, ..best }, value);
    let at = |eta: f64, value: f64| {
        let here = setting(eta, value);
        result.ranking.iter().find(|r| r.setting == here).map(|r| r.certified_loss)
    };
    let position = |values: &[f64], value: f64| values.iter().position(|v| v.to_bits() == value.to_bits());
    let chosen = result.chosen.setting;
    let place = position(rates, chosen.learning_rate).zip(position(&values, across.of(chosen)));
    let is_here = setting(chosen.learning_rate, across.of(chosen)) == chosen;
    let finite = |x: &f64| Some(*x).filter(|x| x.is_finite());
    let (id, title) = match across {
        Varied::Regularization => (format!("{prefix}grid"), "Certified loss of each setting".to_owned()),
        _ => (format!("{prefix}grid-{}", across.name()), format!("Certified loss by {}", across.name())),
    };
    let rest = shown_axes(result.ranking.iter().map(|r| r.setting)).into_iter();
    let rest: Vec<String> = rest
        .filter(|axis| *axis != Varied::LearningRate && *axis != across)
        .map(|axis| format!("{} {}", axis.name(), axis_value(axis, best)))
        .collect();
    let slice = if rest.is_empty() { String::new() } else { format!(" All have {}.", rest.join(", ")) };
    HeatMap {
        id,
        title,
        rows: Steps::new("learning rate", rates),
        columns: Steps { label: across.name().into(), values: values.iter().map(finite).collect() },
        cells: rates.iter().map(|eta| values.iter().map(|value| at(*eta, *value)).collect()).collect(),
        unit: "mean certified loss".into(),
        kind: Kind::Certified,
        chosen: place.filter(|_| is_here),
        note: format!("The marked cell is the chosen setting; the benign loss counts too, see below.{slice}"),
    }
}

fn front(prefix: &str, result: &Design) -> ScatterPlot {
    let ranked = &result.ranking;
    let mut front: Vec<usize> = (0..ranked.len()).filter(|i| ranked[*i].pareto).collect();
    front.sort_by(|a, b| ranked[*a].benign_loss.total_cmp(&ranked[*b].benign_loss));
    ScatterPlot {
        id: format!("{prefix}front"),
        title: "Benign against certified loss".into(),
        x: Axis::new("mean benign loss"),
        y: Axis::new("mean certified loss"),
        points: ranked
            .iter()
            .map(|r| ScatterPoint { label: setting_name(r.setting), x: r.benign_loss, y: r.certified_loss })
            .collect(),
        front,
        chosen: ranked.iter().position(|r| r.setting == result.chosen.setting),
        note: "The line joins the Pareto front: no setting is better in one loss and no worse in the other."
            .into(),
    }
}

fn ranking(prefix: &str, result: &Design) -> Table {
    let axes = shown_axes(result.ranking.iter().map(|r| r.setting));
    let figures = ["benign loss", "benign error", "certified loss", "certified error", "objective", "Pareto"];
    let header = axes.iter().map(|axis| axis.name()).chain(figures);
    let row = |r: &unswayed::design::choose::Ranked| {
        let setting = axes.iter().map(|axis| axis_value(*axis, r.setting));
        let figures = [
            down(r.benign_loss),
            r.benign_error.map_or(String::new(), down),
            up(r.certified_loss),
            r.certified_error.map_or(String::new(), up),
            if r.objective.is_finite() { up(r.objective) } else { "-".into() },
            if r.pareto { "yes".into() } else { String::new() },
        ];
        setting.chain(figures).collect()
    };
    Table {
        id: format!("{prefix}ranking"),
        title: "Settings, best first".into(),
        header: header.map(str::to_owned).collect(),
        rows: result.ranking.iter().map(row).collect(),
        note: String::new(),
    }
}

fn figures(prefix: &str, result: &Design) -> Table {
    let axes = shown_axes(result.rows.iter().map(Row::setting));
    let figures =
        ["poison rate", "benign loss", "attack loss", "certified loss", "certified error", "gap", "status"];
    let header = ["task"].into_iter().chain(axes.iter().map(|axis| axis.name())).chain(figures);
    let row = |r: &Row| {
        let setting = axes.iter().map(|axis| axis_value(*axis, r.setting()));
        let figures = [
            percent(r.poison_rate),
            down(r.benign_loss),
            r.attack_loss.map_or(String::new(), down),
            up(r.bound()),
            r.error_bound().map_or(String::new(), up),
            r.gap.map_or(String::new(), |gap| format!("{gap:.2}")),
            r.status.clone(),
        ];
        [r.task.clone()].into_iter().chain(setting).chain(figures).collect()
    };
    Table {
        id: format!("{prefix}figures"),
        title: "Every task, setting and poison rate".into(),
        header: header.map(str::to_owned).collect(),
        rows: result.rows.iter().map(row).collect(),
        note: "Bounds are rounded up, measurements down.".into(),
    }
}
