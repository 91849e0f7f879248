//! The methods that are compared, each with a name and a style that are the same everywhere.
//!
//! The paper's method and the rivals of its Remark 4.5 are run as by their authors: the weights of Theorem 2.1,
//! plain whitening, no polish. Our default is shown both without and with polish.
//!
//! EM represents the earlier practice: from random starts and from the paper's estimate, with the same small
//! smoothing on every corpus. Estimating the smoothing from the corpus is ours, so the same starts with our polish
//! are shown separately ([`Contestant::OURS_OTHERWISE`]), and so is the polish from the true parameters, which no
//! method can know.

use svtd::evaluation::{
    adjusted_rand_index, most_probable, normalised_mutual_information, reconstruction_error,
    topic_error,
};
use svtd::internals::fit::polish_single_topic;
use svtd::learning::{SingleTopicParams, Step};
use svtd::linalg::Matrix;
use svtd::model::{Em, Polish, Smoothing};
use svtd::moments::DocumentWeights;
use svtd::synthetic::{Lengths, SingleTopicSource};
use svtd::whitening::Scaling;
use svtd::{Corpus, Method, Result, SingleTopic};

use svtd_report::figure::colour::{BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION};
use svtd_report::figure::{Mark, Style};

/// A method in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contestant {
    /// The paper's Algorithm 2.
    Svtd,
    /// Our default without polish.
    Joint,
    /// Our default.
    Default,
    /// Tensor power method.
    TensorPower,
    /// Eigendecomposition method.
    Eigenvectors,
    /// SVD method.
    SingularVectors,
    /// Alternating least squares.
    Als,
    /// EM, the best of ten random starts.
    Em,
    /// EM started from the paper's estimate.
    SvtdThenEm,
    /// Our polish from the same ten random starts.
    EmSmoothed,
    /// Our polish started from the paper's estimate.
    SvtdPolished,
    /// Our polish started at the true parameters: not a method but a measure of how hard the corpus is.
    Oracle,
}

impl Contestant {
    /// All methods that a user could run.
    pub const METHODS: [Contestant; 9] = [
        Contestant::Svtd,
        Contestant::TensorPower,
        Contestant::Eigenvectors,
        Contestant::SingularVectors,
        Contestant::Als,
        Contestant::Em,
        Contestant::SvtdThenEm,
        Contestant::Joint,
        Contestant::Default,
    ];

    /// Our polish from starts other than our own.
    pub const OURS_OTHERWISE: [Contestant; 2] = [Contestant::EmSmoothed, Contestant::SvtdPolished];

    /// Whether it is a method of this project.
    pub fn is_ours(self) -> bool {
        matches!(self, Contestant::Joint | Contestant::Default)
    }

    /// Whether it uses a single random direction, so that its error on a corpus depends on chance as well.
    pub fn draws_a_direction(self) -> bool {
        matches!(self, Contestant::Eigenvectors | Contestant::SingularVectors)
    }

    /// The name in tables, legends and files.
    pub fn name(self) -> &'static str {
        match self {
            Contestant::Svtd => "SVTD",
            Contestant::Joint => "default without polish",
            Contestant::Default => "default",
            Contestant::TensorPower => "tensor power",
            Contestant::Eigenvectors => "eigenvectors",
            Contestant::SingularVectors => "singular vectors",
            Contestant::Als => "ALS",
            Contestant::Em => "EM, best of 10",
            Contestant::SvtdThenEm => "SVTD, then EM",
            Contestant::EmSmoothed => "our polish, best of 10",
            Contestant::SvtdPolished => "SVTD, then our polish",
            Contestant::Oracle => "our polish from the truth",
        }
    }

    /// The style in figures.
    pub fn style(self) -> Style {
        match self {
            Contestant::Svtd => Style::line(BLUE, Mark::Disc),
            Contestant::Joint => Style::dashed(VERMILION, Mark::Square),
            Contestant::Default => Style { width: 2.4, ..Style::line(VERMILION, Mark::Diamond) },
            Contestant::TensorPower => Style::line(ORANGE, Mark::Triangle),
            Contestant::Eigenvectors => Style::line(PURPLE, Mark::Cross),
            Contestant::SingularVectors => Style::line(SKY, Mark::Down),
            Contestant::Als => Style::line(GREEN, Mark::Square),
            Contestant::Em => Style::line(BLACK, Mark::Ring),
            Contestant::SvtdThenEm => Style::dashed(BLUE, Mark::Ring),
            Contestant::EmSmoothed => Style::dashed(BLACK, Mark::Cross),
            Contestant::SvtdPolished => Style::dashed(BLUE, Mark::Cross),
            Contestant::Oracle => Style { colour: GREY, mark: Mark::None, dash: "2 3", width: 1.4 },
        }
    }

    /// The options of the fit, before the EM of [`Contestant::SvtdThenEm`]; `None` for the oracle.
    fn params(self, n_topics: usize, seed: u64) -> Option<SingleTopicParams> {
        // z-scores are not compared; one topic too few is better than no result.
        let params = SingleTopic::params(n_topics).trust(false).allow_fewer(true);
        let ten_starts = Em::default().restarts(10).seed(seed);
        let rival = |method| {
            let params = params.clone().weights(DocumentWeights::Paper).whitening(Scaling::Plain);
            params.method(method).polish(Polish::None)
        };
        Some(match self {
            Contestant::Svtd | Contestant::SvtdThenEm => params.paper(),
            Contestant::Joint => params.polish(Polish::None),
            Contestant::Default => params,
            Contestant::TensorPower => rival(Method::TensorPower { seed }),
            Contestant::Eigenvectors => rival(Method::Eigenvectors { seed }),
            Contestant::SingularVectors => rival(Method::SingularVectors { seed }),
            Contestant::Als => rival(Method::Als { seed }),
            Contestant::Em => params.by_em(ten_starts.smoothing(Smoothing::FLOOR)),
            Contestant::EmSmoothed => params.by_em(ten_starts.smoothing(Smoothing::Estimated)),
            Contestant::SvtdPolished => params.paper().polish(Polish::Auto),
            Contestant::Oracle => return None,
        })
    }

    /// What it learns from a corpus; `None` for the oracle, which does not learn.
    ///
    /// # Errors
    /// When the corpus does not support the fit.
    pub fn learn(
        self,
        corpus: &Corpus,
        n_topics: usize,
        seed: u64,
        watch: &dyn Fn(Step),
    ) -> Result<Option<Learned>> {
        let Some(params) = self.params(n_topics, seed) else { return Ok(None) };
        let model = params.fit_watched(corpus, watch)?;
        let (word_topic, weights) = (model.topics().word_topic(), model.topics().weights());
        let (word_topic, topic_weights) = match self {
            Contestant::SvtdThenEm => plain_em(corpus, word_topic, weights),
            _ => (word_topic.clone(), weights.to_vec()),
        };
        Ok(Some(Learned { word_topic, topic_weights, model }))
    }
}

/// EM with fixed smoothing, from a given start.
pub fn plain_em(corpus: &Corpus, word_topic: &Matrix, weights: &[f64]) -> (Matrix, Vec<f64>) {
    polish_single_topic(corpus, word_topic, weights, Smoothing::FLOOR)
}

/// What a contestant learned.
pub struct Learned {
    /// `M`.
    pub word_topic: Matrix,
    /// `Omega`.
    pub topic_weights: Vec<f64>,
    /// The fit behind it.
    model: SingleTopic,
}

impl Learned {
    /// The share of the spectral estimate that was clipped, mean over the topics.
    fn clipped(&self) -> f64 {
        let topics = &self.model.diagnostics().topics;
        topics.iter().map(|topic| topic.clipped).sum::<f64>() / topics.len() as f64
    }
}

/// How well a contestant did on a corpus whose truth is known.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    /// Mean L1 distance of matched topics.
    pub l1: f64,
    /// Adjusted Rand index of the clusters.
    pub ari: f64,
    /// Normalised mutual information of the clusters and the truth.
    pub nmi: f64,
    /// The paper's `Err`.
    pub err: f64,
    /// The share of the spectral estimate that was negative and clipped, mean over the topics; zero
    /// where there is no such estimate.
    pub clipped: f64,
}

/// A corpus with its truth.
pub struct Sample {
    /// The parameters from which it was generated.
    pub source: SingleTopicSource,
    /// The documents.
    pub corpus: Corpus,
    /// The topic of each document.
    pub topics: Vec<usize>,
}

impl Sample {
    /// Generates parameters and documents as in the paper.
    pub fn draw(
        n_words: usize,
        n_topics: usize,
        n_documents: usize,
        lengths: &Lengths,
        seed: u64,
    ) -> Self {
        let source = SingleTopicSource::uniform(n_words, n_topics, seed);
        // Parameters and documents must not use the same stream of random numbers.
        let (corpus, topics) = source.draw(n_documents, lengths, seed ^ 0x9e37_79b9_7f4a_7c15);
        Self { source, corpus, topics }
    }

    /// Runs a contestant and scores it.
    ///
    /// # Errors
    /// When the corpus does not support the fit.
    pub fn score(&self, contestant: Contestant, seed: u64) -> Result<Score> {
        let (truth, weights) = (&self.source.word_topic, &self.source.topic_weights);
        let learned = contestant.learn(&self.corpus, weights.len(), seed, &|_| {})?;
        let Some(learned) = learned else {
            let estimated = Smoothing::Estimated;
            let (found, shares) = polish_single_topic(&self.corpus, truth, weights, estimated);
            return Ok(self.judged(&found, &shares, &self.most_likely(&found, &shares)));
        };
        let (found, shares) = (&learned.word_topic, &learned.topic_weights);
        let clusters = if contestant == Contestant::SvtdThenEm {
            self.most_likely(found, shares)
        } else {
            most_probable(&learned.model.infer(&self.corpus)?.mixtures)
        };
        Ok(Score { clipped: learned.clipped(), ..self.judged(found, shares, &clusters) })
    }

    fn judged(&self, word_topic: &Matrix, weights: &[f64], clusters: &[usize]) -> Score {
        let (truth, true_weights) = (&self.source.word_topic, &self.source.topic_weights);
        Score {
            l1: topic_error(truth, word_topic),
            ari: adjusted_rand_index(clusters, &self.topics),
            nmi: normalised_mutual_information(clusters, &self.topics),
            err: reconstruction_error(truth, true_weights, word_topic, weights),
            clipped: 0.0,
        }
    }

    fn most_likely(&self, word_topic: &Matrix, weights: &[f64]) -> Vec<usize> {
        let score = |d: usize, j: usize| -> f64 {
            let words = self.corpus.document(d).words();
            weights[j].ln()
                + words.map(|(i, x)| f64::from(x) * word_topic[(i as usize, j)].ln()).sum::<f64>()
        };
        let best = |d: usize| {
            let scores: Vec<f64> = (0..weights.len()).map(|j| score(d, j)).collect();
            (1..scores.len()).fold(0, |best, j| if scores[j] > scores[best] { j } else { best })
        };
        (0..self.corpus.n_documents()).map(best).collect()
    }
}

/// The paper's setting: lengths from 3 to 99.
pub fn paper_lengths() -> Lengths {
    Lengths::Uniform(3..=99)
}

/// Short documents of one length, where a single pivot word carries little information.
pub fn short_lengths() -> Lengths {
    Lengths::Fixed(20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_name_and_looks_of_its_own() {
        let mut all = Contestant::METHODS.to_vec();
        all.extend(Contestant::OURS_OTHERWISE);
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                assert_ne!(a.name(), b.name());
                assert_ne!(a.style(), b.style(), "{} {}", a.name(), b.name());
            }
        }
    }

    #[test]
    fn the_oracle_is_near_the_truth_and_every_method_gets_a_score() {
        let sample = Sample::draw(30, 2, 300, &paper_lengths(), 3);
        let oracle = sample.score(Contestant::Oracle, 1).unwrap();
        assert!(oracle.l1 < 0.2, "{oracle:?}");
        for contestant in Contestant::METHODS.into_iter().chain(Contestant::OURS_OTHERWISE) {
            let score = sample.score(contestant, 1).unwrap();
            assert!(score.l1.is_finite() && (-1.0..=1.0).contains(&score.ari) && score.err >= 0.0);
            assert!((0.0..=1.0).contains(&score.nmi) && (0.0..=1.0).contains(&score.clipped));
        }
    }
}
