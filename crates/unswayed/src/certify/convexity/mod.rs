//! The convexity certificate.
mod cone;
mod envelope;
mod guards;
mod outer;
mod problem;
mod rows;
mod solve;
mod theorem;
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub enum Witness {
    Convexity { alpha: f64, beta: Vec<f64>, tau: f64, nu: f64, u: Vec<f64> },
    BoundedRange { alpha: f64, beta: Vec<f64>, tau: f64, nu: f64, mu: f64, ball: f64, reach: Vec<f64>, y: Vec<f64> },
    ZeroOne { alpha: f64, beta: Vec<f64>, tau: f64, nu: f64, u: Vec<f64>, u2: Vec<f64>, c: Vec<f64> },
}
impl Witness {
    fn shared(&self) -> (f64, &[f64], f64, f64) {
        match self {
            Self::Convexity { alpha, beta, tau, nu, .. } | Self::BoundedRange { alpha, beta, tau, nu, .. } | Self::ZeroOne { alpha, beta, tau, nu, .. } => (*alpha, beta, *tau, *nu),
        }
    }
    fn range(&self) -> (f64, f64) {
        if let Self::BoundedRange { mu, ball, .. } = self { (*mu, *ball) } else { (0.0, 0.0) }
    }
}
pub use problem::Problem;
use envelope::*;
use solve::solve;
#[allow(missing_docs)]
pub struct Found { pub witness: Witness, pub converged: bool, pub gap: f64, pub steps: usize, pub bound: f64 }
#[allow(missing_docs)]
pub fn run(problem: &Problem, form: usize) -> Found {
    let n = problem.rows();
    let share = |x: &outer::Point| (x.x[0], x.x[4..].to_vec(), x.x[1].max(f64::MIN_POSITIVE), x.x[2]);
    let (witness, converged, gap, steps) = match form {
        0 => {
            let s = solve(problem, WholeLine, None, None);
            let (alpha, beta, tau, nu) = share(&s.point);
            let kappa = problem.kappa_of_alpha() * alpha - 1.0;
            let u = (0..n).map(|i| (s.rows.local(i)[1] / kappa).clamp(0.0, 1.0)).collect();
            (Witness::Convexity { alpha, beta, tau, nu, u }, s.converged, s.gap, s.steps)
        }
        1 => {
            let ball = problem.ball();
            let reach: Vec<f64> = problem.squared_norms.iter().map(|n| ball * n.sqrt() * (1.0 + 8.0 * f64::EPSILON)).collect();
            let keep: Vec<bool> = reach.iter().map(|h| *h >= 1.0).collect();
            let sub = problem.without_always_active(&keep);
            let s = solve(&sub, BoundedRange { reach: reach.iter().copied().filter(|h| *h >= 1.0).collect() }, Some(ball), None);
            let (alpha, beta, tau, nu) = share(&s.point);
            let kappa = problem.kappa_of_alpha() * alpha - 1.0;
            let mut next = 0;
            let y = keep.iter().map(|k| if *k { next += 1; s.rows.local(next - 1)[1] } else { kappa }).collect();
            (Witness::BoundedRange { alpha, beta, tau, nu, mu: s.point.x[3], ball, reach, y }, s.converged, s.gap, s.steps)
        }
        _ => {
            let s = solve(problem, ZeroOne, None, None);
            let (alpha, beta, tau, nu) = share(&s.point);
            let kappa = problem.kappa_of_alpha() * alpha - 1.0;
            let c: Vec<f64> = (0..n).map(|i| s.rows.local(i)[3].clamp(0.0, 1.0)).collect();
            let u = (0..n).map(|i| (s.rows.local(i)[1] / (kappa + c[i])).clamp(0.0, 1.0)).collect();
            let u2 = (0..n).map(|i| (s.rows.local(i)[2] / (1.0 - c[i])).clamp(0.0, 1.0)).collect();
            (Witness::ZeroOne { alpha, beta, tau, nu, u, u2, c }, s.converged, s.gap, s.steps)
        }
    };
    let bound = theorem::bound(problem, &witness);
    Found { witness, converged, gap, steps, bound }
}
