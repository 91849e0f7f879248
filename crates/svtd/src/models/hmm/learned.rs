//! A hidden Markov model for the command line and the model file.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::asking::{Forecast, InitialLaw};
use super::fitted::{ErrorBars, Hmm};
use super::sequences::Emissions;
use super::table::SequenceTable;
use crate::error::Result;
use crate::linalg::Matrix;
use crate::models::columns::places;
use crate::models::engine::JACKKNIFE_FACTOR;
use crate::models::fitting::FitRecord;
use crate::models::gaussian::{by_rows, data, matched, whole};
use crate::models::learned::{
    Cells, Learned, Listing, Parts, array, check_distribution, found_again_columns, json_of,
    membership,
};
use crate::models::table::{Column, Table};
use crate::persist::container::Array;

/// Number of symbols in a simulated multinomial step.
const DRAWN_TRIALS: u64 = 10;

impl Hmm {
    /// A model from the parts of its file.
    ///
    /// # Errors
    /// When a piece is missing or does not fit.
    pub(crate) fn from_parts(parts: &mut Parts) -> std::result::Result<Self, String> {
        // Files of earlier versions have it under the name that the table of emissions has now.
        let emissions: Emissions =
            parts.field("emission_law").or_else(|_| parts.field("emissions"))?;
        let names: Vec<String> = parts.field("variables")?;
        let categories: Vec<Vec<String>> = parts.field("categories")?;
        let k = parts.length("initial");
        let initial = parts.numbers("initial", k)?;
        check_distribution("law of first states", &initial)?;
        let transitions = by_rows(k, k, &parts.numbers("transitions", k * k)?);
        for i in 0..k {
            check_distribution("transition law", &transitions.row(i))?;
        }
        let width = parts.length("emission").checked_div(k).unwrap_or(0);
        let emission = by_rows(k, width, &parts.numbers("emission", k * width)?);
        let n_sequences = parts.field("n_sequences")?;
        let parameters = (initial, transitions, emission);
        let mut model =
            Self::from_parameters(emissions, names, categories, parameters, n_sequences)
                .map_err(|error| format!("holds no hidden Markov model: {error}"))?;
        model.columns = parts.field("columns")?;
        model.record = FitRecord::from_parts(parts)?;
        let n_errors = k * k + k * width + 2 * k;
        if let Some(errors) = parts.perhaps_numbers("errors", n_errors)? {
            model.error_bars = Some(ErrorBars::of(errors, k, width));
        }
        Ok(model)
    }

    fn states(&self) -> Listing {
        let k = self.n_states();
        let bars = self.error_bars();
        let half = |x: f64| JACKKNIFE_FACTOR * x;
        let share_error = (0..k).map(|j| bars.map(|b| half(b.stationary[j])));
        let dwell_error = (0..k).map(|j| bars.map(|b| half(b.dwell_times[j])));
        let mut columns = vec![
            ("state".to_owned(), whole(1..k + 1)),
            ("share".to_owned(), Cells::real(self.stationary())),
            ("+-".to_owned(), Cells::Real(share_error.collect())),
            ("lasts".to_owned(), Cells::real((0..k).map(|j| self.dwell_time(j)))),
            ("lasts_+-".to_owned(), Cells::Real(dwell_error.collect())),
            ("first".to_owned(), Cells::real(self.initial().iter().copied())),
        ];
        columns.extend(found_again_columns(&self.record.found_again));
        Listing {
            name: "states",
            title:
                "the share of steps of every state in the long run and the steps it lasts, with \
                    half their 95 % intervals; the law of the first step"
                    .to_owned(),
            columns,
        }
    }

    fn transition_listing(&self) -> Listing {
        let k = self.n_states();
        let cells: Vec<(usize, usize)> = (0..k).flat_map(|i| (0..k).map(move |j| (i, j))).collect();
        let bars = self.error_bars();
        let error = |&ij: &(usize, usize)| bars.map(|b| JACKKNIFE_FACTOR * b.transitions[ij]);
        Listing {
            name: "transitions",
            title: "probability of going from state to state, with half its 95 % interval"
                .to_owned(),
            columns: vec![
                ("from".to_owned(), whole(cells.iter().map(|c| c.0 + 1))),
                ("to".to_owned(), whole(cells.iter().map(|c| c.1 + 1))),
                (
                    "probability".to_owned(),
                    Cells::real(cells.iter().map(|&ij| self.transitions()[ij])),
                ),
                ("+-".to_owned(), Cells::Real(cells.iter().map(error).collect())),
            ],
        }
    }

    /// The emissions of all states, one row for each number.
    fn emission_listing(&self) -> Listing {
        let d = self.names().len();
        let (k, width) = (self.n_states(), self.emission(0).len());
        let n_listed = if self.emissions() == Emissions::Gaussian { d } else { width };
        let cells: Vec<(usize, usize)> =
            (0..k).flat_map(|j| (0..n_listed).map(move |c| (j, c))).collect();
        let bars = self.error_bars();
        let error = |&jc: &(usize, usize)| bars.map(|b| JACKKNIFE_FACTOR * b.emissions[jc]);
        let mut columns = vec![
            ("state".to_owned(), whole(cells.iter().map(|c| c.0 + 1))),
            (
                "variable".to_owned(),
                Cells::Text(cells.iter().map(|c| self.variable_of(c.1)).collect()),
            ),
        ];
        if self.emissions() == Emissions::Categorical {
            let labels = cells.iter().map(|c| self.label_of(c.1)).collect();
            columns.push(("category".to_owned(), Cells::Text(labels)));
        }
        let name = match self.emissions() {
            Emissions::Categorical | Emissions::Multinomial => "probability",
            Emissions::Poisson => "rate",
            Emissions::Gaussian => "mean",
        };
        columns.push((name.to_owned(), Cells::real(cells.iter().map(|&jc| self.emission[jc]))));
        columns.push(("+-".to_owned(), Cells::Real(cells.iter().map(error).collect())));
        if self.emissions() == Emissions::Gaussian {
            let deviation = |&(j, v): &(usize, usize)| self.emission[(j, d + v)].sqrt();
            columns.push(("deviation".to_owned(), Cells::real(cells.iter().map(deviation))));
        }
        Listing {
            name: "emissions",
            title: "what every state emits, with half its 95 % interval".to_owned(),
            columns,
        }
    }

    /// The variable that a number of the emissions belongs to.
    fn variable_of(&self, c: usize) -> String {
        let ranges = self.category_ranges();
        let v = match self.emissions() {
            Emissions::Categorical => ranges.iter().position(|r| r.contains(&c)).unwrap_or(0),
            _ => c,
        };
        self.names()[v].clone()
    }

    /// The label of a number of categorical emissions.
    fn label_of(&self, c: usize) -> String {
        let ranges = self.category_ranges();
        let v = ranges.iter().position(|r| r.contains(&c)).unwrap_or(0);
        self.categories()[v][c - ranges[v].start].clone()
    }

    fn read(&self, table: &Table) -> Result<SequenceTable> {
        self.columns.read_like(table, self.emissions(), self.names(), self.categories())
    }
}

fn names_of(model: &Hmm) -> Vec<&str> {
    model.names().iter().map(String::as_str).collect()
}

impl Learned for Hmm {
    fn kind(&self) -> &'static str {
        "hmm"
    }

    fn component(&self) -> &'static str {
        "state"
    }

    fn n_components(&self) -> usize {
        self.n_states()
    }

    fn log_likelihood(&self) -> f64 {
        self.record.criteria.log_likelihood
    }

    fn listings(&self) -> Vec<Listing> {
        vec![self.states(), self.emission_listing(), self.transition_listing()]
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let emissions = format!(
            "{}, prior {}, {} steps in {} sequences",
            self.emissions().name(),
            self.record.prior,
            self.record.criteria.n_records,
            self.n_sequences()
        );
        self.record.facts(("states", self.n_states()), ("emissions", emissions))
    }

    fn notes(&self) -> Vec<String> {
        self.record.notes.clone()
    }

    fn header(&self) -> Result<Map<String, Value>> {
        self.record.beside(json!({
            "emission_law": self.emissions(),
            "variables": self.names(),
            "categories": self.categories(),
            "columns": json_of(&self.columns)?,
            "n_sequences": self.n_sequences,
        }))
    }

    fn arrays(&self) -> BTreeMap<String, Array> {
        let (k, width) = (self.n_states(), self.emission(0).len());
        let rows = |matrix: &Matrix| matrix.transpose().values().to_vec();
        let mut arrays = BTreeMap::from([
            ("initial".to_owned(), array(&[k], self.initial())),
            ("transitions".to_owned(), array(&[k, k], &rows(self.transitions()))),
            ("emission".to_owned(), array(&[k, width], &rows(&self.emission))),
        ]);
        if let Some(bars) = self.error_bars() {
            let mut errors = rows(&bars.transitions);
            errors.extend(rows(&bars.emissions));
            errors.extend(&bars.dwell_times);
            errors.extend(&bars.stationary);
            arrays.insert("errors".to_owned(), array(&[errors.len()], &errors));
        }
        arrays
    }

    fn infer(&self, table: &Table) -> Result<Listing> {
        let read = self.read(table)?;
        let (posterior, _) = self.posterior(&read.sequences, InitialLaw::Auto)?;
        let (path, _) = self.decode(&read.sequences, InitialLaw::Auto)?;
        // Back to the order of the table's rows.
        let mut by_row = Matrix::zeros(posterior.n_rows(), posterior.n_columns());
        let mut states = vec![0; path.len()];
        for (t, &row) in read.rows.iter().enumerate() {
            states[row] = path[t];
            for j in 0..posterior.n_columns() {
                by_row[(row, j)] = posterior[(t, j)];
            }
        }
        let mut listing = membership("state", &by_row, &states);
        listing.title =
            "the state of every step on the likeliest path, and the probability of each".to_owned();
        Ok(listing)
    }

    fn forecast(&self, table: &Table, steps: usize) -> Result<Listing> {
        let read = self.read(table)?;
        let forecasts = Hmm::forecast(self, &read.sequences, steps, InitialLaw::Auto)?;
        let column = self.columns.sequence.as_ref().map(|name| table.column(name)).transpose()?;
        let mut start = 0;
        let mut names = Vec::with_capacity(forecasts.len() * steps);
        for (s, length) in read.sequences.lengths().iter().enumerate() {
            let label = column.and_then(|column| column.label(read.rows[start]));
            let name = label.map_or_else(|| (s + 1).to_string(), str::to_owned);
            names.extend(std::iter::repeat_n(name, steps));
            start += length;
        }
        let ahead = (0..forecasts.len()).flat_map(|_| 1..=steps as i64).collect();
        let all = |matrix: fn(&Forecast) -> &Matrix, c: usize| {
            let numbers = forecasts.iter().flat_map(|forecast| matrix(forecast).column(c));
            Cells::real(numbers.copied())
        };
        let mut columns = vec![
            ("sequence".to_owned(), Cells::Text(names)),
            ("ahead".to_owned(), Cells::Whole(ahead)),
        ];
        for j in 0..self.n_states() {
            columns.push((format!("state{}", j + 1), all(|forecast| &forecast.states, j)));
        }
        let width = forecasts.first().map_or(0, |forecast| forecast.expected.n_columns());
        for c in 0..width {
            let name = match self.emissions() {
                Emissions::Categorical => format!("{} {}", self.variable_of(c), self.label_of(c)),
                _ => self.names()[c].clone(),
            };
            columns.push((name, all(|forecast| &forecast.expected, c)));
        }
        let title =
            "after each sequence: probability of every state, and what is expected to be observed";
        Ok(Listing { name: "forecast", title: title.to_owned(), columns })
    }

    fn evaluate(&self, table: &Table) -> Result<Vec<(&'static str, f64)>> {
        let read = self.read(table)?;
        let total: f64 = self.score(&read.sequences, InitialLaw::Auto)?.iter().sum();
        let steps = read.sequences.n_steps() as f64;
        Ok(vec![
            ("steps", steps),
            ("sequences", read.sequences.lengths().len() as f64),
            ("log_likelihood", total),
            ("log_likelihood_per_step", total / steps),
        ])
    }

    fn compare(&self, other: &dyn Learned) -> Result<Listing> {
        if other.kind() != self.kind() {
            return Err(data(format!(
                "a hidden Markov model and a model of kind {} cannot be compared",
                other.kind()
            )));
        }
        let other = Self::from_parts(&mut Parts::of(other)?).map_err(data)?;
        let others = || data("the two models are about other observations".to_owned());
        let order = places(&names_of(self), &names_of(&other)).ok_or_else(others)?;
        let other = other.in_columns(&order);
        let same = (other.emissions(), other.categories()) == (self.emissions(), self.categories());
        if !same {
            return Err(others());
        }
        let distance = |i: usize, j: usize| -> f64 {
            let pairs = self.emission(i).into_iter().zip(other.emission(j));
            pairs.map(|(x, y)| (x - y).abs()).sum()
        };
        let pairs = matched(self.n_states(), other.n_states(), distance);
        let (old, new) = (self.stationary(), other.stationary());
        Ok(Listing {
            name: "states",
            title: "states that correspond: sum of absolute differences of their emission \
                    parameters, shares in the long run, and how long they last"
                .to_owned(),
            columns: vec![
                ("old".to_owned(), whole(pairs.iter().map(|p| p.0 + 1))),
                ("new".to_owned(), whole(pairs.iter().map(|p| p.1 + 1))),
                ("distance".to_owned(), Cells::real(pairs.iter().map(|p| p.2))),
                ("old_share".to_owned(), Cells::real(pairs.iter().map(|p| old[p.0]))),
                ("new_share".to_owned(), Cells::real(pairs.iter().map(|p| new[p.1]))),
                ("old_lasts".to_owned(), Cells::real(pairs.iter().map(|p| self.dwell_time(p.0)))),
                ("new_lasts".to_owned(), Cells::real(pairs.iter().map(|p| other.dwell_time(p.1)))),
            ],
        })
    }

    fn draw(&self, n_records: usize, seed: u64) -> Result<Table> {
        let (values, _) = self.sample(n_records, seed, DRAWN_TRIALS);
        let d = self.names().len();
        let own = |v: usize| values.iter().skip(v).step_by(d).copied();
        let mut columns = Vec::new();
        if let Some(name) = &self.columns.sequence {
            columns.push(Column::from_cells(name.clone(), (0..n_records).map(|_| Some("1"))));
        }
        if let Some(name) = &self.columns.order {
            let steps: Vec<f64> = (1..=n_records).map(|t| t as f64).collect();
            columns.push(Column::from_numbers(name.clone(), &steps));
        }
        for v in 0..d {
            let name = self.names()[v].clone();
            columns.push(match self.emissions() {
                Emissions::Categorical => {
                    let labels = &self.categories()[v];
                    Column::from_cells(name, own(v).map(|x| labels.get(x as usize)))
                }
                _ => Column::from_numbers(name, &own(v).collect::<Vec<f64>>()),
            });
        }
        Table::new(columns)
    }
}
