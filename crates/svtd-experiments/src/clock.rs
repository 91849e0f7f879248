//! CPU time, which depends less on other programs on the machine than elapsed time.

use svtd::Error;

/// Runs work on one thread; returns its result and the CPU seconds it took.
///
/// # Errors
/// When no thread can be started.
pub fn timed<T: Send>(work: impl FnOnce() -> T + Send) -> svtd::Result<(T, f64)> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| Error::Option {
        name: "threads",
        needed: "one that can be started".to_owned(),
        found: error.to_string(),
    })?;
    Ok(pool.install(|| {
        let start = seconds();
        let result = work();
        (result, seconds() - start)
    }))
}

/// CPU seconds of this thread.
#[cfg(unix)]
pub(crate) fn seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Elapsed seconds, where the CPU time of a thread is not available.
#[cfg(not(unix))]
pub(crate) fn seconds() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_sleep_does_not() {
        let sum = || (0..3_000_000_u64).fold(0.0_f64, |sum, i| sum + (i as f64).sqrt());
        let (value, busy) = timed(sum).unwrap();
        assert!(value > 0.0 && busy > 0.0);
        if cfg!(unix) {
            let pause = std::time::Duration::from_millis(30);
            let (_, asleep) = timed(|| std::thread::sleep(pause)).unwrap();
            assert!(asleep < 0.02, "{asleep}");
        }
    }
}
