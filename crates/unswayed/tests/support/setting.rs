//! Data, learner and adversary together.

use unswayed::certify::convexity::Problem;
use unswayed::{Dataset, Hinge, Threat};

use super::random::Random;
use super::{norm, scaled};

/// A hinge learner on data, and its adversary.
#[derive(Clone, Debug)]
pub struct Setting {
    pub data: Dataset,
    pub eta: f64,
    pub sigma: f64,
    pub eps: f64,
    pub radius: f64,
}

impl Setting {
    pub fn hinge(&self) -> Hinge {
        Hinge::new(self.eta, self.sigma).expect("a learner")
    }

    pub fn threat(&self) -> Threat {
        Threat::new(self.eps).and_then(|t| t.with_radius(self.radius)).expect("a threat")
    }

    pub fn problem(&self) -> Problem<'_> {
        Problem::new(&self.data, &self.hinge(), &self.threat())
    }

    /// The setting as the exact checker has it.
    pub fn learner(&self) -> unswayed_check::Learner {
        unswayed_check::Learner::Hinge(unswayed_check::Hinge {
            learning_rate: self.eta,
            regularization: self.sigma,
            poison_rate: self.eps,
            radius: self.radius,
        })
    }

    /// k = 1 − ησ.
    pub fn k(&self) -> f64 {
        1.0 - self.eta * self.sigma
    }

    /// The largest norm of a point that anybody sends.
    pub fn largest(&self) -> f64 {
        self.data.iter().map(norm).fold(self.radius, f64::max)
    }

    /// Small data of every kind and parameters over the whole range.
    pub fn random(random: &mut Random, most_rows: usize, most_columns: usize) -> Setting {
        let data = data(random, most_rows, most_columns);
        let eps = match random.below(10) {
            0 => 0.0,
            1 => 0.9,
            2..5 => random.within(0.0, 0.5),
            _ => random.log(1e-3, 0.5),
        };
        let radius = match random.below(8) {
            0 => 0.0,
            1 => random.within(0.0, 3.0),
            2 => 3.0,
            3 => random.log(1e-3, 1.0),
            _ => 1.0,
        };
        Setting { data, eta: random.log(1e-5, 0.5), sigma: random.log(1e-4, 1.5), eps, radius }
    }

    /// Data with a pattern to learn, and parameters at which the bound is neither trivial nor useless.
    pub fn moderate(random: &mut Random) -> Setting {
        let (n, d) = (1 + random.below(6), 1 + random.below(3));
        let data = rows(random, n, d, Kind::Clusters);
        Setting {
            data: Dataset::from_rows(data, d, None).expect("rows"),
            eta: random.log(1e-3, 0.1),
            sigma: random.log(0.02, 0.5),
            eps: random.log(0.01, 0.2),
            radius: 1.0,
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Gaussian,
    Clusters,
    Duplicates,
    Tiny,
    UnitNorm,
    Mixed,
}

fn data(random: &mut Random, most_rows: usize, most_columns: usize) -> Dataset {
    let (n, d) = (1 + random.below(most_rows), 1 + random.below(most_columns));
    let kinds = [Kind::Gaussian, Kind::Clusters, Kind::Duplicates, Kind::Tiny, Kind::UnitNorm, Kind::Mixed];
    let kind = *random.pick(&kinds);
    let z = rows(random, n, d, kind);
    let weights = random.chance(0.3).then(|| {
        let mut weights: Vec<f64> =
            (0..n).map(|_| if random.chance(0.2) { 0.0 } else { random.log(1e-3, 1e3) }).collect();
        weights[0] = 1.0;
        weights
    });
    Dataset::from_rows(z, d, weights).expect("rows")
}

fn rows(random: &mut Random, n: usize, d: usize, kind: Kind) -> Vec<f64> {
    let center = random.gaussian(d);
    let center = scaled(&center, random.within(0.3, 0.8) / norm(&center).max(1e-9));
    let mut z: Vec<Vec<f64>> = Vec::new();
    for i in 0..n {
        let mut row = random.gaussian(d);
        match kind {
            Kind::Gaussian => row = scaled(&row, 0.7 / (d as f64).sqrt()),
            Kind::Clusters => row.iter_mut().zip(&center).for_each(|(z, c)| *z = c + 0.2 * *z),
            Kind::Duplicates if i > 0 && random.chance(0.7) => row.clone_from(random.pick(&z)),
            Kind::Tiny => row = scaled(&row, random.log(1e-9, 1e-2)),
            Kind::Mixed => match random.below(4) {
                0 => row.fill(0.0),
                1 => row = scaled(&row, random.log(1e-9, 1.0)),
                2 if i > 0 => row = scaled(&z[random.below(i)], -1.0),
                _ => {}
            },
            Kind::UnitNorm | Kind::Duplicates => row = scaled(&row, 1.0 / norm(&row).max(1e-9)),
        }
        z.push(row);
    }
    z.concat()
}
