//! Estimates how long a fit will take, and formats bytes and seconds.
//!
//! The library knows the work of a fit in units of products with the pair moment
//! ([`Workload`](svtd::learning::Workload)). Here one such product of the given corpus is timed on this machine with
//! these threads, which gives the time. `check` and `fit --dry-run` both print it.

use std::time::{Duration, Instant};

use svtd::learning::{Sizes, Workload};
use svtd::linalg::Matrix;
use svtd::moments::{Counting, DocumentWeights, SingleTopicMoments};
use svtd::{Corpus, Moments};

pub use crate::progress::duration;

/// Products are timed for at most this long, but at least one.
const PROBE: Duration = Duration::from_millis(60);

/// The largest number of products that are timed.
const MOST_PRODUCTS: usize = 4;

/// How much longer a fit takes than the fastest product predicts (`benches/record/forecast.md`).
const LONGER: f64 = 1.15;

/// The seconds that these numbers of operations will take in a fit of this corpus.
pub fn seconds<const N: usize>(corpus: &Corpus, operations: [f64; N]) -> svtd::Result<[f64; N]> {
    let product = time_of_a_product(corpus)?.as_secs_f64();
    let unit = product / Workload::product_operations(Sizes::from(corpus)).max(1.0);
    Ok(operations.map(|operations| LONGER * unit * operations))
}

/// The smallest and largest estimate, or one of them where they hardly differ.
pub fn range([least, most]: [f64; 2]) -> String {
    match duration(least) == duration(most) {
        true => duration(most),
        false => format!(
            "{} ({} if candidates for the polish must be compared, which the counts decide)",
            duration(least),
            duration(most)
        ),
    }
}

/// The fastest of a few products of the pair moment with as many columns as a fit uses at a time.
fn time_of_a_product(corpus: &Corpus) -> svtd::Result<Duration> {
    let moments = SingleTopicMoments::estimate(corpus, &DocumentWeights::Optimal, Counting::Raw)?;
    let columns = Workload::PRODUCT_COLUMNS;
    let block = Matrix::from_fn(moments.n_features(), columns, |i, j| ((i + j) % 7) as f64);
    let began = Instant::now();
    let mut best = Duration::MAX;
    for _ in 0..MOST_PRODUCTS {
        let since = Instant::now();
        let product = moments.second_times(&block);
        std::hint::black_box(product);
        best = best.min(since.elapsed());
        if began.elapsed() > PROBE {
            break;
        }
    }
    Ok(best)
}

/// A number of bytes as text.
pub fn bytes(n: f64) -> String {
    match n {
        n if n < 1e6 => format!("{:.0} kB", (n / 1e3).ceil()),
        n if n < 1e9 => format!("{:.0} MB", (n / 1e6).ceil()),
        n => format!("{:.1} GB", n / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_the_unit_that_fits() {
        let said = [(1200.0, "2 kB"), (3.2e6, "4 MB"), (2.55e9, "2.5 GB")];
        for (n, sentence) in said {
            assert_eq!(bytes(n), sentence);
        }
    }
}
