//! A small real dataset that is part of the library.

use super::{DataError, Dataset, Options, Source, load};

/// Features of MNIST digits 1 and 7, see `sample/README.md`.
const MNIST_1V7: &[u8] = include_bytes!("sample/mnist_1v7.npz");

impl Dataset {
    /// 500 pictures of the digits 1 (−1) and 7 (+1) from MNIST's training part, as 31 features each.
    ///
    /// # Errors
    ///
    /// None in practice: the data is part of the library.
    ///
    /// ```
    /// use unswayed::data::Dataset;
    ///
    /// let data = Dataset::sample()?;
    /// assert_eq!((data.rows(), data.dimension()), (500, 31));
    /// assert!(data.largest_norm() <= 1.0);
    /// # Ok::<(), unswayed::data::DataError>(())
    /// ```
    pub fn sample() -> Result<Self, DataError> {
        load(&sample(), &Options::default())
    }

    /// 500 pictures of the same digits from MNIST's test part.
    ///
    /// # Errors
    ///
    /// None in practice: the data is part of the library.
    pub fn sample_test() -> Result<Self, DataError> {
        load(&sample().prefix("test_"), &Options::default())
    }
}

fn sample() -> Source {
    Source::bytes("mnist_1v7.npz", MNIST_1V7)
}
