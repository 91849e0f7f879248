//! The options of a fit by their names.
//!
//! The names and their defaults are those of the command line, so that the same choices give the
//! same bytes. Python passes what was chosen; `None` leaves the library's own default, also where
//! `paper` has changed it.

use std::ops::RangeInclusive;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use svtd::choosing::{MOST_TOPICS, Sweep};
use svtd::fit::{LdaParams, SingleTopicParams};
use svtd::moments::Rows;
use svtd::rivals::{CollapsedGibbs, Em, Start};
use svtd::{Corpus, DocumentWeights, Lda, Method, Model, Polish, Scaling, SingleTopic};

use crate::waiting::Steps;

/// What a model is asked to be: a Python mapping with these keys.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Choices {
    kind: String,
    /// `None` for as many as stand out of the noise.
    n_components: Option<usize>,
    alpha0: Option<f64>,
    paper: bool,
    method: Option<String>,
    weights: Option<Weights>,
    whitening: Option<String>,
    rows: Option<String>,
    polish: Option<PolishChoice>,
    allow_fewer: bool,
    trust: bool,
    splits: Option<usize>,
    seed: u64,
    /// The classical rival that learns in place of the moments.
    rival: Option<Rival>,
}

/// A classical rival with its options, those of the other one missing.
#[derive(FromPyObject)]
enum Rival {
    #[pyo3(from_item_all)]
    Em { restarts: usize, start: String, seed: u64 },
    #[pyo3(from_item_all)]
    Gibbs { burn_in: usize, samples: usize, eta: f64, seed: u64 },
}

/// A law by its name, or a weight for each document.
#[derive(FromPyObject)]
enum Weights {
    Named(String),
    Own(Vec<f64>),
}

/// `auto`, `none`, or a number of steps.
#[derive(FromPyObject)]
enum PolishChoice {
    Number(usize),
    Named(String),
}

/// The choices as the library spells them.
pub struct Request {
    kind: Kind,
    n_topics: Option<usize>,
    alpha0: Option<f64>,
    paper: bool,
    method: Option<Method>,
    weights: Option<DocumentWeights>,
    whitening: Option<Scaling>,
    rows: Option<Rows>,
    polish: Option<Polish>,
    allow_fewer: bool,
    trust: bool,
    splits: Option<usize>,
    rival: Option<Rival>,
}

/// Which of the models.
#[derive(Clone, Copy, Debug)]
enum Kind {
    SingleTopic,
    Lda,
}

impl TryFrom<Choices> for Request {
    type Error = PyErr;

    fn try_from(choices: Choices) -> PyResult<Self> {
        let seed = choices.seed;
        let kinds = [("lda", Kind::Lda), ("single-topic", Kind::SingleTopic)];
        Ok(Request {
            kind: named("model", &choices.kind, &kinds)?,
            n_topics: choices.n_components,
            alpha0: choices.alpha0,
            paper: choices.paper,
            method: choices.method.map(|name| method(&name, seed)).transpose()?,
            weights: choices.weights.map(|weights| self::weights(weights, seed)).transpose()?,
            whitening: choices
                .whitening
                .map(|name| {
                    let known = [("scaled", Scaling::Scaled), ("plain", Scaling::Plain)];
                    named("whitening", &name, &known)
                })
                .transpose()?,
            rows: choices
                .rows
                .map(|name| {
                    named("rows", &name, &[("kept", Rows::Kept), ("removed", Rows::Removed)])
                })
                .transpose()?,
            polish: choices.polish.map(polish).transpose()?,
            allow_fewer: choices.allow_fewer,
            trust: choices.trust,
            splits: choices.splits,
            rival: choices.rival,
        })
    }
}

/// The choices on the parameters of either model.
macro_rules! apply {
    ($request:expr, $params:expr) => {{
        let (request, mut params) = ($request, $params);
        params = params.allow_fewer(request.allow_fewer).trust(request.trust);
        if let Some(splits) = request.splits {
            params = params.splits(splits);
        }
        if request.paper {
            params = params.paper();
        }
        // After `paper`, so that what is chosen explicitly wins.
        if let Some(weights) = &request.weights {
            params = params.weights(weights.clone());
        }
        if let Some(whitening) = request.whitening {
            params = params.whitening(whitening);
        }
        if let Some(method) = request.method {
            params = params.method(method);
            // `paper` removes rows from slices that only the paper's method has.
            if method != Method::Svtd {
                params = params.rows(Rows::Kept);
            }
        }
        if let Some(rows) = request.rows {
            params = params.rows(rows);
        }
        if let Some(polish) = request.polish {
            params = params.polish(polish);
        }
        params
    }};
}

/// The number of topics given, or chosen from the data with everything else as asked.
macro_rules! with_topics {
    ($request:expr, $params:expr, $corpus:expr) => {{
        let params = $params;
        match $request.n_topics {
            Some(_) => params,
            None => params.choose_topics($corpus, MOST_TOPICS)?,
        }
    }};
}

impl Request {
    /// Fits what was chosen.
    pub fn fit(&self, corpus: &Corpus, steps: &Steps) -> svtd::Result<Model> {
        let watch = |step| steps.tell(step);
        match self.kind {
            Kind::Lda => {
                let params = with_topics!(self, self.lda(), corpus);
                params.fit_watched(corpus, &watch).map(Model::Lda)
            }
            Kind::SingleTopic => {
                let params = with_topics!(self, self.single_topic(), corpus);
                params.fit_watched(corpus, &watch).map(Model::SingleTopic)
            }
        }
    }

    /// Judges every number of topics of a range.
    pub fn sweep(&self, corpus: &Corpus, range: RangeInclusive<usize>) -> svtd::Result<Sweep> {
        match self.kind {
            Kind::Lda => self.lda().sweep(corpus, range, &mut |_| {}),
            Kind::SingleTopic => self.single_topic().sweep(corpus, range, &mut |_| {}),
        }
    }

    fn lda(&self) -> LdaParams {
        let mut params = apply!(self, Lda::params(self.n_topics.unwrap_or(1)));
        if let Some(Rival::Gibbs { burn_in, samples, eta, seed }) = self.rival {
            let gibbs = CollapsedGibbs::default().burn_in(burn_in).samples(samples);
            params = params.by_gibbs(gibbs.eta(eta).seed(seed));
        }
        match self.alpha0 {
            Some(alpha0) => params.alpha0(alpha0),
            None => params,
        }
    }

    fn single_topic(&self) -> SingleTopicParams {
        let params = apply!(self, SingleTopic::params(self.n_topics.unwrap_or(1)));
        match &self.rival {
            Some(Rival::Em { restarts, start, seed }) => {
                let start = match start.as_str() {
                    "kmeans++" => Start::KMeansPlusPlus,
                    _ => Start::Random,
                };
                params.by_em(Em::default().restarts(*restarts).start(start).seed(*seed))
            }
            _ => params,
        }
    }
}

fn method(name: &str, seed: u64) -> PyResult<Method> {
    let known = [
        ("joint", Method::Joint),
        ("svtd", Method::Svtd),
        ("tensor-power", Method::TensorPower { seed }),
        ("eigenvectors", Method::Eigenvectors { seed }),
        ("singular-vectors", Method::SingularVectors { seed }),
        ("als", Method::Als { seed }),
    ];
    named("method", name, &known)
}

fn weights(weights: Weights, seed: u64) -> PyResult<DocumentWeights> {
    let name = match weights {
        Weights::Own(weights) => return Ok(DocumentWeights::Custom(weights)),
        Weights::Named(name) => name,
    };
    let known = [
        ("optimal", DocumentWeights::Optimal),
        ("paper", DocumentWeights::Paper),
        ("zou", DocumentWeights::Zou),
        ("three-words", DocumentWeights::ThreeWords { seed }),
    ];
    named("weights", &name, &known)
}

fn polish(polish: PolishChoice) -> PyResult<Polish> {
    match polish {
        PolishChoice::Number(0) => Err(PyValueError::new_err(
            "polish must be 'auto', 'none' or a number of steps of at least 1, got 0",
        )),
        PolishChoice::Number(steps) => Ok(Polish::Steps(steps)),
        PolishChoice::Named(name) => {
            named("polish", &name, &[("auto", Polish::Auto), ("none", Polish::None)])
        }
    }
}

/// The choice of this name.
fn named<T: Clone>(option: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    match known.iter().find(|(known, _)| *known == name) {
        Some((_, choice)) => Ok(choice.clone()),
        None => {
            let names: Vec<String> = known.iter().map(|(name, _)| format!("'{name}'")).collect();
            Err(PyValueError::new_err(format!(
                "{option} must be one of {}, got '{name}'",
                names.join(", ")
            )))
        }
    }
}
