//! The learning method: moments, or one of the classical rivals (EM, Gibbs) with its settings. Stored with the model.

use serde::{Deserialize, Serialize};

/// The smallest smoothing, in words for each word of the vocabulary.
pub(crate) const FLOOR: f64 = 0.3;

/// The typical number of steps of a start.
const TYPICAL_STEPS: usize = 20;

/// Number of sweeps between two samples.
pub(crate) const BETWEEN_SAMPLES: usize = 10;

/// The learning method: moments, EM or Gibbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learner {
    /// The method of moments: all of this library except this module and the rivals.
    #[default]
    Moments,
    /// EM from many starts, for the single-topic model.
    Em(Em),
    /// Collapsed Gibbs sampling, for LDA.
    Gibbs(CollapsedGibbs),
}

impl Learner {
    /// Whether the method of moments learns.
    pub fn is_moments(&self) -> bool {
        *self == Learner::Moments
    }
}

/// EM with restarts.
///
/// ```
/// use svtd::SingleTopic;
/// use svtd::model::{Em, Start};
/// # let mut builder = svtd::Corpus::builder(4);
/// # for _ in 0..3 {
/// #     builder.push_document([(0, 3), (1, 2)])?;
/// #     builder.push_document([(2, 4), (3, 1)])?;
/// # }
/// # let corpus = builder.build()?;
/// let em = Em::default().restarts(5).start(Start::KMeansPlusPlus).seed(7);
/// let model = SingleTopic::params(2).by_em(em).fit(&corpus)?;
/// assert!(model.diagnostics().eigenvalues.is_empty(), "EM knows no moments");
/// # Ok::<(), svtd::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Em {
    pub(crate) restarts: usize,
    pub(crate) start: Start,
    pub(crate) seed: u64,
    #[serde(default = "classical")]
    pub(crate) smoothing: Smoothing,
}

/// The fixed smoothing, which is not estimated from the corpus.
fn classical() -> Smoothing {
    Smoothing::FLOOR
}

impl Default for Em {
    fn default() -> Self {
        Self { restarts: 10, start: Start::default(), seed: 0, smoothing: classical() }
    }
}

impl Em {
    /// The typical number of steps of all starts together.
    pub(crate) fn n_steps(&self) -> usize {
        self.restarts * TYPICAL_STEPS
    }

    /// How many starts; at least one.
    pub fn restarts(mut self, restarts: usize) -> Self {
        self.restarts = restarts;
        self
    }

    /// How starts are chosen.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// The seed for choosing them.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How strongly topics are shrunk towards the corpus; by default slightly, and equally for every corpus.
    pub fn smoothing(mut self, smoothing: Smoothing) -> Self {
        self.smoothing = smoothing;
        self
    }
}

/// Where EM starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Documents chosen with equal probability.
    #[default]
    Random,
    /// Documents chosen far from each other.
    KMeansPlusPlus,
}

/// A collapsed Gibbs sampler that learns topics.
///
/// ```
/// use svtd::Lda;
/// use svtd::model::CollapsedGibbs;
/// # let mut builder = svtd::Corpus::builder(4);
/// # for _ in 0..3 {
/// #     builder.push_document([(0, 3), (1, 2)])?;
/// #     builder.push_document([(2, 4), (3, 1)])?;
/// # }
/// # let corpus = builder.build()?;
/// let gibbs = CollapsedGibbs::default().burn_in(50).samples(5).seed(7);
/// let model = Lda::params(2).alpha0(0.5).by_gibbs(gibbs).fit(&corpus)?;
/// assert_eq!(model.alpha(), [0.25, 0.25]);
/// # Ok::<(), svtd::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CollapsedGibbs {
    pub(crate) burn_in: usize,
    pub(crate) samples: usize,
    pub(crate) eta: f64,
    pub(crate) seed: u64,
}

impl Default for CollapsedGibbs {
    fn default() -> Self {
        Self { burn_in: 200, samples: 30, eta: 0.05, seed: 0 }
    }
}

impl CollapsedGibbs {
    /// Number of sweeps before the first sample.
    pub fn burn_in(mut self, sweeps: usize) -> Self {
        self.burn_in = sweeps;
        self
    }

    /// Number of samples averaged, ten sweeps apart; at least one.
    pub fn samples(mut self, samples: usize) -> Self {
        self.samples = samples;
        self
    }

    /// The Dirichlet parameter of a topic's words, per word.
    pub fn eta(mut self, eta: f64) -> Self {
        self.eta = eta;
        self
    }

    /// The seed of the random generator.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Number of sweeps in all.
    pub(crate) fn n_sweeps(&self) -> usize {
        self.burn_in + self.samples * BETWEEN_SAMPLES
    }
}

/// How strongly EM shrinks topics towards the corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Smoothing {
    /// Estimated from the corpus by how similar its topics are.
    #[default]
    Estimated,
    /// This many words for each word of the vocabulary, whatever the corpus.
    Fixed(f64),
}

impl Smoothing {
    /// The smallest smoothing that is ever estimated, the same for every corpus.
    pub const FLOOR: Smoothing = Smoothing::Fixed(FLOOR);
}
