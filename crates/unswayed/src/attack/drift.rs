//! Nature's choice between datasets, as the worst mixture of them.

use crate::error::AttackError;

/// How far a mixture is moved towards a dataset, again and again while that helps.
const MOVES: [f64; 3] = [0.25, 0.1, 0.04];

/// A mixture with a large value: the best of the single datasets, the pairs and the even mixture, improved by small moves.
pub(super) fn worst_mixture(
    datasets: usize,
    value: impl Fn(&[f64]) -> Result<f64, AttackError>,
) -> Result<Vec<f64>, AttackError> {
    let of = |members: &[usize]| -> Vec<f64> {
        let share = |i| if members.contains(&i) { 1.0 / members.len() as f64 } else { 0.0 };
        (0..datasets).map(share).collect()
    };
    if datasets == 1 {
        return Ok(vec![1.0]);
    }
    let mut candidates: Vec<Vec<f64>> = (0..datasets).map(|i| single(datasets, i)).collect();
    candidates.extend((0..datasets).flat_map(|i| (0..i).map(move |j| [i, j])).map(|pair| of(&pair)));
    if datasets > 2 {
        candidates.push(vec![1.0 / datasets as f64; datasets]);
    }
    let mut best = (f64::NEG_INFINITY, Vec::new());
    let try_out = |mixture: Vec<f64>, best: &mut (f64, Vec<f64>)| -> Result<(), AttackError> {
        let value = value(&mixture)?;
        if value > best.0 {
            *best = (value, mixture);
        }
        Ok(())
    };
    for mixture in candidates {
        try_out(mixture, &mut best)?;
    }
    for length in MOVES {
        let mut before = f64::NEG_INFINITY;
        while best.0 > before {
            before = best.0;
            for i in 0..datasets {
                try_out(moved(&best.1, i, length), &mut best)?;
            }
        }
    }
    Ok(best.1)
}

/// Dataset i alone.
pub(super) fn single(datasets: usize, i: usize) -> Vec<f64> {
    (0..datasets).map(|j| if i == j { 1.0 } else { 0.0 }).collect()
}

/// More of dataset i.
fn moved(mixture: &[f64], i: usize, share: f64) -> Vec<f64> {
    let entry = |(j, q): (usize, &f64)| (1.0 - share) * q + if i == j { share } else { 0.0 };
    mixture.iter().enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixture_inside_the_simplex_is_found() {
        let aim = [0.2, 0.7, 0.1];
        let value = |q: &[f64]| Ok(-q.iter().zip(aim).map(|(q, a)| (q - a).powi(2)).sum::<f64>());
        let found = worst_mixture(3, value).unwrap();
        assert!(found.iter().zip(aim).all(|(q, a)| (q - a).abs() < 0.06), "{found:?}");
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
