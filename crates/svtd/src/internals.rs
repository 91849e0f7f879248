//! What the library shares with the other crates of its workspace: the command line, the Python package, the
//! experiments and the benchmarks.
//!
//! This is no part of the stable API. Anything here may change or go in any version, without notice.

/// Files that appear completely or not at all.
pub mod atomic {
    pub use crate::atomic::{
        Together, remove_unfinished, remove_unfinished_for_good, write_atomically,
    };
}

/// The E and M steps of a single-topic model, from topics of the caller's own.
pub mod fit {
    pub use crate::fit::em::polish_single_topic;
}

/// Memory that is reserved or refused with an error, and sizes as people write them.
pub mod memory {
    pub use crate::memory::{bytes_of, caught};
}

/// The end of work whose result nobody waits for any more.
pub mod stop {
    pub use crate::stop::{Stopped, heed, here};
}

/// How long tasks take.
pub mod tasks {
    pub use crate::tasks::{Stretch, record};
}
