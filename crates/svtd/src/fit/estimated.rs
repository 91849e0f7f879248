//! The moments of a corpus for either kind of model.

use crate::corpus::Corpus;
use crate::error::Result;
use crate::model::{Kind, Options};
use crate::moments::{Counting, LdaMoments, Moments, SingleTopicMoments};

/// The moments of either kind of model; those of LDA with the sum of the Dirichlet parameter.
pub(crate) enum Estimated<'a> {
    SingleTopic(SingleTopicMoments<'a>),
    Lda(LdaMoments<'a>, f64),
}

impl<'a> Estimated<'a> {
    /// The moments that `options` ask for, with words counted in the given way.
    ///
    /// # Errors
    /// As [`LdaMoments::estimate`] and [`SingleTopicMoments::estimate`].
    pub fn of(corpus: &'a Corpus, options: &Options, counting: Counting) -> Result<Self> {
        let (weights, alpha0) = (&options.weights, options.alpha0());
        Ok(match options.kind() {
            Kind::Lda => {
                Estimated::Lda(LdaMoments::estimate(corpus, alpha0, weights, counting)?, alpha0)
            }
            Kind::SingleTopic => {
                Estimated::SingleTopic(SingleTopicMoments::estimate(corpus, weights, counting)?)
            }
        })
    }

    /// The moments of the model.
    pub fn moments(&self) -> &dyn Moments {
        match self {
            Estimated::SingleTopic(moments) => moments,
            Estimated::Lda(moments, _) => moments,
        }
    }

    /// The moments of Theorem 2.1, from which those of LDA are computed too.
    pub fn raw(&self) -> &SingleTopicMoments<'a> {
        match self {
            Estimated::SingleTopic(moments) => moments,
            Estimated::Lda(moments, _) => moments.raw(),
        }
    }
}
