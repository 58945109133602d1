//! MINRES (Paige and Saunders): symmetric systems that need not be definite, by products with the matrix alone.

use super::dot;

/// Solves Kx = r where K is symmetric; `product` writes Kv. Scaled from both sides by the roots of `scales` > 0, which should be
/// near the sizes of K's diagonal. Ends when the scaled residual has fallen by `tolerance`, or after so many products.
pub(super) fn minres(
    mut product: impl FnMut(&[f64], &mut [f64]),
    r: &[f64],
    scales: &[f64],
    tolerance: f64,
    most: usize,
) -> Vec<f64> {
    let roots: Vec<f64> = scales.iter().map(|scale| 1.0 / scale.sqrt()).collect();
    let scaled = |v: &[f64]| -> Vec<f64> { v.iter().zip(&roots).map(|(v, root)| v * root).collect() };
    let mut v = scaled(r);
    let first = dot(&v, &v).sqrt();
    let (mut x, n) = (vec![0.0; r.len()], r.len());
    if first == 0.0 || !first.is_finite() {
        return x;
    }
    for v in &mut v {
        *v /= first;
    }
    let (mut before, mut w, mut w_before, mut y) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let (mut beta, mut left, mut d_bar, mut epsilon, mut cos, mut sin) = (0.0, first, 0.0, 0.0, -1.0, 0.0);
    for _ in 0..most {
        product(&scaled(&v), &mut y);
        y.iter_mut().zip(&roots).zip(&before).for_each(|((y, root), b)| *y = *y * root - beta * b);
        let alpha = dot(&v, &y);
        y.iter_mut().zip(&v).for_each(|(y, v)| *y -= alpha * v);
        let next = dot(&y, &y).sqrt();
        // The rotation before, and the one that removes the new entry below the diagonal.
        let (old, delta, g) = (epsilon, cos * d_bar + sin * alpha, sin * d_bar - cos * alpha);
        (epsilon, d_bar) = (sin * next, -cos * next);
        let gamma = g.hypot(next).max(f64::MIN_POSITIVE);
        (cos, sin) = (g / gamma, next / gamma);
        for i in 0..n {
            let moved = (v[i] - old * w_before[i] - delta * w[i]) / gamma;
            (w_before[i], w[i]) = (w[i], moved);
            x[i] += cos * left * moved;
        }
        left *= sin;
        if left <= tolerance * first || next == 0.0 {
            break;
        }
        std::mem::swap(&mut before, &mut v);
        v.iter_mut().zip(&y).for_each(|(v, y)| *v = y / next);
        beta = next;
    }
    scaled(&x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An indefinite system with scales of very different sizes.
    #[test]
    fn an_indefinite_system_is_solved() {
        let matrix = [[4e4, 3.0, 0.5], [3.0, -2.0, 0.1], [0.5, 0.1, 1e-3]];
        let product = |v: &[f64], out: &mut [f64]| {
            out.iter_mut().zip(&matrix).for_each(|(out, row)| *out = dot(row, v));
        };
        let x = minres(product, &[1.0, 2.0, 3.0], &[4e4, 2.0, 1e-3], 1e-14, 20);
        let mut back = [0.0; 3];
        product(&x, &mut back);
        assert!(back.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{back:?}");
    }
}
