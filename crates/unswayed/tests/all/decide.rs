//! Designs and limits for a stream of given length: what is recommended must be fit for use.

use unswayed::attack::{Attack, Effort, Suite};
use unswayed::certify::{Options, certify_with};
use unswayed::design::choose::Objective;
use unswayed::design::tolerate::{
    Limit, MOST_TRIALS, Measure, Tolerating, largest_rate, smallest_broken_rate,
};
use unswayed::design::{
    AttackPlan, BenignLoss, Design, Grid, Growing, Request, Run, Setting, Steps, Task, Tried, design,
};
use unswayed::{Adversary, AttackError, LossName, Problem, Template};
use unswayed_check::{Certificate, Evidence, Loss, Rows};

const STEPS: u64 = 20_000;

fn task(rows: usize) -> Task {
    Task { name: "mnist".into(), data: unswayed::data::sample().unwrap().first(rows).unwrap().into() }
}

fn problem(task: &Task, setting: Setting, poison_rate: f64) -> Problem {
    let builder = Problem::builder(task.data.clone()).learning_rate(setting.learning_rate);
    builder.regularization(setting.regularization).poison_rate(poison_rate).build().unwrap()
}

/// A small design for a stream, without the slow simulations of the long run.
fn request(learning_rates: Vec<f64>) -> Request {
    Request {
        grid: Grid::new(learning_rates, vec![0.01, 0.03], vec![0.02]).unwrap(),
        attacks: AttackPlan::None,
        horizon: Some(STEPS),
        ..Request::new(vec![task(60)])
    }
}

fn of(request: &Request) -> Design {
    design(request, None, &Run::default()).unwrap()
}

#[test]
fn a_stream_with_the_recommended_learner_stays_under_its_bound_under_attack() {
    let request = request(Grid::for_horizon(STEPS).learning_rates);
    let found = of(&request);
    let Setting { learning_rate, .. } = found.chosen.setting;
    // What an engineer would run: it has learned long before the stream ends, and still averages over many points.
    assert!((1e-3..=0.3).contains(&learning_rate), "{learning_rate}");
    assert!(
        found.chosen.benign_error.unwrap() < 0.1 && found.chosen.certified_loss < 0.7,
        "{:?}",
        found.chosen
    );
    assert!(found.price >= 0.0 && found.price < 0.1, "{}", found.price);
    // The long run would have chosen the slowest learner, which has not learned by then.
    let long_run = of(&Request { horizon: None, benign: BenignLoss::Limit, ..request.clone() });
    let slowest = found.ranking.iter().find(|r| r.setting == long_run.chosen.setting).unwrap();
    assert_eq!(slowest.setting.learning_rate.to_bits(), found.grid.learning_rates[0].to_bits());
    assert!(slowest.certified_loss > 2.0 * found.chosen.certified_loss, "{slowest:?} {:?}", found.chosen);
    // The certificate is for this very stream.
    let (_, rate, bytes) = &found.certificates[0];
    let certificate = Certificate::from_bytes(bytes).unwrap();
    let task = &request.train[0];
    let verdict =
        unswayed_check::check(&certificate, &Evidence { data: &[Rows::of(&task.data)], target: None })
            .unwrap();
    let bound = verdict.horizon.unwrap();
    assert_eq!(bound.to_bits(), found.chosen.certified_loss.to_bits());
    // And the stream stays under it.
    let problem = problem(task, found.chosen.setting, *rate);
    let suite = Suite::new(&problem).unwrap().with_effort(Effort::Fast);
    let attacks = [Attack::None, Attack::LabelFlip, Attack::Fgsm, Attack::SteadyState];
    let reached = suite.run_first(&attacks, &vec![0.0; problem.parameters()], STEPS).unwrap();
    let loss = |i: usize| reached[i].simulated.loss;
    assert!((loss(0).mean - found.chosen.benign_loss).abs() < 1e-9 + loss(0).half_width);
    for one in &reached {
        assert!(
            one.simulated.loss.low() <= bound,
            "{}: {:?} above {bound}",
            one.attack.name(),
            one.simulated
        );
    }
    // The attack counts, and the bound is not far above it.
    assert!(loss(3).mean > 1.1 * loss(0).mean && bound < 3.0 * loss(3).mean, "{:?} {bound}", loss(3));
}

#[test]
fn a_grid_grows_where_the_choice_is_on_its_edge() {
    let growing = Growing { learning_rates: true, ..Growing::default() };
    let few = request(vec![3e-4, 1e-3]);
    let stays = of(&few);
    assert_eq!(stays.grid, few.grid);
    assert!(stays.grid.edges(stays.chosen.setting).contains(&"learning rate"));
    let grows = of(&Request { growing, ..few.clone() });
    assert_eq!(grows.grid.learning_rates[..4], [3e-4, 1e-3, 3e-3, 1e-2]);
    assert_eq!(grows.grid.regularizations, few.grid.regularizations);
    assert!(grows.chosen.objective < stays.chosen.objective);
    assert!(!grows.grid.edges(grows.chosen.setting).contains(&"learning rate"), "{:?}", grows.grid);
    assert_eq!(grows.rows.len(), grows.grid.settings(&Template::default()).count());
    // In the long run smaller rates never hurt: there the grid would grow for ever.
    let long_run = of(&Request { growing, horizon: None, benign: BenignLoss::Limit, ..few.clone() });
    assert_eq!(long_run.grid, few.grid);
}

#[test]
fn the_best_model_whose_error_is_proven_to_stay_below() {
    let few = request(vec![1e-3, 1e-2, 1e-1]);
    let all = of(&few);
    let errors: Vec<f64> = all.ranking.iter().map(|r| r.certified_error.unwrap()).collect();
    let least = errors.iter().copied().fold(1.0, f64::min);
    let limit = least + 0.05;
    let found = of(&Request { at_most_error: Some(limit), ..few.clone() });
    assert_eq!(found.objective, Objective::AtMostError(limit));
    let will_do = all.ranking.iter().filter(|r| r.certified_error.unwrap() <= limit);
    let best = will_do.min_by(|a, b| a.benign_loss.total_cmp(&b.benign_loss)).unwrap();
    assert_eq!(found.chosen.setting, best.setting);
    // Just below the smallest error that is proven, nothing will do; the nearest is shown.
    let none = of(&Request { at_most_error: Some(least * 0.999), ..few });
    assert!(none.chosen.objective.is_infinite() && none.chosen.certified_error == Some(least));
}

#[test]
fn the_customary_setting_is_shown_beside() {
    let found = of(&Request { horizon: None, benign: BenignLoss::Limit, ..request(vec![1e-3]) });
    let [(rate, loss, _)] = found.customary.bounds[..] else { panic!("{:?}", found.customary) };
    assert!(rate.to_bits() == 0.02f64.to_bits() && loss > found.chosen.certified_loss, "{loss}");
}

#[test]
fn limits_on_the_first_steps_are_kept_and_broken() {
    let task = task(60);
    let learner = problem(&task, Setting::new(0.01, 0.03), 0.0);
    for (measure, value) in [(Measure::Loss, 0.35), (Measure::Error, 0.4)] {
        let limit = Limit::new(value, measure).with_options(Options::default().with_horizon(STEPS));
        let found = largest_rate(&learner, &limit).unwrap().unwrap();
        let outcome = &found.outcome;
        let bound =
            if measure == Measure::Loss { outcome.horizon_loss } else { outcome.horizon_error() }.unwrap();
        assert!(bound <= value && found.poison_rate > 0.0 && found.trials <= MOST_TRIALS, "{found:?}");
        let evidence = Evidence { data: &[Rows::of(&task.data)], target: None };
        let verdict = unswayed_check::check(&found.outcome.certificate, &evidence).unwrap();
        assert_eq!((verdict.horizon, verdict.horizon_error), (outcome.horizon_loss, outcome.horizon_error()));
        // One search for an attack is enough.
        if measure == Measure::Loss {
            let broken = smallest_broken_rate(&learner, &limit, found.poison_rate, 0).unwrap().unwrap();
            assert!(broken.poison_rate > found.poison_rate && measure.attacked(&broken.attacked) > value);
        }
    }
}

#[test]
fn every_kind_of_learner_is_asked_what_it_tolerates() {
    for loss in [Loss::ModifiedHuber, Loss::SmoothHinge(0.5), Loss::Logistic] {
        let template = Template { loss: Some(LossName::Of(loss)), ..Template::default() };
        let data = unswayed::data::sample().unwrap().first(20).unwrap();
        let problem = Problem::of_template(data, template).learning_rate(0.01).regularization(0.1);
        let problem = problem.poison_rate(0.0).build().unwrap();
        let none = unswayed::certify(&problem).unwrap().certified_loss;
        let found = largest_rate(&problem, &Limit::new(1.2 * none, Measure::Loss)).unwrap().unwrap();
        assert!(found.poison_rate > 1e-4 && found.trials <= MOST_TRIALS, "{loss}: {}", found.trials);
        assert!(found.outcome.certified_loss <= 1.2 * none && found.beyond.unwrap().1 > 1.2 * none);
    }
}

#[test]
fn settings_that_tolerate_a_rate_over_a_stream() {
    let grid = Grid::new(vec![1e-4, 1e-2], vec![0.03], vec![0.02]).unwrap();
    let limit = Limit::new(0.5, Measure::Loss).with_options(Options::default().with_horizon(STEPS));
    let found = Tolerating::find(&task(60), Template::default(), grid, &limit, 0, &Run::default()).unwrap();
    // The slow learner keeps the limit in the long run only.
    let rates: Vec<f64> = found.rows.iter().map(|row| row.learning_rate).collect();
    assert_eq!(rates, [1e-2]);
    assert!(found.rows[0].horizon_loss.unwrap() <= 0.5 && found.rows[0].horizon == Some(STEPS));
}

/// A batch is one step: the first T steps have T times as many points, in attacks as in bounds.
#[test]
fn first_steps_of_batches() {
    let steps = 2000;
    let builder = Problem::builder(crate::fixtures::mnist(60)).batch(20);
    let problem = builder.learning_rate(0.1).regularization(0.01).poison_rate(0.02).build().unwrap();
    let bound =
        certify_with(&problem, &Options::default().with_horizon(steps)).unwrap().horizon_loss.unwrap();
    let (suite, start) = (Suite::new(&problem).unwrap(), vec![0.0; problem.parameters()]);
    let attacks = [Attack::None, Attack::LabelFlip, Attack::SteadyState];
    for one in suite.run_first(&attacks, &start, steps).unwrap() {
        assert!(one.simulated.loss.mean <= bound, "{}: {:?} above {bound}", one.attack.name(), one.simulated);
    }
    let last = suite.trace(Attack::None, &start, &[steps]).unwrap()[0];
    assert!(last < 0.05, "after all steps the loss is {last}");
    let wrong = suite.run_first(&attacks, &start[1..], steps);
    assert!(matches!(wrong, Err(AttackError::StartLength { .. })), "{wrong:?}");
}

/// A stream of so many points makes fewer steps of batches, and figures are averages over these.
#[test]
fn batches_are_compared_on_the_same_stream() {
    let few = request(vec![1e-2]);
    let few = Request { grid: few.grid.clone().with_batches(vec![1, 16]).unwrap(), ..few };
    let found = of(&few);
    for ranked in &found.ranking {
        let Setting { learning_rate, regularization, batch, .. } = ranked.setting;
        let builder = Problem::builder(few.train[0].data.clone()).batch(batch);
        let rated = builder.learning_rate(learning_rate).regularization(regularization).poison_rate(0.02);
        let problem = rated.build().unwrap();
        let alone = certify_with(&problem, &Options::default().with_horizon(STEPS / batch)).unwrap();
        assert!((alone.horizon_loss.unwrap() - ranked.certified_loss).abs() < 1e-6, "{ranked:?}");
        let suite = Suite::new(&problem).unwrap();
        let simulated = suite.run_first(&[Attack::None], &vec![0.0; problem.parameters()], STEPS / batch);
        let loss = simulated.unwrap()[0].simulated.loss.mean;
        assert_eq!(loss.to_bits(), ranked.benign_loss.to_bits(), "{ranked:?}");
    }
    // A step of more points than there are is none.
    let grid = few.grid.clone().with_batches(vec![1, STEPS + 1]).unwrap();
    let message = design(&Request { grid, ..few }, None, &Run::default()).unwrap_err().to_string();
    assert!(message.contains("batch") && message.contains("fewer points"), "{message}");
}

#[test]
fn suggested_steps_grow_where_the_choice_is_on_their_edge() {
    // At so large a rate, single points of data that contradict each other are too noisy for the benign loss.
    let plain = task(60);
    let d = plain.data.dimension();
    let flipped = |(i, row): (usize, &[f64])| {
        row.iter().map(move |x| if i % 4 == 0 { -x } else { *x }).collect::<Vec<_>>()
    };
    let z: Vec<f64> = plain.data.z().chunks(d).enumerate().flat_map(flipped).collect();
    let noisy = Task { name: "noisy".into(), data: unswayed::Dataset::from_rows(z, d, None).unwrap().into() };
    let small = Request { train: vec![noisy], kappa: Some(0.0), ..request(vec![1.0]) };
    let grid = Grid::new(vec![1.0], vec![0.03], vec![0.02]).unwrap();
    let steps = Steps { batches: Tried::Suggested, ..Steps::default() };
    let asked = Request { grid, ..small }.with_steps(&steps).unwrap();
    assert_eq!(asked.grid.batches, [1, 4, 16]);
    let found = of(&asked);
    let chosen = found.chosen.setting.batch;
    // More points make a better learner, until too few steps are left.
    assert!(chosen >= 16 && found.grid.batches.len() > 3, "{:?}", found.grid.batches);
    assert!(!found.grid.edges(found.chosen.setting).contains(&"batch"), "{:?}", found.grid.batches);
    assert!(found.grid.batches.iter().all(|points| *points <= STEPS));
    // In the long run a larger batch never hurts: there the list does not grow.
    let long = of(&Request { horizon: None, benign: BenignLoss::Limit, ..asked });
    assert_eq!(long.grid.batches, [1, 4, 16]);
}

#[test]
fn radii_that_suit_the_data_are_suggested() {
    let few = request(vec![1e-2]);
    let steps =
        Steps { projections: Tried::Suggested, clips: Tried::Suggested, batches: "32".parse().unwrap() };
    let asked = few.clone().with_steps(&steps).unwrap();
    // Twice the norm of the benign model is within the radii; the largest row has norm 1.
    let setting = Setting::new(1e-2, 0.01);
    let theta = unswayed::certify::benign(&problem(&few.train[0], setting, 0.0)).theta;
    let norm = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [Some(least), _, Some(most), None] = asked.grid.projections[..] else {
        panic!("{:?}", asked.grid.projections)
    };
    assert!(least < norm && most > norm, "{norm} {:?}", asked.grid.projections);
    assert_eq!(asked.grid.clips, [Some(0.1), Some(0.3), None]);
    assert_eq!((asked.template.batch, asked.grid.batches.len()), (32, 0));
    assert!(asked.growing.projections && asked.growing.clips && !asked.growing.batches);
    // Without regularization there is always a projection, and against any point always a clip.
    let grid = Grid { regularizations: vec![0.0, 0.01], ..few.grid.clone() };
    let template = Template { adversary: Adversary::Any, ..Template::default() };
    let asked = Request { grid, template, ..few }.with_steps(&steps).unwrap();
    assert!(!asked.grid.projections.contains(&None) && !asked.grid.clips.contains(&None), "{:?}", asked.grid);
}
