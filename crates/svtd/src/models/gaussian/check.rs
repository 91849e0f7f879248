//! What can be learned about components from points, before a fit.
//!
//! Mixtures of Gaussians are identified for any number of components (Yakowitz and Spragins 1968): only the number
//! of records limits it, which must exceed the number of parameters. A first guess uses only the starts of the
//! search, on a part of the records.

use serde::Serialize;

use super::model::GaussianModel;
use super::points::Points;
use super::points::fingerprint;
use super::shape::Covariance;
use crate::error::Result;
use crate::models::engine::{Criteria, Criterion, Effort, LatentModel};
use crate::models::fitting::{Path, criteria_path, least};

/// Number of records used for the first guess.
const GUESSED_ON: usize = 2_000;

/// The largest number of components that is guessed.
const MAX_GUESSED: usize = 8;

/// What can be learned about components from points.
#[derive(Clone, Debug, Serialize)]
pub struct PointsCheck {
    /// Number of records, with their weights.
    pub n_records: f64,
    /// Number of variables.
    pub n_variables: usize,
    /// Number of missing values.
    pub n_missing: usize,
    /// The shape of covariances.
    pub covariance: Covariance,
    /// Number of parameters of one component, including its weight.
    pub parameters_per_component: usize,
    /// The largest number of components with no more parameters than there are records.
    pub most_components: usize,
    /// The number of components with the smallest AIC3, using only the starts of the search.
    pub first_guess: usize,
    /// Number of records used for the guess.
    pub guessed_on: usize,
    /// Criteria of every number of components considered, on these records.
    pub path: Vec<(usize, Criteria)>,
}

impl PointsCheck {
    /// What these points can say.
    ///
    /// # Errors
    /// When nothing can be learned from them: a constant variable, or none observed.
    pub fn of(points: &Points, covariance: Covariance) -> Result<Self> {
        let whole = GaussianModel::new(&points.in_content_order(), covariance, 1.0)?;
        let n = whole.points().total_weight();
        let fits = |k: &usize| whole.n_free_parameters(*k) as f64 <= n;
        let most_components = (1..=whole.points().n_records()).take_while(fits).last().unwrap_or(1);
        let part = sample(&whole);
        let path: Path = criteria_path(
            &part,
            most_components.min(MAX_GUESSED),
            Effort::Starts,
            part.points().total_weight(),
            &|_, _| {},
        );
        Ok(Self {
            n_records: n,
            n_variables: points.n_variables(),
            n_missing: points.n_missing(),
            covariance,
            parameters_per_component: whole.n_free_parameters(2) - whole.n_free_parameters(1),
            most_components,
            first_guess: least(&path, Criterion::Aic3),
            guessed_on: part.points().n_records(),
            path,
        })
    }

    /// Why `k` components cannot be fitted, or `None` when nothing speaks against them.
    pub fn objection(&self, k: usize) -> Option<String> {
        (k > self.most_components).then(|| {
            format!(
                "{k} components have more parameters than there are records ({}); ask for {} or \
                 fewer, or for a simpler covariance",
                self.n_records, self.most_components
            )
        })
    }
}

/// The model on at most [`GUESSED_ON`] records, chosen by their content.
fn sample(model: &GaussianModel) -> GaussianModel {
    let points = model.points();
    if points.n_records() <= GUESSED_ON {
        return model.clone();
    }
    let mut order: Vec<usize> = (0..points.n_records()).collect();
    order.sort_by_key(|&i| (fingerprint(points.record(i)), i));
    order.truncate(GUESSED_ON);
    order.sort_unstable();
    model.on(&order)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::distr::Distribution;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::StandardNormal;

    use super::*;

    #[test]
    fn two_groups_are_guessed_and_too_many_components_objected_to() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut noise = || -> f64 { StandardNormal.sample(&mut rng) };
        let far = |i: usize| if i.is_multiple_of(3) { 9.0 } else { 0.0 };
        let values: Vec<f64> = (0..120).flat_map(|i| [noise() + far(i), noise()]).collect();
        let points = Points::new(2, values).unwrap();
        let check = PointsCheck::of(&points, Covariance::Diagonal).unwrap();
        assert_eq!((check.first_guess, check.guessed_on), (2, 120), "{:?}", check.path);
        // Each component has a weight, two means and two variances: 5 k - 1 parameters.
        assert_eq!((check.parameters_per_component, check.most_components), (5, 24));
        assert!(check.objection(24).is_none() && check.objection(25).is_some());
    }
}
