//! Fitting: options, the search, the choice of prior and of the number of components.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::fitted::{ErrorBars, GaussianMixture};
use super::model::{GaussianModel, fingerprint};
use super::points::{Points, data};
use super::shape::{Covariance, Mixture};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::models::engine::{
    Criteria, Criterion, Effort, Found, GROUPS, LatentModel, Search, climb, jackknife,
};

/// The weight of the prior with which maximum likelihood is searched: light, but a component that
/// collapses cannot win.
const NEARLY_NO_PRIOR: f64 = 0.01;

/// The weights that held-out records choose from.
const PRIOR_CHOICES: [f64; 3] = [1.0, 0.1, 0.01];

/// Folds of the choice, and steps of EM without each.
const FOLDS: usize = 10;
const FOLD_STEPS: usize = 60;

/// The weight of the prior, in records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prior {
    /// 1, or for full covariances the best of 1, .1 and .01 on held-out records.
    #[default]
    Auto,
    /// This many records; 0 is maximum likelihood.
    Records(f64),
}

/// Options of a fit.
#[derive(Clone, Debug)]
pub struct GaussianMixtureParams {
    n_components: Option<usize>,
    max_components: usize,
    covariance: Covariance,
    prior: Prior,
    effort: Effort,
    criterion: Criterion,
    error_bars: bool,
}

impl GaussianMixture {
    /// Options for a mixture of `n_components`.
    pub fn params(n_components: usize) -> GaussianMixtureParams {
        GaussianMixtureParams {
            n_components: Some(n_components),
            max_components: 8,
            covariance: Covariance::default(),
            prior: Prior::default(),
            effort: Effort::default(),
            criterion: Criterion::default(),
            error_bars: true,
        }
    }

    /// Options for a mixture whose number of components the data choose, up to `most`.
    pub fn params_auto(most: usize) -> GaussianMixtureParams {
        GaussianMixtureParams { n_components: None, max_components: most, ..Self::params(1) }
    }
}

/// What a fit tells whoever watches: stages done, and stages in all.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

impl GaussianMixtureParams {
    /// The shape of covariances.
    pub fn covariance(mut self, covariance: Covariance) -> Self {
        self.covariance = covariance;
        self
    }

    /// The weight of the prior on covariances.
    pub fn prior(mut self, prior: Prior) -> Self {
        self.prior = prior;
        self
    }

    /// How hard to search.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// The criterion by which the data choose the number of components.
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.criterion = criterion;
        self
    }

    /// Whether standard errors are computed.
    pub fn error_bars(mut self, wanted: bool) -> Self {
        self.error_bars = wanted;
        self
    }

    /// Learns a mixture.
    ///
    /// # Errors
    /// When the options are out of range, or the data do not carry so many components.
    pub fn fit(&self, points: &Points) -> Result<GaussianMixture> {
        self.fit_watched(points, &|_, _| {})
    }

    /// As [`fit`](Self::fit), telling `watch` how far it is.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(&self, points: &Points, watch: Watch<'_>) -> Result<GaussianMixture> {
        self.check(points)?;
        let used = without_weightless(points);
        let model = GaussianModel::new(&used, self.covariance, self.search_prior())?;
        let (k, path) = match self.n_components {
            Some(k) => (k, Vec::new()),
            None => self.choose(&model, watch),
        };
        let (model, found) = self.search(&model, k, watch);
        let mut fitted = self.finished(&model, found, points);
        fitted.path = path;
        Ok(fitted)
    }

    /// A fit for every number of components of a range, without error bars, and their criteria.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn sweep(&self, points: &Points, most: usize) -> Result<Vec<(usize, Criteria)>> {
        let wanted = Self { n_components: None, max_components: most, ..self.clone() };
        wanted.check(points)?;
        let used = without_weightless(points);
        let model = GaussianModel::new(&used, self.covariance, self.search_prior())?;
        Ok(wanted.choose(&model, &|_, _| {}).1)
    }

    /// Climbs from a known mixture under these options, without any search: what another
    /// program's solution comes to under the same objective.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn climb_from(&self, points: &Points, start: &GaussianMixture) -> Result<GaussianMixture> {
        self.check(points)?;
        let nu = match self.prior {
            Prior::Auto => PRIOR_CHOICES[0],
            Prior::Records(nu) => nu,
        };
        let model = GaussianModel::new(&without_weightless(points), self.covariance, nu)?;
        let (weights, means) = (start.weights(), start.means());
        let mixture =
            model.coordinates.mixture_in(self.covariance, weights, means, &start.covariances);
        let end = climb(&model, mixture, model.max_steps());
        let found = Found {
            parameters: end.parameters,
            objective: end.objective,
            converged: end.converged,
            starts: Vec::new(),
            steps: end.steps,
        };
        Ok(self.finished(&model, found, points))
    }

    fn search_prior(&self) -> f64 {
        match self.prior {
            Prior::Auto => PRIOR_CHOICES[0],
            Prior::Records(nu) => nu.max(NEARLY_NO_PRIOR),
        }
    }

    fn check(&self, points: &Points) -> Result<()> {
        let option = |name, needed: &str, found: String| Error::Option {
            name,
            needed: needed.to_owned(),
            found,
        };
        if let Prior::Records(nu) = self.prior
            && !(nu.is_finite() && nu >= 0.0)
        {
            return Err(option("the prior", "a number of at least 0", nu.to_string()));
        }
        let k = self.n_components.unwrap_or(1);
        if k == 0 || self.max_components == 0 {
            return Err(option("the number of components", "at least 1", "0".to_owned()));
        }
        let weighted = (0..points.n_records()).filter(|&i| points.weight(i) > 0.0).count();
        if weighted < 2 {
            return Err(data(format!(
                "{weighted} record with positive weight (n_samples={}); a mixture needs at least 2",
                points.n_records()
            )));
        }
        if k > weighted {
            return Err(data(format!(
                "{k} components asked of {weighted} records; ask for fewer components"
            )));
        }
        Ok(())
    }

    /// The number of components of least criterion, and the criteria of all.
    fn choose(&self, model: &GaussianModel, watch: Watch<'_>) -> (usize, Vec<(usize, Criteria)>) {
        let most = self.max_components.min(model.points().n_records());
        let found = Search::new(model).effort(Effort::Best).watch(&watch).path(1..=most);
        let total = model.points().total_weight();
        let criteria: Vec<(usize, Criteria)> = (1..)
            .zip(&found)
            .map(|(k, found)| {
                let log_likelihood = model.log_likelihood(&found.parameters);
                (k, Criteria::new(log_likelihood, model.n_free_parameters(k), total))
            })
            .collect();
        let best = criteria.iter().min_by(|a, b| {
            a.1.get(self.criterion).total_cmp(&b.1.get(self.criterion)).then(a.0.cmp(&b.0))
        });
        (best.map_or(1, |(k, _)| *k), criteria)
    }

    /// The search with the prior asked for.
    fn search(
        &self,
        model: &GaussianModel,
        k: usize,
        watch: Watch<'_>,
    ) -> (GaussianModel, Found<Mixture>) {
        let run =
            |model: &GaussianModel| Search::new(model).effort(self.effort).watch(&watch).fit(k);
        match self.prior {
            Prior::Auto if self.covariance == Covariance::Full && k > 1 => {
                best_prior(PRIOR_CHOICES.map(|nu| {
                    let model = model.with_prior(nu);
                    let found = run(&model);
                    (model, found)
                }))
            }
            Prior::Records(nu) if nu < NEARLY_NO_PRIOR => {
                let mut found = run(model);
                let model = model.with_prior(nu);
                let end = climb(&model, found.parameters, model.max_steps());
                found.parameters = end.parameters;
                found.objective = end.objective;
                found.converged = end.converged;
                found.steps += end.steps;
                (model, found)
            }
            _ => (model.clone(), run(model)),
        }
    }

    fn finished(
        &self,
        model: &GaussianModel,
        found: Found<Mixture>,
        points: &Points,
    ) -> GaussianMixture {
        let mixture = canonical(&found.parameters);
        let bars = self.error_bars.then(|| error_bars(model, &mixture));
        GaussianMixture::new(model, &mixture, &found, bars, points)
    }
}

/// The same points without records of weight zero.
fn without_weightless(points: &Points) -> Points {
    let kept: Vec<usize> = (0..points.n_records()).filter(|&i| points.weight(i) > 0.0).collect();
    if kept.len() == points.n_records() { points.clone() } else { points.select(&kept) }
}

/// Components by falling weight.
fn canonical(mixture: &Mixture) -> Mixture {
    let mut order: Vec<usize> = (0..mixture.k).collect();
    order.sort_by(|&a, &b| mixture.weights()[b].total_cmp(&mixture.weights()[a]).then(a.cmp(&b)));
    mixture.reordered(&order)
}

/// The fit whose prior explains held-out records better; the first of equals.
fn best_prior<const N: usize>(
    fits: [(GaussianModel, Found<Mixture>); N],
) -> (GaussianModel, Found<Mixture>) {
    let scores: Vec<f64> =
        fits.iter().map(|(model, found)| held_out(model, &found.parameters)).collect();
    let best = (0..N).max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)));
    let mut fits = Vec::from(fits);
    fits.swap_remove(best.unwrap_or(0))
}

/// Log-likelihood of every tenth of the records under the others, climbed from the full solution.
fn held_out(model: &GaussianModel, mixture: &Mixture) -> f64 {
    let n = model.points().n_records();
    let folds: Vec<f64> = (0..FOLDS)
        .into_par_iter()
        .map(|fold| {
            // By content, so that a record given twice is in one fold, as one of weight two is.
            let (out, kept): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| {
                fingerprint(model.points().record(i)) % FOLDS as u64 == fold as u64
            });
            if out.is_empty() || kept.is_empty() {
                return 0.0;
            }
            let end = climb(&model.on(&kept), mixture.clone(), FOLD_STEPS);
            model.on(&out).problem.objective(&end.parameters).1
        })
        .collect();
    folds.iter().sum()
}

/// Standard errors of weights and means by the delete-a-group jackknife.
fn error_bars(model: &GaussianModel, mixture: &Mixture) -> ErrorBars {
    let n = model.points().n_records();
    let without = |g: usize| {
        let kept: Vec<usize> = (0..n).filter(|u| u % GROUPS != g).collect();
        (g < n && kept.len() >= 2).then(|| model.on(&kept))
    };
    let estimates = |model: &GaussianModel, mixture: &Mixture| {
        let means = (0..mixture.k).flat_map(|j| model.coordinates.mean_back(mixture.mean(j)));
        mixture.weights().iter().copied().chain(means).collect::<Vec<f64>>()
    };
    let errors = jackknife(mixture, without, estimates);
    let (k, d) = (mixture.k, mixture.d);
    ErrorBars {
        weights: errors[..k].to_vec(),
        means: Matrix::from_fn(k, d, |j, a| errors[k + j * d + a]),
    }
}
