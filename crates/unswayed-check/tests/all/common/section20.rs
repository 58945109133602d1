//! Section 20 of docs/theory.md once more, in binary64: what a proof by levels gives in each shell. One term can be planted with
//! an error, so that the value is too low.

use unswayed_check::{Evidence, Failure, LevelsProof, Loss, Proof, Rows, Statement, prove};

use super::dot;

/// A proof by levels, with its statement and rows.
#[derive(Clone, Debug)]
pub struct Case {
    pub statement: Statement,
    pub proof: LevelsProof,
    pub z: Vec<f64>,
    pub weights: Option<Vec<f64>>,
}

macro_rules! terms {
    ($($(#[$doc:meta])* $term:ident,)*) => {
        /// The terms of the section's formulas.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Term {
            $($(#[$doc])* $term,)*
        }

        impl Term {
            /// All of them.
            pub const ALL: &[Term] = &[$(Term::$term,)*];
        }
    };
}

terms! {
    /// (E1): w(2αks + βᵀz), αηnw² and the indicator.
    RowPull,
    RowSquare,
    Indicator,
    /// (E2): the means of T and of y, ωx², the constant of the centre, C, what b̃ adds to it, and ¼vᵀA⁻¹v.
    Constants,
    Omega,
    Centre,
    PointReach,
    PointSquare,
    PointMargin,
    PointTilt,
    Peak,
    /// Lemma E2: v₀ and F_q, the two parts of x, and the three of (E3).
    Base,
    Least,
    Root,
    Shift,
    Smooth,
    Pulled,
    Conjugate,
    /// Lemma E3: L, S₁, σt, S₂ in c₂, r² and εRr in M, and the powers of e.
    Lipschitz,
    Lengths,
    Decay,
    Spread,
    Fall,
    Push,
    Jump,
    Height,
    /// (E4), term by term.
    One,
    FarRows,
    FarPoint,
    FarMargin,
    FarSquare,
    FarTilt,
    /// Theorem E5: what λ_q costs at the start, ψ there, and h.
    StartSquare,
    StartHeight,
    StartSlope,
}

/// A term, and the part of it that is left out.
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    pub term: Term,
    pub part: f64,
}

/// Sup s/(1 + e^s), as the format has it.
const LAMBERT: f64 = 0.278_470_1;

/// The section's letters.
pub struct Letters<'a> {
    case: &'a Case,
    planted: Option<Planted>,
    pub d: usize,
    pub n: usize,
    pub p: Vec<f64>,
    pub eta: f64,
    pub sigma: f64,
    pub eps: f64,
    two_ak: f64,
    chi: f64,
    margins: Vec<f64>,
    /// v₀ and F_q
    pub base: f64,
    pub least: f64,
    shift: f64,
    constants: Vec<f64>,
}

impl Case {
    pub fn is_hinge(&self) -> bool {
        self.statement.learner.loss == Loss::Hinge
    }

    pub fn rows(&self) -> Rows<'_> {
        let dimension = self.proof.centre.len();
        Rows { z: &self.z, pattern: None, dimension, weights: self.weights.as_deref(), steps: None }
    }

    pub fn row(&self, i: usize) -> &[f64] {
        let d = self.proof.centre.len();
        &self.z[i * d..(i + 1) * d]
    }

    /// The bound of every shell, by the checker.
    pub fn proven(&self) -> Result<Vec<f64>, Failure> {
        let proof = Proof::Levels(Box::new(self.proof.clone()));
        let evidence = Evidence { data: &[self.rows()], target: None };
        prove(&self.statement, &proof, &evidence).map(|proven| proven.case_bounds())
    }

    /// The same in binary64, with a planted error.
    pub fn planted(&self, planted: Option<Planted>) -> Vec<f64> {
        let letters = Letters::new(self, planted);
        (0..self.proof.heights.len()).map(|k| letters.bound(k) + letters.drift(k)).collect()
    }
}

/// A proof with one shell, no barrier and flat rows, for as many rows; the numbers are those of no problem in particular.
pub fn blank(n: usize, d: usize, is_hinge: bool) -> LevelsProof {
    LevelsProof {
        radius: 1.0,
        norm: 1.25,
        smoothing: if is_hinge { 1.0 } else { 0.0 },
        centre: vec![0.0; d],
        shares: vec![1.0; n],
        gain: 100.0,
        forces: vec![1.0; 2 * n],
        points: vec![0.0; 2 * n * d],
        alpha: 1.0,
        nu: 0.0,
        tilt: vec![0.0; d],
        omega: 0.0,
        rho: 1.0,
        slopes: vec![0.0; n],
        curves: vec![0.0; n],
        least: 1e-3,
        peak: vec![0.0; d],
        offset: 1.0,
        steepness: 1e-3,
        size: 0.0,
        anchor: 0.0,
        heights: vec![1e3],
        fine: 1,
        near: 0,
        spread_near: 2.0,
        spread_far: 2.0,
    }
}

fn entropy(q: f64) -> f64 {
    [q, 1.0 - q].into_iter().filter(|x| *x > 0.0).map(|x| -x * x.ln()).sum()
}

fn activity(s: f64) -> f64 {
    1.0 / (1.0 + s.exp())
}

fn length(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

impl<'a> Letters<'a> {
    pub fn new(case: &'a Case, planted: Option<Planted>) -> Self {
        let (learner, proof) = (&case.statement.learner, &case.proof);
        let (eta, sigma) = (learner.learning_rate, learner.regularization);
        let (d, n) = (proof.centre.len(), case.z.len() / proof.centre.len());
        let weight = |i: usize| case.weights.as_ref().map_or(1.0, |w| w[i]);
        let total: f64 = (0..n).map(weight).sum();
        let two_ak = 2.0 * proof.alpha * (1.0 - eta * sigma);
        let mut letters = Letters {
            case,
            planted,
            d,
            n,
            p: (0..n).map(|i| weight(i) / total).collect(),
            eta,
            sigma,
            eps: case.statement.threat.poison_rate,
            two_ak,
            chi: two_ak - proof.nu,
            margins: (0..n).map(|i| dot(case.row(i), &proof.centre)).collect(),
            base: 0.0,
            least: 0.0,
            shift: 0.0,
            constants: vec![],
        };
        letters.find_levels();
        letters
    }

    /// An upper bound that is too low if it is the planted term; `more` the same for what is subtracted.
    fn less(&self, term: Term, x: f64) -> f64 {
        x - self.planted.filter(|planted| planted.term == term).map_or(0.0, |planted| planted.part * x.abs())
    }

    fn more(&self, term: Term, x: f64) -> f64 {
        -self.less(term, -x)
    }

    fn mean(&self, f: impl Fn(usize) -> f64) -> f64 {
        (0..self.n).map(|i| self.p[i] * f(i)).sum()
    }

    /// (1−ε)Σ p q z
    fn pull(&self, q: impl Fn(usize) -> f64) -> Vec<f64> {
        (0..self.d).map(|j| (1.0 - self.eps) * self.mean(|i| q(i) * self.case.row(i)[j])).collect()
    }

    fn conjugate(&self, q: f64) -> f64 {
        if self.case.is_hinge() { q } else { entropy(q) }
    }

    fn find_levels(&mut self) {
        let (proof, sigma, benign) = (&self.case.proof, self.sigma, 1.0 - self.eps);
        let loss = |s: f64| if self.case.is_hinge() { (1.0 - s).max(0.0) } else { (-s).exp().ln_1p() };
        let base = benign * self.mean(|i| loss(self.margins[i]));
        let base = self.less(Term::Base, base + sigma / 2.0 * dot(&proof.centre, &proof.centre));
        let c = self.pull(|i| proof.shares[i]);
        let least = benign * self.mean(|i| self.conjugate(proof.shares[i])) - dot(&c, &c) / (2.0 * sigma);
        let least = self.more(Term::Least, least);
        let shift: Vec<f64> = proof.centre.iter().zip(&c).map(|(o, c)| o - c / sigma).collect();
        let shift = self.less(Term::Shift, length(&shift));
        let constants = (0..2 * self.n).map(|place| self.constant(place)).collect();
        (self.base, self.least, self.shift, self.constants) = (base, least, shift, constants);
    }

    /// q of a point in (E3).
    fn share(&self, i: usize, point: &[f64]) -> f64 {
        let s = dot(self.case.row(i), point);
        let q = if self.case.is_hinge() {
            (1.0 - s) * self.case.proof.gain + 0.5
        } else {
            1.0 / (1.0
                + (0..20).fold(1.0 + s.clamp(-40.0, 40.0) / f64::from(1 << 20), |power, _| power * power))
        };
        (q.clamp(0.0, 1.0) * 16384.0).floor() / 16384.0
    }

    /// What (E3) adds to v.
    fn constant(&self, place: usize) -> f64 {
        let (proof, z) = (&self.case.proof, self.case.row(place % self.n));
        let force = proof.forces[place];
        let point = &proof.points[place * self.d..(place + 1) * self.d];
        let c = self.pull(|i| self.share(i, point));
        let signed = if place < self.n { -force } else { force };
        let total: Vec<f64> = z.iter().zip(&c).map(|(z, c)| signed * z + c).collect();
        let conjugate = (1.0 - self.eps) * self.mean(|i| self.conjugate(self.share(i, point)));
        self.less(Term::Smooth, proof.smoothing / 2.0 * force * force * dot(z, z))
            + self.less(Term::Pulled, dot(&total, &total) / (2.0 * self.sigma))
            - self.more(Term::Conjugate, conjugate)
    }

    /// 1 + σμ
    fn softening(&self) -> f64 {
        1.0 + self.sigma * self.case.proof.smoothing
    }

    pub fn reach(&self, k: usize) -> f64 {
        let above = self.base - self.least + self.case.proof.heights[k];
        self.less(Term::Root, (2.0 * above * self.softening() / self.sigma).sqrt()) + self.shift
    }

    pub fn interval(&self, i: usize, k: usize) -> [f64; 2] {
        let proof = &self.case.proof;
        let around = self.reach(k) * length(self.case.row(i));
        let level = self.base + proof.heights[k];
        let end = |place: usize| (level + self.constants[place]) / proof.forces[place];
        [-end(i).min(around - self.margins[i]), end(self.n + i).min(around + self.margins[i])]
    }

    /// The difference of the two sides of (E1) without T.
    fn difference(&self, i: usize, s: f64, w: f64, is_wrong: bool) -> f64 {
        let (proof, z) = (&self.case.proof, self.case.row(i));
        let u = s - self.margins[i];
        let pull = w * (self.two_ak * u + proof.nu * self.margins[i] + dot(z, &proof.tilt));
        let square = proof.alpha * self.eta * dot(z, z) * w * w;
        let drift = self.less(Term::RowPull, pull) + self.less(Term::RowSquare, square);
        let jump = if is_wrong { self.less(Term::Indicator, 1.0) } else { 0.0 };
        (1.0 - self.eps) * drift + jump - (proof.slopes[i] + proof.curves[i] * u) * u
    }

    /// T_i on [l, h].
    fn row(&self, i: usize, [l, h]: [f64; 2]) -> f64 {
        let (proof, mut top) = (&self.case.proof, f64::NEG_INFINITY);
        if !self.case.is_hinge() {
            let unit = 1024.0;
            let (from, to) = ((l * unit).floor() as i64, (h * unit).ceil() as i64);
            for s in from..=to {
                let at = s as f64 / unit;
                for wrong in [true, false].into_iter().filter(|wrong| s == 0 || *wrong == (s < 0)) {
                    top = top.max(self.difference(i, at, activity(at), wrong));
                }
            }
            return top;
        }
        for (from, to, w, is_wrong) in
            [(l, h.min(0.0), 1.0, true), (l.max(0.0), h.min(1.0), 1.0, false), (l.max(1.0), h, 0.0, false)]
        {
            if from > to {
                continue;
            }
            let rest = w * (1.0 - self.eps) * self.two_ak - proof.slopes[i];
            let vertex = self.margins[i] + rest / (2.0 * proof.curves[i]);
            for s in [from, to, if proof.curves[i] > 0.0 { vertex.clamp(from, to) } else { from }] {
                top = top.max(self.difference(i, s, w, is_wrong));
            }
        }
        top
    }

    /// C of Lemma L7.
    fn point(&self) -> f64 {
        let (proof, radius) = (&self.case.proof, self.case.proof.radius);
        let reach = self.less(Term::PointReach, radius * self.chi / (2.0 * proof.rho))
            + self.less(Term::PointSquare, proof.alpha * self.eta * radius * radius);
        let nu = self.less(Term::PointMargin, proof.nu);
        if self.case.is_hinge() {
            return (reach + nu).max(0.0);
        }
        let value = |w: f64| reach * w * w + nu * w * ((1.0 - w) / w).ln();
        let places = (1..200_000).map(|j| value(f64::from(j) / 200_000.0));
        places.fold(if nu > 0.0 { f64::NEG_INFINITY } else { reach }, f64::max)
    }

    /// (E2) on level k.
    pub fn on_level(&self, k: usize) -> f64 {
        let Letters { case: Case { proof, .. }, sigma, eps, chi, d, .. } = self;
        let (radius, rho, s2) = (proof.radius, proof.rho, proof.alpha * sigma * (2.0 - self.eta * sigma));
        let rows = self.less(Term::Constants, self.mean(|i| self.row(i, self.interval(i, k))));
        let reach = self.less(Term::Omega, proof.omega * self.reach(k).powi(2));
        let beta: Vec<f64> = proof.centre.iter().zip(&proof.tilt).map(|(o, b)| b - chi * o).collect();
        let centre = -s2 * dot(&proof.centre, &proof.centre) - sigma * dot(&beta, &proof.centre);
        let tilt = radius * rho * dot(&proof.tilt, &proof.tilt) / (2.0 * chi);
        let point = eps * (self.point() + self.less(Term::PointTilt, tilt));
        let base = s2 + proof.omega - eps * radius * chi * rho / 2.0;
        let entry = |j: usize, l: usize| {
            let moment = self.mean(|i| proof.curves[i] * self.case.row(i)[j] * self.case.row(i)[l]);
            if j == l { base - moment } else { -moment }
        };
        let slope = |j: usize| {
            self.mean(|i| proof.slopes[i] * self.case.row(i)[j])
                - 2.0 * s2 * proof.centre[j]
                - sigma * beta[j]
                + eps * radius * rho * proof.tilt[j]
        };
        let (mut inner, mut rest) = (0.0, 0.0);
        for j in 0..*d {
            let ax: f64 = (0..*d).map(|l| entry(j, l) * proof.peak[l]).sum();
            inner += (2.0 * slope(j) - ax) * proof.peak[j];
            rest += (slope(j) - ax).powi(2);
        }
        let peak = self.less(Term::Peak, (inner + rest / proof.least) / 4.0);
        rows + reach + self.less(Term::Centre, centre) + point + peak
    }

    /// G of shell k.
    fn bound(&self, k: usize) -> f64 {
        let anywhere = self.anywhere();
        if k < self.case.proof.fine { self.on_level(k).min(anywhere) } else { anywhere }
    }

    fn lipschitz(&self) -> f64 {
        let proof = &self.case.proof;
        let most = (1.0 - self.eps) * proof.spread_far / 4.0;
        self.less(
            Term::Lipschitz,
            if self.case.is_hinge() { 1.0 / proof.smoothing } else { self.sigma + most },
        )
    }

    /// w̄ of the near shells.
    fn near(&self, i: usize) -> f64 {
        let Some(k) = self.case.proof.near.checked_sub(1) else { return 1.0 };
        let low = self.interval(i, k)[0];
        if self.case.is_hinge() {
            return f64::from(u8::from(low <= 1.0));
        }
        let w = activity((low * 1024.0).floor() / 1024.0);
        ((w * 65536.0).ceil() / 65536.0).min(1.0)
    }

    /// Y on the ends of shell k.
    fn edges(&self, k: usize) -> [f64; 2] {
        let Case { proof, .. } = self.case;
        let low = if k == 0 { self.least - self.base } else { proof.heights[k - 1] };
        [(low + proof.offset).sqrt(), (proof.heights[k] + proof.offset).sqrt()]
    }

    /// e^{γ(Y−Ȳ)}
    fn power(&self, y: f64) -> f64 {
        (self.case.proof.steepness * (y - self.case.proof.anchor)).clamp(-700.0, 700.0).exp()
    }

    /// b of shell k.
    pub fn drift(&self, k: usize) -> f64 {
        let ([y0, y1], growth) = (self.edges(k), self.growth(k));
        let height = self.power(if growth > 0.0 { y1 } else { y0 });
        let height =
            if growth > 0.0 { self.less(Term::Height, height) } else { self.more(Term::Height, height) };
        self.case.proof.size * growth * height / self.eta
    }

    /// K of shell k.
    fn growth(&self, k: usize) -> f64 {
        let Letters { case: Case { proof, .. }, eta, eps, sigma, .. } = self;
        let (gamma, l, offset) = (proof.steepness, self.lipschitz(), proof.offset);
        let [y0, y1] = self.edges(k);
        let is_near = k < proof.near;
        let square = |i: usize| if is_near { self.near(i).powi(2) } else { 1.0 };
        let radius = proof.radius;
        let lengths = (1.0 - eps) * self.mean(|i| square(i) * dot(self.case.row(i), self.case.row(i)));
        let lengths = self.less(Term::Lengths, lengths + eps * radius * radius);
        let spread = if is_near { proof.spread_near } else { proof.spread_far };
        let spread = self.less(Term::Spread, (1.0 - eps) * spread + eps * radius * radius);
        let gap = self.base - self.least;
        let longest = 2.0 * proof.norm * eta;
        let first = gamma * longest * (l / 2.0).sqrt();
        let second = gamma * l * longest * longest / (4.0 * (offset - gap).sqrt());
        let (jump, jumps) =
            (self.less(Term::Jump, first.exp()), self.less(Term::Jump, (first + second).exp()));
        let low = if k == 0 { -gap } else { proof.heights[k - 1] };
        let c2 = 1.0 - gamma * eta * spread * jump / (4.0 * y0);
        let fall = self.more(Term::Fall, c2);
        let push = self.less(Term::Push, eps * radius);
        let r = (2.0 * sigma * low.max(0.0) / self.softening()).sqrt();
        let mean = if 2.0 * fall * r < push { push * push / (4.0 * fall) } else { (push - fall * r) * r };
        let zeta = gamma * eta * mean / (2.0 * if mean > 0.0 { y0 } else { y1 });
        let pull = sigma * (self.reach(k) + length(&proof.centre));
        let pull = self.less(Term::Decay, pull.min(proof.norm));
        let second = jumps * gamma * eta * eta * l * (lengths.sqrt() + pull).powi(2) / (4.0 * y0);
        zeta.exp_m1() + second
    }

    /// How many shells keep the exponential, and h of those beyond.
    pub fn slopes(&self) -> (usize, Vec<f64>) {
        let Case { proof, .. } = self.case;
        let bounds: Vec<f64> = (0..proof.heights.len()).map(|k| self.bound(k)).collect();
        let sums = bounds.iter().enumerate().map(|(k, bound)| bound + self.drift(k));
        let value = sums.fold(f64::NEG_INFINITY, f64::max);
        let (mut edge, mut slopes) = (proof.heights.len(), vec![0.0]);
        while edge > 1 && self.growth(edge - 1) < 0.0 {
            let most = proof.size * self.power(self.edges(edge - 1)[0]) / self.eta;
            let last = slopes[slopes.len() - 1];
            if most < last {
                break;
            }
            let excess = (bounds[edge - 1] - value).max(0.0);
            slopes.push(last.max(most.min(-excess / self.growth(edge - 1))));
            edge -= 1;
        }
        let slopes = slopes[1..].iter().rev().map(|slope| self.less(Term::StartSlope, *slope));
        (edge, slopes.collect())
    }

    /// ψ at this Y.
    pub fn barrier(&self, y: f64, (edge, slopes): &(usize, Vec<f64>)) -> f64 {
        let Case { proof, .. } = self.case;
        let end = self.edges(edge - 1)[1];
        let beyond = slopes.iter().enumerate().map(|(j, slope)| {
            let [low, high] = self.edges(edge + j);
            slope * (y.min(high) - low).max(0.0)
        });
        proof.size * self.power(y.min(end)) / self.eta + proof.steepness * beyond.sum::<f64>()
    }

    /// F of a model.
    pub fn objective(&self, theta: &[f64]) -> f64 {
        let loss = |s: f64| if self.case.is_hinge() { (1.0 - s).max(0.0) } else { (-s).exp().ln_1p() };
        let mean = self.mean(|i| loss(dot(self.case.row(i), theta)));
        (1.0 - self.eps) * mean + self.sigma / 2.0 * dot(theta, theta)
    }

    /// What a start adds to the sum of the errors.
    pub fn start(&self, theta: &[f64]) -> f64 {
        let Case { proof, .. } = self.case;
        let beta = proof.tilt.iter().zip(&proof.centre).map(|(tilt, o)| tilt - self.chi * o);
        let square: f64 = theta.iter().zip(beta).map(|(t, b)| (2.0 * proof.alpha * t + b).powi(2)).sum();
        let y = (self.objective(theta) - self.base + proof.offset).sqrt();
        self.less(Term::StartSquare, square / (4.0 * proof.alpha * self.eta))
            + self.less(Term::StartHeight, self.barrier(y, &self.slopes()))
    }

    /// G_∞
    pub fn anywhere(&self) -> f64 {
        let Letters { case: Case { proof, .. }, eps, sigma, chi, .. } = self;
        let most = if self.case.is_hinge() { 1.0 } else { LAMBERT };
        let row = |s: f64| if self.case.is_hinge() { (1.0 - s).max(0.0) } else { LAMBERT + (-s).max(0.0) };
        let rows = chi * (1.0 - eps) * self.mean(|i| row(self.margins[i]));
        let point = (sigma * length(&proof.centre) + eps * proof.radius).powi(2) / (4.0 * sigma);
        self.less(Term::One, 1.0)
            + self.less(Term::FarRows, rows)
            + self.less(Term::FarPoint, chi * point)
            + self.less(Term::FarMargin, proof.nu * most)
            + self.less(Term::FarSquare, proof.alpha * self.eta * proof.norm * proof.norm)
            + self.less(Term::FarTilt, 2.0 * proof.norm * length(&proof.tilt))
    }
}
