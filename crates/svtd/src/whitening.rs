//! Whitening: a factor `E` of the second moment, `M2 ~ E E'`.
//!
//! Lines 1 and 2 of Algorithm 2, with a positive scale `g_i` for every feature:
//!
//! ```text
//! diag(g) M2 diag(g) ~ U S U'          the k leading eigenpairs     U: n x k,  S: k x k
//! E = diag(1/g) U S^(1/2)              the factor                    E: n x k
//! W = diag(g) U S^(-1/2)               W'M2 W = I,  E = M2 W         W: n x k
//! ```
//!
//! After multiplication with `W` the topics are orthogonal, so one matrix diagonalises every slice of the third
//! moment. The second moment does not determine it: `E O = M diag(Omega)^(1/2)` for one rotation `O` (Equation 7).
//! [`decomposition`](crate::decomposition) finds that rotation.
//!
//! # Why scale
//! The noise of `M2` is roughly proportional to word frequency, so by default features are weighted by `g_i =
//! 1/sqrt(|M1_i| + 1/n)`. The ridge `1/n` keeps rare words of short texts from dominating. With exact moments the
//! result does not depend on `g`; `g = 1` is the paper's choice.
//!
//! # Cost
//! `M2` is never stored: it is multiplied by blocks of columns, each product one pass over the
//! data (`krylov.rs`). The starting block is fixed: runs repeat exactly.
//!
//! # When it fails
//! If one of the first `k` eigenvalues is not positive, or no larger than rounding errors, the data show fewer than
//! `k` topics and [`Whitening::fit`] reports how many it can see.
//!
//! # Departures from the paper
//! The paper takes singular values. We take the largest eigenvalues: on a small corpus the
//! estimated `M2` is indefinite, and a singular value would hide the sign.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::krylov::leading_eigenpairs_watched;
use crate::linalg::Matrix;
use crate::moments::{Basis, Moments};

/// An eigenvalue below this fraction of the first one cannot be distinguished from rounding errors.
const VISIBLE: f64 = 1e-10;

/// An eigenpair counts as found when its residual is at most this fraction of the k-th eigenvalue.
pub(crate) const TOLERANCE: f64 = 1e-6;

/// How features are weighted before the pair moment is decomposed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// By `1/sqrt(|M1| + 1/n)`, so that all features have about the same noise.
    #[default]
    Scaled,
    /// Not at all: the paper's `E = U S^(1/2)`.
    Plain,
}

/// A factor of the second moment, with the accuracy of its eigenpairs.
#[derive(Clone, Debug)]
pub struct Whitening {
    basis: Basis,
    scales: Vec<f64>,
    eigenvalues: Vec<f64>,
    n_topics: usize,
    residual: f64,
    converged: bool,
    n_products: usize,
}

impl Whitening {
    /// Factors the second moment of `moments` for `n_topics` topics.
    ///
    /// # Errors
    /// When more topics are asked for than there are features, or than the data shows.
    pub fn fit(moments: &dyn Moments, n_topics: usize, scaling: Scaling) -> Result<Self> {
        Self::fit_watched(moments, n_topics, scaling, &|_, _| {})
    }

    /// As [`fit`](Self::fit); after each product with the pair moment `watch` is called with the number of products
    /// done and expected.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(
        moments: &dyn Moments,
        n_topics: usize,
        scaling: Scaling,
        watch: &dyn Fn(usize, usize),
    ) -> Result<Self> {
        Self::fit_to(TOLERANCE, moments, n_topics, scaling, watch)
    }

    /// As [`fit_watched`](Self::fit_watched), with the eigenpairs found only to the given tolerance.
    pub(crate) fn fit_to(
        tolerance: f64,
        moments: &dyn Moments,
        n_topics: usize,
        scaling: Scaling,
        watch: &dyn Fn(usize, usize),
    ) -> Result<Self> {
        let n = moments.n_features();
        check_n_topics(n_topics, n)?;
        let scales = feature_scales(moments.first(), scaling);
        let times = |block: &Matrix| {
            let mut scaled = block.clone();
            scaled.scale_rows(&scales);
            let mut product = moments.second_times(&scaled);
            product.scale_rows(&scales);
            product
        };
        let pairs = leading_eigenpairs_watched(n, n_topics, tolerance, times, watch);
        let first = pairs.values[0];
        let visible = visible_topics(&pairs.values, n_topics);
        if visible < n_topics {
            let ratio = pairs.values.get(visible).map_or(0.0, |value| value / first);
            return Err(Error::FewerTopicsVisible { asked: n_topics, visible, ratio });
        }
        let roots: Vec<f64> = pairs.values[..n_topics].iter().map(|v| v.sqrt()).collect();
        let mut factor = pairs.vectors.clone();
        factor.scale_columns(&roots);
        factor.scale_rows(&scales.iter().map(|g| 1.0 / g).collect::<Vec<f64>>());
        let mut unmixing = pairs.vectors;
        unmixing.scale_columns(&roots.iter().map(|r| 1.0 / r).collect::<Vec<f64>>());
        unmixing.scale_rows(&scales);
        let mut eigenvalues = pairs.values;
        eigenvalues.truncate(n_topics + 1);
        Ok(Self {
            basis: Basis::new(factor, unmixing),
            scales,
            eigenvalues,
            n_topics,
            residual: pairs.residual,
            converged: pairs.converged,
            n_products: pairs.n_products,
        })
    }

    /// The whitening for the `k` leading topics only: the columns of `E` and `W` do not depend on how many there
    /// are.
    ///
    /// # Panics
    /// If `k` is zero or more than there are.
    pub(crate) fn leading(&self, k: usize) -> Self {
        assert!((1..=self.n_topics).contains(&k), "{k} of {} topics", self.n_topics);
        Self {
            basis: self.basis.leading(k),
            scales: self.scales.clone(),
            eigenvalues: self.eigenvalues[..self.eigenvalues.len().min(k + 1)].to_vec(),
            n_topics: k,
            ..*self
        }
    }

    /// `E` and `W`, through which moments are evaluated.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// `E`, features x topics.
    pub fn factor(&self) -> &Matrix {
        self.basis.factor()
    }

    /// `W`, features x topics: the transpose of `E`'s generalised inverse.
    pub fn unmixing(&self) -> &Matrix {
        self.basis.unmixing()
    }

    /// `g`, the scale of each feature.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// The leading eigenvalues of the scaled pair moment: `k` of them and, if there is one, the
    /// next.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Number of topics.
    pub fn n_topics(&self) -> usize {
        self.n_topics
    }

    /// The ratio of the k-th eigenvalue to the next; infinite when the next one is not positive or cannot be told
    /// from rounding errors.
    pub fn spectral_gap(&self) -> f64 {
        match self.eigenvalues.get(self.n_topics) {
            Some(&next) if next > VISIBLE * self.eigenvalues[0] => {
                self.eigenvalues[self.n_topics - 1] / next
            }
            _ => f64::INFINITY,
        }
    }

    /// The largest residual of an eigenpair, as a fraction of the k-th eigenvalue.
    pub fn relative_residual(&self) -> f64 {
        self.residual / self.eigenvalues[self.n_topics - 1]
    }

    /// Whether all eigenpairs were found to tolerance.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// How many blocks were multiplied by the pair moment.
    pub fn n_products(&self) -> usize {
        self.n_products
    }

    /// The whitening with features in another order: feature `i` is the former feature `order[i]`.
    #[cfg(test)]
    pub(crate) fn renamed(&self, order: &[usize]) -> Self {
        let rows = |matrix: &Matrix| {
            Matrix::from_fn(order.len(), matrix.n_columns(), |i, j| matrix[(order[i], j)])
        };
        Self {
            basis: Basis::new(rows(self.factor()), rows(self.unmixing())),
            scales: order.iter().map(|&i| self.scales[i]).collect(),
            ..self.clone()
        }
    }
}

/// Returns an error for zero topics, and for more topics than features.
pub(crate) fn check_n_topics(asked: usize, n_features: usize) -> Result<()> {
    if asked == 0 {
        return Err(Error::Option {
            name: "the number of topics",
            needed: "at least 1".to_owned(),
            found: "0".to_owned(),
        });
    }
    if asked > n_features {
        return Err(Error::TooManyTopics { asked, words: n_features });
    }
    Ok(())
}

/// How many of the `k` leading eigenvalues are positive and larger than rounding errors. The size of rounding
/// errors follows from the largest eigenvalue, of either sign.
fn visible_topics(values: &[f64], k: usize) -> usize {
    let scale = values.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
    let visible = |v: &&f64| v.is_finite() && **v > 0.0 && **v >= VISIBLE * scale;
    values.iter().take(k).take_while(visible).count()
}

fn feature_scales(first: &[f64], scaling: Scaling) -> Vec<f64> {
    let ridge = 1.0 / first.len() as f64;
    match scaling {
        Scaling::Scaled => first.iter().map(|m1| 1.0 / (m1.abs() + ridge).sqrt()).collect(),
        Scaling::Plain => vec![1.0; first.len()],
    }
}
