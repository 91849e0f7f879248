//! The options of a fit by their names.
//!
//! The names and their defaults are those of the command line, so that the same choices give the same bytes. Python
//! passes what was chosen; `None` keeps the library's default, or what `paper` has set.

use std::ops::RangeInclusive;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use svtd::choosing::{Check, CheckOptions, Sweep};
use svtd::model::{CollapsedGibbs, Em, Kind, Learner, Polish, Start};
use svtd::moments::{DocumentWeights, Rows};
use svtd::whitening::Scaling;
use svtd::{Corpus, Method, Model};

use crate::waiting::Steps;

/// The options of a fit: a Python mapping with these keys.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Choices {
    kind: String,
    /// `None` where the data choose the number of topics.
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
    /// The classical rival that learns instead of the method of moments.
    rival: Option<Rival>,
}

/// A classical rival with its options; those of the other rival are missing.
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

/// The choices as options of the library.
pub struct Request(svtd::learning::Request);

impl TryFrom<Choices> for Request {
    type Error = PyErr;

    fn try_from(choices: Choices) -> PyResult<Self> {
        let seed = choices.seed;
        let kind = kind(&choices.kind)?;
        Ok(Request(svtd::learning::Request {
            alpha0: choices.alpha0,
            paper: choices.paper,
            method: choices.method.map(|name| method(&name, seed)).transpose()?,
            learner: choices.rival.map_or(Learner::Moments, Rival::learner),
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
            ..svtd::learning::Request::new(kind, choices.n_components)
        }))
    }
}

impl Request {
    /// Fits the model.
    pub fn fit(&self, corpus: &Corpus, steps: &Steps) -> svtd::Result<Model> {
        self.0.params(corpus, || {})?.fit_watched(corpus, &|step| steps.tell(step))
    }

    /// What can be learned from a corpus, for a fit of this many topics.
    pub fn check(&self, corpus: &Corpus, n_topics: Option<usize>) -> svtd::Result<Check> {
        let (kind, alpha0) = (self.0.kind, self.0.alpha0);
        Check::of(corpus, &CheckOptions { kind, alpha0, n_topics })
    }

    /// Compares every number of topics of a range.
    pub fn sweep(&self, corpus: &Corpus, range: RangeInclusive<usize>) -> svtd::Result<Sweep> {
        self.0.sweep(corpus, range)
    }
}

impl Rival {
    fn learner(self) -> Learner {
        match self {
            Rival::Em { restarts, start, seed } => {
                let start = match start.as_str() {
                    "kmeans++" => Start::KMeansPlusPlus,
                    _ => Start::Random,
                };
                Learner::Em(Em::default().restarts(restarts).start(start).seed(seed))
            }
            Rival::Gibbs { burn_in, samples, eta, seed } => {
                let gibbs = CollapsedGibbs::default().burn_in(burn_in).samples(samples);
                Learner::Gibbs(gibbs.eta(eta).seed(seed))
            }
        }
    }
}

/// The kind of model of this name.
pub fn kind(name: &str) -> PyResult<Kind> {
    named("model", name, &Kind::ALL.map(|kind| (kind.name(), kind)))
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
