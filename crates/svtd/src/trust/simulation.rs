//! The passes of a fit over other documents in place of its own: simulated ones, or thinned ones.
//!
//! The topics where these sweeps end show how far sweeps move topics by themselves: their bias. They begin near their
//! end, so ten are enough.

use super::end::End;
use super::settled::Settled;
use crate::corpus::{Corpus, KeyRange};
use crate::fit::collapsed_vb::{self, Swept};
use crate::fit::workload::{FOR_A_TOPIC, share_simulated};
use crate::linalg::{Matrix, positive_inverse};
use crate::model::features::frequencies;
use crate::questions::{Order, Redraw};

/// The smallest number of documents used, however long they are.
const FEWEST_DOCUMENTS: usize = 16;

/// The largest number of passes: further ones hardly move topics that began where the fit ended.
const ENOUGH: usize = 10;

/// The growth of the response to changed document weights is measured on this part of the simulation budget.
const GROWN: f64 = 0.75;

/// Adds a bias to standard errors, in quadrature.
pub(super) fn add_squares(errors: &mut Matrix, bias: &Matrix) {
    for (error, b) in errors.values_mut().iter_mut().zip(bias.values()) {
        *error = (*error * *error + b * b).sqrt();
    }
}

/// Runs the sweeps of a fit on simulated documents.
pub(super) struct Simulation<'a> {
    pub corpus: &'a Corpus,
    /// The topics, weights and prior at the end of the fit.
    pub end: &'a End<'a>,
    /// Number of sweeps of the fit.
    pub sweeps: usize,
    /// The documents of the corpus with converged mixtures under the fitted topics.
    pub settled: &'a Settled<'a>,
}

/// The topics before and after the sweeps on simulated documents.
pub(super) struct Moved {
    /// The features of the corpus that occur in these documents.
    pub words: Vec<u32>,
    /// The topics where the passes began, for these features.
    pub start: Matrix,
    /// The topics after the passes.
    pub swept: Swept,
}

impl Simulation<'_> {
    /// The range of keys that contains a part of the documents used, but at least the smallest
    /// number of documents.
    pub fn range(&self, part: f64) -> KeyRange {
        KeyRange::between(0.0, share(self.corpus, self.end.word_topic.n_columns(), part))
    }

    /// Simulated documents in place of a part of the documents used: drawn from the topics or,
    /// given the concentration `thinned` of the bursts, the documents without repetitions by
    /// bursts.
    pub fn documents(&self, part: f64, believed: Option<Vec<f64>>, thinned: Option<f64>) -> Corpus {
        let k = self.end.word_topic.n_columns();
        // A long document is cut, so that at least `fewest` documents share the budget: fewer could not
        // separate the topics, and shorter documents show more of the bias, not less.
        let longest = FOR_A_TOPIC * k as u64 / fewest(k) as u64;
        let redraw = Redraw { settling: self.end.settling(), believed, longest, thinned };
        self.corpus.redrawn(self.range(part), redraw, self.settled.profile())
    }

    /// Runs the sweeps on these documents, starting from the fitted topics.
    pub fn moved(&self, documents: &Corpus, order: Order) -> Moved {
        let words = documents.word_of_feature()[..documents.n_present()].to_vec();
        let start = Matrix::from_fn(words.len(), self.end.word_topic.n_columns(), |i, j| {
            self.end.word_topic[(words[i] as usize, j)]
        });
        let mut prior = self.end.prior.in_part(&words, 1.0 / self.scale(documents));
        prior.order = order;
        let sweeps = self.sweeps.min(ENOUGH);
        let swept = collapsed_vb::polish(documents, &start, &prior, sweeps, &|_| {});
        Moved { words, start, swept }
    }

    /// The number of words of the corpus divided by that of these documents.
    pub fn scale(&self, documents: &Corpus) -> f64 {
        self.corpus.n_tokens() as f64 / documents.n_tokens().max(1) as f64
    }
}

/// How far the topics moved towards each other: the part of the move (for the features of `documents`) that is a
/// combination of topics, for the features of `word_topic`. Zero when the topics are linearly dependent.
pub(super) fn along_topics(documents: &Corpus, moved: &Moved, word_topic: &Matrix) -> Matrix {
    let rare = frequencies(documents).iter().map(|f| 1.0 / f).collect::<Vec<f64>>();
    let mut scaled = moved.start.clone();
    scaled.scale_rows(&rare);
    let mut step = moved.swept.word_topic.clone();
    step.add(-1.0, &moved.start);
    match positive_inverse(&moved.start.transpose_times(&scaled)) {
        Some(inverse) => word_topic.times(&inverse.times(&scaled.transpose_times(&step))),
        None => Matrix::zeros(word_topic.n_rows(), word_topic.n_columns()),
    }
}

/// The number of documents that are used whatever their length, if the corpus has as many.
fn fewest(n_topics: usize) -> usize {
    n_topics.max(FEWEST_DOCUMENTS)
}

/// The share of the documents on which the growth of the response to changed weights is measured.
pub(super) fn share_grown(corpus: &Corpus, n_topics: usize) -> f64 {
    share(corpus, n_topics, GROWN)
}

/// The share of the documents that is used for a part of the budget of tokens: as many as it allows; but at
/// least [`fewest`], and at least as many as holders elsewhere give answers for.
fn share(corpus: &Corpus, n_topics: usize, part: f64) -> f64 {
    let by_tokens = part * share_simulated(corpus.n_tokens(), n_topics);
    let by_documents = fewest(n_topics) as f64 / corpus.facts().n_with_words().max(1) as f64;
    by_tokens.max(by_documents).max(corpus.least_share()).min(1.0)
}
