//! Sums of responsibilities, in whole numbers: exact, whatever the order of the documents.
//!
//! Every responsibility of a word is rounded to a multiple of the word's unit `2^-s` and added as a
//! whole number of 32 bits. `s` follows from the counts of the word in the whole corpus, so that
//!
//! ```text
//! largest count 2^s <= 2^22        each number is exact in the last bits of a float above 2^23
//! total count   2^s <= 2^31        their sum does not overflow
//! ```
//!
//! A number `v <= 2^22` is rounded by adding `2^23` to it: the low bits of `v + 2^23` are `v` rounded,
//! and the bits of `2^23` itself are taken off again all at once, as often as there were numbers.
//!
//! Words so frequent that the unit would be coarser than `2^-`[`LEAST_BITS`] are few, and their rows
//! are never far from the processor: they are summed in double precision, where sums of
//! single-precision numbers are mostly exact. For all others half the memory is moved.

use crate::corpus::SparseCounts;

/// The coarsest unit of whole numbers, as bits behind the point.
const LEAST_BITS: u32 = 14;

/// What rounds the numbers added to it: `2^23`.
const ROUNDER: f32 = 8_388_608.0;

/// How a word is summed.
#[derive(Clone, Copy)]
struct Place {
    /// Its row among the words of its kind.
    row: u32,
    /// `2^s`; zero for sums in double precision.
    units: f32,
}

/// How each word is summed.
pub(super) struct Ledger {
    width: usize,
    places: Vec<Place>,
    n_whole: usize,
    n_double: usize,
}

impl Ledger {
    /// For counts of features `0..n_features`, and `width` topics.
    pub(super) fn new(rows: &SparseCounts, n_features: usize, width: usize) -> Self {
        let mut largest = vec![1_u32; n_features];
        let mut total = vec![1_u64; n_features];
        for (&i, &x) in rows.indices().iter().zip(rows.counts()) {
            largest[i as usize] = largest[i as usize].max(x);
            total[i as usize] += u64::from(x);
        }
        let (mut n_whole, mut n_double) = (0, 0);
        let place = |(largest, total): (u32, u64)| {
            let bits = 22_u32
                .saturating_sub(bits_of(u64::from(largest)))
                .min(31_u32.saturating_sub(bits_of(total)));
            let (next, units) = if bits >= LEAST_BITS {
                (&mut n_whole, (1_u64 << bits) as f32)
            } else {
                (&mut n_double, 0.0)
            };
            *next += 1;
            Place { row: *next as u32 - 1, units }
        };
        let places = largest.into_iter().zip(total).map(place).collect();
        Self { width, places, n_whole, n_double }
    }
}

/// The least `b` with `value <= 2^b`.
fn bits_of(value: u64) -> u32 {
    value.next_power_of_two().trailing_zeros()
}

/// Sums of the responsibilities of some documents, one row of topics per word.
pub(super) struct Tally {
    whole: Vec<u32>,
    double: Vec<f64>,
    /// What a row of whole numbers begins with: the bits of [`ROUNDER`] off, for each document.
    start: Vec<u32>,
}

impl Tally {
    /// For some documents.
    pub(super) fn new(
        ledger: &Ledger,
        rows: &SparseCounts,
        documents: std::ops::Range<usize>,
    ) -> Self {
        let mut start = vec![0_u32; ledger.n_whole];
        let (first, last) = (rows.offsets()[documents.start], rows.offsets()[documents.end]);
        for &i in &rows.indices()[first..last] {
            let place = ledger.places[i as usize];
            if place.units > 0.0 {
                let start = &mut start[place.row as usize];
                *start = start.wrapping_sub(ROUNDER.to_bits());
            }
        }
        Self {
            whole: vec![0; ledger.n_whole * ledger.width],
            double: vec![0.0; ledger.n_double * ledger.width],
            start,
        }
    }

    /// Begins anew. Each word of each document has to be added once before the sums can be read.
    pub(super) fn clear(&mut self, ledger: &Ledger) {
        let rows = self.whole.chunks_exact_mut(ledger.width).zip(&self.start);
        rows.for_each(|(row, start)| row.fill(*start));
        self.double.fill(0.0);
    }

    /// Adds the responsibilities of a word of a document, times its count.
    #[inline(always)]
    pub(super) fn add(&mut self, ledger: &Ledger, feature: u32, fresh: &[f32]) {
        let Place { row, units } = ledger.places[feature as usize];
        let start = row as usize * ledger.width;
        if units > 0.0 {
            let sums = &mut self.whole[start..start + ledger.width];
            for (sum, more) in sums.iter_mut().zip(fresh) {
                *sum = sum.wrapping_add((more * units + ROUNDER).to_bits());
            }
        } else {
            let sums = &mut self.double[start..start + ledger.width];
            for (sum, more) in sums.iter_mut().zip(fresh) {
                *sum += f64::from(*more);
            }
        }
    }
}

/// The sums of several tallies for one word, put into `into`.
pub(super) fn sum_of<'a>(
    tallies: impl Iterator<Item = &'a Tally>,
    ledger: &Ledger,
    feature: usize,
    into: &mut [f64],
) {
    let Place { row, units } = ledger.places[feature];
    let places = row as usize * ledger.width..(row as usize + 1) * ledger.width;
    into.fill(0.0);
    if units > 0.0 {
        for tally in tallies {
            let sums = into.iter_mut().zip(&tally.whole[places.clone()]);
            sums.for_each(|(sum, more)| *sum += f64::from(*more));
        }
        let unit = 1.0 / f64::from(units);
        into.iter_mut().for_each(|sum| *sum *= unit);
    } else {
        for tally in tallies {
            let sums = into.iter_mut().zip(&tally.double[places.clone()]);
            sums.for_each(|(sum, more)| *sum += more);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Corpus;

    /// Four words: ordinary ones, one that is very frequent, one that fills a document.
    fn corpus() -> Corpus {
        let mut builder = Corpus::builder(4);
        for d in 0..600_u32 {
            let counts = [(0, 1 + d % 3), (1, 1 + d % 7), (2, 200), (3, 1 + 999 * (d / 599))];
            builder.push_document(counts).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn words_get_the_finest_unit_that_their_counts_allow() {
        let corpus = corpus();
        let ledger = Ledger::new(corpus.rows(), corpus.n_present(), 16);
        let unit = |word: usize| ledger.places[corpus.feature_of_word()[word] as usize].units;
        // Counts of 3, 7 and 200 at most; totals of about 1200, 2400 and 120000.
        assert_eq!(unit(0), f32::from(2_u16.pow(10)) * 1024.0);
        assert_eq!(unit(1), f32::from(2_u16.pow(9)) * 1024.0);
        assert_eq!(unit(2), f32::from(2_u16.pow(14)));
        assert_eq!(unit(3), 0.0, "a count of 1000 leaves twelve bits, which is too coarse");
        assert_eq!((ledger.n_whole, ledger.n_double), (3, 1));
    }

    #[test]
    fn sums_are_those_of_the_numbers_and_do_not_depend_on_their_order() {
        let corpus = corpus();
        let (rows, n) = (corpus.rows(), corpus.n_present());
        let ledger = Ledger::new(rows, n, 16);
        let share = |d: usize, j: usize| {
            let weight = |j: usize| 1.0 + ((d * 31 + j * 17) as f64 * 0.7).sin();
            weight(j) / (0..16).map(weight).sum::<f64>()
        };
        let sums = |order: &[usize]| -> Vec<Vec<f64>> {
            let mut tally = Tally::new(&ledger, rows, 0..600);
            // What was there before is forgotten.
            for _ in 0..2 {
                tally.clear(&ledger);
                for &d in order {
                    let (features, counts) = rows.row(d);
                    for (&i, &x) in features.iter().zip(counts) {
                        let fresh: Vec<f32> =
                            (0..16).map(|j| (f64::from(x) * share(d, j)) as f32).collect();
                        tally.add(&ledger, i, &fresh);
                    }
                }
            }
            let mut row = vec![0.0; 16];
            let one = |i: usize| {
                sum_of([&tally].into_iter(), &ledger, i, &mut row);
                row.clone()
            };
            (0..n).map(one).collect()
        };
        let forwards: Vec<usize> = (0..600).collect();
        let backwards: Vec<usize> = (0..600).rev().collect();
        let found = sums(&forwards);
        assert_eq!(found, sums(&backwards));
        for (i, row) in found.iter().enumerate() {
            for (j, sum) in row.iter().enumerate() {
                let expected: f64 = (0..600)
                    .map(|d| {
                        let (features, counts) = rows.row(d);
                        let at = features.iter().position(|&f| f as usize == i).unwrap();
                        f64::from(counts[at]) * share(d, j)
                    })
                    .sum();
                assert!((sum - expected).abs() < 1e-6 * expected + 1e-4, "{i} {j}: {sum}");
            }
        }
    }
}
