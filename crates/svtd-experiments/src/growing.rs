//! A corpus that grows by one document at a time, and what each method learns from its moments.
//!
//! The moments are sums over documents ([`IncrementalMoments`]): a new document is added to the sums of the others,
//! which are not read again. Two laws of weights are used, that of Theorem 2.1 for the paper's method and its
//! rivals, and that of smallest variance for our default; the latter needs the probability that two words coincide,
//! which is estimated once from the initial documents.
//!
//! What several methods need from the same moments is computed once ([`Remembered`]). EM does not use moments: it
//! reads the documents.

use svtd::decomposition::{Decomposition, ReadOff};
use svtd::internals::fit::polish_single_topic;
use svtd::linalg::Matrix;
use svtd::model::Smoothing;
use svtd::moments::Rows;
use svtd::moments::incremental::{Estimate, IncrementalMoments, LengthLaw};
use svtd::recovery::{Recovered, recover};
use svtd::whitening::{Scaling, Whitening};
use svtd::{Corpus, Error, Method, Moments, Result};

use crate::contestants::{Contestant, plain_em};
use crate::remembered::Remembered;

/// The first documents of a corpus, and their moments.
pub struct Growing<'a> {
    corpus: &'a Corpus,
    n_topics: usize,
    n_documents: usize,
    paper: IncrementalMoments,
    optimal: IncrementalMoments,
}

impl<'a> Growing<'a> {
    /// The first `n_documents` of a corpus.
    ///
    /// # Errors
    /// When the vocabulary is too large for moments that are stored.
    pub fn new(corpus: &'a Corpus, n_topics: usize, n_documents: usize) -> Result<Self> {
        let law = LengthLaw::Optimal { coincidence: coincidence(corpus, n_documents) };
        let mut growing = Self {
            corpus,
            n_topics,
            n_documents: 0,
            paper: IncrementalMoments::new(corpus.n_words(), LengthLaw::Paper)?,
            optimal: IncrementalMoments::new(corpus.n_words(), law)?,
        };
        (0..n_documents).try_for_each(|_| growing.grow())?;
        Ok(growing)
    }

    /// Adds the next document.
    ///
    /// # Errors
    /// None for documents of a corpus.
    pub fn grow(&mut self) -> Result<()> {
        let document = self.corpus.document(self.n_documents);
        self.paper.add(document.words())?;
        self.optimal.add(document.words())?;
        self.n_documents += 1;
        Ok(())
    }

    /// What each of some methods learns, given the seed of its random numbers.
    ///
    /// # Errors
    /// When the documents do not support a fit.
    pub fn learn(&self, methods: &[(Contestant, u64)]) -> Result<Vec<Taught>> {
        let first: Vec<usize> = (0..self.n_documents).collect();
        let documents = self.corpus.subset(&first);
        let paper = Spectrum::of(&self.paper, self.n_topics, Scaling::Plain)?;
        let optimal = Spectrum::of(&self.optimal, self.n_topics, Scaling::Scaled)?;
        let pivot = paper.learn(Method::Svtd, Rows::Removed);
        let joint = optimal.learn(Method::Joint, Rows::Kept);
        let polished = |start: &Estimated| {
            let (topics, weights) = (&start.clipped.word_topic, &start.clipped.topic_weights);
            Taught::of(polish_single_topic(&documents, topics, weights, Smoothing::Estimated).0)
        };
        let one = |&(contestant, seed): &(Contestant, u64)| {
            let rival = |method| paper.learn(method, Rows::Kept).into();
            Ok(match contestant {
                Contestant::Svtd => pivot.clone().into(),
                Contestant::SvtdThenEm => {
                    let start = &pivot.clipped;
                    Taught::of(plain_em(&documents, &start.word_topic, &start.topic_weights).0)
                }
                Contestant::SvtdPolished => polished(&pivot),
                Contestant::Joint => joint.clone().into(),
                Contestant::Default => polished(&joint),
                Contestant::TensorPower => rival(Method::TensorPower { seed }),
                Contestant::Eigenvectors => rival(Method::Eigenvectors { seed }),
                Contestant::SingularVectors => rival(Method::SingularVectors { seed }),
                Contestant::Als => rival(Method::Als { seed }),
                Contestant::Em | Contestant::EmSmoothed | Contestant::Oracle => {
                    let learned = contestant.learn(&documents, self.n_topics, seed, &|_| {})?;
                    // The oracle is not a method; it learns nothing.
                    let nothing = || Matrix::zeros(self.corpus.n_words(), 0);
                    Taught::of(learned.map_or_else(nothing, |learned| learned.word_topic))
                }
            })
        };
        methods.iter().map(one).collect()
    }
}

/// What a method learned.
pub struct Taught {
    /// `M`.
    pub word_topic: Matrix,
    /// `M` before clipping, with negative entries, columns divided by their sums; `None` where nothing can be
    /// clipped.
    pub unclipped: Option<Matrix>,
}

impl Taught {
    fn of(word_topic: Matrix) -> Self {
        Self { word_topic, unclipped: None }
    }
}

impl From<Estimated> for Taught {
    fn from(estimated: Estimated) -> Self {
        let Estimated { clipped, unclipped } = estimated;
        Self { word_topic: clipped.word_topic, unclipped: Some(unclipped) }
    }
}

/// The probability that two words of one of the first documents are the same, `trace(M2)`.
fn coincidence(corpus: &Corpus, n_documents: usize) -> f64 {
    let (mut same, mut pairs) = (0.0, 0.0);
    for d in 0..n_documents {
        let c = corpus.lengths()[d] as f64;
        pairs += c * (c - 1.0);
        same +=
            corpus.document(d).words().map(|(_, x)| f64::from(x) * f64::from(x)).sum::<f64>() - c;
    }
    same / pairs
}

/// Moments with their whitening.
struct Spectrum<'a> {
    moments: Remembered<Estimate<'a>>,
    whitening: Whitening,
}

impl<'a> Spectrum<'a> {
    /// The whitening for the number of topics asked for, or for as many as the documents show.
    fn of(sums: &'a IncrementalMoments, n_topics: usize, scaling: Scaling) -> Result<Self> {
        let moments = Remembered::from_slices(sums.estimate()?);
        let whitening = match Whitening::fit(&moments, n_topics, scaling) {
            Err(Error::FewerTopicsVisible { visible, .. }) if visible > 0 => {
                Whitening::fit(&moments, visible, scaling)?
            }
            outcome => outcome?,
        };
        Ok(Self { moments, whitening })
    }

    fn learn(&self, method: Method, rows: Rows) -> Estimated {
        let found: Decomposition = method.decompose(&self.moments, &self.whitening, rows);
        let read_off = method.read_off(ReadOff::Diagonals(rows), rows);
        let columns = found.columns(&self.moments, &self.whitening, read_off);
        let mut unclipped = columns.clone();
        for j in 0..unclipped.n_columns() {
            let sum: f64 = columns.column(j).iter().sum();
            unclipped.column_mut(j).iter_mut().for_each(|value| *value /= sum);
        }
        let clipped = recover(columns, self.moments.first(), self.whitening.scales());
        Estimated { clipped, unclipped }
    }
}

/// Parameters from moments.
#[derive(Clone)]
struct Estimated {
    clipped: Recovered,
    /// `M` before its negative entries were clipped.
    unclipped: Matrix,
}

#[cfg(test)]
mod tests {
    use svtd::evaluation::drift;

    use super::*;
    use crate::contestants::{Sample, paper_lengths};

    #[test]
    fn a_grown_corpus_teaches_what_all_its_documents_at_once_do() {
        let sample = Sample::draw(40, 3, 80, &paper_lengths(), 5);
        assert_eq!(sample.corpus.n_present(), 40, "features are words then");
        let mut growing = Growing::new(&sample.corpus, 3, 60).unwrap();
        (60..80).for_each(|_| growing.grow().unwrap());
        let methods = Contestant::METHODS.map(|contestant| (contestant, 7));
        let learned = growing.learn(&methods).unwrap();
        for ((contestant, seed), grown) in methods.into_iter().zip(learned) {
            let fitted = contestant.learn(&sample.corpus, 3, seed, &|_| {}).unwrap().unwrap();
            let moved = drift(&fitted.word_topic, &grown.word_topic);
            // The direction depends on the order of the features, which differs here; and the weights of our
            // default depend on the initial documents.
            let same = match contestant {
                Contestant::Eigenvectors => f64::INFINITY,
                Contestant::Joint | Contestant::Default => 5e-3,
                _ => 1e-6,
            };
            assert!(moved <= same, "{}: {moved}", contestant.name());
        }
    }
}
