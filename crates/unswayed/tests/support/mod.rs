//! What the soundness tests share: random settings, the bounds in plain floating point, and the one-step residual.
#![allow(dead_code)] // every test file uses a part of it

pub mod formula;
pub mod linear;
pub mod random;
pub mod residual;
pub mod setting;
pub mod witness;

/// xᵀy.
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Σ |x_i y_i|.
pub fn dot_abs(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x * y).abs()).sum()
}

/// ‖x‖.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// c·x.
pub fn scaled(x: &[f64], c: f64) -> Vec<f64> {
    x.iter().map(|x| c * x).collect()
}

/// x + c·y.
pub fn moved(x: &[f64], c: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + c * y).collect()
}
