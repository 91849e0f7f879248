//! What documents that had no part in a fit say of it, for every number of topics.
//!
//! A tenth of the documents is held out. What is judged is the model of all others, found only as well
//! as the comparison needs it: their directions to a tenth of an eigenvalue (they are not known better
//! than that), the rotation from that of all documents, and the topics as columns of `E O`, which no
//! pass over the data is needed for. Topics are found again when the columns of all documents are
//! among them.
//!
//! # Cost
//! A rough whitening and a cube; then, for every `k`, little beside the documents that are held out.

use super::TOP_WORDS;
use super::passes::{Passes, Rotated};
use crate::choosing::noise::{ROUGH, translated};
use crate::corpus::Corpus;
use crate::evaluation::{Halved, Presence};
use crate::fit::lda;
use crate::fit::options::Options;
use crate::fit::spectral::{frequencies, mixed_with, to_vocabulary};
use crate::inference::Alignment;
use crate::linalg::{Matrix, orthonormal_basis};
use crate::model::Lda;
use crate::model::{Model, SingleTopic, Topics};

/// Held-out documents are scored in so many groups, for the error of a difference.
const GROUPS: usize = 10;

/// Held-out documents looked at, at most.
const MOST_HELD_OUT: usize = 1000;

/// The share of the corpus mixed into topics that are scored.
const MIXED_IN: f64 = 0.01;

/// Documents held out, and the passes over all others.
pub(crate) struct HeldOut<'a> {
    passes: Passes<'a>,
    /// The frequencies of the words in all others, in vocabulary order.
    frequencies: Vec<f64>,
    halved: Halved,
    presence: Presence,
    n_documents: usize,
}

/// What the held-out documents say of a number of topics.
pub(crate) struct Judged {
    pub log_likelihood: f64,
    /// Total log probability and tokens of each group.
    pub groups: Vec<(f64, f64)>,
    pub npmi: Option<f64>,
    pub n_stable: usize,
}

/// All documents but a tenth (or a thousand), and those; `None` when there are too few.
pub(crate) fn split_documents(corpus: &Corpus) -> Option<([Corpus; 2], Vec<usize>)> {
    let (mut kept, mut held_out) = lda::split_by_content(corpus).ok()?;
    if held_out.len() > MOST_HELD_OUT {
        held_out.sort_by_key(|&d| (corpus.document_key(d), d));
        kept.extend(held_out.drain(MOST_HELD_OUT..));
        kept.sort_unstable();
    }
    Some(([corpus.subset(&kept), corpus.subset(&held_out)], kept))
}

impl<'a> HeldOut<'a> {
    pub fn new(
        [training, documents]: &'a [Corpus; 2],
        kept: &[usize],
        options: &Options,
        most: usize,
    ) -> Option<Self> {
        let options = Options { weights: options.weights.of(kept), ..options.clone() };
        let passes = Passes::new(training, &options, most, ROUGH).ok()?;
        let present = Matrix::from_columns(training.n_present(), 1, frequencies(training));
        let words = to_vocabulary(training, &present);
        // With some of the corpus in every topic, a model knows all words that the others have.
        let known = Topics::new(training.vocabulary().clone(), words.clone(), vec![1.0]);
        let alignment = Alignment::new(&known, documents).ok()?;
        let all: Vec<usize> = (0..training.n_words()).collect();
        Some(Self {
            frequencies: words.column(0).to_vec(),
            halved: Halved::new(documents, &alignment),
            presence: Presence::new(documents, &alignment, &all),
            n_documents: documents.n_documents(),
            passes,
        })
    }

    pub fn n_documents(&self) -> usize {
        self.n_documents
    }

    /// Judges the model fitted without these documents, beside the rotation that was found with
    /// them.
    pub fn judge(&self, all: &Passes<'_>, rotated: &Rotated) -> Option<Judged> {
        let columns = rotated.columns();
        let without = self.passes.rotated_near(&self.nearest_rotation(all, &columns)?);
        let model = self.passes.model(without, None);
        let (whole, found) = (all.topics_of(columns), model.topics().word_topic());
        let n_stable = super::n_near(&whole, found, &super::matched(&whole, found));
        let mut groups = vec![(0.0, 0.0); GROUPS.min(self.n_documents)];
        let completed = self.smoothed(&model).completions_of(&self.halved);
        for (d, document) in completed.iter().enumerate() {
            let (log_likelihood, tokens) = &mut groups[d % GROUPS];
            *log_likelihood += document.log_likelihood;
            *tokens += document.n_tokens as f64;
        }
        let (total, tokens) = groups.iter().fold((0.0, 0.0), |sum, g| (sum.0 + g.0, sum.1 + g.1));
        let npmi = self.presence.coherence(model.topics(), TOP_WORDS).npmi();
        (tokens > 0.0).then_some(Judged { log_likelihood: total / tokens, groups, npmi, n_stable })
    }

    /// The rotation nearest to what all documents say; `None` when fewer topics can be seen here.
    /// As `W'E = I`, columns `E O` have the rotation `O = W'(E O)`.
    fn nearest_rotation(&self, all: &Passes<'_>, columns: &Matrix) -> Option<Matrix> {
        let (k, whitening) = (columns.n_columns(), self.passes.whitening());
        if k > whitening.n_topics() {
            return None;
        }
        let here = translated(all.corpus(), self.passes.corpus(), columns);
        let near = orthonormal_basis(whitening.leading(k).unmixing().transpose_times(&here));
        let independent = near.n_columns() == k;
        Some(if independent { near } else { Matrix::identity(k) })
    }

    /// The model with a little of the corpus in every topic.
    fn smoothed(&self, model: &Model) -> Model {
        let topics = model.topics();
        let mixed = mixed_with(topics.word_topic(), &self.frequencies, MIXED_IN);
        let topics = Topics::new(topics.vocabulary().clone(), mixed, topics.weights().to_vec());
        let (diagnostics, options) = (model.diagnostics().clone(), model.options().clone());
        match model {
            Model::SingleTopic(_) => {
                Model::SingleTopic(SingleTopic::from_parts(topics, diagnostics, options))
            }
            Model::Lda(lda) => {
                let alpha = lda.alpha().to_vec();
                Model::Lda(Lda::from_parts(topics, alpha, diagnostics, options))
            }
        }
    }
}
