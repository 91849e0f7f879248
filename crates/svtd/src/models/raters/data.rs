//! Ratings: which rater gave which item which label.

use crate::error::{Error, Result};
use crate::models::engine::{content_order, drawn};
use crate::models::table::{Column, MISSING, Table, as_number};

/// Which columns of a long table have which meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct RaterColumns {
    /// The rated item.
    pub item: String,
    /// The rater.
    pub rater: String,
    /// The label.
    pub label: String,
}

impl Default for RaterColumns {
    fn default() -> Self {
        Self { item: "item".to_owned(), rater: "rater".to_owned(), label: "label".to_owned() }
    }
}

/// Ratings, item by item.
#[derive(Clone, Debug)]
pub struct Ratings {
    pub(super) items: Vec<String>,
    pub(super) raters: Vec<String>,
    pub(super) labels: Vec<String>,
    /// Where the ratings of each item begin, and the end of the last.
    pub(super) starts: Vec<usize>,
    /// Rater and label of each rating.
    pub(super) ratings: Vec<(u32, u32)>,
    /// How often each item counts: 1, or 0 when it is left out.
    pub(super) weights: Vec<f64>,
    pub(super) n_missing: usize,
}

impl Ratings {
    /// Reads a long table, one rating per row.
    ///
    /// # Errors
    /// When a column is not there, there are fewer than two labels or raters, or nothing is rated
    /// twice.
    pub fn from_table(table: &Table, columns: &RaterColumns) -> Result<Self> {
        let [item, rater, label] =
            [&columns.item, &columns.rater, &columns.label].map(|name| table.column(name));
        let (item, rater, label) = (item?, rater?, label?);
        let raters = sorted(rater);
        let labels = sorted(label);
        let ratings = Self::coded(item, rater, label, raters, labels)?;
        let reason = if ratings.labels.len() < 2 {
            format!(
                "every rating says {:?}; two different labels are needed",
                ratings.labels.first().map_or("nothing", String::as_str)
            )
        } else if ratings.raters.len() < 2 {
            "one rater cannot be compared with anyone; at least two are needed, best three"
                .to_owned()
        } else if ratings.starts.windows(2).all(|pair| pair[1] - pair[0] < 2) {
            "no item is rated twice, so raters cannot be compared; is the right column given for items?"
                .to_owned()
        } else {
            return Ok(ratings);
        };
        Err(Error::Records { reason })
    }

    /// Reads ratings by known raters with known labels.
    ///
    /// # Errors
    /// When a column is not there, or a rater or a label was never seen.
    pub fn for_raters(
        table: &Table,
        columns: &RaterColumns,
        raters: &[String],
        labels: &[String],
    ) -> Result<Self> {
        let item = table.column(&columns.item)?;
        let rater = table.column(&columns.rater)?;
        let label = table.column(&columns.label)?;
        Self::coded(item, rater, label, raters.to_vec(), labels.to_vec())
    }

    fn coded(
        item: &Column,
        rater: &Column,
        label: &Column,
        raters: Vec<String>,
        labels: Vec<String>,
    ) -> Result<Self> {
        let rater_codes = places(rater, &raters, "a rater seen in the fit")?;
        let label_codes = places(label, &labels, "a label seen in the fit")?;
        let items = item.labels().to_vec();
        let mut by_item: Vec<Vec<(u32, u32)>> = vec![Vec::new(); items.len()];
        let mut n_missing = 0;
        let rows = item.codes().iter().zip(&rater_codes).zip(&label_codes);
        for ((&item, &rater), &label) in rows {
            match (item, rater, label) {
                (MISSING, _, _) | (_, MISSING, _) | (_, _, MISSING) => n_missing += 1,
                _ => by_item[item as usize].push((rater, label)),
            }
        }
        // Sorted, so that sums do not depend on the order of the rows.
        by_item.iter_mut().for_each(|ratings| ratings.sort_unstable());
        let mut starts = vec![0];
        let mut ratings = Vec::new();
        for own in by_item {
            ratings.extend(own);
            starts.push(ratings.len());
        }
        let weights = vec![1.0; items.len()];
        if ratings.is_empty() {
            return Err(Error::Records {
                reason: "no row has an item, a rater and a label; is every label missing?"
                    .to_owned(),
            });
        }
        Ok(Self { items, raters, labels, starts, ratings, weights, n_missing })
    }

    /// Number of items.
    pub fn n_items(&self) -> usize {
        self.items.len()
    }

    /// Number of different labels.
    pub fn n_labels(&self) -> usize {
        self.labels.len()
    }

    /// Number of ratings.
    pub fn n_ratings(&self) -> usize {
        self.ratings.len()
    }

    /// The ratings of an item: rater and label.
    pub(super) fn of(&self, item: usize) -> &[(u32, u32)] {
        &self.ratings[self.starts[item]..self.starts[item + 1]]
    }

    /// The same ratings with items in the order of their content, so that the order of the rows does not change what
    /// is learned.
    pub(super) fn in_content_order(&self) -> Self {
        let key = |item: usize| {
            let mix = |key, &(rater, label): &(u32, u32)| {
                drawn(key, u64::from(rater) << 32 | u64::from(label))
            };
            self.of(item).iter().fold(0, mix)
        };
        let order = content_order(self.n_items(), key, |a, b| self.of(a).cmp(self.of(b)));
        let mut starts = vec![0];
        let mut ratings = Vec::with_capacity(self.ratings.len());
        for &item in &order {
            ratings.extend_from_slice(self.of(item));
            starts.push(ratings.len());
        }
        Self {
            items: order.iter().map(|&item| self.items[item].clone()).collect(),
            weights: order.iter().map(|&item| self.weights[item]).collect(),
            starts,
            ratings,
            ..self.clone()
        }
    }

    /// The ratings without items `g`, `g + groups`, `g + 2 groups` and so on. In the order of their content, which is
    /// that of a hash, these items are as good as a random group.
    pub(super) fn without(&self, g: usize, groups: usize) -> Option<Self> {
        let weights: Vec<f64> =
            (0..self.n_items()).map(|u| if u % groups == g { 0.0 } else { 1.0 }).collect();
        weights.iter().any(|&w| w > 0.0).then(|| Self { weights, ..self.clone() })
    }

    /// The share of each label in all ratings.
    pub(super) fn frequencies(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.labels.len()];
        self.ratings.iter().for_each(|&(_, label)| counts[label as usize] += 1.0);
        let total: f64 = counts.iter().sum::<f64>().max(1.0);
        counts.iter().map(|count| count / total).collect()
    }
}

/// Labels in order: numbers by size, others alphabetically.
fn sorted(column: &Column) -> Vec<String> {
    let mut labels = column.labels().to_vec();
    match labels.iter().all(|label| as_number(label).is_some()) {
        true => labels.sort_by(|a, b| {
            as_number(a)
                .partial_cmp(&as_number(b))
                .unwrap_or(std::cmp::Ordering::Equal)
                .then(a.cmp(b))
        }),
        false => labels.sort(),
    }
    labels
}

fn places(column: &Column, known: &[String], needed: &str) -> Result<Vec<u32>> {
    let by_name: std::collections::HashMap<&str, u32> =
        known.iter().zip(0..).map(|(name, place)| (name.as_str(), place)).collect();
    let places: Vec<Option<u32>> =
        column.labels().iter().map(|label| by_name.get(label.as_str()).copied()).collect();
    if let Some(unknown) = places.iter().position(Option::is_none) {
        let row = column.codes().iter().position(|&c| c as usize == unknown).unwrap_or(0);
        return Err(Error::Cell {
            column: column.name().to_owned(),
            row,
            found: column.labels()[unknown].clone(),
            needed: needed.to_owned(),
        });
    }
    let code = |&c: &u32| places.get(c as usize).copied().flatten().unwrap_or(MISSING);
    Ok(column.codes().iter().map(code).collect())
}
