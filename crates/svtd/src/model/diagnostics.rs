//! How far to believe a fit.

use std::fmt::Write as _;

use crate::choosing::choice::n_clear;
use serde::{Deserialize, Serialize};

/// What is known about the reliability of a fit. Stored with the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostics {
    /// Documents fitted, empty ones included.
    pub n_documents: usize,
    /// Of these, documents with no word, one word, two words: they count in `M1` at most, or in
    /// pairs but not triples.
    pub n_short_documents: [usize; 3],
    /// Words that occur at least once.
    pub n_words_present: usize,
    /// Tokens.
    pub n_tokens: u64,
    /// How many equally weighted documents the pair moment is worth. When a rival learned, which
    /// weighs all alike, the documents that have a pair; likewise for triples.
    pub effective_documents_pairs: f64,
    /// How many equally weighted documents the triple moment is worth.
    pub effective_documents_triples: f64,
    /// The leading eigenvalues of the (scaled) pair moment: one per topic, and the next. Empty when
    /// a rival learned.
    pub eigenvalues: Vec<f64>,
    /// The k-th eigenvalue of the pair moment over the next; `None` when the next is not positive.
    pub spectral_gap: Option<f64>,
    /// How clearly each direction of the pair moment stands out of the noise, falling with the
    /// eigenvalues: above 3 it is there. `None` when not asked for, or half the corpus is too
    /// little to tell.
    #[serde(default)]
    pub z_scores: Option<Vec<f64>>,
    /// Whether the eigenpairs were found to tolerance, and the largest relative residual.
    /// `None` when a rival learned, as for all that speaks of moments below.
    pub eigenpairs_converged: Option<bool>,
    /// See `eigenpairs_converged`.
    pub eigenpairs_residual: Option<f64>,
    /// Passes over the data that finding them took.
    pub n_products: usize,
    /// The word whose slice fixed the rotation, for the method that uses one.
    pub pivot: Option<String>,
    /// The least distance between topics in what fixed the rotation.
    pub separation: Option<f64>,
    /// What no rotation could diagonalise, in `[0, 1]`: how far the data are from any model of
    /// this kind.
    pub off_diagonal: Option<f64>,
    /// What the polish did.
    pub polish: PolishOutcome,
    /// What a rival did, when one learned in place of the moments.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rival: Option<RivalOutcome>,
    /// Per topic, in the model's order.
    pub topics: Vec<TopicDiagnostics>,
    /// Sentences a user should read.
    pub notes: Vec<String>,
}

/// Directions with a smaller z-score may be noise.
pub(crate) const CLEAR: f64 = 3.0;

impl Diagnostics {
    /// How many directions of the pair moment the topics were sought in: as many as topics were
    /// asked for, though some may have been merged since.
    pub fn n_directions(&self) -> usize {
        self.eigenvalues.len().saturating_sub(1).max(self.topics.len())
    }

    /// How many directions stand clearly out of the noise; `None` when not known.
    pub fn n_clear_directions(&self) -> Option<usize> {
        self.z_scores.as_deref().map(n_clear)
    }
}

/// How far to believe one topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicDiagnostics {
    /// The share of its spectral estimate that was negative and clipped.
    pub clipped: f64,
    /// The spectral estimate held nothing; the column is what the other topics left over.
    pub degenerate: bool,
    /// Its weight came out below 1e-4 and was lifted to that.
    pub lifted: bool,
    /// Documents' worth of evidence: its weight times the number of documents, which for an
    /// unpolished estimate is the effective number of the triple moment.
    pub documents: f64,
    /// What is known about its errors; `None` when the fit was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<TopicTrust>,
}

/// What is known about the errors of one topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopicTrust {
    /// How clearly the directions it is made of stand out of the noise: their z-scores, by their
    /// share in it. `None` when those are not known.
    pub z: Option<f64>,
    /// The topic most like it; `None` when there is no other.
    pub nearest: Option<Nearest>,
    /// The fewest documents that hold half of it.
    pub driven: Driven,
    /// Whether it comes back when halves of the documents are learned anew; `None` when the halves
    /// are too small to be learned, or nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halves: Option<Halves>,
    /// How it moves when groups of documents are left out; `None` when there are too few different
    /// documents, or the method leaves no way to tell.
    pub stability: Option<Stability>,
}

/// What independent halves of the documents, each learned from scratch, make of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Halves {
    /// How many of its ten likeliest words are among the ten likeliest in both halves: from 0 to
    /// 10, the mean over the splits.
    pub found_again: f64,
    /// How many of them are on average in one half of it and in the other half of *another* topic: what
    /// returns by chance. All, in a split whose halves are no nearer to each other than to another topic.
    /// 0 in files from before it was measured.
    #[serde(default)]
    pub by_chance: f64,
    /// The L1 distance between what the two halves make of it: from 0 to 2, the mean over the splits.
    pub half_distance: f64,
    /// How often the documents were split into two halves.
    pub n_splits: usize,
    /// Documents in both halves together; fewer than there are where halves are samples.
    pub n_documents: usize,
}

impl Halves {
    /// Whether the topic can be counted on. One split is believed less than the mean of several.
    pub fn standing(&self) -> Standing {
        let once = self.n_splits < 2 && self.found_again < REPRODUCES_ONCE;
        match Standing::of(self.found_again, self.by_chance) {
            Standing::Reproduces if once => Standing::Partly,
            standing => standing,
        }
    }

    /// The same as a sentence.
    pub fn sentence(&self) -> String {
        let words = tenths(self.found_again);
        let mut text =
            format!("{words} of its 10 words return in independent halves of the documents");
        if self.by_chance >= WORTH_SAYING {
            let _ = write!(text, ", {} would by chance", tenths(self.by_chance));
        }
        text
    }

    /// The standing with its number, for lists; with what chance brings where that decided.
    pub fn flag(&self) -> String {
        let mut text =
            format!("{}: {} of 10 words", self.standing().name(), tenths(self.found_again));
        if Standing::of(self.found_again, self.by_chance) != Standing::of(self.found_again, 0.0) {
            let _ = write!(text, ", {} by chance", tenths(self.by_chance));
        }
        text
    }
}

/// Whether a topic comes back in independent halves of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Standing {
    /// Seven of its ten words or more return, eight where the documents were split once.
    #[serde(rename = "reproduces")]
    Reproduces,
    /// Five or more, but fewer than that.
    #[serde(rename = "partly")]
    Partly,
    /// Fewer than five, or hardly more than chance brings.
    #[serde(rename = "not found again")]
    NotFoundAgain,
}

impl Standing {
    /// That of a topic of whose ten words so many return, and so many would by chance. A topic that is
    /// found again returns by more than four tenths of what chance leaves open; where chance leaves
    /// nothing, none is.
    pub fn of(words: f64, by_chance: f64) -> Self {
        if words < PARTLY || words - by_chance <= BEYOND_CHANCE * (10.0 - by_chance) {
            Standing::NotFoundAgain
        } else if words < REPRODUCES {
            Standing::Partly
        } else {
            Standing::Reproduces
        }
    }

    /// Its name, for people and programs alike.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Reproduces => "reproduces",
            Standing::Partly => "partly",
            Standing::NotFoundAgain => "not found again",
        }
    }
}

/// A number with at most one decimal.
fn tenths(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The topic most like another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Nearest {
    /// Its place, from zero.
    pub topic: usize,
    /// The L1 distance of their word probabilities, from 0 (equal) to 2 (no word in common).
    pub distance: f64,
}

/// Documents that hold a part of a topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Driven {
    /// How many.
    pub documents: usize,
    /// Their part, between 0 and 1.
    pub share: f64,
}

/// How a topic moves when groups of documents are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// The L1 distance to the truth that the standard errors of its words lead to expect.
    pub expected_error: f64,
    /// The mean L1 distance by which it moves without a group.
    pub mean_change: f64,
    /// The largest L1 distance by which it moves without a group.
    pub largest_change: f64,
    /// Without how many groups it becomes another topic.
    pub n_changed: usize,
    /// The number of groups that were left out in turn.
    pub n_groups: usize,
}

impl TopicTrust {
    fn warnings(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if let Some(nearest) = self.nearest.as_ref().filter(|nearest| nearest.distance < NEAR) {
            flags.push(format!("near-duplicate of {}", nearest.topic + 1));
        }
        let Driven { documents, share } = self.driven;
        if (1..=FEW).contains(&documents) {
            let (verb, share) = (if documents == 1 { "holds" } else { "hold" }, 100.0 * share);
            flags.push(format!("driven by few documents: {documents} {verb} {share:.0} %"));
        }
        flags
    }

    /// The same with the other topics' places in a new order.
    pub(crate) fn renumbered(&self, order: &[usize]) -> Self {
        let mut trust = self.clone();
        if let Some(nearest) = &mut trust.nearest {
            nearest.topic = order.iter().position(|&j| j == nearest.topic).unwrap_or(0);
        }
        trust
    }
}

impl TopicDiagnostics {
    /// Whether fewer than thirty documents' worth of evidence speak for the topic.
    pub fn is_weak(&self) -> bool {
        self.documents < WEAK
    }

    /// What speaks against the topic, in words; empty when there is nothing to say.
    pub fn flags(&self) -> Vec<String> {
        let doubtful = self.halves().filter(|h| h.standing() != Standing::Reproduces);
        doubtful.map(Halves::flag).into_iter().chain(self.warnings()).collect()
    }

    /// All there is to say in a list: whether it comes back in independent halves of the documents,
    /// then its warnings.
    pub fn remarks(&self) -> Vec<String> {
        self.halves().map(Halves::flag).into_iter().chain(self.warnings()).collect()
    }

    /// What speaks against it beside the halves.
    pub fn warnings(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if self.degenerate {
            flags.push("degenerate: what the other topics left over".to_owned());
        }
        if self.lifted {
            flags.push("its weight was lifted from zero".to_owned());
        }
        if self.documents < 0.5 {
            flags.push("empty: hardly any document is about it".to_owned());
        } else if self.is_weak() {
            let documents = self.documents.floor();
            flags.push(format!("weak: {documents} documents' worth of evidence"));
        }
        flags.extend(self.trust.iter().flat_map(TopicTrust::warnings));
        flags
    }

    /// What independent halves of the documents make of it; `None` when they were not asked.
    pub fn halves(&self) -> Option<&Halves> {
        self.trust.as_ref()?.halves.as_ref()
    }

    /// Whether it comes back in independent halves of the documents; `None` when they were not asked.
    pub fn standing(&self) -> Option<Standing> {
        self.halves().map(Halves::standing)
    }
}

/// Documents' worth of evidence below which a topic is called weak.
const WEAK: f64 = 30.0;

/// A topic with so many of its ten words in both halves, or more, reproduces
/// (`benches/record/found_again.md`).
const REPRODUCES: f64 = 7.0;

/// The same where the documents were split once, which says less of other splits. How it was settled, and what it is
/// worth: `benches/record/found_again.md`.
const REPRODUCES_ONCE: f64 = 8.0;

/// With fewer than so many it is not found again.
const PARTLY: f64 = 5.0;

/// The part of the words that chance does not bring of which a topic has this much at least. In drawn
/// corpora 95 of 100 invented topics lie below .35, 95 of 100 true ones above .47 (of 300 words and fewer
/// above .29): `benches/record/found_again.md`.
const BEYOND_CHANCE: f64 = 0.4;

/// Words by chance that are worth a clause.
const WORTH_SAYING: f64 = 1.0;

/// Topics closer than this in L1 are called near-duplicates: they share four fifths.
const NEAR: f64 = 0.4;

/// A topic half of which is held by so many documents or fewer is driven by them.
const FEW: usize = 3;

/// What followed the spectral estimate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolishOutcome {
    /// Nothing was asked for.
    None,
    /// EM steps for the single-topic model.
    Em {
        /// Steps taken.
        steps: usize,
        /// Whether the objective had settled.
        settled: bool,
    },
    /// Sweeps for LDA.
    Sweeps {
        /// Sweeps taken.
        sweeps: usize,
        /// Completion perplexity on held-out documents: unpolished, polished. `None` when the two
        /// were not compared: the polish was asked for, or repeated words had settled it.
        held_out: Option<[f64; 2]>,
        /// The most that so many topics could explain of how often words are repeated, when that
        /// was so little that sweeps were called for.
        #[serde(default)]
        repeats_explained: Option<f64>,
        /// By how many words of the corpus each topic was drawn towards it, where documents follow
        /// the model; `None` on text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        drawn_to_corpus: Option<f64>,
    },
    /// The unpolished estimate predicted held-out words better, or nothing could be held out.
    Declined {
        /// Completion perplexity on held-out documents: unpolished, polished.
        held_out: Option<[f64; 2]>,
    },
}

/// What a rival did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RivalOutcome {
    /// EM with restarts.
    Em {
        /// The penalised log-likelihood where each start ended.
        objectives: Vec<f64>,
        /// How many starts ended at the best of them, to `1e-5`.
        n_best: usize,
        /// Steps of the best start.
        steps: usize,
        /// Whether its objective had settled.
        settled: bool,
    },
    /// Collapsed Gibbs sampling.
    Gibbs {
        /// Sweeps in all.
        sweeps: usize,
        /// Samples averaged.
        samples: usize,
        /// The mean L1 distance, from 0 to 2, between the topics of the first half of the samples
        /// and of the second half; `None` for a single sample.
        unrest: Option<f64>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_split_asks_for_more_words_than_two() {
        let halves = |found_again: f64, n_splits: usize| Halves {
            found_again,
            by_chance: 0.0,
            half_distance: 0.5,
            n_splits,
            n_documents: 100,
        };
        assert_eq!(halves(7.0, 2).standing(), Standing::Reproduces);
        assert_eq!(halves(7.0, 1).standing(), Standing::Partly);
        assert_eq!(halves(8.0, 1).standing(), Standing::Reproduces);
        assert_eq!(halves(4.0, 1).standing(), Standing::NotFoundAgain);
        assert_eq!(halves(7.0, 1).flag(), "partly: 7 of 10 words", "chance did not decide");
    }
}
