//! Corpora generated from known parameters, to measure accuracy on.
//!
//! A source holds the true parameters ([`SingleTopicSource`], [`LdaSource`]); `draw` generates a corpus and returns
//! the true topic or mixture of each document. Everything is determined by the seed (ChaCha8).

use std::ops::RangeInclusive;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, LogNormal, Poisson};

use crate::corpus::{Corpus, CorpusBuilder};
use crate::linalg::Matrix;

/// Word frequencies like those of text are `1/(i + SHIFT)`; the shift limits the most frequent words.
const SHIFT: f64 = 5.0;

/// The Dirichlet parameter of topic weights in corpora like text: the larger, the more even.
const EVENNESS: f64 = 5.0;

/// The Dirichlet concentration of topics around the common frequencies in corpora like text.
fn concentration(n_words: usize) -> f64 {
    0.5 * n_words as f64
}

/// The seed of the documents when the topics were generated from `seed`: both must not use the same stream of
/// random numbers.
pub fn documents_seed(seed: u64) -> u64 {
    seed ^ 0x9e37_79b9_7f4a_7c15
}

/// The distribution of document lengths.
#[derive(Clone, Debug, PartialEq)]
pub enum Lengths {
    /// All documents have the same length.
    Fixed(u32),
    /// All lengths of the range are equally likely.
    Uniform(RangeInclusive<u32>),
    /// Negative binomial: Poisson with a gamma-distributed mean of this mean and shape; at least three.
    NegativeBinomial {
        /// The mean length.
        mean: f64,
        /// The shape: the smaller, the more unequal the lengths.
        shape: f64,
    },
    /// Log-normal: `exp` of a normal variable with this mean and standard deviation, rounded; at least three.
    LogNormal {
        /// Mean of the logarithm.
        mu: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
}

impl Lengths {
    fn draw(&self, rng: &mut ChaCha8Rng) -> u32 {
        match self {
            Lengths::Fixed(length) => *length,
            Lengths::Uniform(range) => {
                range.start() + below(rng, u64::from(range.end() - range.start()) + 1) as u32
            }
            Lengths::NegativeBinomial { mean, shape } => {
                let rate = Gamma::new(*shape, mean / shape).map_or(*mean, |law| law.sample(rng));
                Poisson::new(rate.max(1e-9)).map_or(3.0, |law| law.sample(rng)).max(3.0) as u32
            }
            Lengths::LogNormal { mu, sigma } => match LogNormal::new(*mu, *sigma) {
                Ok(law) => law.sample(rng).round().clamp(3.0, 1e6) as u32,
                Err(_) => 3,
            },
        }
    }
}

/// A single-topic model that generates documents.
#[derive(Clone, Debug)]
pub struct SingleTopicSource {
    /// `M`, words x topics.
    pub word_topic: Matrix,
    /// `Omega`.
    pub topic_weights: Vec<f64>,
}

impl SingleTopicSource {
    /// The paper's setting: columns of `M` and `Omega` of uniform numbers, normalised.
    pub fn uniform(n_words: usize, n_topics: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let word_topic = uniform_columns(&mut rng, n_words, n_topics);
        let topic_weights = normalised((0..n_topics).map(|_| unit(&mut rng)).collect());
        Self { word_topic, topic_weights }
    }

    /// Words with Zipf frequencies `1/(i + shift)`, topics from a Dirichlet distribution around them with the given
    /// concentration, weights from Dirichlet(`evenness`).
    pub fn zipf(
        n_words: usize,
        n_topics: usize,
        shift: f64,
        concentration: f64,
        evenness: f64,
        seed: u64,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let word_topic = zipf_columns(&mut rng, n_words, n_topics, shift, concentration);
        let topic_weights = dirichlet(&mut rng, &vec![evenness; n_topics]);
        Self { word_topic, topic_weights }
    }

    /// As [`zipf`](Self::zipf) with the constants of `svtd generate --zipf`: word frequencies as uneven as in text,
    /// and topics that differ about equally for any size of the vocabulary.
    pub fn like_text(n_words: usize, n_topics: usize, seed: u64) -> Self {
        Self::zipf(n_words, n_topics, SHIFT, concentration(n_words), EVENNESS, seed)
    }

    /// Generates a corpus, and returns the topic of every document.
    pub fn draw(&self, n_documents: usize, lengths: &Lengths, seed: u64) -> (Corpus, Vec<usize>) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let tables = Alias::columns(&self.word_topic);
        let mixture = Alias::new(&self.topic_weights);
        let mut topics = Vec::with_capacity(n_documents);
        let corpus = draw_documents(self.word_topic.n_rows(), n_documents, |tokens| {
            let topic = mixture.draw(&mut rng);
            topics.push(topic);
            let length = lengths.draw(&mut rng);
            tokens.extend((0..length).map(|_| tables[topic].draw(&mut rng) as u32));
        });
        (corpus, topics)
    }
}

/// An LDA model that generates documents.
#[derive(Clone, Debug)]
pub struct LdaSource {
    /// `M`, words x topics.
    pub word_topic: Matrix,
    /// `alpha`.
    pub alpha: Vec<f64>,
}

impl LdaSource {
    /// Columns of `M` of uniform numbers, normalised; all entries of `alpha` equal.
    pub fn uniform(n_words: usize, n_topics: usize, alpha0: f64, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let word_topic = uniform_columns(&mut rng, n_words, n_topics);
        Self { word_topic, alpha: vec![alpha0 / n_topics as f64; n_topics] }
    }

    /// Words with Zipf frequencies, as [`SingleTopicSource::zipf`]; all entries of `alpha` equal.
    pub fn zipf(
        n_words: usize,
        n_topics: usize,
        shift: f64,
        concentration: f64,
        alpha0: f64,
        seed: u64,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let word_topic = zipf_columns(&mut rng, n_words, n_topics, shift, concentration);
        Self { word_topic, alpha: vec![alpha0 / n_topics as f64; n_topics] }
    }

    /// As [`zipf`](Self::zipf) with the constants of [`SingleTopicSource::like_text`].
    pub fn like_text(n_words: usize, n_topics: usize, alpha0: f64, seed: u64) -> Self {
        Self::zipf(n_words, n_topics, SHIFT, concentration(n_words), alpha0, seed)
    }

    /// Generates a corpus, and returns the mixture of every document (documents x topics).
    pub fn draw(&self, n_documents: usize, lengths: &Lengths, seed: u64) -> (Corpus, Matrix) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let tables = Alias::columns(&self.word_topic);
        let mut mixtures = Vec::with_capacity(n_documents);
        let corpus = draw_documents(self.word_topic.n_rows(), n_documents, |tokens| {
            let mixture = dirichlet(&mut rng, &self.alpha);
            let choice = Alias::new(&mixture);
            mixtures.push(mixture);
            let length = lengths.draw(&mut rng);
            tokens.extend((0..length).map(|_| {
                let topic = choice.draw(&mut rng);
                tables[topic].draw(&mut rng) as u32
            }));
        });
        let k = self.alpha.len();
        (corpus, Matrix::from_fn(n_documents, k, |d, j| mixtures[d][j]))
    }

    /// Generates a corpus whose words are bursty (overdispersed), as in text: each document has its own word
    /// distribution, from a Dirichlet distribution around that of its mixture with this concentration. The smaller
    /// the concentration, the more often words are repeated.
    pub fn draw_bursty(
        &self,
        n_documents: usize,
        lengths: &Lengths,
        concentration: f64,
        seed: u64,
    ) -> Corpus {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let tables = Alias::columns(&self.word_topic);
        draw_documents(self.word_topic.n_rows(), n_documents, |tokens| {
            let choice = Alias::new(&dirichlet(&mut rng, &self.alpha));
            // A Pólya urn: the next word is either new or a repetition of an earlier one.
            for said in 0..lengths.draw(&mut rng) {
                let again = unit(&mut rng) * (concentration + f64::from(said)) >= concentration;
                let word = if again {
                    tokens[below(&mut rng, u64::from(said)) as usize]
                } else {
                    tables[choice.draw(&mut rng)].draw(&mut rng) as u32
                };
                tokens.push(word);
            }
        })
    }
}

/// A document to be generated.
pub(crate) struct Drawn {
    /// The seed of this document.
    pub seed: u64,
    /// The Dirichlet parameters of its mixture.
    pub shapes: Vec<f64>,
    /// Number of tokens.
    pub length: u64,
}

/// Generates documents from topics (words x topics), independently of each other.
pub(crate) fn draw_mixtures(word_topic: &Matrix, documents: &[Drawn]) -> Corpus {
    let tables = Alias::columns(word_topic);
    let mut left = documents.iter();
    draw_documents(word_topic.n_rows(), documents.len(), |tokens| {
        if let Some(document) = left.next() {
            let mut rng = ChaCha8Rng::seed_from_u64(document.seed);
            let choice = Alias::new(&dirichlet(&mut rng, &document.shapes));
            tokens.extend((0..document.length).map(|_| {
                let topic = choice.draw(&mut rng);
                tables[topic].draw(&mut rng) as u32
            }));
        }
    })
}

/// Counts the words that `draw` writes to its buffer, one document after the other.
fn draw_documents(
    n_words: usize,
    n_documents: usize,
    mut draw: impl FnMut(&mut Vec<u32>),
) -> Corpus {
    // No documents, or only empty documents, may be what was asked for.
    let mut builder: CorpusBuilder = Corpus::builder(n_words).may_be_empty();
    let mut tokens = Vec::new();
    for _ in 0..n_documents {
        crate::stop::here();
        tokens.clear();
        draw(&mut tokens);
        tokens.sort_unstable();
        let runs = tokens.chunk_by(|a, b| a == b);
        let entries: Vec<(u32, u32)> = runs.map(|run| (run[0], run.len() as u32)).collect();
        // Words drawn from a column are in range and counted once, so this cannot fail.
        let _ = builder.push_document(entries);
    }
    match builder.build() {
        Ok(corpus) => corpus,
        Err(error) => unreachable!("a drawn corpus is well formed: {error}"),
    }
}

fn uniform_columns(rng: &mut ChaCha8Rng, n: usize, k: usize) -> Matrix {
    let column = |_| {
        crate::stop::here();
        normalised((0..n).map(|_| unit(rng)).collect())
    };
    let columns = (0..k).flat_map(column).collect();
    Matrix::from_columns(n, k, columns)
}

fn zipf_columns(
    rng: &mut ChaCha8Rng,
    n: usize,
    k: usize,
    shift: f64,
    concentration: f64,
) -> Matrix {
    let base = normalised((1..=n).map(|i| 1.0 / (i as f64 + shift)).collect());
    let shapes: Vec<f64> = base.iter().map(|p| p * concentration).collect();
    Matrix::from_columns(n, k, (0..k).flat_map(|_| dirichlet(rng, &shapes)).collect())
}

/// A draw from a Dirichlet distribution; tiny shape parameters may give exact zeros.
fn dirichlet(rng: &mut ChaCha8Rng, shapes: &[f64]) -> Vec<f64> {
    crate::stop::here();
    let gammas: Vec<f64> = shapes
        .iter()
        .map(|&shape| Gamma::new(shape, 1.0).map_or(0.0, |law| law.sample(rng)))
        .collect();
    let total: f64 = gammas.iter().sum();
    if total > 0.0 && total.is_finite() {
        return normalised(gammas);
    }
    dirichlet_of_logarithms(rng, shapes)
}

/// A draw from a Dirichlet distribution whose shape parameters are so small that every gamma variable is zero in
/// double precision.
///
/// If `G` is Gamma(shape + 1) and `U` uniform, `G U^(1/shape)` is Gamma(shape); the logarithm of it
/// does not underflow.
fn dirichlet_of_logarithms(rng: &mut ChaCha8Rng, shapes: &[f64]) -> Vec<f64> {
    let logarithms: Vec<f64> = shapes
        .iter()
        .map(|&shape| match Gamma::new(shape + 1.0, 1.0) {
            Ok(law) if shape > 0.0 => {
                law.sample(rng).ln() + (1.0 - unit(rng)).ln() / shape.max(f64::MIN_POSITIVE)
            }
            _ => f64::NEG_INFINITY,
        })
        .collect();
    let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !most.is_finite() {
        // No shape is positive, or all are too small for their differences to be computed.
        return vec![1.0 / shapes.len() as f64; shapes.len()];
    }
    normalised(logarithms.iter().map(|log| (log - most).exp()).collect())
}

fn normalised(values: Vec<f64>) -> Vec<f64> {
    let total: f64 = values.iter().sum();
    values.iter().map(|v| v / total).collect()
}

/// A uniform number in `[0, 1)`.
pub(crate) fn unit(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A uniform whole number below `n`.
fn below(rng: &mut ChaCha8Rng, n: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(n)) >> 64) as u64
}

/// Walker's alias table: a draw in constant time.
struct Alias {
    keep: Vec<f64>,
    other: Vec<u32>,
}

impl Alias {
    fn columns(matrix: &Matrix) -> Vec<Alias> {
        (0..matrix.n_columns()).map(|j| Alias::new(matrix.column(j))).collect()
    }

    fn new(probabilities: &[f64]) -> Self {
        let n = probabilities.len();
        let total: f64 = probabilities.iter().sum();
        let mut keep: Vec<f64> = probabilities.iter().map(|p| p * n as f64 / total).collect();
        let mut other: Vec<u32> = (0..n as u32).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| keep[i] < 1.0);
        while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
            other[poor] = rich as u32;
            keep[rich] -= 1.0 - keep[poor];
            if keep[rich] < 1.0 {
                large.pop();
                small.push(rich);
            }
        }
        for i in large.into_iter().chain(small) {
            keep[i] = 1.0;
        }
        Self { keep, other }
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> usize {
        let i = below(rng, self.keep.len() as u64) as usize;
        if unit(rng) < self.keep[i] { i } else { self.other[i] as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_table_draws_by_its_probabilities() {
        let table = Alias::new(&[0.5, 0.0, 0.3, 0.2]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0.0_f64; 4];
        for _ in 0..100_000 {
            counts[table.draw(&mut rng)] += 1e-5;
        }
        for (count, p) in counts.iter().zip([0.5, 0.0, 0.3, 0.2]) {
            assert!((count - p).abs() < 0.01, "{counts:?}");
        }
        assert_eq!(counts[1], 0.0);
    }

    #[test]
    fn bursts_repeat_words_and_leave_their_frequencies_alone() {
        let source = LdaSource::zipf(200, 3, 5.0, 200.0, 1.0, 3);
        let corpora = [
            source.draw(2000, &Lengths::Fixed(50), 4).0,
            source.draw_bursty(2000, &Lengths::Fixed(50), 50.0, 4),
        ];
        let [plain, bursty] = corpora.each_ref().map(|c| c.n_nonzeros() as f64);
        assert!(bursty < 0.9 * plain, "{bursty} of {plain} different words");
        let share = |corpus: &Corpus| {
            let feature = corpus.feature_of_word()[0] as usize;
            corpus.feature_totals()[feature] as f64 / corpus.n_tokens() as f64
        };
        let [plain, bursty] = corpora.each_ref().map(share);
        assert!((plain / bursty - 1.0).abs() < 0.15, "{plain} {bursty}");
    }

    #[test]
    fn shapes_too_small_for_a_gamma_variable_still_draw_a_mixture() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut first = 0;
        for _ in 0..1000 {
            let drawn = dirichlet(&mut rng, &[1e-290, 3e-290]);
            assert!((drawn.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{drawn:?}");
            first += usize::from(drawn[0] > 0.5);
        }
        assert!((200..300).contains(&first), "a quarter of them: {first}");
        assert_eq!(dirichlet(&mut rng, &[0.0, f64::NAN]), [0.5, 0.5]);
    }

    #[test]
    fn documents_without_words_can_be_drawn() {
        let source = SingleTopicSource::uniform(5, 2, 1);
        assert_eq!(source.draw(0, &Lengths::Fixed(3), 1).0.n_documents(), 0);
        assert_eq!(source.draw(4, &Lengths::Fixed(0), 1).0.n_tokens(), 0);
    }

    #[test]
    fn the_same_seed_draws_the_same_corpus() {
        let source = SingleTopicSource::uniform(30, 3, 5);
        let lengths = Lengths::Uniform(3..=20);
        let (a, topics) = source.draw(40, &lengths, 7);
        let (b, _) = source.draw(40, &lengths, 7);
        assert_eq!(a.digest(), b.digest());
        assert_ne!(a.digest(), source.draw(40, &lengths, 8).0.digest());
        assert_eq!(topics.len(), 40);
        assert!(a.lengths().iter().all(|c| (3..=20).contains(c)));
    }
}
