//! The flags of the classical rivals, EM and Gibbs.

use clap::{Args, ValueEnum};
use svtd::model::{CollapsedGibbs, Em, Start};

use super::numbers::{at_least_one, positive};

/// Flags for `--method em` and `--method gibbs`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Classical rivals")]
pub struct Classical {
    /// Method em: number of random starts, of which the best result is kept [default: 10]
    #[arg(long, value_name = "R", value_parser = at_least_one, allow_negative_numbers = true)]
    pub restarts: Option<usize>,

    /// Method em: how the documents are chosen from which the topics start [default: random]
    #[arg(long, value_enum)]
    pub start: Option<EmStart>,

    /// Method gibbs: number of sweeps before the first sample [default: 200]
    #[arg(long, value_name = "SWEEPS", value_parser = at_least_one, allow_negative_numbers = true)]
    pub burn_in: Option<usize>,

    /// Method gibbs: number of samples averaged, ten sweeps apart [default: 30]
    #[arg(long, value_name = "S", value_parser = at_least_one, allow_negative_numbers = true)]
    pub samples: Option<usize>,

    /// Method gibbs: the Dirichlet parameter of a topic's words, per word [default: 0.05]
    #[arg(long, value_name = "ETA", value_parser = positive, allow_negative_numbers = true)]
    pub eta: Option<f64>,
}

/// Where EM starts.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum EmStart {
    /// Documents chosen with equal probability.
    Random,
    /// Documents chosen far from each other (k-means++).
    #[value(name = "kmeans++")]
    KMeansPlusPlus,
}

impl Classical {
    /// The EM options of these flags.
    pub fn em(&self, seed: u64) -> Em {
        let mut em = Em::default().seed(seed);
        if let Some(restarts) = self.restarts {
            em = em.restarts(restarts);
        }
        match self.start {
            Some(EmStart::KMeansPlusPlus) => em.start(Start::KMeansPlusPlus),
            Some(EmStart::Random) => em.start(Start::Random),
            None => em,
        }
    }

    /// The sampler options of these flags.
    pub fn gibbs(&self, seed: u64) -> CollapsedGibbs {
        let mut gibbs = CollapsedGibbs::default().seed(seed);
        if let Some(burn_in) = self.burn_in {
            gibbs = gibbs.burn_in(burn_in);
        }
        if let Some(samples) = self.samples {
            gibbs = gibbs.samples(samples);
        }
        if let Some(eta) = self.eta {
            gibbs = gibbs.eta(eta);
        }
        gibbs
    }

    /// The first given flag that is for `--method em` only.
    pub fn of_em(&self) -> Option<&'static str> {
        let given = [(self.restarts.is_some(), "--restarts"), (self.start.is_some(), "--start")];
        first(&given)
    }

    /// The first given flag that is for `--method gibbs` only.
    pub fn of_gibbs(&self) -> Option<&'static str> {
        let given = [
            (self.burn_in.is_some(), "--burn-in"),
            (self.samples.is_some(), "--samples"),
            (self.eta.is_some(), "--eta"),
        ];
        first(&given)
    }
}

/// The first of these flags that was given.
pub fn first(flags: &[(bool, &'static str)]) -> Option<&'static str> {
    flags.iter().find(|(given, _)| *given).map(|(_, flag)| *flag)
}
