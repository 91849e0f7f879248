//! A fit as programs request it: the model by its name, and the options that differ from the defaults.
//!
//! The command line and the Python package fill in a [`Request`]; it is interpreted here, so that the same options
//! give the same bytes in both.

use std::ops::RangeInclusive;

use super::{LdaParams, SingleTopicParams};
use crate::choosing::{MOST_TOPICS, Sweep};
use crate::corpus::Corpus;
use crate::decomposition::Method;
use crate::error::{Error, Result};
use crate::fit::{Sizes, Step, Workload};
use crate::model::{Kind, Lda, Learner, Model, Polish, SingleTopic};
use crate::moments::{DocumentWeights, Rows};
use crate::whitening::Scaling;

/// The options of a fit. Those not given have the library's default, or the paper's with [`paper`](Self::paper).
#[derive(Clone, Debug)]
pub struct Request {
    /// The kind of model.
    pub kind: Kind,
    /// Number of topics; `None` for as many as the data support.
    pub n_topics: Option<usize>,
    /// LDA: the sum of the Dirichlet parameter.
    pub alpha0: Option<f64>,
    /// Exactly the paper's Algorithm 2, except for options that are given.
    pub paper: bool,
    /// How the rotation is found.
    pub method: Option<Method>,
    /// The learning method: moments, EM or Gibbs.
    pub learner: Learner,
    /// How documents are weighted.
    pub weights: Option<DocumentWeights>,
    /// How words are weighted in the pair moment.
    pub whitening: Option<Scaling>,
    /// Whether slices keep their own row.
    pub rows: Option<Rows>,
    /// What follows the spectral estimate.
    pub polish: Option<Polish>,
    /// Whether fewer topics than asked for are acceptable.
    pub allow_fewer: bool,
    /// Whether the fit estimates its own errors.
    pub trust: bool,
    /// How often documents are split into halves.
    pub splits: Option<usize>,
}

impl Request {
    /// A request with all defaults.
    pub fn new(kind: Kind, n_topics: Option<usize>) -> Self {
        Self {
            kind,
            n_topics,
            alpha0: None,
            paper: false,
            method: None,
            learner: Learner::Moments,
            weights: None,
            whitening: None,
            rows: None,
            polish: None,
            allow_fewer: false,
            trust: true,
            splits: None,
        }
    }

    /// The parameters of this fit; `choosing` is called when the data must choose the number of topics.
    ///
    /// # Errors
    /// When something is chosen that the model does not have, or the data cannot choose.
    pub fn params(&self, corpus: &Corpus, choosing: impl FnOnce()) -> Result<TopicParams> {
        let params = self.params_for(self.n_topics.unwrap_or(1))?;
        if self.n_topics.is_some() {
            return Ok(params);
        }
        choosing();
        Ok(match params {
            TopicParams::Lda(params) => {
                TopicParams::Lda(params.choose_topics(corpus, MOST_TOPICS)?)
            }
            TopicParams::SingleTopic(params) => {
                TopicParams::SingleTopic(params.choose_topics(corpus, MOST_TOPICS)?)
            }
        })
    }

    /// Compares every number of topics of a range.
    ///
    /// # Errors
    /// As [`LdaParams::sweep`].
    pub fn sweep(&self, corpus: &Corpus, range: RangeInclusive<usize>) -> Result<Sweep> {
        match self.params_for(1)? {
            TopicParams::Lda(params) => params.sweep(corpus, range, &mut |_| {}),
            TopicParams::SingleTopic(params) => params.sweep(corpus, range, &mut |_| {}),
        }
    }

    /// Compares some numbers of topics, in ascending order.
    ///
    /// # Errors
    /// As [`LdaParams::sweep_of`].
    pub fn sweep_of(&self, corpus: &Corpus, numbers: &[usize]) -> Result<Sweep> {
        match self.params_for(1)? {
            TopicParams::Lda(params) => params.sweep_of(corpus, numbers, &mut |_| {}),
            TopicParams::SingleTopic(params) => params.sweep_of(corpus, numbers, &mut |_| {}),
        }
    }

    /// The parameters of a fit of `n_topics` topics with these options.
    fn params_for(&self, n_topics: usize) -> Result<TopicParams> {
        self.check()?;
        let mut params = match self.kind {
            Kind::Lda => TopicParams::Lda(Lda::params(n_topics)),
            Kind::SingleTopic => TopicParams::SingleTopic(SingleTopic::params(n_topics)),
        };
        let options = match &mut params {
            TopicParams::Lda(params) => &mut params.options,
            TopicParams::SingleTopic(params) => &mut params.options,
        };
        (options.allow_fewer, options.trust) = (self.allow_fewer, self.trust);
        options.splits = self.splits;
        options.learner = self.learner;
        if self.paper {
            options.set_paper();
        }
        // Applied after the paper's options, so that options that are given take precedence.
        if let Some(weights) = &self.weights {
            options.weights = weights.clone();
        }
        if let Some(whitening) = self.whitening {
            options.whitening = whitening;
        }
        if let Some(method) = self.method {
            options.method = method;
            // The paper removes rows from slices that only its own method uses.
            if method != Method::Svtd {
                options.rows = Rows::Kept;
            }
        }
        if let Some(rows) = self.rows {
            options.rows = rows;
        }
        if let Some(polish) = self.polish {
            options.polish = polish;
        }
        options.alpha0 = self.alpha0.or(options.alpha0);
        Ok(params)
    }

    /// Returns an error for options that the model does not have.
    fn check(&self) -> Result<()> {
        let wrong = |name, needed: &str| {
            Err(Error::Option { name, needed: needed.to_owned(), found: self.kind.to_string() })
        };
        match (self.kind, &self.learner) {
            (Kind::Lda, Learner::Em(_)) => wrong("the model that EM learns", "single-topic"),
            (Kind::SingleTopic, Learner::Gibbs(_)) => {
                wrong("the model that Gibbs sampling learns", "lda")
            }
            _ => self.kind.alpha0(self.alpha0).map(drop),
        }
    }
}

/// The parameters of either model.
#[derive(Clone, Debug)]
pub enum TopicParams {
    /// Parameters of LDA.
    Lda(LdaParams),
    /// Parameters of the single-topic model.
    SingleTopic(SingleTopicParams),
}

impl TopicParams {
    /// Learns the model, reporting each stage as it begins and continues.
    ///
    /// # Errors
    /// As [`LdaParams::fit`] and [`SingleTopicParams::fit`].
    pub fn fit_watched(&self, corpus: &Corpus, watch: &dyn Fn(Step)) -> Result<Model> {
        match self {
            TopicParams::Lda(params) => params.fit_watched(corpus, watch).map(Model::Lda),
            TopicParams::SingleTopic(params) => {
                params.fit_watched(corpus, watch).map(Model::SingleTopic)
            }
        }
    }

    /// An estimate of what a fit of a corpus of these sizes will take.
    pub fn workload(&self, sizes: Sizes) -> Workload {
        match self {
            TopicParams::Lda(params) => params.workload(sizes),
            TopicParams::SingleTopic(params) => params.workload(sizes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::model::Options;
    use crate::model::{CollapsedGibbs, Em};

    fn options(request: &Request) -> Options {
        match request.params_for(4).unwrap() {
            TopicParams::Lda(params) => params.options,
            TopicParams::SingleTopic(params) => params.options,
        }
    }

    #[test]
    fn nothing_chosen_is_the_default() {
        let lda = options(&Request::new(Kind::Lda, Some(4)));
        assert_eq!(lda, Lda::params(4).options);
        let single = options(&Request::new(Kind::SingleTopic, None));
        assert_eq!(single, SingleTopic::params(4).options);
    }

    #[test]
    fn what_is_chosen_wins_over_the_paper() {
        let paper = Request { paper: true, ..Request::new(Kind::Lda, Some(4)) };
        assert_eq!(options(&paper), Lda::params(4).paper().options);
        let chosen = Request {
            method: Some(Method::Joint),
            weights: Some(DocumentWeights::Optimal),
            polish: Some(Polish::Steps(3)),
            alpha0: Some(2.0),
            ..paper
        };
        let expected = Lda::params(4)
            .paper()
            .weights(DocumentWeights::Optimal)
            .method(Method::Joint)
            .rows(Rows::Kept)
            .polish(Polish::Steps(3))
            .alpha0(2.0);
        assert_eq!(options(&chosen), expected.options);
    }

    #[test]
    fn what_a_model_does_not_have_is_refused() {
        let single = Request::new(Kind::SingleTopic, Some(2));
        let lda = Request::new(Kind::Lda, Some(2));
        let refused = [
            Request { alpha0: Some(1.0), ..single.clone() },
            Request { learner: Learner::Gibbs(CollapsedGibbs::default()), ..single },
            Request { learner: Learner::Em(Em::default()), ..lda },
        ];
        for request in refused {
            let error = request.params_for(2).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Request, "{error}");
        }
    }
}
