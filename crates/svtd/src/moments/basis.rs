//! A pair of bases through which moments are evaluated.

use std::ops::Range;

use super::unpack;
use crate::linalg::{Matrix, dot, positive_inverse};

/// A feature with a larger leverage than this keeps its row: removing it would be ill-conditioned.
const MAX_LEVERAGE: f64 = 0.9;

/// `E` and `W`, features x topics, with `E = M2 W` and `W'M2 W = I`.
///
/// A [`Whitening`](crate::whitening::Whitening) finds them.
#[derive(Clone, Debug)]
pub struct Basis {
    factor: Matrix,
    unmixing: Matrix,
}

impl Basis {
    /// Takes `E` and `W`, which must have the same size.
    pub(crate) fn new(factor: Matrix, unmixing: Matrix) -> Self {
        debug_assert_eq!(factor.n_columns(), unmixing.n_columns());
        Self { factor, unmixing }
    }

    /// `E`.
    pub fn factor(&self) -> &Matrix {
        &self.factor
    }

    /// `W`, the transpose of `E`'s generalised inverse.
    pub fn unmixing(&self) -> &Matrix {
        &self.unmixing
    }

    /// `k`, the number of columns of each.
    pub fn n_columns(&self) -> usize {
        self.factor.n_columns()
    }

    /// The `k` leading columns of each.
    pub(crate) fn leading(&self, k: usize) -> Self {
        Self::new(self.factor.columns(0..k), self.unmixing.columns(0..k))
    }

    /// The leverage of every feature in `E`, in `[0, 1]`.
    pub fn leverages(&self) -> Vec<f64> {
        match positive_inverse(&self.factor.transpose_times(&self.factor)) {
            Some(inverse) => self.leverages_with(&inverse),
            None => vec![1.0; self.factor.n_rows()],
        }
    }

    fn leverages_with(&self, inverse: &Matrix) -> Vec<f64> {
        let image = self.factor.times(inverse);
        (0..self.factor.n_rows()).map(|i| dot(&image.row(i), &self.factor.row(i))).collect()
    }

    /// From `A_i = E_i' M3_i E_i`, row `i` removed, to `H_i = G_i A_i G_i` with
    /// `G_i = (E'E - e_i e_i')^-1` by Sherman and Morrison.
    ///
    /// Removing a feature of leverage near one divides by nearly zero; for such features `kept` supplies the slice
    /// with its row kept, whose expected value is the same.
    pub(crate) fn unproject(
        &self,
        features: Range<usize>,
        mut projections: Matrix,
        kept: impl FnOnce() -> Matrix,
    ) -> Matrix {
        let k = self.n_columns();
        let Some(inverse) = positive_inverse(&self.factor.transpose_times(&self.factor)) else {
            return kept();
        };
        let leverages = self.leverages_with(&inverse);
        let heavy: Vec<usize> = features.clone().filter(|&i| leverages[i] > MAX_LEVERAGE).collect();
        for (row, i) in features.clone().enumerate() {
            let e = self.factor.row(i);
            let image: Vec<f64> = (0..k).map(|a| dot(inverse.column(a), &e)).collect();
            let spread = 1.0 / (1.0 - leverages[i]);
            let g = Matrix::from_fn(k, k, |a, b| inverse[(a, b)] + spread * image[a] * image[b]);
            let h = g.times(&unpack(k, &projections.row(row))).times(&g);
            let mut packed = 0;
            for a in 0..k {
                for b in a..k {
                    projections[(row, packed)] = 0.5 * (h[(a, b)] + h[(b, a)]);
                    packed += 1;
                }
            }
        }
        if !heavy.is_empty() {
            let kept = kept();
            for i in heavy {
                let row = i - features.start;
                for packed in 0..kept.n_columns() {
                    projections[(row, packed)] = kept[(row, packed)];
                }
            }
        }
        projections
    }
}
