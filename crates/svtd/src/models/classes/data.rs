//! What classes are learned from: items, and the distinct patterns of answers with their weights.
//!
//! A categorical answer is a number in `0..n`, the categories of all items one behind the other; a
//! missing answer is `n`, a row of zeros in the tables of logarithms, so that kernels need no
//! branch. Numbers are kept standardised (real) or as they are (counts), NaN when missing.
//!
//! Rows are the distinct patterns, sorted: records in another order give the same rows, hence the
//! same bits.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::models::table::{Column, MISSING, Table, as_number, number_label};

/// Distinct values from which on a column of numbers is taken for real numbers, not for codes.
pub const MAX_CODES: usize = 20;

/// The most categories of an item.
pub const MAX_CATEGORIES: usize = 500;

/// What the answers to an item are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum ItemKind {
    /// One of some categories.
    Categorical {
        /// Their labels: numbers by size, other labels in alphabetical order.
        labels: Vec<String>,
    },
    /// Whole numbers of at least 0: Poisson within a class.
    Count {
        /// The mean over all records.
        mean: f64,
    },
    /// Real numbers: normal within a class.
    Real {
        /// The mean over all records.
        mean: f64,
        /// The standard deviation over all records.
        deviation: f64,
    },
}

/// A question with its possible answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The column's name.
    pub name: String,
    /// What its answers are.
    #[serde(flatten)]
    pub kind: ItemKind,
}

impl Item {
    /// The labels of a categorical item; none for numbers.
    pub fn labels(&self) -> &[String] {
        match &self.kind {
            ItemKind::Categorical { labels } => labels,
            _ => &[],
        }
    }

    /// Whether its answers are numbers with a law, not categories.
    pub fn is_numeric(&self) -> bool {
        !matches!(self.kind, ItemKind::Categorical { .. })
    }

    /// The place of a label among the categories; codes are compared as numbers.
    fn place(&self, label: &str) -> Option<usize> {
        let labels = self.labels();
        labels.iter().position(|known| known == label).or_else(|| {
            let canonical = number_label(as_number(label)?);
            labels.iter().position(|known| *known == canonical)
        })
    }
}

/// Which columns are items, and what each holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ItemChoice {
    /// The items; all columns but the weights if empty.
    pub items: Vec<String>,
    /// Columns of real numbers.
    pub real: Vec<String>,
    /// Columns of counts.
    pub counts: Vec<String>,
    /// Columns of codes, however many.
    pub categorical: Vec<String>,
    /// The column of weights.
    pub weights: Option<String>,
}

/// Answers of one row as the kernels read them.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// Rows x categorical items.
    pub codes: Vec<u32>,
    /// Rows x numeric items.
    pub values: Vec<f64>,
}

/// Records as distinct patterns of answers.
#[derive(Clone, Debug)]
pub struct Records {
    items: Vec<Item>,
    /// Where the categories of each categorical item begin among all, and the end of the last.
    offsets: Vec<usize>,
    pub(super) rows: Arc<Rows>,
    /// Weight of each pattern.
    weights: Vec<f64>,
    /// The pattern of each record; none for a record without any answer.
    pattern_of: Vec<Option<u32>>,
    record_weights: Vec<f64>,
    /// Whether weights count records, so that a jackknife may part them.
    whole_weights: bool,
    notes: Vec<String>,
}

impl Records {
    /// Reads the chosen columns of a table.
    ///
    /// # Errors
    /// When a column is not there or not what it was said to be, weights are negative or all zero,
    /// or no item has two answers.
    pub fn from_table(table: &Table, choice: &ItemChoice) -> Result<Self> {
        let columns = chosen_columns(table, choice)?;
        let weights = match &choice.weights {
            None => vec![1.0; table.n_rows()],
            Some(name) => read_weights(table.column(name)?)?,
        };
        if columns.iter().all(|column| column.labels().is_empty()) {
            return Err(Error::Records {
                reason:
                    "every answer of every record is missing; is the right cell called missing?"
                        .to_owned(),
            });
        }
        let mut notes = Vec::new();
        let mut items = Vec::new();
        let mut kept = Vec::new();
        for column in columns {
            match item_of(column, choice, &weights, &mut notes)? {
                Some(item) => {
                    items.push(item);
                    kept.push(column);
                }
                None => notes.push(format!(
                    "item {:?} has one answer only, which tells nothing; it is left out",
                    column.name()
                )),
            }
        }
        if items.is_empty() {
            return Err(Error::Records {
                reason:
                    "no item has two different answers; classes are told apart by answers that \
                         differ"
                        .to_owned(),
            });
        }
        note_twins(&kept, &mut notes);
        let coded = code(&items, &kept, table.n_rows())?;
        let mut records = Self::collect(items, coded, weights);
        records.notes.splice(0..0, notes);
        Ok(records)
    }

    /// Records from coded answers: category numbers within each item, [`MISSING`] for none.
    ///
    /// # Panics
    /// When there are not as many answers as items for every weight, or a number is no category.
    pub fn from_codes(items: Vec<Item>, answers: &[u32], weights: Vec<f64>) -> Self {
        let offsets = offsets(&items);
        assert_eq!(answers.len(), items.len() * weights.len(), "an answer to every item");
        let rows = Rows { codes: shifted(&offsets, items.len(), answers), values: Vec::new() };
        Self::collect(items, rows, weights)
    }

    /// Rows as they are given, neither sorted nor joined.
    pub(super) fn with_rows(items: Vec<Item>, answers: &[u32], weights: Vec<f64>) -> Self {
        let offsets = offsets(&items);
        let codes = shifted(&offsets, items.len(), answers);
        let n = weights.len();
        Self {
            items,
            offsets,
            rows: Arc::new(Rows { codes, values: Vec::new() }),
            pattern_of: (0..n as u32).map(Some).collect(),
            record_weights: weights.clone(),
            weights,
            whole_weights: false,
            notes: Vec::new(),
        }
    }

    /// The same answers to the same items, for asking a model about them.
    ///
    /// # Errors
    /// When a column is not there, or holds an answer that the model has never seen.
    pub fn for_items(table: &Table, items: &[Item], weights: Option<&str>) -> Result<Self> {
        let columns: Vec<&Column> =
            items.iter().map(|item| table.column(&item.name)).collect::<Result<_>>()?;
        let weights = match weights {
            None => vec![1.0; table.n_rows()],
            Some(name) => read_weights(table.column(name)?)?,
        };
        let coded = code(items, &columns, table.n_rows())?;
        Ok(Self::collect(items.to_vec(), coded, weights))
    }

    /// Sorts and counts patterns.
    fn collect(items: Vec<Item>, rows: Rows, record_weights: Vec<f64>) -> Self {
        let offsets = offsets(&items);
        let n_categories = offsets[offsets.len() - 1] as u32;
        let (jc, jn) = widths(&items);
        let n = record_weights.len();
        let codes = |u: usize| &rows.codes[u * jc..(u + 1) * jc];
        let values = |u: usize| &rows.values[u * jn..(u + 1) * jn];
        let answered = |u: usize| {
            codes(u).iter().any(|&code| code != n_categories)
                || values(u).iter().any(|value| !value.is_nan())
        };
        let compare = |a: usize, b: usize| {
            codes(a).cmp(codes(b)).then_with(|| {
                let pairs = values(a).iter().zip(values(b));
                pairs
                    .map(|(x, y)| x.total_cmp(y))
                    .find(|o| o.is_ne())
                    .unwrap_or(std::cmp::Ordering::Equal)
            })
        };
        let mut order: Vec<usize> =
            (0..n).filter(|&u| record_weights[u] > 0.0 && answered(u)).collect();
        order.sort_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
        let mut distinct = Rows::default();
        let mut weights: Vec<f64> = Vec::new();
        let mut pattern_of = vec![None; n];
        let mut last: Option<usize> = None;
        for u in order {
            if last.is_none_or(|other| compare(other, u).is_ne()) {
                distinct.codes.extend_from_slice(codes(u));
                distinct.values.extend_from_slice(values(u));
                weights.push(0.0);
                last = Some(u);
            }
            let pattern = weights.len() - 1;
            weights[pattern] += record_weights[u];
            pattern_of[u] = Some(pattern as u32);
        }
        let mut notes = Vec::new();
        let silent = (0..n).filter(|&u| !answered(u)).count();
        if silent > 0 {
            notes.push(format!("{silent} of {n} records answer no item; they teach nothing"));
        }
        let whole_weights = record_weights.iter().all(|w| w.fract() == 0.0);
        let rows = Arc::new(distinct);
        Self { items, offsets, rows, weights, pattern_of, record_weights, whole_weights, notes }
    }

    /// The items, categorical and numeric, in the order of their columns.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The categorical items, whose answers are codes.
    pub(super) fn categorical(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| !item.is_numeric())
    }

    /// The numeric items, whose answers are values.
    pub(super) fn numeric(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.is_numeric())
    }

    /// Where the categories of each categorical item begin, and the end of the last.
    pub(super) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Number of categories of all categorical items.
    pub fn n_categories(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }

    /// Number of distinct patterns of answers.
    pub fn n_patterns(&self) -> usize {
        self.weights.len()
    }

    /// Number of records, with or without answers.
    pub fn n_records(&self) -> usize {
        self.record_weights.len()
    }

    /// The sum of the weights of records that answer something.
    pub fn total_weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The weight of each pattern.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The pattern of each record; none for a record without any answer or weight.
    pub fn pattern_of(&self) -> &[Option<u32>] {
        &self.pattern_of
    }

    /// Number of answers that are missing, among records with some answer.
    pub fn n_missing(&self) -> usize {
        let (jc, jn) = widths(&self.items);
        let missing_in = |u: usize| {
            let n = self.n_categories() as u32;
            let codes = self.rows.codes[u * jc..(u + 1) * jc].iter().filter(|&&c| c == n).count();
            codes + self.rows.values[u * jn..(u + 1) * jn].iter().filter(|x| x.is_nan()).count()
        };
        let by_pattern: Vec<usize> = (0..self.n_patterns()).map(missing_in).collect();
        self.pattern_of.iter().flatten().map(|&p| by_pattern[p as usize]).sum()
    }

    /// What the user should know of how records were read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The same patterns with other weights; those without any are kept, at weight 0.
    pub(super) fn reweighted(&self, weights: Vec<f64>) -> Self {
        Self { weights, ..self.clone() }
    }

    /// Weights of the patterns without group `g` of `groups`: record `u` is in group `u mod
    /// groups`; where weights count records, each counted record has a group of its own.
    pub(super) fn weights_without(&self, g: usize, groups: usize) -> Vec<f64> {
        let mut weights = vec![0.0; self.weights.len()];
        let mut before = 0_u64;
        for (u, &weight) in self.record_weights.iter().enumerate() {
            let kept = if self.whole_weights {
                let end = before + weight as u64;
                let in_group = multiples(end, g as u64, groups as u64)
                    - multiples(before, g as u64, groups as u64);
                before = end;
                weight - in_group as f64
            } else if u % groups == g {
                0.0
            } else {
                weight
            };
            if let Some(pattern) = self.pattern_of[u] {
                weights[pattern as usize] += kept;
            }
        }
        weights
    }

    /// Every `step`-th pattern, for a search on a part of the data.
    pub(super) fn thinned(&self, step: usize) -> Self {
        let (jc, jn) = widths(&self.items);
        let kept: Vec<usize> = (step / 2..self.n_patterns()).step_by(step.max(1)).collect();
        let rows = Rows {
            codes: kept
                .iter()
                .flat_map(|&u| &self.rows.codes[u * jc..(u + 1) * jc])
                .copied()
                .collect(),
            values: kept
                .iter()
                .flat_map(|&u| &self.rows.values[u * jn..(u + 1) * jn])
                .copied()
                .collect(),
        };
        let weights: Vec<f64> = kept.iter().map(|&u| self.weights[u]).collect();
        Self {
            items: self.items.clone(),
            offsets: self.offsets.clone(),
            rows: Arc::new(rows),
            pattern_of: (0..kept.len() as u32).map(Some).collect(),
            record_weights: weights.clone(),
            weights,
            whole_weights: self.whole_weights,
            notes: Vec::new(),
        }
    }
}

/// Numbers `x < end` with `x mod m = g`.
fn multiples(end: u64, g: u64, m: u64) -> u64 {
    (end + m - 1 - g) / m
}

/// Category numbers within items turned into numbers among all categories.
fn shifted(offsets: &[usize], n_items: usize, answers: &[u32]) -> Vec<u32> {
    let n = offsets[offsets.len() - 1] as u32;
    let shift = |(place, &code): (usize, &u32)| match code {
        MISSING => n,
        code => {
            let b = place % n_items;
            assert!((code as usize) < offsets[b + 1] - offsets[b], "a category of its item");
            code + offsets[b] as u32
        }
    };
    answers.iter().enumerate().map(shift).collect()
}

/// Numbers of categorical and of numeric items.
pub(super) fn widths(items: &[Item]) -> (usize, usize) {
    let numeric = items.iter().filter(|item| item.is_numeric()).count();
    (items.len() - numeric, numeric)
}

fn offsets(items: &[Item]) -> Vec<usize> {
    let mut offsets = vec![0];
    let mut end = 0;
    for item in items.iter().filter(|item| !item.is_numeric()) {
        end += item.labels().len();
        offsets.push(end);
    }
    offsets
}

fn chosen_columns<'a>(table: &'a Table, choice: &ItemChoice) -> Result<Vec<&'a Column>> {
    if !choice.items.is_empty() {
        return choice.items.iter().map(|name| table.column(name)).collect();
    }
    for name in choice.real.iter().chain(&choice.counts).chain(&choice.categorical) {
        table.column(name)?;
    }
    let is_weight = |column: &&Column| choice.weights.as_deref() != Some(column.name());
    Ok(table.columns().iter().filter(is_weight).collect())
}

/// The item of a column; `None` when it has fewer than two different answers.
fn item_of(
    column: &Column,
    choice: &ItemChoice,
    weights: &[f64],
    notes: &mut Vec<String>,
) -> Result<Option<Item>> {
    let name = column.name().to_owned();
    let said = |names: &[String]| names.contains(&name);
    let all_numbers = column.labels().iter().all(|label| as_number(label).is_some());
    let looks_real = all_numbers
        && (column.labels().len() > MAX_CODES
            || column.labels().iter().any(|l| as_number(l).is_some_and(|x| x.fract() != 0.0)));
    if said(&choice.counts) {
        check_counts(column)?;
        return count_item(column, name, weights);
    }
    if said(&choice.real) || (looks_real && !said(&choice.categorical)) {
        if !said(&choice.real) {
            notes.push(format!(
                "item {name:?} holds numbers and is taken for real numbers (normal within a class)"
            ));
        }
        return real_item(column, name, weights);
    }
    let mut labels: Vec<String> = match all_numbers {
        true => column.labels().iter().filter_map(|l| as_number(l)).map(number_label).collect(),
        false => column.labels().to_vec(),
    };
    match all_numbers {
        true => labels.sort_by(|a, b| as_number(a).partial_cmp(&as_number(b)).unwrap_or(a.cmp(b))),
        false => labels.sort(),
    }
    labels.dedup();
    if labels.len() > MAX_CATEGORIES {
        return Err(Error::Records {
            reason: format!(
                "item {name:?} has {} different answers, more than {MAX_CATEGORIES}; is it a name \
                 or number of the record? choose the items",
                labels.len()
            ),
        });
    }
    Ok((labels.len() > 1).then_some(Item { name, kind: ItemKind::Categorical { labels } }))
}

/// Numbers that are there and count, with their weights.
fn observed(column: &Column, weights: &[f64]) -> Result<Vec<(f64, f64)>> {
    let pairs = column.numbers()?.into_iter().zip(weights.iter().copied());
    Ok(pairs.filter(|(x, w)| !x.is_nan() && *w > 0.0).collect())
}

fn mean_and_deviation(values: &[(f64, f64)]) -> (f64, f64) {
    let total: f64 = values.iter().map(|(_, w)| w).sum();
    let mean = values.iter().map(|(x, w)| w * x).sum::<f64>() / total;
    let variance = values.iter().map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / total;
    (mean, variance.sqrt())
}

fn real_item(column: &Column, name: String, weights: &[f64]) -> Result<Option<Item>> {
    let (mean, deviation) = mean_and_deviation(&observed(column, weights)?);
    let usable = deviation.is_finite() && deviation > 1e-12 * mean.abs();
    Ok(usable.then_some(Item { name, kind: ItemKind::Real { mean, deviation } }))
}

fn count_item(column: &Column, name: String, weights: &[f64]) -> Result<Option<Item>> {
    let (mean, deviation) = mean_and_deviation(&observed(column, weights)?);
    Ok((deviation > 0.0).then_some(Item { name, kind: ItemKind::Count { mean } }))
}

/// Refuses numbers that are no counts.
fn check_counts(column: &Column) -> Result<()> {
    let values = column.numbers()?;
    if let Some(row) = values.iter().position(|x| *x < 0.0 || x.fract() > 0.0) {
        return Err(Error::Cell {
            column: column.name().to_owned(),
            row,
            found: number_label(values[row]),
            needed: "a whole number of at least 0".to_owned(),
        });
    }
    Ok(())
}

fn read_weights(column: &Column) -> Result<Vec<f64>> {
    let weights = column.numbers()?;
    let bad = weights.iter().position(|w| w.is_nan() || *w < 0.0);
    if let Some(row) = bad {
        let found = column.label(row).unwrap_or("nothing").to_owned();
        let needed = "a weight of at least 0".to_owned();
        return Err(Error::Cell { column: column.name().to_owned(), row, found, needed });
    }
    if weights.iter().all(|&w| w == 0.0) {
        return Err(Error::Records {
            reason: format!(
                "every weight in column {:?} is 0, so no record counts; give some a weight",
                column.name()
            ),
        });
    }
    Ok(weights)
}

/// Two columns with the same answers everywhere count twice; that is the user's to know.
fn note_twins(columns: &[&Column], notes: &mut Vec<String>) {
    for (b, second) in columns.iter().enumerate() {
        let twin = columns[..b].iter().find(|first| first.codes() == second.codes());
        if let Some(first) = twin {
            notes.push(format!(
                "items {:?} and {:?} agree on every record; one of them is enough",
                first.name(),
                second.name()
            ));
        }
    }
}

/// Cells of the items' columns as numbers.
fn code(items: &[Item], columns: &[&Column], n_rows: usize) -> Result<Rows> {
    let offsets = offsets(items);
    let n = offsets[offsets.len() - 1] as u32;
    let mut codes: Vec<Vec<u32>> = Vec::new();
    let mut values: Vec<Vec<f64>> = Vec::new();
    for (item, column) in items.iter().zip(columns) {
        match item.kind {
            ItemKind::Categorical { .. } => {
                let offset = offsets[codes.len()] as u32;
                codes.push(category_codes(item, column, offset, n)?);
            }
            ItemKind::Count { .. } => {
                check_counts(column)?;
                values.push(column.numbers()?);
            }
            ItemKind::Real { mean, deviation } => {
                let scaled = column.numbers()?.into_iter().map(|x| (x - mean) / deviation);
                values.push(scaled.collect());
            }
        }
    }
    let by_rows = |u: usize| codes.iter().map(move |column| column[u]);
    let value_rows = |u: usize| values.iter().map(move |column| column[u]);
    Ok(Rows {
        codes: (0..n_rows).flat_map(by_rows).collect(),
        values: (0..n_rows).flat_map(value_rows).collect(),
    })
}

fn category_codes(item: &Item, column: &Column, offset: u32, missing: u32) -> Result<Vec<u32>> {
    let places: Vec<Option<usize>> = column.labels().iter().map(|l| item.place(l)).collect();
    if let Some(unknown) = places.iter().position(Option::is_none) {
        let row = column.codes().iter().position(|&c| c as usize == unknown).unwrap_or(0);
        return Err(Error::Cell {
            column: item.name.clone(),
            row,
            found: column.labels()[unknown].clone(),
            needed: format!("an answer seen in the fit ({})", item.labels().join(", ")),
        });
    }
    let code = |&c: &u32| match places.get(c as usize) {
        Some(Some(place)) => offset + *place as u32,
        _ => missing,
    };
    Ok(column.codes().iter().map(code).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, &[&str])]) -> Table {
        let column = |(name, cells): &(&str, &[&str])| {
            Column::from_cells(*name, cells.iter().map(|&c| (!c.is_empty()).then_some(c)))
        };
        Table::new(columns.iter().map(column).collect()).unwrap()
    }

    #[test]
    fn equal_records_are_one_pattern_whatever_their_order() {
        let a = table(&[("x", &["1", "2", "1"]), ("y", &["a", "b", "a"])]);
        let b = table(&[("x", &["2", "1", "1"]), ("y", &["b", "a", "a"])]);
        let [a, b] = [a, b].map(|t| Records::from_table(&t, &ItemChoice::default()).unwrap());
        assert_eq!(a.weights(), [2.0, 1.0]);
        assert_eq!((a.weights(), &a.rows.codes), (b.weights(), &b.rows.codes));
        assert_eq!(a.pattern_of(), [Some(0), Some(1), Some(0)]);
    }

    #[test]
    fn codes_are_sorted_as_numbers_and_read_again_as_numbers() {
        let t = table(&[("x", &["10", "2.0", "1", "2"]), ("y", &["a", "b", "a", "b"])]);
        let records = Records::from_table(&t, &ItemChoice::default()).unwrap();
        assert_eq!(records.items()[0].labels(), ["1", "2", "10"]);
        let later = table(&[("x", &["10.0"]), ("y", &["b"])]);
        assert!(Records::for_items(&later, records.items(), None).is_ok());
        let strange = table(&[("x", &["1", "3"]), ("y", &["a", "a"])]);
        assert_eq!(
            Records::for_items(&strange, records.items(), None).unwrap_err().to_string(),
            "column \"x\", row 2: expected an answer seen in the fit (1, 2, 10), found \"3\""
        );
    }

    #[test]
    fn an_item_of_one_answer_is_left_out_and_told() {
        let t = table(&[("x", &["1", "1"]), ("y", &["a", "b"])]);
        let records = Records::from_table(&t, &ItemChoice::default()).unwrap();
        assert_eq!(records.items().len(), 1);
        assert!(records.notes()[0].contains("one answer only"));
        assert!(
            Records::from_table(&table(&[("x", &["1", "1"])]), &ItemChoice::default()).is_err()
        );
    }

    #[test]
    fn groups_take_every_counted_record_once() {
        let t = table(&[("x", &["a", "b", "c"]), ("w", &["34", "0", "7"])]);
        let choice = ItemChoice { weights: Some("w".to_owned()), ..Default::default() };
        let records = Records::from_table(&t, &choice).unwrap();
        let taken: f64 =
            (0..20).map(|g| 41.0 - records.weights_without(g, 20).iter().sum::<f64>()).sum();
        assert_eq!(taken, 41.0);
        assert!((0..20).all(|g| records.weights_without(g, 20)[0] >= 32.0));
    }

    #[test]
    fn weights_that_are_negative_or_all_zero_are_refused() {
        let choice = ItemChoice { weights: Some("w".to_owned()), ..Default::default() };
        for (cells, said) in [(["1", "-2"], "a weight of at least 0"), (["0", "0"], "every weight")]
        {
            let t = table(&[("x", &["a", "b"]), ("w", &cells)]);
            let message = Records::from_table(&t, &choice).unwrap_err().to_string();
            assert!(message.contains(said), "{message}");
        }
    }
}
