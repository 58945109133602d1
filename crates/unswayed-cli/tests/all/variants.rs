//! Classes, variants of the step, targets of their own, new data, first steps, and the attacks beside all of them.

use ndarray::{Array2, Axis};
use unswayed::check::{ClassWeights, PoisonWeight};

use super::files::{csv, first, folder, npz, points};
use super::{SETTING, certificate, certified, certified_at, json, loss, number, text, unswayed};

#[test]
fn three_classes() {
    let folder = folder();
    let (x, _) = points(24, 0.0, 7);
    let corner = |i: usize, j: usize| if i % 3 == j { 0.6 } else { -0.2 };
    let x = ndarray::Array2::from_shape_fn((24, 3), |(i, j)| 0.3 * x[[i, j]] + corner(i, j));
    let labels: Vec<&str> = (0..24).map(|i| ["ant", "bee", "cow"][i % 3]).collect();
    csv(&folder, "kinds.csv", &["a", "b", "c"], &x, &labels);
    let found = certified(&folder, "kinds.csv --loss multiclass --normalize --horizon 1000000");
    assert_eq!((&found["classes"], &found["dimension"]), (&3.into(), &3.into()));
    assert_eq!(found["status"], "certified");
    assert!(loss(&found) < 2.0 && number(&found, "horizon_loss") > loss(&found), "{found}");
    // With two names exchanged they are other classes.
    let swapped: Vec<&str> = (0..24).map(|i| ["bee", "ant", "cow"][i % 3]).collect();
    csv(&folder, "kinds.csv", &["a", "b", "c"], &x, &swapped);
    let output = unswayed(&folder, &["check", found["certificate"].as_str().unwrap(), "kinds.csv"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn variants_of_the_step() {
    let folder = folder();
    let (mut x, _) = points(24, 0.4, 1);
    x.column_mut(1).fill(0.5);
    let labels: Vec<&str> = (0..24).map(|i| if i % 2 == 0 { "1" } else { "0" }).collect();
    csv(&folder, "named.csv", &["a", "b", "c"], &x, &labels);
    let any = certified(&folder, "a.npz --adversary any --clip 1");
    assert!(loss(&any) < 0.7, "{any}");
    assert!(loss(&certified(&folder, "a.npz --clip 0.5 --loss logistic")) < 0.7);
    assert_eq!(certified(&folder, "named.csv --bias last")["bias"], 3, "a column with any numbers");
    for column in ["2", "b"] {
        let free = certified(&folder, &format!("named.csv --bias {column}"));
        assert_eq!(free["bias"], 2);
        assert_eq!(certificate(&folder, &free).statement.learner.unregularized, [1]);
    }
    let projected = certified(&folder, "a.npz --projection 3 --batch 4");
    assert_eq!((&projected["projection"], &projected["batch"]), (&3.0.into(), &4.into()));
}

/// From the flag to the statement that is read, both checkers' words and the file; and what does not go with it.
#[test]
fn rows_that_may_be_hostile() {
    let folder = folder();
    let plain = certified(&folder, "a.npz");
    let found = certified(&folder, "a.npz --contaminated 0.09");
    assert!(loss(&found) > loss(&plain), "{found}");
    assert!(number(&found, "attack_loss") < loss(&found), "{found}");
    let (rows, hostile) = (24_usize, 2_usize);
    assert_eq!(found["rows"], rows);
    assert_eq!(found["statement"]["hostile_rows"][0], hostile);
    let file = found["certificate"].as_str().unwrap();
    assert!(file.contains("contaminated0.09"), "{file}");
    assert_eq!(certificate(&folder, &found).statement.hostile_rows, [hostile]);
    let output =
        unswayed(&folder, &["check", file, "a.npz", "--expect", &format!("hostile_rows.0>={hostile}")]);
    let said = text(&output.stdout);
    assert!(said.contains(&format!("up to {hostile} of the {rows} rows may be hostile")), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
    // More rows than the proof is about, and none where none are stated.
    for (file, expected) in
        [(file, format!("hostile_rows.0>={}", hostile + 1)), (file, "hostile_rows=none".to_owned())]
    {
        let output = unswayed(&folder, &["check", file, "a.npz", "--expect", &expected]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    }
    let none = unswayed(
        &folder,
        &["check", plain["certificate"].as_str().unwrap(), "a.npz", "--expect", "hostile_rows=none"],
    );
    assert_eq!(none.status.code(), Some(0), "{}", text(&none.stdout));
    for (wrong, words) in [
        ("--contaminated 0", "such as 0.01"),
        ("--contaminated 1", "such as 0.01"),
        ("--contaminated 0.00001", "less than one row"),
        ("--contaminated 0.6 --confidence 0.9", "half of the rows or more may be hostile"),
        ("--contaminated 0.09 --method paper", "--contaminated"),
        ("--contaminated 0.09 --bias last", "--contaminated"),
        ("--contaminated 0.09 --target b.npz", "--contaminated"),
    ] {
        let arguments: Vec<&str> =
            ["certify", "a.npz"].into_iter().chain(wrong.split(' ')).chain(SETTING).collect();
        let output = unswayed(&folder, &arguments);
        let said = text(&output.stderr);
        assert!(output.status.code() != Some(0) && said.contains(words), "{wrong}: {said}");
    }
}

/// From the flag to the statement, the words and the file; and what does not go with it.
#[test]
fn an_adversary_who_picks_its_moments() {
    let folder = folder();
    let plain = certified(&folder, "a.npz");
    let found = certified(&folder, "a.npz --moments 20");
    assert!(loss(&found) > loss(&plain), "{found}");
    assert!(number(&found, "attack_loss") < loss(&found), "{found}");
    assert_eq!(found["statement"]["threat"]["moments"], 20);
    let file = found["certificate"].as_str().unwrap();
    assert!(file.contains("moments20"), "{file}");
    let check =
        |file: &str, expected: &str| unswayed(&folder, &["check", file, "a.npz", "--expect", expected]);
    let output = check(file, "moments<=20");
    let said = text(&output.stdout);
    assert!(said.contains("of each block of 20 points, counted from the first"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(check(file, "moments=none").status.code(), Some(1));
    assert_eq!(check(plain["certificate"].as_str().unwrap(), "moments=none").status.code(), Some(0));
    for (wrong, words) in [
        ("--moments 0", "--moments"),
        ("--moments 20 --batch 3", "a multiple of --batch"),
        ("--moments 20 --horizon 30", "a multiple of 20 steps"),
        ("--moments 20 --horizon 40 --start 1e9,0,0", "--start"),
        ("--moments 20 --adversary labels", "--moments without --adversary ball"),
        ("--moments 20 --momentum 0.5", "--moments with --momentum"),
        ("--moments 20 --confidence 0.9", "--moments with --confidence"),
    ] {
        let arguments: Vec<&str> =
            ["certify", "a.npz"].into_iter().chain(wrong.split(' ')).chain(SETTING).collect();
        let output = unswayed(&folder, &arguments);
        let said = text(&output.stderr);
        assert!(output.status.code() != Some(0) && said.contains(words), "{wrong}: {said}");
    }
}

#[test]
fn steps_with_momentum() {
    let folder = folder();
    let plain = certified(&folder, "a.npz");
    let found = certified(&folder, "a.npz --momentum 0.5");
    assert!(loss(&found) > loss(&plain), "{found}");
    assert_eq!(found["momentum"], 0.5);
    assert!(number(&found, "momentum_cost") < 1e-3 && number(&found, "momentum_rate") > 0.0, "{found}");
    assert_eq!(certificate(&folder, &found).statement.learner.momentum, Some(0.5));
    let output = unswayed(&folder, &["check", found["certificate"].as_str().unwrap(), "a.npz"]);
    let said = text(&output.stdout);
    assert!(
        said.contains("momentum 0.5 (v ← 0.5·v + gradient") && said.contains("momentum costs at most 0.0"),
        "{said}"
    );
    // A momentum of 0 is none.
    assert_eq!(loss(&certified(&folder, "a.npz --momentum 0")).to_bits(), loss(&plain).to_bits());
    for (wrong, words) in [
        ("--momentum 1", "from 0 to below 1"),
        ("--momentum 0.5 --projection 2", "--momentum with --projection"),
        ("--momentum 0.5 --schedule optimal", "--momentum with --schedule"),
        ("--momentum 0.5 --method paper", "--method paper with --momentum"),
        ("--momentum 0.999999", "at most (1 − √momentum)²"),
    ] {
        let wrong: Vec<&str> = wrong.split(' ').collect();
        let output = unswayed(&folder, &[&["certify", "a.npz"], &SETTING[..], &wrong].concat());
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "{wrong:?}: {said}");
    }
}

#[test]
fn steps_are_multiplied_by_weights() {
    let folder = folder();
    let (x, _) = points(24, 0.4, 1);
    let labels: Vec<&str> = (0..24).map(|i| if i % 2 == 0 { "1" } else { "-1" }).collect();
    csv(&folder, "named.csv", &["a", "b", "c"], &x, &labels);
    let plain = certified(&folder, "named.csv");
    let weighted = certified(&folder, "named.csv --class-weight -1=0.75,1=2");
    assert!((loss(&weighted) - loss(&plain)).abs() > 1e-3, "{weighted}");
    let made = certificate(&folder, &weighted).statement;
    assert_eq!(made.threat.poison_weight, Some(PoisonWeight::All(2.0)));
    let classes = made.data[0].class_weights.expect("class weights");
    assert_eq!([classes.negative, classes.positive].map(f64::to_bits), [0.75, 2.0].map(f64::to_bits));
    let output = unswayed(&folder, &["check", weighted["certificate"].as_str().unwrap(), "named.csv"]);
    let said = text(&output.stdout);
    assert!(
        said.contains("steps on rows labelled -1 are multiplied by 0.75, on rows labelled 1 by 2"),
        "{said}"
    );
    assert!(said.contains("steps on them are multiplied by at most 2"), "{said}");
    // Classes of equal size are balanced already.
    let balanced = certified(&folder, "named.csv --class-weight balanced --poison-weight 1");
    assert!((loss(&balanced) - loss(&plain)).abs() < 1e-4, "{balanced}");
    for wrong in [
        "--class-weight 3=2",
        "--class-weight two",
        "--poison-weight 2",
        "--class-weight 1=2 --adversary flips",
    ] {
        let flags: Vec<&str> = wrong.split(' ').collect();
        let output = unswayed(&folder, &[&["certify", "named.csv"], &flags[..], &SETTING[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong}: {}", text(&output.stderr));
    }
}

/// Where the learner appends the constant, points have the weight of their class: by default, or as it is asked for.
#[test]
fn points_have_weights_of_their_class() {
    let folder = folder();
    let (x, _) = points(24, 0.4, 1);
    let one = Array2::from_elem((24, 1), 0.5);
    let with_one = ndarray::concatenate![Axis(1), x, one];
    let labels: Vec<&str> = (0..24).map(|i| if i % 2 == 0 { "spam" } else { "ham" }).collect();
    csv(&folder, "mail.csv", &["a", "b", "c", "one"], &with_one, &labels);
    let learner = "mail.csv --bias one --adversary features --class-weight ham=0.75,spam=2";
    let own = certified(&folder, learner);
    let weights = |found: &serde_json::Value| certificate(&folder, found).statement.threat.poison_weight;
    let by_class = |negative, positive| Some(PoisonWeight::ByClass(ClassWeights { negative, positive }));
    assert_eq!(weights(&own), by_class(0.75, 2.0));
    let all = certified(&folder, &format!("{learner} --poison-weight 2"));
    assert_eq!(weights(&all), Some(PoisonWeight::All(2.0)));
    assert!(loss(&own) <= loss(&all));
    let asked = certified(&folder, &format!("{learner} --poison-weight ham=0.5,spam=1"));
    assert_eq!(weights(&asked), by_class(0.5, 1.0));
    assert!(loss(&asked) < loss(&own));
    let expecting = |expected: &[&str]| {
        let given = expected.iter().flat_map(|one| ["--expect", one]);
        let path = own["certificate"].as_str().unwrap();
        unswayed(&folder, &[&["check", path, "mail.csv"], &given.collect::<Vec<_>>()[..]].concat())
    };
    let output = expecting(&["poison_weight.negative<=0.75", "poison_weight.positive=2", "poison_weight<=2"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("negative (label −1) are multiplied by at most 0.75, positive (label +1) by at most 2"),
        "{said}"
    );
    for wrong in ["poison_weight.negative<=0.5", "poison_weight<=1", "poison_weight=2", "poison_weight=none"]
    {
        assert_eq!(expecting(&[wrong]).status.code(), Some(1), "{wrong}");
    }
    for (wrong, words) in [
        ("ham=0.5", "both classes"),
        ("ham=0.5,eggs=1", "both classes"),
        ("0.5,2", "neither a number nor a list"),
        ("ham=-1,spam=2", "positive"),
    ] {
        let flags = format!("certify {learner} --poison-weight {wrong}");
        let flags: Vec<&str> = flags.split(' ').collect();
        let output = unswayed(&folder, &[&flags[..], &SETTING[..]].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{wrong}: {said}");
    }
}

#[test]
fn a_target_of_its_own_is_named_to_the_checker() {
    let folder = folder();
    let setting = ["--learning-rate", "0.01", "--regularization", "0.5", "--poison-rate", "0.01"];
    let found = certified_at(&folder, "a.npz --target b.npz", setting);
    assert_eq!(found["target"], "rows");
    let path = found["certificate"].as_str().unwrap();
    for (more, code) in [(&["--target", "b.npz"][..], 0), (&["--target", "a.npz"], 1), (&[], 2)] {
        let output = unswayed(&folder, &[&["check", path, "a.npz"], more].concat());
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stdout));
    }
}

#[test]
fn confidence_is_about_half_of_the_rows() {
    let folder = folder();
    let (x, y) = points(200, 0.4, 6);
    npz(&folder, "many.npz", &[("x", &x)], Some(&y));
    let found = certified(&folder, "many.npz --confidence 0.9");
    assert_eq!((&found["rows"], &found["confidence"]), (&100.into(), &0.9.into()));
    assert!(number(&found, "new_data_loss") > loss(&found));
    assert_eq!(found["new_data_loss"], found["confident_loss"]);
    let output = unswayed(&folder, &[&["certify", "many.npz", "--confidence", "0.9"], &SETTING[..]].concat());
    assert!(
        text(&output.stdout)
            .contains("for a learner of new data like these, judged by such data, with probability 90 %")
    );
    // The other half may change, this one may not.
    let path = found["certificate"].as_str().unwrap();
    for (row, code) in [(150, 0), (50, 1)] {
        let mut other = x.clone();
        other[[row, 0]] += 0.01;
        npz(&folder, "other.npz", &[("x", &other)], Some(&y));
        assert_eq!(unswayed(&folder, &["check", path, "other.npz"]).status.code(), Some(code));
    }
}

/// With rows that may be hostile the certificate is about all rows, and the bound for new data about those that came later.
#[test]
fn confidence_in_spite_of_hostile_rows() {
    let folder = folder();
    let (x, y) = points(200, 0.4, 6);
    npz(&folder, "many.npz", &[("x", &x)], Some(&y));
    let clean = certified(&folder, "many.npz --confidence 0.9");
    for loss in ["", " --loss logistic"] {
        let words = format!("many.npz --confidence 0.9 --contaminated 0.01{loss}");
        let found = certified(&folder, &words);
        assert_eq!((&found["rows"], &found["new_data_earlier"]), (&200.into(), &100.into()));
        assert_eq!(found["statement"]["hostile_rows"][0], 2);
        let bound = number(&found, "new_data_loss");
        assert!(bound > number(&found, "certified_loss"), "{found}");
        assert!(!loss.is_empty() || bound > number(&clean, "new_data_loss"), "{bound} {clean}");
        assert!(found["new_data_assumptions"].as_str().unwrap().contains("in the order of their arrival"));
        let path = found["certificate"].as_str().unwrap();
        let expect = ["--expect", "new_data_earlier=100", "--expect", "hostile_rows.0>=2"];
        let output = unswayed(&folder, &[&["check", path, "many.npz"], &expect[..]].concat());
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("when the first 100 had arrived"), "{said}");
        let bound = format!("certified_new_data<={}", bound.next_down());
        let output = unswayed(&folder, &["check", path, "many.npz", "--expect", &bound]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    }
    let arguments = ["certify", "many.npz", "--confidence", "0.9", "--contaminated", "0.01"];
    let said = text(&unswayed(&folder, &[&arguments, &SETTING[..]].concat()).stdout);
    assert!(said.contains("the proof was chosen on the first 100 of them"), "{said}");
}

/// Bounds of samples of the rows: in the text, the JSON and the report, the same for the same seed, and called no proof everywhere.
#[test]
fn how_the_bound_varies_with_the_sample() {
    let folder = folder();
    let (x, y) = points(60, 0.4, 6);
    npz(&folder, "many.npz", &[("x", &x)], Some(&y));
    let found = certified(&folder, "many.npz --bootstrap 5 --seed 7 --report out");
    let bootstrap = &found["bootstrap"];
    assert_eq!((&bootstrap["samples"], &bootstrap["seed"]), (&5.into(), &7.into()));
    let losses = |found: &serde_json::Value| -> Vec<f64> {
        let losses = found["bootstrap"]["certified_losses"].as_array().unwrap();
        losses.iter().map(|loss| loss.as_f64().unwrap()).collect()
    };
    let own = loss(&found);
    let all = losses(&found);
    assert!(all.len() == 5 && all.iter().all(|one| (0.3 * own..3.0 * own).contains(one)), "{all:?} {own}");
    assert!(all.iter().any(|one| (one - all[0]).abs() > 1e-6), "{all:?}");
    assert!(bootstrap["note"].as_str().unwrap().contains("no proof"));
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(page.contains("How the bound varies with the sample (no proof)"));
    assert!(folder.path().join("out/figures/bootstrap.svg").exists());
    assert_eq!(losses(&certified(&folder, "many.npz --bootstrap 5 --seed 7 --threads 1")), all);
    assert_ne!(losses(&certified(&folder, "many.npz --bootstrap 5 --seed 8")), all);
    let arguments = ["certify", "many.npz", "--bootstrap", "5"];
    let said = text(&unswayed(&folder, &[&arguments, &SETTING[..]].concat()).stdout);
    assert!(said.contains("certified losses of 5 samples") && said.contains("no proof"), "{said}");
    // Other learners, sets around the data, hostile rows, new data.
    for words in ["--loss logistic --adversary box", "--contaminated 0.05", "--confidence 0.9"] {
        let found = certified(&folder, &format!("many.npz --bootstrap 2 {words}"));
        assert_eq!(losses(&found).len(), 2, "{words}");
    }
}

#[test]
fn attacks_stay_below_the_bound() {
    let folder = folder();
    for words in [
        "--loss logistic",
        "--adversary box",
        "--adversary labels",
        "--adversary any --clip 1",
        "b.npz --drift",
    ] {
        let found = certified(&folder, &format!("a.npz {words}"));
        assert!(number(&found, "benign_loss") <= number(&found, "attack_loss") + 1e-3, "{found}");
        assert!(number(&found, "attack_loss") <= loss(&found) + 1e-3, "{found}");
        assert!((number(&found, "gap") - loss(&found) / number(&found, "attack_loss")).abs() < 1e-12);
    }
    let quiet = certified(&folder, "a.npz --loss logistic --attacks none");
    assert!(quiet["attack_loss"].is_null() && quiet["gap"].is_null());
}

#[test]
fn attacks_alone() {
    let folder = folder();
    let run = |words: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        unswayed(&folder, &[&["attack", "--json"], &words[..], &SETTING].concat())
    };
    let all = json(&run("a.npz --adversary box --test b.npz --save poison.npz"));
    let names: Vec<&str> =
        all["attacks"].as_array().unwrap().iter().map(|a| a["attack"].as_str().unwrap()).collect();
    assert_eq!(names, ["none", "label-flip", "fgsm", "steady-state", "steady-state-error"]);
    assert!(all["attacks"][3]["test_loss"].is_number());
    assert_eq!(&std::fs::read(folder.path().join("poison.npz")).unwrap()[..2], b"PK");
    let flips = json(&run("a.npz --adversary flips"));
    assert_eq!(flips["attacks"].as_array().unwrap().len(), 4, "no label-flip there");
    let output = run("a.npz --adversary box --attack tuned");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("tuned"), "{}", text(&output.stderr));
}

#[test]
fn a_bound_beyond_that_of_a_model_that_never_learns_is_vacuous() {
    let folder = folder();
    let (x, y) = points(24, 0.4, 1);
    npz(&folder, "few.npz", &[("x", &first(&x, Axis(0), 4))], Some(&y.select(Axis(0), &[0, 1, 2, 3])));
    let words = ["certify", "few.npz", "--loss", "logistic", "--adversary", "box=5", "--attacks", "none"];
    let setting = ["--learning-rate", "0.01", "--regularization", "0.1", "--poison-rate", "0.3"];
    let shown = text(&unswayed(&folder, &[&words[..], &setting].concat()).stdout);
    assert!(shown.contains("vacuous: proven, but no better than log 2 = 0.6931"), "{shown}");
    let found = json(&unswayed(&folder, &[&words[..], &setting, &["--json"]].concat()));
    assert!(found["status"] == "vacuous" && loss(&found) > std::f64::consts::LN_2, "{found}");
}

#[test]
fn rates_that_fall_averages_and_rounded_hinges() {
    let folder = folder();
    let constant = certified(&folder, "a.npz");
    let falling = certified(&folder, "a.npz --schedule optimal");
    assert!(loss(&falling) > loss(&constant), "{falling}");
    let slowdown = &falling["statement"]["learner"]["schedule"]["slowdown"];
    assert_eq!(slowdown, &falling["statement"]["learner"]["regularization"]);
    // The loss bound is the same for the average of all models, but what attacks are measured by is not its loss.
    let average = certified(&folder, "a.npz --average --attacks fast");
    assert_eq!(loss(&average).to_bits(), loss(&constant).to_bits());
    assert!(average["attack_loss"].is_null() && average["certified_error"] == average["certified_loss"]);
    for name in ["smooth-hinge=0.5", "modified-huber"] {
        let found = certified(&folder, &format!("a.npz --loss {name} --attacks fast"));
        assert_eq!(found["loss_function"], name);
        assert!(number(&found, "gap") >= 1.0 && number(&found, "benign_loss") < loss(&found), "{found}");
    }
    let certify = |more: &[&str]| unswayed(&folder, &[&["certify", "a.npz"], &SETTING[..], more].concat());
    for (more, words) in [
        (&["--schedule", "optimal", "--average", "--horizon", "100"][..], "are in the average"),
        (&["--schedule", "optimal", "--bias", "1"], "needs a pull on every column"),
        (&["--schedule", "weighted", "--horizon", "100"], "total rate"),
        (&["--schedule", "adaptive"], "falls with the training loss"),
        (&["--loss", "smooth-hinge"], "number is missing"),
        (&["--loss", "smooth-hinge=0"], "not > 0"),
        (&["--loss", "modified-huber", "--clip", "1"], "hinge and logistic"),
    ] {
        let output = certify(more);
        let message = text(&output.stderr);
        assert!(output.status.code() == Some(2) && message.contains(words), "{more:?}: {message}");
    }
}
