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
//! A number `v <= 2^22` is rounded by adding `2^23` to it: the low bits of `v + 2^23` are `v`
//! rounded. The bits of `2^23` are subtracted at the end, once for each document that has the word.
//!
//! For very frequent words the unit would be coarser than `2^-`[`LEAST_BITS`]. They are summed in
//! 64 bits in the same way; they are few, and their rows stay in the cache. All other words need
//! half the memory traffic of sums in double precision.
//!
//! As the sums are exact, documents can be added to any of several tallies, in any order.

use pulp::Simd;
use pulp::bytemuck::cast_slice;

use super::NARROW;
use crate::aligned::Aligned;
use crate::error::Result;
use crate::memory::will_need;
use crate::questions::{WordFacts, wrong_size};

/// The coarsest unit with 32 bits, as a number of binary places.
const LEAST_BITS: u32 = 14;

/// Adding this number, `2^23`, rounds to whole numbers.
const ROUNDER: f32 = 8_388_608.0;

/// The same for 64 bits, `2^52`, and the number of units per token, `2^20`.
const LONG_ROUNDER: f64 = 4_503_599_627_370_496.0;
const LONG_UNITS: f64 = 1_048_576.0;

/// How the sums of a word are stored.
#[derive(Clone, Copy)]
struct Place {
    /// Its row among the words of its kind (32 or 64 bits).
    row: u32,
    /// Units per token in fixed point, `2^s`; 0 marks a word whose sums need 64 bits.
    units: f32,
    /// Number of documents that contain the word.
    documents: u32,
}

/// How the sums of each word are stored.
pub(crate) struct Ledger {
    width: usize,
    places: Vec<Place>,
    n_short: usize,
    n_long: usize,
}

impl Ledger {
    /// The layout for words with these facts, and `width` topics.
    pub(crate) fn new(words: &[WordFacts], width: usize) -> Self {
        let (mut n_short, mut n_long) = (0, 0);
        let place = |word: &WordFacts| {
            let WordFacts { total, largest, documents } = *word;
            let by_largest = 22_u32.saturating_sub(bits_of(u64::from(largest.max(1))));
            let bits = by_largest.min(31_u32.saturating_sub(bits_of(total + 1)));
            let (next, units) = if bits >= LEAST_BITS {
                (&mut n_short, (1_u64 << bits) as f32)
            } else {
                (&mut n_long, 0.0)
            };
            *next += 1;
            Place { row: *next as u32 - 1, units, documents: documents as u32 }
        };
        let places = words.iter().map(place).collect();
        Self { width, places, n_short, n_long }
    }
}

/// The smallest `b` with `value <= 2^b`.
fn bits_of(value: u64) -> u32 {
    value.next_power_of_two().trailing_zeros()
}

/// Sums of the responsibilities of some documents, one row of topics per word.
pub(crate) struct Tally {
    short: Aligned<u32>,
    long: Vec<u64>,
}

impl Tally {
    /// An empty tally.
    pub(crate) fn new(ledger: &Ledger) -> Self {
        Self {
            short: Aligned::zeros(ledger.n_short * ledger.width),
            long: vec![0; ledger.n_long * ledger.width],
        }
    }

    /// The sum of tallies that together contain every document once, as whole numbers: first the
    /// sums of 32 bits, then those of 64 bits. The constants that were added for rounding are
    /// removed.
    pub(crate) fn to_whole(tallies: &[Tally], ledger: &Ledger) -> Vec<u64> {
        let (n_short, n_long) = (ledger.n_short * ledger.width, ledger.n_long * ledger.width);
        let mut whole = vec![0_u64; n_short + n_long];
        for place in &ledger.places {
            let is_short = place.units > 0.0;
            let start = place.row as usize * ledger.width + if is_short { 0 } else { n_short };
            let documents = u64::from(place.documents);
            let rounder =
                if is_short { u64::from(ROUNDER.to_bits()) } else { LONG_ROUNDER.to_bits() };
            let rounders = documents.wrapping_mul(rounder);
            whole[start..start + ledger.width].fill(0_u64.wrapping_sub(rounders));
        }
        let (short, long) = whole.split_at_mut(n_short);
        for tally in tallies {
            for (sum, more) in short.iter_mut().zip(tally.short.iter()) {
                *sum = sum.wrapping_add(u64::from(*more));
            }
            for (sum, more) in long.iter_mut().zip(&tally.long) {
                *sum = sum.wrapping_add(*more);
            }
        }
        // Only the last 32 bits of the first kind are known.
        short.iter_mut().for_each(|sum| *sum &= u64::from(u32::MAX));
        whole
    }

    /// What [`to_whole`](Self::to_whole) made, of all documents together.
    ///
    /// # Errors
    /// When there are not as many numbers as the ledger has places for.
    pub(crate) fn from_whole(ledger: &Ledger, whole: &[u64]) -> Result<Self> {
        let (n_short, n_long) = (ledger.n_short * ledger.width, ledger.n_long * ledger.width);
        if whole.len() != n_short + n_long {
            return Err(wrong_size(whole.len(), n_short + n_long));
        }
        let (short, long) = whole.split_at(n_short);
        let short: Vec<u32> = short.iter().map(|&sum| sum as u32).collect();
        Ok(Self { short: short.into(), long: long.to_vec() })
    }

    /// Sets all sums to zero.
    pub(crate) fn clear(&mut self) {
        self.short.fill(0);
        self.long.fill(0);
    }

    /// Prefetches the sums of a word for which [`add`](Self::add) will soon be called. Sums of 64
    /// bits belong to few words and are in the cache anyway.
    #[inline(always)]
    pub(crate) fn will_need(&self, ledger: &Ledger, feature: u32) {
        let Place { row, units, .. } = ledger.places[feature as usize];
        if units > 0.0 {
            will_need(&self.short, row as usize * ledger.width, ledger.width);
        }
    }

    /// Adds the responsibilities of a word of a document, times its count.
    #[inline(always)]
    pub(crate) fn add<S: Simd>(
        &mut self,
        simd: S,
        ledger: &Ledger,
        feature: u32,
        fresh: &[S::f32s],
    ) {
        let Place { row, units, .. } = ledger.places[feature as usize];
        let width = fresh.len() * S::F32_LANES;
        let start = row as usize * width;
        if units > 0.0 {
            let sums = S::as_mut_simd_u32s(&mut self.short[start..start + width]).0;
            let sums = &mut sums[..fresh.len()];
            let (units, rounder) = (simd.splat_f32s(units), simd.splat_f32s(ROUNDER));
            for v in 0..fresh.len() {
                let rounded = simd.add_f32s(simd.mul_f32s(fresh[v], units), rounder);
                sums[v] = simd.add_u32s(sums[v], simd.transmute_u32s_f32s(rounded));
            }
        } else {
            let sums = &mut self.long[start..start + width];
            for (sum, more) in sums.iter_mut().zip(cast_slice::<_, f32>(fresh)) {
                let rounded = f64::from(*more) * LONG_UNITS + LONG_ROUNDER;
                *sum = sum.wrapping_add(rounded.to_bits());
            }
        }
    }
}

/// The sums for one word, put into `into`, of tallies to which together every document was added
/// once.
pub(crate) fn sum_of(tallies: &[Tally], ledger: &Ledger, feature: usize, into: &mut [f64]) {
    let Place { row, units, documents } = ledger.places[feature];
    let starts = (row as usize * ledger.width..).step_by(NARROW);
    for (start, into) in starts.zip(into.chunks_exact_mut(NARROW)) {
        if units > 0.0 {
            let rounders = documents.wrapping_mul(ROUNDER.to_bits());
            let mut all = [0_u32.wrapping_sub(rounders); NARROW];
            for tally in tallies {
                let sums = &tally.short[start..start + NARROW];
                all.iter_mut().zip(sums).for_each(|(all, sum)| *all = all.wrapping_add(*sum));
            }
            let unit = 1.0 / f64::from(units);
            into.iter_mut().zip(all).for_each(|(into, all)| *into = f64::from(all) * unit);
        } else {
            let rounders = u64::from(documents).wrapping_mul(LONG_ROUNDER.to_bits());
            let mut all = [0_u64.wrapping_sub(rounders); NARROW];
            for tally in tallies {
                let sums = &tally.long[start..start + NARROW];
                all.iter_mut().zip(sums).for_each(|(all, sum)| *all = all.wrapping_add(*sum));
            }
            into.iter_mut().zip(all).for_each(|(into, all)| *into = all as f64 / LONG_UNITS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Corpus;
    use pulp::Scalar;

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
        let ledger = Ledger::new(&corpus.facts().words[..corpus.n_present()], 16);
        let unit = |word: usize| ledger.places[corpus.feature_of_word()[word] as usize].units;
        // Counts of 3, 7 and 200 at most; totals of about 1200, 2400 and 120000.
        assert_eq!(unit(0), f32::from(2_u16.pow(10)) * 1024.0);
        assert_eq!(unit(1), f32::from(2_u16.pow(9)) * 1024.0);
        assert_eq!(unit(2), f32::from(2_u16.pow(14)));
        assert_eq!(unit(3), 0.0, "a count of 1000 leaves twelve bits, which is too coarse");
        assert_eq!((ledger.n_short, ledger.n_long), (3, 1));
    }

    #[test]
    fn sums_are_those_of_the_numbers_and_do_not_depend_on_their_order() {
        let corpus = corpus();
        let (rows, n) = (corpus.rows(), corpus.n_present());
        let ledger = Ledger::new(&corpus.facts().words[..n], 16);
        let share = |d: usize, j: usize| {
            let weight = |j: usize| 1.0 + ((d * 31 + j * 17) as f64 * 0.7).sin();
            weight(j) / (0..16).map(weight).sum::<f64>()
        };
        let sums = |order: &[usize]| -> Vec<Vec<f64>> {
            let mut tallies = [0, 1, 2].map(|_| Tally::new(&ledger));
            // What was there before is forgotten.
            for _ in 0..2 {
                tallies.iter_mut().for_each(Tally::clear);
                for (at, &d) in order.iter().enumerate() {
                    let (features, counts) = rows.row(d);
                    for (&i, &x) in features.iter().zip(counts) {
                        let fresh: Vec<f32> =
                            (0..16).map(|j| (f64::from(x) * share(d, j)) as f32).collect();
                        tallies[at * at % 3].add(Scalar, &ledger, i, &fresh);
                    }
                }
            }
            let mut row = vec![0.0; 16];
            let one = |i: usize| {
                sum_of(&tallies, &ledger, i, &mut row);
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
