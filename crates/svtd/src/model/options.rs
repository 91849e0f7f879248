//! The options of a fit; stored with the model.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::kind::{DEFAULT_ALPHA0, Kind};
use super::{Choice, Learner};
use crate::corpus::Corpus;
use crate::decomposition::Method;
use crate::error::{Error, Result};
use crate::moments::{Counting, DocumentWeights, Rows, check_custom};
use crate::whitening::Scaling;

/// What follows the spectral estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Polish {
    /// Single topic: EM until it converges. LDA: sweeps of collapsed variational Bayes over the
    /// counts. Where the counts are clearly text (words repeat far more often than topics explain)
    /// they are always kept; elsewhere only if they predict held-out words better than the
    /// unpolished estimate.
    #[default]
    Auto,
    /// Nothing.
    None,
    /// This many EM steps or sweeps. For LDA there are two priors, one for text and one for
    /// documents that follow the model: where the counts are not clearly text, held-out documents
    /// decide between them.
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

    /// The defaults of LDA.
    pub(crate) fn lda(n_topics: usize) -> Self {
        Self { alpha0: Some(DEFAULT_ALPHA0), ..Self::new(n_topics) }
    }

    /// The defaults of a kind of model.
    pub(crate) fn of(kind: Kind, n_topics: usize) -> Self {
        match kind {
            Kind::Lda => Self::lda(n_topics),
            Kind::SingleTopic => Self::new(n_topics),
        }
    }

    /// The kind of model.
    pub(crate) fn kind(&self) -> Kind {
        match self.alpha0 {
            Some(_) => Kind::Lda,
            None => Kind::SingleTopic,
        }
    }

    /// The sum of the Dirichlet parameter; 0 for documents of one topic each.
    pub(crate) fn alpha0(&self) -> f64 {
        self.alpha0.unwrap_or(0.0)
    }

    /// The counts from which a fit may take its moments: damped ones where LDA is polished, because text repeats its
    /// words.
    pub(crate) fn counting(&self) -> Counting {
        match (self.kind(), self.polish) {
            (Kind::SingleTopic, _) | (_, Polish::None) => Counting::Raw,
            (Kind::Lda, _) => Counting::Damped,
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
