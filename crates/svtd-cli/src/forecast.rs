//! How long a fit will take here, and how bytes and seconds of a forecast are said.
//!
//! The library knows the work of a fit in products with the pair moment
//! ([`Workload`](svtd::fit::Workload)); here one such product of this very corpus is timed on this
//! machine with these threads, and the time follows. `check` and `fit --dry-run` both tell it.

use std::time::{Duration, Instant};

use svtd::fit::{Sizes, Workload};
use svtd::linalg::Matrix;
use svtd::moments::{Counting, SingleTopicMoments};
use svtd::{Corpus, DocumentWeights, Moments};

pub use crate::progress::duration;

/// Products are timed for this long at most, and at least one of them.
const PROBE: Duration = Duration::from_millis(60);

/// Products that are timed at most.
const MOST_PRODUCTS: usize = 4;

/// How much longer a fit takes than the best product says (`benches/record/forecast.md`).
const LONGER: f64 = 1.15;

/// The seconds that so many operations of a fit of this corpus will take.
pub fn seconds<const N: usize>(corpus: &Corpus, operations: [f64; N]) -> svtd::Result<[f64; N]> {
    let product = time_of_a_product(corpus)?.as_secs_f64();
    let unit = product / Workload::product_operations(Sizes::from(corpus)).max(1.0);
    Ok(operations.map(|operations| LONGER * unit * operations))
}

/// From the least to the most, or one of them where they hardly differ.
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

/// The best of a few products of the pair moment with as many columns as a fit takes at a time.
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

/// Bytes as people say them.
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
