//! The table of what goes together: every rule can be broken, and whatever breaks none has a proof.

use unswayed_check::Feature::{self, *};
use unswayed_check::{
    Deviation, HostileSample, NewDataClaim, PaperProof, Proof, RULES, Reason, RowBound, Rows, Rule, Set,
    features, prove, prove_new_data, unsupported,
};

use crate::common::Problem;
use crate::common::fixtures::{by_paper, paper};
use crate::common::generic::{by_contraction, by_levels, generic, generic_error, ruled};

const LOSSES: [Feature; 5] = [Hinge, Logistic, SmoothMargin, Multiclass, Regression];
/// The losses with what they say of labels.
const LABELLED: [&[Feature]; 6] =
    [&[Hinge], &[Logistic], &[SmoothMargin], &[Multiclass], &[Regression], &[Regression, AnyLabel]];
const SETS: [Feature; 7] = [Ball, FixedBias, Box, Ellipsoid, Points, LabelFlips, AnyPoint];
const TARGETS: [&[Feature]; 3] = [&[], &[TargetWeights], &[TargetRows]];
/// Features of statements that a statement may have or not, then those that are not in statements.
const OPTIONAL: [Feature; 10] = [
    Drift,
    Projection,
    Clip,
    Bias,
    NoRegularization,
    RowWeights,
    ScaledRows,
    Confidence,
    Paper,
    SetAroundData,
];
/// What a learning rate that changes is tried with; without it these are in few rules, and are tried alone.
const RARE: [&[Feature]; 33] = [
    &[],
    &[Schedule],
    &[Average],
    &[Horizon],
    &[Schedule, Horizon],
    &[Schedule, Average],
    &[Schedule, Average, Horizon],
    &[Schedule, WeightedRates],
    &[Schedule, WeightedRates, Horizon],
    &[Schedule, WeightedRates, Average],
    &[Schedule, WeightedRates, StepWeights],
    &[Schedule, WeightedRates, HostileRows],
    &[Average, Horizon],
    &[StepWeights],
    &[StepWeights, Schedule],
    &[StepWeights, ClassPoisonWeights],
    &[StepWeights, ClassPoisonWeights, Schedule, WeightedRates],
    &[HostileRows],
    &[HostileRows, Schedule],
    &[HostileRows, Average, Horizon],
    &[HostileRows, StepWeights],
    &[Momentum],
    &[Momentum, Horizon],
    &[Momentum, Average],
    &[Schedule, Momentum],
    &[Momentum, HostileRows],
    &[Moments],
    &[Moments, Horizon],
    &[Moments, Average],
    &[Moments, Schedule],
    &[Moments, StepWeights],
    &[Moments, HostileRows],
    &[Moments, Momentum],
];

/// Every request that names one loss, one set and one target, in the order in which a statement lists its features. Sets
/// read off the data are left out where there are rare features, to save time.
fn requests() -> Vec<Vec<Feature>> {
    let order = [
        Drift,
        StepWeights,
        ClassPoisonWeights,
        Schedule,
        WeightedRates,
        Momentum,
        Average,
        Projection,
        Clip,
        Bias,
        NoRegularization,
        Horizon,
        HostileRows,
        Moments,
    ];
    let place = |feature: &Feature| order.iter().position(|f| f == feature).unwrap_or(order.len());
    let mut all = vec![];
    for loss in LABELLED {
        for set in SETS {
            for target in TARGETS {
                for bits in 0..1_usize << OPTIONAL.len() {
                    let chosen = (0..OPTIONAL.len()).filter(|i| bits >> i & 1 == 1).map(|i| OPTIONAL[i]);
                    let chosen: Vec<Feature> = chosen.collect();
                    let is_common = chosen.contains(&SetAroundData);
                    for rare in if is_common { &RARE[..1] } else { &RARE[..] } {
                        let mut optional = [&chosen[..], rare].concat();
                        optional.sort_by_key(place);
                        all.push([&[loss[0], set], &loss[1..], target, &optional].concat());
                    }
                }
            }
        }
    }
    all
}

/// Claims for one sample, chosen before it was seen.
fn new_data(problem: &Problem) -> NewDataClaim {
    NewDataClaim {
        bound: 1e9,
        delta: 0.05,
        radius: 1.0,
        deviation: Deviation::Hoeffding,
        alpha: problem.proof.alpha,
        beta: problem.proof.beta.clone(),
        tau: problem.proof.cases.tau.clone(),
        nu: problem.proof.cases.nu.first().copied().unwrap_or_default(),
        omega: problem.proof.omega,
        theta: vec![1.0, 0.75],
        gain: 0.5,
        floor: (problem.statement.learner.loss == unswayed_check::Loss::Logistic).then_some(0.0),
        w: if problem.statement.learner.loss == unswayed_check::Loss::Logistic {
            vec![0.5; problem.rows()[0].len() - usize::from(!problem.statement.hostile_rows.is_empty())]
        } else {
            vec![]
        },
        hostile: (!problem.statement.hostile_rows.is_empty()).then(|| HostileSample {
            earlier: 1,
            pull: vec![0.0; 2],
            spread: 10.0,
            threshold: 0.0,
        }),
    }
}

/// A proof of the paper's program for the four rows.
fn paper_proof() -> PaperProof {
    let mut proof = paper();
    (proof.m, proof.h) = (vec![0.0; 4], vec![0.0; 8]);
    proof
}

/// Whether the checker accepts a proof of the statement with these features, or why not.
fn proven(request: &[Feature]) -> Result<(), Reason> {
    let problem = generic(request);
    let of_statement: Vec<Feature> = request
        .iter()
        .copied()
        .filter(|f| !matches!(f, RowWeights | ScaledRows | Confidence | Paper | SetAroundData))
        .collect();
    assert_eq!(features(&problem.statement), of_statement);
    let result = if request.contains(&Paper) {
        let proof = by_paper(paper_proof());
        problem.with_evidence(|e| prove(&problem.statement, &proof, e).and_then(|p| p.bound()))
    } else {
        problem.bound()
    };
    result.map_err(|failure| failure.reason)?;
    if request.contains(&Confidence) {
        let rows: Rows = problem.rows()[0];
        prove_new_data(&problem.statement, &new_data(&problem), &rows).map_err(|failure| failure.reason)?;
    }
    Ok(())
}

#[test]
fn every_rule_can_be_the_first_that_is_broken() {
    let mut first = vec![0; RULES.len()];
    let mut count = |rule: &Rule| {
        first[RULES.iter().position(|r| r == rule).expect("a rule of the table")] += 1;
    };
    for request in requests() {
        match unsupported(&request) {
            Some(rule) => count(rule),
            // A request chooses the statement; the proof of its error may be one by levels.
            None => {
                unsupported(&with_levels(&request)).into_iter().for_each(&mut count);
                unsupported(&with_contraction(&request)).into_iter().for_each(&mut count);
                // And its rows may be sparse.
                let sparse = [&request[..], &[SparseRows]].concat();
                unsupported(&sparse).into_iter().for_each(&mut count);
                if unsupported(&sparse).is_none() {
                    unsupported(&with_levels(&sparse)).into_iter().for_each(&mut count);
                    unsupported(&with_contraction(&sparse)).into_iter().for_each(&mut count);
                }
                // And the numbers of rows may follow a rule.
                let of_rows: [&[Feature]; 2] = [&[RowRule], &[SparseRows, RowRule]];
                for more in of_rows {
                    let ruled = [&request[..], more].concat();
                    if unsupported(&ruled[..ruled.len() - 1]).is_none() {
                        unsupported(&ruled).into_iter().for_each(&mut count);
                    }
                }
            }
        }
    }
    for (rule, count) in RULES.iter().zip(&first) {
        assert!(*count > 0, "never the first: {rule}");
    }
    // Each rule alone is broken by exactly what it names, with some loss and some set.
    for rule in RULES {
        assert!(unsupported(rule.these).is_some(), "{rule}");
    }
}

fn with_levels(request: &[Feature]) -> Vec<Feature> {
    [request, &[Levels]].concat()
}

fn with_contraction(request: &[Feature]) -> Vec<Feature> {
    [request, &[Contraction]].concat()
}

/// The same for proofs by levels, of every statement that is supported at all.
#[test]
fn levels_prove_what_no_rule_refuses_and_nothing_else() {
    let (accepted, refused) = accepted_and_refused(by_levels, with_levels);
    assert!(accepted > 30 && refused > 300, "{accepted} {refused}");
}

/// The same for proofs by contraction.
#[test]
fn contraction_proves_what_no_rule_refuses_and_nothing_else() {
    let (accepted, refused) = accepted_and_refused(by_contraction, with_contraction);
    assert!(accepted > 5 && refused > 300, "{accepted} {refused}");
}

/// How many statements a kind of proof is accepted for, and for how many a rule refuses it.
fn accepted_and_refused(by: fn(&Problem) -> Proof, with: fn(&[Feature]) -> Vec<Feature>) -> (usize, usize) {
    let (mut accepted, mut refused) = (0, 0);
    for request in requests() {
        let other = [SetAroundData, Confidence, Paper];
        if unsupported(&request).is_some() || request.iter().any(|feature| other.contains(feature)) {
            continue;
        }
        let problem = generic(&request);
        let proof = by(&problem);
        let proven = problem.with_evidence(|e| prove(&problem.statement, &proof, e).and_then(|p| p.bound()));
        match (unsupported(&with(&request)), proven.map_err(|failure| failure.reason)) {
            (None, Ok(_)) => accepted += 1,
            (Some(rule), Err(Reason::Unsupported(found))) if found == rule => refused += 1,
            (rule, proven) => panic!("{request:?}: {rule:?} {proven:?}"),
        }
    }
    println!("{accepted} combinations accepted, {refused} refused");
    (accepted, refused)
}

/// The same for proofs by a rule.
#[test]
fn rules_prove_what_no_rule_refuses_and_nothing_else() {
    let (mut accepted, mut refused) = (0, 0);
    for request in requests() {
        let other = [SetAroundData, Confidence, Paper];
        if unsupported(&request).is_some() || request.iter().any(|feature| other.contains(feature)) {
            continue;
        }
        let mut problem = generic(&request);
        let shares = matches!(problem.proof.rows, RowBound::BoundedSlope | RowBound::ErrorHinge);
        if !shares || problem.proof.shells.is_some() || problem.proof.beta.len() != 2 {
            continue;
        }
        ruled(&mut problem);
        let proven = problem.bound().map_err(|failure| failure.reason);
        match (unsupported(&[&request[..], &[RowRule]].concat()), proven) {
            (None, Ok(_)) => accepted += 1,
            (Some(rule), Err(Reason::Unsupported(found))) if found == rule => refused += 1,
            (rule, proven) => panic!("{request:?}: {rule:?} {proven:?}"),
        }
    }
    println!("{accepted} combinations accepted, {refused} refused");
    assert!(accepted >= 4 && refused > 100, "{accepted} {refused}");
}

/// The checker cannot see that a set was read off the data; everything else that a rule refuses, it refuses, with that rule;
/// everything that no rule refuses has a proof that it accepts.
#[test]
fn what_no_rule_refuses_has_a_proof_and_nothing_else_has() {
    let (mut accepted, mut refused) = (0, 0);
    for request in requests() {
        if request.contains(&SetAroundData) {
            continue;
        }
        // The last claim of a certificate is the one on new data, and there is one proof of the loss.
        if request.contains(&Confidence) && request.contains(&Paper) {
            assert!(unsupported(&request).is_some());
            continue;
        }
        let proven = proven(&request);
        match unsupported(&request) {
            None => {
                accepted += 1;
                assert_eq!(proven, Ok(()), "{request:?}");
            }
            Some(rule) => {
                refused += 1;
                assert!(
                    matches!(proven, Err(Reason::Unsupported(found)) if found == rule),
                    "{request:?}: {proven:?}"
                );
            }
        }
    }
    println!("{accepted} combinations accepted, {refused} refused");
    assert!(accepted > 200 && refused > 1000, "{accepted} {refused}");
}

/// Every pair of features is refused by a rule in every request, or is in a proof that is accepted.
#[test]
fn every_pair_is_covered_or_listed() {
    /// What the checker cannot see, and so no proof shows.
    const UNSEEN: [Feature; 1] = [SetAroundData];
    let all: Vec<Feature> = LOSSES
        .into_iter()
        .chain(SETS)
        .chain([TargetWeights, TargetRows])
        .chain(OPTIONAL)
        .chain([Schedule, WeightedRates, Momentum, Average, Horizon, AnyLabel, HostileRows, Moments])
        .filter(|f| !UNSEEN.contains(f))
        .collect();
    let supported: Vec<Vec<Feature>> = requests().into_iter().filter(|r| unsupported(r).is_none()).collect();
    let (mut covered, mut without) = (0, vec![]);
    for (i, &a) in all.iter().enumerate() {
        for &b in &all[..i] {
            let request =
                supported.iter().find(|r| r.contains(&a) && r.contains(&b) && !r.contains(&SetAroundData));
            match request {
                Some(request) => {
                    assert_eq!(proven(request), Ok(()), "{request:?}");
                    covered += 1;
                }
                None => without.push((b, a)),
            }
        }
    }
    // These pairs never go together, whatever else there is: two losses, sets or targets, or what a rule refuses.
    let same = |kinds: &[Feature], a, b| kinds.contains(&a) && kinds.contains(&b);
    without.retain(|&(a, b)| {
        !same(&LOSSES, a, b) && !same(&SETS, a, b) && !same(&[TargetWeights, TargetRows], a, b)
    });
    let expected = [
        (SmoothMargin, LabelFlips),
        (SmoothMargin, AnyPoint),
        (SmoothMargin, TargetRows),
        (SmoothMargin, Clip),
        (SmoothMargin, Confidence),
        (SmoothMargin, Paper),
        (Multiclass, Box),
        (Multiclass, Ellipsoid),
        (Multiclass, Points),
        (Multiclass, LabelFlips),
        (Multiclass, AnyPoint),
        (LabelFlips, TargetWeights),
        (Multiclass, TargetWeights),
        (Logistic, TargetRows),
        (Multiclass, TargetRows),
        (LabelFlips, TargetRows),
        (AnyPoint, TargetRows),
        (Multiclass, Clip),
        (Box, Clip),
        (Ellipsoid, Clip),
        (Points, Clip),
        (LabelFlips, Clip),
        (TargetRows, Clip),
        (Multiclass, Bias),
        (Points, Bias),
        (LabelFlips, Bias),
        (AnyPoint, Bias),
        (TargetWeights, Bias),
        (TargetRows, Bias),
        (Projection, Bias),
        (Clip, Bias),
        (Multiclass, NoRegularization),
        (Bias, NoRegularization),
        (Multiclass, Confidence),
        (Points, Confidence),
        (LabelFlips, Confidence),
        (AnyPoint, Confidence),
        (TargetWeights, Confidence),
        (TargetRows, Confidence),
        (Drift, Confidence),
        (Clip, Confidence),
        (Bias, Confidence),
        (NoRegularization, Confidence),
        (Confidence, Schedule),
        (Paper, Schedule),
        (Projection, Momentum),
        (NoRegularization, Momentum),
        (Confidence, Momentum),
        (Paper, Momentum),
        (Schedule, Momentum),
        (Confidence, WeightedRates),
        (Paper, WeightedRates),
        (WeightedRates, Momentum),
        (WeightedRates, Average),
        (Multiclass, FixedBias),
        (FixedBias, TargetWeights),
        (FixedBias, TargetRows),
        (FixedBias, Projection),
        (FixedBias, Clip),
        (FixedBias, NoRegularization),
        (FixedBias, Confidence),
        (FixedBias, Paper),
        (FixedBias, AnyLabel),
        (FixedBias, HostileRows),
        (RowWeights, Confidence),
        (ScaledRows, Confidence),
        (Logistic, Paper),
        (Multiclass, Paper),
        (Box, Paper),
        (Ellipsoid, Paper),
        (Points, Paper),
        (LabelFlips, Paper),
        (AnyPoint, Paper),
        (TargetWeights, Paper),
        (TargetRows, Paper),
        (Drift, Paper),
        (Projection, Paper),
        (Clip, Paper),
        (Bias, Paper),
        (NoRegularization, Paper),
        (Confidence, Paper),
        (Regression, Points),
        (Regression, LabelFlips),
        (Regression, AnyPoint),
        (Regression, TargetRows),
        (Regression, Clip),
        (Regression, Confidence),
        (Regression, Paper),
        (Hinge, AnyLabel),
        (Logistic, AnyLabel),
        (SmoothMargin, AnyLabel),
        (Multiclass, AnyLabel),
        (Points, AnyLabel),
        (LabelFlips, AnyLabel),
        (AnyPoint, AnyLabel),
        (TargetRows, AnyLabel),
        (Clip, AnyLabel),
        (Bias, AnyLabel),
        (Confidence, AnyLabel),
        (Paper, AnyLabel),
        (Multiclass, HostileRows),
        (TargetWeights, HostileRows),
        (TargetRows, HostileRows),
        (Bias, HostileRows),
        (Paper, HostileRows),
        (Multiclass, Moments),
        (FixedBias, Moments),
        (Points, Moments),
        (LabelFlips, Moments),
        (AnyPoint, Moments),
        (TargetRows, Moments),
        (Drift, Moments),
        (Clip, Moments),
        (Bias, Moments),
        (NoRegularization, Moments),
        (Confidence, Moments),
        (Paper, Moments),
        (Schedule, Moments),
        (WeightedRates, Moments),
        (Momentum, Moments),
        (HostileRows, Moments),
    ];
    for pair in &without {
        assert!(expected.contains(pair), "{pair:?} never goes together");
    }
    assert_eq!(without.len(), expected.len(), "{without:?}");
    assert!(covered > 60, "{covered}");
}

/// Claims on the error have proofs for the same statements, but for those that are judged by something else than the data,
/// flip labels, clip, or have an unregularized column, a loss with a rounded kink, an averaged model or an adversary who picks its
/// moments.
#[test]
fn errors_have_proofs() {
    let mut accepted = 0;
    for request in requests() {
        let other = [
            Average,
            Moments,
            SmoothMargin,
            Regression,
            TargetWeights,
            TargetRows,
            LabelFlips,
            Clip,
            Bias,
            Confidence,
            Paper,
            SetAroundData,
        ];
        if unsupported(&request).is_some() || request.iter().any(|f| other.contains(f)) {
            continue;
        }
        let problem = generic_error(&request);
        problem.bound().unwrap_or_else(|failure| panic!("{request:?}: {failure}"));
        accepted += 1;
    }
    assert!(accepted >= 50, "{accepted}");
}

#[test]
fn a_radius_is_one_feature_whatever_it_is() {
    for radius in [0.0, 1.0, 1e300] {
        let mut problem = generic(&[Hinge, Ball]);
        problem.statement.threat.set = Set::Ball { radius };
        assert_eq!(features(&problem.statement), [Hinge, Ball]);
    }
    let texts: std::collections::HashSet<String> = RULES.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), RULES.len(), "two rules say the same");
}
