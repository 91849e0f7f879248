//! Sums over rows in blocks whose size depends on the data only, added in a fixed order.

use std::ops::Range;

use rayon::prelude::*;

/// Folds `0..n_rows` in blocks of `block` rows: `part` makes each block's contribution, in parallel, and `add`
/// adds them from the first block to the last. The same bits for any number of threads.
///
/// `None` when there are no rows.
pub fn by_blocks<T: Send>(
    n_rows: usize,
    block: usize,
    part: impl Fn(Range<usize>) -> T + Sync + Send,
    mut add: impl FnMut(&mut T, T),
) -> Option<T> {
    let block = block.max(1);
    let n_blocks = n_rows.div_ceil(block);
    let range = |b: usize| b * block..n_rows.min((b + 1) * block);
    if n_blocks == 1 {
        return Some(part(range(0)));
    }
    // Waves limit the memory of waiting contributions; their size is fixed as well.
    const WAVE: usize = 64;
    let mut total: Option<T> = None;
    for first in (0..n_blocks).step_by(WAVE) {
        let blocks = first..n_blocks.min(first + WAVE);
        let parts: Vec<T> = blocks.into_par_iter().map(|b| part(range(b))).collect();
        for contribution in parts {
            match &mut total {
                None => total = Some(contribution),
                Some(sum) => add(sum, contribution),
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_by_blocks_has_the_same_bits_for_any_number_of_threads() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let part = |rows: Range<usize>| rows.map(|i| (i as f64).sin()).sum::<f64>();
                by_blocks(10_007, 13, part, |sum, more| *sum += more).unwrap()
            })
        };
        assert_eq!(run(1).to_bits(), run(3).to_bits());
        assert!(by_blocks(0, 13, |_| 1.0, |_, _: f64| ()).is_none());
    }
}
