//! The preprocessing: what it promises, what it refuses, and the stored transform.

use unswayed::Dataset;
use unswayed::data::Features;
use unswayed::prepare::{PrepareError, Transform};

/// Pseudo-random rows with a few strong directions, far from the origin.
fn features(rows: usize, columns: usize, seed: u64) -> Features {
    let mut state = seed;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    let mut x = Vec::new();
    for _ in 0..rows {
        let strong = [random() * 20.0, random() * 7.0];
        for j in 0..columns {
            let pattern = strong[0] * (j as f64).cos() + strong[1] * (1.7 * j as f64).sin();
            x.push(5.0 + pattern + random() * 0.5);
        }
    }
    Features::from_rows(x, columns).unwrap()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn training_rows_are_centred_and_fill_the_unit_ball() {
    let train = features(200, 40, 1);
    let (transform, prepared) = Transform::fit(&train, 5).unwrap();
    assert_eq!((transform.directions(), transform.columns(), prepared.dimension), (5, 40, 6));
    assert_eq!(prepared.shortened, 0);
    assert!(transform.kept() > 0.99 && transform.kept() <= 1.0 + 1e-12, "{}", transform.kept());
    let norms: Vec<f64> = prepared.x.chunks(6).map(|row| dot(row, row)).collect();
    assert!(norms.iter().all(|n| *n <= 1.0) && norms.iter().any(|n| *n > 1.0 - 1e-9));
    for j in 0..5 {
        let mean: f64 = prepared.x.chunks(6).map(|row| row[j]).sum::<f64>() / 200.0;
        assert!(mean.abs() < 1e-9, "{mean}");
    }
    // The bias is the same for all rows, and the checks of the data accept them.
    assert!(prepared.x.chunks(6).all(|row| row[5].to_bits() == prepared.x[5].to_bits()));
    assert!(Dataset::from_rows(prepared.x, 6, None).unwrap().largest_norm() <= 1.0);
}

#[test]
fn the_directions_keep_as_much_as_any_can() {
    // By power iteration on FᵀF with deflation, as an independent computation.
    let train = features(60, 12, 2);
    let (_, prepared) = Transform::fit(&train, 3).unwrap();
    let rows: Vec<&[f64]> = train.x.chunks(12).collect();
    let mut found: Vec<Vec<f64>> = Vec::new();
    for start in 0..3 {
        let mut v: Vec<f64> = (0..12).map(|j| 1.0 + f64::from((j * 7 + start) % 5)).collect();
        for _ in 0..3000 {
            for old in &found {
                let along = dot(&v, old);
                v.iter_mut().zip(old).for_each(|(v, o)| *v -= along * o);
            }
            let mut next = vec![0.0; 12];
            for row in &rows {
                let score = dot(row, &v);
                next.iter_mut().zip(*row).for_each(|(n, x)| *n += score * x);
            }
            let norm = dot(&next, &next).sqrt();
            v = next.iter().map(|x| x / norm).collect();
        }
        found.push(v);
    }
    // Centred coordinates agree up to the common scale and the sign of each direction.
    let centred = |v: &[f64]| {
        let scores: Vec<f64> = rows.iter().map(|row| dot(row, v)).collect();
        let mean = scores.iter().sum::<f64>() / 60.0;
        scores.iter().map(|s| s - mean).collect::<Vec<f64>>()
    };
    let ours = |j: usize| prepared.x.chunks(4).map(|row| row[j]).collect::<Vec<f64>>();
    let scale = (dot(&ours(1), &ours(1)) / dot(&centred(&found[1]), &centred(&found[1]))).sqrt();
    for (j, direction) in found.iter().enumerate() {
        let (a, b) = (ours(j), centred(direction));
        let cosine = dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt();
        assert!((cosine.abs() - 1.0).abs() < 1e-6, "direction {j}: {cosine}");
        assert!((dot(&a, &a) / dot(&b, &b) / (scale * scale) - 1.0).abs() < 1e-6);
    }
}

#[test]
fn other_rows_are_treated_the_same_and_shortened_if_need_be() {
    let all = features(100, 10, 3);
    let train = Features::from_rows(all.x[..800].to_vec(), 10).unwrap();
    let (transform, prepared) = Transform::fit(&train, 4).unwrap();
    // Training rows, if allowed, come out as they did in the fit.
    assert_eq!(transform.apply(&train, true).unwrap(), prepared);
    let mut x = all.x[800..].to_vec();
    x[..10].iter_mut().for_each(|x| *x *= 50.0);
    let test = transform.apply(&Features::from_rows(x, 10).unwrap(), false).unwrap();
    assert!(test.shortened >= 1);
    assert!(test.x.chunks(5).all(|row| dot(row, row) <= 1.0));
}

#[test]
fn leaks_and_nonsense_are_refused() {
    let train = features(50, 10, 4);
    let (transform, _) = Transform::fit(&train, 3).unwrap();
    let mut mixed = features(5, 10, 5).x;
    mixed.extend_from_slice(&train.x[70..90]);
    let mixed = Features::from_rows(mixed, 10).unwrap();
    assert_eq!(transform.apply(&mixed, false), Err(PrepareError::Leak { count: 2, rows: 7, first: 5 }));
    assert!(transform.apply(&mixed, true).is_ok());
    let narrow = features(5, 9, 6);
    assert_eq!(transform.apply(&narrow, false), Err(PrepareError::Columns { expected: 10, found: 9 }));
    assert_eq!(Transform::fit(&train, 0).unwrap_err(), PrepareError::NoDirections);
    assert!(matches!(Transform::fit(&train, 11), Err(PrepareError::TooManyDirections { most: 10, .. })));
    let same = Features::from_rows([1.0, 2.0].repeat(5), 2).unwrap();
    assert_eq!(Transform::fit(&same, 1).unwrap_err(), PrepareError::NoVariance);
}

#[test]
fn the_file_comes_back_and_damage_is_noticed() {
    let (transform, _) = Transform::fit(&features(50, 10, 7), 3).unwrap();
    let bytes = transform.to_bytes();
    assert_eq!(Transform::from_bytes(&bytes).unwrap(), transform);
    for cut in (0..bytes.len()).step_by(7) {
        assert!(Transform::from_bytes(&bytes[..cut]).is_err());
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let at = text.find("\"unswayed-transform\":\"1\"").unwrap() + 22;
    let mut newer = bytes.clone();
    newer[at] = b'9';
    assert!(Transform::from_bytes(&newer).unwrap_err().to_string().contains("version 9"));
    // No single changed byte makes it panic.
    for i in 0..bytes.len().min(3000) {
        let mut changed = bytes.clone();
        changed[i] ^= 0x55;
        let _ = Transform::from_bytes(&changed);
    }
}
