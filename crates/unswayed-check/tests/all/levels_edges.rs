//! The edges of every condition on a proof by levels, between neighbouring numbers.

use unswayed_check::{Evidence, LevelsProof, Loss, Proof, Set, prove};

use crate::boundaries::{Check, edge, test_all};
use crate::common::section20::{Case, Letters};
use crate::common::{dot, plain};

/// Two rows in one dimension, with a proof that meets every condition with room to spare.
fn spacious() -> Case {
    let proof = LevelsProof {
        radius: 1.0,
        norm: 1.25,
        smoothing: 1.0,
        centre: vec![0.25],
        shares: vec![0.5, 0.5],
        gain: 1.0,
        forces: vec![1.0; 4],
        points: vec![0.0; 4],
        alpha: 1.0,
        nu: 0.25,
        tilt: vec![0.125],
        omega: 1.0,
        rho: 0.5,
        slopes: vec![0.5, -0.25],
        curves: vec![0.25, 0.5],
        least: 0.125,
        peak: vec![0.5],
        offset: 4.0,
        steepness: 0.25,
        size: 0.0,
        anchor: 1.0,
        heights: vec![2.0, 50.0],
        fine: 1,
        near: 1,
        spread_near: 1.0,
        spread_far: 1.0,
    };
    let statement = plain(0.125, 0.5, 0.125, Loss::Hinge, Set::Ball { radius: 1.0 });
    Case { statement, proof, z: vec![0.5, -0.25], weights: None }
}

/// The bound of the spacious proof after a change.
fn changed(change: impl Fn(&mut Case, f64) + 'static) -> Check {
    Box::new(move |x| {
        let mut case = spacious();
        change(&mut case, x);
        let proof = Proof::Levels(Box::new(case.proof.clone()));
        prove(&case.statement, &proof, &Evidence { data: &[case.rows()], target: None })?.bound()
    })
}

/// v₀ − F_q of a case, and v₀.
fn gap_and_base(case: &Case) -> (f64, f64) {
    let letters = Letters::new(case, None);
    (letters.base - letters.least, letters.base)
}

/// A place between two numbers where an increasing function is 0.
fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}

/// The sets that must lie in the ball, and the ball that is kept.
#[test]
fn the_edges_of_the_ball() {
    let within = |set: fn(f64) -> Set| changed(move |case, x| case.statement.threat.set = set(x));
    let beyond = "R² − ‖z‖² on the set";
    let edges = vec![
        edge(beyond, 1.125, 0.5, 1.0, changed(|case, x| case.proof.radius = x)),
        edge(beyond, 0.5, 3.0, 1.0, within(|radius| Set::Ball { radius })),
        edge(beyond, 0.5, 3.0, 1.0, within(|x| Set::Box { radii: vec![x] })),
        edge(beyond, 0.5, 3.0, 1.0, within(|x| Set::Points { points: vec![0.25, x] })),
        edge(beyond, -0.5, -3.0, -1.0, within(|x| Set::Points { points: vec![x, 0.25] })),
        edge("R²I − Q", 0.5, 3.0, 1.0, within(|x| Set::Ellipsoid { q: vec![x] })),
        edge(
            beyond,
            0.5,
            1.2,
            1.0,
            changed(|case, x| {
                case.statement.threat.set = Set::LabelFlips;
                case.z[1] = -x;
            }),
        ),
        edge(
            "radius",
            0.5,
            -1.0,
            0.0,
            changed(|case, x| {
                case.statement.threat.set = Set::Ball { radius: 0.0 };
                case.proof.radius = x;
            }),
        ),
        edge("n̂ − R", 1.25, 0.75, 1.0, changed(|case, x| case.proof.norm = x)),
        edge("n̂² − ‖z[0]‖²", 0.5, 2.0, 1.25, changed(|case, x| case.z[0] = x)),
        edge("n̂² − ‖z[1]‖²", -0.5, -2.0, -1.25, changed(|case, x| case.z[1] = x)),
    ];
    test_all(edges, 11);
}

/// The conditions on λ and on the rows' quadratics.
#[test]
fn the_edges_of_the_quadratics() {
    let case = spacious();
    let (eta, sigma, eps) = (0.125, 0.5, 0.125);
    let two_ak = 2.0 * (1.0 - eta * sigma);
    let curvature = sigma * (2.0 - eta * sigma) - eps * (two_ak - 0.25) * 0.5 / 2.0;
    let moments = f64::midpoint(0.25 * 0.25, 0.5 * 0.0625);
    let softening = 1.0 + sigma;
    let shift =
        Letters::new(&case, None).reach(0) - ((gap_and_base(&case).0 + 2.0) * 2.0 * softening / sigma).sqrt();
    let far = f64::from(1 << 20);
    let reach = ((far / 1.25 - shift).powi(2) * sigma / (2.0 * softening)) - gap_and_base(&case).0;
    let definite = "A − aI";
    let far = |fine: usize, near: usize| {
        let change = changed(move |case, x| {
            (case.proof.heights, case.proof.anchor) = (vec![x], 1e9);
            (case.proof.fine, case.proof.near) = (fine, near);
        });
        edge("2^20 − n̂·(the reach", 50.0, 1e15, reach, change)
    };
    let edges = vec![
        edge("2αk − ν", 0.5, 5.0, two_ak, changed(|case, x| case.proof.nu = x)),
        edge("nu", 0.5, -1.0, 0.0, changed(|case, x| case.proof.nu = x)),
        edge("omega", 0.5, -1.0, 0.0, changed(|case, x| case.proof.omega = x)),
        edge(definite, 0.125, 10.0, curvature + 1.0 - moments, changed(|case, x| case.proof.least = x)),
        edge(
            definite,
            1.0,
            0.0,
            0.125 - curvature + f64::midpoint(8.0 * 0.25, 0.5 * 0.0625),
            changed(|case, x| {
                case.proof.curves[0] = 8.0;
                case.proof.omega = x;
            }),
        ),
        edge("shares[1]", 0.5, 2.0, 1.0, changed(|case, x| case.proof.shares[1] = x)),
        edge("shares[0]", 0.5, -2.0, 0.0, changed(|case, x| case.proof.shares[0] = x)),
        edge("size", 0.5, -2.0, 0.0, changed(|case, x| case.proof.size = x)),
        edge(
            "2^20 − |oᵀz[1]|",
            1.0,
            f64::from(1 << 23),
            f64::from(1 << 22),
            changed(|case, x| {
                case.proof.centre[0] = x;
                (case.proof.fine, case.proof.near) = (0, 0);
                (case.proof.offset, case.proof.steepness) = (1e18, 1e-200);
                case.z[0] = 0.0;
            }),
        ),
        far(1, 0),
        far(0, 1),
    ];
    test_all(edges, 11);
}

/// The conditions on heights and on the barrier.
#[test]
fn the_edges_of_the_barrier() {
    let case = spacious();
    let (gap, base) = gap_and_base(&case);
    let (eta, sigma, eps, norm) = (0.125, 0.5, 0.125, 1.25);
    let top = (1.0 - eps) * (1.0 + norm * norm / sigma) + norm * norm / (2.0 * sigma) - base;
    let spread = f64::midpoint(0.25, 0.0625);
    // t̄ and c₂ at the bottom, as functions of γ; L = 1.
    let first = move |gamma: f64| gamma * eta * 2.0 * norm * 0.5_f64.sqrt();
    let room = (4.0 - gap).sqrt();
    let c2 = move |gamma: f64| 1.0 - gamma * eta * ((1.0 - eps) + eps) * first(gamma).exp() / (4.0 * room);
    let zeta = move |gamma: f64| gamma * eta * eps * eps / (4.0 * c2(gamma)) / (2.0 * room);
    let worst = root(1e-3, 100.0, move |gamma| -c2(gamma));
    let hot = root(1e-3, worst, move |gamma| if c2(gamma) > 0.0 { zeta(gamma) - 700.0 } else { 1.0 });
    let steep = |far: f64| changed(move |case, x| (case.proof.steepness, case.proof.anchor) = (x, far));
    // Without an adversary ζ is 0 at the bottom.
    let calm = |case: &mut Case| (case.statement.threat.poison_rate, case.proof.anchor) = (0.0, 1e6);
    let mut quiet = spacious();
    calm(&mut quiet);
    let quiet_room = (4.0 - gap_and_base(&quiet).0).sqrt();
    let still = move |gamma: f64| gamma * eta * first(gamma).exp() / (4.0 * quiet_room) - 1.0;
    // L = 10⁶ and Y₀ = 0.01: the second order alone reaches 700.
    let low = gap + 1e-4;
    let curved = move |gamma: f64| {
        let longest = eta * 2.0 * norm;
        gamma * longest * 5e5_f64.sqrt() + gamma * 1e6 * longest * longest / (4.0 * (low - gap).sqrt())
    };
    let edges = vec![
        edge("heights[0]", 1.0, -1.0, 0.0, changed(|case, x| case.proof.heights[0] = x)),
        edge("heights[1]", 20.0, 1.0, 2.0, changed(|case, x| case.proof.heights = vec![2.0, x, 50.0])),
        edge("the last height", 50.0, 2.5, top, changed(|case, x| case.proof.heights[1] = x)),
        edge(
            "offset − (v₀ − F_q)",
            4.0,
            0.0,
            gap,
            changed(|case, x| (case.proof.offset, case.proof.steepness) = (x, 1e-200)),
        ),
        edge(
            "γ²(a² − gap) − 1",
            1.0,
            0.125,
            1.0 / room,
            changed(|case, x| {
                case.statement.learner.batch = 4;
                case.proof.steepness = x;
            }),
        ),
        edge("spread_near", 1.0, 0.0625, spread, changed(|case, x| case.proof.spread_near = x)),
        edge("spread_far", 1.0, 0.0625, spread, changed(|case, x| case.proof.spread_far = x)),
        edge("700 − ζ of shell 0", 0.25, worst, hot, steep(1e6)),
        edge(
            "c₂ of shell 0",
            0.25,
            100.0,
            root(1e-3, 100.0, still),
            changed(move |case, x| {
                calm(case);
                case.proof.steepness = x;
            }),
        ),
        edge(
            "700 − (t̄ + t̄₂)",
            1e-6,
            1.0,
            root(1e-6, 1.0, move |gamma| curved(gamma) - 700.0),
            changed(move |case, x| {
                (case.proof.smoothing, case.proof.offset) = (1e-6, low);
                (case.proof.steepness, case.proof.anchor) = (x, 1e6);
            }),
        ),
        edge(
            "700 − γ(Y − Ȳ) of shell 0",
            1.0,
            -1e6,
            54.0_f64.sqrt() - 700.0 / 0.25,
            changed(|case, x| (case.proof.heights, case.proof.near, case.proof.anchor) = (vec![50.0], 0, x)),
        ),
    ];
    test_all(edges, 11);
}

/// Matrices must be definite by more than what their entries are rounded by: a number that is the eigenvalue itself is refused.
#[test]
fn eigenvalues_themselves_are_refused() {
    let spread = f64::midpoint(0.25, 0.0625);
    let curvature = 0.968_75 - 0.125 * 1.625 * 0.25 + 1.0 - 0.046_875;
    let cases: [(fn(&mut Case, f64), f64, f64); 3] = [
        (|case, x| case.proof.spread_near = x, spread, spread.next_up()),
        (|case, x| case.proof.spread_far = x, spread, spread.next_up()),
        (|case, x| case.proof.least = x, curvature, curvature.next_down()),
    ];
    for (change, at, inside) in cases {
        let check = changed(change);
        let failure = check(at).expect_err("the eigenvalue").to_string();
        assert!(failure.contains("positive definite"), "{failure}");
        check(inside).expect("next to it");
    }
}

/// Three rows of three entries, so that no matrix is diagonal.
fn oblique() -> Case {
    let case = spacious();
    let proof = LevelsProof {
        centre: vec![0.25, -0.125, 0.5],
        shares: vec![0.5; 3],
        forces: vec![1.0; 6],
        points: vec![0.0; 18],
        tilt: vec![0.125, 0.0, -0.25],
        slopes: vec![0.5, -0.25, 0.125],
        curves: vec![0.25, 0.5, 0.75],
        peak: vec![0.5, 0.25, -0.5],
        ..case.proof
    };
    Case { proof, z: vec![0.5, 0.25, 0.0, -0.25, 0.5, 0.125, 0.375, 0.0, 0.625], ..case }
}

/// The largest eigenvalue of Σp f zzᵀ, by powers of the matrix.
fn largest(case: &Case, f: &[f64]) -> f64 {
    let p = 1.0 / f.len() as f64;
    let apply = |x: &[f64]| {
        let mut y = vec![0.0; x.len()];
        for (i, f) in f.iter().enumerate() {
            let s = p * f * dot(case.row(i), x);
            y.iter_mut().zip(case.row(i)).for_each(|(y, z)| *y += s * z);
        }
        y
    };
    let mut x = vec![1.0, 0.7, 0.4];
    for _ in 0..2000 {
        let y = apply(&x);
        let length = dot(&y, &y).sqrt();
        x = y.into_iter().map(|y| y / length).collect();
    }
    dot(&x, &apply(&x))
}

/// Definite matrices that are not diagonal.
#[test]
fn the_edges_of_matrices() {
    let case = oblique();
    let with = |change: fn(&mut LevelsProof, f64)| -> Check {
        Box::new(move |x| {
            let mut case = oblique();
            change(&mut case.proof, x);
            let proof = Proof::Levels(Box::new(case.proof.clone()));
            prove(&case.statement, &proof, &Evidence { data: &[case.rows()], target: None })?.bound()
        })
    };
    let spread = largest(&case, &[1.0; 3]);
    let (eta, sigma, eps) = (0.125, 0.5, 0.125);
    let chi = 2.0 * (1.0 - eta * sigma) - 0.25;
    let base = sigma * (2.0 - eta * sigma) - eps * chi * 0.5 / 2.0 + 1.0;
    let edges = vec![
        edge("spread_near", 1.0, 0.0625, spread, with(|proof, x| proof.spread_near = x)),
        edge("spread_far", 1.0, 0.0625, spread, with(|proof, x| proof.spread_far = x)),
        edge(
            "A − aI",
            0.125,
            9.0,
            base - largest(&case, &case.proof.curves),
            with(|proof, x| proof.least = x),
        ),
    ];
    test_all(edges, 3);
}
