//! Counts how much of a corpus is read, for a progress callback.
//!
//! The bytes of files on disk are counted, compressed or not, because their number is known beforehand. A pipe has
//! no size; only the amount read so far is known. The callback is called after each read, from the thread that
//! reads.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Called with the amount read and the total.
type Watcher = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Counts what is read.
#[derive(Clone, Default)]
pub(super) struct Meter {
    watcher: Option<Watcher>,
    done: Arc<AtomicU64>,
    of: u64,
}

impl Meter {
    /// A meter that reports to this callback.
    pub(super) fn telling(watcher: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        Meter { watcher: Some(Arc::new(watcher)), ..Meter::default() }
    }

    /// Starts again with this much to read; 0 if that is not known.
    pub(super) fn of(&self, of: u64) -> Self {
        Meter { watcher: self.watcher.clone(), done: Arc::default(), of }
    }

    /// Adds `n` to the amount read.
    pub(super) fn add(&self, n: u64) {
        if let Some(watcher) = &self.watcher {
            let before = self.done.fetch_add(n, Ordering::Relaxed);
            watcher(before + n, self.of);
        }
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").field("done", &self.done).field("of", &self.of).finish()
    }
}
