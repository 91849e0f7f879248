//! Signals: half-written files are deleted before the program ends.
//!
//! | signal | what is done |
//! |---|---|
//! | SIGINT, SIGTERM, SIGHUP | unfinished files are deleted; the exit code is 130, 143 or 129 |
//! | SIGXFSZ | nothing: the write that went beyond the limit fails and says so |
//! | SIGABRT | exit code 1: Rust has just said that memory ran out |
//!
//! A signal that was ignored when the program started stays ignored: that is how `nohup`, and a shell that starts a
//! background job, use it. The ignored signals are read from `/proc/self/status`, because asking the system would
//! need unsafe code. Without `/proc` the hang-up signal, which `nohup` ignores, is left to the system.

/// The exit code after Ctrl-C: 128 plus the number of the signal, as in shells.
#[cfg(not(unix))]
const INTERRUPTED: i32 = 130;

/// Handles signals from now on.
#[cfg(unix)]
pub fn watch() {
    if let Err(error) = unix::watch() {
        // The work can continue; a temporary file might be left if it is interrupted.
        crate::messages::say(&format!("note: signals cannot be caught: {error}"));
    }
}

/// Handles Ctrl-C from now on.
#[cfg(not(unix))]
pub fn watch() {
    let installed = ctrlc::set_handler(|| leave(INTERRUPTED));
    if let Err(error) = installed {
        crate::messages::say(&format!("note: Ctrl-C cannot be caught: {error}"));
    }
}

/// Deletes unfinished files and ends the program.
fn leave(code: i32) {
    use std::io::Write;

    svtd::internals::atomic::remove_unfinished_for_good();
    let _ = writeln!(std::io::stderr(), "svtd: interrupted; nothing half-written was left");
    std::process::exit(code);
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::flag;
    use signal_hook::iterator::Signals;

    /// The exit code of a program that ran out of memory: the data is too much for the machine.
    const OUT_OF_MEMORY: i32 = 1;

    pub(super) fn watch() -> io::Result<()> {
        let ignored = std::fs::read_to_string("/proc/self/status").ok();
        let ignored = ignored.as_deref().and_then(ignored_signals);
        let watched = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| match ignored {
            Some(ignored) => ignored >> (signal - 1) & 1 == 0,
            None => signal != SIGHUP,
        });
        let mut signals = Signals::new(watched)?;
        flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        flag::register_conditional_shutdown(
            SIGABRT,
            OUT_OF_MEMORY,
            Arc::new(AtomicBool::new(true)),
        )?;
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                super::leave(128 + signal);
            }
        })?;
        Ok(())
    }

    /// The ignored signals of a process as a set of bits, the first signal lowest.
    fn ignored_signals(status: &str) -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(line.trim(), 16).ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn ignored_signals_are_bits_of_a_line() {
            let status = "Name:\tsvtd\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001003\n";
            let ignored = ignored_signals(status).unwrap();
            assert_eq!(ignored >> (SIGHUP - 1) & 1, 1);
            assert_eq!(ignored >> (SIGINT - 1) & 1, 1);
            assert_eq!(ignored >> (SIGTERM - 1) & 1, 0);
            assert_eq!(ignored_signals("Name:\tsvtd\n"), None);
        }
    }
}
