//! Describes a corpus before anything is fitted to it.
//!
//! Sizes, documents that are too short, the effective number of documents of the moments under every law of
//! weights, which documents have most of the weight, how far the pair moment is above the noise, documents and
//! words that should perhaps be dropped, and how many topics are visible. Everything is a number; the caller makes
//! the sentences.
//!
//! # Cost
//! A few passes over the counts, and approximate directions of the corpus and of its halves, few of them: a small
//! part of a fit. The tests of `-k auto` that use every document are not made here.
//!
//! # Documents elsewhere
//! Sums over all documents describe those too ([`Check::elsewhere`]).

use std::collections::BTreeMap;

use serde::Serialize;

use super::cost::FitCost;
use super::noise_level::{noise, size};
use crate::choosing::choice::glance;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::memory;
use crate::model::{Choice, Kind, Options};
use crate::moments::{Counting, DocumentWeights, MomentWeights, SingleTopicMoments};

/// One document in this many counts among the longest.
const LONGEST: usize = 100;

/// The largest number of documents, groups and words that are named.
const NAMED: usize = 5;

/// A word in at least this share of the documents occurs almost everywhere.
const EVERYWHERE: f64 = 0.8;

/// With fewer words per document than this, repetition is not expected.
const LONG_ENOUGH_TO_REPEAT: f64 = 20.0;

/// What a corpus is checked for.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// The kind of model.
    pub kind: Kind,
    /// LDA: the sum of the Dirichlet parameter; 1 if not given.
    pub alpha0: Option<f64>,
    /// The number of topics of the planned fit; as many as are visible if not given.
    pub n_topics: Option<usize>,
}

/// The description of a corpus.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// `N`, empty documents included.
    pub n_documents: usize,
    /// Words of the vocabulary.
    pub n_words: usize,
    /// Of these, words that occur.
    pub n_words_present: usize,
    /// Words that occur only once.
    pub n_words_once: usize,
    /// Tokens.
    pub n_tokens: u64,
    /// Counts that are not zero.
    pub n_nonzeros: usize,
    /// Whether the documents are elsewhere. Then the check tells nothing that needs single documents or this machine:
    /// [`copies`](Self::copies), [`longest`](Self::longest), [`weightings`](Self::weightings) and
    /// [`cost`](Self::cost) are empty, and [`counts`](Self::counts) knows no multiples.
    pub elsewhere: bool,
    /// Documents of no word, one word, two words.
    pub n_short_documents: [usize; 3],
    /// The kind of the counts.
    pub counts: CountsKind,
    /// Words that occur in almost every document, the most frequent first.
    pub frequent_words: Vec<FrequentWord>,
    /// Number of documents that are copies of another one; elsewhere, of another one of the same holder.
    pub n_copies: usize,
    /// The largest groups of equal documents.
    pub copies: Vec<Copies>,
    /// Number of documents among the longest, for `longest_share_*`.
    pub n_longest: usize,
    /// The longest documents by name.
    pub longest: Vec<LongDocument>,
    /// Results for every law of weights; empty when no document has three words.
    pub weightings: Vec<WeightingCheck>,
    /// `|M2|`, by Frobenius norm, with which the noise is to be compared.
    pub pair_size: Option<f64>,
    /// The directions that stand out of the noise; `None` when half the corpus is too small to tell.
    pub visible: Option<Choice>,
    /// What a fit will need; `None` when no fit is possible.
    pub cost: Option<FitCost>,
    /// Why no fit is possible.
    pub refusal: Option<String>,
}

/// The effect of a law of weights on the documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WeightingCheck {
    /// The law: `optimal`, `paper`, `zou` or `three-words`.
    pub law: &'static str,
    /// `1/W2`: the effective number of documents of the pair moment.
    pub effective_documents_pairs: f64,
    /// `1/W3`: the effective number of documents of the triple moment.
    pub effective_documents_triples: f64,
    /// The share of the longest documents in the weight of the pair moment.
    pub longest_share_pairs: f64,
    /// The share of the longest documents in the weight of the triple moment.
    pub longest_share_triples: f64,
    /// The expected error of the pair moment, by Frobenius norm; `None` for three drawn words.
    pub pair_noise: Option<f64>,
}

/// One of the longest documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LongDocument {
    /// Its name or number.
    pub name: String,
    /// Its number of words, with repetition.
    pub length: u64,
    /// Its share of the triple moment with the paper's weights.
    pub share_paper: f64,
    /// Its share of the triple moment with optimal weights.
    pub share_optimal: f64,
}

/// Documents with the same words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Copies {
    /// Their number.
    pub n_documents: usize,
    /// The names of the first few.
    pub names: Vec<String>,
}

/// A word that occurs almost everywhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrequentWord {
    /// The word.
    pub word: String,
    /// The share of the documents with words that contain it.
    pub share: f64,
}

/// The kind of the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountsKind {
    /// Ordinary counts of words.
    Counts,
    /// Every count is one although documents are long: presence was recorded, not counts.
    Binarised,
    /// Every count is a multiple of this number, as when weights were scaled and rounded.
    Multiples(u32),
}

impl Check {
    /// Checks a corpus.
    ///
    /// # Errors
    /// Only when `alpha0` is not positive or not for this kind of model, or documents are elsewhere and somebody does
    /// not answer: a corpus that cannot be fitted is described all the same, and [`refusal`](Self::refusal) says why.
    pub fn of(corpus: &Corpus, asked: &CheckOptions) -> Result<Self> {
        memory::caught(|| Self::of_all(corpus, asked))
    }

    fn of_all(corpus: &Corpus, asked: &CheckOptions) -> Result<Self> {
        asked.kind.alpha0(asked.alpha0)?;
        let report = corpus.report();
        let facts = corpus.facts();
        let (n_copies, copies) = match corpus.is_elsewhere() {
            true => ((facts.n_with_words() - facts.n_different) as usize, Vec::new()),
            false => copies(corpus),
        };
        let mut check = Self {
            n_documents: corpus.n_documents(),
            n_words: corpus.n_words(),
            n_words_present: corpus.n_present(),
            n_words_once: corpus.feature_totals().iter().filter(|&&t| t == 1).count(),
            n_tokens: corpus.n_tokens(),
            n_nonzeros: corpus.n_nonzeros(),
            elsewhere: corpus.is_elsewhere(),
            n_short_documents: [report.n_empty, report.n_one_word, report.n_two_words],
            counts: counts_kind(corpus),
            frequent_words: frequent_words(corpus),
            n_copies,
            copies,
            n_longest: 0,
            longest: Vec::new(),
            weightings: Vec::new(),
            pair_size: None,
            visible: None,
            cost: None,
            refusal: None,
        };
        match check.look_at_moments(corpus, asked) {
            Ok(()) => {}
            Err(unanswered @ Error::Round { .. }) => return Err(unanswered),
            Err(refusal) => check.refusal = Some(refusal.to_string()),
        }
        Ok(check)
    }

    fn look_at_moments(&mut self, corpus: &Corpus, asked: &CheckOptions) -> Result<()> {
        let law = DocumentWeights::Optimal;
        let moments = SingleTopicMoments::estimate(corpus, &law, Counting::Raw)?;
        let optimal = moments.weights().clone();
        let lengths = moments.lengths().to_vec();
        self.visible = match glance(corpus, &options(asked)) {
            Err(unanswered @ Error::Round { .. }) => return Err(unanswered),
            glance => glance.ok(),
        };
        let n_visible = self.visible.as_ref().map_or(1, |choice| choice.n_topics);
        let size = size(&moments, n_visible.min(corpus.n_present()))?;
        drop(moments);
        self.pair_size = Some(size);
        if corpus.is_elsewhere() {
            return Ok(());
        }
        let longest = longest(corpus);
        self.n_longest = longest.len();
        let paper = MomentWeights::new(&DocumentWeights::Paper, &lengths, 0.0)?;
        self.longest = name_longest(corpus, &lengths, &longest, [&paper, &optimal]);
        let zou = MomentWeights::new(&DocumentWeights::Zou, &lengths, 0.0)?;
        for (law, weights) in [("optimal", &optimal), ("paper", &paper), ("zou", &zou)] {
            let noise = noise(corpus, weights, size);
            self.weightings.push(weighting(law, weights, &lengths, &longest, Some(noise)));
        }
        // Three words drawn from every document that has them: documents of length three.
        let three: Vec<f64> = lengths.iter().map(|&c| if c < 3.0 { 0.0 } else { 3.0 }).collect();
        let drawn = MomentWeights::new(&DocumentWeights::Zou, &three, 0.0)?;
        self.weightings.push(weighting("three-words", &drawn, &three, &longest, None));
        let k = asked.n_topics.unwrap_or(n_visible).min(corpus.n_present());
        self.cost = Some(FitCost::of(corpus, k, asked.kind));
        Ok(())
    }
}

/// The options of a default fit.
fn options(asked: &CheckOptions) -> Options {
    let usual = Options::of(asked.kind, 1);
    Options { alpha0: asked.alpha0.or(usual.alpha0), ..usual }
}

fn weighting(
    law: &'static str,
    weights: &MomentWeights,
    lengths: &[f64],
    longest: &[usize],
    pair_noise: Option<f64>,
) -> WeightingCheck {
    WeightingCheck {
        law,
        effective_documents_pairs: weights.effective_documents_pairs(lengths),
        effective_documents_triples: weights.effective_documents_triples(lengths),
        longest_share_pairs: longest.iter().map(|&d| weights.share_pairs(lengths, d)).sum(),
        longest_share_triples: longest.iter().map(|&d| weights.share_triples(lengths, d)).sum(),
        pair_noise,
    }
}

/// The longest hundredth of the documents, longest first.
fn longest(corpus: &Corpus) -> Vec<usize> {
    let mut order: Vec<usize> = (0..corpus.n_documents()).collect();
    order.sort_by_key(|&d| (std::cmp::Reverse(corpus.lengths()[d]), d));
    order.truncate(corpus.n_documents().div_ceil(LONGEST));
    order
}

fn name_longest(
    corpus: &Corpus,
    lengths: &[f64],
    longest: &[usize],
    [paper, optimal]: [&MomentWeights; 2],
) -> Vec<LongDocument> {
    let named = longest.iter().take(NAMED);
    named
        .map(|&d| LongDocument {
            name: corpus.document_name(d).into_owned(),
            length: corpus.lengths()[d],
            share_paper: paper.share_triples(lengths, d),
            share_optimal: optimal.share_triples(lengths, d),
        })
        .collect()
}

fn counts_kind(corpus: &Corpus) -> CountsKind {
    let counts = (0..corpus.rows().n_rows()).flat_map(|d| corpus.rows().row(d).1);
    let factor = match corpus.is_elsewhere() {
        true => 1,
        false => counts.fold(0, |factor, &count| gcd(factor, count)),
    };
    let with_words = corpus.n_documents() - corpus.report().n_empty;
    let mean_length = corpus.n_tokens() as f64 / with_words.max(1) as f64;
    let all_one = corpus.n_tokens() == corpus.n_nonzeros() as u64;
    match factor {
        1 if all_one && mean_length >= LONG_ENOUGH_TO_REPEAT => CountsKind::Binarised,
        0 | 1 => CountsKind::Counts,
        factor => CountsKind::Multiples(factor),
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Words that most documents contain, most widespread first.
fn frequent_words(corpus: &Corpus) -> Vec<FrequentWord> {
    let facts = corpus.facts();
    let with_words = facts.n_with_words();
    let mut frequent: Vec<(usize, u64)> = (0..)
        .zip(facts.words.iter().map(|word| word.documents))
        .filter(|&(_, n)| n > 1 && n as f64 >= EVERYWHERE * with_words as f64)
        .collect();
    frequent.sort_by_key(|&(feature, n)| (std::cmp::Reverse(n), feature));
    let named = frequent.into_iter().map(|(feature, n)| FrequentWord {
        word: corpus.vocabulary().word(corpus.word_of_feature()[feature] as usize).into_owned(),
        share: n as f64 / with_words as f64,
    });
    named.collect()
}

/// The number of documents that are copies of an earlier one, and the largest groups. Empty documents do not count.
fn copies(corpus: &Corpus) -> (usize, Vec<Copies>) {
    let mut by_key: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for d in (0..corpus.n_documents()).filter(|&d| corpus.lengths()[d] > 0) {
        by_key.entry(corpus.document_key(d)).or_default().push(d);
    }
    // Equal keys almost surely mean equal documents; comparing the rows makes certain.
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for candidates in by_key.into_values().filter(|candidates| candidates.len() > 1) {
        let mut by_row: BTreeMap<(&[u32], &[u32]), Vec<usize>> = BTreeMap::new();
        candidates.iter().for_each(|&d| by_row.entry(corpus.rows().row(d)).or_default().push(d));
        groups.extend(by_row.into_values().filter(|group| group.len() > 1));
    }
    let n_copies = groups.iter().map(|group| group.len() - 1).sum();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups.truncate(NAMED);
    let name = |&d: &usize| corpus.document_name(d).into_owned();
    let named = groups.iter().map(|group| Copies {
        n_documents: group.len(),
        names: group.iter().take(NAMED).map(name).collect(),
    });
    (n_copies, named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Lengths, SingleTopicSource};

    fn corpus(documents: &[&[(u32, u32)]]) -> Corpus {
        let mut builder = Corpus::builder(6);
        for document in documents {
            builder.push_document(document.iter().copied()).unwrap();
        }
        builder.build().unwrap()
    }

    fn check(corpus: &Corpus) -> Check {
        let asked = CheckOptions { kind: Kind::SingleTopic, ..CheckOptions::default() };
        Check::of(corpus, &asked).unwrap()
    }

    /// Ten thousand documents of very unequal lengths: who holds the weight is known in advance.
    #[test]
    fn effective_documents_and_the_longest_are_those_of_the_closed_form() {
        let source = SingleTopicSource::zipf(200, 3, 5.0, 100.0, 5.0, 1);
        let (corpus, _) = source.draw(10_000, &Lengths::LogNormal { mu: 3.0, sigma: 1.2 }, 2);
        let check = check(&corpus);
        let lengths: Vec<f64> = corpus.lengths().iter().map(|&c| c as f64).collect();
        let closed_form = |tuples: &dyn Fn(f64) -> f64| {
            let total: f64 = lengths.iter().map(|&c| tuples(c)).sum();
            let squares: f64 = lengths.iter().map(|&c| tuples(c).powi(2)).sum();
            total * total / squares
        };
        let paper = check.weightings.iter().find(|w| w.law == "paper").unwrap();
        let pairs = closed_form(&|c| c * (c - 1.0));
        let triples = closed_form(&|c| c * (c - 1.0) * (c - 2.0));
        assert!((paper.effective_documents_pairs / pairs - 1.0).abs() < 1e-12);
        assert!((paper.effective_documents_triples / triples - 1.0).abs() < 1e-12);
        assert!(triples < pairs && pairs < 1000.0, "{pairs} {triples}: the longest rule");
        let mut order: Vec<usize> = (0..10_000).collect();
        order.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]).then(a.cmp(&b)));
        let names: Vec<String> = order[..5].iter().map(|d| (d + 1).to_string()).collect();
        let found: Vec<&str> = check.longest.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(found, names);
        assert_eq!(check.n_longest, 100);
        let cube = |c: f64| c * (c - 1.0) * (c - 2.0);
        let total: f64 = lengths.iter().map(|&c| cube(c)).sum();
        let top: f64 = order[..100].iter().map(|&d| cube(lengths[d])).sum();
        assert!((paper.longest_share_triples - top / total).abs() < 1e-12);
        assert!((check.longest[0].share_paper - cube(lengths[order[0]]) / total).abs() < 1e-12);
        let zou = check.weightings.iter().find(|w| w.law == "zou").unwrap();
        assert!((zou.effective_documents_triples - 10_000.0).abs() < 1e-6);
        assert!((zou.longest_share_pairs - 0.01).abs() < 1e-12);
        let optimal = check.weightings.iter().find(|w| w.law == "optimal").unwrap();
        assert!(optimal.pair_noise < paper.pair_noise && optimal.pair_noise < zou.pair_noise);
        assert_eq!(check.visible.unwrap().n_topics, 3);
    }

    #[test]
    fn copies_are_found_by_content() {
        let a: &[(u32, u32)] = &[(0, 2), (1, 1)];
        let b: &[(u32, u32)] = &[(2, 1), (3, 3)];
        let c: &[(u32, u32)] = &[(2, 1), (3, 2), (4, 1)];
        let check = check(&corpus(&[a, b, &[], a, c, b, a, &[]]));
        assert_eq!(check.n_copies, 3);
        let groups: Vec<(usize, &[String])> =
            check.copies.iter().map(|group| (group.n_documents, &group.names[..])).collect();
        assert_eq!(groups[0], (3, &["1", "4", "7"].map(String::from)[..]));
        assert_eq!(groups[1], (2, &["2", "6"].map(String::from)[..]));
    }

    #[test]
    fn words_almost_everywhere_are_named() {
        let documents: Vec<Vec<(u32, u32)>> =
            (0..10).map(|d| vec![(5, 1), (d % 4, 2 + d % 3)]).collect();
        let borrowed: Vec<&[(u32, u32)]> = documents.iter().map(Vec::as_slice).collect();
        let check = check(&corpus(&borrowed));
        assert_eq!(check.frequent_words.len(), 1);
        assert_eq!(
            (check.frequent_words[0].word.as_str(), check.frequent_words[0].share),
            ("6", 1.0)
        );
    }

    #[test]
    fn marks_and_multiples_are_not_taken_for_counts() {
        let ones: Vec<(u32, u32)> = (0..6).map(|i| (i, 1)).collect();
        let few = corpus(&[&ones, &ones]);
        assert_eq!(counts_kind(&few), CountsKind::Counts, "six words may well differ");
        let mut builder = Corpus::builder(40);
        for d in 0..9 {
            builder.push_document((0..30).map(|i| (i + d, 1))).unwrap();
        }
        assert_eq!(counts_kind(&builder.build().unwrap()), CountsKind::Binarised);
        let scaled = corpus(&[&[(0, 10), (1, 30)], &[(2, 20), (3, 10)]]);
        assert_eq!(counts_kind(&scaled), CountsKind::Multiples(10));
    }

    #[test]
    fn a_corpus_that_cannot_be_fitted_is_described_and_refused() {
        let check = check(&corpus(&[&[(0, 1)], &[(1, 1), (2, 1)]]));
        assert!(check.refusal.unwrap().starts_with("no document has three words"));
        assert_eq!(check.n_short_documents, [0, 1, 1]);
        assert!(check.weightings.is_empty() && check.cost.is_none());
    }
}
