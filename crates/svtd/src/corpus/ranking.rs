//! Features: words renumbered by falling frequency.
//!
//! The numeric kernels gather one row of a dense matrix for each non-zero count. Text repeats a
//! few words most of the time; when these few have neighbouring numbers their rows stay in cache.
//! Words of equal frequency are ordered by the word itself, so the numbering is a function of the
//! counts and the words, not of the order of the vocabulary. Words that never occur come last,
//! where kernels can leave them out.

use super::Vocabulary;

/// The mapping between words and features in both directions, and how often each feature occurs.
#[derive(Debug, Clone)]
pub(super) struct Ranking {
    pub(super) word_of_feature: Vec<u32>,
    pub(super) feature_of_word: Vec<u32>,
    pub(super) feature_totals: Vec<u64>,
    pub(super) n_present: usize,
}

impl Ranking {
    /// Ranks the words from how often each occurs.
    pub(super) fn by_frequency(word_totals: &[u64], vocabulary: &Vocabulary) -> Self {
        let mut word_of_feature: Vec<u32> = (0_u32..).take(word_totals.len()).collect();
        // Numbered words are ordered as numbers: a stable sort leaves ties in the order of word ids.
        let by_word = |a: u32, b: u32| match vocabulary.is_numbered() {
            true => std::cmp::Ordering::Equal,
            false => vocabulary.word(a as usize).cmp(&vocabulary.word(b as usize)),
        };
        word_of_feature.sort_by(|&a, &b| {
            let by_total = word_totals[b as usize].cmp(&word_totals[a as usize]);
            by_total.then_with(|| by_word(a, b))
        });
        let mut feature_of_word = vec![0; word_totals.len()];
        for (&word, feature) in word_of_feature.iter().zip(0..) {
            feature_of_word[word as usize] = feature;
        }
        let feature_totals: Vec<u64> =
            word_of_feature.iter().map(|&word| word_totals[word as usize]).collect();
        let n_present = feature_totals.partition_point(|&total| total > 0);
        Ranking { word_of_feature, feature_of_word, feature_totals, n_present }
    }

    /// Words that keep their numbers, all of them in use, with these totals.
    pub(super) fn as_given(feature_totals: Vec<u64>) -> Self {
        let n_present = feature_totals.len();
        let same: Vec<u32> = (0_u32..).take(n_present).collect();
        Ranking { word_of_feature: same.clone(), feature_of_word: same, feature_totals, n_present }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_words_come_first_ties_in_word_order_absent_words_last() {
        let ranking = Ranking::by_frequency(&[2, 0, 7, 2, 0], &Vocabulary::numbered(5));
        assert_eq!(ranking.word_of_feature, [2, 0, 3, 1, 4]);
        assert_eq!(ranking.feature_of_word, [1, 3, 0, 2, 4]);
        assert_eq!(ranking.feature_totals, [7, 2, 2, 0, 0]);
        assert_eq!(ranking.n_present, 3);
    }

    #[test]
    fn words_of_equal_frequency_are_ordered_by_the_word() {
        let words = ["selva", "stelle", "amor"].map(str::to_owned).to_vec();
        let vocabulary = Vocabulary::from_words(words).unwrap();
        let ranking = Ranking::by_frequency(&[1, 1, 1], &vocabulary);
        assert_eq!(ranking.word_of_feature, [2, 0, 1]);
    }
}
