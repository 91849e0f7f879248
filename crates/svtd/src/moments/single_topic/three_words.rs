//! Three words drawn from every document: the paper's documents of three words.

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::corpus::{Corpus, SparseCounts};

/// Draws three tokens from every document that has three, without replacement.
///
/// The draw depends on the document's content, not on its position, so reordering the documents does not change it.
pub(super) fn draw(corpus: &Corpus, seed: u64) -> SparseCounts {
    let rows = corpus.rows();
    let mut drawn = SparseCounts::with_columns(rows.n_columns(), rows.limit());
    for d in 0..rows.n_rows() {
        let length = corpus.lengths()[d];
        if length < 3 {
            drawn.push_row(&[], &[]);
            continue;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ corpus.document_key(d));
        let mut tokens: Vec<u64> = Vec::with_capacity(3);
        while tokens.len() < 3 {
            let token = rng.next_u64() % length;
            if !tokens.contains(&token) {
                tokens.push(token);
            }
        }
        // Tokens are counted in the order of the vocabulary, which does not depend on the corpus.
        let mut words: Vec<(u32, u32)> = corpus.document(d).words().collect();
        words.sort_unstable();
        let mut features: Vec<u32> =
            tokens.iter().map(|&t| feature_at(corpus, &words, t)).collect();
        features.sort_unstable();
        let runs: Vec<&[u32]> = features.chunk_by(|a, b| a == b).collect();
        let chosen: Vec<u32> = runs.iter().map(|run| run[0]).collect();
        let multiplicity: Vec<u32> = runs.iter().map(|run| run.len() as u32).collect();
        drawn.push_row(&chosen, &multiplicity);
    }
    drawn
}

/// The feature of token number `token` of a document.
fn feature_at(corpus: &Corpus, words: &[(u32, u32)], token: u64) -> u32 {
    let mut end = 0;
    let mut word = words[0].0;
    for &(candidate, count) in words {
        word = candidate;
        end += u64::from(count);
        if token < end {
            break;
        }
    }
    corpus.feature_of_word()[word as usize]
}
