//! Section 24 of docs/theory.md once more, in binary64: what a proof by contraction gives. One term can be planted with an error of
//! 1 %, so that the value is too low. And G_λ itself, by taking the learner's steps.

use unswayed_check::{
    ContractionCase, ContractionProof, ContractionRound, Evidence, Failure, Proof, Rows, Set, Statement,
    Target, prove,
};

use super::dot;

/// A proof by contraction, with its statement and rows.
#[derive(Clone, Debug)]
pub struct Case {
    pub statement: Statement,
    pub proof: ContractionProof,
    pub z: Vec<f64>,
    pub weights: Option<Vec<f64>>,
}

impl Case {
    /// What is proved of the one dataset.
    pub fn case(&mut self) -> &mut ContractionCase {
        &mut self.proof.cases[0]
    }
}

/// The terms of the section's formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    Jump,
    Kappa,
    Noise,
    Margin,
    Reach,
    Tilt,
    Curvature,
    Decay,
    Pull,
    Target,
    End,
}

impl Term {
    pub const ALL: [Term; 11] = [
        Term::Jump,
        Term::Kappa,
        Term::Noise,
        Term::Margin,
        Term::Reach,
        Term::Tilt,
        Term::Curvature,
        Term::Decay,
        Term::Pull,
        Term::Target,
        Term::End,
    ];
}

/// Learner and rows as numbers.
#[derive(Clone, Copy)]
struct Letters {
    eta: f64,
    sigma: f64,
    eps: f64,
    radius: f64,
    k: f64,
}

impl Case {
    pub fn rows(&self) -> Rows<'_> {
        let dimension = self.proof.beta.len();
        Rows { z: &self.z, pattern: None, dimension, weights: self.weights.as_deref(), steps: None }
    }

    /// What the checker finds.
    pub fn bound(&self) -> Result<f64, Failure> {
        let proof = Proof::Contraction(Box::new(self.proof.clone()));
        prove(&self.statement, &proof, &Evidence { data: &[self.rows()], target: None })?.bound()
    }

    fn letters(&self) -> Letters {
        let learner = &self.statement.learner;
        let (eta, sigma) = (learner.learning_rate, learner.regularization);
        let Set::Ball { radius } = self.statement.threat.set else { panic!("a ball") };
        Letters { eta, sigma, eps: self.statement.threat.poison_rate, radius, k: 1.0 - eta * sigma }
    }

    /// The rows with p_i and t_i.
    fn rows_and_weights(&self) -> Vec<(&[f64], f64, f64)> {
        let rows: Vec<&[f64]> = self.z.chunks(self.proof.beta.len()).collect();
        let weights = self.weights.clone().unwrap_or_else(|| vec![1.0; rows.len()]);
        let target = match &self.statement.target {
            Target::Weights(target) => target[0].clone(),
            _ => weights.clone(),
        };
        let [total, of_target] = [&weights, &target].map(|weights| weights.iter().sum::<f64>());
        let shares = weights.iter().zip(&target).map(|(w, t)| (w / total, t / of_target));
        rows.into_iter().zip(shares).map(|(z, (p, t))| (z, p, t)).collect()
    }

    /// G_λ(θ, z) by taking steps; at kinks the worst rule.
    pub fn g(&self, theta: &[f64], point: &[f64]) -> f64 {
        let Letters { eta, eps, k, .. } = self.letters();
        let ContractionProof { alpha, beta, .. } = &self.proof;
        let lambda = |x: &[f64]| (alpha * dot(x, x) + dot(beta, x)) / eta;
        let here = lambda(theta);
        let after = |z: &[f64]| {
            let step =
                |w: f64| -> Vec<f64> { theta.iter().zip(z).map(|(t, z)| k * t + eta * w * z).collect() };
            let (acts, idles) = (lambda(&step(1.0)) - here, lambda(&step(0.0)) - here);
            match dot(theta, z) - 1.0 {
                slack if slack.abs() < 1e-12 => acts.max(idles),
                slack if slack < 0.0 => acts,
                _ => idles,
            }
        };
        let rows = self.rows_and_weights();
        let drift: f64 = rows.iter().map(|(z, p, _)| p * after(z)).sum();
        let loss: f64 = rows.iter().map(|(z, _, t)| t * (1.0 - dot(theta, z)).max(0.0)).sum();
        (1.0 - eps) * drift + eps * after(point) + loss
    }

    /// The bound by the section's formulas.
    pub fn value(&self, planted: Option<Term>) -> f64 {
        let ContractionProof { ball, target, cases, .. } = &self.proof;
        let ContractionCase { rounds, tau, nu, codes } = &cases[0];
        let mut ends: Vec<[f64; 2]> = self
            .rows_and_weights()
            .iter()
            .map(|(z, ..)| 0.5 * ball * (1.0 + dot(z, z)))
            .map(|h| [-h, h])
            .collect();
        let is = |term: Term| planted == Some(term);
        for round in rounds {
            let free = ends.iter().filter(|[low, high]| *low <= 1.0 && *high >= 1.0).count();
            let before = ends.clone();
            for (e, &end) in round.ends.iter().enumerate() {
                let (row, is_low) = (end as usize / 2, end as usize % 2);
                let ContractionRound { pulls, tau, nu, codes, .. } = round;
                let t = if is_low == 1 { -pulls[e] } else { pulls[e] };
                let codes = &codes[e * free.div_ceil(2)..];
                let phi = self.phi(&before, codes, [tau[e], nu[e]], Some((row, t)), planted);
                let target = if is(Term::Target) { target + 0.01 * target.abs() } else { *target };
                let mut to = (phi - target) / pulls[e];
                if is(Term::End) {
                    to -= 0.01 * to.abs();
                }
                let own = &mut ends[row];
                if is_low == 1 { own[0] = own[0].max(-to) } else { own[1] = own[1].min(to) }
            }
            if ends.iter().any(|[low, high]| low > high) {
                return *target;
            }
        }
        self.phi(&ends, codes, [*tau, *nu], None, planted).max(*target)
    }

    /// Φ of Lemma C1.
    fn phi(
        &self,
        ends: &[[f64; 2]],
        codes: &[u8],
        [tau, nu]: [f64; 2],
        x: Option<(usize, f64)>,
        planted: Option<Term>,
    ) -> f64 {
        let Letters { eta, sigma, eps, radius, k } = self.letters();
        let ContractionProof { alpha, beta, .. } = &self.proof;
        let less = |term: Term| if planted == Some(term) { 0.99 } else { 1.0 };
        let chi = 2.0 * alpha * k - nu;
        let a = alpha * sigma * (2.0 - eta * sigma) - eps * radius * chi * chi / (2.0 * tau);
        let sides = if planted == Some(Term::Decay) { vec![0.99, 1.01] } else { vec![1.0] };
        let pulls = if planted == Some(Term::Pull) { vec![0.99, 1.01] } else { vec![1.0] };
        let (mut constant, mut slope, mut place) = (0.0, vec![0.0; beta.len()], 0);
        for ((z, p, t), [low, high]) in self.rows_and_weights().iter().zip(ends) {
            let jump = p * (1.0 - eps) * (2.0 * alpha * k + alpha * eta * dot(z, z) + dot(beta, z));
            let kappa = p * 2.0 * alpha * k * (1.0 - eps) - t;
            let kappa = kappa + (1.0 - less(Term::Kappa)) * kappa.abs();
            let mut y = if *high < 1.0 { kappa } else { 0.0 };
            if *low <= 1.0 && *high >= 1.0 {
                let steepest = 4.0 * (kappa.abs() + jump.abs());
                let (left, right) = if jump > 0.0 {
                    (kappa, (-jump / (high - 1.0)).max(-steepest))
                } else {
                    ((kappa - jump / (1.0 - low)).min(steepest), 0.0)
                };
                let chord = (kappa * (1.0 - low) - jump) / (high - low);
                let (left, right) = if right > left { (chord, chord) } else { (left, right) };
                let code = codes[place / 2] >> (4 * (place % 2)) & 15;
                y = right + (left - right) * (f64::from(code) / 15.0);
                place += 1;
            }
            let jump = jump - (1.0 - less(Term::Jump)) * jump.abs();
            let acts = |s: f64| jump + (kappa - y) * (s - 1.0);
            let idles = |s: f64| -y * (s - 1.0);
            let top = match (*low <= 1.0, *high >= 1.0) {
                (true, false) => acts(*low).max(acts(*high)),
                (true, true) => acts(*low).max(jump).max(0.0).max(idles(*high)),
                _ => idles(*low).max(idles(*high)),
            };
            constant += top - y;
            slope.iter_mut().zip(*z).for_each(|(slope, z)| *slope += y * z);
        }
        let point = less(Term::Noise) * alpha * eta * radius * radius
            + less(Term::Margin) * nu
            + less(Term::Reach) * radius * tau / 2.0
            + less(Term::Tilt) * radius * dot(beta, beta) / (2.0 * tau);
        let peak = |decay: f64, pull: f64| {
            let on_beta = pull * eps * radius * chi / tau - decay * sigma;
            let h = |j: usize| {
                slope[j] + on_beta * beta[j] + x.map_or(0.0, |(row, t)| t * self.z[row * beta.len() + j])
            };
            (0..beta.len()).map(|j| h(j).powi(2)).sum::<f64>() / (4.0 * a)
        };
        let peaks = sides.iter().flat_map(|decay| pulls.iter().map(|pull| peak(*decay, *pull)));
        let peak = peaks.fold(f64::INFINITY, f64::min);
        constant + eps * point + less(Term::Curvature) * peak
    }
}
