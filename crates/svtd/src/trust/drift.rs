//! The bias of the polish of LDA, measured on simulated documents.
//!
//! On documents that follow the model the passes end at the same topics wherever they begin, and those
//! are not quite the true ones: mixtures are estimated from few words, and their uncertainty moves
//! the topics. The jackknife cannot show such a bias, since it stays the same when documents are left
//! out. So it is measured where the truth is known: documents are drawn from the fitted topics,
//! each as long as one of the corpus and with a mixture from its posterior (where documents
//! follow the model, a mixture from the model's prior), and get as many passes as the fit, beginning at
//! the topics they were drawn from. The part of the shift that is a combination of the topics, `b_ij`, shows
//! how far they mix with each other (only where documents follow the model). With `d` the rest of the shift,
//! `v` the variance that chance explains and `p` the probabilities, a bias in proportion to `p` is
//!
//! ```text
//! E d_ij^2 = v_ij + c_j^2 p_ij^2      so     c_j^2 = sum_i (d_ij^2 - v_ij) / p_ij  /  sum_i p_ij
//! ```
//!
//! over the words that are frequent enough. The errors of the topic are widened by `c_j p_ij`
//! and by `b_ij`. The drawn documents are random as well, so any variance that `v` misses ends up in
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
use crate::corpus::{Corpus, KeyRange};
use crate::fit::collapsed_vb;
use crate::fit::workload::{FOR_A_TOPIC, share_simulated};
use crate::linalg::{Matrix, positive_inverse};
use crate::model::features::frequencies;
use crate::questions::Redraw;
use crate::synthetic::{Drawn, draw_mixtures};

/// The smallest number of documents used, however long they are.
const FEWEST_DOCUMENTS: usize = 16;

/// A word with this expected count among the simulated words of a topic is frequent enough to be used.
const FREQUENT: f64 = 10.0;

/// The seed that is mixed with the documents' own keys.
const SEED: u64 = 0x5EED;

/// Widens `errors` by the bias of this many passes.
pub(crate) fn widen(corpus: &Corpus, end: &End<'_>, sweeps: usize, errors: &mut Matrix) {
    let word_topic = end.word_topic;
    let k = word_topic.n_columns();
    let believed = end.prior.of_any_document(end.topic_weights);
    let redraw = Redraw {
        settling: end.settling(),
        believed: believed.clone(),
        // A long document is cut, so that at least `fewest` documents share the budget: fewer could not
        // separate the topics, and shorter documents show more of the bias, not less.
        longest: FOR_A_TOPIC * k as u64 / fewest(k) as u64,
    };
    let range = KeyRange::between(0.0, share_looked_at(corpus, k));
    let redrawn = corpus.redrawn(range, redraw);
    let words = &redrawn.word_of_feature()[..redrawn.n_present()];
    let start = Matrix::from_fn(words.len(), word_topic.n_columns(), |i, j| {
        word_topic[(words[i] as usize, j)]
    });
    let scale = corpus.n_tokens() as f64 / redrawn.n_tokens().max(1) as f64;
    let prior = end.prior.in_part(words, 1.0 / scale);
    let swept = collapsed_vb::polish(&redrawn, &start, &prior, sweeps, &|_| {});
    // On text, mixtures drawn from the posterior are more even than the prior of the passes expects,
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

/// How far the topics moved towards each other: the part of `end - start` (features of the drawn
/// documents x topics) that is a combination of topics, for the features of `word_topic`. Zero when the
/// topics are linearly dependent.
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

/// The number of documents that are used whatever their length, if the corpus has as many.
fn fewest(n_topics: usize) -> usize {
    n_topics.max(FEWEST_DOCUMENTS)
}

/// The share of the documents that is used: all of them, or as many as the budget of tokens allows; but at
/// least [`fewest`], and at least as many as holders elsewhere give answers for.
pub(super) fn share_looked_at(corpus: &Corpus, n_topics: usize) -> f64 {
    let by_tokens = share_simulated(corpus.n_tokens(), n_topics);
    let by_documents = fewest(n_topics) as f64 / corpus.facts().n_with_words().max(1) as f64;
    by_tokens.max(by_documents).max(corpus.least_share()).min(1.0)
}

impl Redraw {
    /// Whether the tables have consistent sizes for this many features, and can be sampled from.
    pub(crate) fn fits(&self, n: usize) -> bool {
        let some = |topics: &Matrix, j: usize| topics.column(j).iter().any(|p| *p > 0.0);
        let possible = |topics: &Matrix| {
            topics.values().iter().all(|p| (0.0..=1.0).contains(p))
                && (0..topics.n_columns()).all(|j| some(topics, j))
        };
        let k = self.settling.alpha.len();
        let believed = self.believed.iter().all(|alpha| {
            alpha.len() == k && alpha.iter().all(|alpha| *alpha > 0.0 && alpha.is_finite())
        });
        self.settling.fits(n) && believed && self.settling.stages.iter().all(possible)
    }

    /// Documents simulated in place of those of a corpus that is here; words are its features.
    pub(crate) fn of(&self, corpus: &Corpus) -> Corpus {
        let shapes = match self.believed {
            Some(_) => None,
            None => Some(self.settling.of(corpus).mixtures()),
        };
        let shapes = |d: usize| match (&self.believed, &shapes) {
            (Some(believed), _) => believed.clone(),
            (None, shapes) => shapes.as_ref().map_or_else(Vec::new, |shapes| shapes.row(d)),
        };
        let with_words = (0..corpus.n_documents()).filter(|&d| corpus.lengths()[d] > 0);
        let drawn: Vec<Drawn> = with_words
            .map(|d| Drawn {
                seed: SEED ^ corpus.document_key(d),
                shapes: shapes(d),
                length: corpus.lengths()[d].min(self.longest),
            })
            .collect();
        draw_mixtures(&self.settling.stages[0], &drawn)
    }
}

impl Corpus {
    /// Documents simulated in place of those of a range of keys, here or elsewhere.
    fn redrawn(&self, range: KeyRange, redraw: Redraw) -> Corpus {
        let among = self.among(&range.into());
        among.redrawn_elsewhere(&redraw).unwrap_or_else(|| redraw.of(&among))
    }
}
