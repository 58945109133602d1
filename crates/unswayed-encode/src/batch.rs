//! Many rows on all cores, with results that do not depend on how many there are.

use rayon::prelude::*;

use crate::error::EncodeError;

/// Rows that are worked on before an error among them ends the work.
const CHUNK: usize = 64;

/// Does the work for each row, in parallel; the first row that fails is the error.
pub fn each<T: Sync, R: Send>(
    rows: &[T],
    work: impl Fn(&T) -> Result<R, EncodeError> + Sync,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<R>, EncodeError> {
    let mut results = Vec::with_capacity(rows.len());
    for chunk in rows.chunks(CHUNK) {
        let one = |row| {
            let result = work(row);
            done();
            result
        };
        let finished: Vec<Result<R, EncodeError>> = chunk.par_iter().map(one).collect();
        for result in finished {
            results.push(result?);
        }
    }
    Ok(results)
}
