//! A small real dataset that is part of the library.

use super::{DataError, Dataset, Reading, Source, load};

/// Features of MNIST digits 1 and 7, see `sample/README.md`.
const TRAIN: &[u8] = include_bytes!("sample/mnist_1v7.npz");
const TEST: &[u8] = include_bytes!("sample/mnist_1v7_test.npz");

/// 500 pictures of the digits 1 (−1) and 7 (+1) from MNIST's training part, as 31 features each.
///
/// # Errors
///
/// None in practice: the data is part of the library.
///
/// ```
/// let data = unswayed::data::sample()?;
/// assert_eq!((data.rows(), data.dimension()), (500, 31));
/// assert!(data.largest_norm() <= 1.0);
/// # Ok::<(), unswayed::data::DataError>(())
/// ```
pub fn sample() -> Result<Dataset, DataError> {
    load(&Source::bytes("mnist_1v7.npz", TRAIN), &Reading::default())
}

/// 500 pictures of the same digits from MNIST's test part.
///
/// # Errors
///
/// None in practice: the data is part of the library.
pub fn sample_test() -> Result<Dataset, DataError> {
    load(&Source::bytes("mnist_1v7_test.npz", TEST), &Reading::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_one_described() {
        let (train, test) = (sample().unwrap(), sample_test().unwrap());
        for data in [&train, &test] {
            assert_eq!((data.rows(), data.dimension()), (500, 31));
            assert!(data.largest_norm() <= 1.0);
            assert_eq!(data.origin().labels.classes(), ["-1", "1"]);
            let bias = data.row(0)[30].abs().to_bits();
            assert!(data.iter().all(|row| row[30].abs().to_bits() == bias));
        }
        assert_ne!(train.z(), test.z());
    }
}
