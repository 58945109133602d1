//! Algorithm 1 of the paper: a noise covariance S for the online mean, learned from example distributions. It comes out as 0.
//!
//! The learner adds noise, θ' = (1−η)θ + ηz + ηBw with S = BBᵀ. For distributions (μ_k, Σ_k), k = 1 … K, the algorithm
//! minimises the mean over k of
//!
//! ```text
//! η tr(Σ_k + S)/(2−η)  +  κ ( η² tr(A_k((1−ε)Σ_k + S)) + ν_k r )
//! ```
//!
//! (benign loss plus κ times certificate) by turns over the (A_k, ν_k), where the best A_k is a_k I in closed form, and over
//! S ⪰ 0. As a function of S this is tr(S·M) and a constant, with
//!
//! ```text
//! M = η/(2−η) I + κη² mean_k A_k  ≻  0,
//! ```
//!
//! so S = 0 is the one minimiser, whatever κ ≥ 0 and the start: noise never helps. It is so for the true worst case too
//! (`docs/theory.md`, Section 14).

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use crate::certify::MeanSetting;
use crate::certify::framework::Random;
use crate::error::ParameterError;

/// A distribution to learn from. Matrices are given row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// μ; the certificate does not depend on it.
    pub mean: Vec<f64>,
    /// Σ.
    pub covariance: Vec<f64>,
}

/// A noise covariance, and the kind of matrix it has to stay.
#[derive(Clone, Debug, PartialEq)]
pub enum Noise {
    /// No noise.
    None,
    /// sI.
    Isotropic(f64),
    /// Any S ⪰ 0, row by row.
    Shaped(Vec<f64>),
}

/// What is fixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// η.
    pub learning_rate: f64,
    /// ε.
    pub poison_rate: f64,
    /// r.
    pub squared_radius: f64,
    /// κ ≥ 0: what the certificate counts beside the benign loss.
    pub weight: f64,
}

/// One of the two halves of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The best (A_k, ν_k) for the current S.
    Certificates,
    /// The best S for the current (A_k, ν_k).
    Noise,
}

/// What a half step came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Which half.
    pub half: Half,
    /// The objective after it.
    pub objective: f64,
    /// tr S after it.
    pub noise_trace: f64,
}

/// The noise designed, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Designed {
    /// S.
    pub noise: Noise,
    /// After each half step.
    pub history: Vec<Progress>,
    /// The certified loss for each distribution with the noise of the start.
    pub before: Vec<f64>,
    /// The certified loss for each distribution with the designed noise.
    pub after: Vec<f64>,
}

/// Runs the algorithm from a start for a number of iterations, two half steps each.
///
/// ```
/// use unswayed::design::noise::{Noise, Terms, alternate, paper_tasks};
///
/// let tasks = paper_tasks(2, 10, 0);
/// let terms = Terms { learning_rate: 0.01, poison_rate: 0.15, squared_radius: 2.0, weight: 1.0 };
/// let designed = alternate(&tasks, &terms, Noise::Isotropic(1.0), 10)?;
/// assert_eq!(designed.noise, Noise::Isotropic(0.0)); // from the first iteration on:
/// assert_eq!(designed.history[1].noise_trace, 0.0);
/// assert!(designed.after.iter().zip(&designed.before).all(|(after, before)| after < before));
/// # Ok::<(), unswayed::ParameterError>(())
/// ```
pub fn alternate(
    tasks: &[Task],
    terms: &Terms,
    start: Noise,
    iterations: usize,
) -> Result<Designed, ParameterError> {
    crate::sequential::decompose_on_one_thread();
    let dimension = check(tasks, terms, &start)?;
    let mut noise = start;
    let mut history = Vec::with_capacity(2 * iterations);
    let before = bounds(&settings(tasks, terms, noise.trace(dimension))?);
    for _ in 0..iterations {
        let old_trace = noise.trace(dimension);
        let settings = settings(tasks, terms, old_trace)?;
        history.push(Progress {
            half: Half::Certificates,
            objective: objective(&settings, terms, 0.0),
            noise_trace: old_trace,
        });
        noise = cheapest(noise, price(&settings, terms));
        let noise_trace = noise.trace(dimension);
        let objective = objective(&settings, terms, noise_trace - old_trace);
        history.push(Progress { half: Half::Noise, objective, noise_trace });
    }
    let after = bounds(&settings(tasks, terms, noise.trace(dimension))?);
    Ok(Designed { noise, history, before, after })
}

/// Each distribution's setting, of which the best (A, ν) follow in closed form.
fn settings(tasks: &[Task], terms: &Terms, noise_trace: f64) -> Result<Vec<MeanSetting>, ParameterError> {
    let Terms { learning_rate, poison_rate, squared_radius, .. } = *terms;
    tasks
        .iter()
        .map(|task| {
            let trace = trace(&task.covariance, task.mean.len());
            MeanSetting::new(learning_rate, poison_rate, squared_radius, trace, noise_trace)
        })
        .collect()
}

fn bounds(settings: &[MeanSetting]) -> Vec<f64> {
    settings.iter().map(MeanSetting::bound).collect()
}

/// The objective with the best (A_k, ν_k) for the settings' noise, if tr S is changed afterwards: it is linear in S.
fn objective(settings: &[MeanSetting], terms: &Terms, change: f64) -> f64 {
    let total: f64 = settings.iter().map(|s| s.benign_loss() + terms.weight * s.bound()).sum();
    total / settings.len() as f64 + price(settings, terms) * change
}

/// m in M = mI: what a unit of tr S costs.
fn price(settings: &[MeanSetting], terms: &Terms) -> f64 {
    let eta = terms.learning_rate;
    let curvature = settings.iter().map(MeanSetting::curvature).sum::<f64>() / settings.len() as f64;
    eta / (2.0 - eta) + terms.weight * eta * eta * curvature
}

/// argmin over S ⪰ 0 of m·tr S. There is no reward for noise: the price is a sum of positive terms.
fn cheapest(noise: Noise, price: f64) -> Noise {
    match noise {
        kept if price <= 0.0 => kept,
        Noise::None => Noise::None,
        Noise::Isotropic(_) => Noise::Isotropic(0.0),
        Noise::Shaped(matrix) => Noise::Shaped(vec![0.0; matrix.len()]),
    }
}

impl Noise {
    /// tr S in that dimension.
    pub fn trace(&self, dimension: usize) -> f64 {
        match self {
            Noise::None => 0.0,
            Noise::Isotropic(s) => dimension as f64 * s,
            Noise::Shaped(matrix) => trace(matrix, dimension),
        }
    }
}

fn trace(matrix: &[f64], dimension: usize) -> f64 {
    matrix.iter().step_by(dimension + 1).sum()
}

/// The dimension, if everything fits together.
fn check(tasks: &[Task], terms: &Terms, start: &Noise) -> Result<usize, ParameterError> {
    if !(terms.weight >= 0.0 && terms.weight.is_finite()) {
        return Err(ParameterError::new("weight", terms.weight, "it must be finite and not negative"));
    }
    let Some(dimension) = tasks.first().map(|task| task.mean.len()).filter(|d| *d > 0) else {
        let why = "at least one distribution of at least one dimension is needed";
        return Err(ParameterError::new("number of distributions", tasks.len() as f64, why));
    };
    for Task { mean, covariance } in tasks {
        if mean.len() != dimension {
            let why = format!("the first distribution has dimension {dimension}");
            return Err(ParameterError::new("dimension of a distribution", mean.len() as f64, why));
        }
        semidefinite(covariance, dimension, "covariance")?;
    }
    match start {
        Noise::Shaped(matrix) => semidefinite(matrix, dimension, "noise")?,
        Noise::Isotropic(s) => semidefinite(&[*s], 1, "noise")?,
        Noise::None => {}
    }
    Ok(dimension)
}

/// Whether a matrix is symmetric and positive semidefinite, up to rounding.
fn semidefinite(matrix: &[f64], dimension: usize, name: &'static str) -> Result<(), ParameterError> {
    if matrix.len() != dimension * dimension {
        let why = format!("it must have {} entries", dimension * dimension);
        return Err(ParameterError::new(name, matrix.len() as f64, why));
    }
    if let Some(entry) = matrix.iter().find(|entry| !entry.is_finite()) {
        return Err(ParameterError::new(name, *entry, "its entries must be finite"));
    }
    let size = matrix.iter().fold(0.0_f64, |size, entry| size.max(entry.abs()));
    let matrix = Mat::from_fn(dimension, dimension, |i, j| matrix[i * dimension + j]);
    let skew = (&matrix - matrix.transpose()).norm_max();
    if skew > 1e-9 * size {
        return Err(ParameterError::new(name, skew, "it must be symmetric; this is how much it is not"));
    }
    let least =
        matrix.self_adjoint_eigenvalues(Side::Lower).ok().and_then(|all| all.into_iter().reduce(f64::min));
    let least = least.unwrap_or(f64::NAN);
    if least.is_nan() || least < -1e-9 * size {
        let why = "its eigenvalues must not be negative; this is the least";
        return Err(ParameterError::new(name, least, why));
    }
    Ok(())
}

/// Distributions like those of the paper's experiment, as its public code draws them: μ normal of covariance I/10, Σ from the
/// inverse Wishart distribution with scale I and d + 2 degrees of freedom.
pub fn paper_tasks(dimension: usize, count: usize, seed: u64) -> Vec<Task> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| Task {
            mean: (0..dimension).map(|_| 0.1_f64.sqrt() * random.normal()).collect(),
            covariance: inverse_wishart(dimension, dimension + 2, &mut random),
        })
        .collect()
}

/// (GGᵀ)⁻¹ for a matrix G of independent normal numbers, with a column for each degree of freedom.
fn inverse_wishart(dimension: usize, freedom: usize, random: &mut Random) -> Vec<f64> {
    loop {
        let g = Mat::from_fn(dimension, freedom, |_, _| random.normal());
        // Singular with probability 0.
        let Ok(wishart) = (&g * g.transpose()).llt(Side::Lower) else { continue };
        let inverse = wishart.solve(&Mat::<f64>::identity(dimension, dimension));
        let entry = |k: usize| (k / dimension, k % dimension);
        return (0..dimension * dimension)
            .map(entry)
            .map(|(i, j)| f64::midpoint(inverse[(i, j)], inverse[(j, i)]))
            .collect();
    }
}
