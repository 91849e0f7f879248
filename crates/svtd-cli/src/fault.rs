//! Errors of the program itself: a panic is reported in one sentence.
//!
//! Some panics are expected and caught (the reader of damaged Parquet files catches those of the crate it uses), so
//! the panic hook only records the message instead of printing it. A panic that nobody catches ends here and is
//! printed.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use crate::failure::say;

/// The exit code of a Rust program that panics.
const FAULT: u8 = 101;

static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs the program; a panic becomes a sentence and an exit code.
pub fn reported(run: impl FnOnce() -> ExitCode) -> ExitCode {
    panic::set_hook(Box::new(remember));
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        svtd::internals::atomic::remove_unfinished();
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
        let what = last.unwrap_or_else(|| "something went wrong".to_owned());
        say(
            &format!(
                "this is a mistake in svtd, not yours: {what}; please report it with the command that \
                 was run"
            ),
            "fault",
        );
        ExitCode::from(FAULT)
    })
}

fn remember(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().copied();
    let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
    let what = format!("{}{}", message.unwrap_or("unknown"), place.unwrap_or_default());
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
}
