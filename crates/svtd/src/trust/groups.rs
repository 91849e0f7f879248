//! Twenty groups of documents, dealt by content.

use crate::corpus::Corpus;

/// Groups that are left out in turn.
pub const GROUPS: usize = 20;

/// Fewer different documents than this cannot be dealt into groups that tell anything.
const LEAST_DOCUMENTS: usize = 2 * GROUPS;

/// Which group each document is in.
pub(crate) struct Groups(Vec<u8>);

impl Groups {
    /// Deals the documents by a hash of their content, equal documents into one group, so that
    /// their order in the file changes nothing and a copy is no evidence of its own. `None` when
    /// there are too few different documents.
    pub(crate) fn deal(corpus: &Corpus) -> Option<Self> {
        let mut order: Vec<(u64, usize)> = (0..corpus.n_documents())
            .filter(|&d| corpus.lengths()[d] > 0)
            .map(|d| (corpus.document_key(d), d))
            .collect();
        order.sort_unstable();
        let mut group = vec![0; corpus.n_documents()];
        let mut n_different = 0;
        for equals in order.chunk_by(|a, b| a.0 == b.0) {
            equals.iter().for_each(|&(_, d)| group[d] = (n_different % GROUPS) as u8);
            n_different += 1;
        }
        (n_different >= LEAST_DOCUMENTS).then_some(Self(group))
    }

    /// The group of document `d`.
    pub(crate) fn of(&self, d: usize) -> usize {
        usize::from(self.0[d])
    }

    /// The documents of each group, rising.
    pub(crate) fn members(&self) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); GROUPS];
        self.0.iter().enumerate().for_each(|(d, &g)| members[usize::from(g)].push(d as u32));
        members
    }

    /// Whether document `d` is in group `g`.
    pub(crate) fn holds(&self, g: usize, d: usize) -> bool {
        self.of(d) == g
    }

    /// `weights` of the documents of group `g`, zero for all others.
    pub(crate) fn only(&self, g: usize, weights: &[f64]) -> Vec<f64> {
        let own = |(d, w): (usize, &f64)| if self.holds(g, d) { *w } else { 0.0 };
        weights.iter().enumerate().map(own).collect()
    }
}

/// The sign of group `g` in a mixture of all groups. About half of them are `+1`, and any two of the
/// first four mixtures agree on about half of the groups.
pub(crate) fn sign(mixture: usize, g: usize) -> f64 {
    if (g >> mixture).is_multiple_of(2) { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Lengths, SingleTopicSource};

    #[test]
    fn copies_share_a_group_and_order_changes_nothing() {
        let source = SingleTopicSource::uniform(30, 3, 5);
        let corpus = source.draw(100, &Lengths::Uniform(3..=20), 7).0;
        let twice: Vec<usize> = (0..100).chain((0..100).rev()).collect();
        let groups = Groups::deal(&corpus).unwrap();
        let doubled = Groups::deal(&corpus.subset(&twice)).unwrap();
        for (place, &d) in twice.iter().enumerate() {
            assert_eq!(doubled.0[place], groups.0[d]);
        }
        let sizes: Vec<usize> = (0..GROUPS)
            .map(|g| groups.0.iter().filter(|&&x| usize::from(x) == g).count())
            .collect();
        assert_eq!(sizes, [5; GROUPS]);
        assert!(Groups::deal(&corpus.subset(&[0; 100])).is_none());
    }
}
