//! Messages on the way, which `--quiet` leaves out.
//!
//! Whether they are wanted is settled once, when the program starts, so that whoever has something
//! to say need not be handed the flags.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::{printable, with_flags};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves out all messages from now on, or not.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Says one line on stderr.
pub fn say(line: &str) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    // If stderr is gone there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{}", printable(&with_flags(line)));
}
