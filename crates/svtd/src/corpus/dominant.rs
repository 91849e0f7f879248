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

/// With fewer documents than this each holds a large part.
const FEWEST: usize = 20;

impl Corpus {
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
    fn long_documents_and_few_documents_are_nothing_to_speak_of() {
        assert!(corpus(100, 10).dominance().is_empty(), "15 % of all words");
        assert!(corpus(10, 1000).dominance().is_empty(), "eleven documents");
    }
}
