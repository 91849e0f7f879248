//! Records how long tasks take on one thread, from which the time on more cores can be simulated.
//!
//! A parallel region is a `fork`, each of its tasks a `branch`; forks may be nested in branches. Unless a [record]
//! was asked for, both cost one check of a flag. Work outside of every branch is serial.
//!
//! Used by the benchmark `cores`; it has no effect on a fit.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Whether a record was ever asked for; until then nothing else is checked.
static EVER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static RECORD: RefCell<Option<Record>> = const { RefCell::new(None) };
}

/// The record of a thread.
struct Record {
    cores: usize,
    events: Vec<(Event, Instant)>,
}

/// What happened at a point in time.
#[derive(Clone, Copy)]
enum Event {
    /// A parallel region begins.
    Fork,
    /// All of its tasks are done.
    Join,
    /// A task begins.
    Begin,
    /// A task is done.
    End,
}

/// Recorded work: stretches one after the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Stretch {
    /// Seconds of serial work.
    Alone(f64),
    /// Tasks that can run in parallel.
    Shared(Vec<Vec<Stretch>>),
}

/// Runs work on one thread, divided as it would be for `cores` cores, and returns its stretches.
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

/// The number of cores for which work is divided.
pub(crate) fn n_cores() -> usize {
    let recorded = || RECORD.with_borrow(|record| record.as_ref().map(|record| record.cores));
    let recorded = if EVER.load(Ordering::Relaxed) { recorded() } else { None };
    recorded.unwrap_or_else(rayon::current_num_threads)
}

/// Runs a parallel region.
pub(crate) fn fork<T>(work: impl FnOnce() -> T) -> T {
    between(Event::Fork, work, Event::Join)
}

/// Runs a task of a parallel region.
pub(crate) fn branch<T>(work: impl FnOnce() -> T) -> T {
    between(Event::Begin, work, Event::End)
}

/// Runs two tasks in parallel.
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

/// Stretches from events; regions still open end at `end`.
fn stretches(start: Instant, events: &[(Event, Instant)], end: Instant) -> Vec<Stretch> {
    /// A sequence under construction, and when its last stretch ended.
    struct Open {
        stretches: Vec<Stretch>,
        since: Instant,
    }
    impl Open {
        fn alone(&mut self, until: Instant) {
            let seconds = until.duration_since(self.since).as_secs_f64();
            if seconds > 0.0 {
                self.stretches.push(Stretch::Alone(seconds));
            }
            self.since = until;
        }
    }
    let mut sequences = vec![Open { stretches: Vec::new(), since: start }];
    let mut forks: Vec<Vec<Vec<Stretch>>> = Vec::new();
    for &(event, at) in events.iter().chain([&(Event::End, end)]) {
        let Some(open) = sequences.last_mut() else { break };
        match event {
            Event::Fork => {
                open.alone(at);
                forks.push(Vec::new());
            }
            Event::Begin => sequences.push(Open { stretches: Vec::new(), since: at }),
            Event::End => {
                open.alone(at);
                if let Some(tasks) = forks.last_mut()
                    && let Some(closed) = sequences.pop()
                {
                    tasks.push(closed.stretches);
                }
            }
            Event::Join => {
                if let Some(tasks) = forks.pop() {
                    open.stretches.push(Stretch::Shared(tasks));
                }
                open.since = at;
            }
        }
    }
    sequences.into_iter().next().map(|open| open.stretches).unwrap_or_default()
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
        let (answer, stretches) = record(32, || {
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
        let [Stretch::Alone(first), Stretch::Shared(tasks), Stretch::Alone(last)] = &stretches[..]
        else {
            panic!("{stretches:?}")
        };
        assert!(*first >= 0.002 && *last >= 0.001, "{stretches:?}");
        assert_eq!(tasks.len(), 2, "{stretches:?}");
        assert!(seconds(&tasks[0]) >= 0.003 && seconds(&tasks[1]) >= 0.003);
        assert!(tasks[1].iter().any(|s| matches!(s, Stretch::Shared(tasks) if tasks.len() == 2)));
        assert!(seconds(&stretches) >= 0.009 && seconds(&stretches) <= whole);
        assert_eq!(n_cores(), rayon::current_num_threads());
    }
}
