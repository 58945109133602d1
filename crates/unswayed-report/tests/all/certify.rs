//! The summary and the report of a certificate, for different learners.

use unswayed::attack::{Attack, Suite};
use unswayed::certify::{Options, certify_with};
use unswayed::{Adversary, Problem};
use unswayed_report::about::{Subject, Summary, certify_report};
use unswayed_report::to_html;

fn problem(loss: &str, adversary: Adversary) -> Problem {
    let data = unswayed::data::sample().unwrap().first(40).unwrap();
    let builder = Problem::builder(data).loss(loss.parse().unwrap()).adversary(adversary);
    builder.learning_rate(0.01).regularization(0.1).poison_rate(0.05).build().unwrap()
}

#[test]
fn the_summary_is_the_same_for_people_and_machines() {
    let problem = problem("logistic", Adversary::BoxAroundData);
    let outcome = certify_with(&problem, &Options::default().with_horizon(1_000_000)).unwrap();
    let both = [Attack::SteadyState, Attack::SteadyStateError];
    let attacked = Suite::new(&problem).unwrap().run(&both).unwrap();
    let summary = Summary { seconds: Some(0.5), ..Summary::new(&outcome, &attacked) };
    let json = serde_json::to_value(&summary).unwrap();
    for key in [
        "status",
        "method",
        "certified_loss",
        "certified_error",
        "benign_loss",
        "benign_error",
        "attack",
        "attack_loss",
        "attack_loss_interval",
        "attack_error",
        "attack_error_interval",
        "attack_error_by",
        "error",
        "verdict",
        "gap",
        "rows",
        "dimension",
        "datasets",
        "loss_function",
        "adversary",
        "learning_rate",
        "regularization",
        "poison_rate",
        "batch",
        "horizon",
        "horizon_loss",
        "transient_steps",
        "seconds",
        "statement",
    ] {
        assert!(!json[key].is_null(), "{key} is missing");
    }
    for key in
        ["radius", "projection", "clip", "bias", "confidence", "new_data_loss", "certificate", "report"]
    {
        assert!(json.get(key).is_some_and(serde_json::Value::is_null), "{key}");
    }
    assert_eq!((&json["status"], &json["loss_function"]), (&"certified".into(), &"logistic".into()));
    let names: Vec<&str> = summary.lines().iter().map(|(name, _)| *name).collect();
    let order = ["learner", "threat", "status", "certified loss", "certified error", "attack loss", "gap"];
    let places: Vec<_> = order.iter().map(|name| names.iter().position(|other| other == name)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{names:?}");
    assert_eq!(names[0], "learner");
}

#[test]
fn every_learner_has_the_same_report() {
    for (loss, adversary) in [("hinge", Adversary::Ball), ("logistic", Adversary::LabelFlips)] {
        let problem = problem(loss, adversary);
        let outcome = unswayed::certify(&problem).unwrap();
        let summary = Summary { verify: Some("unswayed check c d".into()), ..Summary::new(&outcome, &[]) };
        let subject = Subject { problem: &problem, outcome: &outcome, attacked: None, seed: 0 };
        let page = to_html(&certify_report(&subject, &summary, "unswayed certify d".into()).unwrap());
        for words in [loss, "poison-rate", "The first steps", "nobody attacks", "unswayed check c d"] {
            assert!(page.contains(words), "{loss}: {words} is missing");
        }
        for (_, text) in summary.figures() {
            assert!(page.contains(text.split("  ").next().unwrap()), "{text}");
        }
    }
}
