//! What a reader expects of a statement.

use unswayed_check::Feature::{
    Average, Ball, Box as Cuboid, Drift, Hinge, LabelFlips, Logistic, Projection, Schedule,
};
use unswayed_check::{Checked, Feature};

use crate::common::certificate;
use crate::common::fixtures::{mean, rows};
use crate::common::generic::generic;

fn valid(features: &[Feature]) -> Checked {
    let problem = generic(features);
    let certificate = certificate(&problem);
    let verdict = problem.check(&certificate).expect("a good certificate");
    Checked::Valid(Box::new(certificate), verdict)
}

/// The exit code and the text.
fn asked(checked: Checked, expected: &[&str]) -> (u8, String) {
    let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
    let checked = checked.expect(&expected);
    (checked.code(), checked.text())
}

#[test]
fn what_holds_is_valid() {
    for good in [
        "poison_rate>=0.05",
        "poison_rate<=0.05",
        "poison_rate=0.05",
        "poison_rate>=0.02",
        "poison_rate <= 1",
        " threat.poison_rate = 5e-2 ",
        "statement.threat.poison_rate>=-1",
        "statement.threat.poison_rate<=inf",
        "certified_loss<=100",
        "certified_loss>=0",
        "certified_error<=1",
        "certified_horizon<=1e9",
        "steps=1000",
        "learning_rate=0.01",
        "regularization>=0.1",
        "batch=1",
        "batch>=1",
        "loss=hinge",
        "set=ball",
        "radius>=1",
        "set.ball.radius=1",
        "target=data",
        "statement.target=data",
        "rows=4",
        "data.0.rows>=4",
        "of=4",
        "columns=2",
        "scale=1",
        "labels=premultiplied",
        "method=convexity",
        "certified_new_data=none",
        "certified_new_data=null",
        "confidence=none",
        "start_norm=none",
        "smaller_rates=true",
        "status=valid",
        "tool=test 1.0",
        "label_file=none",
        // What an optional field that is absent is.
        "projection=none",
        "learner.projection = null",
        "statement.learner.clip=none",
        "unregularized=none",
        "schedule=none",
        "average=false",
        "label_bound=none",
        "threat.poison_weight=none",
        "moments=none",
        "most_in_block=none",
        "step_weight_column=none",
        "class_weights=none",
        "chosen_columns=none",
        "files=none",
        "data.0.made=none",
        "hostile_rows=none",
        "momentum=none",
        "new_data_radius=none",
        "new_data_assumptions=none",
        // Every entry of a vector.
        "start<=1",
        "horizon.start>=0",
    ] {
        let (code, text) = asked(valid(&[Hinge, Ball]), &[good]);
        assert!(code == 0 && text.starts_with("valid "), "{good}: {text}");
    }
    assert_eq!(asked(valid(&[Logistic, Cuboid]), &["set=box", "loss=logistic"]).0, 0);
    assert_eq!(asked(valid(&[Hinge, LabelFlips]), &["set=label_flips"]).0, 0);
    assert_eq!(asked(valid(&[Hinge, Ball, Projection]), &["projection<=12", "start_norm=12"]).0, 0);
    assert_eq!(asked(valid(&[Hinge, Ball]), &[]).0, 0);
    assert_eq!(asked(valid(&[Hinge, Ball, Projection]), &["projection=none"]).0, 1);
    // A learner that falls short: a rate that changes, an averaged model, no projection at all.
    assert_eq!(asked(valid(&[Hinge, Ball, Schedule]), &["slowdown<=0.025", "average=false"]).0, 0);
    assert_eq!(asked(valid(&[Hinge, Ball, Schedule]), &["schedule=none"]).0, 1);
    assert_eq!(asked(valid(&[Hinge, Ball, Average]), &["average=true", "schedule=none"]).0, 0);
    assert_eq!(asked(valid(&[Hinge, Ball, Average]), &["average=false"]).0, 1);
    assert_eq!(asked(valid(&[Hinge, Ball]), &["projection<=12"]).0, 1);
    let Checked::Valid(mut certificate, verdict) = valid(&[Hinge, Ball]) else { panic!("valid") };
    certificate.statement.horizon = None;
    assert_eq!(asked(Checked::Valid(certificate, verdict), &["statement.horizon=none"]).0, 0);
}

#[test]
fn what_does_not_hold_is_named() {
    for (bad, words) in [
        ("poison_rate>=0.06", "expected poison_rate>=0.06, but statement.threat.poison_rate is 0.05"),
        ("poison_rate<=0.04", "but statement.threat.poison_rate is 0.05"),
        ("poison_rate=0.0500001", "but statement.threat.poison_rate is 0.05"),
        ("poison_rate=nan", "but statement.threat.poison_rate is 0.05"),
        ("poison_rate>=nan", "but statement.threat.poison_rate is 0.05"),
        ("certified_loss<=0", "but certified_loss is "),
        ("loss=logistic", "but statement.learner.loss is \"hinge\""),
        ("loss=Hinge", "but statement.learner.loss is \"hinge\""),
        ("set=box", "but statement.threat.set is "),
        ("set=radius", "but statement.threat.set is "),
        ("target=rows", "but statement.target is \"data\""),
        ("certified_new_data=0.5", "but certified_new_data is null"),
        ("certified_new_data<=1", "but certified_new_data is null"),
        // No such field.
        ("poison=0.05", "there is no such field"),
        ("rate=0.05", "there is no such field"),
        ("hreat.poison_rate=0.05", "there is no such field"),
        ("projection<=12", "but statement.learner.projection is null"),
        ("data.1.rows=4", "there is no such field"),
        ("tool=a>=b", "there is no such field"),
        ("projection=12", "but statement.learner.projection is null"),
        ("nothing=none", "there is no such field"),
        ("ojection=none", "there is no such field"),
        ("threat.projection=none", "there is no such field"),
        ("horizon=none", "but statement.horizon is "),
        ("start>=0.75", "but statement.horizon.start is "),
        ("label_bound>=1", "but statement.threat.label_bound is null"),
    ] {
        let (code, text) = asked(valid(&[Hinge, Ball]), &["poison_rate>=0.05", bad, "batch=1"]);
        assert!(code == 1 && text.starts_with("not as expected: ") && text.contains(words), "{bad}: {text}");
    }
    let (code, text) = asked(valid(&[Hinge, Ball, Drift]), &["rows=4"]);
    assert!(code == 1 && text.contains("several fields have that name"), "{text}");
    assert!(text.contains("statement.data.0.rows") && text.contains("statement.data.1.rows"), "{text}");
    assert_eq!(asked(valid(&[Hinge, Ball, Drift]), &["data.0.rows=4", "data.1.rows=4"]).0, 0);
}

#[test]
fn what_cannot_be_understood() {
    for (bad, words) in [
        ("poison_rate", "it must be KEY=VALUE"),
        ("", "it must be KEY=VALUE"),
        ("=0.05", "it must be KEY=VALUE"),
        (">=0.05", "it must be KEY=VALUE"),
        ("poison_rate>0.01", "it must be KEY=VALUE"),
        ("poison_rate=lots", "\"lots\" is not a number"),
        ("poison_rate>=", "\"\" is not a number"),
        ("loss>=hinge", "it is not a number"),
        ("sha256>=0", "it is not a number"),
        ("start<=lots", "\"lots\" is not a number"),
        ("data=4", "it is not a number"),
    ] {
        let (code, text) = asked(valid(&[Hinge, Ball]), &[bad]);
        assert!(
            code == 2 && text.starts_with("unreadable: --expect ") && text.contains(words),
            "{bad}: {text}"
        );
    }
}

/// Every number of a vector counts, and so does every number of rows that may be hostile.
#[test]
fn vectors_and_lists() {
    let cuboid = || {
        let Checked::Valid(mut certificate, verdict) = valid(&[Hinge, Cuboid]) else { panic!("valid") };
        certificate.statement.threat.set = unswayed_check::Set::Box { radii: vec![0.5, 0.75] };
        certificate.statement.hostile_rows = vec![3, 5];
        certificate.statement.target = unswayed_check::Target::Weights(vec![vec![1.0, 2.0]]);
        certificate.statement.data[0].chosen_columns = Some(vec!["a".into(), "b".into()]);
        Checked::Valid(certificate, verdict)
    };
    for (expected, code) in [
        ("radii>=0.5", 0),
        ("set.box.radii>=0.6", 1),
        ("radii<=0.75", 0),
        ("radii<=0.7", 1),
        ("hostile_rows>=3", 0),
        ("hostile_rows>=4", 1),
        ("hostile_rows<=5", 0),
        ("hostile_rows.1=5", 0),
        ("hostile_rows=3", 1),
        ("hostile_rows=none", 1),
        ("weights.0>=1", 0),
        ("target.weights.0<=1.5", 1),
        ("chosen_columns=a,b", 0),
        ("chosen_columns=a", 1),
        ("chosen_columns>=1", 2),
        ("target=weights", 0),
    ] {
        let (found, text) = asked(cuboid(), &[expected]);
        assert_eq!(found, code, "{expected}: {text}");
    }
}

/// Nothing that is expected makes a bad certificate good, and nothing changes what is wrong with it.
#[test]
fn expectations_come_last() {
    for (bad, code) in [(Checked::Unreadable("x".into()), 2), (Checked::Unexpected("y".into()), 1)] {
        let before = bad.text();
        assert_eq!(asked(bad, &["status=valid", "nonsense"]), (code, before));
    }
}

#[test]
fn the_mean_learner() {
    let checked = || Checked::ValidMean(Box::new(mean(Some(&rows()))), 0.5);
    assert_eq!(
        asked(checked(), &["certified_loss<=0.5", "poison_rate>=0.15", "benign=samples", "rows=5"]).0,
        0
    );
    let (code, text) = asked(checked(), &["squared_radius>=3"]);
    assert!(code == 1 && text.contains("but statement.squared_radius is 2"), "{text}");
    // The mean learner has no projection, not even an absent one.
    assert_eq!(asked(checked(), &["projection=none"]).0, 1);
    assert_eq!(asked(checked(), &["chosen_columns=none", "made=none"]).0, 0);
    let checked = Checked::ValidMean(Box::new(mean(None)), 0.5);
    assert_eq!(asked(checked, &["covariance_trace<=2", "certified_error=none"]).0, 0);
}
