//! The data for latent classes: items, and the distinct patterns of answers with their weights.
//!
//! A categorical answer is a number in `0..n`, the categories of all items one behind the other; a
//! missing answer is `n`, a row of zeros in the tables of logarithms, so that kernels need no
//! branch. Numbers are kept standardised (real) or as they are (counts), NaN when missing.
//!
//! Rows are the distinct patterns, sorted: records in another order give the same rows, hence the
//! same bits.

use std::sync::Arc;

use super::coding::{
    Rows, chosen_columns, code, item_of, names_records, note_left_out, note_twins, read_weights,
};
use super::items::{Item, ItemChoice, offsets, widths};
use crate::error::{Error, Result};
use crate::models::columns::by_name;
use crate::models::table::{Column, MISSING, Table};

/// Records as distinct patterns of answers.
#[derive(Clone, Debug)]
pub struct Records {
    items: Vec<Item>,
    /// Where the categories of each categorical item begin among all, and the end of the last.
    offsets: Vec<usize>,
    pub(super) rows: Arc<Rows>,
    /// Weight of each pattern.
    weights: Vec<f64>,
    /// The pattern of each record; `None` for a record without any answer.
    pattern_of: Vec<Option<u32>>,
    pub(super) record_weights: Vec<f64>,
    /// Whether weights are counts of records, so that a jackknife may divide them.
    pub(super) whole_weights: bool,
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
        let chosen = |column: &Column| {
            let named = [&choice.items, &choice.real, &choice.counts, &choice.categorical];
            named.iter().any(|names| names.iter().any(|name| name == column.name()))
        };
        for column in columns {
            if !chosen(column) && names_records(column) {
                notes.push(format!(
                    "column {:?} has a different value in every record, so it names them; it is left out",
                    column.name()
                ));
                continue;
            }
            match item_of(column, choice, &weights, &mut notes)? {
                Some(item) => {
                    items.push(item);
                    kept.push(column);
                }
                None => notes.push(note_left_out(column, &weights)),
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

    /// Rows as given, neither sorted nor merged.
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

    /// The answers in a table to the same items, to apply a model to them.
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
        // Equal records by weight, so that weights are added in the same order whatever that of the records.
        let by_weight = |a: usize, b: usize| record_weights[a].total_cmp(&record_weights[b]);
        order.sort_by(|&a, &b| compare(a, b).then(by_weight(a, b)));
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

    /// The places of the items in the order in which they are learned from.
    pub(super) fn columns_by_name(&self) -> Vec<usize> {
        by_name(self.items.iter().map(|item| item.name.as_str()))
    }

    /// The same records with their items in another order.
    pub(super) fn in_columns(&self, order: &[usize]) -> Self {
        if order.is_sorted() {
            return self.clone();
        }
        let items: Vec<Item> = order.iter().map(|&b| self.items[b].clone()).collect();
        let (jc, jn) = widths(&items);
        let of_kind = |numeric: bool| -> Vec<usize> {
            let own = order.iter().filter(|&&b| self.items[b].is_numeric() == numeric);
            own.map(|&b| self.items[..b].iter().filter(|item| item.is_numeric() == numeric).count())
                .collect()
        };
        let (categorical, numeric) = (of_kind(false), of_kind(true));
        let (old, new) = (&self.offsets, offsets(&items));
        let n = self.n_categories() as u32;
        let code = |u: usize, place: usize| match self.rows.codes[u * jc + categorical[place]] {
            missing if missing == n => n,
            code => code - old[categorical[place]] as u32 + new[place] as u32,
        };
        let patterns = 0..self.n_patterns();
        let codes = patterns.clone().flat_map(|u| (0..jc).map(move |place| (u, place)));
        let values = patterns.flat_map(|u| numeric.iter().map(move |&l| u * jn + l));
        let rows = Rows {
            codes: codes.map(|(u, place)| code(u, place)).collect(),
            values: values.map(|at| self.rows.values[at]).collect(),
        };
        let patterns = Self::collect(items, rows, self.weights.clone());
        let moved = |pattern: &Option<u32>| patterns.pattern_of[(*pattern)? as usize];
        Self {
            pattern_of: self.pattern_of.iter().map(moved).collect(),
            record_weights: self.record_weights.clone(),
            whole_weights: self.whole_weights,
            notes: self.notes.clone(),
            ..patterns
        }
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

    /// The pattern of each record; `None` for a record without any answer or weight.
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

    /// Notes for the user on how records were read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The same patterns with other weights; those without weight are kept, at weight 0.
    pub(super) fn reweighted(&self, weights: Vec<f64>) -> Self {
        Self { weights, ..self.clone() }
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

/// Converts category numbers within items to numbers among all categories.
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn table(columns: &[(&str, &[&str])]) -> Table {
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
}
