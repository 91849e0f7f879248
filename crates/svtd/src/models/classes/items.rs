//! Items: questions with their possible answers, as stored in a model.

use serde::{Deserialize, Serialize};

use crate::models::table::{as_number, number_label};

/// A column of numbers with more distinct values than this contains real numbers, not codes.
pub const MAX_CODES: usize = 20;

/// The largest number of categories of an item.
pub const MAX_CATEGORIES: usize = 500;

/// The kind of answers to an item.
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
    /// The kind of its answers.
    #[serde(flatten)]
    pub kind: ItemKind,
}

impl Item {
    /// The labels of a categorical item; empty for numbers.
    pub fn labels(&self) -> &[String] {
        match &self.kind {
            ItemKind::Categorical { labels } => labels,
            _ => &[],
        }
    }

    /// Whether its answers are numbers, not categories.
    pub fn is_numeric(&self) -> bool {
        !matches!(self.kind, ItemKind::Categorical { .. })
    }

    /// The index of a label among the categories; codes are compared as numbers.
    pub(super) fn place(&self, label: &str) -> Option<usize> {
        let labels = self.labels();
        labels.iter().position(|known| known == label).or_else(|| {
            let canonical = number_label(as_number(label)?);
            labels.iter().position(|known| *known == canonical)
        })
    }
}

/// Which columns are items, and their kinds.
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

/// Numbers of categorical and of numeric items.
pub(super) fn widths(items: &[Item]) -> (usize, usize) {
    let numeric = items.iter().filter(|item| item.is_numeric()).count();
    (items.len() - numeric, numeric)
}

/// Where the categories of each categorical item begin among all, and the end of the last.
pub(super) fn offsets(items: &[Item]) -> Vec<usize> {
    let mut offsets = vec![0];
    let mut end = 0;
    for item in items.iter().filter(|item| !item.is_numeric()) {
        end += item.labels().len();
        offsets.push(end);
    }
    offsets
}
