//! The documents that show a topic best.
//!
//! A document of three words may be about one topic alone by chance. So documents are ranked by
//! their share of the topic as if [`BACKGROUND`] more words of theirs were about other topics,
//!
//! ```text
//! theta_dj n_d / (n_d + 30)
//! ```
//!
//! which favours long documents: a short one must be almost entirely about the topic.

use crate::linalg::Matrix;

/// Number of imaginary words about other topics that are added to every document for the ranking.
pub const BACKGROUND: f64 = 30.0;

/// For every topic the `n` documents that show it best, the best first; equal ones in the order of
/// the documents. Documents without words are left out.
///
/// # Panics
/// If there are not as many lengths as mixtures.
pub fn best_documents(mixtures: &Matrix, lengths: &[u64], n: usize) -> Vec<Vec<usize>> {
    assert_eq!(mixtures.n_rows(), lengths.len(), "a length for each document");
    let weight = |d: usize| lengths[d] as f64 / (lengths[d] as f64 + BACKGROUND);
    let best = |j: usize| {
        let score = |d: usize| mixtures[(d, j)] * weight(d);
        let mut order: Vec<(f64, usize)> =
            (0..lengths.len()).filter(|&d| lengths[d] > 0).map(|d| (score(d), d)).collect();
        let by = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if n < order.len() && n > 0 {
            order.select_nth_unstable_by(n - 1, by);
        }
        order.truncate(n);
        order.sort_unstable_by(by);
        order.into_iter().map(|(_, d)| d).collect()
    };
    (0..mixtures.n_columns()).map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_document_passes_a_short_one_of_a_slightly_larger_share() {
        let mixtures = Matrix::from_columns(4, 2, vec![0.95, 0.90, 0.2, 1.0, 0.05, 0.1, 0.8, 0.0]);
        let best = best_documents(&mixtures, &[10, 500, 300, 0], 2);
        assert_eq!(best, [vec![1, 0], vec![2, 1]]);
        assert!(best_documents(&mixtures, &[10, 500, 300, 0], 0)[0].is_empty());
        assert_eq!(best_documents(&mixtures, &[10, 500, 300, 0], 9)[0].len(), 3);
    }
}
