//! Questions that build on each other: a holder keeps a state for the next question of the run.

use super::respondent::{Dealing, Respondent, SweepState, check};
use crate::choosing::evidence::dealing::{self, StepSums};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::fit::collapsed_vb::{Ledger, Mixtures, NARROW, Tallies, Tally};
use crate::linalg::Matrix;
use crate::questions::{Deal, DealRequest, Look, LookRequest, WordFacts};

impl Respondent {
    /// A step of collapsed variational Bayes; its state is kept for the next.
    pub(super) fn look(&self, corpus: &Corpus, request: &LookRequest) -> Result<Vec<u64>> {
        let LookRequest { look, order, run, turn, rates, known } = request;
        let (n, width) = (corpus.n_present(), rates.alpha.len());
        let sizes = [rates.words.len(), rates.eta.len() * width, known.len() * width];
        if sizes != [n * width; 3] || rates.inverse.len() != width || !width.is_multiple_of(NARROW)
        {
            let reason =
                "the tables of a look do not fit its words; the question is damaged".to_owned();
            return Err(Error::Round { reason });
        }
        let own = &corpus.facts().words;
        let too_small = |(known, own): (&WordFacts, &WordFacts)| {
            own.total > known.total || own.largest > known.largest
        };
        if known.iter().any(|word| word.total > u64::MAX >> 16) {
            let reason = "a word occurs impossibly often; the question is damaged".to_owned();
            return Err(Error::Round { reason });
        }
        if known.iter().zip(own).any(too_small) {
            let reason =
                "words occur more often here than the question knows; documents were added since \
                          the survey, so begin the fit anew"
                    .to_owned();
            return Err(Error::Round { reason });
        }
        let words: Vec<WordFacts> = known
            .iter()
            .zip(own)
            .map(|(known, own)| WordFacts { documents: own.documents, ..*known })
            .collect();
        let ledger = Ledger::new(&words, width);
        *self.dealing() = None;
        let mut kept = self.sweep_state();
        let mut mixtures = match (look, kept.take()) {
            (Look::WarmUp, _) => Mixtures::new(corpus.rows(), *order, width),
            (Look::Sweep, Some(kept)) if kept.run == *run && kept.turn == *turn => kept.mixtures,
            (Look::Sweep, other) => {
                *kept = other;
                return Err(missing("look", *turn, "these sweeps"));
            }
        };
        mixtures.check(corpus.rows(), *order, width)?;
        let tallies = Tallies::default();
        mixtures.look(corpus.rows(), &ledger, &tallies, rates, *look);
        *kept = Some(SweepState { run: *run, turn: turn + 1, mixtures });
        Ok(Tally::to_whole(&tallies.taken(), &ledger))
    }

    /// A step of assigning documents to topics; its state is kept for the next.
    pub(super) fn deal(&self, corpus: &Corpus, request: &DealRequest) -> Result<StepSums> {
        let DealRequest { run, turn, deal } = request;
        if self.least > 0 {
            return Err(Error::Round {
                reason: "the words of a rare topic are those of a few documents, which are not given away"
                    .to_owned(),
            });
        }
        *self.sweep_state() = None;
        let mut kept = self.dealing();
        let mut scores = match (deal, kept.take()) {
            (Deal::Begin(..), _) => Matrix::zeros(0, 0),
            (_, Some(kept)) if kept.run == *run && kept.turn == *turn => kept.scores,
            (_, other) => {
                *kept = other;
                return Err(missing("step", *turn, "dealing"));
            }
        };
        let n_topics = (!matches!(deal, Deal::Begin(..))).then(|| scores.n_columns());
        check(deal.fits(corpus.n_present(), n_topics))?;
        let sums = dealing::step(corpus, &mut scores, deal)?;
        *kept = Some(Dealing { run: *run, turn: turn + 1, scores });
        Ok(sums)
    }
}

/// The error when the state of an earlier question is not here.
fn missing(what: &str, turn: u64, of: &str) -> Error {
    Error::Round {
        reason: format!(
            "{what} {turn} of {of} needs what {what} {} left behind, which is not here; answer the questions \
             in order, with the same --state",
            turn.saturating_sub(1)
        ),
    }
}
