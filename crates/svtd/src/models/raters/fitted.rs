//! `Raters::params().fit(&ratings)`, and its result.

use serde::{Deserialize, Serialize};

use super::data::{RaterColumns, Ratings};
use super::em::{RaterModel, RaterParameters};
use crate::error::{Error, Result};
use crate::linalg::Matrix;
use crate::models::classes::Estimate;
use crate::models::engine::{
    Climbed, Criteria, GROUPS, LatentModel, StartEnd, climb, jackknife, relative_entropy,
};

/// A rater with fewer ratings than this is hardly known.
const FEW_RATINGS: usize = 10;

/// The options of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaterOptions {
    /// Weight of the prior ratings for every rater and true label; 0 is maximum likelihood.
    pub prior: f64,
    /// Whether standard errors are computed.
    pub error_bars: bool,
    /// The columns of item, rater and label.
    pub columns: [String; 3],
}

/// The diagnostics of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaterSummary {
    /// Log-likelihood and information criteria; records are items.
    pub criteria: Criteria,
    /// The objective reached.
    pub objective: f64,
    /// Whether EM converged.
    pub converged: bool,
    /// The results of the two starts.
    pub starts: Vec<StartEnd>,
    /// 1 when every item's label is certain, 0 when all labels are equally likely.
    pub relative_entropy: f64,
    /// Number of ratings of each rater.
    pub n_ratings: Vec<usize>,
    /// Number of items.
    pub n_items: usize,
    /// Number of rows without an item, a rater or a label, which were skipped.
    pub n_missing: usize,
    /// Further notes for the user.
    pub notes: Vec<String>,
}

/// The options of a fit, as a builder.
#[derive(Clone, Debug)]
pub struct RaterParams {
    options: RaterOptions,
}

/// Raters learned from their ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct Raters {
    pub(super) raters: Vec<String>,
    pub(super) labels: Vec<String>,
    pub(super) parameters: RaterParameters,
    /// Standard errors of shares, confusions and accuracies, one after the other.
    pub(super) errors: Option<Vec<f64>>,
    pub(super) summary: RaterSummary,
    pub(super) options: RaterOptions,
}

impl RaterParams {
    /// Weight of the prior ratings; 0 is maximum likelihood.
    pub fn prior(mut self, prior: f64) -> Self {
        self.options.prior = prior;
        self
    }

    /// Whether standard errors are computed.
    pub fn error_bars(mut self, wanted: bool) -> Self {
        self.options.error_bars = wanted;
        self
    }

    /// The names of the columns, which the model stores.
    pub fn columns(mut self, columns: &RaterColumns) -> Self {
        self.options.columns = [columns.item.clone(), columns.rater.clone(), columns.label.clone()];
        self
    }

    /// Learns raters.
    ///
    /// # Errors
    /// When the prior is negative or no number.
    pub fn fit(&self, ratings: &Ratings) -> Result<Raters> {
        let prior = self.options.prior;
        if !(prior.is_finite() && prior >= 0.0) {
            return Err(Error::Option {
                name: "prior",
                needed: "a number of at least 0".to_owned(),
                found: prior.to_string(),
            });
        }
        let ratings = ratings.in_content_order();
        let model = RaterModel::new(ratings.clone(), prior);
        let k = ratings.labels.len();
        let ends: Vec<(&'static str, Climbed<RaterParameters>)> = (model.starts(k).into_iter())
            .map(|(name, start)| (name, climb(&model, start, model.max_steps())))
            .collect();
        let best = (0..ends.len())
            .max_by(|&a, &b| ends[a].1.objective.total_cmp(&ends[b].1.objective).then(b.cmp(&a)))
            .unwrap_or(0);
        let found = ends[best].1.clone();
        let errors = self.options.error_bars.then(|| {
            let without = |g| ratings.without(g, GROUPS).map(|part| RaterModel::new(part, prior));
            jackknife(&found.parameters, without, |model: &RaterModel, p| {
                let mut all = model.flatten(p);
                all.extend(accuracies(p));
                all
            })
        });
        let summary = summarise(&model, &found, &ends);
        Ok(Raters {
            raters: ratings.raters.clone(),
            labels: ratings.labels.clone(),
            parameters: found.parameters,
            errors,
            summary,
            options: self.options.clone(),
        })
    }
}

fn summarise(
    model: &RaterModel,
    found: &Climbed<RaterParameters>,
    ends: &[(&'static str, Climbed<RaterParameters>)],
) -> RaterSummary {
    let ratings = &model.ratings;
    let k = ratings.labels.len();
    let mut n_ratings = vec![0; ratings.raters.len()];
    ratings.ratings.iter().for_each(|&(rater, _)| n_ratings[rater as usize] += 1);
    let near = 1e-6 * found.objective.abs().max(1.0);
    let starts = ends.iter().map(|(name, end)| StartEnd {
        name: (*name).to_owned(),
        objective: end.objective,
        reached: found.objective - end.objective <= near,
    });
    let mut notes = Vec::new();
    if ratings.n_missing > 0 {
        notes.push(format!(
            "{} rows lack an item, a rater or a label and were passed over",
            ratings.n_missing
        ));
    }
    let few = n_ratings.iter().filter(|&&n| n < FEW_RATINGS).count();
    if few > 0 {
        notes.push(format!(
            "{few} raters gave fewer than {FEW_RATINGS} ratings; of them the prior says most"
        ));
    }
    if ratings.raters.len() < 3 {
        notes.push(
            "with two raters alone, who is right cannot be told apart from who is wrong; add a third"
                .to_owned(),
        );
    }
    if !found.converged {
        notes.push("the climb had not converged when its steps were spent".to_owned());
    }
    let r = model.responsibilities(&found.parameters);
    RaterSummary {
        criteria: Criteria::new(
            model.log_likelihood(&found.parameters),
            model.n_free_parameters(k),
            ratings.n_items() as f64,
        ),
        objective: found.objective,
        converged: found.converged,
        starts: starts.collect(),
        relative_entropy: relative_entropy(&r, None),
        n_ratings,
        n_items: ratings.n_items(),
        n_missing: ratings.n_missing,
        notes,
    }
}

/// How often each rater is right: the diagonal of the confusions, weighted by the label shares.
fn accuracies(p: &RaterParameters) -> Vec<f64> {
    let k = p.shares.len();
    let right = |own: &[f64]| (0..k).map(|t| p.shares[t] * own[t * k + t]).sum();
    p.confusions.chunks_exact(k * k).map(right).collect()
}

impl Raters {
    /// The options of a fit.
    pub fn params() -> RaterParams {
        let columns = RaterColumns::default();
        RaterParams {
            options: RaterOptions {
                prior: 1.0,
                error_bars: true,
                columns: [columns.item, columns.rater, columns.label],
            },
        }
    }

    /// The raters' names.
    pub fn raters(&self) -> &[String] {
        &self.raters
    }

    /// The labels.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// All parameters.
    pub fn parameters(&self) -> &RaterParameters {
        &self.parameters
    }

    /// The diagnostics of the fit.
    pub fn summary(&self) -> &RaterSummary {
        &self.summary
    }

    /// The columns that ratings are read from.
    pub fn columns(&self) -> RaterColumns {
        let [item, rater, label] = self.options.columns.clone();
        RaterColumns { item, rater, label }
    }

    fn error(&self, place: usize) -> Option<f64> {
        self.errors.as_ref().map(|errors| errors[place])
    }

    /// The share of label `t`.
    pub fn share(&self, t: usize) -> Estimate {
        Estimate { value: self.parameters.shares[t], error: self.error(t) }
    }

    /// How often rater `r` is right.
    pub fn accuracy(&self, r: usize) -> Estimate {
        let k = self.labels.len();
        let place = k + self.parameters.confusions.len() + r;
        Estimate { value: accuracies(&self.parameters)[r], error: self.error(place) }
    }

    /// How often rater `r` gives label `l` to an item of true label `t`.
    pub fn confusion(&self, r: usize, t: usize, l: usize) -> Estimate {
        let k = self.labels.len();
        let place = (r * k + t) * k + l;
        Estimate { value: self.parameters.confusions[place], error: self.error(k + place) }
    }

    /// The probability of every label for every item of `ratings`, and each item's log-likelihood.
    pub fn infer(&self, ratings: &Ratings) -> (Matrix, Vec<f64>) {
        let model = RaterModel::new(ratings.clone(), 0.0);
        (model.responsibilities(&self.parameters), model.log_likelihoods(&self.parameters))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardUniform};

    use super::*;
    use crate::models::table::{Column, Table};

    /// `n` items, raters of given accuracy, three labels; each rater rates half of the items.
    fn drawn(n: usize, accuracies: &[f64], seed: u64) -> (Table, Vec<usize>) {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut uniform = move || -> f64 { StandardUniform.sample(&mut generator) };
        let names = ["benign", "malign", "unclear"];
        let mut cells: [Vec<Option<String>>; 3] = Default::default();
        let mut truth = Vec::new();
        for item in 0..n {
            let label = (uniform() * uniform() * 3.0) as usize;
            truth.push(label);
            for (rater, accuracy) in accuracies.iter().enumerate() {
                if uniform() < 0.5 {
                    continue;
                }
                let right = uniform() < *accuracy;
                let said = if right { label } else { (label + 1 + (uniform() * 2.0) as usize) % 3 };
                cells[0].push(Some(format!("slide {item}")));
                cells[1].push(Some(format!("r{rater:02}")));
                cells[2].push(Some(names[said].to_owned()));
            }
        }
        let [items, raters, labels] = cells;
        let columns = vec![
            Column::from_cells("item", items),
            Column::from_cells("rater", raters),
            Column::from_cells("label", labels),
        ];
        (Table::new(columns).unwrap(), truth)
    }

    #[test]
    fn raters_are_known_within_their_error_bars_without_a_gold_standard() {
        let accuracies = [0.95, 0.9, 0.8, 0.7, 0.6, 0.45, 0.85];
        let (table, truth) = drawn(800, &accuracies, 3);
        let ratings = Ratings::from_table(&table, &RaterColumns::default()).unwrap();
        let found = Raters::params().fit(&ratings).unwrap();
        for (r, accuracy) in accuracies.iter().enumerate() {
            let Estimate { value, error } = found.accuracy(r);
            let error = error.unwrap();
            assert!(error < 0.06, "{error}");
            assert!((value - accuracy).abs() < 4.0 * error + 0.02, "{r}: {value} +- {error}");
        }
        let (posterior, _) = found.infer(&ratings);
        let right = (0..ratings.n_items()).filter(|&u| {
            let item: usize = ratings.items[u].trim_start_matches("slide ").parse().unwrap();
            let row = posterior.row(u);
            (0..3).all(|t| row[truth[item]] >= row[t])
        });
        assert!(right.count() as f64 > 0.85 * ratings.n_items() as f64);
    }

    #[test]
    fn moments_find_what_a_misled_majority_does_not() {
        // Three of ten raters are good; the others prefer one label whatever they see.
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut uniform = move || -> f64 { StandardUniform.sample(&mut rng) };
        let mut cells: [Vec<Option<String>>; 3] = Default::default();
        for item in 0..600 {
            let truth = usize::from(uniform() < 0.5);
            for rater in 0..10 {
                let p = if rater < 3 { [0.05, 0.95] } else { [0.75, 0.85] };
                let said = usize::from(uniform() < p[truth]);
                cells[0].push(Some(item.to_string()));
                cells[1].push(Some(rater.to_string()));
                cells[2].push(Some(["no", "yes"][said].to_owned()));
            }
        }
        let [items, raters, labels] = cells;
        let table = Table::new(vec![
            Column::from_cells("item", items),
            Column::from_cells("rater", raters),
            Column::from_cells("label", labels),
        ])
        .unwrap();
        let ratings = Ratings::from_table(&table, &RaterColumns::default()).unwrap();
        let found = Raters::params().error_bars(false).fit(&ratings).unwrap();
        assert!(found.accuracy(0).value > 0.9, "{:?}", found.accuracy(0));
        assert!(found.summary().starts.iter().any(|s| s.name == "moments" && s.reached));
    }

    #[test]
    fn ratings_that_cannot_be_compared_are_refused_in_a_sentence() {
        let table = |rows: &[[&str; 3]]| {
            let column = |at: usize, name: &str| {
                Column::from_cells(name, rows.iter().map(|row| Some(row[at])))
            };
            Table::new(vec![column(0, "item"), column(1, "rater"), column(2, "label")]).unwrap()
        };
        let cases: [(&[[&str; 3]], &str); 3] = [
            (&[["1", "a", "x"], ["1", "b", "x"]], "two different labels"),
            (&[["1", "a", "x"], ["2", "a", "y"]], "at least two are needed"),
            (&[["1", "a", "x"], ["2", "b", "y"]], "no item is rated twice"),
        ];
        for (rows, said) in cases {
            let refused = Ratings::from_table(&table(rows), &RaterColumns::default());
            assert!(refused.unwrap_err().to_string().contains(said));
        }
    }
}
