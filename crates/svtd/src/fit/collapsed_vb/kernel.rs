//! The update of one document, with one number per topic in registers.

use crate::questions::Rates;
use pulp::Simd;

use super::LANES;

/// One number per topic, in registers side by side.
pub(crate) trait Row<S: Simd>: AsRef<[S::f32s]> + AsMut<[S::f32s]> + Clone {}

impl<S: Simd, R: AsRef<[S::f32s]> + AsMut<[S::f32s]> + Clone> Row<S> for R {}

/// The steps for a document and its words. For any register width, a sum over topics adds the same numbers in the
/// same order, so every instruction set gives the same bits.
pub(crate) struct Kernel<S: Simd, R: Row<S>, const SECOND: bool> {
    simd: S,
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
    /// `(D + alpha) / a`.
    scaled: R,
    /// Responsibilities of the current word, later multiplied by its count.
    pub fresh: R,
    /// The new `D`.
    sum: R,
    /// The new `V`.
    spread: R,
}

impl<S: Simd, R: Row<S>, const SECOND: bool> Kernel<S, R, SECOND> {
    /// Number of registers for [`LANES`] topics.
    const REGISTERS: usize = LANES / S::F32_LANES;

    #[inline(always)]
    pub fn new(simd: S, blank: R, rates: &Rates) -> Self {
        let mut kernel = Self {
            simd,
            alpha: blank.clone(),
            inverse: blank.clone(),
            square: blank.clone(),
            mixture: blank.clone(),
            variance: blank.clone(),
            prior: blank.clone(),
            scaled: blank.clone(),
            fresh: blank.clone(),
            sum: blank.clone(),
            spread: blank,
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
    pub fn begin(&mut self) {
        let simd = self.simd;
        let (mixture, alpha) = (self.mixture.as_ref(), self.alpha.as_ref());
        let inverse = self.inverse.as_ref();
        let (prior, scaled) = (self.prior.as_mut(), self.scaled.as_mut());
        let (sum, spread) = (self.sum.as_mut(), self.spread.as_mut());
        let variance = self.variance.as_ref();
        for v in 0..sum.len() {
            prior[v] = simd.add_f32s(mixture[v], alpha[v]);
            let factor = if SECOND { geometric(simd, prior[v], variance[v]) } else { prior[v] };
            scaled[v] = simd.mul_f32s(factor, inverse[v]);
            sum[v] = simd.splat_f32s(0.0);
            if SECOND {
                spread[v] = simd.splat_f32s(0.0);
            }
        }
    }

    /// A word of the document: its responsibilities times its count, and those to the new `D`.
    ///
    /// With `eta` the word itself is excluded, of which no less is left than that.
    #[inline(always)]
    pub fn add(&mut self, word: &[f32], count: f32, eta: Option<f32>) {
        let word = S::as_simd_f32s(word).0;
        let mut total = self.include(word);
        if let Some(eta) = eta {
            total = self.exclude(word, part(1.0, total), eta);
        }
        let (simd, scale) = (self.simd, self.simd.splat_f32s(part(count, total)));
        let less = simd.splat_f32s(if SECOND { -1.0 / count } else { 0.0 });
        let (fresh, sum) = (self.fresh.as_mut(), self.sum.as_mut());
        let spread = self.spread.as_mut();
        for v in 0..fresh.len() {
            fresh[v] = simd.mul_f32s(fresh[v], scale);
            sum[v] = simd.add_f32s(sum[v], fresh[v]);
            if SECOND {
                let rest = simd.add_f32s(simd.splat_f32s(1.0), simd.mul_f32s(less, fresh[v]));
                spread[v] = simd.add_f32s(spread[v], simd.mul_f32s(fresh[v], rest));
            }
        }
    }

    /// `A_ij (D_j + alpha) / a_j`, and its sum.
    #[inline(always)]
    fn include(&mut self, word: &[S::f32s]) -> f32 {
        let (fresh, scaled) = (self.fresh.as_mut(), self.scaled.as_ref());
        for v in 0..fresh.len() {
            fresh[v] = self.simd.mul_f32s(word[v], scaled[v]);
        }
        self.total()
    }

    /// The product without the word itself, whose responsibilities are the smaller of `fresh * scale` and `D_j`.
    #[inline(always)]
    fn exclude(&mut self, word: &[S::f32s], scale: f32, eta: f32) -> f32 {
        let (simd, scale) = (self.simd, self.simd.splat_f32s(scale));
        let (one, zero) = (simd.splat_f32s(1.0), simd.splat_f32s(0.0));
        let (floor, variance) = (simd.splat_f32s(eta), self.variance.as_ref());
        let (mixture, prior) = (self.mixture.as_ref(), self.prior.as_ref());
        let (inverse, square) = (self.inverse.as_ref(), self.square.as_ref());
        let fresh = self.fresh.as_mut();
        for v in 0..fresh.len() {
            let gamma = simd.min_f32s(simd.mul_f32s(fresh[v], scale), mixture[v]);
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
        }
        self.total()
    }

    /// The sum over topics, lane by lane and then across.
    #[inline(always)]
    fn total(&self) -> f32 {
        let mut lanes = [0.0; LANES];
        let into = S::as_mut_simd_f32s(&mut lanes).0;
        let fresh = self.fresh.as_ref();
        for v in 0..fresh.len() {
            let sum = &mut into[v % Self::REGISTERS];
            *sum = self.simd.add_f32s(*sum, fresh[v]);
        }
        across(&lanes)
    }

    /// Moves `stride` times the way to the new mixture (over-relaxation if above one).
    #[inline(always)]
    pub fn settle(&mut self, stride: f32) {
        let (simd, stride) = (self.simd, self.simd.splat_f32s(stride));
        let (mixture, sum) = (self.mixture.as_mut(), self.sum.as_ref());
        for v in 0..sum.len() {
            let step = simd.mul_f32s(stride, simd.sub_f32s(sum[v], mixture[v]));
            mixture[v] = simd.max_f32s(simd.add_f32s(mixture[v], step), simd.splat_f32s(0.0));
        }
        if SECOND {
            self.variance.as_mut().copy_from_slice(self.spread.as_ref());
        }
    }
}

/// The geometric mean of a variable with mean `m` and variance `v`, to second order: `m exp(-v / 2m^2)`, with `1 /
/// (1 + x)` in place of `exp(-x)`.
#[inline(always)]
fn geometric<S: Simd>(simd: S, mean: S::f32s, variance: S::f32s) -> S::f32s {
    let square = simd.mul_f32s(mean, mean);
    let double = simd.add_f32s(square, square);
    let least = simd.splat_f32s(f32::MIN_POSITIVE);
    let part = simd.div_f32s(double, simd.add_f32s(simd.add_f32s(double, variance), least));
    simd.mul_f32s(mean, part)
}

/// `value / total`, and zero if the total is zero.
#[inline(always)]
fn part(value: f32, total: f32) -> f32 {
    if total > 0.0 { value / total } else { 0.0 }
}

/// The sum across lanes, by halving.
#[inline(always)]
fn across(lanes: &[f32; LANES]) -> f32 {
    let mut halves = *lanes;
    let mut len = LANES / 2;
    while len > 0 {
        for j in 0..len {
            halves[j] += halves[j + len];
        }
        len /= 2;
    }
    halves[0]
}
