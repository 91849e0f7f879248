//! Progress messages, which `--quiet` suppresses.
//!
//! Whether they are wanted is set once, when the program starts, so that the flags need not be passed to every
//! function that prints a message.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{printable, with_flags};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Suppresses all messages from now on, or not.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Prints one line on stderr.
pub fn say(line: &str) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    // If stderr is closed, nothing can be printed.
    let _ = writeln!(io::stderr(), "{}", printable(&with_flags(line)));
}
