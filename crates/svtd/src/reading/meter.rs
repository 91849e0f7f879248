//! How much of a corpus is read, for whoever watches.
//!
//! What is counted are bytes of files as they lie on disk, packed or not, because their number is
//! known before the first of them is read. A pipe has no size; of it one can only tell how much has
//! come. The watcher is called after each piece that is read, from whatever thread reads it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Called with how much is read, and of how much.
type Watcher = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Counts what is read.
#[derive(Clone, Default)]
pub(super) struct Meter {
    watcher: Option<Watcher>,
    done: Arc<AtomicU64>,
    of: u64,
}

impl Meter {
    /// Tells this watcher.
    pub(super) fn telling(watcher: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        Meter { watcher: Some(Arc::new(watcher)), ..Meter::default() }
    }

    /// Begins anew, with so much to read; 0 if that is not known.
    pub(super) fn of(&self, of: u64) -> Self {
        Meter { watcher: self.watcher.clone(), done: Arc::default(), of }
    }

    /// So much more is read.
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
