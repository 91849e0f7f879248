//! Converged mixtures of documents under given topics, and their sums, for documents here or elsewhere.
//!
//! A document's mixture is a function of the document and of the sequence of topics it was fitted
//! to. So a holder of documents needs only these topics, and no earlier state.

use super::groups::{Groups, weighed_up};
use super::holdings::Holdings;
use super::without::Own;
use crate::corpus::Corpus;
use crate::fit::profile::Profile;
use crate::linalg::Matrix;
use crate::questions::{Holding, Order, Request, Settling, wrong_size};
use crate::stop;

/// Number of passes in which the mixtures converge under the first topics.
const SETTLING: usize = 3;

/// The largest number of successive tables of topics in one question.
const MOST_STAGES: usize = 8;

impl Settling {
    pub fn new(topics: Matrix, alpha: Vec<f64>, order: Order) -> Self {
        Self { stages: vec![topics], alpha, order, nudge: 0.0 }
    }

    /// Whether the tables have consistent sizes for this many features.
    pub(crate) fn fits(&self, n: usize) -> bool {
        let k = self.alpha.len();
        (1..=MOST_STAGES).contains(&self.stages.len())
            && self.alpha.iter().all(|alpha| *alpha > 0.0)
            && self.stages.iter().all(|topics| (topics.n_rows(), topics.n_columns()) == (n, k))
    }

    /// The converged mixtures of a corpus that is here.
    pub(crate) fn of<'a>(&self, corpus: &'a Corpus) -> Profile<'a> {
        let mut profile = Profile::new(corpus, &self.stages[0], &self.alpha, self.order);
        (0..SETTLING).for_each(|_| profile.settle());
        for topics in &self.stages[1..] {
            profile.set_topics(topics);
            profile.settle();
        }
        profile
    }

    /// The sums of their last update before the topics are multiplied in, each document times its weight.
    pub(crate) fn sums(&self, corpus: &Corpus, profile: &Profile<'_>) -> Matrix {
        if self.nudge == 0.0 {
            return profile.sums(None);
        }
        let up = weighed_up((0..corpus.n_documents()).map(|d| corpus.document_key(d)));
        let weight = |up: bool| if up { 1.0 + self.nudge } else { 1.0 - self.nudge };
        let weights: Vec<f64> = up.map(weight).collect();
        profile.sums(Some(&weights))
    }
}

/// Documents with converged mixtures, here or elsewhere.
#[derive(Clone)]
pub(super) struct Settled<'a> {
    corpus: &'a Corpus,
    /// For documents here, only the last topics: the profile keeps the effect of the earlier ones.
    settling: Settling,
    here: Option<Profile<'a>>,
}

impl<'a> Settled<'a> {
    pub fn new(corpus: &'a Corpus, settling: Settling) -> Self {
        let here = (!corpus.is_elsewhere()).then(|| settling.of(corpus));
        Self { corpus, settling, here }
    }

    /// The same documents with other weights.
    pub fn nudged(&self, nudge: f64) -> Self {
        let mut nudged = self.clone();
        nudged.settling.nudge = nudge;
        nudged
    }

    /// The mixtures of documents that are here.
    pub fn profile(&self) -> Option<&Profile<'a>> {
        self.here.as_ref()
    }

    /// Updates the mixtures under other topics.
    pub fn follow(&mut self, topics: Matrix) {
        if let Some(profile) = &mut self.here {
            profile.set_topics(&topics);
            profile.settle();
            self.settling.stages.clear();
        }
        self.settling.stages.push(topics);
    }

    /// The sums `S` of the last update, features x topics.
    pub fn sums(&self) -> Matrix {
        let (mut sums, topics) = (self.unscaled(), self.topics());
        sums.for_each_column(|j, column| {
            column.iter_mut().zip(topics.column(j)).for_each(|(sum, topic)| *sum *= topic);
        });
        sums
    }

    /// The topics that follow from these sums, `(S_ij + eta_i) / (S_j + sum eta)`.
    pub fn updated(&self, eta: &[f64]) -> Matrix {
        let strength: f64 = eta.iter().sum();
        let (mut updated, topics) = (self.unscaled(), self.topics());
        updated.for_each_column(|j, column| {
            let mut total = 0.0;
            for (sum, topic) in column.iter_mut().zip(topics.column(j)) {
                *sum *= topic;
                total += *sum;
            }
            total += strength;
            column.iter_mut().zip(eta).for_each(|(sum, eta)| *sum = (*sum + eta) / total);
        });
        updated
    }

    /// The sums before the topics are multiplied in.
    fn unscaled(&self) -> Matrix {
        match &self.here {
            Some(profile) => self.settling.sums(self.corpus, profile),
            None => self.asked(),
        }
    }

    /// The sums of the documents of one group. Whether a document has converged does not depend on other
    /// documents, so those held here need no more passes.
    pub fn own(&self, groups: &Groups<'_>, g: usize) -> Own {
        let Some(profile) = &self.here else {
            return Own::of_all(Settled::new(&groups.among(g), self.settling.clone()).sums());
        };
        let documents = groups.part(g).documents(self.corpus);
        let (rows, words) = self.corpus.rows().picked_with_words(&documents, self.corpus);
        let mut sums = profile.sums_of(&documents, &rows);
        let topics = self.topics();
        sums.for_each_column(|j, column| {
            let topic = topics.column(j);
            column.iter_mut().zip(&words).for_each(|(sum, &i)| *sum *= topic[i as usize]);
        });
        Own::new(words, sums)
    }

    /// The last topics that the documents were shown.
    fn topics(&self) -> &Matrix {
        &self.settling.stages[self.settling.stages.len() - 1]
    }

    /// How much documents hold of each topic.
    pub fn holdings(&self) -> Holdings {
        let (k, settling) = (self.settling.alpha.len(), &self.settling);
        let sums = match &self.here {
            Some(profile) => Holdings::sums(self.corpus.rows(), &profile.holdings()),
            None => {
                let request = || Request::Holdings(Holding::Settled(settling.clone()));
                self.corpus.asked_or_fail(request).unwrap_or_default().sums
            }
        };
        Holdings::from_sums(sums, k)
    }

    fn asked(&self) -> Matrix {
        let request = || Request::Settled(self.settling.clone());
        let sums = self.corpus.asked_or_fail(request).unwrap_or_default().sums;
        let (n, k) = (self.settling.stages[0].n_rows(), self.settling.alpha.len());
        match sums.len() == n * k {
            true => Matrix::from_columns(n, k, sums),
            false => stop::fail(wrong_size(sums.len(), n * k)),
        }
    }
}
