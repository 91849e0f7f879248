//! Covariance types, and the parameters of a mixture.
//!
//! Inside a fit all parameters of a mixture stand in one vector, so that an accelerated step can
//! extrapolate them together:
//!
//! ```text
//! weights (k) | means, component after component (k d) | covariances
//! full: k matrices d x d   tied: one   diagonal: k rows of d variances   spherical: k variances
//! ```

use serde::{Deserialize, Serialize};

use crate::linalg::Matrix;

/// The type of covariance matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Covariance {
    /// Every component has a covariance matrix of its own.
    #[default]
    Full,
    /// Every component has its own variances; variables are independent within a component.
    Diagonal,
    /// Every component has one variance for all variables.
    Spherical,
    /// All components share one covariance matrix.
    Tied,
}

impl Covariance {
    /// Free parameters of the covariances of `k` components in `d` variables.
    pub fn n_parameters(self, k: usize, d: usize) -> usize {
        match self {
            Covariance::Full => k * d * (d + 1) / 2,
            Covariance::Diagonal => k * d,
            Covariance::Spherical => k,
            Covariance::Tied => d * (d + 1) / 2,
        }
    }

    /// Number of values that a parameter vector has for the covariances.
    fn stored(self, k: usize, d: usize) -> usize {
        match self {
            Covariance::Full => k * d * d,
            Covariance::Diagonal => k * d,
            Covariance::Spherical => k,
            Covariance::Tied => d * d,
        }
    }

    /// Whether variables may be correlated within a component.
    pub fn is_matrix(self) -> bool {
        matches!(self, Covariance::Full | Covariance::Tied)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Covariance::Full => "full",
            Covariance::Diagonal => "diagonal",
            Covariance::Spherical => "spherical",
            Covariance::Tied => "tied",
        }
    }
}

/// The parameters of a mixture, in one vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Number of components, `k`.
    pub(super) k: usize,
    /// Number of variables, `d`.
    pub(super) d: usize,
    pub(super) covariance: Covariance,
    pub(super) values: Vec<f64>,
}

impl Mixture {
    /// `k` components with all parameters zero.
    pub(super) fn zeros(covariance: Covariance, k: usize, d: usize) -> Self {
        let values = vec![0.0; k + k * d + covariance.stored(k, d)];
        Self { k, d, covariance, values }
    }

    pub(super) fn weights(&self) -> &[f64] {
        &self.values[..self.k]
    }

    pub(super) fn weights_mut(&mut self) -> &mut [f64] {
        &mut self.values[..self.k]
    }

    /// Mean of component `j`.
    pub(super) fn mean(&self, j: usize) -> &[f64] {
        &self.values[self.k + j * self.d..self.k + (j + 1) * self.d]
    }

    pub(super) fn mean_mut(&mut self, j: usize) -> &mut [f64] {
        let (k, d) = (self.k, self.d);
        &mut self.values[k + j * d..k + (j + 1) * d]
    }

    /// The numbers that describe the covariance of component `j`.
    pub(super) fn spread(&self, j: usize) -> &[f64] {
        &self.values[self.spread_range(j)]
    }

    pub(super) fn spread_mut(&mut self, j: usize) -> &mut [f64] {
        let range = self.spread_range(j);
        &mut self.values[range]
    }

    fn spread_range(&self, j: usize) -> std::ops::Range<usize> {
        let first = self.k * (self.d + 1);
        let (start, len) = match self.covariance {
            Covariance::Full => (j * self.d * self.d, self.d * self.d),
            Covariance::Diagonal => (j * self.d, self.d),
            Covariance::Spherical => (j, 1),
            Covariance::Tied => (0, self.d * self.d),
        };
        first + start..first + start + len
    }

    /// Number of different covariances.
    pub(super) fn n_spreads(&self) -> usize {
        if self.covariance == Covariance::Tied { 1 } else { self.k }
    }

    /// The covariance matrix of component `j`, in full.
    pub(super) fn covariance_matrix(&self, j: usize) -> Matrix {
        let spread = self.spread(j);
        match self.covariance {
            Covariance::Full | Covariance::Tied => {
                Matrix::from_columns(self.d, self.d, spread.to_vec())
            }
            Covariance::Diagonal => {
                Matrix::from_fn(self.d, self.d, |a, b| if a == b { spread[a] } else { 0.0 })
            }
            Covariance::Spherical => {
                Matrix::from_fn(self.d, self.d, |a, b| if a == b { spread[0] } else { 0.0 })
            }
        }
    }

    /// The same mixture with its components in another order.
    pub(super) fn reordered(&self, order: &[usize]) -> Self {
        let mut result = self.clone();
        for (to, &from) in order.iter().enumerate() {
            result.weights_mut()[to] = self.weights()[from];
            result.mean_mut(to).copy_from_slice(self.mean(from));
            result.spread_mut(to).copy_from_slice(self.spread(from));
        }
        result
    }
}
