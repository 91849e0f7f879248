//! Some documents of a corpus, with only the words that occur in them.
//!
//! A twentieth of the documents uses a small part of the vocabulary; what is done to their words
//! alone then costs as little.

use crate::corpus::SparseCounts;
use crate::linalg::Matrix;
use crate::moments::Counting;
use crate::moments::panels::Products;

/// A part of a table of counts.
pub(crate) struct Part {
    table: SparseCounts,
    /// The feature of each word here.
    pub features: Vec<u32>,
    /// The documents, as they are numbered in the whole.
    pub documents: Vec<u32>,
    counting: Counting,
}

impl Part {
    /// The given documents of `rows`, which has `n_features` features.
    pub fn of(
        rows: &SparseCounts,
        n_features: usize,
        documents: Vec<u32>,
        counting: Counting,
    ) -> Self {
        const ABSENT: u32 = u32::MAX;
        let mut place = vec![ABSENT; n_features];
        for &d in &documents {
            rows.row(d as usize).0.iter().for_each(|&i| place[i as usize] = 0);
        }
        let features: Vec<u32> =
            (0..n_features as u32).filter(|&i| place[i as usize] != ABSENT).collect();
        for (here, &i) in features.iter().enumerate() {
            place[i as usize] = here as u32;
        }
        let mut table = SparseCounts::with_columns(features.len(), rows.limit());
        let mut words = Vec::new();
        for &d in &documents {
            let (indices, counts) = rows.row(d as usize);
            words.clear();
            words.extend(indices.iter().map(|&i| place[i as usize]));
            table.push_row(&words, counts);
        }
        Self { table, features, documents, counting }
    }

    pub fn n_nonzeros(&self) -> usize {
        self.table.n_nonzeros()
    }

    pub fn products(&self) -> Products<'_> {
        Products::new(&self.table, self.features.len(), self.counting)
    }

    /// The rows of these documents.
    pub fn of_documents(&self, all: &Matrix) -> Matrix {
        Matrix::from_fn(self.documents.len(), all.n_columns(), |d, j| {
            all[(self.documents[d] as usize, j)]
        })
    }

    /// The rows of these words.
    pub fn of_words(&self, all: &Matrix) -> Matrix {
        Matrix::from_fn(self.features.len(), all.n_columns(), |i, j| {
            all[(self.features[i] as usize, j)]
        })
    }

    /// The weights of these documents.
    pub fn weights(&self, all: &[f64]) -> Vec<f64> {
        self.documents.iter().map(|&d| all[d as usize]).collect()
    }

    /// `X'w` for weights of these documents.
    pub fn weighted_counts(&self, weights: &[f64]) -> Vec<f64> {
        let column = Matrix::from_columns(weights.len(), 1, weights.to_vec());
        self.products().backward(&column, None).column(0).to_vec()
    }
}
