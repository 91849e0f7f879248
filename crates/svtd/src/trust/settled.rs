//! Converged mixtures of documents under given topics, and their sums, for documents here or elsewhere.
//!
//! A document's mixture is a function of the document and of the sequence of topics it was fitted to.
//! So whoever holds the document needs only these topics, and no earlier state.

use super::groups::{Groups, weighed_up};
use super::holdings::Holdings;
use crate::corpus::Corpus;
use crate::fit::profile::Profile;
use crate::linalg::Matrix;
use crate::questions::{Holding, Order, Request, Settling, wrong_size};
use crate::stop;

/// Number of passes in which the mixtures converge under the first topics.
const SETTLING: usize = 3;

/// The largest number of tables of topics that documents are shown one after the other.
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

    /// Changes the weights of the documents.
    pub fn weigh(&mut self, nudge: f64) {
        self.settling.nudge = nudge;
    }

    /// Updates the mixtures under other topics.
    pub fn follow(&mut self, topics: &Matrix) {
        if let Some(profile) = &mut self.here {
            profile.set_topics(topics);
            profile.settle();
            self.settling.stages.clear();
        }
        self.settling.stages.push(topics.clone());
    }

    /// The sums `S` of the last update, features x topics.
    pub fn sums(&self) -> Matrix {
        let sums = match &self.here {
            Some(profile) => self.settling.sums(self.corpus, profile),
            None => self.asked(),
        };
        self.times_topics(sums)
    }

    /// The same for the documents of one group. Whether a document has converged does not depend on other
    /// documents, so those held here need no more passes.
    pub fn sums_of_group(&self, groups: &Groups<'_>, g: usize) -> Matrix {
        let group = groups.among(g);
        match &self.here {
            None => Settled::new(&group, self.settling.clone()).sums(),
            Some(profile) => {
                let documents = groups.part(g).documents(self.corpus);
                self.times_topics(profile.sums_of(&documents, group.rows()))
            }
        }
    }

    fn times_topics(&self, mut sums: Matrix) -> Matrix {
        let topics = &self.settling.stages[self.settling.stages.len() - 1];
        sums.for_each_column(|j, column| {
            column.iter_mut().zip(topics.column(j)).for_each(|(sum, topic)| *sum *= topic);
        });
        sums
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
