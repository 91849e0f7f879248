//! How long tasks take, recorded on one thread: what a fit would take on more cores can be worked out
//! from it.
//!
//! A parallel stretch is a `fork`, each of its tasks a `branch`; forks may stand within branches.
//! As long as nobody has asked for a [record] both cost one look at a flag. What is outside of every branch is work
//! that no second core can share.
//!
//! For the benchmark `cores`; nothing of it is part of a fit.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Whether a record was ever asked for: until then nobody looks further.
static EVER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static RECORD: RefCell<Option<Record>> = const { RefCell::new(None) };
}

/// The record of a thread.
struct Record {
    cores: usize,
    events: Vec<(Event, Instant)>,
}

/// What happened at a moment.
#[derive(Clone, Copy)]
enum Event {
    /// A parallel stretch begins.
    Fork,
    /// All of its tasks are done.
    Join,
    /// A task begins.
    Begin,
    /// It is done.
    End,
}

/// Work as a record tells it: stretches one after the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Stretch {
    /// Seconds that only one core can spend.
    Alone(f64),
    /// Tasks that cores may share.
    Shared(Vec<Vec<Stretch>>),
}

/// Does some work on one thread, dealt out as it would be to so many cores, and tells its stretches.
///
/// # Panics
/// If no thread can be started.
pub fn record<T: Send>(cores: usize, work: impl FnOnce() -> T + Send) -> (T, Vec<Stretch>) {
    #[expect(clippy::expect_used, reason = "a benchmark without a thread has nothing to tell")]
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    EVER.store(true, Ordering::Relaxed);
    pool.install(|| {
        RECORD.set(Some(Record { cores, events: Vec::new() }));
        let start = Instant::now();
        let result = work();
        let end = Instant::now();
        let events = RECORD.take().map(|record| record.events).unwrap_or_default();
        (result, stretches(start, &events, end))
    })
}

/// How many cores work is dealt out for.
pub(crate) fn n_cores() -> usize {
    let recorded = || RECORD.with_borrow(|record| record.as_ref().map(|record| record.cores));
    let recorded = if EVER.load(Ordering::Relaxed) { recorded() } else { None };
    recorded.unwrap_or_else(rayon::current_num_threads)
}

/// A parallel stretch.
pub(crate) fn fork<T>(work: impl FnOnce() -> T) -> T {
    between(Event::Fork, work, Event::Join)
}

/// A task of it.
pub(crate) fn branch<T>(work: impl FnOnce() -> T) -> T {
    between(Event::Begin, work, Event::End)
}

/// Two tasks side by side.
pub(crate) fn join<A: Send, B: Send>(
    left: impl FnOnce() -> A + Send,
    right: impl FnOnce() -> B + Send,
) -> (A, B) {
    fork(|| rayon::join(|| branch(left), || branch(right)))
}

#[inline]
fn between<T>(before: Event, work: impl FnOnce() -> T, after: Event) -> T {
    if !EVER.load(Ordering::Relaxed) {
        return work();
    }
    note(before);
    let result = work();
    note(after);
    result
}

#[cold]
fn note(event: Event) {
    RECORD.with_borrow_mut(|record| {
        if let Some(record) = record {
            record.events.push((event, Instant::now()));
        }
    });
}

/// Stretches from events; what is left open ends at the end.
fn stretches(start: Instant, events: &[(Event, Instant)], end: Instant) -> Vec<Stretch> {
    /// A sequence that is being told, and when its last stretch ended.
    struct Open {
        told: Vec<Stretch>,
        since: Instant,
    }
    impl Open {
        fn alone(&mut self, until: Instant) {
            let seconds = until.duration_since(self.since).as_secs_f64();
            if seconds > 0.0 {
                self.told.push(Stretch::Alone(seconds));
            }
            self.since = until;
        }
    }
    let mut sequences = vec![Open { told: Vec::new(), since: start }];
    let mut forks: Vec<Vec<Vec<Stretch>>> = Vec::new();
    for &(event, at) in events.iter().chain([&(Event::End, end)]) {
        let Some(open) = sequences.last_mut() else { break };
        match event {
            Event::Fork => {
                open.alone(at);
                forks.push(Vec::new());
            }
            Event::Begin => sequences.push(Open { told: Vec::new(), since: at }),
            Event::End => {
                open.alone(at);
                if let Some(tasks) = forks.last_mut()
                    && let Some(closed) = sequences.pop()
                {
                    tasks.push(closed.told);
                }
            }
            Event::Join => {
                if let Some(tasks) = forks.pop() {
                    open.told.push(Stretch::Shared(tasks));
                }
                open.since = at;
            }
        }
    }
    sequences.into_iter().next().map(|open| open.told).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn busy(milliseconds: u64) {
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(milliseconds) {}
    }

    fn seconds(stretches: &[Stretch]) -> f64 {
        let of = |stretch: &Stretch| match stretch {
            Stretch::Alone(seconds) => *seconds,
            Stretch::Shared(tasks) => tasks.iter().map(|task| seconds(task)).sum(),
        };
        stretches.iter().map(of).sum()
    }

    #[test]
    fn a_record_tells_what_can_be_shared_and_loses_no_time() {
        let start = Instant::now();
        let (answer, told) = record(32, || {
            busy(2);
            let cores = n_cores();
            let (left, right) = join(
                || {
                    busy(3);
                    1
                },
                || join(|| busy(1), || busy(2)).0,
            );
            busy(1);
            (cores, left, right)
        });
        let whole = start.elapsed().as_secs_f64();
        assert_eq!(answer, (32, 1, ()));
        let [Stretch::Alone(first), Stretch::Shared(tasks), Stretch::Alone(last)] = &told[..]
        else {
            panic!("{told:?}")
        };
        assert!(*first >= 0.002 && *last >= 0.001, "{told:?}");
        assert_eq!(tasks.len(), 2, "{told:?}");
        assert!(seconds(&tasks[0]) >= 0.003 && seconds(&tasks[1]) >= 0.003);
        assert!(tasks[1].iter().any(|s| matches!(s, Stretch::Shared(tasks) if tasks.len() == 2)));
        assert!(seconds(&told) >= 0.009 && seconds(&told) <= whole);
        assert_eq!(n_cores(), rayon::current_num_threads());
    }
}
