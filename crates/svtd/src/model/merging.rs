//! Merging topics that a person judges to be the same.
//!
//! A merged topic generates what its parts generated together: its weight is the sum of their weights, its word
//! probabilities are their weighted mean, and for LDA its Dirichlet parameter is the sum of theirs (sums of
//! components of a Dirichlet vector follow a Dirichlet law again). Standard errors were those of the parts, so a
//! merged model has none.

use super::diagnostics::{Diagnostics, TopicDiagnostics};
use super::topic::canonical_order;
use super::{Lda, Model, SingleTopic, Topics};
use crate::error::{Error, Result};
use crate::linalg::Matrix;

/// A model after merging, and the old topics of each of its topics.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The model.
    pub model: Model,
    /// For each topic the old topics it is made of, the heaviest first.
    pub parts: Vec<Vec<usize>>,
}

impl Model {
    /// Merges the topics of each group, numbered from zero, into one topic. The topics are then ordered by weight
    /// again.
    ///
    /// # Errors
    /// When a group has fewer than two topics, names one that is not there, or shares one with
    /// another group.
    pub fn merge_topics(&self, groups: &[Vec<usize>]) -> Result<Merged> {
        let topics = self.topics();
        check(groups, topics.len())?;
        let mut parts: Vec<Vec<usize>> = groups.to_vec();
        let alone = (0..topics.len()).filter(|j| !groups.iter().any(|group| group.contains(j)));
        parts.extend(alone.map(|j| vec![j]));
        // Topics are numbered by falling weight, so the lowest number is the heaviest.
        parts.iter_mut().for_each(|part| part.sort_unstable());
        let sum = |part: &Vec<usize>, of: &[f64]| part.iter().map(|&j| of[j]).sum::<f64>();
        let weights: Vec<f64> = parts.iter().map(|part| sum(part, topics.weights())).collect();
        let words = joined(topics, &parts);
        let order = canonical_order(&words, &weights);
        let parts: Vec<Vec<usize>> = order.iter().map(|&at| parts[at].clone()).collect();
        let weights = order.iter().map(|&at| weights[at]).collect();
        let merged =
            Topics::new(topics.vocabulary().clone(), words.select_columns(&order), weights);
        let diagnostics = diagnostics_after(self.diagnostics(), &parts);
        let options = self.options().clone();
        let model = match self {
            Model::SingleTopic(_) => {
                Model::SingleTopic(SingleTopic::from_parts(merged, diagnostics, options))
            }
            Model::Lda(model) => {
                let alpha = parts.iter().map(|part| sum(part, model.alpha())).collect();
                Model::Lda(Lda::from_parts(merged, alpha, diagnostics, options))
            }
        };
        Ok(Merged { model, parts })
    }
}

fn check(groups: &[Vec<usize>], n_topics: usize) -> Result<()> {
    let wrong = |needed: String, found: String| {
        Err(Error::Option { name: "the topics to merge", needed, found })
    };
    let mut seen = vec![false; n_topics];
    for group in groups {
        if group.len() < 2 {
            return wrong("two or more in a group".to_owned(), format!("{group:?}"));
        }
        for &j in group {
            if j >= n_topics {
                return wrong(format!("below {n_topics}, counted from 0"), j.to_string());
            }
            if std::mem::replace(&mut seen[j], true) {
                return wrong("in one group only".to_owned(), format!("{j} twice"));
            }
        }
    }
    Ok(())
}

/// The word probabilities of the merged topics: weighted means of their parts.
fn joined(topics: &Topics, parts: &[Vec<usize>]) -> Matrix {
    let (words, weights) = (topics.word_topic(), topics.weights());
    let mut joined = Matrix::zeros(words.n_rows(), parts.len());
    for (at, part) in parts.iter().enumerate() {
        if let [alone] = part[..] {
            joined.column_mut(at).copy_from_slice(words.column(alone));
            continue;
        }
        let total: f64 = part.iter().map(|&j| weights[j]).sum();
        for &j in part {
            // If all weights are zero, the parts count equally.
            let share = if total > 0.0 { weights[j] / total } else { 1.0 / part.len() as f64 };
            for (target, &probability) in joined.column_mut(at).iter_mut().zip(words.column(j)) {
                *target += share * probability;
            }
        }
    }
    joined
}

/// The diagnostics without what no longer holds, and with a note for each merge.
fn diagnostics_after(before: &Diagnostics, parts: &[Vec<usize>]) -> Diagnostics {
    let topic = |part: &Vec<usize>| {
        let of = |j: &usize| &before.topics[*j];
        TopicDiagnostics {
            clipped: part.iter().map(|j| of(j).clipped).fold(0.0, f64::max),
            degenerate: part.iter().all(|j| of(j).degenerate),
            lifted: part.iter().all(|j| of(j).lifted),
            documents: part.iter().map(|j| of(j).documents).sum(),
            trust: None,
        }
    };
    let mut after = before.clone();
    after.topics = parts.iter().map(topic).collect();
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| part.len() > 1) {
        let numbers: Vec<String> = part.iter().map(|j| (j + 1).to_string()).collect();
        after.notes.push(format!(
            "topics {} were merged into topic {}",
            numbers.join(", "),
            at + 1
        ));
    }
    after
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use crate::synthetic::{LdaSource, Lengths};
    use crate::{Lda, Model};

    fn model() -> Model {
        let corpus = LdaSource::uniform(30, 4, 1.0, 1).draw(800, &Lengths::Fixed(60), 2).0;
        Model::Lda(Lda::params(4).trust(false).fit(&corpus).unwrap())
    }

    #[test]
    fn a_merged_topic_is_the_mean_of_its_parts() {
        let model = model();
        let merged = model.merge_topics(&[vec![3, 1]]).unwrap();
        let (old, new) = (model.topics(), merged.model.topics());
        assert_eq!(new.len(), 3);
        let at = merged.parts.iter().position(|part| part == &[1, 3]).unwrap();
        let (w1, w3) = (old.weights()[1], old.weights()[3]);
        assert!((new.weights()[at] - w1 - w3).abs() < 1e-12);
        for i in 0..30 {
            let mean = (w1 * old.word_topic()[(i, 1)] + w3 * old.word_topic()[(i, 3)]) / (w1 + w3);
            assert!((new.word_topic()[(i, at)] - mean).abs() < 1e-12);
        }
        let (Model::Lda(old), Model::Lda(new)) = (&model, &merged.model) else { unreachable!() };
        assert!((new.alpha()[at] - old.alpha()[1] - old.alpha()[3]).abs() < 1e-12);
        assert!(new.topics().weights().is_sorted_by(|a, b| a >= b));
        assert_eq!(new.diagnostics().notes.len(), old.diagnostics().notes.len() + 1);
    }

    #[test]
    fn what_cannot_be_merged_is_refused() {
        let model = model();
        for (groups, sentence) in [
            (vec![vec![1]], "two or more"),
            (vec![vec![1, 9]], "below 4"),
            (vec![vec![1, 2], vec![2, 3]], "one group only"),
            (vec![vec![1, 1]], "one group only"),
        ] {
            let error = model.merge_topics(&groups).unwrap_err().to_string();
            assert!(error.contains(sentence), "{error}");
        }
    }
}
