//! The documents of a [part](KeyPart), which their keys determine.

use std::sync::OnceLock;

use super::names::Names;
use super::{Corpus, CorpusReport, SparseCounts};
use crate::questions::{Dealt, KeyPart};

impl KeyPart {
    /// The documents of the part in a corpus that is here, ascending.
    pub(crate) fn documents(&self, corpus: &Corpus) -> Vec<usize> {
        let holds = |&d: &usize| {
            let key = corpus.document_key(d);
            let is_dealt = |dealt: &Dealt| corpus.lengths()[d] > 0 && dealt.contains(key);
            self.range.contains(key) && self.dealt.iter().all(is_dealt)
        };
        (0..corpus.n_documents()).filter(holds).collect()
    }
}

impl Corpus {
    /// The documents of a part, with the words numbered as in this corpus; if the documents are elsewhere, their
    /// holders answer for those of the part. In the result only the documents are those of the part; word totals
    /// are still those of all documents.
    pub(crate) fn among(&self, part: &KeyPart) -> Corpus {
        if let Some(among) = self.among_elsewhere(part) {
            return among;
        }
        let documents = part.documents(self);
        let keys: Vec<u128> = documents.iter().map(|&d| self.keys()[d]).collect();
        Corpus {
            rows: self.rows.picked(&documents, self),
            columns: OnceLock::new(),
            keys: OnceLock::from(keys),
            facts: OnceLock::new(),
            lengths: documents.iter().map(|&d| self.lengths[d]).collect(),
            ranking: self.ranking.clone(),
            vocabulary: self.vocabulary.clone(),
            names: Names::default(),
            word_choice: None,
            report: CorpusReport::default(),
            elsewhere: None,
        }
    }
}

impl SparseCounts {
    /// The rows of some documents of a corpus. They are cut into the blocks of the corpus if that is cut by keys;
    /// otherwise they form one block.
    pub(crate) fn picked(&self, documents: &[usize], corpus: &Corpus) -> SparseCounts {
        let mut picked = SparseCounts::with_columns(self.n_columns(), self.limit());
        picked.reserve(documents.len(), documents.iter().map(|&d| self.row(d).0.len()).sum());
        for &d in documents {
            let (features, counts) = self.row(d);
            picked.push_row(features, counts);
        }
        picked.cut_as(documents, corpus);
        picked
    }

    /// The same with words numbered among those that these documents have, in the same order; and the words.
    pub(crate) fn picked_with_words(
        &self,
        documents: &[usize],
        corpus: &Corpus,
    ) -> (SparseCounts, Vec<u32>) {
        let mut places = vec![0; self.n_columns()];
        for &d in documents {
            self.row(d).0.iter().for_each(|&i| places[i as usize] = 1);
        }
        let words: Vec<u32> =
            (0..self.n_columns() as u32).filter(|&i| places[i as usize] > 0).collect();
        words.iter().zip(0..).for_each(|(&i, place)| places[i as usize] = place);
        let mut picked = SparseCounts::with_columns(words.len(), self.limit());
        picked.reserve(documents.len(), documents.iter().map(|&d| self.row(d).0.len()).sum());
        let mut renumbered = Vec::new();
        for &d in documents {
            let (features, counts) = self.row(d);
            renumbered.clear();
            renumbered.extend(features.iter().map(|&i| places[i as usize]));
            picked.push_row(&renumbered, counts);
        }
        picked.cut_as(documents, corpus);
        (picked, words)
    }

    /// Cuts the rows of some documents of a corpus into its blocks if that is cut by keys.
    fn cut_as(&mut self, documents: &[usize], corpus: &Corpus) {
        if corpus.rows.is_cut_by_keys() {
            let keys: Vec<u128> = documents.iter().map(|&d| corpus.keys()[d]).collect();
            self.cut_into(&keys, corpus.rows.n_blocks());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::KeyRange;
    use crate::synthetic::{Lengths, SingleTopicSource};

    #[test]
    fn parts_hold_every_document_with_words_once() {
        let source = SingleTopicSource::uniform(30, 3, 5);
        let corpus = source.draw(300, &Lengths::Uniform(0..=20), 7).0.into_key_order();
        let third = |i: u8| Dealt::between(5, f64::from(i) / 3.0, f64::from(i + 1) / 3.0);
        let parts: Vec<Vec<usize>> =
            (0..3).map(|i| KeyPart::from(third(i)).documents(&corpus)).collect();
        let mut all: Vec<usize> = parts.concat();
        all.sort_unstable();
        let with_words = |&d: &usize| corpus.lengths()[d] > 0;
        assert_eq!(all, (0..300).filter(with_words).collect::<Vec<_>>());
        let mut others = KeyPart::from(third(0).others()).documents(&corpus);
        others.extend(&parts[0]);
        others.sort_unstable();
        assert_eq!(others, all);
        let both = KeyPart::from(third(0)).and(&KeyRange::between(0.0, 0.5).into());
        assert!(both.documents(&corpus).iter().all(|d| parts[0].contains(d)));
        let among = corpus.among(&third(0).into());
        assert_eq!(among.n_documents(), parts[0].len());
        assert_eq!(among.rows().row(3), corpus.rows().row(parts[0][3]));
        let (rows, words) = corpus.rows().picked_with_words(&parts[0][..4], &corpus);
        let (features, counts) = rows.row(3);
        let features: Vec<u32> = features.iter().map(|&place| words[place as usize]).collect();
        assert_eq!((&features[..], counts), corpus.rows().row(parts[0][3]));
    }
}
