//! Scores of every number of topics on held-out documents.
//!
//! A tenth of the documents is held out. What is judged is the model of all others, found only as well
//! as the comparison needs it: their directions to a tenth of an eigenvalue (they are not known better
//! than that), the rotation from that of all documents, and the topics as columns of `E O`, which no
//! pass over the data is needed for.
//!
//! # Cost
//! A rough whitening and a cube; then, for every `k`, little beside the documents that are held out.

use super::TOP_WORDS;
use crate::choosing::passes::{Passes, Rotated};
use crate::corpus::Corpus;
use crate::evaluation::{Completions, HeldOutWords, Presence};
use crate::fit::contest;
use crate::inference::Alignment;
use crate::linalg::{Matrix, orthonormal_basis};
use crate::model::features::{frequencies, to_vocabulary};
use crate::model::{Options, Topics};
use crate::noise::{PART_TOLERANCE, translated};

/// The largest number of held-out documents.
const MOST_HELD_OUT: usize = 1000;

/// The held-out documents, and the passes over all others.
pub(crate) struct HeldOut<'a> {
    passes: Passes<'a>,
    words: HeldOutWords,
    presence: Presence,
    n_documents: usize,
}

/// The held-out scores of one number of topics.
pub(crate) struct Judged {
    pub completions: Completions,
    pub npmi: Option<f64>,
}

/// All documents but a tenth (or a thousand), and those; `None` when there are too few.
pub(crate) fn split_documents(corpus: &Corpus) -> Option<([Corpus; 2], Vec<usize>)> {
    let (mut kept, mut held_out) = contest::split_by_content(corpus).ok()?;
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
        let passes = Passes::new(training, &options, most, PART_TOLERANCE).ok()?;
        let frequencies = Matrix::from_columns(training.n_present(), 1, frequencies(training));
        let known = to_vocabulary(training, &frequencies);
        let known = Topics::new(training.vocabulary().clone(), known, vec![1.0]);
        let alignment = Alignment::new(&known, documents).ok()?;
        let all: Vec<usize> = (0..training.n_words()).collect();
        Some(Self {
            words: HeldOutWords::new(training, documents)?,
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
        let near = self.nearest_rotation(all, &rotated.columns())?;
        let without = self.passes.rotated_near(&near);
        let model = self.passes.model(without, None);
        let completions = self.words.completions(&model);
        let npmi = self.presence.coherence(model.topics(), TOP_WORDS).npmi();
        Some(Judged { completions, npmi })
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
}
