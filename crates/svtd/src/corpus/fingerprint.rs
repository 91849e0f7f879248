//! Fingerprints of a document, and of a corpus as the set of its documents.

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::{Corpus, keys};
use crate::tasks;

impl Corpus {
    /// A fingerprint of the content: SHA-256, in hexadecimal, of the sizes, the words and the sum of all documents'
    /// fingerprints. It does not depend on the names of documents, the order in which they were read, or how and
    /// where the corpus is stored.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update((self.n_documents() as u64).to_le_bytes());
        hash.update((self.n_words() as u64).to_le_bytes());
        for word in self.vocabulary.iter() {
            // The length comes first, or "ab" "c" would look like "a" "bc".
            hash.update((word.len() as u64).to_le_bytes());
            hash.update(word.as_bytes());
        }
        finished(hash, self.asked_digest().unwrap_or_else(|| self.digest_sum()))
    }

    /// The sum of the SHA-256 of all documents' [keys](keys), as eight numbers of 32 bits each, lowest first,
    /// without carrying: the sums of two corpora can be added.
    pub(crate) fn digest_sum(&self) -> [u64; 8] {
        let of_document =
            |key: &u128| tasks::branch(|| limbs(Sha256::digest(key.to_le_bytes()).into()));
        let keys = self.keys().par_iter().with_min_len(256);
        tasks::fork(|| keys.map(of_document).reduce(|| [0; 8], added))
    }

    /// A number made from the content of document `d` alone, by its words and their counts: the
    /// same in any corpus, wherever the document stands and however the words are numbered.
    /// Choosing held-out documents by it makes the choice independent of their order. Equal
    /// documents have equal keys.
    ///
    /// # Panics
    /// If `d` is not below [`n_documents`](Self::n_documents).
    pub fn document_key(&self, d: usize) -> u64 {
        (self.keys()[d] >> 64) as u64
    }

    /// The keys of all documents, computed when first needed and then kept.
    pub(crate) fn keys(&self) -> &[u128] {
        let words = &self.ranking.word_of_feature;
        self.keys.get_or_init(|| keys::of_rows(&self.rows, &self.vocabulary, words))
    }
}

/// A SHA-256 as numbers of 32 bits each, the lowest first, so that many can be added without carrying.
pub(crate) fn limbs(digest: [u8; 32]) -> [u64; 8] {
    std::array::from_fn(|i| {
        let bytes = std::array::from_fn(|b| digest[4 * i + b]);
        u64::from(u32::from_le_bytes(bytes))
    })
}

/// The sum of two such sums.
pub(crate) fn added(left: [u64; 8], right: [u64; 8]) -> [u64; 8] {
    std::array::from_fn(|i| left[i] + right[i])
}

/// The hash of what it has read and of a sum of [`limbs`], in hexadecimal.
pub(crate) fn finished(mut hash: Sha256, sum: [u64; 8]) -> String {
    let mut carried = 0;
    for limb in sum {
        carried += limb;
        hash.update((carried as u32).to_le_bytes());
        carried >>= u32::BITS;
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
