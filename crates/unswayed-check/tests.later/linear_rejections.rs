//! Every condition on linear learners and their witnesses is enforced, and the complaint says which one failed.

mod linear_common;

use linear_common::Problem;
use linear_common::random::kinds;
use linear_common::search::Random;
use unswayed_check::{Loss, Method, Set, Shells, Target};

/// A problem of the kind with that name whose witness is accepted.
fn problem(name: &str) -> Problem {
    let (_, make) = kinds().into_iter().find(|(n, _)| n == name).expect("a kind of that name");
    let mut random = Random(4242);
    loop {
        let problem = make(&mut random);
        if problem.bound().is_ok() {
            return problem;
        }
    }
}

/// The change alone makes the witness refused, with these words.
#[track_caller]
fn refused(name: &str, words: &str, change: impl FnOnce(&mut Problem)) {
    let mut changed = problem(name);
    change(&mut changed);
    let complaint = changed.complaint();
    assert!(complaint.contains(words), "{complaint}");
}

#[test]
fn learner_parameters() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused("hinge ball", "learner: learning_rate", |p| p.learner.learning_rate = bad);
        refused("hinge ball", "learner: regularization", |p| p.learner.regularization = bad);
        refused("hinge projected", "learner: step.projection", |p| p.learner.step.projection = Some(bad));
        refused("clipped-hinge any", "learner: step.clip", |p| p.learner.step.clip = Some(bad));
    }
    refused("hinge projected", "learner: regularization", |p| p.learner.regularization = -1e-9);
    for bad in [-0.1, 1.0, f64::NAN] {
        refused("logistic ball", "learner: poison_rate", |p| p.learner.poison_rate = bad);
    }
    refused("hinge ball", "1 − learning_rate·regularization", |p| {
        p.learner.learning_rate = 1.0 / p.learner.regularization * 1.01;
    });
    refused("hinge ball", "step.batch", |p| p.learner.step.batch = 0);
    refused("hinge ball free", "step.free = 2.0", |p| p.learner.step.free = vec![2]);
    refused("hinge ball free", "step.free = 0.0", |p| p.learner.step.free = vec![1, 0]);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        refused("hinge ball", "set.radius", |p| p.learner.set = Set::Ball { radius: bad });
        refused("hinge box", "set.radii[1]", |p| p.learner.set = Set::Box { radii: vec![1.0, bad] });
    }
    refused("hinge box", "set.radii: expected 2, found 1", |p| p.learner.set = Set::Box { radii: vec![1.0] });
    refused("hinge ellipsoid", "set.q: expected 3", |p| p.learner.set = Set::Ellipsoid { q: vec![1.0] });
    refused("hinge ellipsoid", "set.q[2]", |p| {
        p.learner.set = Set::Ellipsoid { q: vec![1.0, 0.0, f64::NAN] }
    });
    refused("hinge points", "the number of points", |p| p.learner.set = Set::Points { points: vec![1.0] });
    refused("hinge points", "set.points: expected 2", |p| {
        p.learner.set = Set::Points { points: vec![1.0; 3] }
    });
    refused("hinge points", "set.points[0]", |p| p.learner.set = Set::Points { points: vec![f64::NAN; 2] });
    refused("hinge 3 classes", "learner.classes", |p| p.learner.loss = Loss::Classes(1));
    for bad in [3.0, -1.0, 0.5, f64::NAN] {
        let words = if bad.is_nan() { "z[0]" } else { "the label z[0][0]" };
        refused("hinge 3 classes", words, |p| p.data[0][0] = bad);
    }
    refused("hinge weights", "target.weights[1]", |p| {
        p.learner.target = Target::Weights(vec![vec![1.0, -1.0, 1.0, 1.0]]);
    });
    refused("hinge weights", "the sum of target.weights", |p| {
        p.learner.target = Target::Weights(vec![vec![0.0; 4]]);
    });
    refused("hinge weights", "target.weights: expected 4", |p| {
        p.learner.target = Target::Weights(vec![vec![1.0; 5]]);
    });
    refused("hinge weights", "target.weights: expected 1", |p| p.learner.target = Target::Weights(vec![]));
    refused("interval rows ball", "target: expected 1", |p| p.target = None);
    refused("interval data ball", "target: expected 0", |p| p.target = Some(vec![1.0, 1.0]));
}

#[test]
fn data() {
    refused("hinge drift", "data: entries of z", |p| p.data[1].truncate(7));
    refused("hinge drift", "data: the number of rows", |p| p.data[1].clear());
    refused("hinge drift", "data: z[3]", |p| p.data[1][3] = f64::NAN);
    refused("hinge drift", "data: the number of datasets", |p| p.data.clear());
    refused("interval rows ball", "data: the number of rows", |p| p.target = Some(vec![]));
}

#[test]
fn numbers_of_lambda_and_cases() {
    refused("hinge ball", "alpha = 0.0 is not > 0", |p| p.witness.alpha = 0.0);
    refused("hinge ball", "alpha = NaN is not finite", |p| p.witness.alpha = f64::NAN);
    refused("hinge ball", "beta[1]", |p| p.witness.beta[1] = f64::INFINITY);
    refused("hinge ball", "beta: expected 2", |p| p.witness.beta.push(0.0));
    refused("hinge box", "tau[1] = 0.0 is not > 0", |p| p.witness.cases.tau[1] = 0.0);
    refused("hinge box", "tau: expected 2", |p| p.witness.cases.tau.truncate(1));
    refused("hinge ball", "nu[0]", |p| p.witness.cases.nu[0] = -1e-300);
    refused("hinge points", "tau: expected 0", |p| p.witness.cases.tau = vec![1.0]);
    refused("hinge ball", "share: expected 0", |p| p.witness.cases.share = vec![1.0]);
    for (name, words) in [
        ("hinge ball", "A = "),
        ("hinge box", "A[0]"),
        ("logistic ellipsoid", "εχ²ω/(2τ)"),
        ("hinge 3 classes by label", "a₁"),
    ] {
        refused(name, words, |p| {
            p.learner.poison_rate = p.learner.poison_rate.max(0.1);
            p.witness.alpha *= 2.0;
            p.witness.cases.nu.fill(0.0);
            p.witness.cases.tau.fill(1e-6);
        });
    }
    refused("hinge points", "share[1]", |p| p.witness.cases.share[1] = 1.1);
    refused("logistic points", "w[2]", |p| p.witness.cases.w[2] = 1.0);
    refused("logistic points", "w: expected 3", |p| p.witness.cases.w.clear());
    refused("hinge ellipsoid", "omega", |p| p.witness.omega = Some(0.3));
    refused("hinge ellipsoid", "omega", |p| p.witness.omega = Some(f64::NAN));
    refused("hinge ellipsoid", "positive definite", |p| {
        p.learner.set = Set::Ellipsoid { q: vec![1.0, 1.0, 1.0] }
    });
    refused("hinge ellipsoid", "x: expected 2", |p| p.witness.cases.x.clear());
    refused("hinge ball free", "a free coordinate", |p| p.witness.lines[0].u[0] = 0.123);
    refused("hinge ball free", "nu: expected 0", |p| p.witness.cases.nu = vec![0.0]);
    refused("hinge projected", "4α²ϱ² − ‖β‖²", |p| p.learner.step.projection = Some(1e-3));
    refused("hinge drift", "lines[1] = 0.0 is not of the case's dataset", |p| p.witness.cases.lines[1] = 0);
    refused("hinge drift", "lines[1] = 7.0", |p| p.witness.cases.lines[1] = 7);
    refused("hinge drift", "lines of the cases: expected 2", |p| p.witness.cases.lines.truncate(1));
    refused("hinge drift", "lines.dataset = 2.0", |p| p.witness.lines[1].dataset = 2);
    refused("hinge ball", "lines.shell = 1.0", |p| p.witness.lines[0].shell = 1);
    refused("hinge ball", "lines[0] = 0.0", |p| p.witness.lines.clear());
}

#[test]
fn numbers_of_rows() {
    for name in [
        "hinge ball",
        "logistic box",
        "label-hinge",
        "label-logistic",
        "error-hinge ball",
        "error-logistic ball",
        "clipped-hinge any",
        "clipped-logistic any",
    ] {
        refused(name, "u[2] = 1.5 is not in [0, 1]", |p| p.witness.lines[0].u[2] = 1.5);
        refused(name, "u[0]", |p| p.witness.lines[0].u[0] = -1e-300);
        refused(name, "u: expected 4", |p| p.witness.lines[0].u.clear());
        refused(name, "u[1] = NaN", |p| p.witness.lines[0].u[1] = f64::NAN);
        refused(name, "y: expected 0", |p| p.witness.lines[0].y = vec![0.0; 4]);
    }
    for name in
        ["hinge ball", "logistic box", "label-hinge", "label-logistic", "hinge weights", "logistic weights"]
    {
        refused(name, "κ0p[", |p| p.witness.alpha = 0.1);
    }
    for name in ["logistic ball", "label-logistic", "error-logistic ball", "clipped-logistic any"] {
        for bad in [0.0, 1.0, -0.5] {
            refused(name, "w[3]", |p| p.witness.lines[0].w[3] = bad);
        }
        // η‖z‖² ≥ 4k
        refused(name, "4k − η‖z[1]‖²", |p| {
            p.weights = vec![None];
            let size = (4.0 / p.learner.learning_rate).sqrt();
            p.data[0][2] = size;
            // A clipped row that long needs a small r and a large α.
            if let Some(low) = p.witness.lines[0].low.get_mut(1) {
                *low = p.learner.step.clip.unwrap() / size / 2.0;
                p.witness.alpha *= 1e3;
            }
        });
    }
    for name in ["label-logistic", "error-logistic ball"] {
        refused(name, "w2[0]", |p| p.witness.lines[0].w2[0] = 1.0);
    }
    refused("error-hinge ball", "u2[0]", |p| p.witness.lines[0].u2[0] = 2.0);
    refused("error-hinge ball", "c[1]", |p| p.witness.lines[0].c[1] = -0.1);
    refused("error-hinge ball", "κ0 − 1 + c[0]", |p| {
        p.witness.alpha = 0.1;
        p.witness.lines[0].c.fill(0.1);
    });
    for name in ["clipped-hinge any", "clipped-logistic ball"] {
        refused(name, "low[1]", |p| p.witness.lines[0].low[1] = 1.1);
        refused(name, "low[1]", |p| p.witness.lines[0].low[1] = -0.1);
        refused(name, "G² − low[", |p| {
            p.learner.step.clip = Some(1e-6);
            p.witness.lines[0].low.fill(1.0);
        });
        refused(name, "κ0·low[0]", |p| p.witness.lines[0].low[0] = 1e-6);
    }
    refused("clipped-hinge any", "high[1]", |p| p.witness.lines[0].high[1] = 0.0);
    refused("clipped-hinge any", "high[1]²", |p| p.witness.lines[0].high[1] = 1e-6);
    refused("interval data ball", "reach of z[1]", |p| p.witness.lines[0].reach[1] = -1.0);
    refused("interval data ball", "reach² − r²‖z[1]‖²", |p| p.witness.lines[2].reach[1] *= 0.99);
    refused("interval rows ball", "reach of target[1]", |p| p.witness.lines[0].target_reach[1] = -1.0);
    refused("interval rows ball", "reach² − r²‖target[1]‖²", |p| {
        p.witness.lines[2].target_reach[1] *= 0.99;
    });
    refused("interval rows ball", "target_y: expected 4", |p| p.witness.lines[1].target_y.clear());
}

fn shells(problem: &mut Problem) -> &mut Shells {
    problem.witness.shells.as_mut().expect("shells")
}

#[test]
fn shells_and_balls() {
    refused("interval data ball", "shell.radii[1]", |p| shells(p).radii.swap(0, 1));
    refused("interval data ball", "shell.radii[0]", |p| shells(p).radii[0] = 0.0);
    refused("interval data ball", "(r − ϱ)² − ‖o‖²", |p| shells(p).centre[0] += 1.0);
    refused("interval data ball", "r − ϱ for the last shell", |p| shells(p).ball *= 10.0);
    refused("interval data ball", "shell.ball", |p| shells(p).ball = -1.0);
    refused("interval data ball", "shell.centre: expected 2", |p| shells(p).centre.push(0.0));
    refused("interval data ball", "(ϱσ)² − ‖z‖² on the set", |p| {
        p.learner.set = Set::Ball { radius: 100.0 }
    });
    refused("interval data box", "(ϱσ)² − ‖z‖² on the set", |p| {
        p.learner.set = Set::Box { radii: vec![0.1, 100.0] }
    });
    refused("interval data points", "(ϱσ)² − ‖z‖² on the set", |p| {
        p.learner.set = Set::Points { points: vec![0.1, 0.1, 0.1, 100.0, 0.1, 0.1] }
    });
    refused("interval data ball", "(ϱσ)² − ‖z[2]‖²", |p| p.data[0][4] = 1e3);
    refused("interval data ball projected", "shell.ball − step.projection", |p| shells(p).ball *= 0.99);
    refused("interval data ball", "outer[1]", |p| p.witness.cases.outer[1] = -1e-9);
    refused("interval data ball", "inner[2]", |p| p.witness.cases.inner[2] = -1e-9);
    refused("interval data ball", "lines[0] = 1.0", |p| p.witness.cases.lines[0] = 1);
    refused("interval data ball", "lines[2] = 1.0", |p| p.witness.cases.lines[2] = 1);
}

#[test]
fn parts_that_do_not_go_together() {
    let parts = |name: &str, words: &str, change: fn(&mut Problem)| {
        refused(name, &format!("does not go with {words}"), change);
    };
    parts("hinge ball", "this loss", |p| p.learner.loss = Loss::Logistic);
    parts("logistic ball", "this loss", |p| p.learner.loss = Loss::Hinge);
    parts("hinge 3 classes", "classes", |p| p.witness.method = Method::LabelHinge);
    parts("hinge 3 classes", "classes and this set", |p| p.learner.set = Set::Box { radii: vec![1.0; 3] });
    parts("hinge 3 classes", "classes and shells", |p| p.witness.shells = Some(Shells::default()));
    parts("hinge 3 classes", "classes and this target", |p| {
        p.learner.target = Target::Weights(vec![vec![1.0; 4]]);
    });
    parts("hinge ball", "cases by label without classes", |p| p.witness.by_label = true);
    parts("hinge ball", "a clip", |p| p.learner.step.clip = Some(1.0));
    parts("clipped-hinge ball", "steps without a clip", |p| p.learner.step.clip = None);
    parts("hinge ball", "the set `any`", |p| p.learner.set = Set::Any);
    parts("clipped-hinge any", "this set", |p| p.learner.set = Set::Box { radii: vec![1.0; 2] });
    parts("hinge ball", "this set", |p| p.learner.set = Set::Labels);
    parts("label-hinge", "this set", |p| p.learner.set = Set::Ball { radius: 1.0 });
    parts("label-hinge", "this target", |p| p.learner.target = Target::Weights(vec![vec![1.0; 4]]));
    parts("error-hinge ball", "this target", |p| p.learner.target = Target::Weights(vec![vec![1.0; 4]]));
    parts("hinge ball", "target rows", |p| {
        p.learner.target = Target::Rows;
        p.target = Some(vec![1.0, 1.0]);
    });
    parts("interval data ball", "a witness without shells", |p| p.witness.shells = None);
    parts("hinge ball free", "free coordinates", |p| p.learner.set = Set::Points { points: vec![1.0; 2] });
    parts("hinge ball free", "free coordinates and shells", |p| p.witness.shells = Some(Shells::default()));
    parts("hinge ball free", "free coordinates and a projection", |p| p.learner.step.projection = Some(1.0));
    parts("hinge ellipsoid", "an ellipsoid without omega", |p| p.witness.omega = None);
    parts("hinge ball", "omega without an ellipsoid", |p| p.witness.omega = Some(1.0));
}

#[test]
fn horizons() {
    let complaint = |name: &str, steps: u64, start: &[f64]| {
        problem(name).prove().unwrap().horizon(steps, start).expect_err("a refusal").to_string()
    };
    assert!(complaint("hinge ball", 0, &[0.0; 2]).contains("horizon.steps"));
    assert!(complaint("hinge ball", 5, &[0.0; 3]).contains("entries of horizon.start"));
    assert!(complaint("hinge ball", 5, &[f64::NAN, 0.0]).contains("horizon.start[0]"));
    assert!(complaint("hinge projected", 5, &[1e3, 0.0]).contains("ϱ² − ‖θ_0‖²"));
    assert!(complaint("interval data ball", 5, &[1e6, 0.0]).contains("ϱ² − ‖θ_0‖²"));
    // (α/(ηT))‖θ_0 + β/(2α)‖², and the same for free coordinates with αk in place of α.
    for name in ["logistic ball", "hinge ball free"] {
        let p = problem(name);
        let k = 1.0 - p.learner.learning_rate * p.learner.regularization;
        let alpha = [p.witness.alpha, p.witness.alpha * if name.ends_with("free") { k } else { 1.0 }];
        let start = [0.3, -0.2];
        let square = |j: usize| alpha[j] * (start[j] + p.witness.beta[j] / (2.0 * alpha[j])).powi(2);
        let extra = (square(0) + square(1)) / (p.learner.learning_rate * 50.0);
        let proven = p.prove().unwrap();
        let found = proven.horizon(50, &start).unwrap() - proven.bound().unwrap();
        assert!((found - extra).abs() < 1e-9 * (1.0 + extra), "{found} {extra}");
    }
}
