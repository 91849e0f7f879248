//! Stopping work whose result is no longer wanted.
//!
//! Work on a large corpus takes minutes, and the caller may want to stop it: Ctrl-C in Python, a closed window.
//! Such a caller gives every thread of its rayon pool a flag ([`heed`], from the pool's start handler). The long
//! loops of this library check the flag of their thread ([`here`]); once it is set they unwind, without a message,
//! to where the work began, and the caller catches a [`Stopped`].
//!
//! Threads without a flag are never stopped, and the check costs them one load. What is unwound was built by the
//! call alone, so nothing is left half done: files are written only by functions that do not check.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;

thread_local! {
    /// The flag that stops the work of this thread.
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// The panic payload of stopped work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Makes the work of this thread stop soon after `flag` is set.
///
/// ```
/// use std::panic::{AssertUnwindSafe, catch_unwind};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// use svtd::internals::stop::{Stopped, heed};
/// use svtd::synthetic::{Lengths, SingleTopicSource};
///
/// let flag = Arc::new(AtomicBool::new(false));
/// let heeding = Arc::clone(&flag);
/// let pool = rayon::ThreadPoolBuilder::new()
///     .start_handler(move |_| heed(Arc::clone(&heeding)))
///     .build()?;
/// let source = SingleTopicSource::uniform(50, 3, 1);
/// flag.store(true, Ordering::Relaxed);
/// let work = || pool.install(|| source.draw(1_000_000_000, &Lengths::Fixed(100), 2));
/// let stopped = catch_unwind(AssertUnwindSafe(work));
/// assert!(stopped.is_err_and(|left| left.is::<Stopped>()));
/// # Ok::<(), rayon::ThreadPoolBuildError>(())
/// ```
pub fn heed(flag: Arc<AtomicBool>) {
    FLAG.with(|held| *held.borrow_mut() = Some(flag));
}

/// Ends work that cannot continue, where an error cannot be returned; [`caught`] turns it into an error again.
///
/// [`caught`]: crate::memory::caught
pub(crate) fn fail(error: Error) -> ! {
    resume_unwind(Box::new(error))
}

/// Stops if the flag of this thread is set. For every loop that can take longer than a tenth of a second; to be
/// called a few hundred times a second or more.
pub fn here() {
    let raised = |held: &RefCell<Option<Arc<AtomicBool>>>| {
        held.borrow().as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    };
    if FLAG.with(raised) {
        resume_unwind(Box::new(Stopped));
    }
}
