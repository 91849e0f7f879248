//! Parsing of numbers on the command line.

/// The largest number of threads; more than any machine we know of has cores.
const MAX_THREADS: usize = 1024;

/// A whole number of at least one.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&n| n > 0);
    number.ok_or_else(|| "expected a whole number of at least 1".to_owned())
}

/// A positive number.
pub fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|a: &f64| a.is_finite() && *a > 0.0);
    number.ok_or_else(|| "expected a positive number".to_owned())
}

/// A number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|a| (0.0..=1.0).contains(a));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// A seed.
pub fn seed(text: &str) -> Result<u64, String> {
    let number = text.parse();
    number.map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// A number of threads; 0 means one per core.
pub fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&n| n <= MAX_THREADS);
    number.ok_or_else(|| {
        format!("expected a whole number from 1 to {MAX_THREADS}, or 0 for one a core")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        for text in ["0", "-1", "1.5", "", "x", "99999999999999999999999"] {
            assert!(at_least_one(text).is_err(), "{text}");
        }
        for text in ["0", "-1", "NaN", "inf", "1e400", "", "x"] {
            assert!(positive(text).is_err(), "{text}");
        }
        for text in ["-0.1", "1.01", "NaN", "", "x"] {
            assert!(share(text).is_err(), "{text}");
        }
        assert!(threads("100000").is_err());
        assert_eq!(threads("0"), Ok(0));
    }
}
