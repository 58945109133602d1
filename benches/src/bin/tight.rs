//! How far certificates are above attacks: certified loss over attack loss in five settings on the first 500 rows of each file.
//!
//! `cargo run --release -p unswayed-benches --bin tight [FEATURES.npy …]`: without files, those of `experiments/data`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use unswayed::attack::Suite;
use unswayed::data::{Reading, Source, load};
use unswayed::{Dataset, Problem, certify};

/// Learning rate, regularization and poison rate.
const SETTINGS: [[f64; 3]; 5] =
    [[1e-4, 0.01, 0.01], [1e-4, 0.01, 0.05], [1e-3, 0.03, 0.05], [5e-5, 0.003, 0.05], [5e-3, 0.06, 0.03]];

const FILES: [&str; 2] = ["mnist_1v7_train_x.npy", "fashion_5v9_train_x.npy"];

const ROWS: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let mut files: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/data");
        files = FILES.iter().map(|file| folder.join(file)).collect();
    }
    println!(
        "| data | η | σ | ε | certified loss | attack loss | gap | certified error | attack error | attack s |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut gaps = vec![];
    for file in &files {
        let data = rows(file)?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().replace("_train_x", "");
        for setting in SETTINGS {
            gaps.push(row(&name, &data, setting)?);
        }
    }
    let mean = (gaps.iter().map(|gap: &f64| gap.ln()).sum::<f64>() / gaps.len() as f64).exp();
    let worst = gaps.iter().copied().fold(0.0, f64::max);
    println!("\ngeometric mean of the gaps {mean:.4}, largest {worst:.4}");
    Ok(())
}

/// One line of the table; its gap. The attack is taken where the learner settles, as the certificate is at a small learning rate.
fn row(name: &str, data: &Dataset, [eta, sigma, eps]: [f64; 3]) -> Result<f64, Box<dyn Error>> {
    let builder = Problem::builder(data.clone()).learning_rate(eta).regularization(sigma);
    let problem = builder.poison_rate(eps).build()?;
    let outcome = certify(&problem)?;
    let began = Instant::now();
    let suite = Suite::new(&problem)?;
    let loss = suite.settled()?;
    let seconds = began.elapsed().as_secs_f64();
    let error = suite.settled_error()?.unwrap_or(f64::NAN);
    let gap = outcome.certified_loss / loss;
    println!(
        "| {name} | {eta} | {sigma} | {eps} | {:.5} | {loss:.5} | {gap:.4} | {:.4} | {error:.4} | {seconds:.1} |",
        outcome.certified_loss,
        outcome.certified_error.unwrap_or(f64::NAN),
    );
    Ok(gap)
}

/// The first rows of features whose labels are beside them.
fn rows(file: &Path) -> Result<Dataset, Box<dyn Error>> {
    let labels = file.to_string_lossy().replace("_x.npy", "_y.npy");
    let source = Source::path(file).labels(labels);
    Ok(load(&source, &Reading { rows: Some(ROWS), ..Reading::default() })?)
}
