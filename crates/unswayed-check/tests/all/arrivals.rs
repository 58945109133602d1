//! Bounds for new data from a sample of which rows may be hostile (Theorem H2): whatever rows are put in the place of honest ones,
//! the honest sample proves no more than the hostile one; formulas with errors that a search must find; the edges of every condition.

use unswayed_check::{Deviation, HostileSample, Loss, NewDataClaim, Set, Statement, prove_new_data};

use crate::common::search::Random;
use crate::common::{Numbers, dot, rounds};
use crate::confidence::{SUPPORT, draw, entropy, learner, logistic, place, rows, share, witness};

/// A claim for rows of which some may be hostile, with numbers that need not be good.
struct Case {
    statement: Statement,
    claim: NewDataClaim,
    /// The rows, hostile ones among them.
    z: Vec<f64>,
}

impl Case {
    fn new(random: &mut Random, loss: Loss, deviation: Deviation, n: usize, count: usize) -> Case {
        let set = Set::Ball { radius: 1.0 };
        let z: Vec<f64> = (0..n).flat_map(|_| in_ball(random)).collect();
        let (mut statement, mut claim) = match loss {
            Loss::Logistic => logistic(&set, deviation, &z),
            _ => (learner(set.clone()), witness(&set, deviation)),
        };
        statement.hostile_rows = vec![count];
        claim.beta = random.normal(2).iter().map(|x| 0.5 * x).collect();
        claim.theta = random.normal(2);
        claim.tau = vec![random.between(2.0, 6.0)];
        claim.hostile = Some(HostileSample {
            earlier: 0,
            pull: random.normal(2).iter().map(|x| 0.3 * x).collect(),
            spread: random.between(10.0, 100.0),
            threshold: random.between(-0.5, 0.5),
        });
        let mut case = Case { statement, claim, z };
        case.place();
        case
    }

    /// The places of the suprema of logistic rows.
    fn place(&mut self) {
        if self.statement.learner.loss == Loss::Logistic {
            let place = |z: &[f64]| place(&self.statement, &self.claim, z);
            self.claim.w = self.z.chunks(2).map(place).collect();
        }
    }

    fn proven(&self) -> Option<f64> {
        prove_new_data(&self.statement, &self.claim, &rows(&self.z)).ok()
    }

    /// Better c, t and γ, by trial, for what is to be small.
    fn improve(
        &mut self,
        random: &mut Random,
        tries: usize,
        value: impl Fn(&Case) -> Option<f64>,
    ) -> Option<f64> {
        let mut best = value(self)?;
        for _ in 0..tries {
            let before = self.claim.hostile.clone();
            let hostile = self.claim.hostile.as_mut().expect("numbers");
            let size = 10_f64.powf(random.between(-2.0, 0.0));
            match random.below(3) {
                0 => hostile.spread *= (size * random.between(-1.0, 1.0)).exp(),
                1 => hostile.threshold += size * random.between(-1.0, 1.0),
                _ => {
                    let shift = random.normal(2);
                    hostile.pull.iter_mut().zip(shift).for_each(|(c, s)| *c += size * s);
                }
            }
            match value(self).filter(|value| *value < best) {
                Some(value) => best = value,
                None => self.claim.hostile = before,
            }
        }
        Some(best)
    }

    /// What honest rows prove by Theorem L18 at most, if up to so many of the rows are in the place of others: all choices of rows,
    /// for each the worst of some others.
    fn honest(&self, count: usize, random: &mut Random, tries: usize) -> f64 {
        let n = self.z.len() / 2;
        let mut honest = Case {
            statement: Statement { hostile_rows: vec![], ..self.statement.clone() },
            claim: NewDataClaim { hostile: None, ..self.claim.clone() },
            z: self.z.clone(),
        };
        let mut worst = f64::NEG_INFINITY;
        for set in (0..1_usize << n).filter(|set| set.count_ones() as usize <= count) {
            honest.z.clone_from(&self.z);
            let mut best = honest.again();
            for _ in 0..if set == 0 { 0 } else { tries } {
                let before = honest.z.clone();
                // All of them at once, for what is worst for one is worst for the next.
                let other = self.extreme(random);
                for i in (0..n).filter(|i| set >> i & 1 == 1) {
                    honest.z[2 * i..2 * i + 2].copy_from_slice(&other);
                }
                match honest.again() {
                    value if value > best => best = value,
                    _ => honest.z = before,
                }
            }
            worst = worst.max(best);
        }
        worst
    }

    fn again(&mut self) -> f64 {
        self.place();
        self.proven().expect("a bound")
    }

    /// A row of the largest norm, often one of those that raise T or add to the slope.
    fn extreme(&self, random: &mut Random) -> [f64; 2] {
        let towards = match random.below(3) {
            0 => self.claim.beta.clone(),
            1 => self.claim.theta.iter().map(|x| -x).collect(),
            _ => random.normal(2),
        };
        let length = dot(&towards, &towards).sqrt();
        // The exact checker knows of no rounding.
        [towards[0] / length, towards[1] / length].map(|x| x * (1.0 - 1e-12))
    }
}

fn in_ball(random: &mut Random) -> [f64; 2] {
    loop {
        let z = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
        if dot(&z, &z) < 1.0 {
            return z;
        }
    }
}

const LOSSES: [Loss; 2] = [Loss::Hinge, Loss::Logistic];
const DEVIATIONS: [Deviation; 2] = [Deviation::Hoeffding, Deviation::Bernstein];

/// The theorem in one inequality: a sample with hostile rows proves no less than any honest sample that it may have been.
#[test]
fn no_honest_sample_proves_more() {
    let mut random = Random(0x42);
    let (mut proved, mut least) = (0, f64::INFINITY);
    for i in 0..rounds(24, 600) {
        let count = 1 + random.below(2);
        let mut case = Case::new(&mut random, LOSSES[i % 2], DEVIATIONS[i / 2 % 2], 4, count);
        let Some(bound) = case.improve(&mut random, 60, Case::proven) else { continue };
        proved += 1;
        let honest = case.honest(count, &mut random, 12);
        assert!(honest <= bound, "{honest} {bound} {:?}", case.claim);
        least = least.min((bound - honest) / bound);
    }
    println!("{proved} proofs, the least margin {least:e}");
    assert!(proved >= 20 && least < 0.3, "{proved} {least}");
}

/// What a checker could get wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    /// Nothing takes the place of the rows that are taken away: T₊.
    Unseen,
    /// Nor do they add to the slope: κrK/n.
    Length,
    /// ‖θ‖²/(2t) is forgotten.
    Bend,
    /// γ alone, without what exceeds it.
    Excess,
    /// One row fewer.
    Count,
    /// The sample variance of the rows as they are.
    Variance,
}

/// Theorem H2 for the hinge loss against a ball, in floating point; `None` where a is not positive.
fn formula(case: &Case, wrong: Wrong) -> Option<f64> {
    let Case { statement, claim: c, z } = case;
    let own = c.hostile.as_ref().expect("numbers");
    let numbers = Numbers::new(statement, c.alpha);
    let (kappa, chi) = (numbers.kappa0 - 1.0, numbers.two_ak - c.nu);
    let (sigma, eps) = (statement.learner.regularization, statement.threat.poison_rate);
    let n = (z.len() / 2) as f64;
    let told = statement.hostile_rows[0] as f64;
    let hostile = if wrong == Wrong::Count { told - 1.0 } else { told };
    let unless = |one: Wrong, x: f64| if wrong == one { 0.0 } else { x };
    let floor = c.floor.unwrap_or(-kappa);
    let each: Vec<(f64, f64)> = z
        .chunks(2)
        .map(|z| {
            let y = kappa * share(c, z);
            if statement.learner.loss == Loss::Logistic {
                return (entropy(statement, c, z, place(statement, c, z)).max(floor), y);
            }
            let jump = numbers.two_ak + numbers.alpha_eta * dot(z, z) + dot(&c.beta, z);
            (((numbers.benign * jump).max(0.0) - y).max(floor), y)
        })
        .collect();
    let mean = each.iter().map(|one| one.0).sum::<f64>() / n;
    let excess = |((t, y), z): (&(f64, f64), &[f64])| {
        let gap: f64 = own.pull.iter().zip(z).map(|(c, z)| (c - y * z).powi(2)).sum();
        (own.spread / 2.0 * gap - t - own.threshold).max(0.0)
    };
    let above = unless(Wrong::Excess, each.iter().zip(z.chunks(2)).map(excess).sum());
    let reach = numbers.alpha_eta * c.radius.powi(2) + dot(&c.beta, &c.beta).sqrt() * c.radius;
    let x = reach / numbers.two_ak;
    let is_logistic = statement.learner.loss == Loss::Logistic;
    let top = numbers.kappa0 * if is_logistic { x + 1.0 / (1.0 + x + x * x / 2.0) } else { 1.0 + x };
    let (range, logs) = (top - floor, [2.0, 4.0].map(|x: f64| (x / c.delta).ln()));
    let squares: f64 = each.iter().map(|one| (one.0 - mean).powi(2)).sum();
    let variance = (squares + unless(Wrong::Variance, hostile * range * range)) / (n - 1.0);
    let deviation = match c.deviation {
        Deviation::Hoeffding => range * (logs[0] / (2.0 * n)).sqrt(),
        Deviation::Bernstein => {
            (2.0 * variance * logs[1] / n).sqrt() + 7.0 * range * logs[1] / (3.0 * (n - 1.0))
        }
    };
    let far = c.radius / n.sqrt() * (1.0 + (2.0 * logs[0]).sqrt());
    let mut v: Vec<f64> = own.pull.iter().map(|c| -hostile * c / n).collect();
    for ((_, y), z) in each.iter().zip(z.chunks(2)) {
        v.iter_mut().zip(z).for_each(|(v, z)| *v += y * z / n);
    }
    let tau = c.tau[0];
    v.iter_mut().zip(&c.beta).for_each(|(v, b)| *v += (eps * chi / tau - sigma) * b);
    let base =
        c.alpha * sigma * (2.0 - statement.learner.learning_rate * sigma) - eps * chi * chi / (2.0 * tau);
    let a = base - unless(Wrong::Bend, hostile / (2.0 * own.spread * n));
    let length = dot(&v, &v).sqrt() + kappa * (far + unless(Wrong::Length, c.radius * hostile / n));
    let point = tau / 2.0 + numbers.alpha_eta + c.nu + dot(&c.beta, &c.beta) / (2.0 * tau);
    let unseen = unless(Wrong::Unseen, hostile * top);
    let constant = mean + (above + hostile * own.threshold + unseen) / n;
    (a > 0.0).then(|| constant + deviation + eps * point + length.powi(2) / (4.0 * a))
}

#[test]
fn the_formula_agrees_and_wrong_ones_are_found() {
    let wrongs = [Wrong::Unseen, Wrong::Length, Wrong::Bend, Wrong::Excess, Wrong::Count, Wrong::Variance];
    let mut random = Random(0x2bad);
    let (mut broken, mut proved) = ([0; 6], 0);
    for i in 0..rounds(40, 400) {
        let loss = LOSSES[usize::from(i % 8 == 7)];
        let mut case = Case::new(&mut random, loss, DEVIATIONS[i % 2], 4, 2);
        case.claim.nu = 0.0;
        if i % 3 == 1 {
            // κ is small: what is missing adds little to the slope, and the variance counts.
            case.claim.alpha = 0.56;
            case.place();
        }
        let Some(bound) = case.improve(&mut random, 20, Case::proven) else { continue };
        proved += 1;
        let again = formula(&case, Wrong::Nothing).expect("a bound");
        assert!((again - bound).abs() <= 1e-9 * bound, "{again} {bound}");
        if loss == Loss::Logistic {
            continue;
        }
        for (count, wrong) in broken.iter_mut().zip(wrongs) {
            let before = case.claim.hostile.clone();
            let claimed = case.improve(&mut random, 200, |case| formula(case, wrong)).expect("a number");
            let honest = case.honest(2, &mut random, 12);
            *count += usize::from(honest > claimed + 1e-6);
            case.claim.hostile = before;
        }
    }
    println!("{proved} proofs; wrong formulas broken: {broken:?} of {wrongs:?}");
    assert!(proved >= 20 && broken.iter().all(|&count| count > 0), "{proved}: {broken:?} of {wrongs:?}");
}

/// Rows that came before have no part in the number.
#[test]
fn earlier_rows_do_not_count() {
    let mut random = Random(3);
    for loss in LOSSES {
        let mut case = Case::new(&mut random, loss, Deviation::Bernstein, 6, 1);
        case.claim.hostile.as_mut().expect("numbers").spread = 1e3;
        let alone = case.proven().expect("a bound");
        let later = [vec![0.5, -0.5, 0.25, 0.75], case.z.clone()].concat();
        case.claim.hostile.as_mut().expect("numbers").earlier = 2;
        assert_eq!(prove_new_data(&case.statement, &case.claim, &rows(&later)), Ok(alone));
    }
}

/// An adversary who replaces the rows that count most misleads a claim that does not know of it, and not one that does: the bound of
/// the law itself, which the limit of many honest rows is, stays below.
#[test]
fn hostile_rows_do_not_mislead() {
    let mut random = Random(11);
    let n = 4000;
    let (count, honest_statement) = (n / 5, learner(Set::Ball { radius: 1.0 }));
    let claim =
        NewDataClaim { theta: vec![4.0, 3.0], ..witness(&Set::Ball { radius: 1.0 }, Deviation::Hoeffding) };
    let many = SUPPORT.concat().repeat(100_000);
    let truth = prove_new_data(&honest_statement, &claim, &rows(&many)).unwrap();
    let mut statement = honest_statement.clone();
    statement.hostile_rows = vec![count];
    let mut fooled = 0;
    for _ in 0..rounds(4, 40) {
        let mut z = draw(&mut random, n);
        // All of the adversary's rows look easy, and the hardest are gone.
        let mut hard: Vec<usize> = (0..n).filter(|i| z[2 * i] < 0.0).collect();
        hard.truncate(count);
        for i in hard {
            z[2 * i..2 * i + 2].copy_from_slice(&[0.75, 0.625]);
        }
        fooled += usize::from(prove_new_data(&honest_statement, &claim, &rows(&z)).unwrap() < truth);
        let hostile = HostileSample { earlier: 0, pull: vec![0.0; 2], spread: 40.0, threshold: 0.5 };
        let known = NewDataClaim { hostile: Some(hostile), ..claim.clone() };
        assert!(prove_new_data(&statement, &known, &rows(&z)).unwrap() > truth);
    }
    assert_eq!(fooled, rounds(4, 40));
}

#[test]
fn conditions() {
    let mut random = Random(7);
    let case = Case::new(&mut random, Loss::Hinge, Deviation::Hoeffding, 6, 2);
    case.proven().expect("a bound");
    type Change = fn(&mut Statement, &mut HostileSample);
    let with = |change: Change| {
        let (mut statement, mut claim) = (case.statement.clone(), case.claim.clone());
        change(&mut statement, claim.hostile.as_mut().expect("numbers"));
        prove_new_data(&statement, &claim, &rows(&case.z)).map_err(|failure| failure.to_string())
    };
    // More rows of the sample are left than may be hostile.
    with(|_, h| h.earlier = 3).expect("a bound");
    let refusals: [(&str, Change); 10] = [
        ("the rows after the first `earlier` = 2.0", |_, h| h.earlier = 4),
        ("the rows after the first `earlier` = 0.0", |_, h| h.earlier = 7),
        ("pull: expected 2, found 1", |_, h| h.pull.truncate(1)),
        ("pull[1] = NaN", |_, h| h.pull[1] = f64::NAN),
        ("spread = 0.0", |_, h| h.spread = 0.0),
        ("spread = -1.0", |_, h| h.spread = -1.0),
        ("spread = inf", |_, h| h.spread = f64::INFINITY),
        ("threshold = inf", |_, h| h.threshold = f64::INFINITY),
        ("a = ", |_, h| h.spread = 0.1),
        ("does not fit rows none of which is hostile", |s, _| s.hostile_rows = vec![]),
    ];
    for (words, change) in refusals {
        let complaint = with(change).expect_err(words);
        assert!(complaint.starts_with("new data: ") && complaint.contains(words), "{words}: {complaint}");
    }
    let plain = NewDataClaim { hostile: None, ..case.claim.clone() };
    let complaint = prove_new_data(&case.statement, &plain, &rows(&case.z)).unwrap_err().to_string();
    assert!(complaint.contains("does not fit rows that may be hostile"), "{complaint}");
    // K/(2tn) is taken from a: the last t that leaves it positive, and the one before.
    let base = {
        let numbers = Numbers::new(&case.statement, case.claim.alpha);
        let sigma = case.statement.learner.regularization;
        let chi = numbers.two_ak - case.claim.nu;
        case.claim.alpha * sigma * (2.0 - case.statement.learner.learning_rate * sigma)
            - numbers.eps * chi * chi / (2.0 * case.claim.tau[0])
    };
    let edge = 2.0 / (2.0 * 6.0 * base);
    let at = |spread: f64| {
        let mut claim = case.claim.clone();
        claim.hostile.as_mut().expect("numbers").spread = spread;
        prove_new_data(&case.statement, &claim, &rows(&case.z))
    };
    at(edge * (1.0 + 1e-12)).expect("a bound");
    assert!(at(edge * (1.0 - 1e-12)).unwrap_err().to_string().contains("a = "));
}

#[test]
fn the_claim_says_what_it_assumes() {
    let case = Case::new(&mut Random(1), Loss::Hinge, Deviation::Hoeffding, 6, 2);
    let mut claim = case.claim;
    claim.hostile.as_mut().expect("numbers").earlier = 250;
    let text = claim.assumptions();
    assert!(
        text.contains("in the order of their arrival") && text.contains("when the first 250 had arrived"),
        "{text}"
    );
    claim.hostile = None;
    assert!(!claim.assumptions().contains("arrival"));
}
