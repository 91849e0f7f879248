//! How many threads the work may use. They change its speed and nothing else.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::{Failure, Outcome};

/// A pool of this many threads; none or 0 means one for each core.
pub fn pool(threads: Option<usize>) -> Outcome<ThreadPool> {
    let asked = threads.unwrap_or(0);
    let built = ThreadPoolBuilder::new().num_threads(asked).build();
    built
        .map_err(|error| Failure::Request(format!("{asked} threads could not be started: {error}")))
}
