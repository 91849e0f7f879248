//! Scores of every number of topics on held-out documents.
//!
//! A tenth of the documents is held out, and the model of all others is judged. It is computed only as
//! accurately as a comparison needs: the directions to a tenth of an eigenvalue, since sampling errors are
//! larger; the rotation starting from that of all documents; and the topics as columns of `E O`, which
//! needs no pass over the data. The documents may be elsewhere, because scores are sums over documents.
//!
//! # Cost
//! A rough whitening and a cube; then, for every `k`, little beside the documents that are held out.

use super::TOP_WORDS;
use crate::choosing::shared::{Rotated, Shared};
use crate::corpus::Corpus;
use crate::decomposition::{Decomposition, ReadOff};
use crate::evaluation::{Ahead, Judge, Scores, npmi_of_lists};
use crate::fit::contest;
use crate::linalg::{Matrix, orthonormal_basis};
use crate::model::{Model, Options};
use crate::noise::{PART_TOLERANCE, translated};

/// About the largest number of held-out documents.
const MOST_HELD_OUT: usize = 1000;

/// The documents to learn from, with their positions, and the held-out documents.
pub(crate) struct Parts {
    training: Corpus,
    positions: Vec<usize>,
    documents: Corpus,
}

/// The held-out documents, and what was measured on all others.
pub(crate) struct HeldOut<'a> {
    shared: Shared<'a>,
    judge: Judge<'a>,
    documents: &'a Corpus,
}

/// The held-out scores of one number of topics.
pub(crate) struct Judged {
    pub scores: Scores,
    /// The likeliest words of each topic.
    top_words: Vec<Vec<u32>>,
    /// The model that was judged, by its rotation.
    decomposition: Decomposition,
}

impl Parts {
    /// The documents to learn from, and the held-out ones: a tenth of all, about a thousand at most; `None` when there
    /// are too few.
    pub fn of(corpus: &Corpus) -> Option<Self> {
        let [training, held_out] = contest::parts_of_all(corpus, MOST_HELD_OUT).ok()?;
        let (training, positions) = corpus.part(training);
        Some(Self { training, positions, documents: corpus.part(held_out).0 })
    }
}

impl<'a> HeldOut<'a> {
    pub fn new(parts: &'a Parts, options: &Options, most: usize) -> Option<Self> {
        let Parts { training, positions, documents } = parts;
        let options = options.of_part(positions);
        let shared = Shared::new(training, &options, most, PART_TOLERANCE).ok()?;
        Some(Self { judge: Judge::new(training, documents)?, documents, shared })
    }

    pub fn n_documents(&self) -> usize {
        self.documents.facts().n_with_words() as usize
    }

    /// Judges the model fitted without these documents, beside the rotation that was found with
    /// them.
    pub fn judge(&self, all: &Shared<'_>, rotated: &Rotated) -> Option<Judged> {
        let near = self.nearest_rotation(all, &rotated.columns())?;
        let decomposition = self.shared.rotated_near(&near).decomposition;
        let model = self.model(&decomposition);
        let scores = self.judge.scores(&model)?;
        let words = |j: usize| {
            let words = model.topics().topic(j).top_word_ids(TOP_WORDS);
            words.into_iter().map(|word| word as u32).collect()
        };
        let top_words = (0..model.topics().len()).map(words).collect();
        Some(Judged { scores, top_words, decomposition })
    }

    /// How far one number of topics is ahead of each other one.
    pub fn ahead_of(&self, judged: &[Option<Judged>], first: usize) -> Vec<Option<Ahead>> {
        let mut ahead = vec![None; judged.len()];
        let Some(leader) = &judged[first] else { return ahead };
        let others: Vec<&Judged> = judged.iter().flatten().collect();
        let scores: Vec<&Scores> = others.iter().map(|other| &other.scores).collect();
        let found = self.judge.ahead_of(
            &leader.scores,
            &scores,
            || self.model(&leader.decomposition),
            |i| self.model(&others[i].decomposition),
        );
        let places = ahead.iter_mut().zip(judged).filter(|(_, judged)| judged.is_some());
        places.zip(found).for_each(|((place, _), found)| *place = found);
        ahead
    }

    /// The mean NPMI of the topics of each number of topics.
    pub fn npmi(&self, judged: &[Option<Judged>]) -> Vec<Option<f64>> {
        let lists = |judged: &Judged| judged.top_words.clone();
        let all: Vec<Vec<u32>> = judged.iter().flatten().flat_map(lists).collect();
        if all.is_empty() {
            return vec![None; judged.len()];
        }
        let found = npmi_of_lists(self.documents, &all);
        let mut rest = found.as_slice();
        let mean = |judged: &Option<Judged>| {
            let (own, behind) = rest.split_at(judged.as_ref()?.top_words.len());
            rest = behind;
            let known: Vec<f64> = own.iter().flatten().copied().collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        judged.iter().map(mean).collect()
    }

    /// The model of a rotation.
    fn model(&self, decomposition: &Decomposition) -> Model {
        self.shared.model(self.shared.again(decomposition.clone()), ReadOff::Columns)
    }

    /// The rotation nearest to that of all documents; `None` when fewer topics are visible here. As
    /// `W'E = I`, columns `E O` have the rotation `O = W'(E O)`.
    fn nearest_rotation(&self, all: &Shared<'_>, columns: &Matrix) -> Option<Matrix> {
        let (k, whitening) = (columns.n_columns(), self.shared.whitening());
        if k > whitening.n_topics() {
            return None;
        }
        let here = translated(all.corpus(), self.shared.corpus(), columns);
        let near = orthonormal_basis(whitening.leading(k).unmixing().transpose_times(&here));
        let independent = near.n_columns() == k;
        Some(if independent { near } else { Matrix::identity(k) })
    }
}
