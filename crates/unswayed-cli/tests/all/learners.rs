//! Losses, adversaries, drift and targets; what is certified can be checked, and nothing else.

use ndarray::{Array2, Axis};
use unswayed_check::{Certificate, Set, Target};

use super::files::{first, folder, npy, npz, points};
use super::{SETTING, certificate, certified, json, loss, text, unswayed};

#[test]
fn every_set_is_certified_and_checked() {
    let folder = folder();
    let pool = points(5, 0.2, 9).0;
    npy(&folder, "pool.npy", &pool);
    npy(&folder, "q.npy", &Array2::from_diag(&ndarray::arr1(&[0.25, 0.5, 0.1])));
    ndarray_npy::write_npy(folder.path().join("r.npy"), &ndarray::arr1(&[0.5, 0.25, 0.0])).unwrap();
    let sets = ["ball", "box", "box=0.5", "box=0.5,0.25,0", "box=r.npy", "ellipsoid", "ellipsoid=q.npy"];
    for set in sets.into_iter().chain(["points=pool.npy", "labels"]) {
        let is_given = set.contains('=');
        for loss_function in if is_given { &["hinge"][..] } else { &["hinge", "logistic"] } {
            let batch = if set == "ball" { "--batch 2" } else { "" };
            let found =
                certified(&folder, &format!("a.npz --loss {loss_function} --adversary {set} {batch}"));
            assert_eq!(found["status"], "certified", "{set}");
            assert_eq!(found["loss_function"], *loss_function);
            assert_eq!(found["adversary"], set.split('=').next().unwrap());
            assert!(loss(&found) > 0.0 && loss(&found) < 0.7, "{loss_function}, {set}: {found}");
        }
    }
}

#[test]
fn sets_are_those_that_were_asked_for() {
    let folder = folder();
    let (x, y) = points(24, 0.4, 1);
    let z = &x * &y.clone().insert_axis(Axis(1));
    let set = |name: &str| {
        let found = certified(&folder, &format!("a.npz --adversary {name}"));
        certificate(&folder, &found).statement.threat.set
    };
    let largest: Vec<f64> =
        z.columns().into_iter().map(|c| c.fold(0.0, |m: f64, z| m.max(z.abs()))).collect();
    assert_eq!(set("box"), Set::Box { radii: largest });
    assert_eq!(set("box=0.5"), Set::Box { radii: vec![0.5; 3] });
    let Set::Points { points } = set("flips") else { panic!("flips are points") };
    assert_eq!(points.len(), 2 * z.len());
    assert!(points[..z.len()].iter().zip(&z).all(|(p, z)| p.to_bits() == z.to_bits()));
    let Set::Ellipsoid { q } = set("ellipsoid") else { panic!("an ellipsoid is one") };
    // Second moments, up to a factor.
    let s = z.t().dot(&z);
    assert!((q[1] / q[0] - s[[0, 1]] / s[[0, 0]]).abs() < 1e-12);
    assert!((q[5] / q[0] - s[[2, 2]] / s[[0, 0]]).abs() < 1e-12);
}

#[test]
fn a_smaller_set_has_a_smaller_bound() {
    let folder = folder();
    let of = |set: &str| loss(&certified(&folder, &format!("a.npz --adversary {set}")));
    let (flips, around, large) = (of("flips"), of("box"), of("box=2"));
    assert!(flips < around && around < large, "{flips}, {around}, {large}");
}

#[test]
fn drift_is_about_all_files() {
    let folder = folder();
    let both = certified(&folder, "a.npz b.npz --drift");
    assert_eq!((&both["datasets"], &both["rows"]), (&2.into(), &48.into()));
    // In another order they are other data.
    let path = both["certificate"].as_str().unwrap();
    let output = unswayed(&folder, &["check", path, "b.npz", "a.npz"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let output = unswayed(&folder, &["check", path, "a.npz"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("needs 2 data files, not 1"));
    for one in ["a.npz", "b.npz"] {
        assert!(loss(&certified(&folder, &format!("{one} --batch 2"))) <= loss(&both) + 1e-6);
    }
}

#[test]
fn drifting_data_are_divided_by_one_number() {
    let folder = folder();
    for (name, factor, seed) in [("small.npz", 2.0, 1), ("large.npz", 8.0, 2)] {
        let (x, y) = points(24, 0.4, seed);
        npz(&folder, name, &[("x", &(x * factor))], Some(&y));
    }
    let found = certified(&folder, "small.npz large.npz --drift --normalize");
    let data = certificate(&folder, &found).statement.data;
    assert!(data[0].scale > 2.0 && data[0].scale.to_bits() == data[1].scale.to_bits(), "{data:?}");
}

#[test]
fn a_target_among_the_rows_becomes_weights() {
    let folder = folder();
    let (x, y) = points(24, 0.4, 1);
    let (part, labels) = (first(&x, Axis(0), 6), y.select(Axis(0), &[0, 1, 2, 3, 4, 5]));
    npz(&folder, "part.npz", &[("x", &part)], Some(&labels));
    for more in ["", "--normalize"] {
        let found = certified(&folder, &format!("a.npz --target part.npz {more}"));
        assert_eq!(found["target"], "weights");
        let mut expected = vec![0.0; 24];
        expected[..6].fill(1.0);
        assert_eq!(certificate(&folder, &found).statement.target, Target::Weights(vec![expected]));
    }
}

#[test]
fn other_data_and_changed_certificates_are_refused() {
    let folder = folder();
    let found = certified(&folder, "a.npz --loss logistic --adversary box");
    let path = found["certificate"].as_str().unwrap();
    let output = unswayed(&folder, &["check", path, "b.npz"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("not the certified rows"), "{}", text(&output.stdout));
    let output = unswayed(&folder, &["check", path, "a.npz", "--target", "b.npz"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("has no target of its own"));

    let good = certificate(&folder, &found);
    let tampered: [fn(&mut Certificate); 3] = [
        |c| c.loss.bound *= 0.99,
        |c| c.statement.threat.poison_rate = 0.1,
        |c| c.statement.threat.set = Set::Box { radii: vec![2.0; 3] },
    ];
    for change in tampered {
        let mut certificate = good.clone();
        change(&mut certificate);
        std::fs::write(folder.path().join(path), certificate.to_bytes()).unwrap();
        let output = unswayed(&folder, &["check", path, "a.npz"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stdout).starts_with("not valid: loss: "), "{}", text(&output.stdout));
    }
    let bytes = good.to_bytes();
    std::fs::write(folder.path().join(path), &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(unswayed(&folder, &["check", path, "a.npz"]).status.code(), Some(2));
}

#[test]
fn defaults_can_be_spelled_out() {
    let folder = folder();
    let plain = certified(&folder, "a.npz");
    let bytes = certificate(&folder, &plain).to_bytes();
    let spelled = certified(&folder, "a.npz --loss hinge --adversary ball --batch 1");
    assert_eq!(certificate(&folder, &spelled).to_bytes(), bytes);
    assert_eq!((&plain["certificate"], &plain["replaced"]), (&spelled["certificate"], &false.into()));
    // The general solver does not do better.
    assert!(loss(&plain) <= loss(&certified(&folder, "a.npz --drift a.npz")) + 1e-6);
}

#[test]
fn a_report_is_written_and_rendered_again() {
    let folder = folder();
    let words = ["certify", "a.npz", "--loss", "logistic", "--adversary", "box", "--report", "run", "--json"];
    json(&unswayed(&folder, &[&words[..], &SETTING].concat()));
    let page = std::fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    for words in ["logistic", "any z with |z_j|", "unswayed check a.logistic-box.eta0.01"] {
        assert!(page.contains(words), "{words} is missing");
    }
    assert!(folder.path().join("run/figures/poison-rate.svg").exists());
    assert_eq!(unswayed(&folder, &["report", "run"]).status.code(), Some(0));
}
