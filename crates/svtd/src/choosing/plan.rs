//! How many documents a given accuracy needs.
//!
//! Given topics `M` with weights `w`, documents of length `c` and a number of documents `N`, the
//! expected L1 error of a topic is predicted from the noise of the moments.
//!
//! *One topic a document.* After EM a topic is as accurate as the relative frequencies of the words in its own
//! documents, `T_j = N w_j c` words. The count of word `i` is about Poisson with mean `l = T_j mu_ij`, whose mean
//! absolute deviation is known exactly:
//!
//! ```text
//! L1_j = sum_i E|X - l| / T_j,        E|X - l| = 2 l^(floor(l)+1) exp(-l) / floor(l)!
//! ```
//!
//! *Mixtures.* Topic `j` is read off `M2a b_j`, where `b_j` are the dual directions of the topics,
//! `B = D M (M'D M)^-1` with `D` the squared scales of the whitening. To first order its error is the
//! noise of the pair moment along `b_j`: a document adds `x_i t` to word `i`, with
//! `t = (x'b_j - b_ij)/(c(c-1)) - a1 (M1'b_j)/c`, so
//!
//! ```text
//! Var_i = c sum_l w_l mu_il E[t^2 | a word of topic l] / N,      L1_j = sum_i sqrt(2 Var_i/pi) / s_j
//! ```
//!
//! with `s_j` the sum of `M2a b_j`; no word errs by more than twice its probability. Given a mixture
//! `h` the words are multinomial, and since `M'B = I` the sum `x'b_j` has mean `c h_j` and variance
//! `c (sum_l h_l s_lj - h_j^2)`, `s_lj = sum_i mu_il b_ij^2`: the expectation of `t^2` is known exactly,
//! whatever the length. Only mixtures are drawn.
//!
//! # Calibration
//! Both formulas are first order: they neglect documents assigned to the wrong topic and the error of the rotation.
//! The factors [`SINGLE_TOPIC`] and [`MIXTURES`] are the mean ratios of observed to predicted errors in a run of
//! the bench `choosing` in which they were one (`benches/record/choosing.md`).
//!
//! # Guarantees
//! [`DeviationBound`] is Theorem 2.2 for the same corpus: what holds for *every* model. Theorem 5.1
//! ([`Perturbation`]) continues from there to the topics, but only if the error of the moments is below a `gamma`;
//! we report how many documents Theorem 2.2 needs to get there. Both are used in their corrected form, to show how
//! far a guarantee is from what happens.

mod prediction;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::evaluation::{Constants, DeviationBound, Perturbation};
use crate::linalg::{Matrix, dot};
use crate::memory;
use crate::model::{Kind, Model};
use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};

/// Ratio of observed to predicted error, for single-topic corpora fitted with EM.
pub const SINGLE_TOPIC: f64 = 0.98;

/// Ratio of observed to predicted error, for LDA corpora with a default fit.
pub const MIXTURES: f64 = 1.05;

/// The largest and smallest number of mixtures drawn for an expectation, and the seed.
const DRAWN: usize = 2000;
const FEWEST_DRAWN: usize = 100;
const SEED: u64 = 1;

/// Every mixture costs the square of the number of topics; this many operations may be spent on them.
const DRAWING_BUDGET: usize = 1 << 28;

/// Larger numbers of documents are not reported.
const MOST_DOCUMENTS: f64 = 1e12;

/// The probability that the error exceeds the guarantee.
pub const DELTA: f64 = 0.05;

/// The assumed topics, their weights, and the documents.
#[derive(Clone, Debug)]
pub struct PlanSource {
    word_topic: Matrix,
    weights: Vec<f64>,
    kind: Kind,
    /// As [`Kind::alpha0`].
    alpha0: f64,
    length: u32,
}

/// How many documents an accuracy needs, and what is guaranteed with that many.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Number of words in the vocabulary.
    pub n_words: usize,
    /// Number of topics.
    pub n_topics: usize,
    /// Length of a document.
    pub length: u32,
    /// The wanted mean L1 error of a topic, from 0 to 2.
    pub accuracy: f64,
    /// Number of documents at which the mean error of the topics reaches the accuracy; `None` when no number does.
    pub n_documents: Option<f64>,
    /// Number of documents at which every topic reaches it, including the rarest.
    pub n_documents_every_topic: Option<f64>,
    /// Expected mean error for some numbers of documents.
    pub curve: Vec<(f64, f64)>,
    /// The expected error of the pair moment, by Frobenius norm, at `n_documents`.
    pub pair_noise: Option<f64>,
    /// Theorem 2.2, corrected: what that error is guaranteed not to exceed with probability 0.95.
    pub pair_bound: Option<f64>,
    /// Number of documents at which Theorem 2.2 guarantees the error expected at `n_documents`.
    pub n_documents_guaranteed: Option<f64>,
    /// Theorem 5.1, corrected; `None` for mixtures, to which it does not apply, and for topics that do not meet its
    /// conditions.
    pub theorem_5_1: Option<Reach>,
}

/// Where Theorem 5.1 begins to apply.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reach {
    /// `gamma`: the errors of the pair and triple moments must be smaller than this.
    pub gamma: f64,
    /// Number of documents at which Theorem 2.2 guarantees that.
    pub n_documents: f64,
}

impl PlanSource {
    /// Topics with word frequencies as uneven as in text, generated with a fixed seed: Zipf frequencies with
    /// Dirichlet topics around them, as by `svtd generate --zipf`.
    ///
    /// # Errors
    /// When there are more topics than words, documents too short for triples, or an `alpha0` that the kind of model
    /// does not have.
    pub fn zipf(
        [n_words, n_topics]: [usize; 2],
        length: u32,
        kind: Kind,
        alpha0: Option<f64>,
    ) -> Result<Self> {
        crate::whitening::check_n_topics(n_topics, n_words)?;
        // The topics, their dual directions and one product of each size.
        let bytes = 8.0 * 4.0 * n_words as f64 * n_topics as f64;
        if !memory::can_have(bytes) {
            return Err(Error::Memory {
                what: format!("a plan for {n_topics} topics over {n_words} words"),
                bytes: bytes as u64,
                advice: "plan for fewer",
            });
        }
        // The concentration and evenness of the topics are those of the accuracy bench.
        let source = SingleTopicSource::zipf(n_words, n_topics, 5.0, 1000.0, 5.0, 1);
        let weights = match kind {
            Kind::SingleTopic => source.topic_weights,
            Kind::Lda => vec![1.0 / n_topics as f64; n_topics],
        };
        Self::new(source.word_topic, weights, length, kind, alpha0)
    }

    /// The topics of a fitted model, and the mean length of its documents unless another is given.
    ///
    /// # Errors
    /// When documents are shorter than three words.
    pub fn of_model(model: &Model, length: Option<u32>) -> Result<Self> {
        let topics = model.topics();
        let diagnostics = model.diagnostics();
        let with_words = diagnostics.n_documents - diagnostics.n_short_documents[0];
        let mean = (diagnostics.n_tokens as f64 / with_words.max(1) as f64).round();
        let alpha0 = match model {
            Model::Lda(lda) => Some(lda.alpha().iter().sum()),
            Model::SingleTopic(_) => None,
        };
        let (word_topic, weights) = (topics.word_topic().clone(), topics.weights().to_vec());
        Self::new(word_topic, weights, length.unwrap_or(mean as u32), model.kind(), alpha0)
    }

    /// The caller's own topics: `M` (words x topics), weights, the length of documents, the kind of model, and for LDA
    /// the sum of the Dirichlet parameter.
    ///
    /// # Errors
    /// When documents are shorter than three words, or the kind of model does not have this `alpha0`.
    pub fn new(
        word_topic: Matrix,
        weights: Vec<f64>,
        length: u32,
        kind: Kind,
        alpha0: Option<f64>,
    ) -> Result<Self> {
        let alpha0 = kind.alpha0(alpha0)?;
        if length < 3 {
            return Err(Error::Option {
                name: "the length of documents",
                needed: "at least 3, since the method counts triples of words".to_owned(),
                found: length.to_string(),
            });
        }
        Ok(Self { word_topic, weights, kind, alpha0, length })
    }

    /// Estimates the number of documents for a mean L1 error of `accuracy`.
    ///
    /// # Errors
    /// When the accuracy is not between 0 and 2, or the topics are linearly dependent.
    pub fn plan(&self, accuracy: f64) -> Result<Plan> {
        if !(accuracy > 0.0 && accuracy < 2.0) {
            return Err(Error::Option {
                name: "the accuracy",
                needed: "an L1 distance between 0 and 2".to_owned(),
                found: accuracy.to_string(),
            });
        }
        let predictor = self.predictor()?;
        let mean = |n: f64| predictor.mean(n);
        let worst = |n: f64| predictor.errors(n).into_iter().fold(0.0, f64::max);
        let n_documents = least(mean, accuracy);
        let (size, noise) = self.pair_size_and_noise();
        let pair_noise = n_documents.map(|n| noise / n.sqrt());
        // For documents of one length the bound falls with the square root of their number.
        let one = DeviationBound::pairs(&[u64::from(self.length)], size, DELTA).corrected;
        let bound = |n: f64| one / n.sqrt();
        let curve = [100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5, 1e6].map(|n| (n, mean(n)));
        Ok(Plan {
            n_words: self.word_topic.n_rows(),
            n_topics: self.weights.len(),
            length: self.length,
            accuracy,
            n_documents,
            n_documents_every_topic: least(worst, accuracy),
            curve: curve.to_vec(),
            pair_noise,
            pair_bound: n_documents.map(bound),
            n_documents_guaranteed: pair_noise.and_then(|noise| least(bound, noise)),
            theorem_5_1: self.theorem_5_1(one),
        })
    }

    /// Theorem 5.1 for the same topics; `pairs` is the guarantee for one document's pair moment.
    fn theorem_5_1(&self, pairs: f64) -> Option<Reach> {
        if self.kind == Kind::Lda {
            return None;
        }
        let theorem = Perturbation::new(&self.word_topic, &self.weights, Constants::Corrected)?;
        let gamma = Some(theorem.gamma()).filter(|gamma| *gamma > 0.0)?;
        // |M3| is below one, and a smaller value makes the bound larger: use zero.
        let triples = DeviationBound::triples(&[u64::from(self.length)], 0.0, DELTA).corrected;
        Some(Reach { gamma, n_documents: (pairs.max(triples) / gamma).powi(2) })
    }

    /// The expected mean L1 error of a topic with `n_documents` documents.
    ///
    /// # Errors
    /// When the topics are linearly dependent.
    pub fn expected_error(&self, n_documents: f64) -> Result<f64> {
        Ok(self.predictor()?.mean(n_documents))
    }

    /// `|M2|` of the plain pair moment, and its expected error with one document.
    ///
    /// The squared norm of a document's own pair moment is `[1 + p2 + (c-2)(2 p2 + 2 p3) + (c-2)(c-3) p22] /
    /// (c(c-1))`: how often two ordered pairs of its tokens are equal. `p2` and `p3` are the probabilities that two
    /// or three tokens coincide, `p22` that two and two do.
    fn pair_size_and_noise(&self) -> (f64, f64) {
        let c = f64::from(self.length);
        let gram = self.word_topic.transpose_times(&self.word_topic);
        let mixtures = self.mixtures();
        let n = mixtures.n_rows() as f64;
        let (mut p2, mut p22) = (0.0, 0.0);
        let mut second = Matrix::zeros(self.weights.len(), self.weights.len());
        let mut cubes = 0.0;
        for d in 0..mixtures.n_rows() {
            let h = mixtures.row(d);
            let image: Vec<f64> = (0..h.len()).map(|a| dot(gram.column(a), &h)).collect();
            let coincide = dot(&image, &h);
            let share = match self.kind {
                Kind::SingleTopic => self.weights[d] * n,
                Kind::Lda => 1.0,
            };
            p2 += share * coincide / n;
            p22 += share * coincide * coincide / n;
            cubes += share * h.iter().map(|h| h.powi(3)).sum::<f64>() / n;
            for (a, x) in h.iter().enumerate() {
                for (b, y) in h.iter().enumerate() {
                    second[(a, b)] += share * x * y / n;
                }
            }
        }
        // Three tokens of one topic; tokens of several topics coincide far more rarely.
        let of_one_topic: f64 = (0..self.weights.len())
            .map(|j| {
                let cube: f64 = self.word_topic.column(j).iter().map(|m| m.powi(3)).sum();
                self.weights[j] * cube
            })
            .sum();
        let p3 = cubes * of_one_topic;
        let whole = second.times(&gram);
        let size: f64 = (0..whole.n_rows()).map(|a| dot(&whole.row(a), whole.column(a))).sum();
        let pairs = c * (c - 1.0);
        let square =
            (1.0 + p2 + (c - 2.0) * (2.0 * p2 + 2.0 * p3) + (c - 2.0) * (c - 3.0) * p22) / pairs;
        (size.max(0.0).sqrt(), (square - size).max(0.0).sqrt())
    }

    /// The mixtures of documents: each topic once, or random mixtures.
    fn mixtures(&self) -> Matrix {
        match self.kind {
            Kind::SingleTopic => Matrix::identity(self.weights.len()),
            Kind::Lda => {
                let k = self.weights.len();
                let drawn = (DRAWING_BUDGET / (k * k).max(1)).clamp(FEWEST_DRAWN, DRAWN);
                self.lda().draw(drawn, &Lengths::Fixed(1), SEED).1
            }
        }
    }

    fn lda(&self) -> LdaSource {
        let alpha = self.weights.iter().map(|w| w * self.alpha0).collect();
        LdaSource { word_topic: self.word_topic.clone(), alpha }
    }
}

/// The smallest number of documents at which a decreasing error is small enough.
fn least(error: impl Fn(f64) -> f64, wanted: f64) -> Option<f64> {
    let (mut low, mut high) = (1.0_f64, 1.0_f64);
    while error(high) > wanted {
        low = high;
        high *= 2.0;
        if high > MOST_DOCUMENTS {
            return None;
        }
    }
    while high - low > 0.5 && high / low > 1.0 + 1e-3 {
        let middle = 0.5 * (low + high);
        if error(middle) > wanted { low = middle } else { high = middle }
    }
    Some(high.ceil())
}
