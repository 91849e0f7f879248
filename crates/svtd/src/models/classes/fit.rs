//! `LatentClass::params(k).fit(&records)`: from records to classes with error bars.

use super::data::Records;
use super::diagnostics::{Summary, criteria_of, summarise};
use super::fitted::LatentClass;
use super::model::ClassModel;
use super::options::{ClassCount, ClassOptions};
use super::parameters::ClassParameters;
use crate::error::{Error, Result};
use crate::models::columns::back;
use crate::models::engine::{
    Criteria, Criterion, Effort, Found, LatentModel, Search, climb, found_again, jackknife,
};
use crate::models::fitting::part_of;

/// The largest number of classes that the data may choose.
pub const MAX_CHOSEN: usize = 12;

/// Number of further numbers of classes tried beyond the best one.
const PATIENCE: usize = 2;

/// The options of a fit, as a builder.
#[derive(Clone, Debug)]
pub struct ClassParams {
    options: ClassOptions,
}

impl LatentClass {
    /// The options of a fit of `k` classes.
    pub fn params(k: usize) -> ClassParams {
        ClassParams::new(ClassCount::Fixed(k))
    }

    /// The options of a fit whose number of classes the data choose.
    pub fn auto() -> ClassParams {
        ClassParams::new(ClassCount::Auto { most: MAX_CHOSEN })
    }
}

impl ClassParams {
    fn new(classes: ClassCount) -> Self {
        Self {
            options: ClassOptions {
                classes,
                prior: 1.0,
                effort: Effort::default(),
                criterion: Criterion::default(),
                error_bars: true,
            },
        }
    }

    /// Weight of the prior record in every class; 0 is maximum likelihood.
    pub fn prior(mut self, prior: f64) -> Self {
        self.options.prior = prior;
        self
    }

    /// How much to search.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.options.effort = effort;
        self
    }

    /// The criterion that chooses the number of classes.
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.options.criterion = criterion;
        self
    }

    /// Whether standard errors are computed, and classes looked for in halves of the records, which takes three to
    /// four times as long as the search: `benches/record/models.md`.
    pub fn error_bars(mut self, wanted: bool) -> Self {
        self.options.error_bars = wanted;
        self
    }

    /// Learns classes.
    ///
    /// # Errors
    /// When the options are out of range, or there are too few records for that many classes.
    pub fn fit(&self, records: &Records) -> Result<LatentClass> {
        self.fit_watched(records, &|_, _| {})
    }

    /// As [`fit`](Self::fit), reporting how many stages are done, of how many.
    ///
    /// # Errors
    /// As [`ClassParams::fit`].
    pub fn fit_watched(
        &self,
        records: &Records,
        watch: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<LatentClass> {
        self.check(records)?;
        let order = records.columns_by_name();
        let model = ClassModel::new(records.in_columns(&order), self.options.prior);
        // The search, the error bars, and the search in halves, which takes longest.
        let parts = if self.options.error_bars { 3 } else { 1 };
        let searching = part_of(watch, 0, parts);
        let search = Search::new(&model).effort(self.options.effort).watch(&searching);
        let (found, tried) = match self.options.classes {
            ClassCount::Fixed(k) => (search.fit(k), Vec::new()),
            ClassCount::Auto { most } => self.choose(&model, &search, most),
        };
        let fitted = self.finished(&model, found, tried, &|part, done, of| {
            watch(part * of + done, parts * of);
        });
        watch(parts, parts);
        Ok(fitted.in_columns(&back(&order)))
    }

    /// Classes for every number of a range, each as from [`ClassParams::fit`] but without error bars.
    ///
    /// # Errors
    /// As [`ClassParams::fit`].
    pub fn path(
        &self,
        records: &Records,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<Vec<LatentClass>> {
        let largest = Self {
            options: ClassOptions {
                classes: ClassCount::Fixed(*range.end()),
                ..self.options.clone()
            },
        };
        largest.check(records)?;
        let order = records.columns_by_name();
        let model = ClassModel::new(records.in_columns(&order), self.options.prior);
        let found = Search::new(&model).effort(self.options.effort).path(range);
        let plain = Self { options: ClassOptions { error_bars: false, ..self.options.clone() } };
        Ok(found
            .into_iter()
            .map(|found| plain.finished(&model, found, Vec::new(), &|_, _, _| {}))
            .map(|fitted| fitted.in_columns(&back(&order)))
            .collect())
    }

    fn check(&self, records: &Records) -> Result<()> {
        let option = |name, needed: &str, found: String| {
            Err(Error::Option { name, needed: needed.to_owned(), found })
        };
        if !(self.options.prior.is_finite() && self.options.prior >= 0.0) {
            return option("prior", "a number of at least 0", self.options.prior.to_string());
        }
        let k = match self.options.classes {
            ClassCount::Fixed(k) => k,
            ClassCount::Auto { most } => most.min(1),
        };
        if k == 0 {
            return option("the number of classes", "at least 1", "0".to_owned());
        }
        let n = records.n_dealt();
        if k > n {
            return Err(Error::Records {
                reason: format!("{k} classes asked of {n} records; ask for fewer classes"),
            });
        }
        if k > records.n_patterns() {
            return Err(Error::Records {
                reason: format!(
                    "{k} classes asked of records with {} different patterns of answers; ask for \
                     {} or fewer",
                    records.n_patterns(),
                    records.n_patterns()
                ),
            });
        }
        Ok(())
    }

    /// The number of classes with the smallest criterion, and the criteria tried.
    fn choose(
        &self,
        model: &ClassModel,
        search: &Search<'_, ClassModel>,
        most: usize,
    ) -> (Found<ClassParameters>, Vec<Criteria>) {
        let criteria = |found: &Found<ClassParameters>| criteria_of(model, &found.parameters);
        let criterion = self.options.criterion;
        let mut tried: Vec<Criteria> = Vec::new();
        let most = most.min(model.records.n_patterns());
        let mut path = search.path_while(most, |found| {
            tried.push(criteria(found));
            tried.len() <= best_of(&tried, criterion) + PATIENCE
        });
        let best = best_of(&tried, criterion);
        (path.swap_remove(best), tried)
    }

    fn finished(
        &self,
        model: &ClassModel,
        mut found: Found<ClassParameters>,
        tried: Vec<Criteria>,
        report: &(dyn Fn(usize, usize, usize) + Sync),
    ) -> LatentClass {
        let order = found.parameters.canonical_order();
        found.parameters = found.parameters.reordered(&order);
        report(1, 0, 1);
        let errors = self.options.error_bars.then(|| standard_errors(model, &found.parameters));
        let mut summary: Summary = summarise(model, &found, tried);
        if self.options.error_bars {
            report(2, 0, 1);
            let halves = |split: usize| {
                Some(model.records.halves(split)?.map(|weights| model.reweighted(weights)))
            };
            let in_halves = |done: usize, of: usize| report(2, done, of);
            let again =
                found_again(model, &found.parameters, self.options.effort, halves, &in_halves);
            summary.found_again = again.unwrap_or_default();
        }
        LatentClass::new(
            model.records.items().to_vec(),
            found.parameters,
            errors,
            summary,
            self.options.clone(),
        )
    }
}

/// The index of the smallest criterion; ties go to the first.
fn best_of(tried: &[Criteria], criterion: Criterion) -> usize {
    let value = |place: usize| tried[place].get(criterion);
    (0..tried.len()).min_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b))).unwrap_or(0)
}

/// Standard errors of all parameters, by the delete-a-group jackknife.
///
/// With very many patterns a part of them is used, and the errors are scaled by the square root of its share of the
/// records.
fn standard_errors(model: &ClassModel, parameters: &ClassParameters) -> ClassParameters {
    let part = model.coarse();
    let on = part.as_ref().unwrap_or(model);
    let start = match &part {
        None => parameters.clone(),
        Some(part) => climb(part, parameters.clone(), 400).parameters,
    };
    let groups = on.records.groups();
    let without = |g: usize| {
        let weights = groups.without(g);
        weights.iter().any(|&w| w > 0.0).then(|| on.reweighted(weights))
    };
    let flat = jackknife(&start, without, |model: &ClassModel, p| model.flatten(p));
    let scale = (on.records.total_weight() / model.records.total_weight()).sqrt();
    let mut flat = flat.into_iter().map(|error| error * scale);
    let mut take = |n: usize| -> Vec<f64> { flat.by_ref().take(n).collect() };
    ClassParameters {
        shares: take(parameters.shares.len()),
        probabilities: take(parameters.probabilities.len()),
        centres: take(parameters.centres.len()),
        variances: take(parameters.variances.len()),
    }
}
