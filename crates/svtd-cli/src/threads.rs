//! The number of threads. It changes the speed and nothing else.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::{Failure, Outcome};

/// A pool of this many threads; `None` or 0 means one for each core.
pub fn pool(threads: Option<usize>) -> Outcome<ThreadPool> {
    let asked = threads.unwrap_or(0);
    let built = ThreadPoolBuilder::new().num_threads(asked).build();
    built
        .map_err(|error| Failure::Request(format!("{asked} threads could not be started: {error}")))
}
