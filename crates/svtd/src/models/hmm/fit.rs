//! Fitting: options, the search, the number of states, standard errors.

use super::chain::{Chain, dwell, stationary};
use super::fitted::{ErrorBars, Hmm};
use super::model::{HmmModel, in_units};
use super::sequences::{Emissions, Sequences};
use crate::error::Result;
use crate::models::columns::back;
use crate::models::engine::{
    Criteria, Criterion, Effort, Found, GROUPS, LatentModel, Search, climb, found_again, jackknife,
};
use crate::models::fitting::{FitOptions, Path, Watch, found_by_climbing, option, part_of};
use crate::models::gaussian::{data, dealt, fingerprint};

/// From this many sequences on, the jackknife leaves out whole sequences, and halves hold whole sequences.
const MANY_SEQUENCES: usize = 20;

/// Few sequences are cut into stretches of at least this many steps, which are dealt into halves.
const LEAST_STRETCH: usize = 10;

/// Halves are fitted only if each has at least this many steps for each state.
const STEPS_PER_STATE: usize = 10;

/// Options of a fit.
#[derive(Clone, Debug)]
pub struct HmmParams {
    options: FitOptions,
    prior: f64,
}

impl Hmm {
    /// Options for a model of `n_states` states.
    pub fn params(n_states: usize) -> HmmParams {
        HmmParams { options: FitOptions::fixed(n_states), prior: 1.0 }
    }

    /// Options for a model whose number of states the data choose, up to `most`.
    pub fn params_auto(most: usize) -> HmmParams {
        HmmParams { options: FitOptions::auto(most), ..Self::params(1) }
    }
}

impl HmmParams {
    /// The weight `a` of the prior; 0 is maximum likelihood.
    pub fn prior(mut self, a: f64) -> Self {
        self.prior = a;
        self
    }

    /// How much to search.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.options.effort = effort;
        self
    }

    /// The criterion by which the data choose the number of states.
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.options.criterion = criterion;
        self
    }

    /// Whether standard errors are computed, and states looked for in halves of the steps.
    pub fn error_bars(mut self, wanted: bool) -> Self {
        self.options.error_bars = wanted;
        self
    }

    /// Leaves out the starts of these names, to see what they are worth.
    pub fn without_starts(mut self, names: &[&str]) -> Self {
        self.options.without = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Learns a model.
    ///
    /// # Errors
    /// When the options are out of range, or the sequences cannot show transitions.
    pub fn fit(&self, sequences: &Sequences) -> Result<Hmm> {
        self.fit_watched(sequences, &|_, _| {})
    }

    /// As [`fit`](Self::fit), reporting progress to `watch`.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(&self, sequences: &Sequences, watch: Watch<'_>) -> Result<Hmm> {
        self.check(sequences)?;
        let model = HmmModel::new(sequences.in_content_order(), self.prior);
        let steps = model.n_rows() as f64;
        let chosen = usize::from(self.options.n_components.is_none());
        let searches = chosen + 1 + usize::from(self.prior == 0.0);
        // Error bars, and the search in halves.
        let parts = searches + 2 * usize::from(self.options.error_bars);
        let of = |part: usize| part_of(watch, part, parts);
        let (k, path) = match self.options.n_components {
            Some(k) => (k, Vec::new()),
            None => self.options.choose(&model, steps, &of(0)),
        };
        let (model, found) = self.search(model, k, &|part| of(chosen + part));
        let fitted = self.finished(&model, &found, path, &of(searches + 1));
        let fitted = shown(sequences, fitted);
        watch(parts, parts);
        Ok(fitted)
    }

    /// Before a fit: a sentence if the states asked for have more parameters than there are steps.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn doubt(&self, sequences: &Sequences) -> Result<Option<String>> {
        self.check(sequences)?;
        let model = HmmModel::new(sequences.in_content_order(), self.prior);
        Ok(self.options.doubt(&model, model.n_rows() as f64, ["steps", "states"]))
    }

    /// Criteria of every number of states up to `most`.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn sweep(&self, sequences: &Sequences, most: usize) -> Result<Vec<(usize, Criteria)>> {
        self.sweep_watched(sequences, most, &|_, _| {})
    }

    /// As [`sweep`](Self::sweep), reporting progress to `watch`.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn sweep_watched(
        &self,
        sequences: &Sequences,
        most: usize,
        watch: Watch<'_>,
    ) -> Result<Vec<(usize, Criteria)>> {
        let options = FitOptions { n_components: None, most, ..self.options.clone() };
        let wanted = Self { options, ..self.clone() };
        wanted.check(sequences)?;
        let model = HmmModel::new(sequences.in_content_order(), self.prior);
        Ok(wanted.options.choose(&model, model.n_rows() as f64, watch).1)
    }

    /// Continues EM from a known model under these options, without any search: the value of another program's
    /// solution under the same objective.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn climb_from(&self, sequences: &Sequences, start: &Hmm) -> Result<Hmm> {
        self.check(sequences)?;
        sequences.check_same(start.emissions, &start.names, &start.categories)?;
        let start = start.clone().in_columns(&sequences.columns_by_name());
        let model = HmmModel::new(sequences.in_content_order(), self.prior);
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
        let fitted = self.finished(&model, &found_by_climbing(end), Vec::new(), &|_, _| {});
        Ok(shown(sequences, fitted))
    }

    /// The start called `name`, after `steps` steps of EM and without any search; `None` where the data do not
    /// allow it.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn from_start(
        &self,
        sequences: &Sequences,
        name: &str,
        steps: usize,
    ) -> Result<Option<Hmm>> {
        self.check(sequences)?;
        let model = HmmModel::new(sequences.in_content_order(), self.prior);
        let starts = model.starts(self.options.check("the number of states")?);
        let start = starts.into_iter().find(|start| start.0 == name);
        Ok(start.map(|(_, chain)| {
            let end = climb(&model, chain, steps);
            shown(sequences, self.finished(&model, &found_by_climbing(end), Vec::new(), &|_, _| {}))
        }))
    }

    /// The model with its error bars, and the states found again; `in_halves` watches the search for these.
    fn finished(
        &self,
        model: &HmmModel,
        found: &Found<Chain>,
        path: Path,
        in_halves: Watch<'_>,
    ) -> Hmm {
        let chain = canonical(model, &found.parameters);
        let bars = self.options.error_bars.then(|| error_bars(model, &chain));
        let mut fitted = Hmm::new(model, &chain, found, bars, path);
        fitted.record.criterion = self.options.criterion;
        if self.options.error_bars {
            in_halves(0, 1);
            let halves = |split: usize| halves(model, chain.k, split);
            let again = found_again(model, &chain, self.options.effort, halves, in_halves);
            fitted.record.found_again = again.unwrap_or_default();
        }
        fitted
    }

    fn check(&self, sequences: &Sequences) -> Result<()> {
        if !(self.prior.is_finite() && self.prior >= 0.0) {
            return Err(option("the prior", "a number of at least 0", self.prior));
        }
        let k = self.options.check("the number of states")?;
        sequences.check_learnable()?;
        if k > sequences.n_steps() {
            return Err(data(format!(
                "{k} states asked of {} steps; ask for fewer states",
                sequences.n_steps()
            )));
        }
        Ok(())
    }

    /// The search; without a prior the solution with one is one more start. `part` watches the
    /// searches by number.
    fn search<W: Fn(usize, usize) + Sync>(
        &self,
        mut model: HmmModel,
        k: usize,
        part: &dyn Fn(usize) -> W,
    ) -> (HmmModel, Found<Chain>) {
        let mut number = 0;
        if self.prior == 0.0 && k > 1 {
            let mut smoothed = model.clone();
            smoothed.prior = 1.0;
            let found = Search::new(&smoothed)
                .effort(Effort::Best)
                .without(&self.options.without)
                .watch(&part(number))
                .fit(k);
            model.known.push(("with prior", found.parameters));
            number += 1;
        }
        let search = Search::new(&model).effort(self.options.effort).without(&self.options.without);
        let found = search.watch(&part(number)).fit(k);
        (model, found)
    }
}

/// Puts the variables of a fitted model, learned in the order of their names, into the order of the sequences.
fn shown(sequences: &Sequences, fitted: Hmm) -> Hmm {
    fitted.in_columns(&back(&sequences.columns_by_name()))
}

/// States by the mean of their first variable by name, rising, or by their share of the steps, falling,
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
/// of consecutive steps otherwise. Sequences are in the order of their content, so every twentieth is a group as
/// good as drawn.
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
    let estimates = |model: &HmmModel, chain: &Chain| with_error_bars(model, chain);
    let errors = jackknife(chain, without, estimates);
    ErrorBars::of(errors, chain.k, chain.width)
}

/// The model on two halves of the data: whole sequences where there are many, stretches of them otherwise,
/// dealt by content. `None` when they are too few or too short.
fn halves(model: &HmmModel, k: usize, split: usize) -> Option<[HmmModel; 2]> {
    let mut pieces = model.ranges();
    if pieces.len() < MANY_SEQUENCES {
        let stretch = model.n_rows().div_ceil(GROUPS).max(LEAST_STRETCH);
        let cut = |range: std::ops::Range<usize>| {
            let end = range.end;
            range.step_by(stretch).map(move |start| start..end.min(start + stretch))
        };
        pieces = pieces.into_iter().flat_map(cut).filter(|piece| piece.len() > 1).collect();
    }
    let content = |piece: &std::ops::Range<usize>| {
        let steps = piece.clone().flat_map(|t| model.sequences.step(t));
        fingerprint(&steps.copied().collect::<Vec<f64>>())
    };
    let keys: Vec<u64> = pieces.iter().map(content).collect();
    let halves = dealt(&keys, split).map(|half| -> Vec<std::ops::Range<usize>> {
        half.into_iter().map(|at| pieces[at].clone()).collect()
    });
    let long = |half: &Vec<std::ops::Range<usize>>| {
        half.iter().map(|piece| piece.len()).sum::<usize>() >= STEPS_PER_STATE * k
    };
    halves.iter().all(long).then(|| halves.map(|half| model.on(&half)))
}

/// What remains of a sequence around a gap.
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
pub(super) fn with_error_bars(model: &HmmModel, chain: &Chain) -> Vec<f64> {
    let k = chain.k;
    let mut numbers = chain.transitions().to_vec();
    for j in 0..k {
        numbers.extend(in_units(model, chain.emission(j)));
    }
    numbers.extend((0..k).map(|j| dwell(chain.transitions()[j * k + j])));
    numbers.extend(stationary(chain.transitions(), k));
    numbers
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
