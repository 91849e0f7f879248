//! Collapsed Gibbs sampling: the classical rival of LDA.
//!
//! Griffiths and Steyvers, *Finding Scientific Topics* (2004). Every token has a topic; mixtures
//! and topics are integrated out, and in turn each token's topic is drawn given all others,
//!
//! ```text
//! P(Y = j | the others) proportional to (n_dj + alpha) (n_ij + eta) / (n_j + n eta)
//! ```
//!
//! with the counts of the document, the word and the whole, the token itself left out. After the
//! burn-in, every tenth sweep is a sample, and
//!
//! ```text
//! M_ij = mean of (n_ij + eta)/(n_j + n eta)        omega_j = mean of n_j / tokens
//! ```
//!
//! One chain seldom permutes its topics, so the mean needs no matching. If it does, or if the chain has not
//! converged, the two halves of the samples disagree, which is stored as `unrest` and reported.
//!
//! # Cost
//! `k` operations for each token and sweep, and one number for each token. Tokens are visited one after the other,
//! because each depends on the previous one. So it uses one thread, and the bits do not depend on their number.
//! They do depend on the order of the documents.
//!
//! # Departures from the source
//! The source keeps single samples; averaging costs nothing and is far less noisy.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::fit::documents::by_words;
use crate::fit::learner::Learned;
use crate::fit::stage::{Stage, Step};
use crate::inference::gibbs::draw;
use crate::linalg::Matrix;
use crate::model::CollapsedGibbs;
use crate::model::diagnostics::RivalOutcome;
use crate::model::learner::BETWEEN_SAMPLES;

/// The largest number of tokens: each takes four bytes, and every sweep visits all of them.
pub const MAX_TOKENS: u64 = 1 << 31;

/// If the halves of the samples differ by more than this in mean L1, it is more than noise.
const RESTLESS: f64 = 0.25;

impl CollapsedGibbs {
    pub(crate) fn check(&self, corpus: &Corpus) -> Result<()> {
        let wrong =
            |name, needed: String, found: String| Err(Error::Option { name, needed, found });
        if self.samples == 0 {
            return wrong("samples", "at least 1".to_owned(), "0".to_owned());
        }
        if !(self.eta.is_finite() && self.eta > 0.0) {
            return wrong("eta", "a positive number".to_owned(), self.eta.to_string());
        }
        let tokens = corpus.n_tokens();
        if tokens > MAX_TOKENS {
            let needed = format!("at most {MAX_TOKENS} for Gibbs sampling, which visits each");
            return wrong("the number of words of the corpus", needed, tokens.to_string());
        }
        Ok(())
    }

    /// The mean of the samples.
    pub(crate) fn learn(
        &self,
        corpus: &Corpus,
        k: usize,
        alpha: f64,
        watch: &dyn Fn(Step),
    ) -> Learned {
        let mut chain = Chain::new(corpus, k, alpha, self.eta, self.seed);
        let of = self.n_sweeps();
        // The samples of the first half and of the second.
        let mut halves = [Samples::new(&chain), Samples::new(&chain)];
        let first_half = self.samples / 2;
        // The sweep that gives every token its first topic is not counted.
        chain.sweep(corpus);
        for sweep in 1..=of {
            watch(Step::new(Stage::Rival, sweep - 1, of));
            chain.sweep(corpus);
            let past = sweep.saturating_sub(self.burn_in);
            if past > 0 && past % BETWEEN_SAMPLES == 0 {
                let sample = past / BETWEEN_SAMPLES - 1;
                halves[usize::from(sample >= first_half)].add(&chain);
            }
        }
        let unrest = (first_half > 0).then(|| halves[0].distance(&halves[1]));
        let [mut all, second] = halves;
        all.join(second);
        let (word_topic, topic_weights) = all.means();
        let outcome = RivalOutcome::Gibbs { sweeps: of, samples: self.samples, unrest };
        let note = unrest.filter(|&unrest| unrest > RESTLESS).map(|unrest| {
            format!(
                "the two halves of the samples are {unrest:.2} apart (mean L1, 0 to 2): the chain \
                 was still on its way; try more sweeps"
            )
        });
        let documents = by_words(corpus, &topic_weights);
        let notes = note.into_iter().collect();
        Learned { word_topic, topic_weights, documents, outcome, notes }
    }
}

/// The state of the chain.
struct Chain {
    k: usize,
    alpha: f64,
    eta: f64,
    rng: ChaCha8Rng,
    /// The topic of every token, document after document; `k` before the first sweep.
    topics: Vec<u32>,
    /// `n_ij`, one row of topics for each feature.
    words: Vec<u32>,
    /// `n_j`.
    totals: Vec<u64>,
}

impl Chain {
    fn new(corpus: &Corpus, k: usize, alpha: f64, eta: f64, seed: u64) -> Self {
        Self {
            k,
            alpha,
            eta,
            rng: ChaCha8Rng::seed_from_u64(seed),
            topics: vec![k as u32; corpus.n_tokens() as usize],
            words: vec![0; corpus.n_present() * k],
            totals: vec![0; k],
        }
    }

    /// `n eta`.
    fn smoothing(&self) -> f64 {
        (self.words.len() / self.k) as f64 * self.eta
    }

    /// Draws the topic of every token again.
    fn sweep(&mut self, corpus: &Corpus) {
        let (k, smoothing) = (self.k, self.smoothing());
        let mut topics = &mut self.topics[..];
        let mut document = vec![0_u32; k];
        let mut odds = vec![0.0; k];
        // 1 / (n_j + n eta), kept up to date, because a division costs more than all the rest.
        let inverse_of = |total: u64| 1.0 / (total as f64 + smoothing);
        let mut inverses: Vec<f64> = self.totals.iter().map(|&total| inverse_of(total)).collect();
        for d in 0..corpus.n_documents() {
            crate::stop::here();
            let (features, counts) = corpus.rows().row(d);
            let (own, rest) = topics.split_at_mut(corpus.lengths()[d] as usize);
            topics = rest;
            document.fill(0);
            own.iter().filter(|&&j| (j as usize) < k).for_each(|&j| document[j as usize] += 1);
            let tokens = features.iter().zip(counts).flat_map(|(&i, &x)| (0..x).map(move |_| i));
            for (i, topic) in tokens.zip(own) {
                let words = &mut self.words[i as usize * k..][..k];
                let old = *topic as usize;
                if old < k {
                    words[old] -= 1;
                    document[old] -= 1;
                    self.totals[old] -= 1;
                    inverses[old] = inverse_of(self.totals[old]);
                }
                for j in 0..k {
                    odds[j] = (f64::from(document[j]) + self.alpha)
                        * (f64::from(words[j]) + self.eta)
                        * inverses[j];
                }
                // All odds are positive, so there is always a topic.
                let new = draw(&mut self.rng, &odds).unwrap_or(0);
                *topic = new as u32;
                words[new] += 1;
                document[new] += 1;
                self.totals[new] += 1;
                inverses[new] = inverse_of(self.totals[new]);
            }
        }
    }
}

/// Sums over samples.
struct Samples {
    n: usize,
    /// Sum of `M`, features x topics.
    word_topic: Matrix,
    /// Sum of the topics' shares of the tokens.
    shares: Vec<f64>,
}

impl Samples {
    fn new(chain: &Chain) -> Self {
        let word_topic = Matrix::zeros(chain.words.len() / chain.k, chain.k);
        Self { n: 0, word_topic, shares: vec![0.0; chain.k] }
    }

    fn add(&mut self, chain: &Chain) {
        self.n += 1;
        let tokens: u64 = chain.totals.iter().sum();
        for j in 0..chain.k {
            let total = chain.totals[j] as f64 + chain.smoothing();
            self.shares[j] += chain.totals[j] as f64 / tokens as f64;
            for (i, value) in self.word_topic.column_mut(j).iter_mut().enumerate() {
                *value += (f64::from(chain.words[i * chain.k + j]) + chain.eta) / total;
            }
        }
    }

    fn join(&mut self, other: Samples) {
        self.n += other.n;
        self.word_topic.add(1.0, &other.word_topic);
        self.shares.iter_mut().zip(&other.shares).for_each(|(s, o)| *s += o);
    }

    /// `M` and the shares; both sum to one up to rounding.
    fn means(&self) -> (Matrix, Vec<f64>) {
        let mut word_topic = self.word_topic.clone();
        word_topic.scale_columns(&vec![1.0 / self.n as f64; self.shares.len()]);
        (word_topic, self.shares.iter().map(|s| s / self.n as f64).collect())
    }

    /// The mean L1 distance of the mean topics.
    fn distance(&self, other: &Samples) -> f64 {
        let ((mine, _), (theirs, _)) = (self.means(), other.means());
        let pairs = mine.values().iter().zip(theirs.values());
        pairs.map(|(x, y)| (x - y).abs()).sum::<f64>() / self.shares.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lda;
    use crate::evaluation::topic_error;
    use crate::synthetic::{LdaSource, Lengths};

    #[test]
    fn counts_stay_consistent_with_the_topics_of_the_tokens() {
        let source = LdaSource::uniform(30, 3, 1.0, 4);
        let corpus = source.draw(40, &Lengths::Uniform(0..=30), 5).0;
        let mut chain = Chain::new(&corpus, 3, 0.3, 0.05, 9);
        for _ in 0..4 {
            chain.sweep(&corpus);
            let (mut words, mut totals) = (vec![0; chain.words.len()], vec![0; 3]);
            let mut topics = chain.topics.iter();
            for d in 0..corpus.n_documents() {
                let (features, counts) = corpus.rows().row(d);
                for (&i, &x) in features.iter().zip(counts) {
                    for &j in topics.by_ref().take(x as usize) {
                        words[i as usize * 3 + j as usize] += 1;
                        totals[j as usize] += 1;
                    }
                }
            }
            assert_eq!(words, chain.words);
            assert_eq!(totals, chain.totals);
        }
    }

    #[test]
    fn it_finds_topics_that_are_there_and_says_that_it_settled() {
        let source = LdaSource::zipf(120, 3, 5.0, 100.0, 0.5, 2);
        let corpus = source.draw(400, &Lengths::Uniform(40..=80), 3).0;
        let gibbs = CollapsedGibbs::default().burn_in(100).samples(10).seed(1);
        let model = Lda::params(3).alpha0(0.5).by_gibbs(gibbs).fit(&corpus).unwrap();
        let error = topic_error(&source.word_topic, model.topics().word_topic());
        assert!(error < 0.25, "{error}");
        let d = model.diagnostics();
        match d.rival {
            Some(RivalOutcome::Gibbs { sweeps: 200, samples: 10, unrest: Some(unrest) }) => {
                assert!(unrest < RESTLESS, "{unrest}");
            }
            ref other => panic!("{other:?}"),
        }
        assert!(d.notes.is_empty() && d.off_diagonal.is_none() && d.z_scores.is_none());
        let total: f64 = model.topics().weights().iter().sum();
        assert!((total - 1.0).abs() < 1e-12);
    }

    #[test]
    fn settings_that_mean_nothing_are_refused_in_a_sentence() {
        let corpus = LdaSource::uniform(9, 2, 1.0, 1).draw(9, &Lengths::Fixed(9), 1).0;
        let refused = |gibbs| Lda::params(2).by_gibbs(gibbs).fit(&corpus).unwrap_err().to_string();
        let gibbs = CollapsedGibbs::default();
        assert_eq!(refused(gibbs.samples(0)), "samples must be at least 1, got 0");
        for eta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(refused(gibbs.eta(eta)).starts_with("eta must be a positive number, got"));
        }
    }
}
