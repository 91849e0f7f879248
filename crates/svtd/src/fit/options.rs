//! The options of a fit; stored with the model.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::choosing::choice::Choice;
use crate::corpus::Corpus;
use crate::decomposition::Method;
use crate::error::{Error, Result};
use crate::fit::learner::Learner;
use crate::fit::request::Kind;
use crate::moments::{DocumentWeights, Rows, check_custom};
use crate::whitening::Scaling;

/// What follows the spectral estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Polish {
    /// Single topic: EM until it converges. LDA: passes of collapsed variational Bayes over the counts, kept only
    /// if they predict held-out words better than the unpolished estimate.
    #[default]
    Auto,
    /// Nothing.
    None,
    /// This many EM steps or passes. For LDA held-out documents still decide between the two priors of the passes:
    /// that for text and that for documents that follow the model.
    Steps(usize),
}

/// The options shared by all models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// How many topics were asked for.
    pub n_topics: usize,
    /// What learns: the method of moments, or a rival, to which only `alpha0` of the options below applies.
    #[serde(skip_serializing_if = "Learner::is_moments", default)]
    pub learner: Learner,
    /// How documents are weighted.
    pub weights: DocumentWeights,
    /// How features are weighted in the pair moment.
    pub whitening: Scaling,
    /// How the rotation is found.
    pub method: Method,
    /// Whether slices keep their own row.
    pub rows: Rows,
    /// What follows the spectral estimate.
    pub polish: Polish,
    /// Whether fewer topics than asked for are acceptable when the data show no more.
    pub allow_fewer: bool,
    /// Whether the fit estimates its own errors: z-scores, error bars, verdicts.
    pub trust: bool,
    /// How often the documents are split into halves, to see which topics are found again; depends on the size of
    /// the fit if not given, never if zero.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub splits: Option<usize>,
    /// The sum of the Dirichlet parameter, for LDA.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alpha0: Option<f64>,
    /// How the number of topics was chosen, when the data chose it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chosen: Option<Choice>,
}

impl Options {
    pub(crate) fn new(n_topics: usize) -> Self {
        Self {
            n_topics,
            learner: Learner::default(),
            weights: DocumentWeights::default(),
            whitening: Scaling::default(),
            method: Method::default(),
            rows: Rows::default(),
            polish: Polish::default(),
            allow_fewer: false,
            trust: true,
            splits: None,
            alpha0: None,
            chosen: None,
        }
    }

    /// The kind of model.
    pub(crate) fn kind(&self) -> Kind {
        match self.alpha0 {
            Some(_) => Kind::Lda,
            None => Kind::SingleTopic,
        }
    }

    /// A corpus in the order of its documents' keys, and the options for documents in that order.
    ///
    /// # Errors
    /// When weights of the caller's own do not fit the documents.
    pub(crate) fn in_key_order<'a>(&self, corpus: &'a Corpus) -> Result<(Cow<'a, Corpus>, Self)> {
        let given = match &self.weights {
            DocumentWeights::Custom(weights) => {
                let lengths: Vec<f64> = corpus.lengths().iter().map(|&c| c as f64).collect();
                check_custom(weights, &lengths)?;
                Some(weights.as_slice())
            }
            _ => None,
        };
        let (corpus, order) = corpus.in_key_order(given);
        Ok((corpus, Self { weights: self.weights.of(&order), ..self.clone() }))
    }

    /// Returns an error for options that contradict each other.
    pub(crate) fn check(&self) -> Result<()> {
        if self.method != Method::Svtd && self.rows == Rows::Removed {
            return Err(Error::Option {
                name: "rows",
                needed: "kept except with method svtd, the only one that uses single slices"
                    .to_owned(),
                found: "removed".to_owned(),
            });
        }
        Ok(())
    }

    /// The options with as many topics as there are words, when more are asked for and fewer are acceptable; `None`
    /// when nothing needs to change.
    pub(crate) fn at_most(&self, n_words: usize) -> Option<Self> {
        let too_many = self.allow_fewer && self.n_topics > n_words && n_words > 0;
        too_many.then(|| Self { n_topics: n_words, ..self.clone() })
    }

    /// The options for a part of the documents, which is fitted to be compared with the whole.
    pub(crate) fn of_part(&self, documents: &[usize]) -> Self {
        let weights = self.weights.of(documents);
        Self { weights, trust: false, allow_fewer: true, ..self.clone() }
    }

    /// Exactly as in the paper: weights of Theorem 2.1, plain whitening, one pivot feature, rows removed, no
    /// polish.
    pub(crate) fn set_paper(&mut self) {
        self.weights = DocumentWeights::Paper;
        self.whitening = Scaling::Plain;
        self.method = Method::Svtd;
        self.rows = Rows::Removed;
        self.polish = Polish::None;
    }
}

/// The builder methods of all kinds of parameters.
macro_rules! shared_params {
    ($params:ident) => {
        impl $params {
            /// How documents are weighted in the moments.
            pub fn weights(mut self, weights: DocumentWeights) -> Self {
                self.options.weights = weights;
                self
            }

            /// How features are weighted before the pair moment is decomposed.
            pub fn whitening(mut self, scaling: Scaling) -> Self {
                self.options.whitening = scaling;
                self
            }

            /// How the rotation is found.
            pub fn method(mut self, method: Method) -> Self {
                self.options.method = method;
                self
            }

            /// Whether slices of the third moment keep their own row.
            pub fn rows(mut self, rows: Rows) -> Self {
                self.options.rows = rows;
                self
            }

            /// What follows the spectral estimate.
            pub fn polish(mut self, polish: Polish) -> Self {
                self.options.polish = polish;
                self
            }

            /// Accept fewer topics than asked for when the data show no more.
            pub fn allow_fewer(mut self, allow: bool) -> Self {
                self.options.allow_fewer = allow;
                self
            }

            /// Whether to look into the errors of the fit: which topics come back in halves of the
            /// documents, z-scores of the directions, standard errors of the word probabilities.
            /// Costs half a fit to two of them, and more where a fit takes a fraction of a second.
            pub fn trust(mut self, trust: bool) -> Self {
                self.options.trust = trust;
                self
            }

            /// How often the documents are split into halves, to see which topics come back in both. Two
            /// splits if not given where a fit takes under a second, one otherwise; none if zero.
            pub fn splits(mut self, splits: usize) -> Self {
                self.options.splits = Some(splits);
                self
            }

            /// Lets the data choose the number of topics, up to `limit`: the number of directions of
            /// the pair moment that stand clearly out of the noise or, where each document is about
            /// one topic, the number with the best evidence. The fitted model keeps the
            /// [`Choice`](crate::choosing::Choice). Set all other options first.
            ///
            /// # Errors
            /// When half the corpus is too small to tell signal from noise.
            pub fn choose_topics(mut self, corpus: &Corpus, limit: usize) -> Result<Self> {
                let choice = crate::choosing::choice::choose(corpus, &self.options, limit)?;
                self.options.n_topics = choice.n_topics;
                self.options.chosen = Some(choice);
                Ok(self)
            }

            /// The result of [`choose_topics`](Self::choose_topics), if it was called.
            pub fn chosen(&self) -> Option<&crate::choosing::Choice> {
                self.options.chosen.as_ref()
            }

            /// Fits every number of topics of a range and passes each spectral model to `visit`.
            ///
            /// # Errors
            /// As [`fit`](Self::fit), and when another method than the joint one is asked for.
            pub fn sweep(
                &self,
                corpus: &Corpus,
                range: std::ops::RangeInclusive<usize>,
                visit: &mut dyn FnMut(&crate::model::Model),
            ) -> Result<crate::choosing::Sweep> {
                // The number of topics cannot exceed the number of words.
                let end = (*range.end()).min(corpus.n_present().max(*range.start()));
                let numbers: Vec<usize> = (*range.start()..=end).collect();
                self.sweep_of(corpus, &numbers, visit)
            }

            /// As [`sweep`](Self::sweep), for some numbers of topics, in ascending order.
            ///
            /// # Errors
            /// As [`sweep`](Self::sweep), and when the numbers do not rise.
            pub fn sweep_of(
                &self,
                corpus: &Corpus,
                numbers: &[usize],
                visit: &mut dyn FnMut(&crate::model::Model),
            ) -> Result<crate::choosing::Sweep> {
                crate::choosing::sweep::sweep(corpus, &self.options, numbers, visit)
            }

            /// These parameters with another number of topics.
            fn of_so_many(&self, n_topics: usize) -> Self {
                let mut params = self.clone();
                params.options.n_topics = n_topics;
                params
            }

            /// An estimate of what a fit of a corpus of these sizes will take.
            pub fn workload(&self, sizes: crate::fit::Sizes) -> crate::fit::Workload {
                crate::fit::Workload::new(&self.options, sizes)
            }

            /// Exactly the paper's Algorithm 2: its weights, plain whitening, one pivot feature, rows removed, no
            /// polish.
            pub fn paper(mut self) -> Self {
                self.options.set_paper();
                self
            }
        }
    };
}

pub(crate) use shared_params;
