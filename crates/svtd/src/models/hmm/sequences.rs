//! Sequences: the data for a hidden Markov model.
//!
//! Steps of one or more sequences, one after the other, with the length of each. Every step has one or more
//! variables; a missing observation is NaN. Checks that do not depend on the fit are made here, once.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::models::columns::by_name;
use crate::models::engine::content_order;
use crate::models::gaussian::{compare_bits, data, fingerprint};
use crate::models::table::short_number;

/// The distribution of the observations in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Emissions {
    /// One category of each variable.
    Categorical,
    /// A count of each variable, Poisson distributed.
    Poisson,
    /// A real number of each variable, normally distributed; variables independent given the state.
    Gaussian,
    /// Counts of all symbols, from one multinomial distribution.
    Multinomial,
}

impl Emissions {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Emissions::Categorical => "categorical",
            Emissions::Poisson => "poisson",
            Emissions::Gaussian => "gaussian",
            Emissions::Multinomial => "multinomial",
        }
    }
}

/// Sequences of observations.
#[derive(Clone, Debug)]
pub struct Sequences {
    emissions: Emissions,
    names: Vec<String>,
    /// Categories of each variable; empty lists for counts and numbers.
    categories: Vec<Vec<String>>,
    lengths: Vec<usize>,
    /// Observations, step after step.
    values: Vec<f64>,
}

impl Sequences {
    /// Sequences of `lengths` steps, `n_variables` values to a step. Categories are codes
    /// `0, 1, ...`; NaN stands for a missing observation.
    ///
    /// # Errors
    /// When lengths and values do not fit, or a value is none that such emissions can have.
    pub fn new(
        emissions: Emissions,
        n_variables: usize,
        values: Vec<f64>,
        lengths: Vec<usize>,
    ) -> Result<Self> {
        let names = (1..=n_variables).map(|v| format!("x{v}")).collect();
        Self::named(emissions, names, values, lengths)
    }

    /// Sequences whose variables have these names, which errors mention.
    pub(super) fn named(
        emissions: Emissions,
        names: Vec<String>,
        values: Vec<f64>,
        lengths: Vec<usize>,
    ) -> Result<Self> {
        let n_variables = names.len();
        let steps: usize = lengths.iter().sum();
        if n_variables == 0 || values.is_empty() {
            return Err(data("there are no observations; is it the right file?".to_owned()));
        }
        if steps * n_variables != values.len() {
            return Err(data(format!(
                "the lengths of the sequences sum to {steps}, but there are {} steps",
                values.len() / n_variables
            )));
        }
        if let Some(s) = lengths.iter().position(|&l| l == 0) {
            return Err(data(format!("sequence {} is empty; leave it out", s + 1)));
        }
        let mut sequences =
            Self { emissions, names, categories: vec![Vec::new(); n_variables], lengths, values };
        sequences.check_values()?;
        if emissions == Emissions::Categorical {
            for v in 0..n_variables {
                let codes = sequences.variable(v).filter(|x| !x.is_nan());
                let most = codes.fold(-1.0, f64::max);
                sequences.categories[v] = (0..(most as i64 + 1)).map(|c| c.to_string()).collect();
            }
        }
        Ok(sequences)
    }

    /// The same sequences with names for their variables.
    ///
    /// # Errors
    /// When there is not one name for each variable.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.names.len() {
            return Err(data(format!(
                "{} names given for {} variables; give one name for each",
                names.len(),
                self.names.len()
            )));
        }
        self.names = names;
        Ok(self)
    }

    /// The same sequences with labels for the categories of each variable.
    ///
    /// # Errors
    /// When a code has no label.
    pub fn with_categories(mut self, categories: Vec<Vec<String>>) -> Result<Self> {
        if self.emissions != Emissions::Categorical || categories.len() != self.names.len() {
            return Err(data(format!(
                "{} lists of categories given for {} variables",
                categories.len(),
                self.names.len()
            )));
        }
        for (v, own) in categories.iter().enumerate() {
            if own.len() < self.categories[v].len() {
                return Err(data(format!(
                    "variable {} has category {} (counted from 0), but only {} are known",
                    self.names[v],
                    self.categories[v].len() - 1,
                    own.len()
                )));
            }
        }
        self.categories = categories;
        Ok(self)
    }

    /// The kind of the observations.
    pub fn emissions(&self) -> Emissions {
        self.emissions
    }

    /// Names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Labels of the categories of each variable; empty for counts and numbers.
    pub fn categories(&self) -> &[Vec<String>] {
        &self.categories
    }

    /// Number of steps of each sequence.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Number of steps in all.
    pub fn n_steps(&self) -> usize {
        self.values.len() / self.names.len()
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.names.len()
    }

    /// The observations of a step; NaN where missing.
    pub fn step(&self, t: usize) -> &[f64] {
        let d = self.names.len();
        &self.values[t * d..(t + 1) * d]
    }

    /// The observations of one variable.
    pub(super) fn variable(&self, v: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().skip(v).step_by(self.names.len()).copied()
    }

    /// Parts of the steps as separate sequences.
    pub(super) fn stretches(&self, stretches: &[std::ops::Range<usize>]) -> Self {
        let d = self.names.len();
        let values = stretches.iter().flat_map(|r| &self.values[r.start * d..r.end * d]);
        Self {
            values: values.copied().collect(),
            lengths: stretches.iter().map(|r| r.len()).collect(),
            ..self.clone_frame()
        }
    }

    /// The places of the variables in the order in which they are learned from.
    pub(super) fn columns_by_name(&self) -> Vec<usize> {
        by_name(self.names.iter().map(String::as_str))
    }

    /// The same sequences with their variables in another order.
    fn in_columns(&self, order: &[usize]) -> Self {
        let step = |t: usize| order.iter().map(move |&v| self.step(t)[v]);
        Self {
            emissions: self.emissions,
            names: order.iter().map(|&v| self.names[v].clone()).collect(),
            categories: order.iter().map(|&v| self.categories[v].clone()).collect(),
            lengths: self.lengths.clone(),
            values: (0..self.n_steps()).flat_map(step).collect(),
        }
    }

    /// The same sequences in the order of their content, and their variables by name: whatever order they came in,
    /// they are learned from in this one.
    pub(super) fn in_content_order(&self) -> Self {
        self.in_columns(&self.columns_by_name()).sorted_by_content()
    }

    fn sorted_by_content(&self) -> Self {
        let d = self.names.len();
        let mut start = 0;
        let range = |&length: &usize| {
            start += length;
            start - length..start
        };
        let ranges: Vec<std::ops::Range<usize>> = self.lengths.iter().map(range).collect();
        let values = |s: usize| &self.values[ranges[s].start * d..ranges[s].end * d];
        let compare = |a: usize, b: usize| compare_bits(values(a), values(b));
        let order = content_order(ranges.len(), |s| fingerprint(values(s)), compare);
        self.stretches(&order.into_iter().map(|s| ranges[s].clone()).collect::<Vec<_>>())
    }

    /// Everything except the observations.
    fn clone_frame(&self) -> Self {
        Self {
            emissions: self.emissions,
            names: self.names.clone(),
            categories: self.categories.clone(),
            lengths: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Returns an error for data from which no transition can be learned.
    pub(super) fn check_learnable(&self) -> Result<()> {
        if self.lengths.iter().all(|&l| l < 2) {
            return Err(data(
                "every sequence has length 1, so nothing says how states follow each other; fit a \
                 mixture model instead"
                    .to_owned(),
            ));
        }
        let counted = |x: &f64| !x.is_nan() && *x > 0.0;
        if self.emissions == Emissions::Multinomial && !self.values.iter().any(counted) {
            return Err(data(
                "every count is 0, so no symbol was ever observed; are these the right columns?"
                    .to_owned(),
            ));
        }
        for (v, name) in self.names.iter().enumerate() {
            let mut observed = self.variable(v).filter(|x| !x.is_nan());
            let Some(first) = observed.next() else {
                return Err(data(format!("variable {name} was never observed; leave it out")));
            };
            let constant = observed.all(|x| x == first);
            if constant && self.emissions != Emissions::Multinomial {
                return Err(data(match self.emissions {
                    Emissions::Categorical => format!(
                        "variable {name} has one category only, so states cannot differ in it"
                    ),
                    _ => format!(
                        "variable {name} is {} at every step, so states cannot differ in it",
                        short_number(first)
                    ),
                }));
            }
        }
        Ok(())
    }

    fn check_values(&self) -> Result<()> {
        let whole = |x: f64| x >= 0.0 && x.fract() == 0.0 && x < 9.0e15;
        let d = self.names.len();
        for (at, &x) in self.values.iter().enumerate() {
            if x.is_nan() {
                continue;
            }
            let needed = match self.emissions {
                Emissions::Gaussian if !x.is_finite() => "a finite number",
                Emissions::Categorical if !whole(x) || x > 1e6 => {
                    "a category numbered from 0 to a million"
                }
                Emissions::Poisson | Emissions::Multinomial if !whole(x) => "a count",
                _ => continue,
            };
            return Err(data(format!(
                "step {} has {} for variable {}; {} emissions need {needed}",
                at / d + 1,
                short_number(x),
                self.names[at % d],
                self.emissions.name(),
            )));
        }
        Ok(())
    }

    /// Returns an error for sequences of another kind than the model's.
    pub(super) fn check_same(
        &self,
        emissions: Emissions,
        names: &[String],
        categories: &[Vec<String>],
    ) -> Result<()> {
        if self.emissions != emissions || self.names.len() != names.len() {
            return Err(Error::Records {
                reason: format!(
                    "the sequences have {} {} variables, the model has {} {}",
                    self.names.len(),
                    self.emissions.name(),
                    names.len(),
                    emissions.name()
                ),
            });
        }
        for (v, own) in self.categories.iter().enumerate() {
            if own.len() > categories[v].len() {
                return Err(data(format!(
                    "variable {} has category {} (counted from 0), which the model has never \
                     seen: it knows {}",
                    names[v],
                    own.len() - 1,
                    categories[v].len()
                )));
            }
        }
        Ok(())
    }
}
