//! The number C of Lemma L7: what a poisoned point that acts contributes at most, apart from the quadratic.
//!
//! C = D + ν for the hinge loss, and sup over w of Dw² + νw log((1−w)/w) for the logistic one, D = Rτ/2 + αηR². It is convex in
//! (D, ν), and its derivatives are those of the function at the best w.

/// Places that the search for the best w starts from.
const GRID: usize = 64;
const MOST_STEPS: usize = 40;

/// C with its first and second derivatives in D and ν.
pub(super) struct Acting {
    pub value: f64,
    pub first: [f64; 2],
    pub second: [[f64; 2]; 2],
}

/// C for the hinge loss.
pub(super) fn hinge(d: f64, nu: f64) -> Acting {
    Acting { value: d + nu, first: [1.0, 1.0], second: [[0.0; 2]; 2] }
}

/// C for the logistic loss.
pub(super) fn logistic(d: f64, nu: f64) -> Acting {
    let margin = |w: f64| ((1.0 - w) / w).ln();
    let value = |w: f64| d * w * w + nu * w * margin(w);
    let place = |i: usize| (i as f64 + 0.5) / GRID as f64;
    let best = (0..GRID).map(place).max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap_or(0.5);
    let half = 1.0 / GRID as f64;
    let (mut low, mut high) = ((best - half).max(1e-12), (best + half).min(1.0 - 1e-12));
    // Halving the interval where the slope changes its sign.
    let slope = |w: f64| 2.0 * d * w + nu * (margin(w) - 1.0 / (1.0 - w));
    for _ in 0..MOST_STEPS {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    let w = f64::midpoint(low, high);
    let by = [2.0 * w, margin(w) - 1.0 / (1.0 - w)];
    let bend = 2.0 * d - nu * (1.0 / (w * (1.0 - w)) + 1.0 / ((1.0 - w) * (1.0 - w)));
    let reply = if bend < 0.0 { by.map(|by| -by / bend) } else { [0.0; 2] };
    let second = by.map(|by| reply.map(|reply| by * reply));
    Acting { value: value(w), first: [w * w, w * margin(w)], second }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_values() {
        for (d, nu) in [(1.0, 0.5), (0.3, 2.0), (2.0, 0.1), (0.01, 1.0)] {
            let (h, at) = (1e-6, logistic(d, nu));
            let by = |f: &dyn Fn(f64) -> f64| (f(h) - f(-h)) / (2.0 * h);
            let first = [by(&|t| logistic(d + t, nu).value), by(&|t| logistic(d, nu + t).value)];
            let second = [by(&|t| logistic(d + t, nu).first[1]), by(&|t| logistic(d, nu + t).first[1])];
            let near = |a: f64, b: f64| (a - b).abs() < 1e-4 * (1.0 + a.abs());
            assert!(near(at.first[0], first[0]) && near(at.first[1], first[1]), "{d} {nu}");
            assert!(near(at.second[0][1], second[0]) && near(at.second[1][1], second[1]), "{d} {nu}");
        }
    }
}
