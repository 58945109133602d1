//! The points that the adversary may send.

use std::path::Path;

use unswayed::Dataset;
use unswayed::check::Set;
use unswayed::data::{
    LabelPolicy, Options, Source, box_around, box_of, ellipsoid_around, ellipsoid_of, flips, load,
};

use crate::args::Adversary;
use crate::{Stop, input};

/// The set that is meant, around the data where it is not given.
pub fn of(adversary: &Adversary, data: &[&Dataset], radius: f64) -> Result<Set, Stop> {
    let columns = data[0].dimension();
    Ok(match adversary {
        Adversary::Ball => Set::Ball { radius },
        Adversary::Box(None) => Set::Box { radii: box_around(data) },
        Adversary::Box(Some(text)) => Set::Box { radii: radii(text, columns)? },
        Adversary::Ellipsoid(None) => Set::Ellipsoid { q: ellipsoid_around(data)? },
        Adversary::Ellipsoid(Some(path)) => {
            let q = samples(path)?;
            alike(path, columns, q.dimension())?;
            Set::Ellipsoid { q: ellipsoid_of(&q)? }
        }
        Adversary::Points(path) => {
            let options =
                Options { labels: LabelPolicy::Premultiplied, scale: Some(1.0), ..Options::default() };
            let points = load(&Source::path(path), &options)?;
            alike(path, columns, points.dimension())?;
            Set::Points { points: points.z().to_vec() }
        }
        Adversary::Flips => Set::Points { points: flips(data) },
        Adversary::Labels => Set::Labels,
        Adversary::Any => Set::Any,
    })
}

/// One radius for all columns, or one for each.
fn radii(text: &str, columns: usize) -> Result<Vec<f64>, Stop> {
    let radii = input::vector(text, "--adversary box")?;
    box_of(radii, columns).map_err(|error| Stop(format!("--adversary box: {error}")))
}

/// Rows of any norm, without labels.
fn samples(path: &Path) -> Result<Dataset, Stop> {
    let options = Options { labels: LabelPolicy::Absent, ..Options::default() };
    Ok(load(&Source::path(path), &options)?)
}

fn alike(path: &Path, expected: usize, found: usize) -> Result<(), Stop> {
    if found == expected {
        return Ok(());
    }
    let path = path.display();
    Err(Stop(format!("{path}: there are {found} columns, the data have {expected}; they must be alike")))
}
