//! Eigenpairs of a symmetric matrix.

use faer::Par;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};

use super::Matrix;

/// The eigenvalues, falling, and eigenvectors, in columns, of a symmetric matrix.
///
/// The decomposition fails only if entries are not finite; then the values are NaN, and the caller's checks reject
/// the result.
pub fn symmetric_eigen(matrix: &Matrix) -> (Vec<f64>, Matrix) {
    let n = matrix.n_rows();
    let mut values = Diag::<f64>::zeros(n);
    let mut vectors = Matrix::zeros(n, n);
    let scratch =
        self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let outcome = self_adjoint_evd(
        matrix.view(),
        values.as_mut(),
        Some(vectors.view_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    );
    if outcome.is_err() {
        return (vec![f64::NAN; n], vectors);
    }
    let ascending: Vec<f64> = values.column_vector().iter().copied().collect();
    let order: Vec<usize> = (0..n).rev().collect();
    (order.iter().map(|&j| ascending[j]).collect(), vectors.select_columns(&order))
}
