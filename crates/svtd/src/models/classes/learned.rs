//! Latent classes for the command line, the model file and Python.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::data::Records;
use super::diagnostics::Summary;
use super::fitted::{Estimate, ItemLaw, LatentClass};
use super::items::{Item, widths};
use super::options::ClassOptions;
use super::parameters::{ClassParameters, Law};
use crate::error::{Error, Result};
use crate::models::columns::places;
use crate::models::learned::{
    Cells, Learned, Listing, Parts, array, check_distribution, found_again_columns,
    found_again_fact, json_of, membership,
};
use crate::models::table::Table;
use crate::persist::container::Array;

/// Number of pairs of items shown in the table of residuals.
const SHOWN_PAIRS: usize = 200;

/// From this residual on a pair of items is reported as more dependent than classes explain.
const LARGE_RESIDUAL: f64 = 4.0;

impl LatentClass {
    /// Classes from the parts of a model file.
    ///
    /// # Errors
    /// The end of a sentence about the file, when pieces are missing or do not fit each other.
    pub(crate) fn from_parts(parts: &mut Parts) -> std::result::Result<Self, String> {
        let items: Vec<Item> = parts.field("items")?;
        let summary: Summary = parts.field("summary")?;
        let options: ClassOptions = parts.field("options")?;
        let k = parts.length("shares");
        if k == 0 || items.is_empty() {
            return Err("has no classes".to_owned());
        }
        let n: usize = items.iter().map(|item| item.labels().len()).sum();
        let (_, jn) = widths(&items);
        let parameters = ClassParameters {
            shares: parts.numbers("shares", k)?,
            probabilities: parts.numbers("probabilities", n * k)?,
            centres: parts.numbers("centres", jn * k)?,
            variances: parts.numbers("variances", jn * k)?,
        };
        check_distribution("shares", &parameters.shares)?;
        let mut first = 0;
        for item in items.iter().filter(|item| !item.is_numeric()) {
            for j in 0..k {
                let own = (first..first + item.labels().len())
                    .map(|i| parameters.probabilities[i * k + j]);
                check_distribution("probabilities", &own.collect::<Vec<f64>>())?;
            }
            first += item.labels().len();
        }
        if parameters.variances.iter().any(|v| *v <= 0.0)
            || summary.information.len() != items.len()
        {
            return Err("has classes that do not fit their items".to_owned());
        }
        let errors = match parts.perhaps_numbers("shares_error", k)? {
            None => None,
            Some(shares) => Some(ClassParameters {
                shares,
                probabilities: parts.numbers("probabilities_error", n * k)?,
                centres: parts.numbers("centres_error", jn * k)?,
                variances: parts.numbers("variances_error", jn * k)?,
            }),
        };
        Ok(Self::new(items, parameters, errors, summary, options))
    }

    fn infer_listing(&self, table: &Table) -> Result<Listing> {
        let records = Records::for_items(table, self.items(), None)?;
        let inferred = LatentClass::infer(self, &records)?;
        Ok(membership("class", &inferred.posterior, &inferred.classes()))
    }

    /// Log-likelihood of every answer of a record in every class, less its mean weighted by the shares.
    fn pulls(&self, table: &Table, records: &Records, row: usize) -> Result<Listing> {
        let k = self.n_classes();
        let mut answers = Vec::new();
        let mut pulls: Vec<Vec<Option<f64>>> = vec![Vec::new(); k];
        for (b, item) in self.items().iter().enumerate() {
            let cell = table.column(&item.name)?.label(row);
            answers.push(cell.unwrap_or("(missing)").to_owned());
            let logs = cell.map(|_| self.log_answer(records, row, b));
            let mean = logs.as_ref().map(|logs| {
                logs.iter().zip(&self.parameters().shares).map(|(l, w)| l * w).sum::<f64>()
            });
            for (j, own) in pulls.iter_mut().enumerate() {
                own.push(logs.as_ref().zip(mean).map(|(logs, mean)| logs[j] - mean));
            }
        }
        let names = self.items().iter().map(|item| item.name.clone()).collect();
        let mut columns = vec![
            ("item".to_owned(), Cells::Text(names)),
            ("answer".to_owned(), Cells::Text(answers)),
        ];
        for (j, own) in pulls.into_iter().enumerate() {
            columns.push((format!("class{}", j + 1), Cells::Real(own)));
        }
        let title = "by how many nats every answer speaks for every class".to_owned();
        Ok(Listing { name: "pulls", title, columns })
    }

    /// Log-likelihood of the answer to item `b` in every class; 0 where it is missing.
    fn log_answer(&self, records: &Records, row: usize, b: usize) -> Vec<f64> {
        let k = self.n_classes();
        let Some(pattern) = records.pattern_of()[row] else {
            return vec![0.0; k];
        };
        let (jc, jn) = widths(self.items());
        let before = |numeric: bool| {
            self.items()[..b].iter().filter(|item| item.is_numeric() == numeric).count()
        };
        let p = self.parameters();
        match Law::of(&self.items()[b]) {
            None => {
                let code = records.rows.codes[pattern as usize * jc + before(false)] as usize;
                (0..k).map(|j| p.probabilities[code * k + j].max(1e-300).ln()).collect()
            }
            Some(law) => {
                let l = before(true);
                let x = records.rows.values[pattern as usize * jn + l];
                let place = |j: usize| l * k + j;
                (0..k)
                    .map(|j| law.log_density(x, p.centres[place(j)], p.variances[place(j)]))
                    .collect()
            }
        }
    }

    /// Every class with the class of `other` whose answers are most similar.
    fn matched(&self, other: &LatentClass) -> Listing {
        let (ka, kb) = (self.n_classes(), other.n_classes());
        let (a, b) = (self.parameters(), other.parameters());
        let distance = |i: usize, j: usize| -> f64 {
            let rows = |x: &[f64], y: &[f64]| -> f64 {
                let pairs = x.chunks_exact(ka).zip(y.chunks_exact(kb));
                pairs.map(|(p, q)| (p[i] - q[j]).abs()).sum()
            };
            (0.5 * rows(&a.probabilities, &b.probabilities) + rows(&a.centres, &b.centres))
                / self.items().len() as f64
        };
        let mut places: Vec<(usize, usize)> =
            (0..ka).flat_map(|i| (0..kb).map(move |j| (i, j))).collect();
        places.sort_by(|&(i, j), &(g, h)| distance(i, j).total_cmp(&distance(g, h)));
        let (mut old, mut new, mut pairs) = (vec![false; ka], vec![false; kb], Vec::new());
        for (i, j) in places {
            if !old[i] && !new[j] {
                (old[i], new[j]) = (true, true);
                pairs.push((i, j));
            }
        }
        Listing {
            name: "matched",
            title: "classes matched by their answers; distance 0 is the same, 1 nothing in common"
                .to_owned(),
            columns: vec![
                ("old".to_owned(), Cells::Whole(pairs.iter().map(|p| p.0 as i64 + 1).collect())),
                ("new".to_owned(), Cells::Whole(pairs.iter().map(|p| p.1 as i64 + 1).collect())),
                ("old share".to_owned(), Cells::real(pairs.iter().map(|p| a.shares[p.0]))),
                ("new share".to_owned(), Cells::real(pairs.iter().map(|p| b.shares[p.1]))),
                ("distance".to_owned(), Cells::real(pairs.iter().map(|p| distance(p.0, p.1)))),
            ],
        }
    }

    /// One row for every answer (or number) of every item: its probability in every class.
    fn answers(&self) -> Listing {
        let k = self.n_classes();
        let (mut items, mut answers) = (Vec::new(), Vec::new());
        let mut estimates: Vec<Vec<Estimate>> = vec![Vec::new(); k];
        for (b, item) in self.items().iter().enumerate() {
            let rows: Vec<String> = match self.law(b, 0) {
                ItemLaw::Categorical(_) => item.labels().to_vec(),
                ItemLaw::Count(_) => vec!["rate".to_owned()],
                ItemLaw::Real { .. } => vec!["mean".to_owned(), "deviation".to_owned()],
            };
            items.extend(std::iter::repeat_n(item.name.clone(), rows.len()));
            answers.extend(rows);
            for (j, own) in estimates.iter_mut().enumerate() {
                match self.law(b, j) {
                    ItemLaw::Categorical(of_categories) => own.extend(of_categories),
                    ItemLaw::Count(rate) => own.push(rate),
                    ItemLaw::Real { mean, deviation } => own.extend([mean, deviation]),
                }
            }
        }
        let mut columns = vec![
            ("item".to_owned(), Cells::Text(items)),
            ("answer".to_owned(), Cells::Text(answers)),
        ];
        columns.extend(estimate_columns(&estimates));
        Listing {
            name: "answers",
            title: "the probability of every answer in every class, with standard errors"
                .to_owned(),
            columns,
        }
    }

    fn shares_listing(&self) -> Listing {
        let k = self.n_classes();
        let shares: Vec<Estimate> = (0..k).map(|j| self.share(j)).collect();
        let certain = self.summary().classification.iter().enumerate().map(|(j, row)| row[j]);
        let mut columns = vec![
            ("class".to_owned(), Cells::Whole((1..=k as i64).collect())),
            ("share".to_owned(), Cells::real(shares.iter().map(|e| e.value))),
            ("error".to_owned(), Cells::Real(shares.iter().map(|e| e.error).collect())),
            ("certainty".to_owned(), Cells::real(certain)),
        ];
        columns.extend(found_again_columns(&self.summary().found_again));
        Listing {
            name: "classes",
            title: "the share of every class, and how certain its records are of it".to_owned(),
            columns,
        }
    }

    fn classification_listing(&self) -> Listing {
        let k = self.n_classes();
        let mut columns = vec![("likeliest".to_owned(), Cells::Whole((1..=k as i64).collect()))];
        for j in 0..k {
            let cells = self.summary().classification.iter().map(|row| row[j]);
            columns.push((format!("class{}", j + 1), Cells::real(cells)));
        }
        Listing {
            name: "classification",
            title: "the mean probability of every class among records whose likeliest class is the row's"
                .to_owned(),
            columns,
        }
    }

    fn items_listing(&self) -> Listing {
        let mut order: Vec<usize> = (0..self.items().len()).collect();
        let information = &self.summary().information;
        order.sort_by(|&a, &b| information[b].total_cmp(&information[a]));
        let names = order.iter().map(|&b| self.items()[b].name.clone());
        Listing {
            name: "information",
            title: "how much every item tells of the class by itself, as a part of what there is to know"
                .to_owned(),
            columns: vec![
                ("item".to_owned(), Cells::Text(names.collect())),
                ("information".to_owned(), Cells::real(order.iter().map(|&b| information[b]))),
            ],
        }
    }

    fn pairs_listing(&self) -> Listing {
        let pairs = &self.summary().pairs[..self.summary().pairs.len().min(SHOWN_PAIRS)];
        Listing {
            name: "pairs",
            title: "what pairs of items have in common beyond their classes: near 1 explained, above 4 not"
                .to_owned(),
            columns: vec![
                ("first".to_owned(), Cells::Text(pairs.iter().map(|p| p.first.clone()).collect())),
                ("second".to_owned(), Cells::Text(pairs.iter().map(|p| p.second.clone()).collect())),
                ("residual".to_owned(), Cells::real(pairs.iter().map(|p| p.residual))),
            ],
        }
    }
}

fn names_of(model: &LatentClass) -> Vec<&str> {
    model.items().iter().map(|item| item.name.as_str()).collect()
}

fn incomparable(reason: String) -> Error {
    Error::Records { reason: format!("the other model {reason}, so classes cannot be matched") }
}

/// For every class a column of estimates and one of errors.
pub(crate) fn estimate_columns(estimates: &[Vec<Estimate>]) -> Vec<(String, Cells)> {
    let column = |(j, own): (usize, &Vec<Estimate>)| {
        let values = Cells::real(own.iter().map(|e| e.value));
        let errors = Cells::Real(own.iter().map(|e| e.error).collect());
        [(format!("class{}", j + 1), values), (format!("error{}", j + 1), errors)]
    };
    estimates.iter().enumerate().flat_map(column).collect()
}

impl Learned for LatentClass {
    fn kind(&self) -> &'static str {
        "classes"
    }

    fn component(&self) -> &'static str {
        "class"
    }

    fn n_components(&self) -> usize {
        self.n_classes()
    }

    fn log_likelihood(&self) -> f64 {
        self.summary().criteria.log_likelihood
    }

    fn listings(&self) -> Vec<Listing> {
        vec![
            self.shares_listing(),
            self.answers(),
            self.items_listing(),
            self.classification_listing(),
            self.pairs_listing(),
        ]
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let summary = self.summary();
        let criteria = &summary.criteria;
        let (reached, starts) = summary.agreement();
        let mut facts = vec![
            (
                "records",
                format!(
                    "{} with {} different patterns of answers; {} answers missing",
                    summary.n_records, summary.n_patterns, summary.n_missing
                ),
            ),
            (
                "log-likelihood",
                format!("{:.4} with {} parameters", criteria.log_likelihood, criteria.n_parameters),
            ),
            (
                "criteria",
                format!(
                    "AIC {:.2}, AIC3 {:.2}, BIC {:.2}, adjusted BIC {:.2}, CAIC {:.2}",
                    criteria.aic,
                    criteria.aic3,
                    criteria.bic,
                    criteria.sample_adjusted_bic,
                    criteria.caic
                ),
            ),
            ("relative entropy", format!("{:.3}", summary.relative_entropy)),
            ("starts", format!("{reached} of {starts} reached the best objective")),
        ];
        if !summary.tried.is_empty() {
            let criterion = self.options().criterion;
            let choice = criterion.choice(self.n_classes(), (1..).zip(&summary.tried));
            facts.insert(0, ("classes", choice));
        }
        facts.extend(found_again_fact(&summary.found_again));
        if let Some(worst) = summary.pairs.first().filter(|pair| pair.residual > LARGE_RESIDUAL) {
            facts.push((
                "local dependence",
                format!(
                    "{} and {} share more than classes explain (residual {:.1})",
                    worst.first, worst.second, worst.residual
                ),
            ));
        }
        facts
    }

    fn notes(&self) -> Vec<String> {
        self.summary().notes.clone()
    }

    fn header(&self) -> Result<Map<String, Value>> {
        let mut header = Map::new();
        header.insert("items".to_owned(), json_of(&self.items())?);
        header.insert("summary".to_owned(), json_of(self.summary())?);
        header.insert("options".to_owned(), json_of(self.options())?);
        let criteria = &self.summary().criteria;
        header.insert("n_parameters".to_owned(), json!(criteria.n_parameters));
        Ok(header)
    }

    fn arrays(&self) -> BTreeMap<String, Array> {
        let k = self.n_classes();
        let mut arrays = BTreeMap::new();
        let mut add = |parameters: &ClassParameters, ending: &str| {
            let named = [
                ("probabilities", &parameters.probabilities),
                ("centres", &parameters.centres),
                ("variances", &parameters.variances),
            ];
            for (name, values) in named {
                arrays.insert(format!("{name}{ending}"), array(&[values.len() / k, k], values));
            }
            arrays.insert(format!("shares{ending}"), array(&[k], &parameters.shares));
        };
        add(self.parameters(), "");
        if let Some(errors) = self.errors() {
            add(errors, "_error");
        }
        arrays
    }

    fn infer(&self, table: &Table) -> Result<Listing> {
        self.infer_listing(table)
    }

    fn evaluate(&self, table: &Table) -> Result<Vec<(&'static str, f64)>> {
        let records = Records::for_items(table, self.items(), None)?;
        let log_likelihood = LatentClass::log_likelihood(self, &records)?;
        let n = records.total_weight();
        Ok(vec![
            ("records", n),
            ("log_likelihood", log_likelihood),
            ("log_likelihood_per_record", log_likelihood / n.max(1.0)),
        ])
    }

    /// The classes of a record, and the log-likelihood of each answer in each class relative to the average, in
    /// nats.
    fn explain(&self, table: &Table, row: usize) -> Result<Vec<Listing>> {
        let answer = self.infer_listing(table)?.row(row);
        let records = Records::for_items(table, self.items(), None)?;
        let pulls = self.pulls(table, &records, row)?;
        Ok(vec![answer, pulls])
    }

    /// Classes matched by their answers, closest pair first.
    fn compare(&self, other: &dyn Learned) -> Result<Listing> {
        let mut theirs = Parts::of(other)?;
        let other = match other.kind() {
            "classes" => LatentClass::from_parts(&mut theirs).map_err(incomparable)?,
            kind => return Err(incomparable(format!("is of kind {kind}"))),
        };
        let others = || incomparable("has other items or answers".to_owned());
        let order = places(&names_of(self), &names_of(&other)).ok_or_else(others)?;
        let other = other.in_columns(&order);
        if self.items() != other.items() {
            return Err(others());
        }
        Ok(self.matched(&other))
    }

    fn draw(&self, n_records: usize, seed: u64) -> Result<Table> {
        LatentClass::draw(self, n_records, seed).map(|(table, _)| table)
    }
}
