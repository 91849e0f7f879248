//! A Gaussian mixture for the command line and the model file.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::fitted::{ErrorBars, GaussianMixture};
use super::points::{Points, data};
use super::shape::Covariance;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::models::columns::places;
use crate::models::engine::JACKKNIFE_FACTOR;
use crate::models::fitting::FitRecord;
use crate::models::learned::{
    Cells, Learned, Listing, Parts, array, check_distribution, found_again_columns, membership,
};
use crate::models::table::{Column, Table};
use crate::persist::container::Array;

impl GaussianMixture {
    /// A mixture from the pieces of its file.
    ///
    /// # Errors
    /// When a piece is missing or does not fit.
    pub(crate) fn from_parts(parts: &mut Parts) -> std::result::Result<Self, String> {
        let names: Vec<String> = parts.field("variables")?;
        let covariance: Covariance = parts.field("covariance")?;
        let (k, d) = (parts.length("weights"), names.len());
        let weights = parts.numbers("weights", k)?;
        check_distribution("weights", &weights)?;
        let means = by_rows(k, d, &parts.numbers("means", k * d)?);
        let n_matrices = if covariance == Covariance::Tied { 1 } else { k };
        let all = parts.numbers("covariances", n_matrices * d * d)?;
        let matrices =
            all.chunks_exact((d * d).max(1)).map(|m| Matrix::from_columns(d, d, m.to_vec()));
        let mut model =
            Self::from_parameters(names, covariance, weights, means, matrices.collect())
                .map_err(|error| format!("holds no mixture: {error}"))?;
        model.record = FitRecord::from_parts(parts)?;
        if let Some(errors) = parts.perhaps_numbers("weights_error", k)? {
            let means = by_rows(k, d, &parts.numbers("means_error", k * d)?);
            model.error_bars = Some(ErrorBars { weights: errors, means });
        }
        Ok(model)
    }

    fn components(&self) -> Listing {
        let bars = self.error_bars();
        let half = |x: f64| JACKKNIFE_FACTOR * x;
        let errors = (0..self.n_components()).map(|j| bars.map(|b| half(b.weights[j])));
        let mut columns = vec![
            numbered("component", self.n_components()),
            ("share".to_owned(), Cells::real(self.weights().iter().copied())),
            ("+-".to_owned(), Cells::Real(errors.collect())),
        ];
        columns.extend(found_again_columns(&self.record.found_again));
        Listing {
            name: "components",
            title: "the share of every component, with half its 95 % interval".to_owned(),
            columns,
        }
    }

    fn centres(&self) -> Listing {
        let d = self.names().len();
        let cells: Vec<(usize, usize)> =
            (0..self.n_components()).flat_map(|j| (0..d).map(move |a| (j, a))).collect();
        let bars = self.error_bars();
        let error = |&(j, a): &(usize, usize)| bars.map(|b| JACKKNIFE_FACTOR * b.means[(j, a)]);
        let deviation = |&(j, a): &(usize, usize)| self.covariance_of(j)[(a, a)].sqrt();
        Listing {
            name: "means",
            title: "mean of every variable in every component, half its 95 % interval, and the \
                    deviation of records around it"
                .to_owned(),
            columns: vec![
                ("component".to_owned(), whole(cells.iter().map(|(j, _)| j + 1))),
                ("variable".to_owned(), self.variable(cells.iter().map(|c| c.1))),
                ("mean".to_owned(), Cells::real(cells.iter().map(|&ja| self.means()[ja]))),
                ("+-".to_owned(), Cells::Real(cells.iter().map(error).collect())),
                ("deviation".to_owned(), Cells::real(cells.iter().map(deviation))),
            ],
        }
    }

    fn correlations(&self) -> Option<Listing> {
        let d = self.names().len();
        if !self.covariance().is_matrix() || d < 2 {
            return None;
        }
        let n = if self.covariance() == Covariance::Tied { 1 } else { self.n_components() };
        let cells: Vec<(usize, usize, usize)> = (0..n)
            .flat_map(|j| (0..d).flat_map(move |a| (a + 1..d).map(move |b| (j, a, b))))
            .collect();
        let value = |&(j, a, b): &(usize, usize, usize)| {
            let c = self.covariance_of(j);
            c[(a, b)] / (c[(a, a)] * c[(b, b)]).sqrt()
        };
        Some(Listing {
            name: "correlations",
            title: match n {
                1 => "correlations within every component".to_owned(),
                _ => "correlations within each component".to_owned(),
            },
            columns: vec![
                ("component".to_owned(), whole(cells.iter().map(|c| c.0 + 1))),
                ("variable".to_owned(), self.variable(cells.iter().map(|c| c.1))),
                ("other".to_owned(), self.variable(cells.iter().map(|c| c.2))),
                ("correlation".to_owned(), Cells::real(cells.iter().map(value))),
            ],
        })
    }

    fn variable(&self, places: impl Iterator<Item = usize>) -> Cells {
        Cells::Text(places.map(|a| self.names()[a].clone()).collect())
    }
}

impl Learned for GaussianMixture {
    fn kind(&self) -> &'static str {
        "gaussian"
    }

    fn component(&self) -> &'static str {
        "component"
    }

    fn n_components(&self) -> usize {
        self.weights().len()
    }

    fn log_likelihood(&self) -> f64 {
        self.record.criteria.log_likelihood
    }

    fn listings(&self) -> Vec<Listing> {
        [Some(self.components()), Some(self.centres()), self.correlations()]
            .into_iter()
            .flatten()
            .collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let prior = self.record.prior;
        let shape = format!("{}, prior of {prior} records", self.covariance().name());
        self.record.facts(("components", self.weights().len()), ("covariance", shape))
    }

    fn notes(&self) -> Vec<String> {
        self.record.notes.clone()
    }

    fn header(&self) -> Result<Map<String, Value>> {
        self.record.beside(json!({
            "variables": self.names(),
            "covariance": self.covariance(),
        }))
    }

    fn arrays(&self) -> BTreeMap<String, Array> {
        let (k, d) = (Learned::n_components(self), self.names().len());
        let covariances: Vec<f64> =
            self.covariances.iter().flat_map(|c| c.values()).copied().collect();
        let mut arrays = BTreeMap::from([
            ("weights".to_owned(), array(&[k], self.weights())),
            ("means".to_owned(), array(&[k, d], self.means().transpose().values())),
            ("covariances".to_owned(), array(&[self.covariances.len(), d, d], &covariances)),
        ]);
        if let Some(bars) = self.error_bars() {
            arrays.insert("weights_error".to_owned(), array(&[k], &bars.weights));
            let means = bars.means.transpose();
            arrays.insert("means_error".to_owned(), array(&[k, d], means.values()));
        }
        arrays
    }

    fn infer(&self, table: &Table) -> Result<Listing> {
        let points = Points::from_table(table, self.names(), None)?;
        let placed = GaussianMixture::infer(self, &points)?;
        let likeliest: Vec<usize> = (0..points.n_records())
            .map(|i| first_of_most(&placed.responsibilities.row(i)))
            .collect();
        let mut listing = membership("component", &placed.responsibilities, &likeliest);
        listing.columns.push(("log_density".to_owned(), Cells::real(placed.log_densities)));
        Ok(listing)
    }

    fn evaluate(&self, table: &Table) -> Result<Vec<(&'static str, f64)>> {
        let points = Points::from_table(table, self.names(), None)?;
        let placed = GaussianMixture::infer(self, &points)?;
        let total: f64 = placed.log_densities.iter().sum();
        let n = points.n_records() as f64;
        Ok(vec![
            ("records", n),
            ("log_likelihood", total),
            ("log_likelihood_per_record", total / n),
        ])
    }

    fn compare(&self, other: &dyn Learned) -> Result<Listing> {
        if other.kind() != self.kind() {
            return Err(data(format!("a mixture and a model of kind {} differ", other.kind())));
        }
        let other = Self::from_parts(&mut Parts::of(other)?).map_err(data)?;
        let Some(order) = places(&names_of(self), &names_of(&other)) else {
            return Err(data("the two mixtures are about other variables".to_owned()));
        };
        let other = other.in_columns(&order);
        // Distances of means in standard deviations of the first model's components.
        let distance = |i: usize, j: usize| -> f64 {
            let c = self.covariance_of(i);
            let square =
                |a: usize| (self.means()[(i, a)] - other.means()[(j, a)]).powi(2) / c[(a, a)];
            (0..self.names().len()).map(square).sum::<f64>().sqrt()
        };
        let (k, l) = (Learned::n_components(self), Learned::n_components(&other));
        let pairs = matched(k, l, distance);
        Ok(Listing {
            name: "components",
            title: "components that correspond: distance of their means in deviations, and shares"
                .to_owned(),
            columns: vec![
                ("old".to_owned(), whole(pairs.iter().map(|p| p.0 + 1))),
                ("new".to_owned(), whole(pairs.iter().map(|p| p.1 + 1))),
                ("distance".to_owned(), Cells::real(pairs.iter().map(|p| p.2))),
                ("old_share".to_owned(), Cells::real(pairs.iter().map(|p| self.weights()[p.0]))),
                ("new_share".to_owned(), Cells::real(pairs.iter().map(|p| other.weights()[p.1]))),
            ],
        })
    }

    fn draw(&self, n_records: usize, seed: u64) -> Result<Table> {
        let (values, _) = self.sample(n_records, seed);
        let d = self.names().len();
        let column = |a: usize| {
            let own: Vec<f64> = values.iter().skip(a).step_by(d).copied().collect();
            Column::from_numbers(self.names()[a].clone(), &own)
        };
        Table::new((0..d).map(column).collect())
    }
}

fn names_of(mixture: &GaussianMixture) -> Vec<&str> {
    mixture.names().iter().map(String::as_str).collect()
}

/// Pairs with the smallest distances, taken one after the other, none twice.
pub(crate) fn matched(
    k: usize,
    l: usize,
    distance: impl Fn(usize, usize) -> f64,
) -> Vec<(usize, usize, f64)> {
    let mut all: Vec<(usize, usize, f64)> = (0..k)
        .flat_map(|i| (0..l).map(move |j| (i, j)))
        .map(|(i, j)| (i, j, distance(i, j)))
        .collect();
    all.sort_by(|a, b| a.2.total_cmp(&b.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let mut taken: Vec<(usize, usize, f64)> = Vec::new();
    for pair in all {
        if taken.iter().all(|t| t.0 != pair.0 && t.1 != pair.1) {
            taken.push(pair);
        }
    }
    taken.sort_by_key(|t| t.0);
    taken
}

/// The index of the largest number; ties go to the first.
pub(crate) fn first_of_most(values: &[f64]) -> usize {
    let mut best = 0;
    for (j, v) in values.iter().enumerate() {
        if *v > values[best] {
            best = j;
        }
    }
    best
}

/// Whole numbers as cells.
pub(crate) fn whole(numbers: impl Iterator<Item = usize>) -> Cells {
    Cells::Whole(numbers.map(|n| n as i64).collect())
}

fn numbered(name: &str, n: usize) -> (String, Cells) {
    (name.to_owned(), whole(1..n + 1))
}

/// A matrix from its entries, row after row.
pub(crate) fn by_rows(n_rows: usize, n_columns: usize, values: &[f64]) -> Matrix {
    Matrix::from_fn(n_rows, n_columns, |i, j| values[i * n_columns + j])
}
