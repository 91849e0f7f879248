//! How far the sweeps of LDA lead away from topics that are true.
//!
//! On documents that follow the model the sweeps end at the same topics wherever they begin, and those
//! are not quite the true ones: mixtures are made of few words, and what is uncertain about them moves
//! the topics. No subtraction of documents shows such a bias, since it is the same for all of
//! them. So it is looked for where the truth is known: documents are drawn from the fitted topics,
//! each as long as one of the corpus and with a mixture that its words leave possible (where documents
//! follow the model, a mixture as the model has it), and swept as often as the fit was, beginning at
//! the topics they were drawn from. The part of the way that is made of topics, `b_ij`, is how far they
//! run into each other (told where documents follow the model). With `d` the rest of the way, `v` the
//! variance that chance explains and `p` the probabilities, a bias in proportion to `p` is
//!
//! ```text
//! E d_ij^2 = v_ij + c_j^2 p_ij^2      so     c_j^2 = sum_i (d_ij^2 - v_ij) / p_ij  /  sum_i p_ij
//! ```
//!
//! over the words that are frequent enough to tell. The errors of the topic are widened by `c_j p_ij`
//! and by `b_ij`. The drawn documents have chance in them as well, so what `v` falls short of is in
//! `c_j` or `b_ij`.
//!
//! # Same bits
//! What is drawn follows the content of a document, with a fixed seed: the same corpus gives the same
//! bits, in whatever order its documents are.
//!
//! # Cost
//! That of the polish, on at most [`FOR_A_TOPIC`] drawn tokens for each topic, whatever the length of
//! the documents.

use super::sweeps::End;
use crate::corpus::Corpus;
use crate::fit::collapsed_vb;
use crate::fit::spectral::frequencies;
use crate::linalg::{Matrix, positive_inverse};
use crate::synthetic::{Drawn, draw_mixtures};

/// Tokens drawn at most for each topic: enough for the words of some thousandths and more.
const FOR_A_TOPIC: u64 = 1 << 13;

/// Documents looked at, at least, however long they are.
const FEWEST_DOCUMENTS: usize = 16;

/// A word that is expected so often among the drawn ones of a topic is frequent enough to tell.
const FREQUENT: f64 = 10.0;

/// What the documents' own keys are mixed with.
const SEED: u64 = 0x5EED;

/// Widens `errors` by the bias of so many sweeps; `shapes` are the Dirichlet parameters of the
/// documents' mixtures given their words, documents x topics.
pub(crate) fn widen(
    corpus: &Corpus,
    end: &End<'_>,
    shapes: &Matrix,
    sweeps: usize,
    errors: &mut Matrix,
) {
    let word_topic = end.word_topic;
    let k = word_topic.n_columns();
    let budget = FOR_A_TOPIC * k as u64;
    let chosen = chosen(corpus, budget, k);
    // A long document is cut, so that as many as `fewest` share the budget: fewer could not tell
    // the topics apart, and shorter ones show more of the bias, not less.
    let longest = budget / fewest(k) as u64;
    let believed = end.prior.of_any_document(end.topic_weights);
    let drawn: Vec<Drawn> = chosen
        .iter()
        .map(|&d| Drawn {
            seed: SEED ^ corpus.document_key(d),
            shapes: believed.clone().unwrap_or_else(|| shapes.row(d)),
            length: corpus.lengths()[d].min(longest),
        })
        .collect();
    let redrawn = draw_mixtures(word_topic, &drawn);
    let words = &redrawn.word_of_feature()[..redrawn.n_present()];
    let start = Matrix::from_fn(words.len(), word_topic.n_columns(), |i, j| {
        word_topic[(words[i] as usize, j)]
    });
    let scale = corpus.n_tokens() as f64 / redrawn.n_tokens().max(1) as f64;
    let prior = end.prior.in_part(words, 1.0 / scale);
    let swept = collapsed_vb::polish(&redrawn, &start, &prior, sweeps, &|_| {});
    // Mixtures that the words of text leave possible are more even than those the sweeps believe in,
    // and that alone would move topics together.
    let along = |_| along_topics(&redrawn, &start, &swept.word_topic, word_topic);
    let systematic = believed.as_ref().map(along);
    for (j, weight) in swept.topic_weights.iter().enumerate() {
        let least = FREQUENT / (weight * redrawn.n_tokens() as f64).max(f64::MIN_POSITIVE);
        let (mut excess, mut mass) = (0.0, 0.0);
        for (i, &word) in words.iter().enumerate() {
            let p = start[(i, j)];
            if p >= least {
                let entry = (word as usize, j);
                let along = systematic.as_ref().map_or(0.0, |b| b[entry]);
                let moved = swept.word_topic[(i, j)] - p - along;
                excess += (moved * moved - scale * errors[entry] * errors[entry]) / p;
                mass += p;
            }
        }
        let bias = if mass > 0.0 { (excess.max(0.0) / mass).sqrt() } else { 0.0 };
        for (error, p) in errors.column_mut(j).iter_mut().zip(word_topic.column(j)) {
            *error = error.hypot(bias * p);
        }
        if let Some(systematic) = &systematic {
            for (error, b) in errors.column_mut(j).iter_mut().zip(systematic.column(j)) {
                *error = error.hypot(*b);
            }
        }
    }
}

/// How far the topics moved into each other: the part of `end - start` (features of the drawn
/// documents x topics) that is made of topics, for the features of `word_topic`. Nothing when the
/// topics do not tell themselves apart.
fn along_topics(drawn: &Corpus, start: &Matrix, end: &Matrix, word_topic: &Matrix) -> Matrix {
    let rare = frequencies(drawn).iter().map(|f| 1.0 / f).collect::<Vec<f64>>();
    let mut scaled = start.clone();
    scaled.scale_rows(&rare);
    let mut moved = end.clone();
    moved.add(-1.0, start);
    match positive_inverse(&start.transpose_times(&scaled)) {
        Some(inverse) => word_topic.times(&inverse.times(&scaled.transpose_times(&moved))),
        None => Matrix::zeros(word_topic.n_rows(), word_topic.n_columns()),
    }
}

/// Documents that are looked at whatever their length, when the corpus has as many.
fn fewest(n_topics: usize) -> usize {
    n_topics.max(FEWEST_DOCUMENTS)
}

/// All documents with words, or as many as the tokens allow, by content; never fewer than [`fewest`].
pub(super) fn chosen(corpus: &Corpus, most_tokens: u64, n_topics: usize) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..corpus.n_documents()).filter(|&d| corpus.lengths()[d] > 0).collect();
    order.sort_unstable_by_key(|&d| (corpus.document_key(d), d));
    let (mut tokens, mut n) = (0_u64, 0);
    order.retain(|&d| {
        tokens = tokens.saturating_add(corpus.lengths()[d]);
        n += 1;
        tokens <= most_tokens || n <= fewest(n_topics)
    });
    order
}
