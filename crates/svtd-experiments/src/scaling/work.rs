//! The work that is timed.

use std::cell::Cell;

use svtd::decomposition::rivals::{als, tensor_power};
use svtd::learning::{Stage, Step};
use svtd::moments::{Counting, DocumentWeights, Rows, SingleTopicMoments};
use svtd::synthetic::{Lengths, SingleTopicSource};
use svtd::whitening::{Scaling, Whitening};
use svtd::{Corpus, Error, Method, Moments, Result};

use super::{Axes, Seconds};
use crate::clock::{self, timed};
use crate::contestants::Contestant;
use crate::remembered::Remembered;
use crate::seeds::seed;

/// Number of components of the tensor power method that are timed where all would take too long.
pub(super) const N_COMPONENTS: usize = 4;

/// Number of rounds of ALS that are timed where all would take too long.
pub(super) const N_ROUNDS: usize = 10;

/// Number of rounds of ALS when none of its starts converges early.
pub(super) const MOST_ROUNDS: usize = als::STARTS * als::MAX_ROUNDS;

/// A corpus of the size asked for.
pub(super) fn draw(axes: Axes, size: usize, corpus: usize) -> Corpus {
    let [n, k, documents] = axes.shape(size);
    let seed = seed(&format!("scaling/{}/{size}", axes.letter()), corpus);
    let source = SingleTopicSource::zipf(n, k, 5.0, 0.5 * n as f64, 5.0, seed);
    source.draw(documents, &Lengths::NegativeBinomial { mean: 50.0, shape: 2.0 }, seed ^ 1).0
}

/// Seconds of a fit, and of finding its rotation where that is a stage of it.
pub(super) fn fit(k: usize, contestant: Contestant, corpus: &Corpus) -> Result<(f64, Option<f64>)> {
    let (rotation, whole) = timed(|| -> Result<Option<f64>> {
        let (begun, ended) = (Cell::new(None), Cell::new(None));
        let watch = |step: Step| match step.stage {
            Stage::Decomposition if begun.get().is_none() => begun.set(Some(clock::seconds())),
            Stage::Recovery if ended.get().is_none() => ended.set(Some(clock::seconds())),
            _ => {}
        };
        contestant.learn(corpus, k, seed("scaling", k), &watch)?;
        Ok(begun.get().zip(ended.get()).map(|(begun, ended): (f64, f64)| ended - begun))
    })?;
    Ok((whole, rotation?))
}

/// Whitened moments of both kinds, stored once they were computed.
pub(super) struct Prepared<'a> {
    paper: (Remembered<SingleTopicMoments<'a>>, Whitening),
    ours: (Remembered<SingleTopicMoments<'a>>, Whitening),
}

impl<'a> Prepared<'a> {
    pub(super) fn new(corpus: &'a Corpus, k: usize) -> Result<Self> {
        let whitened = |weights: DocumentWeights, scaling| -> Result<_> {
            let moments = SingleTopicMoments::estimate(corpus, &weights, Counting::Raw)?;
            let whitening = match Whitening::fit(&moments, k, scaling) {
                Err(Error::FewerTopicsVisible { visible, .. }) if visible > 0 => {
                    Whitening::fit(&moments, visible, scaling)?
                }
                outcome => outcome?,
            };
            Ok((Remembered::new(moments), whitening))
        };
        Ok(Self {
            paper: whitened(DocumentWeights::Paper, Scaling::Plain)?,
            ours: whitened(DocumentWeights::Optimal, Scaling::Scaled)?,
        })
    }

    /// Seconds of the decomposition alone; `None` for methods without their own.
    pub(super) fn decompose(&self, contestant: Contestant, seed: u64) -> Result<Option<f64>> {
        let (method, rows) = match contestant {
            Contestant::Svtd => (Method::Svtd, Rows::Removed),
            Contestant::TensorPower => (Method::TensorPower { seed }, Rows::Kept),
            Contestant::Eigenvectors => (Method::Eigenvectors { seed }, Rows::Kept),
            Contestant::SingularVectors => (Method::SingularVectors { seed }, Rows::Kept),
            Contestant::Als => (Method::Als { seed }, Rows::Kept),
            Contestant::Joint => (Method::Joint, Rows::Kept),
            _ => return Ok(None),
        };
        let (moments, whitening) =
            if contestant == Contestant::Joint { &self.ours } else { &self.paper };
        // What it will need is computed beforehand; the long ones need only the cube.
        match contestant {
            Contestant::TensorPower | Contestant::Als => {
                moments.third_whitened(whitening.basis());
            }
            _ => {
                method.decompose(moments, whitening, rows);
            }
        }
        Ok(Some(timed(|| method.decompose(moments, whitening, rows))?.1))
    }

    /// Seconds of the decomposition alone, extrapolated from a part: some components of the tensor power method,
    /// each found after deflation of its predecessors; some rounds of the first start of ALS, out of all rounds.
    /// `None` for the others.
    pub(super) fn part(&self, contestant: Contestant, seed: u64) -> Result<Option<Seconds>> {
        let (moments, whitening) = &self.paper;
        let cube = moments.third_whitened(whitening.basis());
        let (seconds, share) = match contestant {
            Contestant::TensorPower => {
                let components = || tensor_power::Deflation::new(&cube, seed).take(N_COMPONENTS);
                let (found, seconds) = timed(|| components().count())?;
                (seconds, found as f64 / cube.side() as f64)
            }
            Contestant::Als => {
                let seconds = timed(|| als::misfit_after(&cube, seed, N_ROUNDS))?.1;
                (seconds, N_ROUNDS as f64 / MOST_ROUNDS as f64)
            }
            _ => return Ok(None),
        };
        Ok(Some(Seconds { value: seconds / share, share }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_says_how_much_of_the_work_it_is() {
        let source = SingleTopicSource::uniform(30, 5, 1);
        let corpus = source.draw(200, &Lengths::Fixed(40), 2).0;
        let prepared = Prepared::new(&corpus, 5).unwrap();
        let part = |contestant| prepared.part(contestant, 3).unwrap();
        let (power, als) = (part(Contestant::TensorPower), part(Contestant::Als));
        assert_eq!(power.unwrap().share, N_COMPONENTS as f64 / 5.0);
        assert_eq!(als.unwrap().share, N_ROUNDS as f64 / MOST_ROUNDS as f64);
        assert!(power.unwrap().value > 0.0 && als.unwrap().value > 0.0);
        assert_eq!(part(Contestant::Svtd), None);
        assert!(prepared.decompose(Contestant::Svtd, 3).unwrap().is_some());
        assert!(prepared.decompose(Contestant::Em, 3).unwrap().is_none());
    }
}
