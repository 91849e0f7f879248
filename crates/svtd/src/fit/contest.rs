//! Candidates for a model of LDA, and how they compete on documents that none of them saw.
//!
//! # Cost
//! Candidates learn from [`LEARNED_FROM`] counts at most, chosen by the documents' content. With fewer
//! documents the moments are noisier, which speaks for the sweeps: where they win on a sample they
//! may gain nothing on the whole, and cost time. How often that happens was not measured.

use crate::corpus::Corpus;
use crate::evaluation::Completions;
use crate::moments::Counting;
use crate::whitening::TOLERANCE;

/// Counts that candidates learn from, at most, and [`HELD_OUT`] times fewer that judge them.
const LEARNED_FROM: usize = 1 << 22;

/// One document in this many is held out to judge the polish.
const HELD_OUT: usize = 10;

/// So many documents at least are held out, where they are at most one in [`AT_MOST`].
const ENOUGH_HELD_OUT: usize = 20;

/// One document in this many at most is held out.
const AT_MOST: usize = 4;

/// Fewer held-out documents than this cannot judge.
const LEAST_HELD_OUT: usize = 5;

/// To what part of the k-th eigenvalue the eigenpairs are found when candidates are compared, and
/// for topics that sweeps only start from.
pub(super) const ROUGHLY: f64 = 1e-2;

/// Sweeps after which halves of the documents can be compared: which words return is settled then.
const ENOUGH: usize = 8;

/// What follows the moments, and so which counts they are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    Unpolished,
    AsModel { sweeps: usize },
    AsText { sweeps: usize },
}

impl Candidate {
    pub(super) fn counting(self) -> Counting {
        match self {
            Candidate::Unpolished | Candidate::AsModel { .. } => Counting::Raw,
            Candidate::AsText { .. } => Counting::Damped,
        }
    }

    /// With no more sweeps than telling topics apart takes.
    pub(super) fn to_compare(self) -> Self {
        match self {
            Candidate::Unpolished => self,
            Candidate::AsModel { sweeps } => Candidate::AsModel { sweeps: sweeps.min(ENOUGH) },
            Candidate::AsText { sweeps } => Candidate::AsText { sweeps: sweeps.min(ENOUGH) },
        }
    }

    pub(super) fn tolerance(self) -> f64 {
        match self {
            Candidate::Unpolished => TOLERANCE,
            Candidate::AsModel { .. } | Candidate::AsText { .. } => ROUGHLY,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Candidate::Unpolished => "unpolished",
            Candidate::AsModel { .. } => "swept as the model has it",
            Candidate::AsText { .. } => "swept as text has it",
        }
    }
}

/// How candidates predicted held-out documents.
pub(super) struct Contest {
    pub(super) scores: Vec<(Candidate, Result<Completions, String>)>,
    /// Why no document could be held out.
    pub(super) too_few: Option<String>,
}

impl Contest {
    /// The candidates with a score, in their order.
    pub(super) fn scored(&self) -> impl Iterator<Item = (Candidate, &Completions)> + '_ {
        self.scores.iter().filter_map(|(candidate, score)| Some((*candidate, score.as_ref().ok()?)))
    }

    /// The first that none of the later ones is clearly ahead of.
    pub(super) fn best(&self) -> Option<Candidate> {
        let clearer = |best: (Candidate, &'_ Completions), other: (Candidate, &'_ Completions)| {
            let ahead = other.1.ahead_of(best.1);
            ahead.is_some_and(|ahead| ahead.is_clear())
        };
        let better = |best, other| if clearer(best, other) { other } else { best };
        self.scored().reduce(better).map(|(candidate, _)| candidate)
    }

    /// The perplexity unpolished, and the best polished.
    pub(super) fn without_and_with(&self) -> Option<[f64; 2]> {
        let lowest = |polished: bool| {
            self.scored()
                .filter(|(candidate, _)| (*candidate != Candidate::Unpolished) == polished)
                .filter_map(|(_, score)| score.total().perplexity())
                .min_by(f64::total_cmp)
        };
        Some([lowest(false)?, lowest(true)?])
    }

    /// A note for the user when candidates could not be compared.
    pub(super) fn why_not_all(&self, chosen: Candidate) -> Option<String> {
        let chosen = chosen.name();
        if let Some(reason) = &self.too_few {
            return Some(format!("{reason}, so the estimate was left {chosen}"));
        }
        let failed = |(candidate, score): &(Candidate, Result<Completions, String>)| {
            Some((*candidate, score.as_ref().err()?.clone()))
        };
        let (first, reason) = self.scores.iter().find_map(failed)?;
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

/// Documents to learn from and others to judge by, for a comparison: [`split_by_content`], and of a
/// large corpus no more than a comparison needs.
pub(super) fn parts(corpus: &Corpus) -> Result<(Vec<usize>, Vec<usize>), String> {
    let (kept, held_out) = split_by_content(corpus)?;
    let first = |documents: Vec<usize>, most: usize| -> Vec<usize> {
        let mut n_counts = 0;
        let enough = |&d: &usize| {
            n_counts += corpus.rows().row(d).0.len();
            n_counts <= most
        };
        // The corpus stands in the order of its keys, so the first are as good as drawn.
        documents.into_iter().take_while(enough).collect()
    };
    match corpus.n_nonzeros() > LEARNED_FROM {
        true => Ok((first(kept, LEARNED_FROM), first(held_out, LEARNED_FROM / HELD_OUT))),
        false => Ok((kept, held_out)),
    }
}

/// The share of so many counts that candidates learn from.
pub(super) fn share_learned_from(n_counts: usize) -> f64 {
    let kept = 1.0 - 1.0 / HELD_OUT as f64;
    (LEARNED_FROM as f64 / n_counts.max(1) as f64).min(kept)
}

/// All documents but a tenth (or some more of few), and that tenth: chosen by a hash of their content among those that
/// have words. In place of them, why there are too few.
pub(crate) fn split_by_content(corpus: &Corpus) -> Result<(Vec<usize>, Vec<usize>), String> {
    let mut order: Vec<(u64, usize)> = (0..corpus.n_documents())
        .filter(|&d| corpus.lengths()[d] > 0)
        .map(|d| (corpus.document_key(d), d))
        .collect();
    order.sort_unstable();
    let n_held_out = (order.len() / HELD_OUT).max(ENOUGH_HELD_OUT.min(order.len() / AT_MOST));
    if n_held_out < LEAST_HELD_OUT {
        return Err(format!("{} documents are too few to hold some out", order.len()));
    }
    let mut is_held_out = vec![false; corpus.n_documents()];
    order[..n_held_out].iter().for_each(|&(_, d)| is_held_out[d] = true);
    let (held_out, kept) = (0..corpus.n_documents()).partition(|&d| is_held_out[d]);
    Ok((kept, held_out))
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
        assert_eq!(parts(&small), split_by_content(&small));
        let large = source.draw(40_000, &Lengths::Fixed(150), 2).0.into_key_order();
        assert!(large.n_nonzeros() > LEARNED_FROM);
        let (kept, held_out) = parts(&large).unwrap();
        let n_counts = |documents: &[usize]| -> usize {
            documents.iter().map(|&d| large.document(d).n_distinct()).sum()
        };
        assert!((LEARNED_FROM - 400..=LEARNED_FROM).contains(&n_counts(&kept)));
        assert!(n_counts(&held_out) <= LEARNED_FROM / HELD_OUT && held_out.len() > 1000);
        assert!(held_out.iter().all(|d| kept.binary_search(d).is_err()));
        let share = share_learned_from(large.n_nonzeros());
        assert!((share - LEARNED_FROM as f64 / large.n_nonzeros() as f64).abs() < 1e-12);
        assert_eq!(share_learned_from(100), 0.9);
    }
}
