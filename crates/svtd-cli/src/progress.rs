//! Progress: the current stage, how much is done, and how long the rest will take.
//!
//! On a terminal it is one line on stderr, rewritten and finally erased; with `-v` one line for each finished
//! stage, with its seconds; otherwise nothing, so that logs stay clean.
//!
//! The work of a fit is known in advance ([`Workload`]). The speed of this machine is not, so the remaining time is
//! estimated from the speed so far, and not printed before enough work was done.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use svtd::learning::{Stage, Step, Workload};
use terminal_size::{Width, terminal_size_of};

use crate::args::Common;
use crate::terminal::cut;

/// The smallest time between two updates of the line.
const EVERY: Duration = Duration::from_millis(50);

/// The remaining time is printed only after this share of the work and this much time.
const PACE_NEEDS: (f64, Duration) = (0.02, Duration::from_millis(500));

/// Width of the bar.
const BAR: usize = 20;

/// How much to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    Silent,
    /// One line that is rewritten.
    Line,
    /// One line for each stage.
    Log,
}

impl Detail {
    /// The choice that follows from the flags and the terminal.
    pub fn chosen(common: &Common) -> Self {
        match (common.verbose, common.quiet) {
            (true, _) => Detail::Log,
            (false, false) if io::stderr().is_terminal() => Detail::Line,
            _ => Detail::Silent,
        }
    }
}

/// The stage in which a corpus is read.
const READING: &str = "reading";

/// Reports stages as they begin, continue and end. Copies report to the same place.
#[derive(Clone)]
pub struct Progress(Arc<Teller>);

struct Teller {
    detail: Detail,
    state: Mutex<State>,
}

/// What was printed so far.
struct State {
    current: Option<(&'static str, Instant)>,
    /// The width of the line on the terminal and the time at which it was written. `None` as time
    /// if the line only names the stage: then the first share replaces it at once.
    line: Option<(usize, Option<Instant>)>,
    forecast: Option<Forecast>,
}

impl Progress {
    /// Starts without a stage.
    pub fn new(detail: Detail) -> Self {
        let state = State { current: None, line: None, forecast: None };
        Self(Arc::new(Teller { detail, state: Mutex::new(state) }))
    }

    /// Starts a fit with this much work.
    pub fn expect(&self, workload: &Workload) {
        self.0.with_state(|state| state.forecast = Some(Forecast::new(workload, Instant::now())));
    }

    /// Starts a stage of the program outside the fit, of unknown length.
    pub fn begin(&self, name: &'static str) {
        self.0.with_state(|state| {
            state.forecast = None;
            self.0.enter(state, name, &format!("{name} ..."));
            state.line = state.line.map(|(width, _)| (width, None));
        });
    }

    /// Reports `done` of `of` steps of such a stage.
    pub fn portion(&self, name: &'static str, done: usize, of: usize) {
        self.0.with_state(|state| {
            let share = done as f64 / of.max(1) as f64;
            let text = line(name, share, share, state.elapsed_in(name));
            self.0.enter(state, name, &text);
        });
    }

    /// Reports that this many sites have not yet answered a question.
    pub fn waiting(&self, n_sites: usize, asked: &str) {
        const WAITING: &str = "waiting";
        self.0.with_state(|state| {
            let text = format!("{WAITING} for {n_sites} of the sites: {asked}");
            self.0.enter(state, WAITING, &text);
        });
    }

    /// Starts the stage in which a corpus is read.
    pub fn reading(&self) {
        self.begin(READING);
    }

    /// Reports how much of the corpus is read; `of` is 0 where the total is not known.
    pub fn read(&self, done: u64, of: u64) {
        self.0.with_state(|state| {
            let share = (done as f64 / of.max(1) as f64).min(1.0);
            let text = match of {
                0 => format!("{READING} ... {:.1} MB", done as f64 / 1e6),
                _ => line(READING, share, share, state.elapsed_in(READING)),
            };
            self.0.enter(state, READING, &text);
        });
    }

    /// Reports a step of the fit, as the library gives it.
    pub fn step(&self, step: Step) {
        self.0.with_state(|state| {
            let name = step.stage.name();
            let text = match &mut state.forecast {
                Some(forecast) => {
                    let share = forecast.share(step);
                    line(name, step.share(), share, forecast.since.elapsed())
                }
                None => format!("{name} ..."),
            };
            self.0.enter(state, name, &text);
        });
    }

    /// Clears the line for a message; the next step prints it again.
    pub fn make_room(&self) {
        self.0.with_state(|state| self.0.wipe(state));
    }

    /// Ends the last stage.
    pub fn finish(&self) {
        self.0.finish();
    }
}

impl State {
    /// How long this stage has been running.
    fn elapsed_in(&self, name: &str) -> Duration {
        match &self.current {
            Some((same, since)) if *same == name => since.elapsed(),
            _ => Duration::ZERO,
        }
    }
}

impl Teller {
    fn finish(&self) {
        self.with_state(|state| self.leave(state));
    }

    fn with_state(&self, act: impl FnOnce(&mut State)) {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn enter(&self, state: &mut State, name: &'static str, text: &str) {
        if state.current.is_none_or(|(current, _)| current != name) {
            self.leave(state);
            state.current = Some((name, Instant::now()));
        }
        let since = state.line.and_then(|(_, since)| since);
        let recent = since.is_some_and(|since| since.elapsed() < EVERY);
        if self.detail == Detail::Line && !recent {
            self.wipe(state);
            let columns = terminal_size_of(io::stderr()).map_or(80, |(Width(w), _)| w.into());
            // The last column is left free: some terminals break the line there.
            let text = cut(text, columns.max(10) - 1);
            let _ = write!(io::stderr(), "{text}");
            state.line = Some((text.chars().count(), Some(Instant::now())));
        }
    }

    fn leave(&self, state: &mut State) {
        self.wipe(state);
        if let Some((name, since)) = state.current.take()
            && self.detail == Detail::Log
        {
            let seconds = since.elapsed().as_secs_f64();
            let _ = writeln!(io::stderr(), "{name:<20} {seconds:8.3} s");
        }
    }

    /// Writes blanks rather than escape codes: they work on every terminal.
    fn wipe(&self, state: &mut State) {
        if let Some((width, _)) = state.line.take() {
            let _ = write!(io::stderr(), "\r{:width$}\r", "");
        }
    }
}

impl Drop for Teller {
    /// An error message must not begin after the line of a stage.
    fn drop(&mut self) {
        self.finish();
    }
}

/// The bar, the stage, and the remaining time.
fn line(name: &str, stage: f64, share: f64, elapsed: Duration) -> String {
    let filled = (share * BAR as f64).floor().min(BAR as f64) as usize;
    let bar = format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled));
    let percent = (100.0 * share).floor();
    let within = if stage > 0.0 { format!(" {:.0}%", 100.0 * stage) } else { String::new() };
    let left = remaining(share, elapsed).map_or(String::new(), |left| format!(", {left} left"));
    format!("{bar} {percent:3}%  {name}{within}{left}")
}

/// The remaining time at the speed so far, once it is known.
fn remaining(share: f64, elapsed: Duration) -> Option<String> {
    if share < PACE_NEEDS.0 || elapsed < PACE_NEEDS.1 {
        return None;
    }
    Some(duration(elapsed.as_secs_f64() * (1.0 - share) / share))
}

/// Seconds as text, no more precise than a forecast can be.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "under 1 s".to_owned(),
        s if s < 100.0 => format!("about {:.0} s", s.ceil()),
        s if s < 6000.0 => format!("about {:.0} min", (s / 60.0).ceil()),
        s => format!("about {:.1} h", s / 3600.0),
    }
}

/// How much of the work is done.
struct Forecast {
    parts: Vec<(Stage, f64)>,
    /// The current part, once one has begun.
    at: Option<usize>,
    /// The work of the finished parts; skipped parts do not count.
    done: f64,
    /// The largest share reported, so that the bar never moves back.
    shown: f64,
    since: Instant,
}

impl Forecast {
    fn new(workload: &Workload, since: Instant) -> Self {
        let parts = workload.parts.iter().map(|part| (part.stage, part.operations)).collect();
        Self { parts, at: None, done: 0.0, shown: 0.0, since }
    }

    /// The share of all work that is done at this step.
    fn share(&mut self, step: Step) -> f64 {
        let under_way = self.at.is_some_and(|at| self.parts[at].0 == step.stage);
        if !under_way {
            let after = self.at.map_or(0, |at| at + 1);
            let next = self.parts[after..].iter().position(|(stage, _)| *stage == step.stage);
            if let Some(next) = next {
                self.done += self.at.map_or(0.0, |at| self.parts[at].1);
                self.at = Some(after + next);
            }
            // A stage that the forecast does not contain does not move the bar.
            if next.is_none() {
                return self.shown;
            }
        }
        let Some(at) = self.at else { return self.shown };
        let rest: f64 = self.parts[at..].iter().map(|(_, work)| work).sum();
        let done = self.done + step.share() * self.parts[at].1;
        let total = self.done + rest;
        if total > 0.0 {
            self.shown = self.shown.max(done / total);
        }
        self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(parts: &[(Stage, f64)]) -> Forecast {
        let (at, since) = (None, Instant::now());
        Forecast { parts: parts.to_vec(), at, done: 0.0, shown: 0.0, since }
    }

    #[test]
    fn the_share_is_that_of_the_work_and_never_falls() {
        let mut forecast = forecast(&[
            (Stage::Moments, 1.0),
            (Stage::Whitening, 5.0),
            (Stage::Polish, 2.0),
            (Stage::Trust, 2.0),
        ]);
        assert_eq!(forecast.share(Stage::Moments.into()), 0.0);
        assert_eq!(forecast.share(Stage::Whitening.into()), 0.1);
        assert_eq!(forecast.share(Step::new(Stage::Whitening, 4, 10)), 0.3);
        // The iteration will take longer than was thought: the bar waits.
        assert_eq!(forecast.share(Step::new(Stage::Whitening, 5, 20)), 0.3);
        // The polish is left out: what remains is the trust.
        assert_eq!(forecast.share(Step::new(Stage::Trust, 1, 2)), 0.875);
        assert_eq!(forecast.share(Step::new(Stage::Trust, 2, 2)), 1.0);
    }

    #[test]
    fn a_stage_may_come_again_and_an_unforeseen_one_is_told_without_a_share_of_its_own() {
        let mut forecast =
            forecast(&[(Stage::Moments, 1.0), (Stage::Polish, 2.0), (Stage::Moments, 1.0)]);
        forecast.share(Stage::Moments.into());
        assert_eq!(forecast.share(Step::new(Stage::Polish, 1, 1)), 0.75);
        assert_eq!(forecast.share(Stage::Recovery.into()), 0.75);
        assert_eq!(forecast.share(Step::new(Stage::Moments, 1, 2)), 0.875);
    }

    #[test]
    fn a_line_has_the_bar_the_stage_and_what_remains() {
        let text = line("whitening", 0.4, 0.25, Duration::from_secs(10));
        assert_eq!(text, "█████░░░░░░░░░░░░░░░  25%  whitening 40%, about 30 s left");
        let early = line("moments", 0.0, 0.0, Duration::from_secs(10));
        assert_eq!(early, "░░░░░░░░░░░░░░░░░░░░   0%  moments");
        let full = line("trust", 1.0, 1.0, Duration::from_secs(10));
        assert_eq!(full, "████████████████████ 100%  trust 100%, under 1 s left");
    }

    #[test]
    fn durations_are_as_exact_as_a_forecast_can_be() {
        let said = [(0.3, "under 1 s"), (7.2, "about 8 s"), (130.0, "about 3 min")];
        for (seconds, sentence) in said {
            assert_eq!(duration(seconds), sentence);
        }
        assert_eq!(duration(9000.0), "about 2.5 h");
    }
}
