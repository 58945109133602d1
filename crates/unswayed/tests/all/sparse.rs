//! Sparse rows: the bounds of the rows written out, attacks below them, and time that grows with the entries.

use unswayed::attack::{Attack, Suite};
use unswayed::certify::Outcome;
use unswayed::{Dataset, Problem, ProblemBuilder, certify};
use unswayed_check::{Evidence, Rows, check};
use unswayed_data::{LabelPolicy, Pattern, Reading, Table};

/// The sample's rows as sparse rows with columns between that are 0.
fn sparse_sample(rows: usize) -> (Dataset, Dataset) {
    let dense = unswayed::data::sample().unwrap().first(rows).unwrap();
    let d = dense.dimension();
    let starts = (0..=rows).map(|i| i * d).collect();
    let columns = (0..rows).flat_map(|_| (0..d as u32).map(|j| 3 * j + 1)).collect();
    let pattern = Pattern::new(starts, columns, 200).unwrap();
    let table = Table::sparse(dense.z().to_vec(), pattern, 200);
    let sparse = table.into_dataset(&Reading::labels(LabelPolicy::Premultiplied)).unwrap();
    (dense, sparse)
}

fn problem(data: &Dataset, loss: &str, poison_rate: f64) -> Problem {
    let builder: ProblemBuilder = Problem::builder(data.clone()).loss(loss.parse().unwrap());
    builder.learning_rate(1e-3).regularization(0.01).poison_rate(poison_rate).build().unwrap()
}

fn certified(problem: &Problem) -> Outcome {
    let outcome = certify(problem).unwrap();
    let rows = [Rows::of(&problem.data()[0])];
    check(&outcome.certificate, &Evidence { data: &rows, target: None }).unwrap();
    outcome
}

#[test]
fn bounds_are_those_of_the_rows_written_out() {
    let (dense, sparse) = sparse_sample(200);
    // For the hinge loss the other solver also has a form for bounded ranges, which is a little better.
    for (loss, eps, tolerance) in
        [("logistic", 0.05, 1e-6), ("logistic", 0.0, 1e-4), ("hinge", 0.02, 1e-3), ("hinge", 0.05, 1e-3)]
    {
        let wanted = certified(&problem(&dense, loss, eps));
        let found = certified(&problem(&sparse, loss, eps));
        let off = found.certified_loss / wanted.certified_loss - 1.0;
        assert!(off.abs() < tolerance, "{loss} {eps}: {} {}", found.certified_loss, wanted.certified_loss);
        assert!((found.benign.loss - wanted.benign.loss).abs() < 1e-3, "{loss} {eps}");
        if loss == "hinge" {
            let errors = (found.certified_error.unwrap(), wanted.certified_error.unwrap());
            assert!(errors.0 < 1.01 * errors.1, "{errors:?}");
        }
    }
}

#[test]
fn attacks_stay_below_the_bounds_and_come_near() {
    let (_, sparse) = sparse_sample(200);
    for loss in ["hinge", "logistic"] {
        let problem = problem(&sparse, loss, 0.05);
        let bound = certified(&problem).certified_loss;
        let suite = Suite::new(&problem).unwrap();
        let attacked = suite.run(&[Attack::LabelFlip, Attack::SteadyState]).unwrap();
        for one in &attacked {
            let loss = one.simulated.loss;
            assert!(loss.low() <= bound, "{loss:?} {bound}");
            assert!(loss.mean > suite.benign().loss, "{loss:?}");
        }
        let best = attacked[1].simulated.loss.mean;
        assert!(best > 0.75 * bound, "{loss}: {best} {bound}");
        assert!(suite.run(&[Attack::Pgd]).unwrap_err().to_string().contains("sparse rows"));
    }
}

/// 1500 rows in a million columns: no vector of that length is made, and no matrix.
#[test]
fn columns_that_do_not_occur_cost_nothing() {
    let (mut starts, mut columns, mut values) = (vec![0], vec![], vec![]);
    let mut state = 7_u64;
    for i in 0..1500 {
        let mut row: Vec<u32> = (0..12)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let word = (state >> 33) as u32 % if state & 1 == 0 { 50 } else { 1 << 20 };
                if word < 50 { 2 * word + i % 2 } else { word }
            })
            .collect();
        row.sort_unstable();
        row.dedup();
        let size = 1.0 / (row.len() as f64).sqrt();
        values.extend(row.iter().map(|_| if i % 2 == 0 { size } else { -size }));
        columns.extend(row);
        starts.push(columns.len());
    }
    let entries = values.len();
    let table = Table::sparse(values, Pattern::new(starts, columns, 1 << 20).unwrap(), 1 << 20);
    let data = table.into_dataset(&Reading::labels(LabelPolicy::Premultiplied)).unwrap();
    assert!(data.dimension() <= entries);
    let outcome = certified(&problem(&data, "hinge", 0.01));
    assert!(outcome.certified_loss < 1.0, "{}", outcome.certified_loss);
    let file = serde_json::to_string(&outcome.certificate).unwrap();
    assert!(file.len() < 40 * entries, "{} bytes for {entries} entries", file.len());
}
