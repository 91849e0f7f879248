//! Documents that hold a large part of all words.
//!
//! Sums over documents count a long one more than a short one, though much less than in proportion. A document that is
//! a quarter of the corpus still makes topics of its own: each of them is flagged, but only the document explains
//! why.

use std::cmp::Reverse;

use super::Corpus;

/// The share of all words from which a document is named. In corpora that were not made for the purpose (65 addresses,
/// 100 cantos, 395 news items, 18,741 posts) the longest document holds 8, 1, .6 and .4 %.
const DOMINANT: f64 = 0.2;

/// With fewer documents than this none is named: each of them holds a large part.
const FEWEST: usize = 20;

/// A few documents hold nearly all words if the effective number of documents, `(sum c)^2 / sum c^2` for lengths `c`, is
/// below this and below a quarter of the documents that have words.
const FEW_IN_EFFECT: f64 = 25.0;

impl Corpus {
    /// The length of a usual document: the mean over the documents that have words. If a few documents hold nearly all
    /// words, their words are left out of the mean (estimated as the root of the sum of all squared lengths). Otherwise
    /// a topic of many short documents would count as empty because another document is long.
    pub(crate) fn usual_length(&self) -> f64 {
        let facts = self.facts();
        let (tokens, n) = (self.n_tokens() as f64, facts.n_with_words().max(1) as f64);
        let root = (facts.squared_lengths as f64).sqrt();
        let in_effect = (tokens / root.max(1.0)).powi(2);
        let few = in_effect < FEW_IN_EFFECT.min(n / 4.0);
        (if few { tokens - root } else { tokens }).max(n) / n
    }

    /// A sentence for each document that holds a fifth of all words or more, with what to do; none where there are few
    /// documents, or where they are elsewhere.
    pub fn dominance(&self) -> Vec<String> {
        let with_words = self.lengths().iter().filter(|&&length| length > 0).count();
        if with_words < FEWEST {
            return Vec::new();
        }
        let share = |d: usize| self.lengths()[d] as f64 / self.n_tokens().max(1) as f64;
        let dominant = (0..self.lengths().len()).filter(|&d| share(d) > DOMINANT);
        let mut named: Vec<(u64, String)> =
            dominant.map(|d| (self.lengths()[d], self.document_name(d).into_owned())).collect();
        named.sort_by(|a, b| (Reverse(a.0), &a.1).cmp(&(Reverse(b.0), &b.1)));
        let sentence = |(length, name): (u64, String)| {
            format!(
                "document {name} holds {:.0} % of all words, so topics are about its parts; cut it into \
                 passages, each a document, or leave it out",
                100.0 * length as f64 / self.n_tokens().max(1) as f64
            )
        };
        named.into_iter().map(sentence).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(n_short: usize, long: u32) -> Corpus {
        let mut builder = Corpus::builder(9);
        for d in 0..n_short as u32 {
            builder.push_document([(d % 9, 2), ((d + 1) % 9, 3)]).unwrap();
        }
        builder.push_document((0..9).map(|i| (i, long))).unwrap();
        builder.build().unwrap()
    }

    #[test]
    fn one_document_that_outweighs_the_others_is_named_with_what_to_do() {
        let said = corpus(100, 1000).dominance();
        assert_eq!(said.len(), 1);
        assert!(said[0].starts_with("document 101 holds 95 % of all words"), "{said:?}");
        assert!(said[0].ends_with("cut it into passages, each a document, or leave it out"));
        // In another order it is the same document, by the number it was given.
        assert_eq!(corpus(100, 1000).into_key_order().dominance(), said);
    }

    #[test]
    fn the_usual_length_is_not_that_of_one_huge_document() {
        assert!((corpus(100, 5).usual_length() - (500.0 + 45.0) / 101.0).abs() < 1e-12);
        let usual = corpus(100, 1_000_000).usual_length();
        assert!((2.0..=5.0).contains(&usual), "{usual}");
        assert_eq!(corpus(3, 1).usual_length(), (15.0 + 9.0) / 4.0);
    }

    #[test]
    fn long_documents_and_few_documents_are_nothing_to_speak_of() {
        assert!(corpus(100, 10).dominance().is_empty(), "15 % of all words");
        assert!(corpus(10, 1000).dominance().is_empty(), "eleven documents");
    }
}
