//! Fitting: options, the search, the choice of prior and of the number of components.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::fitted::{ErrorBars, GaussianMixture};
use super::model::GaussianModel;
use super::points::fingerprint;
use super::points::{Points, data};
use super::shape::{Covariance, Mixture};
use crate::error::Result;
use crate::linalg::Matrix;
use crate::models::columns::back;
use crate::models::engine::{
    Criteria, Criterion, Effort, Found, LatentModel, Search, climb, found_again, jackknife,
};
use crate::models::fitting::{FitOptions, Path, Watch, found_by_climbing, option, part_of};

/// The weight of the prior during the search for maximum likelihood: small, but large enough that a collapsing
/// component cannot win.
const NEARLY_NO_PRIOR: f64 = 0.01;

/// The weights with which a search is made, when held-out records choose.
const SEARCHED_PRIORS: [f64; 2] = [1.0, NEARLY_NO_PRIOR];

/// Other weights, climbed to from the end of the lightest search. Components that are thin beside the
/// whole need less than .01 of it: benches/record/models.md.
const CLIMBED_PRIORS: [f64; 3] = [0.1, 1e-3, 1e-4];

/// Number of folds of the choice, and of EM steps without each.
const FOLDS: usize = 10;
const FOLD_STEPS: usize = 60;

/// The weight of the prior, in records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prior {
    /// 1, or for full covariances the best of 1, .1, .01, .001 and .0001 on held-out records.
    #[default]
    Auto,
    /// This many records; 0 is maximum likelihood.
    Records(f64),
}

/// Options of a fit.
#[derive(Clone, Debug)]
pub struct GaussianMixtureParams {
    options: FitOptions,
    covariance: Covariance,
    prior: Prior,
}

impl GaussianMixture {
    /// Options for a mixture of `n_components`.
    pub fn params(n_components: usize) -> GaussianMixtureParams {
        GaussianMixtureParams {
            options: FitOptions::fixed(n_components),
            covariance: Covariance::default(),
            prior: Prior::default(),
        }
    }

    /// Options for a mixture whose number of components the data choose, up to `most`.
    pub fn params_auto(most: usize) -> GaussianMixtureParams {
        GaussianMixtureParams { options: FitOptions::auto(most), ..Self::params(1) }
    }
}

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

    /// How much to search.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.options.effort = effort;
        self
    }

    /// The criterion by which the data choose the number of components.
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.options.criterion = criterion;
        self
    }

    /// Whether standard errors are computed, and components looked for in halves of the records.
    pub fn error_bars(mut self, wanted: bool) -> Self {
        self.options.error_bars = wanted;
        self
    }

    /// Leaves out the starts of these names, to see what they are worth.
    pub fn without_starts(mut self, names: &[&str]) -> Self {
        self.options.without = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Learns a mixture.
    ///
    /// # Errors
    /// When the options are out of range, or there are too few data for that many components.
    pub fn fit(&self, points: &Points) -> Result<GaussianMixture> {
        self.fit_watched(points, &|_, _| {})
    }

    /// As [`fit`](Self::fit), reporting progress to `watch`.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(&self, points: &Points, watch: Watch<'_>) -> Result<GaussianMixture> {
        self.check(points)?;
        let model =
            GaussianModel::new(&points.in_content_order(), self.covariance, self.search_prior())?;
        let searches = self.n_searches();
        // Error bars, and the search in halves.
        let parts = searches + 2 * usize::from(self.options.error_bars);
        let of = |part: usize| part_of(watch, part, parts);
        let (k, path) = match self.options.n_components {
            Some(k) => (k, Vec::new()),
            None => self.options.choose(&model, model.points().total_weight(), &of(0)),
        };
        let (model, found) = self.search(&model, k, &of);
        let mut fitted = shown(points, self.finished(&model, found, path, &of(searches + 1)));
        fitted.record.notes.extend(points.silent_note());
        watch(parts, parts);
        Ok(fitted)
    }

    /// Before a fit: a sentence if the components asked for have more parameters than there are records.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn doubt(&self, points: &Points) -> Result<Option<String>> {
        self.check(points)?;
        let model =
            GaussianModel::new(&points.in_content_order(), self.covariance, self.search_prior())?;
        let n_records = model.points().total_weight();
        Ok(self.options.doubt(&model, n_records, ["records", "components"]))
    }

    /// A fit for every number of components of a range, without error bars, and their criteria.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn sweep(&self, points: &Points, most: usize) -> Result<Vec<(usize, Criteria)>> {
        self.sweep_watched(points, most, &|_, _| {})
    }

    /// As [`sweep`](Self::sweep), reporting progress to `watch`.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn sweep_watched(
        &self,
        points: &Points,
        most: usize,
        watch: Watch<'_>,
    ) -> Result<Vec<(usize, Criteria)>> {
        let options = FitOptions { n_components: None, most, ..self.options.clone() };
        let wanted = Self { options, ..self.clone() };
        wanted.check(points)?;
        let model =
            GaussianModel::new(&points.in_content_order(), self.covariance, self.search_prior())?;
        Ok(wanted.options.choose(&model, model.points().total_weight(), watch).1)
    }

    /// Continues EM from a known mixture under these options, without any search: the value of another program's
    /// solution under the same objective.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn climb_from(&self, points: &Points, start: &GaussianMixture) -> Result<GaussianMixture> {
        self.check(points)?;
        let nu = match self.prior {
            Prior::Auto => SEARCHED_PRIORS[0],
            Prior::Records(nu) => nu,
        };
        let model = GaussianModel::new(&points.in_content_order(), self.covariance, nu)?;
        let start = start.clone().in_columns(&points.columns_by_name());
        let (weights, means) = (start.weights(), start.means());
        let mixture =
            model.coordinates.mixture_in(self.covariance, weights, means, &start.covariances);
        let end = climb(&model, mixture, model.max_steps());
        let found = found_by_climbing(end);
        Ok(shown(points, self.finished(&model, found, Vec::new(), &|_, _| {})))
    }

    /// The start called `name`, after `steps` steps of EM and without any search; `None` where the data do not
    /// allow it.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn from_start(
        &self,
        points: &Points,
        name: &str,
        steps: usize,
    ) -> Result<Option<GaussianMixture>> {
        self.check(points)?;
        let model =
            GaussianModel::new(&points.in_content_order(), self.covariance, self.search_prior())?;
        let starts = model.starts(self.options.check("the number of components")?);
        let start = starts.into_iter().find(|start| start.0 == name);
        Ok(start.map(|(_, mixture)| {
            let end = climb(&model, mixture, steps);
            let found = found_by_climbing(end);
            shown(points, self.finished(&model, found, Vec::new(), &|_, _| {}))
        }))
    }

    /// Number of searches that a fit makes one after the other.
    fn n_searches(&self) -> usize {
        let priors = if self.tries_priors() { SEARCHED_PRIORS.len() } else { 1 };
        priors + usize::from(self.options.n_components.is_none())
    }

    fn tries_priors(&self) -> bool {
        self.prior == Prior::Auto && self.covariance == Covariance::Full
    }

    fn search_prior(&self) -> f64 {
        match self.prior {
            Prior::Auto => SEARCHED_PRIORS[0],
            Prior::Records(nu) => nu.max(NEARLY_NO_PRIOR),
        }
    }

    fn check(&self, points: &Points) -> Result<()> {
        if let Prior::Records(nu) = self.prior
            && !(nu.is_finite() && nu >= 0.0)
        {
            return Err(option("the prior", "a number of at least 0", nu));
        }
        let k = self.options.check("the number of components")?;
        let weighted = (0..points.n_records()).filter(|&i| points.teaches(i)).count();
        if weighted < 2 {
            return Err(data(format!(
                "{weighted} record with a value and a positive weight (n_samples={}); a mixture needs at least 2",
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

    /// The search with the prior asked for; `part` reports the progress of each search.
    fn search<W: Fn(usize, usize) + Sync>(
        &self,
        model: &GaussianModel,
        k: usize,
        part: &dyn Fn(usize) -> W,
    ) -> (GaussianModel, Found<Mixture>) {
        let first = usize::from(self.options.n_components.is_none());
        let run = |model: &GaussianModel, number: usize| {
            let search = Search::new(model).effort(self.options.effort);
            search.without(&self.options.without).watch(&part(first + number)).fit(k)
        };
        match self.prior {
            Prior::Auto if self.tries_priors() && k > 1 => {
                let [heavy, light] = SEARCHED_PRIORS.map(|nu| model.with_prior(nu));
                let lightest = run(&light, 0);
                // Where starts agree even with little prior, a search with more of it ends at the same maximum.
                let (agreeing, n_starts) = lightest.agreement();
                let heaviest = match light.believes(agreeing, n_starts) {
                    true => climbed_on(&heavy, lightest.clone()),
                    false => run(&heavy, 1),
                };
                let climbed = CLIMBED_PRIORS.map(|nu| {
                    let model = model.with_prior(nu);
                    let found = climbed_on(&model, lightest.clone());
                    (model, found)
                });
                let mut fits = vec![(heavy, heaviest), (light, lightest)];
                fits.extend(climbed);
                best_prior(fits)
            }
            Prior::Records(nu) if nu < NEARLY_NO_PRIOR => {
                let found = run(model, 0);
                let model = model.with_prior(nu);
                let found = climbed_on(&model, found);
                (model, found)
            }
            _ => (model.clone(), run(model, 0)),
        }
    }

    /// The model with its error bars, and the components found again; `in_halves` watches the search for these.
    fn finished(
        &self,
        model: &GaussianModel,
        found: Found<Mixture>,
        path: Path,
        in_halves: Watch<'_>,
    ) -> GaussianMixture {
        let mixture = canonical(&found.parameters);
        let bars = self.options.error_bars.then(|| error_bars(model, &mixture));
        let mut fitted = GaussianMixture::new(model, &mixture, &found, bars, path);
        fitted.record.criterion = self.options.criterion;
        if self.options.error_bars {
            in_halves(0, 1);
            let halves = |split: usize| model.halves(mixture.k, split);
            let again = found_again(model, &mixture, self.options.effort, halves, in_halves);
            fitted.record.found_again = again.unwrap_or_default();
        }
        fitted
    }
}

/// Puts the variables of a fitted mixture, learned in the order of their names, into the order of the points.
fn shown(points: &Points, fitted: GaussianMixture) -> GaussianMixture {
    fitted.in_columns(&back(&points.columns_by_name()))
}

/// Components by falling weight.
fn canonical(mixture: &Mixture) -> Mixture {
    let mut order: Vec<usize> = (0..mixture.k).collect();
    order.sort_by(|&a, &b| mixture.weights()[b].total_cmp(&mixture.weights()[a]).then(a.cmp(&b)));
    mixture.reordered(&order)
}

/// Continues EM under the prior of `model` from the result under another weight of the prior.
fn climbed_on(model: &GaussianModel, mut found: Found<Mixture>) -> Found<Mixture> {
    let end = climb(model, found.parameters, model.max_steps());
    found.parameters = end.parameters;
    found.objective = end.objective;
    found.converged = end.converged;
    found.steps += end.steps;
    found
}

/// The fit whose prior explains held-out records better; ties go to the first.
fn best_prior(mut fits: Vec<(GaussianModel, Found<Mixture>)>) -> (GaussianModel, Found<Mixture>) {
    let scores: Vec<f64> =
        fits.iter().map(|(model, found)| held_out(model, &found.parameters)).collect();
    let best = (0..fits.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)));
    fits.swap_remove(best.unwrap_or(0))
}

/// Cross-validated log-likelihood: of each tenth of the records, under EM on the others started at the full solution.
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
    let groups = model.points().groups();
    let total = model.points().total_weight();
    let without = |g: usize| {
        let weights = groups.without(g);
        let records = weights.iter().filter(|&&w| w > 0.0).count();
        let left_out = weights.iter().sum::<f64>() < total;
        (left_out && records >= 2).then(|| model.reweighted(weights))
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
