//! One document.

/// One document of a [`Corpus`](super::Corpus), `X⁽ᵈ⁾`.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    pub(super) features: &'a [u32],
    pub(super) counts: &'a [u32],
    pub(super) word_of_feature: &'a [u32],
    pub(super) length: u64,
}

impl<'a> Document<'a> {
    /// The words that occur, as `(word id, count)`, in order of falling frequency in the corpus.
    pub fn words(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + 'a {
        let word_of_feature = self.word_of_feature;
        let entries = self.features.iter().zip(self.counts);
        entries.map(|(&feature, &count)| (word_of_feature[feature as usize], count))
    }

    /// `c_d`, the number of words with repetition.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The number of different words.
    pub fn n_distinct(&self) -> usize {
        self.features.len()
    }
}
