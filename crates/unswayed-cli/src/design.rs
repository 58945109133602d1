//! `unswayed design`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use unswayed::design::axis::Axis;
use unswayed::design::choose::{Objective, Ranked};
use unswayed::design::table::Row;
use unswayed::design::{AttackPlan, BenignLoss, Design, Growing, Request, Run, design};
use unswayed_report::about::{
    axis_value, design_summary, setting_name, shown_axes, template_lines, write_design,
};
use unswayed_report::write_pictures;

use crate::args::{BenignFrom, DesignFlags, StepFlags};
use crate::progress::Bar;
use crate::{Stop, input, output, print, problem, report};

/// Lines of the ranking that are printed; all of them are in the files.
const SHOWN: usize = 8;

pub fn run(flags: &DesignFlags, as_json: bool) -> Result<ExitCode, Stop> {
    let folder = &flags.output;
    let named = flags.tasks.iter().chain(&flags.validate).chain(&flags.test);
    let mut files: Vec<_> = named.map(|text| input::task_path(text).1.to_owned()).collect();
    files.extend(flags.start.as_ref().map(PathBuf::from));
    output::keep_inputs(folder, "--output", &files)?;
    let request = request(flags)?;
    std::fs::create_dir_all(folder.join("certificates")).map_err(|error| {
        Stop(format!("{}: cannot be made ({error}); choose another folder with --output", folder.display()))
    })?;
    let bar = Bar::new();
    let result = design(&request, Some((&folder.join("journal.jsonl"), flags.resume)), &Run::observed(&bar));
    bar.finish();
    let result = result?;
    write_design(&request, &result, report::command_line(), folder)
        .and_then(|report| write_pictures(&report, folder))
        .map_err(|error| Stop(format!("{error}; choose another folder with --output")))?;
    if as_json {
        let mut object = design_summary(&request, &result);
        object["output"] = folder.display().to_string().into();
        object["computed"] = result.computed.into();
        print::json(&object);
    } else {
        print::text(&describe(&request, &result, folder));
    }
    Ok(ExitCode::SUCCESS)
}

fn request(flags: &DesignFlags) -> Result<Request, Stop> {
    let grid = input::grid(&flags.grid, flags.horizon)?;
    let task = |text: &String| input::task(text, flags);
    let train = flags.tasks.iter().map(task).collect::<Result<Vec<_>, _>>()?;
    let columns = train.first().map(|task| task.data.origin().columns);
    let request = Request {
        validate: flags.validate.as_ref().map(task).transpose()?,
        test: flags.test.as_ref().map(task).transpose()?,
        grid,
        kappa: flags.kappa,
        template: problem::template(&flags.learner, &StepFlags::default(), columns)?,
        benign: match flags.benign {
            BenignFrom::Simulated => BenignLoss::Simulated,
            BenignFrom::Limit => BenignLoss::Limit,
        },
        attacks: match flags.attacks.0 {
            None if flags.attack_everywhere => {
                return Err(Stop("--attack-everywhere contradicts --attacks none; leave one out".into()));
            }
            None => AttackPlan::None,
            Some(effort) if flags.attack_everywhere => AttackPlan::Everywhere(effort),
            Some(effort) => AttackPlan::Chosen(effort),
        },
        seed: flags.seed,
        refine: flags.refine,
        horizon: flags.horizon,
        start: flags.start.as_deref().map(|text| input::vector(text, "--start")).transpose()?,
        at_most_error: flags.at_most_error,
        // Lists that the user gives are what the user wants tried.
        growing: Growing {
            learning_rates: flags.horizon.is_some() && flags.grid.learning_rate.is_none(),
            regularizations: flags.horizon.is_some() && flags.grid.regularization.is_none(),
            ..Growing::default()
        },
        ..Request::new(train)
    };
    Ok(request.with_steps(&flags.steps.axes())?)
}

fn describe(request: &Request, result: &Design, folder: &Path) -> String {
    let names: Vec<&str> = request.train.iter().map(|t| t.name.as_str()).collect();
    let chosen = result.chosen.setting;
    let all = result.ranking.iter().map(|ranked| ranked.setting);
    let mut lines = template_lines(&request.template);
    lines.extend([("chosen on", names.join(", ")), ("objective", objective(request, result))]);
    lines.extend(request.horizon.map(|points| {
        (
            "horizon",
            format!("all figures are averages over the first {points} points, and bounds are made for these"),
        )
    }));
    lines.push(("", String::new()));
    lines.extend(
        shown_axes([chosen, result.poor.setting].into_iter().chain(all))
            .into_iter()
            .map(|axis| (axis.name(), axis_value(axis, chosen))),
    );
    lines.push((
        "price",
        format!("{} of benign loss given up against the best of the grid", print::up(result.price.max(0.0))),
    ));
    lines.extend(grid_lines(request, result).into_iter().map(|text| ("grid", text)));
    lines.extend(customary_line(result).map(|text| ("scikit-learn", text)));
    let mut text = format!("{}\n{}\n", print::lines(lines), print::table(&ranking_table(result)));
    text.push_str(
        "benign and certified loss, benign error: means over tasks and poison rates; certified error: the largest of them.\n\
         Pareto: no other setting is better in one loss and no worse in the other.\n\n",
    );
    if let Some(test) = &result.test {
        text.push_str(&describe_test(result, test));
    }
    let files = format!(
        "results          {folder}/results.csv, .parquet, .json: {} rows, each bound verified in exact arithmetic\n\
         report           {folder}/report.html\n\
         certificates     {folder}/certificates (of the chosen setting; unswayed check verifies them again)\n",
        result.rows.len(),
        folder = folder.display(),
    );
    text + &files
}

/// What was made small.
fn objective(request: &Request, result: &Design) -> String {
    let rates: Vec<String> = request.grid.poison_rates.iter().map(|r| print::percent(*r)).collect();
    let (rates, benign) = (rates.join(", "), request.benign.word());
    match result.objective {
        Objective::Weighted(kappa) => {
            let from = match (result.tuned, &request.validate) {
                (true, Some(task)) => format!("tuned on {}", task.name),
                _ if request.kappa.is_some() => "given".into(),
                _ => "default".into(),
            };
            format!(
                "benign loss ({benign}) + κ · certified loss, κ = {kappa} ({from}); mean over the tasks and poison rates {rates}"
            )
        }
        Objective::AtMostError(limit) => {
            let failed = if result.chosen.objective.is_finite() {
                String::new()
            } else {
                let least = result.chosen.certified_error.map_or_else(|| "-".into(), print::up);
                format!(". No setting does: this one has the smallest certified error, {least}")
            };
            format!(
                "the smallest benign loss ({benign}) with a certified error of at most {limit} on every task, at every one of the \
                 poison rates {rates}{failed}"
            )
        }
    }
}

/// How the grid has grown, and whether the choice is on an edge of it.
fn grid_lines(request: &Request, result: &Design) -> Vec<String> {
    let value = |x: &f64| if x.is_infinite() { "none".to_owned() } else { print::number(*x) };
    let list = |values: &[f64]| values.iter().map(value).collect::<Vec<_>>().join(", ");
    let mut lines = vec![];
    for axis in Axis::ALL {
        let (before, after) = (axis.values(&request.grid), axis.values(&result.grid));
        if before != after {
            let (name, before, after) = (axis.name(), list(&before), list(&after));
            lines.push(format!("{name} {before} did not reach far enough and was extended to {after}"));
        }
    }
    for edge in result.grid.edges(result.chosen.setting) {
        let remedy = match request.horizon {
            None if edge == "learning rate" => {
                "in the long run a smaller one never hurts; --horizon T designs for a stream of T points"
            }
            None if edge == "batch" => {
                "in the long run a larger one never hurts; --horizon T designs for a stream of T points"
            }
            _ => "a better one may lie beyond; try more values",
        };
        lines.push(format!("the {edge} is at the end of the grid: {remedy}"));
    }
    lines
}

/// What scikit-learn's default setting is certified at.
fn customary_line(result: &Design) -> Option<String> {
    let customary = &result.customary;
    let (rate, loss, error) = customary.bounds.last()?;
    let error = error.map_or(String::new(), |error| format!(", error {}", print::up(error)));
    Some(format!(
        "its default setting (alpha 0.0001, learning_rate \"optimal\") on {}, {} poisoned: certified long-run loss {}{error}",
        customary.task,
        print::percent(*rate),
        print::up(*loss),
    ))
}

/// The best settings and the worst.
fn ranking_table(result: &Design) -> Vec<Vec<String>> {
    let axes = shown_axes(result.ranking.iter().map(|ranked| ranked.setting));
    let figures = ["benign loss", "benign error", "certified loss", "certified error", "objective", "Pareto"];
    let header = [""].into_iter().chain(axes.iter().map(|axis| axis.name())).chain(figures);
    let mut table = vec![header.map(str::to_owned).collect::<Vec<_>>()];
    let or_dash = |x: Option<f64>, show: fn(f64) -> String| x.map_or_else(|| "-".to_owned(), show);
    let line = |place: String, r: &Ranked| {
        let setting = axes.iter().map(|axis| axis_value(*axis, r.setting));
        let figures = [
            print::down(r.benign_loss),
            or_dash(r.benign_error, print::down),
            print::up(r.certified_loss),
            or_dash(r.certified_error, print::up),
            or_dash(Some(r.objective).filter(|x| x.is_finite()), print::up),
            if r.pareto { "yes".into() } else { String::new() },
        ];
        [place].into_iter().chain(setting).chain(figures).collect()
    };
    if result.chosen.setting != result.ranking[0].setting {
        table.push(line("refined".into(), &result.chosen));
    }
    for (i, ranked) in result.ranking.iter().enumerate() {
        if i < SHOWN || i + 1 == result.ranking.len() {
            table.push(line((i + 1).to_string(), ranked));
        } else if i == SHOWN {
            table.push(vec!["…".into()]);
        }
    }
    table
}

fn describe_test(result: &Design, test: &unswayed::design::OnTest) -> String {
    let header =
        ["setting", "poison rate", "benign loss", "attack loss", "certified loss", "certified error", "gap"];
    let mut table = vec![header.map(str::to_owned).to_vec()];
    let mut add = |word: &str, rows: &[Row]| {
        for (i, row) in rows.iter().enumerate() {
            table.push(vec![
                if i == 0 { word.to_owned() } else { String::new() },
                print::percent(row.poison_rate),
                print::down(row.benign_loss),
                row.attack_loss.map_or_else(|| "-".into(), print::down),
                print::up(row.bound()),
                row.error_bound().map_or_else(|| "-".into(), print::up),
                row.gap.map_or_else(|| "-".into(), print::gap),
            ]);
        }
    };
    add("chosen", &test.chosen);
    add("poor", &test.poor);
    format!(
        "On {}, which was not used for the choice:\n\n{}\n{}\n",
        test.task,
        print::table(&table),
        cost(result, test)
    )
}

/// What a poor choice would have cost, in words.
fn cost(result: &Design, test: &unswayed::design::OnTest) -> String {
    let (Some(chosen), Some(poor), Some(best)) =
        (test.chosen.last(), test.poor.last(), test.hindsight.last())
    else {
        return String::new();
    };
    format!(
        "A poor choice ({}) would have raised the certified loss at {} from {} to {}.\n\
         The best setting of the grid for this very task, known only afterwards, has {} there.\n",
        setting_name(result.poor.setting),
        print::percent(chosen.poison_rate),
        print::up(chosen.bound()),
        print::up(poor.bound()),
        print::up(best.bound()),
    )
}
