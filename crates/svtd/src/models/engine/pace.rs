//! How much of a search is done, for whoever watches it.
//!
//! To go from `k - 1` to `k` components about `k` splits are tried with `k` components each, and a few of them are
//! converged: work that grows as `k (k + 10)`. A number of components that is searched in full, with its starts and
//! moves, takes several times as much. Within it the starts are done first; how many rounds of moves follow is not
//! known, so each is reported as a part of what is left. The work is counted in steps of EM. It is a rough estimate,
//! because nobody knows in advance how many steps a climb needs.

/// Converging the best candidates takes as much work as trying this many for a few steps.
const CONVERGED: usize = 10;

/// A search in full for one number of components takes as much work as this many rungs of the ladder.
const SEARCHED: usize = 6;

/// The share of the starts in a full search, and the share of the rest that is left after a round of moves.
const STARTS: f64 = 0.2;
const LEFT: f64 = 0.6;

/// Shares are reported as this many parts of the whole.
const PARTS: usize = 1000;

type Watch<'a> = Option<&'a (dyn Fn(usize, usize) + Sync)>;

/// The work of one number of components within that of all.
pub(super) struct Pace<'a> {
    watch: Watch<'a>,
    before: usize,
    own: usize,
    total: usize,
}

impl<'a> Pace<'a> {
    /// The work of `k` components on the way to `last`, of which all are `searched` or only the last.
    pub(super) fn of(k: usize, last: usize, searched: bool, watch: Watch<'a>) -> Self {
        let work = |j: usize| {
            let full = searched || j == last;
            j * (j + CONVERGED) * if full { SEARCHED } else { 1 }
        };
        Self {
            watch,
            before: (1..k).map(work).sum(),
            own: work(k),
            total: (1..=last).map(work).sum(),
        }
    }

    /// Reports that nothing of it is done.
    pub(super) fn begun(&self) {
        self.report(0.0);
    }

    /// Reports that the starts are converged and so many rounds of moves are made.
    pub(super) fn moved(&self, rounds: usize) {
        self.report(1.0 - (1.0 - STARTS) * LEFT.powi(rounds.min(1000) as i32));
    }

    /// Reports that all of it is done.
    pub(super) fn done(&self) {
        self.report(1.0);
    }

    fn report(&self, share: f64) {
        if let Some(watch) = self.watch {
            let done = (self.before as f64 + share * self.own as f64) / self.total as f64;
            watch((done * PARTS as f64) as usize, PARTS);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn the_share_rises_with_the_work_from_nothing_to_all() {
        let reported = Mutex::new(Vec::new());
        let watch = |done: usize, of: usize| reported.lock().unwrap().push(done as f64 / of as f64);
        for k in 1..=30 {
            let pace = Pace::of(k, 30, true, Some(&watch));
            pace.begun();
            (0..4).for_each(|rounds| pace.moved(rounds));
            pace.done();
        }
        let reported = reported.into_inner().unwrap();
        assert!(reported.is_sorted(), "{reported:?}");
        assert_eq!((reported.first(), reported.last()), (Some(&0.0), Some(&1.0)));
        // Half of the numbers of components are far less than half of the work.
        assert!(reported[reported.len() / 2] < 0.25, "{reported:?}");
        // Where only the last is searched, it takes more than all others alone.
        let last = Pace::of(5, 5, false, None);
        assert!(last.own > last.before, "{} of {}", last.own, last.total);
    }
}
