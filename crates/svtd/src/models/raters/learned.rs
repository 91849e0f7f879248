//! Raters for the command line, the model file and Python.

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardUniform};
use serde_json::{Map, Value};

use super::data::Ratings;
use super::em::RaterParameters;
use super::fitted::Raters;
use crate::error::{Error, Result};
use crate::models::learned::{Cells, Learned, Listing, Parts, array, check_distribution, json_of};
use crate::models::table::{Column, Table};
use crate::persist::container::Array;

impl Raters {
    /// Raters from the parts of a model file.
    ///
    /// # Errors
    /// The end of a sentence about the file, when pieces are missing or do not fit each other.
    pub(crate) fn from_parts(parts: &mut Parts) -> std::result::Result<Self, String> {
        let raters: Vec<String> = parts.field("raters")?;
        let labels: Vec<String> = parts.field("labels")?;
        let (k, n) = (labels.len(), raters.len());
        if k == 0 || n == 0 {
            return Err("has no raters".to_owned());
        }
        let parameters = RaterParameters {
            shares: parts.numbers("shares", k)?,
            confusions: parts.numbers("confusions", n * k * k)?,
        };
        check_distribution("shares", &parameters.shares)?;
        for row in parameters.confusions.chunks_exact(k) {
            check_distribution("confusions", row)?;
        }
        let errors = parts.perhaps_numbers("errors", k + n * k * k + n)?;
        let summary = parts.field("summary")?;
        let options = parts.field("options")?;
        Ok(Self { raters, labels, parameters, errors, summary, options })
    }

    fn raters_listing(&self) -> Listing {
        let all: Vec<_> = (0..self.raters.len()).map(|r| self.accuracy(r)).collect();
        let ratings = self.summary.n_ratings.iter().map(|&n| n as i64).collect();
        Listing {
            name: "raters",
            title: "how often every rater is right, with standard errors".to_owned(),
            columns: vec![
                ("rater".to_owned(), Cells::Text(self.raters.clone())),
                ("ratings".to_owned(), Cells::Whole(ratings)),
                ("accuracy".to_owned(), Cells::real(all.iter().map(|e| e.value))),
                ("error".to_owned(), Cells::Real(all.iter().map(|e| e.error).collect())),
            ],
        }
    }

    fn labels_listing(&self) -> Listing {
        let all: Vec<_> = (0..self.labels.len()).map(|t| self.share(t)).collect();
        Listing {
            name: "labels",
            title: "how common every label is, with standard errors".to_owned(),
            columns: vec![
                ("label".to_owned(), Cells::Text(self.labels.clone())),
                ("share".to_owned(), Cells::real(all.iter().map(|e| e.value))),
                ("error".to_owned(), Cells::Real(all.iter().map(|e| e.error).collect())),
            ],
        }
    }

    fn confusions_listing(&self) -> Listing {
        let k = self.labels.len();
        let rows = || (0..self.raters.len()).flat_map(move |r| (0..k).map(move |t| (r, t)));
        let mut columns = vec![
            (
                "rater".to_owned(),
                Cells::Text(rows().map(|(r, _)| self.raters[r].clone()).collect()),
            ),
            (
                "truth".to_owned(),
                Cells::Text(rows().map(|(_, t)| self.labels[t].clone()).collect()),
            ),
        ];
        for (l, label) in self.labels.iter().enumerate() {
            let values = rows().map(|(r, t)| self.confusion(r, t, l).value);
            columns.push((format!("says {label}"), Cells::real(values)));
            let errors = rows().map(|(r, t)| self.confusion(r, t, l).error);
            columns.push((format!("error {label}"), Cells::Real(errors.collect())));
        }
        Listing {
            name: "confusions",
            title: "how often every rater calls a true label by which label".to_owned(),
            columns,
        }
    }
}

impl Learned for Raters {
    fn kind(&self) -> &'static str {
        "raters"
    }

    fn component(&self) -> &'static str {
        "label"
    }

    fn n_components(&self) -> usize {
        self.labels.len()
    }

    fn log_likelihood(&self) -> f64 {
        self.summary.criteria.log_likelihood
    }

    fn listings(&self) -> Vec<Listing> {
        vec![self.raters_listing(), self.labels_listing(), self.confusions_listing()]
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let ratings: usize = self.summary.n_ratings.iter().sum();
        let starts = &self.summary.starts;
        let reached = starts.iter().filter(|start| start.reached).count();
        vec![
            (
                "ratings",
                format!(
                    "{ratings} by {} raters of {} items",
                    self.raters.len(),
                    self.summary.n_items
                ),
            ),
            (
                "log-likelihood",
                format!(
                    "{:.4} with {} parameters",
                    self.log_likelihood(),
                    self.summary.criteria.n_parameters
                ),
            ),
            ("relative entropy", format!("{:.3}", self.summary.relative_entropy)),
            ("starts", format!("{reached} of {} reached the best objective", starts.len())),
        ]
    }

    fn notes(&self) -> Vec<String> {
        self.summary.notes.clone()
    }

    fn header(&self) -> Result<Map<String, Value>> {
        let mut header = Map::new();
        header.insert("raters".to_owned(), json_of(&self.raters)?);
        header.insert("labels".to_owned(), json_of(&self.labels)?);
        header.insert("summary".to_owned(), json_of(&self.summary)?);
        header.insert("options".to_owned(), json_of(&self.options)?);
        Ok(header)
    }

    fn arrays(&self) -> BTreeMap<String, Array> {
        let (k, n) = (self.labels.len(), self.raters.len());
        let mut arrays = BTreeMap::new();
        arrays.insert("shares".to_owned(), array(&[k], &self.parameters.shares));
        arrays.insert("confusions".to_owned(), array(&[n, k, k], &self.parameters.confusions));
        if let Some(errors) = &self.errors {
            arrays.insert("errors".to_owned(), array(&[errors.len()], errors));
        }
        arrays
    }

    fn infer(&self, table: &Table) -> Result<Listing> {
        let ratings = Ratings::for_raters(table, &self.columns(), &self.raters, &self.labels)?;
        let (posterior, _) = Raters::infer(self, &ratings);
        let likeliest = |u: usize| {
            let row = posterior.row(u);
            (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a))).unwrap_or(0)
        };
        let said = (0..ratings.n_items()).map(|u| self.labels[likeliest(u)].clone()).collect();
        let mut columns = vec![
            ("item".to_owned(), Cells::Text(ratings.items.clone())),
            ("label".to_owned(), Cells::Text(said)),
        ];
        for (t, label) in self.labels.iter().enumerate() {
            columns.push((label.clone(), Cells::real(posterior.column(t).iter().copied())));
        }
        let title = "the likeliest label of every item, and the probability of each".to_owned();
        Ok(Listing { name: "items", title, columns })
    }

    fn evaluate(&self, table: &Table) -> Result<Vec<(&'static str, f64)>> {
        let ratings = Ratings::for_raters(table, &self.columns(), &self.raters, &self.labels)?;
        let (_, logs) = Raters::infer(self, &ratings);
        let sum: f64 = logs.iter().sum();
        Ok(vec![
            ("items", ratings.n_items() as f64),
            ("ratings", ratings.n_ratings() as f64),
            ("log_likelihood", sum),
            ("log_likelihood_per_rating", sum / ratings.n_ratings().max(1) as f64),
        ])
    }

    fn explain(&self, table: &Table, row: usize) -> Result<Vec<Listing>> {
        let items = Learned::infer(self, table)?;
        let n = items.columns[0].1.len();
        match row < n {
            true => Ok(vec![items.row(row)]),
            false => Err(Error::Records {
                reason: format!("item {} asked for, but {n} items are rated", row + 1),
            }),
        }
    }

    fn compare(&self, other: &dyn Learned) -> Result<Listing> {
        let incomparable = |reason: String| Error::Records { reason };
        if other.kind() != self.kind() {
            let kind = other.kind();
            return Err(incomparable(format!("raters and a model of kind {kind} are not alike")));
        }
        let other = Self::from_parts(&mut Parts::of(other)?).map_err(incomparable)?;
        let place = |rater: &String| other.raters.iter().position(|theirs| theirs == rater);
        let both: Vec<(usize, usize)> = (0..self.raters.len())
            .filter_map(|r| place(&self.raters[r]).map(|theirs| (r, theirs)))
            .collect();
        if both.is_empty() {
            return Err(incomparable("the two models have no rater in common".to_owned()));
        }
        let old = |&(r, _): &(usize, usize)| self.accuracy(r).value;
        let new = |&(_, r): &(usize, usize)| other.accuracy(r).value;
        Ok(Listing {
            name: "raters",
            title: "raters of both models: how often each is right".to_owned(),
            columns: vec![
                (
                    "rater".to_owned(),
                    Cells::Text(both.iter().map(|pair| self.raters[pair.0].clone()).collect()),
                ),
                ("distance".to_owned(), Cells::real(both.iter().map(|p| (old(p) - new(p)).abs()))),
                ("old_accuracy".to_owned(), Cells::real(both.iter().map(old))),
                ("new_accuracy".to_owned(), Cells::real(both.iter().map(new))),
            ],
        })
    }

    /// Every rater rates every one of the items.
    fn draw(&self, n_records: usize, seed: u64) -> Result<Table> {
        let k = self.labels.len();
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut falls = |p: &[f64]| {
            let mut u: f64 = StandardUniform.sample(&mut generator);
            let place = p.iter().position(|share| {
                u -= share;
                u < 0.0
            });
            place.unwrap_or(p.len() - 1)
        };
        let mut cells: [Vec<Option<String>>; 3] = Default::default();
        for item in 0..n_records {
            let truth = falls(&self.parameters.shares);
            for (r, rater) in self.raters.iter().enumerate() {
                let row = &self.parameters.confusions[(r * k + truth) * k..][..k];
                cells[0].push(Some(format!("{}", item + 1)));
                cells[1].push(Some(rater.clone()));
                cells[2].push(Some(self.labels[falls(row)].clone()));
            }
        }
        let columns = self.columns();
        let [items, raters, labels] = cells;
        Table::new(vec![
            Column::from_cells(columns.item, items),
            Column::from_cells(columns.rater, raters),
            Column::from_cells(columns.label, labels),
        ])
    }
}
