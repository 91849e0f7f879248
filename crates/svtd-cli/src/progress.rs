//! Progress: which stage is under way.
//!
//! On a terminal it is one line on stderr, rewritten and finally wiped; with `-v` one line for
//! each stage when it is over, with its seconds; else nothing, so that logs stay clean.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use svtd::model::Step;

use crate::args::Common;

/// How much to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    Silent,
    /// One rewritten line.
    Line,
    /// A line for each stage.
    Log,
}

impl Detail {
    /// What the flags and the terminal ask for.
    pub fn chosen(common: &Common) -> Self {
        match (common.verbose, common.quiet) {
            (true, _) => Detail::Log,
            (false, false) if io::stderr().is_terminal() => Detail::Line,
            _ => Detail::Silent,
        }
    }
}

/// Tells stages as they begin and end.
pub struct Progress {
    detail: Detail,
    current: Mutex<Option<Current>>,
}

/// The stage under way.
struct Current {
    name: &'static str,
    since: Instant,
    /// Columns of the terminal that its line takes.
    width: usize,
}

impl Progress {
    /// Begins with no stage.
    pub fn new(detail: Detail) -> Self {
        Self { detail, current: Mutex::new(None) }
    }

    /// A stage of the program around the fit.
    pub fn begin(&self, name: &'static str) {
        self.tell(name, name);
    }

    /// A stage of the fit, as the library tells it.
    pub fn step(&self, step: Step) {
        let name = step.stage.name();
        match step.done {
            0 => self.tell(name, name),
            done => self.tell(name, &format!("{name} {done}/{}", step.of)),
        }
    }

    /// A stage of which so much is done.
    pub fn portion(&self, name: &'static str, done: usize, of: usize) {
        self.tell(name, &format!("{name} {done}/{of}"));
    }

    /// No stage any more.
    pub fn finish(&self) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ended) = current.take() {
            self.end(&ended);
        }
    }

    fn tell(&self, name: &'static str, line: &str) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let since = match current.take() {
            Some(same) if same.name == name => {
                self.wipe(&same);
                same.since
            }
            Some(ended) => {
                self.end(&ended);
                Instant::now()
            }
            None => Instant::now(),
        };
        if self.detail == Detail::Line {
            let _ = write!(io::stderr(), "{line} ...");
        }
        let width = line.chars().count() + " ...".len();
        *current = Some(Current { name, since, width });
    }

    fn end(&self, ended: &Current) {
        self.wipe(ended);
        if self.detail == Detail::Log {
            let seconds = ended.since.elapsed().as_secs_f64();
            let _ = writeln!(io::stderr(), "{:<20} {seconds:8.3} s", ended.name);
        }
    }

    /// Blanks rather than escape codes: they work on every terminal.
    fn wipe(&self, line: &Current) {
        if self.detail == Detail::Line {
            let _ = write!(io::stderr(), "\r{:width$}\r", "", width = line.width);
        }
    }
}

impl Drop for Progress {
    /// An error message must not begin behind the line of a stage.
    fn drop(&mut self) {
        self.finish();
    }
}
