//! Why a document has the topics it has: which of its words pull it where.
//!
//! | model | the pull of word `i`, `x_i` times, towards topic `j` |
//! |---|---|
//! | LDA | `x_i theta_j mu_ij / sum_l theta_l mu_il`: how many of its tokens are about topic `j` |
//! | single topic | `x_i log(mu_ij / m_i)`, `m_i = sum_l w_l mu_il`: evidence for topic `j`, in nats |
//!
//! For LDA these are the responsibilities under the model, exactly, given the document's mixture
//! `theta`: over topics they sum to the word's count. For the single-topic model they are the terms
//! of Bayes' rule (Remark 2.1): the log posterior of a topic is the log of its weight plus the sum of all pulls, up
//! to a constant that is the same for all topics.

use super::posterior::LEAST;
use super::{Alignment, TopicTable, Words, fixed_point, posterior};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::model::{Model, Topics};

/// The topics of one document, and what each of its words says.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The share (LDA) or probability (single topic) of each topic.
    pub mixture: Vec<f64>,
    /// The words that the model knows, in the order of its vocabulary.
    pub words: Vec<ExplainedWord>,
    /// The words that it does not know, with their counts, the most frequent first.
    pub unknown: Vec<(String, u32)>,
}

/// A word of a document, and where it pulls.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedWord {
    /// The word.
    pub word: String,
    /// Its number in the model's vocabulary, from zero.
    pub id: usize,
    /// How often it occurs in the document.
    pub count: u32,
    /// Its pull towards each topic: tokens (LDA) or nats (single topic).
    pub pulls: Vec<f64>,
}

impl Explanation {
    /// The words that pull most towards a topic, the strongest first; words that do not pull
    /// towards it are left out.
    pub fn strongest(&self, topic: usize, n: usize) -> Vec<&ExplainedWord> {
        let mut order: Vec<&ExplainedWord> =
            self.words.iter().filter(|word| word.pulls[topic] > 0.0).collect();
        // Stable: equal ones stay in the order of the vocabulary.
        order.sort_by(|a, b| b.pulls[topic].total_cmp(&a.pulls[topic]));
        order.truncate(n);
        order
    }

    /// The topics in order of falling share; equal shares in order of topic number.
    pub fn topics(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.mixture.len()).collect();
        order.sort_by(|&a, &b| self.mixture[b].total_cmp(&self.mixture[a]));
        order
    }
}

impl Model {
    /// The topics of document `d` of a corpus, and which of its words pull it where.
    ///
    /// # Errors
    /// When the corpus has no words in common with the model.
    ///
    /// # Panics
    /// If `d` is not below [`Corpus::n_documents`].
    pub fn explain(&self, corpus: &Corpus, d: usize) -> Result<Explanation> {
        Ok(self.explainer(corpus)?.explain(d))
    }

    /// An explainer for many documents of a corpus; it computes once what does not depend on the document.
    ///
    /// # Errors
    /// When the corpus has no words in common with the model.
    pub fn explainer<'a>(&'a self, corpus: &'a Corpus) -> Result<Explainer<'a>> {
        let alignment = Alignment::new(self.topics(), corpus)?;
        let table = match self {
            Model::Lda(model) => Table::Mixtures(TopicTable::new(model.topics(), model.alpha())),
            Model::SingleTopic(model) => Table::Posterior {
                table: posterior::LogTable::new(model.topics()),
                shares: model.topics().word_shares(),
            },
        };
        Ok(Explainer { topics: self.topics(), corpus, alignment, table })
    }
}

/// Explains documents of one corpus by one model.
pub struct Explainer<'a> {
    topics: &'a Topics,
    corpus: &'a Corpus,
    alignment: Alignment,
    table: Table,
}

enum Table {
    Mixtures(TopicTable),
    Posterior { table: posterior::LogTable, shares: Vec<f64> },
}

impl Explainer<'_> {
    /// The topics of document `d`, and which of its words pull it where.
    ///
    /// # Panics
    /// If `d` is not below [`Corpus::n_documents`].
    pub fn explain(&self, d: usize) -> Explanation {
        let (words, _) = self.alignment.document(self.corpus, d);
        let (mixture, pulls) = match &self.table {
            Table::Mixtures(table) => {
                let mixture = fixed_point::mixture(table, &words);
                let pulls = responsibilities(table, &mixture, &words);
                (mixture, pulls)
            }
            Table::Posterior { table, shares } => {
                (table.posterior(&words), evidence(self.topics, shares, &words))
            }
        };
        let vocabulary = self.topics.vocabulary();
        let explained = |(&(word, count), pulls)| ExplainedWord {
            word: vocabulary.word(word as usize).into_owned(),
            id: word as usize,
            count,
            pulls,
        };
        Explanation {
            mixture,
            words: words.iter().zip(pulls).map(explained).collect(),
            unknown: unknown_words(&self.alignment, self.corpus, d),
        }
    }
}

fn responsibilities(table: &TopicTable, mixture: &[f64], words: &Words) -> Vec<Vec<f64>> {
    let pulls = |&(word, x): &(u32, u32)| {
        let joint: Vec<f64> = table.word(word).iter().zip(mixture).map(|(m, t)| m * t).collect();
        let total: f64 = joint.iter().sum();
        joint.iter().map(|p| f64::from(x) * p / total).collect()
    };
    words.iter().map(pulls).collect()
}

fn evidence(topics: &Topics, shares: &[f64], words: &Words) -> Vec<Vec<f64>> {
    let pulls = |&(word, x): &(u32, u32)| {
        let share = shares[word as usize].max(LEAST);
        let nats = |mu: f64| f64::from(x) * (mu.max(LEAST) / share).ln();
        topics.iter().map(|topic| nats(topic.probability(word as usize))).collect()
    };
    words.iter().map(pulls).collect()
}

fn unknown_words(alignment: &Alignment, corpus: &Corpus, d: usize) -> Vec<(String, u32)> {
    let document = corpus.document(d);
    let mut unknown: Vec<(u32, u32)> =
        document.words().filter(|&(word, _)| alignment.is_unknown(word)).collect();
    unknown.sort_by_key(|&(word, count)| (std::cmp::Reverse(count), word));
    let named =
        |(word, count): (u32, u32)| (corpus.vocabulary().word(word as usize).into_owned(), count);
    unknown.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{LdaSource, Lengths, SingleTopicSource};
    use crate::{Lda, SingleTopic};

    #[test]
    fn the_pulls_of_an_lda_document_add_up_to_its_words() {
        let corpus = LdaSource::zipf(60, 3, 2.0, 10.0, 1.0, 1).draw(300, &Lengths::Fixed(40), 2).0;
        let model = Model::Lda(Lda::params(3).fit(&corpus).unwrap());
        let mixtures = model.infer(&corpus).unwrap().mixtures;
        for d in 0..20 {
            let found = model.explain(&corpus, d).unwrap();
            assert_eq!(found.mixture, mixtures.row(d));
            for word in &found.words {
                let total: f64 = word.pulls.iter().sum();
                assert!((total - f64::from(word.count)).abs() < 1e-9);
                // The ratio of two pulls is that of theta mu.
                let id = model.topics().vocabulary().id(&word.word).unwrap() as usize;
                let joint = |j: usize| found.mixture[j] * model.topics().topic(j).probability(id);
                let crossed = word.pulls[0] * joint(1) - word.pulls[1] * joint(0);
                assert!(crossed.abs() < 1e-12);
            }
            let top = found.topics()[0];
            let strongest = found.strongest(top, 3);
            assert!(strongest.windows(2).all(|w| w[0].pulls[top] >= w[1].pulls[top]));
        }
    }

    #[test]
    fn the_pulls_of_a_single_topic_document_give_its_posterior() {
        let source = SingleTopicSource::zipf(60, 3, 2.0, 10.0, 5.0, 1);
        let corpus = source.draw(300, &Lengths::Fixed(20), 2).0;
        let model = Model::SingleTopic(SingleTopic::params(3).fit(&corpus).unwrap());
        for d in 0..20 {
            let found = model.explain(&corpus, d).unwrap();
            let score = |j: usize| {
                let pulls: f64 = found.words.iter().map(|word| word.pulls[j]).sum();
                model.topics().weights()[j] * pulls.exp()
            };
            let total: f64 = (0..3).map(score).sum();
            for j in 0..3 {
                assert!((score(j) / total - found.mixture[j]).abs() < 1e-9);
            }
        }
    }
}
