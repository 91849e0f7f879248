//! Candidates for a model of LDA, compared on held-out documents.
//!
//! # Cost
//! Candidates learn from [`LEARNED_FROM`] counts at most, chosen by the documents' content. With fewer
//! documents the moments are noisier, which favours the sweeps of collapsed variational Bayes: where they win
//! on a sample they may gain nothing on the whole corpus, and cost time. How often that happens was not measured.

use crate::corpus::{Corpus, KeyRange};
use crate::evaluation::Judgement;
use crate::fit::accuracy::Accuracy;
use crate::moments::Counting;

/// The largest number of counts from which candidates learn; [`HELD_OUT`] times fewer judge them.
const LEARNED_FROM: usize = 1 << 22;

/// One document in this many is held out to compare the candidates.
const HELD_OUT: usize = 10;

/// At least this many documents are held out, as long as they are at most one in [`AT_MOST`].
const ENOUGH_HELD_OUT: u64 = 20;

/// At most one document in this many is held out.
const AT_MOST: u64 = 4;

/// With fewer held-out documents than this, candidates cannot be compared.
const LEAST_HELD_OUT: u64 = 5;

/// Number of sweeps after which halves of the documents can be compared: the leading words hardly change any more.
pub(crate) const ENOUGH_SWEEPS: usize = 8;

/// The polish that follows the moments, and with it the counts from which these are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Candidate {
    Unpolished,
    AsModel { sweeps: usize },
    AsText { sweeps: usize },
}

impl Candidate {
    pub(crate) fn counting(self) -> Counting {
        match self {
            Candidate::Unpolished | Candidate::AsModel { .. } => Counting::Raw,
            Candidate::AsText { .. } => Counting::Damped,
        }
    }

    /// With no more sweeps than a comparison of topics needs.
    pub(crate) fn to_compare(self) -> Self {
        match self {
            Candidate::Unpolished => self,
            Candidate::AsModel { sweeps } => {
                Candidate::AsModel { sweeps: sweeps.min(ENOUGH_SWEEPS) }
            }
            Candidate::AsText { sweeps } => Candidate::AsText { sweeps: sweeps.min(ENOUGH_SWEEPS) },
        }
    }

    pub(crate) fn accuracy(self) -> Accuracy {
        match self {
            Candidate::Unpolished => Accuracy::Result,
            Candidate::AsModel { .. } | Candidate::AsText { .. } => Accuracy::Start,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Candidate::Unpolished => "unpolished",
            Candidate::AsModel { .. } => "swept as the model has it",
            Candidate::AsText { .. } => "swept as text has it",
        }
    }
}

/// The comparison of candidates on held-out documents.
pub(crate) struct Contest {
    /// The fitted candidates with their index in the judgement; for the others, why they could not be fitted.
    pub(crate) fitted: Vec<(Candidate, Result<usize, String>)>,
    pub(crate) judged: Option<Judgement>,
    /// The fitted candidates, compared or not.
    possible: Vec<Candidate>,
    /// Why no document could be held out.
    pub(crate) too_few: Option<String>,
}

impl Contest {
    /// No comparison, with the reason.
    pub(crate) fn none(reason: String) -> Self {
        Self { fitted: Vec::new(), judged: None, possible: Vec::new(), too_few: Some(reason) }
    }

    /// The comparison of these candidates, in order.
    pub(crate) fn new(
        fitted: Vec<(Candidate, Result<usize, String>)>,
        judged: Option<Judgement>,
    ) -> Self {
        let possible = |(candidate, place): &(Candidate, Result<usize, String>)| {
            place.is_ok().then_some(*candidate)
        };
        let possible = fitted.iter().filter_map(possible).collect();
        let known = |place: usize| {
            let perplexity = judged.as_ref().and_then(|judged| judged.perplexity(place));
            perplexity.is_some_and(f64::is_finite)
        };
        let too_few = "the held-out documents share too few words with the rest";
        let entry = |(candidate, place): (Candidate, Result<usize, String>)| match place {
            Ok(place) if !known(place) => (candidate, Err(too_few.to_owned())),
            place => (candidate, place),
        };
        Self { fitted: fitted.into_iter().map(entry).collect(), judged, possible, too_few: None }
    }

    /// The candidates with a score, in order.
    fn scored(&self) -> impl Iterator<Item = (Candidate, usize)> + '_ {
        self.fitted
            .iter()
            .filter_map(|(candidate, place)| Some((*candidate, *place.as_ref().ok()?)))
    }

    /// The first candidate that none of the later ones clearly beats.
    pub(crate) fn best(&self) -> Option<Candidate> {
        let judged = self.judged.as_ref()?;
        let clearer = |best: usize, other: usize| {
            judged.ahead(other, best).is_some_and(|ahead| ahead.is_clear())
        };
        let better = |best: (Candidate, usize), other: (Candidate, usize)| {
            if clearer(best.1, other.1) { other } else { best }
        };
        self.scored().reduce(better).map(|(candidate, _)| candidate)
    }

    /// The candidate to use when no comparison was possible: the usual one, unless it could not be
    /// fitted and another could.
    pub(crate) fn or_usual(&self, usual: Candidate) -> Candidate {
        match self.possible.first() {
            Some(&first) if !self.possible.contains(&usual) => first,
            _ => usual,
        }
    }

    /// The perplexity without polish, and the best with polish.
    pub(crate) fn without_and_with(&self) -> Option<[f64; 2]> {
        let judged = self.judged.as_ref()?;
        let lowest = |polished: bool| {
            self.scored()
                .filter(|(candidate, _)| (*candidate != Candidate::Unpolished) == polished)
                .filter_map(|(_, place)| judged.perplexity(place))
                .min_by(f64::total_cmp)
        };
        Some([lowest(false)?, lowest(true)?])
    }

    /// A note for the user when candidates could not be compared.
    pub(crate) fn why_not_all(&self, chosen: Candidate) -> Option<String> {
        let chosen = chosen.name();
        if let Some(reason) = &self.too_few {
            return Some(format!("{reason}, so the estimate was left {chosen}"));
        }
        let failed = |(candidate, place): &(Candidate, Result<usize, String>)| {
            Some((*candidate, place.as_ref().err()?.clone()))
        };
        let (first, reason) = self.fitted.iter().find_map(failed)?;
        if self.scored().next().is_none() {
            return Some(format!(
                "with and without polish could not be compared without the held-out documents \
                 ({reason}), so the estimate was left {chosen}"
            ));
        }
        Some(format!(
            "the estimate {} failed without the held-out documents ({reason}), so the one {chosen} \
             was kept",
            first.name()
        ))
    }
}

/// The documents from which candidates are learned and those on which they are compared: as in
/// [`parts_of_all`], but only samples of them in a large corpus.
pub(crate) fn parts(corpus: &Corpus) -> Result<[KeyRange; 2], String> {
    let held_out = share_held_out(corpus)?;
    let most = LEARNED_FROM as f64 / corpus.n_nonzeros().max(1) as f64;
    let judging = held_out.min((most / HELD_OUT as f64).max(corpus.least_share()));
    Ok([KeyRange::between(held_out, (held_out + most).min(1.0)), KeyRange::between(0.0, judging)])
}

/// The share of the counts from which candidates learn.
pub(crate) fn share_learned_from(n_counts: usize) -> f64 {
    let kept = 1.0 - 1.0 / HELD_OUT as f64;
    (LEARNED_FROM as f64 / n_counts.max(1) as f64).min(kept)
}

/// All documents but a tenth (or more, if there are few), and that tenth: those with the lowest keys. About `most`
/// documents are held out at most. The error says why there are too few.
pub(crate) fn parts_of_all(corpus: &Corpus, most: usize) -> Result<[KeyRange; 2], String> {
    let n = corpus.facts().n_with_words().max(1);
    // Keys are as good as drawn at random, so a share of them has about that share of the documents.
    let most = (most as f64 / n as f64).max(corpus.least_share());
    let held_out = share_held_out(corpus)?.min(most);
    Ok([KeyRange::between(held_out, 1.0), KeyRange::between(0.0, held_out)])
}

/// The share of the keys that is held out.
fn share_held_out(corpus: &Corpus) -> Result<f64, String> {
    let facts = corpus.facts();
    let n = facts.n_with_words();
    let n_held_out = (n / HELD_OUT as u64).max(ENOUGH_HELD_OUT.min(n / AT_MOST));
    // Documents elsewhere may not answer for few of them.
    let least = corpus.least_share();
    if n_held_out < LEAST_HELD_OUT || least > 1.0 / AT_MOST as f64 {
        return Err(format!("{n} documents are too few to hold some out"));
    }
    Ok(facts.share_of_keys(n_held_out).max(least))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

    use super::*;
    use crate::synthetic::{LdaSource, Lengths};

    #[test]
    fn a_small_corpus_is_compared_whole_and_a_large_one_by_a_part() {
        let source = LdaSource::uniform(400, 3, 1.0, 1);
        let small = source.draw(200, &Lengths::Fixed(50), 2).0.into_key_order();
        assert_eq!(parts(&small).unwrap(), parts_of_all(&small, usize::MAX).unwrap());
        let [kept, held_out] = parts_of_all(&small, 10).unwrap().map(|part| small.part(part).1);
        assert!((1..20).contains(&held_out.len()), "{}", held_out.len());
        assert!(held_out.into_iter().chain(kept).eq(0..200));
        let large = source.draw(40_000, &Lengths::Fixed(150), 2).0.into_key_order();
        assert!(large.n_nonzeros() > LEARNED_FROM);
        let [training, test] = parts(&large).unwrap().map(|range| large.part(range).0);
        let near = |found: usize, wanted: usize| found.abs_diff(wanted) < wanted / 20;
        assert!(near(training.n_nonzeros(), LEARNED_FROM), "{}", training.n_nonzeros());
        assert!(near(test.n_nonzeros(), LEARNED_FROM / HELD_OUT), "{}", test.n_nonzeros());
        let share = share_learned_from(large.n_nonzeros());
        assert!((share - LEARNED_FROM as f64 / large.n_nonzeros() as f64).abs() < 1e-12);
        assert_eq!(share_learned_from(100), 0.9);
    }
}
