//! The update of one document, with one number per topic in registers.
//!
//! Words are taken [`GROUP`] at a time: the sum over topics of one word need not wait for that of another.

use pulp::Simd;

use super::LANES;
use super::lanes::{geometric, halved, inverse_of, left};
use super::tally::{Ledger, Tally};
use crate::memory::will_need;
use crate::questions::Rates;

/// Number of words that are updated side by side.
const GROUP: usize = 4;

/// How many words ahead rows are prefetched.
const AHEAD: usize = 8;

/// One number per topic, in registers side by side.
pub(crate) trait Row<S: Simd>: AsRef<[S::f32s]> + AsMut<[S::f32s]> + Clone {}

impl<S: Simd, R: AsRef<[S::f32s]> + AsMut<[S::f32s]> + Clone> Row<S> for R {}

/// The words of a document.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub features: &'a [u32],
    pub counts: &'a [u32],
}

/// Room that all documents share.
pub(crate) struct Scratch<R> {
    /// Responsibilities of the words of a group.
    fresh: [R; GROUP],
    /// For each word, the inverse of its sum over topics in the last look that excluded nothing; zero for words
    /// that are not to be excluded.
    inverses: Vec<f32>,
}

impl<R: Clone> Scratch<R> {
    pub fn new(blank: &R) -> Self {
        Self { fresh: std::array::from_fn(|_| blank.clone()), inverses: Vec::new() }
    }
}

/// The steps for a document and its words. For any register width, a sum over topics adds the same numbers in the
/// same order, so every instruction set gives the same bits.
pub(crate) struct Kernel<'a, S: Simd, R: Row<S>, const SECOND: bool> {
    simd: S,
    rates: &'a Rates,
    zero: R,
    alpha: R,
    /// `1 / a`.
    inverse: R,
    /// `1 / a^2`.
    square: R,
    /// `D`.
    mixture: R,
    /// `V`, the variance of `D`; only for second-order updates.
    variance: R,
    /// `D + alpha`.
    prior: R,
    /// `(D + alpha) / a`; to second order less, by the variance.
    scaled: R,
    /// The new `D`.
    sum: R,
    /// The new `V`.
    spread: R,
}

impl<'a, S: Simd, R: Row<S>, const SECOND: bool> Kernel<'a, S, R, SECOND> {
    /// Number of registers for [`LANES`] topics.
    const REGISTERS: usize = LANES / S::F32_LANES;

    #[inline(always)]
    pub fn new(simd: S, zero: R, rates: &'a Rates) -> Self {
        let mut kernel = Self {
            simd,
            rates,
            alpha: zero.clone(),
            inverse: zero.clone(),
            square: zero.clone(),
            mixture: zero.clone(),
            variance: zero.clone(),
            prior: zero.clone(),
            scaled: zero.clone(),
            sum: zero.clone(),
            spread: zero.clone(),
            zero,
        };
        kernel.alpha.as_mut().copy_from_slice(S::as_simd_f32s(&rates.alpha).0);
        kernel.inverse.as_mut().copy_from_slice(S::as_simd_f32s(&rates.inverse).0);
        for (square, &inverse) in kernel.square.as_mut().iter_mut().zip(kernel.inverse.as_ref()) {
            *square = simd.mul_f32s(inverse, inverse);
        }
        kernel
    }

    /// Loads the state of a document.
    #[inline(always)]
    pub fn open(&mut self, kept: &[f32]) {
        let kept = S::as_simd_f32s(kept).0;
        let (mixture, variance) = kept.split_at(self.mixture.as_ref().len());
        self.mixture.as_mut().copy_from_slice(mixture);
        if SECOND {
            self.variance.as_mut().copy_from_slice(variance);
        }
    }

    /// Stores the state of a document.
    #[inline(always)]
    pub fn close(&self, kept: &mut [f32]) {
        let kept = S::as_mut_simd_f32s(kept).0;
        let (mixture, variance) = kept.split_at_mut(self.mixture.as_ref().len());
        mixture.copy_from_slice(self.mixture.as_ref());
        if SECOND {
            variance.copy_from_slice(self.variance.as_ref());
        }
    }

    /// Prepares for the document's words.
    #[inline(always)]
    fn begin(&mut self) {
        let simd = self.simd;
        let (mixture, alpha) = (self.mixture.as_ref(), self.alpha.as_ref());
        let (inverse, variance) = (self.inverse.as_ref(), self.variance.as_ref());
        let (prior, scaled) = (self.prior.as_mut(), self.scaled.as_mut());
        for v in 0..prior.len() {
            prior[v] = simd.add_f32s(mixture[v], alpha[v]);
            let factor = if SECOND { geometric(simd, prior[v], variance[v]) } else { prior[v] };
            scaled[v] = simd.mul_f32s(factor, inverse[v]);
        }
    }

    /// A look that excludes nothing: the new `D`, from responsibilities `A_ij (D_j + alpha) / a_j`.
    #[inline(always)]
    pub fn include(&mut self, words: Words<'_>, scratch: &mut Scratch<R>) {
        self.begin();
        let simd = self.simd;
        let (mut sum, mut squares) = (self.zero.clone(), self.zero.clone());
        scratch.inverses.resize(words.features.len(), 0.0);
        let mut inverses = scratch.inverses.as_mut_slice();
        let Words { mut features, mut counts } = words;
        while !features.is_empty() {
            let many = features.len().min(GROUP);
            for &feature in features.get(AHEAD..).unwrap_or_default().iter().take(GROUP) {
                let width = self.rates.alpha.len();
                will_need(&self.rates.words, feature as usize * width, width);
            }
            self.include_group(
                [&features[..many], &counts[..many]],
                &mut inverses[..many],
                sum.as_mut(),
                squares.as_mut(),
            );
            (features, counts) = (&features[many..], &counts[many..]);
            inverses = &mut inverses[many..];
        }
        // What all words have in common is multiplied in at the end.
        let (sum, squares, scaled) = (sum.as_ref(), squares.as_ref(), self.scaled.as_ref());
        let (new, spread) = (self.sum.as_mut(), self.spread.as_mut());
        for v in 0..new.len() {
            new[v] = simd.mul_f32s(sum[v], scaled[v]);
            if SECOND {
                let squares = simd.mul_f32s(simd.mul_f32s(scaled[v], scaled[v]), squares[v]);
                spread[v] = left(simd, new[v], squares);
            }
        }
    }

    /// Up to [`GROUP`] words: `sum` gains `A x / total`, and `squares` `(A / total)^2 x`.
    #[inline(always)]
    fn include_group(
        &self,
        [features, counts]: [&[u32]; 2],
        inverses: &mut [f32],
        sum: &mut [S::f32s],
        squares: &mut [S::f32s],
    ) {
        let (simd, n) = (self.simd, sum.len());
        let mut totals = [0.0; GROUP];
        for w in 0..GROUP {
            if w < features.len() {
                totals[w] = self.weighed(self.word(features[w], n));
            }
        }
        for w in 0..GROUP {
            if w < features.len() {
                let word = self.word(features[w], n);
                let inverse = inverse_of(totals[w]);
                inverses[w] = inverse;
                let scale = simd.splat_f32s(inverse * counts[w] as f32);
                let inverse = simd.splat_f32s(inverse);
                for v in 0..n {
                    let more = simd.mul_f32s(word[v], scale);
                    sum[v] = simd.add_f32s(sum[v], more);
                    if SECOND {
                        let square = simd.mul_f32s(more, simd.mul_f32s(word[v], inverse));
                        squares[v] = simd.add_f32s(squares[v], square);
                    }
                }
            }
        }
    }

    /// The last look: the responsibilities of each word are computed with the word itself excluded,
    /// and added to the tally. The excluded responsibilities are those under the present `D`,
    /// normalised as in the look before; the difference is small, and this saves a sum over topics.
    /// In the warm-up nothing is excluded.
    #[inline(always)]
    pub fn assign(
        &mut self,
        words: Words<'_>,
        exclude: bool,
        scratch: &mut Scratch<R>,
        tally: &mut Tally,
        ledger: &Ledger,
    ) {
        self.begin();
        let simd = self.simd;
        let (mut sum, mut squares) = (self.zero.clone(), self.zero.clone());
        let Scratch { fresh, inverses } = scratch;
        if !exclude {
            inverses.clear();
        }
        inverses.resize(words.features.len(), 0.0);
        let mut inverses = inverses.as_slice();
        let Words { mut features, mut counts } = words;
        while !features.is_empty() {
            let many = features.len().min(GROUP);
            for &feature in features.get(AHEAD..).unwrap_or_default().iter().take(GROUP) {
                tally.will_need(ledger, feature);
            }
            let totals = self.exclude_group(&features[..many], inverses, exclude, fresh);
            for w in 0..GROUP {
                if w < many {
                    let fresh = fresh[w].as_mut();
                    let (sum, squares) = (sum.as_mut(), squares.as_mut());
                    self.share_out(fresh, counts[w], totals[w], sum, squares);
                    tally.add(simd, ledger, features[w], fresh);
                }
            }
            (features, counts) = (&features[many..], &counts[many..]);
            inverses = &inverses[many..];
        }
        if SECOND {
            let (sum, squares, spread) = (sum.as_ref(), squares.as_ref(), self.spread.as_mut());
            for v in 0..spread.len() {
                spread[v] = left(simd, sum[v], squares[v]);
            }
        }
        self.sum = sum;
    }

    /// For up to [`GROUP`] words: responsibilities with the word itself excluded, not yet
    /// normalised, into `fresh`; returns their sums over topics.
    #[inline(always)]
    fn exclude_group(
        &self,
        features: &[u32],
        inverses: &[f32],
        exclude: bool,
        fresh: &mut [R; GROUP],
    ) -> [f32; GROUP] {
        let mut totals = [0.0; GROUP];
        for w in 0..GROUP {
            if w < features.len() {
                let fresh = fresh[w].as_mut();
                let word = self.word(features[w], fresh.len());
                let eta = if exclude { self.rates.eta[features[w] as usize] } else { 0.0 };
                totals[w] = self.excluded(word, inverses[w], eta, fresh);
            }
        }
        totals
    }

    /// The product without the word itself, whose responsibilities are the smaller of `A * scaled * scale` and `D_j`.
    /// No less than `eta` is left of `A`.
    #[inline(always)]
    fn excluded(&self, word: &[S::f32s], scale: f32, eta: f32, fresh: &mut [S::f32s]) -> f32 {
        let (simd, scale) = (self.simd, self.simd.splat_f32s(scale));
        let (one, zero) = (simd.splat_f32s(1.0), simd.splat_f32s(0.0));
        let (floor, variance) = (simd.splat_f32s(eta), self.variance.as_ref());
        let (mixture, prior) = (self.mixture.as_ref(), self.prior.as_ref());
        let (inverse, square) = (self.inverse.as_ref(), self.square.as_ref());
        let scaled = self.scaled.as_ref();
        let mut parts = [zero; LANES];
        for v in 0..fresh.len() {
            let gamma = simd.mul_f32s(simd.mul_f32s(word[v], scaled[v]), scale);
            let gamma = simd.min_f32s(gamma, mixture[v]);
            let others = simd.max_f32s(simd.sub_f32s(word[v], gamma), floor);
            // 1 / (a - gamma), to first order.
            let rest = simd.add_f32s(inverse[v], simd.mul_f32s(gamma, square[v]));
            let rate = simd.mul_f32s(others, rest);
            let mut factor = simd.sub_f32s(prior[v], gamma);
            if SECOND {
                let own = simd.mul_f32s(gamma, simd.sub_f32s(one, gamma));
                let variance = simd.max_f32s(simd.sub_f32s(variance[v], own), zero);
                factor = geometric(simd, factor, variance);
            }
            fresh[v] = simd.mul_f32s(rate, factor);
            let sum = &mut parts[v % Self::REGISTERS];
            *sum = simd.add_f32s(*sum, fresh[v]);
        }
        self.across(parts)
    }

    /// Scales a word's products to its count and adds them to the new `D`.
    #[inline(always)]
    fn share_out(
        &self,
        fresh: &mut [S::f32s],
        count: u32,
        total: f32,
        sum: &mut [S::f32s],
        squares: &mut [S::f32s],
    ) {
        let (simd, inverse) = (self.simd, inverse_of(total));
        let scale = simd.splat_f32s(inverse * count as f32);
        let inverse = simd.splat_f32s(inverse);
        for v in 0..fresh.len() {
            let new = simd.mul_f32s(fresh[v], scale);
            sum[v] = simd.add_f32s(sum[v], new);
            if SECOND {
                let square = simd.mul_f32s(new, simd.mul_f32s(fresh[v], inverse));
                squares[v] = simd.add_f32s(squares[v], square);
            }
            fresh[v] = new;
        }
    }

    /// The row of a word, `A_i`, in `n` registers.
    #[inline(always)]
    fn word(&self, feature: u32, n: usize) -> &'a [S::f32s] {
        let start = feature as usize * n * S::F32_LANES;
        let row = &self.rates.words[start..start + n * S::F32_LANES];
        &S::as_simd_f32s(row).0[..n]
    }

    /// The sum over topics of `A_ij (D_j + alpha) / a_j`.
    #[inline(always)]
    fn weighed(&self, word: &[S::f32s]) -> f32 {
        let simd = self.simd;
        let scaled = self.scaled.as_ref();
        let mut parts = [simd.splat_f32s(0.0); LANES];
        for v in 0..scaled.len() {
            let sum = &mut parts[v % Self::REGISTERS];
            *sum = simd.add_f32s(*sum, simd.mul_f32s(word[v], scaled[v]));
        }
        self.across(parts)
    }

    /// The sum across lanes, by halving: lanes 8 apart are added, then 4, 2 and 1 apart.
    #[inline(always)]
    fn across(&self, mut parts: [S::f32s; LANES]) -> f32 {
        let mut n = Self::REGISTERS.min(LANES);
        while n > 1 {
            n /= 2;
            for v in 0..n {
                parts[v] = self.simd.add_f32s(parts[v], parts[v + n]);
            }
        }
        halved(self.simd, parts[0])
    }

    /// Moves `stride` times the way to the new mixture (over-relaxation if above one).
    #[inline(always)]
    pub fn settle(&mut self, stride: f32) {
        let (simd, stride) = (self.simd, self.simd.splat_f32s(stride));
        let (mixture, sum) = (self.mixture.as_mut(), self.sum.as_ref());
        for v in 0..mixture.len() {
            let step = simd.mul_f32s(stride, simd.sub_f32s(sum[v], mixture[v]));
            mixture[v] = simd.max_f32s(simd.add_f32s(mixture[v], step), simd.splat_f32s(0.0));
        }
        if SECOND {
            self.variance = self.spread.clone();
        }
    }
}
