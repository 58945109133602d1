//! Symmetric 2×2 matrices: the cone P ⪰ 0 of the program.

use super::super::dense::hypot;

/// [[a, b], [b, c]].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Sym2 {
    pub a: f64,
    pub b: f64,
    pub c: f64,
}

impl Sym2 {
    /// [[a, b], [b, c]].
    pub fn new(a: f64, b: f64, c: f64) -> Self {
        Sym2 { a, b, c }
    }

    /// ac − b².
    pub fn det(self) -> f64 {
        // One rounding less than a*c − b*b, which matters when P is nearly singular.
        let product = self.b * self.b;
        self.a.mul_add(self.c, -product) - self.b.mul_add(self.b, -product)
    }

    /// a − b²/c.
    pub fn schur(self) -> f64 {
        self.det() / self.c
    }

    /// Whether the matrix is positive definite.
    pub fn is_positive(self) -> bool {
        self.a > 0.0 && self.c > 0.0 && self.det() > 0.0
    }

    /// The inverse.
    pub fn inverse(self) -> Self {
        let det = self.det();
        Sym2::new(self.c / det, -self.b / det, self.a / det)
    }

    /// scale·self.
    pub fn scaled(self, scale: f64) -> Self {
        Sym2::new(scale * self.a, scale * self.b, scale * self.c)
    }

    /// tr(self·other).
    pub fn inner(self, other: Self) -> f64 {
        self.a * other.a + 2.0 * self.b * other.b + self.c * other.c
    }

    /// self + step·other.
    pub fn moved(self, other: Self, step: f64) -> Self {
        Sym2::new(self.a + step * other.a, self.b + step * other.b, self.c + step * other.c)
    }

    /// The symmetric part of X·M·Y for symmetric X, M, Y (with X = self).
    pub fn sandwich(self, m: Self, y: Self) -> Self {
        let (x11, x12, x22) = (self.a, self.b, self.c);
        // X·M
        let (n11, n12) = (x11 * m.a + x12 * m.b, x11 * m.b + x12 * m.c);
        let (n21, n22) = (x12 * m.a + x22 * m.b, x12 * m.b + x22 * m.c);
        // (X·M)·Y
        let (r11, r12) = (n11 * y.a + n12 * y.b, n11 * y.b + n12 * y.c);
        let (r21, r22) = (n21 * y.a + n22 * y.b, n21 * y.b + n22 * y.c);
        Sym2::new(r11, f64::midpoint(r12, r21), r22)
    }

    /// The longest step t for which self + t·direction stays positive semidefinite (self positive definite).
    pub fn longest_step(self, direction: Self) -> f64 {
        // Smallest eigenvalue of L⁻¹·direction·L⁻ᵀ with self = LLᵀ.
        let l11 = self.a.sqrt();
        let l21 = self.b / l11;
        let l22 = self.schur_lower().sqrt();
        let m11 = direction.a / self.a;
        let m12 = (direction.b - l21 * direction.a / l11) / (l11 * l22);
        let cross = direction.c - 2.0 * l21 / l11 * direction.b + (l21 / l11) * (l21 / l11) * direction.a;
        let m22 = cross / (l22 * l22);
        let mean = f64::midpoint(m11, m22);
        let smallest = mean - hypot((m11 - m22) / 2.0, m12);
        if smallest < 0.0 { -1.0 / smallest } else { f64::INFINITY }
    }

    /// c − b²/a.
    fn schur_lower(self) -> f64 {
        self.det() / self.a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_step_ends_on_the_boundary() {
        let p = Sym2::new(2.0, -0.5, 1.0);
        for d in [Sym2::new(-1.0, 0.3, 0.2), Sym2::new(0.5, 2.0, 0.1), Sym2::new(1.0, 0.0, -4.0)] {
            let t = p.longest_step(d);
            assert!(p.moved(d, t).det().abs() < 1e-12, "{d:?}");
            assert!(p.moved(d, 0.999 * t).is_positive());
        }
        assert!(p.longest_step(Sym2::new(1.0, 0.0, 1.0)).is_infinite());
    }

    #[test]
    fn sandwich_with_the_inverse_is_the_identity() {
        let p = Sym2::new(3.0, 1.0, 2.0);
        let r = p.sandwich(p.inverse(), Sym2::new(1.0, 0.0, 1.0));
        assert!((r.a - 1.0).abs() < 1e-15 && r.b.abs() < 1e-15 && (r.c - 1.0).abs() < 1e-15);
    }
}
