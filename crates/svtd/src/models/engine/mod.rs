//! The engine: a deterministic search for the maximum of a penalised log-likelihood.
//!
//! Latent classes, hidden Markov models and Gaussian mixtures are all fitted by EM, and EM stops at the maximum
//! nearest to its start. The usual remedy is many random starts. We use none: the search begins at the estimate
//! from moments, and moves up and down in the number of components.
//!
//! ```text
//! split(theta)   one component cut in two along a direction of its residuals     k -> k + 1
//! merge(theta)   two components joined, or one deleted                           k -> k - 1
//! ladder(k)      from one component to k by splits
//! updown(theta)  split then merge, and merge then split, while the objective gains
//! fit(k)         starts(k) and ladder(k), all converged; updown from the best two or three that differ
//! ```
//!
//! A model joins by implementing [`LatentModel`]: it holds its own data, and the engine asks for one step of EM,
//! responsibilities, parameters from responsibilities, the directions along which a component may be split, and
//! starts of its own. [`Search`] then gives [`Search::fit`] for one number of components and [`Search::path`] for a
//! range of them, [`jackknife`] gives standard errors, [`found_again`](fn@found_again) which components are found
//! again in halves of the records, [`Criteria`] the information criteria.
//!
//! # Promises
//! No random numbers are used. Candidates are tried in parallel but compared in a fixed order, the lowest index
//! winning ties, so the result has the same bits for any number of threads as long as the model's own sums are cut
//! by the size of the data ([`by_blocks`]). A maximum found this way is not proved to be the highest:
//! [`Found::agreement`] says how many of the starts reached it.
//!
//! # Cost
//! Steps of EM: a fit takes some hundreds for the starts and the ladder, some thousands with up-and-down moves. A
//! model with many records supplies [`LatentModel::coarse`], a part of its data on which the search is made; its
//! best results are then converged on all of them.

mod accelerate;
mod blocks;
mod criteria;
mod dealing;
mod found_again;
mod jackknife;
mod moves;
mod pace;
mod partition;
mod search;
#[cfg(test)]
mod toy;

pub use accelerate::{Climbed, climb};
pub use blocks::by_blocks;
pub use criteria::{Criteria, Criterion, relative_entropy};
pub use dealing::{Groups, content_order, drawn};
pub use found_again::{FoundAgain, found_again};
pub use jackknife::{GROUPS, JACKKNIFE_FACTOR, jackknife};
pub use partition::{partition_responsibilities, pca_partition, signed};
pub use search::{Effort, Found, Reach, Search, StartEnd, agreement};

use crate::linalg::Matrix;

/// A model on its data, as the engine sees it.
///
/// `F` stands for the objective: the log-likelihood plus the logarithm of the prior. "Rows" are
/// whatever the model gives responsibilities to: distinct patterns, points, time steps.
pub trait LatentModel: Sync {
    /// The parameters of a fit, for any number of components.
    type Parameters: Clone + Send + Sync;

    /// Number of rows of the responsibilities.
    fn n_rows(&self) -> usize;

    /// Number of components of `parameters`.
    fn n_components(&self, parameters: &Self::Parameters) -> usize;

    /// One step of EM: the next parameters, and `F` at the parameters *given*.
    fn step(&self, parameters: &Self::Parameters) -> (Self::Parameters, f64);

    /// `F` at `parameters`. The E step alone is enough; the default makes a whole step.
    fn objective(&self, parameters: &Self::Parameters) -> f64 {
        self.step(parameters).1
    }

    /// The log-likelihood at `parameters`, without the prior.
    fn log_likelihood(&self, parameters: &Self::Parameters) -> f64;

    /// Number of free parameters with `k` components.
    fn n_free_parameters(&self, k: usize) -> usize;

    /// Responsibilities, rows x components; each row sums to one.
    fn responsibilities(&self, parameters: &Self::Parameters) -> Matrix;

    /// How often each row counts; `None` when all count once.
    fn row_weights(&self) -> Option<&[f64]> {
        None
    }

    /// Parameters from responsibilities: an M step with a pseudo-record per component, so that no
    /// probability is 0 at a start. Any number of columns of at least one.
    fn parameters_from(&self, responsibilities: &Matrix) -> Self::Parameters;

    /// Score vectors, one number per row, along which component `c` may be split: rows with a score of at least 0
    /// go to one part, the others to the other. Best guess first; may be empty.
    fn cuts(
        &self,
        parameters: &Self::Parameters,
        responsibilities: &Matrix,
        c: usize,
    ) -> Vec<Vec<f64>>;

    /// The model's own starts for `k` components, with their names. A start that the data do not allow is left out.
    /// The engine adds the ladder.
    fn starts(&self, k: usize) -> Vec<(&'static str, Self::Parameters)>;

    /// All numbers of `parameters` in one vector, in natural units (probabilities, means, covariances), for the
    /// acceleration to extrapolate.
    fn flatten(&self, parameters: &Self::Parameters) -> Vec<f64>;

    /// Parameters from extrapolated numbers, repaired where they left their domain; `safe` are the parameters after
    /// two plain steps, which fill in.
    fn project(&self, flat: &[f64], safe: &Self::Parameters) -> Self::Parameters;

    /// A climb ends when a cycle of two steps and an extrapolation gains less than this.
    fn tolerance(&self, objective: f64) -> f64 {
        1e-8 + 1e-10 * objective.abs()
    }

    /// The largest number of EM steps in one climb.
    fn max_steps(&self) -> usize {
        5000
    }

    /// Whether `agreeing` of all `n_starts` starts at one maximum are enough to stop there: up-and-down moves are
    /// then skipped.
    fn believes(&self, _agreeing: usize, _n_starts: usize) -> bool {
        false
    }

    /// Whether a fit searches every smaller number of components in full before it splits the last, as
    /// `svtd sweep` does. A fit then ends at least as high as that.
    fn searches_rungs(&self) -> bool {
        false
    }

    /// How extensive up-and-down moves are.
    fn reach(&self) -> Reach {
        Reach::default()
    }

    /// The same model on a part of the data that is large enough to search on, or `None` when the data are small.
    /// Parameters of one can be used for the other.
    fn coarse(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}
