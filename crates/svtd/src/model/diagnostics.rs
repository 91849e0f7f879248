//! How reliable a fit is.

mod halves;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use self::halves::{Halves, Standing};

/// What is known about the reliability of a fit. Stored with the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// Documents fitted, empty ones included.
    pub n_documents: usize,
    /// Number of documents with no word, one word and two words. Documents with one word count only in `M1`;
    /// documents with two words count in pairs but not in triples.
    pub n_short_documents: [usize; 3],
    /// Words that occur at least once.
    pub n_words_present: usize,
    /// Tokens.
    pub n_tokens: u64,
    /// Effective number of documents behind the pair moment: how many equally weighted documents would have the
    /// same variance. A classical rival weighs all documents alike; then this is the number of documents with at
    /// least two words.
    pub effective_documents_pairs: f64,
    /// Effective number of documents behind the triple moment; for a rival, the number of documents with at least
    /// three words.
    pub effective_documents_triples: f64,
    /// The leading eigenvalues of the (scaled) pair moment: one per topic, and the next one. Empty when a rival
    /// learned the topics.
    pub eigenvalues: Vec<f64>,
    /// The k-th eigenvalue of the pair moment over the next; `None` when the next is not positive.
    pub spectral_gap: Option<f64>,
    /// The z-score of each direction of the pair moment, in order of falling eigenvalue: how many standard errors
    /// it stands out of the noise. Above 3 a direction is called clear. `None` when not asked for, or when half the
    /// corpus is too small to tell.
    #[serde(default)]
    pub z_scores: Option<Vec<f64>>,
    /// Whether the eigenpairs were found to tolerance. `None` when a rival learned, as for all fields below that
    /// describe moments.
    pub eigenpairs_converged: Option<bool>,
    /// The largest relative residual of an eigenpair.
    pub eigenpairs_residual: Option<f64>,
    /// How many passes over the data finding the eigenpairs took.
    pub n_products: usize,
    /// The word whose slice fixed the rotation, for the method that uses one.
    pub pivot: Option<String>,
    /// The smallest distance between two topics in the values that determined the rotation.
    pub separation: Option<f64>,
    /// The part of the third moment that no rotation diagonalises, in `[0, 1]`: how far the data are from any model
    /// of this kind.
    pub off_diagonal: Option<f64>,
    /// What the polish did.
    pub polish: PolishOutcome,
    /// What a rival did, if a rival learned the topics instead of the method of moments.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rival: Option<RivalOutcome>,
    /// Diagnostics of each topic, in the model's order.
    pub topics: Vec<TopicDiagnostics>,
    /// Sentences a user should read.
    pub notes: Vec<String>,
}

/// Directions with a smaller z-score may be noise.
pub(crate) const CLEAR: f64 = 3.0;

impl Diagnostics {
    /// The number of directions of the pair moment in which topics were sought. It is the number of topics asked
    /// for, even if some topics were merged later.
    pub fn n_directions(&self) -> usize {
        self.eigenvalues.len().saturating_sub(1).max(self.topics.len())
    }

    /// How many directions stand clearly out of the noise; `None` when not known.
    pub fn n_clear_directions(&self) -> Option<usize> {
        self.z_scores.as_deref().map(n_clear)
    }
}

/// How many scores are clear of the noise.
pub(crate) fn n_clear(z_scores: &[f64]) -> usize {
    z_scores.iter().filter(|z| **z > CLEAR).count()
}

/// The largest score that is not clear.
pub(crate) fn first_unclear(z_scores: &[f64]) -> Option<f64> {
    z_scores.iter().copied().filter(|z| *z <= CLEAR).reduce(f64::max)
}

/// How reliable one topic is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicDiagnostics {
    /// The share of its spectral estimate that was negative and clipped.
    pub clipped: f64,
    /// Whether the spectral estimate of the topic was empty; its column is then what the other topics leave
    /// unexplained.
    pub degenerate: bool,
    /// Whether the topic's weight was below 1e-4 and was raised to that.
    pub lifted: bool,
    /// Documents' worth of evidence: the topic's weight times the number of documents. For an estimate without
    /// polish, times the effective number of documents of the triple moment.
    pub documents: f64,
    /// What is known about the topic's errors; `None` when no error bars were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<TopicTrust>,
}

/// What is known about the errors of one topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicTrust {
    /// The mean z-score of the directions the topic is made of, weighted by their share in it. `None` when the
    /// z-scores are not known.
    pub z: Option<f64>,
    /// The most similar other topic; `None` when there is no other.
    pub nearest: Option<Nearest>,
    /// The smallest set of documents that holds half of the topic.
    pub driven: Driven,
    /// Whether the topic is found again when independent halves of the documents are fitted from scratch; `None`
    /// when the halves are too small to fit, or when this was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halves: Option<Halves>,
    /// How the topic changes when groups of documents are left out (delete-a-group jackknife); `None` when there
    /// are too few different documents, or the method has no jackknife.
    pub stability: Option<Stability>,
}

/// The topic that is most similar to a given one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nearest {
    /// Its number, from zero.
    pub topic: usize,
    /// The L1 distance of their word probabilities, from 0 (equal) to 2 (no word in common).
    pub distance: f64,
}

/// The documents that hold a given share of a topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Driven {
    /// Number of documents.
    pub documents: usize,
    /// The share of the topic that they hold, between 0 and 1.
    pub share: f64,
}

impl Driven {
    pub(crate) fn is_by_few(&self) -> bool {
        (1..=FEW_DOCUMENTS).contains(&self.documents)
    }
}

/// How a topic changes when groups of documents are left out (delete-a-group jackknife).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// The L1 distance to the truth that is expected from the standard errors of the word probabilities.
    pub expected_error: f64,
    /// The mean L1 distance by which the topic moves when a group is left out.
    pub mean_change: f64,
    /// The largest L1 distance by which the topic moves when a group is left out.
    pub largest_change: f64,
    /// The number of groups whose removal turns the topic into another one.
    pub n_changed: usize,
    /// The number of groups; each is left out in turn.
    pub n_groups: usize,
}

impl TopicTrust {
    fn warnings(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if let Some(nearest) =
            self.nearest.as_ref().filter(|nearest| nearest.distance < NEAR_DUPLICATE)
        {
            flags.push(format!("near-duplicate of {}", nearest.topic + 1));
        }
        let Driven { documents, share } = self.driven;
        if self.driven.is_by_few() {
            let (verb, share) = (if documents == 1 { "holds" } else { "hold" }, 100.0 * share);
            flags.push(format!("driven by few documents: {documents} {verb} {share:.0} %"));
        }
        flags
    }

    /// This trust after the topics were renumbered: topic `order[i]` became topic `i`.
    pub(crate) fn renumbered(&self, order: &[usize]) -> Self {
        let mut trust = self.clone();
        if let Some(nearest) = &mut trust.nearest {
            nearest.topic = order.iter().position(|&j| j == nearest.topic).unwrap_or(0);
        }
        trust
    }
}

impl TopicDiagnostics {
    /// Whether the topic has fewer than thirty documents' worth of evidence.
    pub fn is_weak(&self) -> bool {
        self.documents < WEAK_BELOW
    }

    /// The warnings about the topic, that it does not reproduce first; empty when there are none.
    pub fn flags(&self) -> Vec<String> {
        let doubtful = self.halves().filter(|h| h.standing() != Standing::Reproduces);
        doubtful.map(Halves::flag).into_iter().chain(self.warnings()).collect()
    }

    /// Everything worth listing: the standing in independent halves of the documents, then the warnings.
    pub fn remarks(&self) -> Vec<String> {
        self.halves().map(Halves::flag).into_iter().chain(self.warnings()).collect()
    }

    /// The warnings about the topic, without the result of the halves.
    pub fn warnings(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if self.degenerate {
            flags.push("degenerate: what the other topics left over".to_owned());
        }
        if self.lifted {
            flags.push("its weight was next to nothing and is raised".to_owned());
        }
        // Of moments that are worth few documents no topic has half of one; a topic that comes back is not empty.
        let comes_back =
            self.halves().is_some_and(|halves| halves.found_again > 0.0 || halves.close);
        if self.documents < EMPTY && !comes_back {
            flags.push("empty: hardly any document is about it".to_owned());
        } else if self.is_weak() {
            flags.push(format!("weak: {}", self.worth()));
        }
        flags.extend(self.trust.iter().flat_map(TopicTrust::warnings));
        flags
    }

    /// How the topic fares in independent halves of the documents; `None` when that was not measured.
    pub fn halves(&self) -> Option<&Halves> {
        self.trust.as_ref()?.halves.as_ref()
    }

    /// Whether the topic is found again in independent halves of the documents; `None` when that was not measured.
    pub fn standing(&self) -> Option<Standing> {
        self.halves().map(Halves::standing)
    }
}

/// A topic with fewer documents than this is empty.
pub(crate) const EMPTY: f64 = 0.5;

/// Documents' worth of evidence below which a topic is called weak.
const WEAK_BELOW: f64 = 30.0;

/// Topics closer than this in L1 distance are called near-duplicates: they share at least four fifths of their
/// probability.
const NEAR_DUPLICATE: f64 = 0.4;

/// A topic is called driven by few documents if this many documents or fewer hold half of it.
const FEW_DOCUMENTS: usize = 3;

/// The polish that followed the spectral estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolishOutcome {
    /// No polish was asked for.
    None,
    /// EM steps for the single-topic model.
    Em {
        /// Steps taken.
        steps: usize,
        /// Whether the objective had converged.
        settled: bool,
    },
    /// Sweeps of collapsed variational Bayes, for LDA.
    Sweeps {
        /// Number of sweeps.
        sweeps: usize,
        /// Completion perplexity on held-out documents: unpolished, polished. `None` when the two
        /// were not compared: the polish was asked for, or repeated words had settled it.
        held_out: Option<[f64; 2]>,
        /// The largest share of the observed word repetition that this many topics could explain, if that was so
        /// small that collapsed variational Bayes was chosen for it.
        #[serde(default)]
        repeats_explained: Option<f64>,
        /// The strength of the prior that draws each topic towards the word frequencies of the corpus, as a number
        /// of words; used where documents follow the model, `None` on text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        drawn_to_corpus: Option<f64>,
    },
    /// No polish was kept: the unpolished estimate predicted held-out words better, or nothing could be held out.
    Declined {
        /// Completion perplexity on held-out documents: unpolished, polished.
        held_out: Option<[f64; 2]>,
    },
}

/// What a classical rival did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RivalOutcome {
    /// EM from several random starts.
    Em {
        /// The penalised log-likelihood that each start reached.
        objectives: Vec<f64>,
        /// How many starts reached the best of these values, to within `1e-5`.
        n_best: usize,
        /// Number of steps of the best start.
        steps: usize,
        /// Whether the objective of the best start had converged.
        settled: bool,
    },
    /// Collapsed Gibbs sampling.
    Gibbs {
        /// Number of Gibbs sweeps (passes over all tokens) in all.
        sweeps: usize,
        /// Number of samples averaged.
        samples: usize,
        /// The mean L1 distance, from 0 to 2, between the topics of the first half of the samples
        /// and of the second half; `None` for a single sample.
        unrest: Option<f64>,
    },
}
