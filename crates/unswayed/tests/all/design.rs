//! Sweeps, journals, choices and inverse questions.

use std::path::Path;

use unswayed::attack::Effort;
use unswayed::design::choose::{KAPPAS, rank, refine};
use unswayed::design::sweep::{Chain, Observer};
use unswayed::design::table::{self, to_csv, to_parquet};
use unswayed::design::tolerate::{Limit, MOST_TRIALS, Measure, largest_rate, smallest_broken_rate};
use unswayed::design::{
    AttackPlan, BenignLoss, Design, DesignError, Grid, Request, Run, Setting, Sweep, SweepPlan, Task, design,
};
use unswayed::{Adversary, Dataset, LossName, Problem, Template, certify};
use unswayed_check::{Evidence, Rows, Verdict};

/// Small tasks, different from each other: slices of the embedded sample.
fn task(name: &str, from: usize, rows: usize) -> Task {
    let data = unswayed::data::sample().unwrap();
    let z = data.z()[from * data.dimension()..(from + rows) * data.dimension()].to_vec();
    Task { name: name.into(), data: Dataset::from_rows(z, data.dimension(), None).unwrap().into() }
}

fn grid() -> Grid {
    Grid::new(vec![1e-3, 5e-3, 2e-2], vec![0.01, 0.05], vec![0.01, 0.05]).unwrap()
}

fn request() -> Request {
    Request {
        test: Some(task("c", 80, 40)),
        grid: grid(),
        benign: BenignLoss::Limit,
        attacks: AttackPlan::None,
        ..Request::new(vec![task("a", 0, 40), task("b", 40, 40)])
    }
}

fn plan() -> SweepPlan {
    SweepPlan {
        template: Template::default(),
        grid: grid(),
        benign: BenignLoss::Limit,
        effort: Effort::Fast,
        seed: 0,
        horizon: None,
        start: None,
    }
}

fn problem(task: &Task, learning_rate: f64, regularization: f64, poison_rate: f64) -> Problem {
    let builder = Problem::builder(task.data.clone()).learning_rate(learning_rate);
    builder.regularization(regularization).poison_rate(poison_rate).build().unwrap()
}

fn check(certificate: &unswayed_check::Certificate, data: &Dataset) -> Verdict {
    unswayed_check::check(certificate, &Evidence { data: &[Rows::of(data)], target: None }).unwrap()
}

fn tables(design: &Design) -> (Vec<u8>, Vec<u8>) {
    (to_csv(&design.rows), to_parquet(&design.rows).unwrap())
}

fn in_journal(request: &Request, path: &Path, resume: bool) -> Result<Design, DesignError> {
    design(request, Some((path, resume)), &Run::default())
}

#[test]
fn a_sweep_finds_what_single_certificates_find() {
    let request = request();
    let found = design(&request, None, &Run::default()).unwrap();
    assert_eq!(found.rows.len(), 3 * 6 * 2);
    assert_eq!(found.computed, 3 * 6 * (2 + 1));
    for row in &found.rows {
        let tasks = request.train.iter().chain(&request.test);
        let task = tasks.into_iter().find(|t| t.name == row.task).unwrap();
        let alone = certify(&problem(task, row.learning_rate, row.regularization, row.poison_rate)).unwrap();
        // Warm starts lead to another witness, as good up to the solver's tolerance.
        assert!((row.certified_loss - alone.certified_loss).abs() < 1e-7, "{row:?}");
        assert_eq!(row.benign_loss.to_bits(), alone.benign.loss.to_bits());
    }
    // The certificates of the chosen setting are the ones of the table, and pass the checker.
    for (name, rate, bytes) in &found.certificates {
        let certificate = unswayed_check::Certificate::from_bytes(bytes).unwrap();
        let tasks = request.train.iter().chain(&request.test);
        let task = tasks.into_iter().find(|t| t.name == *name).unwrap();
        let verdict = check(&certificate, &task.data);
        let in_table = found.rows.iter().find(|r| {
            r.task == *name
                && r.poison_rate.to_bits() == rate.to_bits()
                && r.learning_rate.to_bits() == found.chosen.setting.learning_rate.to_bits()
                && r.regularization.to_bits() == found.chosen.setting.regularization.to_bits()
        });
        assert_eq!(verdict.loss.to_bits(), in_table.unwrap().certified_loss.to_bits());
    }
}

#[test]
fn the_ranking_and_the_front_are_what_brute_force_says() {
    let request = Request { kappa: Some(0.3), ..request() };
    let found = design(&request, None, &Run::default()).unwrap();
    let mean = |setting: Setting, pick: &dyn Fn(&table::Row) -> f64| {
        let of_setting = found.rows.iter().filter(|r| {
            r.task != "c"
                && r.learning_rate.to_bits() == setting.learning_rate.to_bits()
                && r.regularization.to_bits() == setting.regularization.to_bits()
        });
        let values: Vec<f64> = of_setting.map(pick).collect();
        assert_eq!(values.len(), 4);
        values.iter().sum::<f64>() / 4.0
    };
    let mut last = f64::NEG_INFINITY;
    for ranked in &found.ranking {
        let (benign, certified) =
            (mean(ranked.setting, &|r| r.benign_loss), mean(ranked.setting, &|r| r.certified_loss));
        assert!((ranked.objective - (benign + 0.3 * certified)).abs() < 1e-12);
        assert!(ranked.objective >= last);
        last = ranked.objective;
        let dominated = found.ranking.iter().any(|o| {
            o.benign_loss <= ranked.benign_loss
                && o.certified_loss <= ranked.certified_loss
                && (o.benign_loss < ranked.benign_loss || o.certified_loss < ranked.certified_loss)
        });
        assert_eq!(ranked.pareto, !dominated);
    }
    assert_eq!(found.chosen, found.ranking[0]);
    assert_eq!(found.poor, *found.ranking.last().unwrap());
    let hindsight = &found.test.as_ref().unwrap().hindsight;
    let best = |rows: &[table::Row]| rows.iter().map(|r| r.certified_loss).sum::<f64>();
    assert!(best(hindsight) <= best(&found.test.as_ref().unwrap().chosen) + 1e-12);
}

#[test]
fn the_weight_is_tuned_on_the_validation_task() {
    let request = Request { validate: Some(task("v", 120, 40)), ..request() };
    let found = design(&request, None, &Run::default()).unwrap();
    assert!(found.tuned && KAPPAS.contains(&found.kappa));
    // No other weight leads to a choice with a smaller certified loss on the validation task.
    let tasks = [request.train[0].clone(), request.train[1].clone(), request.validate.clone().unwrap()];
    let run = Run::default();
    let sweep = Sweep::new(&tasks, plan(), &run).unwrap();
    let settings: Vec<Setting> = grid().settings(&Template::default()).collect();
    let chains: Vec<Chain> =
        (0..3).flat_map(|task| settings.iter().map(move |s| Chain { task, setting: *s })).collect();
    sweep.certify(&chains).unwrap();
    let harm = |kappa: f64| {
        let setting = rank(&sweep, &[0, 1], &settings, kappa)[0].setting;
        grid()
            .poison_rates
            .iter()
            .map(|r| sweep.certified(Chain { task: 2, setting }, *r).unwrap().loss)
            .sum::<f64>()
    };
    let best = KAPPAS.iter().map(|k| harm(*k)).fold(f64::INFINITY, f64::min);
    assert!(harm(found.kappa) <= best);
}

#[test]
fn refinement_improves_on_the_grid_and_stays_in_its_range() {
    let tasks = [task("a", 0, 40)];
    let run = Run::default();
    let sweep = Sweep::new(&tasks, plan(), &run).unwrap();
    let settings: Vec<Setting> = grid().settings(&Template::default()).collect();
    let chains: Vec<Chain> = settings.iter().map(|s| Chain { task: 0, setting: *s }).collect();
    sweep.certify(&chains).unwrap();
    let best = rank(&sweep, &[0], &settings, 10.0)[0];
    let (refined, tried) = refine(&sweep, &[0], best, 10.0, &grid()).unwrap();
    assert!(refined.objective < best.objective, "{refined:?} {best:?}");
    for setting in &tried {
        assert!((1e-3..=2e-2).contains(&setting.learning_rate), "{setting:?}");
        assert!((0.01..=0.05).contains(&setting.regularization), "{setting:?}");
    }
    // A finer grid of brute force has nothing better to offer, up to the step at which the search ends.
    let fine: Vec<Setting> =
        (0..=40).map(|i| Setting::new(1e-3, 0.01 * 5f64.powf(f64::from(i) / 40.0))).collect();
    sweep.certify(&fine.iter().map(|s| Chain { task: 0, setting: *s }).collect::<Vec<_>>()).unwrap();
    let finest = rank(&sweep, &[0], &fine, 10.0)[0];
    assert!(refined.objective <= finest.objective * 1.001, "{refined:?} {finest:?}");
}

#[test]
fn a_journal_cut_at_any_byte_is_continued_to_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let request = Request {
        grid: Grid::new(vec![1e-3, 5e-3], vec![0.05], vec![0.01, 0.05]).unwrap(),
        ..Request { train: vec![task("a", 0, 20)], ..request() }
    };
    let whole = in_journal(&request, &path, false).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let count = |bytes: &[u8]| bytes.split(|b| *b == b'\n').count() - 1;
    let lines = count(&bytes);
    assert_eq!(lines, 1 + whole.computed);
    // A prime stride meets every position within a line; the last lines byte by byte.
    let cuts = (0..bytes.len()).step_by(211).chain(bytes.len() - 60..=bytes.len());
    for cut in cuts {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let again = in_journal(&request, &path, true).unwrap();
        let kept = count(&bytes[..cut]).saturating_sub(1);
        assert_eq!(again.computed, whole.computed - kept, "cut at {cut}");
        assert!(tables(&again) == tables(&whole), "cut at {cut}");
        let completed = std::fs::read(&path).unwrap();
        assert_eq!(count(&completed), lines);
    }
}

#[test]
fn a_torn_end_of_any_content_is_redone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let request = request();
    let whole = in_journal(&request, &path, false).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let start_of_last = bytes[..bytes.len() - 1].iter().rposition(|b| *b == b'\n').unwrap() + 1;
    let last = bytes.len() - start_of_last;
    for junk in [vec![0; last], vec![b'\n'; 3], b"{}\n".to_vec(), vec![0xff; 10], bytes[..20].to_vec()] {
        let mut torn = bytes[..start_of_last].to_vec();
        torn.extend(&junk);
        std::fs::write(&path, &torn).unwrap();
        let again = in_journal(&request, &path, true).unwrap();
        assert_eq!(again.computed, 1);
        assert!(tables(&again) == tables(&whole));
    }
    // One changed digit in the last record is noticed.
    let mut changed = bytes.clone();
    let digit = changed.iter().rposition(u8::is_ascii_digit).unwrap();
    changed[digit] = if changed[digit] == b'1' { b'2' } else { b'1' };
    std::fs::write(&path, &changed).unwrap();
    assert_eq!(in_journal(&request, &path, true).unwrap().computed, 1);
}

#[test]
fn a_journal_of_something_else_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    in_journal(&request(), &path, false).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let other_data = Request { test: Some(task("c", 81, 40)), ..request() };
    let more_tasks = Request { validate: Some(task("d", 120, 40)), ..request() };
    let other_grid =
        Request { grid: Grid::new(vec![1e-3], vec![0.01, 0.05], vec![0.01, 0.05]).unwrap(), ..request() };
    let other_seed = Request { seed: 1, ..request() };
    let other_radius =
        Request { template: Template { radius: Some(0.5), ..Template::default() }, ..request() };
    for (other, what) in [
        (other_data, "tasks.c"),
        (more_tasks, "tasks.d"),
        (other_grid, "learning_rates"),
        (other_seed, "seed"),
        (other_radius, "template.radius"),
    ] {
        let message = in_journal(&other, &path, true).unwrap_err().to_string();
        assert!(message.contains(what) && message.contains("--output"), "{message}");
    }
    assert!(matches!(in_journal(&request(), &path, false), Err(DesignError::JournalExists { .. })));
    // Damage before the end is no interruption.
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    std::fs::write(&path, &damaged).unwrap();
    assert!(matches!(in_journal(&request(), &path, true), Err(DesignError::JournalDamaged { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), damaged);
    // The weight may change: it costs nothing.
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(in_journal(&Request { kappa: Some(5.0), ..request() }, &path, true).unwrap().computed, 0);
}

#[test]
fn a_journal_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let tasks = [task("a", 0, 20)];
    let run = Run::default();
    let open = |resume| Sweep::new(&tasks, plan(), &run).unwrap().with_journal(&path, resume);
    let first = open(false).unwrap();
    assert!(matches!(open(true), Err(DesignError::JournalInUse { .. })));
    drop(first);
    assert!(open(true).is_ok());
}

#[test]
fn bad_requests_are_refused() {
    let empty = |g: Result<Grid, DesignError>| matches!(g, Err(DesignError::EmptyGrid { .. }));
    assert!(empty(Grid::new(vec![], vec![0.1], vec![0.1])));
    assert!(empty(Grid::new(vec![0.1], vec![], vec![0.1])));
    assert!(empty(Grid::new(vec![0.1], vec![0.1], vec![])));
    for (eta, sigma, eps) in [(f64::NAN, 0.1, 0.1), (0.1, -0.1, 0.1), (0.1, 0.1, 1.0), (20.0, 0.1, 0.1)] {
        assert!(matches!(Grid::new(vec![eta], vec![sigma], vec![eps]), Err(DesignError::Parameter(_))));
    }
    let none = Request { train: vec![], ..request() };
    assert!(matches!(design(&none, None, &Run::default()), Err(DesignError::NoTasks)));
    let twice = Request::new(vec![task("a", 0, 20), task("a", 20, 20)]);
    assert!(matches!(design(&twice, None, &Run::default()), Err(DesignError::SameName { .. })));
    let radius = Request { template: Template { radius: Some(-1.0), ..Template::default() }, ..request() };
    assert!(matches!(design(&radius, None, &Run::default()), Err(DesignError::Problem { .. })));
}

#[test]
fn attacks_stay_under_the_certificates_and_the_observer_hears_of_everything() {
    #[derive(Default)]
    struct Count(std::sync::atomic::AtomicUsize, std::sync::atomic::AtomicUsize);
    impl Observer for Count {
        fn expect(&self, pieces: usize) {
            self.0.fetch_add(pieces, std::sync::atomic::Ordering::Relaxed);
        }
        fn done(&self) {
            self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
    let count = Count::default();
    let request = Request {
        grid: Grid::new(vec![5e-3, 2e-2], vec![0.05], vec![0.05]).unwrap(),
        benign: BenignLoss::Simulated,
        attacks: AttackPlan::Everywhere(Effort::Fast),
        ..request()
    };
    let found = design(&request, None, &Run::observed(&count)).unwrap();
    let (expected, done) = (count.0.into_inner(), count.1.into_inner());
    assert_eq!((expected, done), (found.computed, found.computed));
    assert_eq!(found.rows.len(), 6);
    for row in &found.rows {
        let attack = row.attack_loss.unwrap();
        assert!(attack - row.attack_loss_half_width.unwrap() <= row.certified_loss, "{row:?}");
        assert!(row.benign_loss < attack && row.gap.unwrap() > 0.9, "{row:?}");
    }
}

#[test]
fn the_parquet_file_holds_what_the_csv_file_holds() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let mut found = design(&request(), None, &Run::default()).unwrap();
    found.rows[0].attack = Some("a, \"quoted\" name".into());
    let (csv, parquet) = tables(&found);
    let mut lines = csv::Reader::from_reader(&csv[..]);
    let header = lines.headers().unwrap().clone();
    let reader = SerializedFileReader::new(bytes::Bytes::from(parquet)).unwrap();
    let mut rows = reader.get_row_iter(None).unwrap();
    let mut count = 0;
    for line in lines.records() {
        let (line, row) = (line.unwrap(), rows.next().unwrap().unwrap());
        for ((name, cell), (column, field)) in header.iter().zip(&line).zip(row.get_column_iter()) {
            assert_eq!(name, column);
            match field {
                Field::Null => assert_eq!(cell, ""),
                Field::Str(text) => assert_eq!(cell, text),
                Field::Double(number) => assert_eq!(cell.parse::<f64>().unwrap().to_bits(), number.to_bits()),
                other => panic!("{other:?}"),
            }
        }
        count += 1;
    }
    assert_eq!(count, found.rows.len());
    assert!(rows.next().is_none());
}

#[test]
fn the_largest_rate_is_certified_and_hardly_more_is() {
    let task = task("a", 0, 60);
    let learner = problem(&task, 1e-3, 0.02, 0.0);
    for (measure, limit) in [(Measure::Loss, 0.3), (Measure::Loss, 0.9), (Measure::Error, 0.2)] {
        let asked = Limit::new(limit, measure);
        let found = largest_rate(&learner, &asked).unwrap().unwrap();
        assert!(found.trials <= MOST_TRIALS, "{}", found.trials);
        assert!(measure.certified(&found.outcome) <= limit);
        let verdict = check(&found.outcome.certificate, &task.data);
        assert!(if measure == Measure::Loss { verdict.loss } else { verdict.error.unwrap() } <= limit);
        let (rate, value) = found.beyond.unwrap();
        assert!(value > limit && rate <= found.poison_rate * 1.002 + 1e-6, "{} {rate}", found.poison_rate);
        // An attack that breaks the limit cannot exist below the certified rate.
        let from = found.poison_rate;
        let broken = (limit < 0.5).then(|| smallest_broken_rate(&learner, &asked, from, 0).unwrap());
        if let Some(broken) = broken.flatten() {
            assert!(broken.poison_rate >= found.poison_rate && measure.attacked(&broken.attacked) > limit);
        }
    }
    assert!(largest_rate(&learner, &Limit::new(1e-3, Measure::Loss)).unwrap().is_none());
    // No adversary can do harm with points of norm 0.
    let builder =
        Problem::builder(task.data.clone()).learning_rate(1e-3).regularization(0.02).poison_rate(0.0);
    let limit = Limit::new(0.9, Measure::Loss);
    let harmless = largest_rate(&builder.radius(0.0).build().unwrap(), &limit).unwrap().unwrap();
    assert!(harmless.poison_rate > 0.5, "{}", harmless.poison_rate);
}

/// Every learner and threat can be designed and asked how much it tolerates.
#[test]
fn other_learners_are_designed_too() {
    let template = Template {
        loss: Some(LossName::Of(unswayed::check::Loss::Logistic)),
        adversary: Adversary::BoxAroundData,
        ..Template::default()
    };
    let grid = Grid::new(vec![1e-2], vec![0.02, 0.1], vec![0.02]).unwrap();
    let found =
        design(&Request { template: template.clone(), grid, ..request() }, None, &Run::default()).unwrap();
    for row in &found.rows {
        assert!(row.benign_loss < row.certified_loss && row.method == "logistic", "{row:?}");
    }
    let builder =
        Problem::of_template(task("a", 0, 30).data, template).learning_rate(1e-2).regularization(0.05);
    let problem = builder.poison_rate(0.0).build().unwrap();
    let found = largest_rate(&problem, &Limit::new(0.65, Measure::Loss)).unwrap().unwrap();
    assert!(found.outcome.certified_loss <= 0.65 && found.poison_rate > 0.0);
}

/// Radii to project on, norms to clip at and points per step are axes like the others.
#[test]
fn projections_clips_and_batches_are_axes() {
    let plain = Grid::new(vec![1e-2], vec![0.05], vec![0.02]).unwrap();
    let grid = plain.with_projections(vec![None, Some(0.5)]).unwrap().with_clips(vec![Some(0.3), None]);
    let grid = grid.unwrap().with_batches(vec![8, 1]).unwrap();
    let request = Request { grid, test: None, kappa: Some(3.0), ..request() };
    let found = design(&request, None, &Run::default()).unwrap();
    assert_eq!(found.ranking.len(), 8);
    assert_eq!(found.rows.len(), 2 * 8);
    for row in &found.rows {
        let task = request.train.iter().find(|t| t.name == row.task).unwrap();
        let mut builder = Problem::builder(task.data.clone()).batch(row.batch);
        if let Some(radius) = row.projection {
            builder = builder.projection(radius);
        }
        if let Some(norm) = row.clip {
            builder = builder.clip(norm);
        }
        let rated = builder.learning_rate(1e-2).regularization(0.05).poison_rate(0.02);
        let alone = certify(&rated.build().unwrap()).unwrap();
        assert!((row.certified_loss - alone.certified_loss).abs() < 1e-6, "{row:?}");
    }
    // Projections and clips matter: no two have the same bounds. A bound for the long run does not know of batches.
    let bounds = |batch: u64| -> Vec<u64> {
        let of = found.ranking.iter().filter(|r| r.setting.batch == batch);
        let mut bounds: Vec<u64> = of.map(|r| r.certified_loss.to_bits()).collect();
        bounds.sort_unstable();
        bounds.dedup();
        bounds
    };
    assert_eq!((bounds(1).len(), bounds(8).len()), (4, 4));
    // The certificates say which steps were chosen.
    let certificate = unswayed_check::Certificate::from_bytes(&found.certificates[0].2).unwrap();
    let learner = &certificate.statement.learner;
    let chosen = found.chosen.setting;
    assert_eq!(
        (learner.projection, learner.clip, learner.batch),
        (chosen.projection, chosen.clip, chosen.batch)
    );
    let columns = String::from_utf8(to_csv(&found.rows)).unwrap();
    assert!(columns.starts_with("task,learning_rate,regularization,projection,clip,batch,poison_rate,"));
}

#[test]
fn a_search_moves_along_all_axes_within_their_range() {
    let tasks = [task("a", 0, 30)];
    let run = Run::default();
    let grid = Grid::new(vec![1e-2], vec![0.05], vec![0.05]).unwrap();
    let grid = grid.with_projections(vec![Some(0.2), Some(2.0), None]).unwrap();
    let grid = grid.with_batches(vec![1, 10]).unwrap();
    let sweep = Sweep::new(&tasks, SweepPlan { grid: grid.clone(), ..plan() }, &run).unwrap();
    let settings: Vec<Setting> = grid.settings(&Template::default()).collect();
    sweep.certify(&settings.iter().map(|s| Chain { task: 0, setting: *s }).collect::<Vec<_>>()).unwrap();
    let all = rank(&sweep, &[0], &settings, 3.0);
    let projected = *all.iter().find(|r| r.setting.projection == Some(0.2) && r.setting.batch == 1).unwrap();
    let (refined, tried) = refine(&sweep, &[0], projected, 3.0, &grid).unwrap();
    assert!(refined.objective < projected.objective, "{refined:?}");
    assert!(refined.setting.projection > Some(0.2) && tried.iter().any(|s| s.batch > 1), "{tried:?}");
    for setting in &tried {
        assert!((0.2..=2.0).contains(&setting.projection.unwrap()) && setting.batch <= 10, "{setting:?}");
        assert_eq!((setting.learning_rate, setting.regularization, setting.clip), (1e-2, 0.05, None));
    }
    // From a setting without a projection there is no way to one.
    let free = *all.iter().find(|r| r.setting.projection.is_none() && r.setting.batch == 1).unwrap();
    let (_, tried) = refine(&sweep, &[0], free, 3.0, &grid).unwrap();
    assert!(!tried.is_empty() && tried.iter().all(|s| s.projection.is_none()), "{tried:?}");
}

/// What is interrupted between the further axes is continued to the same bytes; another list is another sweep.
#[test]
fn a_journal_knows_the_further_axes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let of = |batches: Vec<u64>| {
        let grid = Grid::new(vec![1e-3], vec![0.05], vec![0.02]).unwrap().with_batches(batches).unwrap();
        Request { grid, test: None, train: vec![task("a", 0, 20)], ..request() }
    };
    let whole = in_journal(&of(vec![1, 8]), &path, false).unwrap();
    assert_eq!(whole.computed, 4);
    let bytes = std::fs::read(&path).unwrap();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
    std::fs::write(&path, lines[..3].concat()).unwrap();
    let again = in_journal(&of(vec![1, 8]), &path, true).unwrap();
    assert_eq!(again.computed, 2);
    assert!(tables(&again) == tables(&whole));
    let message = in_journal(&of(vec![1, 4]), &path, true).unwrap_err().to_string();
    assert!(message.contains("batches"), "{message}");
}
