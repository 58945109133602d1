//! Decompositions of dense matrices run on one thread.

/// On several threads the last digits of eigenvalues and singular values depend on how many there are, and with them a certificate. What
/// takes long is cut into parts of fixed size, for which rayon is used directly. Called wherever a computation begins.
pub(crate) fn decompose_on_one_thread() {
    faer::set_global_parallelism(faer::Par::Seq);
}
