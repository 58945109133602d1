//! What a row contributes on its interval, less its quadratic: pieces, places of the maximum, cuts.

use super::base::Base;

/// Parts of a smooth piece at whose ends the largest difference is looked for.
const GRID: f64 = 40.0;

/// A margin at which the program sees a row: u = s − oᵀz, the activity, and the error.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    pub(super) u: f64,
    pub(super) w: f64,
    pub(super) error: f64,
}

/// The numbers of λ that rows see.
pub(super) struct RowNumbers<'a> {
    pub(super) base: &'a Base<'a>,
    pub(super) alpha: f64,
    /// νoᵀz + b̃ᵀz of each row.
    pub(super) fixed: Vec<f64>,
}

/// A part of an interval on which the difference is smooth: ends, the hinge's activity, the error.
struct Piece {
    low: f64,
    high: f64,
    w: Option<f64>,
    error: f64,
}

fn pieces(is_hinge: bool, [low, high]: [f64; 2]) -> impl Iterator<Item = Piece> {
    let piece = |low: f64, high: f64, w, error| Piece { low, high, w, error };
    let all = if is_hinge {
        vec![
            piece(low, high.min(0.0), Some(1.0), 1.0),
            piece(low.max(0.0), high.min(1.0), Some(1.0), 0.0),
            piece(low.max(1.0), high, Some(0.0), 0.0),
        ]
    } else {
        vec![piece(low, high.min(0.0), None, 1.0), piece(low.max(0.0), high, None, 0.0)]
    };
    all.into_iter().filter(|piece| piece.low <= piece.high)
}

/// Evenly spaced cuts on every piece of an interval.
pub(super) fn first_cuts(base: &Base, interval: [f64; 2], o: f64, count: usize) -> Vec<Cut> {
    let mut cuts = vec![];
    for piece in pieces(base.is_hinge, interval) {
        for j in 0..count {
            let s = piece.low + (piece.high - piece.low) * j as f64 / (count - 1) as f64;
            cuts.push(Cut {
                u: s - o,
                w: piece.w.unwrap_or_else(|| base.activity(1.0, s)),
                error: piece.error,
            });
        }
    }
    cuts
}

impl RowNumbers<'_> {
    /// (1−ε)(w(2αku + νoᵀz + b̃ᵀz) + αηn·w²) + error − yu − mu²
    fn difference(&self, i: usize, cut: Cut, y: f64, m: f64) -> f64 {
        let Base { eps, k, eta, squares, .. } = self.base;
        let Cut { u, w, error } = cut;
        let drift = w * (2.0 * self.alpha * k * u + self.fixed[i]) + self.alpha * eta * squares[i] * w * w;
        (1.0 - eps) * drift + error - (y + m * u) * u
    }

    /// The largest difference of each piece, and where.
    pub(super) fn tops(&self, i: usize, interval: [f64; 2], o: f64, y: f64, m: f64) -> Vec<(f64, Cut)> {
        pieces(self.base.is_hinge, interval).map(|piece| self.top(i, &piece, o, y, m)).collect()
    }

    fn top(&self, i: usize, piece: &Piece, o: f64, y: f64, m: f64) -> (f64, Cut) {
        let Base { eps, k, .. } = self.base;
        let at = |s: f64| {
            let w = piece.w.unwrap_or_else(|| self.base.activity(1.0, s));
            let cut = Cut { u: s - o, w, error: piece.error };
            (self.difference(i, cut, y, m), cut)
        };
        let better = |a: (f64, Cut), b: (f64, Cut)| if b.0 > a.0 { b } else { a };
        let ends = better(at(piece.low), at(piece.high));
        if let Some(w) = piece.w {
            let slope = (1.0 - eps) * w * 2.0 * self.alpha * k - y;
            let vertex = o + slope / (2.0 * m);
            return if m > 0.0 && vertex > piece.low && vertex < piece.high {
                better(ends, at(vertex))
            } else {
                ends
            };
        }
        let width = (piece.high - piece.low) / GRID;
        let grid = (1..GRID as usize).map(|j| at(piece.low + width * j as f64));
        let top = grid.fold(ends, better);
        // The vertex of the parabola through the highest point and its neighbours.
        let middle = (o + top.1.u).clamp(piece.low + width, (piece.high - width).max(piece.low + width));
        let [left, right] = [middle - width, middle + width].map(|s| at(s).0);
        let peak = at(middle).0;
        let (slope, bend) = ((right - left) / 2.0, 2.0 * peak - left - right);
        let shift = if bend > 0.0 { (slope / bend).clamp(-1.0, 1.0) * width } else { 0.0 };
        better(top, at((middle + shift).clamp(piece.low, piece.high)))
    }
}
