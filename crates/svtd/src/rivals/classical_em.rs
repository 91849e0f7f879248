//! EM from many starts: the classical rival of the single-topic model.
//!
//! The steps are those of the polish ([`em`](crate::fit::em)), including the stopping rule. The start is different,
//! and so is the smoothing: `0.3` words for each word of the vocabulary for every corpus, where the polish
//! estimates it from the corpus ([`smoothing`](crate::fit::smoothing)) by default. The spectral estimate is one
//! good start. The classical way is several poor ones, of which the best result is kept, by the penalised
//! likelihood:
//!
//! * [`Start::Random`]: every topic begins as one document, all documents alike (without
//!   repetition);
//! * [`Start::KMeansPlusPlus`]: the first document likewise, the next ones far from those chosen,
//!   with probability proportional to the squared distance from the nearest (Arthur and
//!   Vassilvitskii 2007).
//!
//! A document has few words, so half of each start is the corpus' own frequencies. The distance is Hellinger's,
//! `|sqrt(p) - sqrt(q)|` of word shares: the Euclidean distance of counts is dominated by the few most frequent
//! words.
//!
//! # Cost
//! `R` polishes from a worse start: some tens of passes over the counts each. Distances cost one pass per topic.
//!
//! # Same bits
//! All draws of all starts come from one ChaCha8 stream of the seed, in the order of the starts, among documents
//! ordered by their content; ties go to the first result.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::fit::em;
use crate::fit::learner::Learned;
use crate::fit::stage::{Stage, Step};
use crate::inference::gibbs::draw;
use crate::linalg::Matrix;
use crate::model::diagnostics::RivalOutcome;
use crate::model::features::frequencies;
use crate::model::{Em, Start};

/// The share of the corpus' own frequencies in every start.
const SHARE_OF_CORPUS_IN_START: f64 = 0.5;

/// Two results whose objectives differ by less than this, relatively, are the same.
const SAME_OBJECTIVE: f64 = 1e-5;

impl Em {
    pub(crate) fn check(&self) -> Result<()> {
        if self.restarts == 0 {
            return Err(Error::Option {
                name: "restarts",
                needed: "at least 1".to_owned(),
                found: "0".to_owned(),
            });
        }
        Ok(())
    }

    /// The best result of all starts.
    pub(crate) fn learn(&self, corpus: &Corpus, k: usize, watch: &dyn Fn(Step)) -> Learned {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let frequencies = frequencies(corpus);
        let documents = by_content(corpus);
        let even = vec![1.0 / k as f64; k];
        let mut run = |start: usize| {
            watch(Step::new(Stage::Rival, start, self.restarts));
            let chosen = self.start.choose(corpus, &documents, k, &mut rng);
            let topics = documents_as_topics(corpus, &chosen, &frequencies);
            let how = em::EmOptions { leaving: false, ..em::EmOptions::to_the_end(self.smoothing) };
            em::polish(corpus, &topics, &even, &frequencies, how, &|_| {})
        };
        let mut best = run(0);
        let mut objectives = vec![best.objective];
        for start in 1..self.restarts {
            let ended = run(start);
            objectives.push(ended.objective);
            if ended.objective > best.objective {
                best = ended;
            }
        }
        let reached = |o: &&f64| best.objective - **o <= SAME_OBJECTIVE * best.objective.abs();
        let outcome = RivalOutcome::Em {
            n_best: objectives.iter().filter(reached).count(),
            objectives,
            steps: best.steps,
            settled: best.settled,
        };
        let (merged, note) = em::merge_identical(best);
        Learned {
            word_topic: merged.word_topic,
            topic_weights: merged.topic_weights,
            documents: merged.documents,
            outcome,
            notes: note.into_iter().collect(),
        }
    }
}

/// The documents that have words, ordered by their content, so that their positions do not matter.
fn by_content(corpus: &Corpus) -> Vec<usize> {
    let mut documents: Vec<usize> =
        (0..corpus.n_documents()).filter(|&d| corpus.lengths()[d] > 0).collect();
    documents.sort_by_cached_key(|&d| (corpus.document_key(d), d));
    documents
}

impl Start {
    /// Chooses `k` different documents.
    fn choose(
        self,
        corpus: &Corpus,
        documents: &[usize],
        k: usize,
        rng: &mut ChaCha8Rng,
    ) -> Vec<usize> {
        match self {
            Start::Random => {
                // The first k elements of a shuffle.
                let mut order = documents.to_vec();
                for place in 0..k {
                    let other = place + below(rng, order.len() - place);
                    order.swap(place, other);
                }
                order.truncate(k);
                order
            }
            Start::KMeansPlusPlus => {
                let mut chosen = vec![documents[below(rng, documents.len())]];
                let mut nearest = vec![f64::INFINITY; documents.len()];
                while chosen.len() < k {
                    let last = roots_of_shares(corpus, chosen[chosen.len() - 1]);
                    nearest.par_iter_mut().zip(documents).for_each(|(distance, &d)| {
                        *distance = distance.min(squared_distance(corpus, d, &last));
                    });
                    let place = draw(rng, &nearest).unwrap_or_else(|| {
                        // Fewer different documents than topics: any remaining one.
                        documents.iter().position(|d| !chosen.contains(d)).unwrap_or(0)
                    });
                    chosen.push(documents[place]);
                }
                chosen
            }
        }
    }
}

/// A uniformly distributed whole number below `n`.
fn below(rng: &mut ChaCha8Rng, n: usize) -> usize {
    ((u128::from(rng.next_u64()) * n as u128) >> 64) as usize
}

/// The square roots of a document's word shares, by feature.
fn roots_of_shares(corpus: &Corpus, d: usize) -> Vec<f64> {
    let mut roots = vec![0.0; corpus.n_present()];
    let (features, counts) = corpus.rows().row(d);
    let length = corpus.lengths()[d] as f64;
    for (&i, &x) in features.iter().zip(counts) {
        roots[i as usize] = (f64::from(x) / length).sqrt();
    }
    roots
}

/// `|sqrt(p) - sqrt(q)|^2 = 2 - 2 sqrt(p)'sqrt(q)`, and exactly zero where only rounding errors remain.
fn squared_distance(corpus: &Corpus, d: usize, roots: &[f64]) -> f64 {
    let (features, counts) = corpus.rows().row(d);
    let length = corpus.lengths()[d] as f64;
    let common: f64 = features
        .iter()
        .zip(counts)
        .map(|(&i, &x)| roots[i as usize] * (f64::from(x) / length).sqrt())
        .sum();
    let distance = 2.0 - 2.0 * common;
    if distance > 1e-12 { distance } else { 0.0 }
}

/// Each document's word shares, mixed half and half with the corpus' frequencies.
fn documents_as_topics(corpus: &Corpus, chosen: &[usize], frequencies: &[f64]) -> Matrix {
    let mut topics = Matrix::zeros(frequencies.len(), chosen.len());
    for (j, &d) in chosen.iter().enumerate() {
        let column = topics.column_mut(j);
        for (value, share) in column.iter_mut().zip(frequencies) {
            *value = SHARE_OF_CORPUS_IN_START * share;
        }
        let (features, counts) = corpus.rows().row(d);
        let scale = (1.0 - SHARE_OF_CORPUS_IN_START) / corpus.lengths()[d] as f64;
        for (&i, &x) in features.iter().zip(counts) {
            column[i as usize] += scale * f64::from(x);
        }
    }
    topics
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SingleTopic;
    use crate::evaluation::topic_error;
    use crate::synthetic::{Lengths, SingleTopicSource};

    fn example(seed: u64) -> (SingleTopicSource, Corpus) {
        let source = SingleTopicSource::uniform(60, 3, seed);
        let corpus = source.draw(400, &Lengths::Uniform(20..=60), seed + 7).0;
        (source, corpus)
    }

    #[test]
    fn both_starts_find_topics_that_are_there() {
        for seed in 0..3 {
            let (source, corpus) = example(seed);
            for start in [Start::Random, Start::KMeansPlusPlus] {
                let em = Em::default().start(start).seed(seed);
                let model = SingleTopic::params(3).by_em(em).fit(&corpus).unwrap();
                let error = topic_error(&source.word_topic, model.topics().word_topic());
                assert!(error < 0.2, "{start:?}: {error}");
            }
        }
    }

    #[test]
    fn the_best_of_more_starts_is_never_worse() {
        let (_, corpus) = example(5);
        let best = |restarts: usize| {
            let model = SingleTopic::params(6).by_em(Em::default().restarts(restarts).seed(1));
            match model.fit(&corpus).unwrap().diagnostics().rival.clone() {
                Some(RivalOutcome::Em { objectives, n_best, .. }) => {
                    assert_eq!(objectives.len(), restarts);
                    assert!(n_best >= 1);
                    objectives.iter().copied().fold(f64::NEG_INFINITY, f64::max)
                }
                other => panic!("{other:?}"),
            }
        };
        let found: Vec<f64> = [1, 3, 8].into_iter().map(best).collect();
        assert!(found[0] <= found[1] && found[1] <= found[2], "{found:?}");
        assert!(found[0] < found[2], "and some start is better than the first: {found:?}");
    }

    #[test]
    fn k_means_plus_plus_takes_one_document_of_each_kind() {
        // Three kinds of documents that share no word, one of them rare.
        let mut builder = Corpus::builder(6);
        for d in 0..200 {
            let kind = if d == 17 { 2 } else { d % 2 };
            builder.push_document([(2 * kind, 2), (2 * kind + 1, 3)]).unwrap();
        }
        let corpus = builder.build().unwrap();
        let documents = by_content(&corpus);
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let chosen = Start::KMeansPlusPlus.choose(&corpus, &documents, 3, &mut rng);
            assert!(chosen.contains(&17), "{chosen:?}");
        }
    }

    #[test]
    fn as_many_topics_as_equal_documents_is_no_trouble() {
        let mut builder = Corpus::builder(3);
        for _ in 0..3 {
            builder.push_document([(0, 2), (1, 1), (2, 1)]).unwrap();
        }
        let corpus = builder.build().unwrap();
        for start in [Start::Random, Start::KMeansPlusPlus] {
            let model = SingleTopic::params(3).by_em(Em::default().start(start));
            let model = model.fit(&corpus).unwrap();
            assert_eq!(model.topics().len(), 1, "the same topic three times is one topic");
            assert_eq!(model.diagnostics().notes.len(), 1);
        }
        let error = SingleTopic::params(4).by_em(Em::default()).fit(&corpus).unwrap_err();
        assert!(error.to_string().contains("ask for 3 or fewer"), "{error}");
    }
}
