//! Fitting: options, the search, the number of states, standard errors.

use super::chain::{Chain, stationary};
use super::fitted::{ErrorBars, Hmm};
use super::model::HmmModel;
use super::sequences::{Emissions, Sequences};
use crate::error::{Error, Result};
use crate::models::engine::{
    Criteria, Criterion, Effort, Found, GROUPS, LatentModel, Search, climb, jackknife,
};
use crate::models::gaussian::data;

/// Sequences from which standard errors leave out whole sequences.
const MANY_SEQUENCES: usize = 20;

/// Options of a fit.
#[derive(Clone, Debug)]
pub struct HmmParams {
    n_states: Option<usize>,
    max_states: usize,
    prior: f64,
    effort: Effort,
    criterion: Criterion,
    error_bars: bool,
}

/// What a fit tells whoever watches: stages done, and stages in all.
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

impl Hmm {
    /// Options for a model of `n_states` states.
    pub fn params(n_states: usize) -> HmmParams {
        HmmParams {
            n_states: Some(n_states),
            max_states: 8,
            prior: 1.0,
            effort: Effort::default(),
            criterion: Criterion::default(),
            error_bars: true,
        }
    }

    /// Options for a model whose number of states the data choose, up to `most`.
    pub fn params_auto(most: usize) -> HmmParams {
        HmmParams { n_states: None, max_states: most, ..Self::params(1) }
    }
}

impl HmmParams {
    /// The weight `a` of the prior; 0 is maximum likelihood.
    pub fn prior(mut self, a: f64) -> Self {
        self.prior = a;
        self
    }

    /// How hard to search.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// The criterion by which the data choose the number of states.
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.criterion = criterion;
        self
    }

    /// Whether standard errors are computed.
    pub fn error_bars(mut self, wanted: bool) -> Self {
        self.error_bars = wanted;
        self
    }

    /// Learns a model.
    ///
    /// # Errors
    /// When the options are out of range, or the sequences cannot show transitions.
    pub fn fit(&self, sequences: &Sequences) -> Result<Hmm> {
        self.fit_watched(sequences, &|_, _| {})
    }

    /// As [`fit`](Self::fit), telling `watch` how far it is.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(&self, sequences: &Sequences, watch: Watch<'_>) -> Result<Hmm> {
        self.check(sequences)?;
        let model = HmmModel::new(sequences.clone(), self.prior);
        let (k, path) = match self.n_states {
            Some(k) => (k, Vec::new()),
            None => self.choose(&model, watch),
        };
        let (model, found) = self.search(model, k, watch);
        let chain = canonical(&model, &found.parameters);
        let bars = self.error_bars.then(|| error_bars(&model, &chain));
        Ok(Hmm::new(&model, &chain, &found, bars, path))
    }

    /// Criteria of every number of states up to `most`.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn sweep(&self, sequences: &Sequences, most: usize) -> Result<Vec<(usize, Criteria)>> {
        let wanted = Self { n_states: None, max_states: most, ..self.clone() };
        wanted.check(sequences)?;
        Ok(wanted.choose(&HmmModel::new(sequences.clone(), self.prior), &|_, _| {}).1)
    }

    /// Climbs from a known model under these options, without any search: what another program's
    /// solution comes to under the same objective.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn climb_from(&self, sequences: &Sequences, start: &Hmm) -> Result<Hmm> {
        self.check(sequences)?;
        sequences.check_same(start.emissions, &start.names, &start.categories)?;
        let model = HmmModel::new(sequences.clone(), self.prior);
        let width = model.observations.layout.width();
        let mut chain = Chain::zeros(start.n_states, width);
        chain.initial_mut().copy_from_slice(&start.initial);
        for i in 0..chain.k {
            let row = i * chain.k..(i + 1) * chain.k;
            chain.transitions_mut()[row].copy_from_slice(&start.transitions.row(i));
            let placed = out_of_units(&model, &start.emission(i));
            chain.emission_mut(i).copy_from_slice(&placed);
        }
        let end = climb(&model, chain, model.max_steps());
        let found = Found {
            parameters: end.parameters,
            objective: end.objective,
            converged: end.converged,
            starts: Vec::new(),
            steps: end.steps,
        };
        let chain = canonical(&model, &found.parameters);
        let bars = self.error_bars.then(|| error_bars(&model, &chain));
        Ok(Hmm::new(&model, &chain, &found, bars, Vec::new()))
    }

    fn check(&self, sequences: &Sequences) -> Result<()> {
        let option = |name, needed: &str, found: String| Error::Option {
            name,
            needed: needed.to_owned(),
            found,
        };
        if !(self.prior.is_finite() && self.prior >= 0.0) {
            return Err(option("the prior", "a number of at least 0", self.prior.to_string()));
        }
        let k = self.n_states.unwrap_or(1);
        if k == 0 || self.max_states == 0 {
            return Err(option("the number of states", "at least 1", "0".to_owned()));
        }
        sequences.check_learnable()?;
        if k > sequences.n_steps() {
            return Err(data(format!(
                "{k} states asked of {} steps; ask for fewer states",
                sequences.n_steps()
            )));
        }
        Ok(())
    }

    fn choose(&self, model: &HmmModel, watch: Watch<'_>) -> (usize, Vec<(usize, Criteria)>) {
        let most = self.max_states.min(model.n_rows());
        let found = Search::new(model).effort(Effort::Best).watch(&watch).path(1..=most);
        let steps = model.n_rows() as f64;
        let criteria: Vec<(usize, Criteria)> = (1..)
            .zip(&found)
            .map(|(k, found)| {
                let log_likelihood = model.log_likelihood(&found.parameters);
                (k, Criteria::new(log_likelihood, model.n_free_parameters(k), steps))
            })
            .collect();
        let best = criteria.iter().min_by(|a, b| {
            a.1.get(self.criterion).total_cmp(&b.1.get(self.criterion)).then(a.0.cmp(&b.0))
        });
        (best.map_or(1, |(k, _)| *k), criteria)
    }

    /// The search; without a prior the solution with one is one more start.
    fn search(&self, mut model: HmmModel, k: usize, watch: Watch<'_>) -> (HmmModel, Found<Chain>) {
        if self.prior == 0.0 && k > 1 {
            let mut smoothed = model.clone();
            smoothed.prior = 1.0;
            let found = Search::new(&smoothed).effort(Effort::Best).fit(k);
            model.known.push(("with prior", found.parameters));
        }
        let found = Search::new(&model).effort(self.effort).watch(&watch).fit(k);
        (model, found)
    }
}

/// States by the mean of their first variable, rising, or by their share of the steps, falling,
/// where emissions have no order.
fn canonical(model: &HmmModel, chain: &Chain) -> Chain {
    let law = stationary(chain.transitions(), chain.k);
    let key = |j: usize| match model.observations.layout.emissions {
        Emissions::Poisson | Emissions::Gaussian => chain.emission(j)[0],
        Emissions::Categorical | Emissions::Multinomial => -law[j],
    };
    let mut order: Vec<usize> = (0..chain.k).collect();
    order.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    chain.reordered(&order)
}

/// Standard errors by the delete-a-group jackknife: whole sequences where there are many, blocks
/// of consecutive steps otherwise.
fn error_bars(model: &HmmModel, chain: &Chain) -> ErrorBars {
    let ranges = model.ranges();
    let n = model.n_rows();
    let without = |g: usize| {
        let kept: Vec<std::ops::Range<usize>> = if ranges.len() >= MANY_SEQUENCES {
            let others = ranges.iter().enumerate().filter(|(s, _)| s % GROUPS != g);
            others.map(|(_, range)| range.clone()).collect()
        } else {
            let gap = g * n / GROUPS..(g + 1) * n / GROUPS;
            ranges.iter().flat_map(|range| around(range, &gap)).collect()
        };
        let steps: usize = kept.iter().map(|r| r.len()).sum();
        (steps > 1 && steps < n).then(|| model.on(&kept))
    };
    let estimates = |model: &HmmModel, chain: &Chain| told(model, chain);
    let errors = jackknife(chain, without, estimates);
    ErrorBars::of(errors, chain.k, chain.width)
}

/// What is left of a sequence around a gap.
fn around(
    range: &std::ops::Range<usize>,
    gap: &std::ops::Range<usize>,
) -> Vec<std::ops::Range<usize>> {
    let before = range.start..range.end.min(gap.start);
    let after = range.start.max(gap.end)..range.end;
    [before, after].into_iter().filter(|r| !r.is_empty()).collect()
}

/// The numbers that get error bars: transitions, emissions in the data's units, dwell times,
/// stationary law.
pub(super) fn told(model: &HmmModel, chain: &Chain) -> Vec<f64> {
    let k = chain.k;
    let mut numbers = chain.transitions().to_vec();
    for j in 0..k {
        numbers.extend(in_units(model, chain.emission(j)));
    }
    numbers.extend((0..k).map(|j| dwell(chain.transitions()[j * k + j])));
    numbers.extend(stationary(chain.transitions(), k));
    numbers
}

/// Emission parameters in the units of the data.
pub(super) fn in_units(model: &HmmModel, emission: &[f64]) -> Vec<f64> {
    let layout = &model.observations.layout;
    if layout.emissions != Emissions::Gaussian {
        return emission.to_vec();
    }
    let units = &model.observations.units;
    let means = (0..layout.d).map(|v| units[v].0 + units[v].1 * emission[v]);
    let variances = (0..layout.d).map(|v| units[v].1.powi(2) * emission[layout.d + v]);
    means.chain(variances).collect()
}

/// Emission parameters in the units of the fit.
fn out_of_units(model: &HmmModel, emission: &[f64]) -> Vec<f64> {
    let layout = &model.observations.layout;
    if layout.emissions != Emissions::Gaussian {
        return emission.to_vec();
    }
    let units = &model.observations.units;
    let means = (0..layout.d).map(|v| (emission[v] - units[v].0) / units[v].1);
    let variances = (0..layout.d).map(|v| emission[layout.d + v] / units[v].1.powi(2));
    means.chain(variances).collect()
}

/// Expected number of steps that a state lasts once entered.
pub(super) fn dwell(stay: f64) -> f64 {
    1.0 / (1.0 - stay).max(1e-12)
}
