//! Natural logarithms of many numbers at once.
//!
//! A table of `ln M` is as large as the topics and is computed again in every step of EM and for every number of
//! topics in a `Sweep`. Several numbers are computed at a time, with the widest instructions of the machine.
//! Products and sums are not fused, so all instruction sets give the same bits. A block that contains a number
//! which is zero, subnormal or not finite uses the logarithm of the standard library instead, whose last bit can
//! differ between platforms.
//!
//! ```text
//! x = 2^e m,  sqrt(1/2) <= m < sqrt(2),  s = (m - 1) / (m + 1)
//! ln x = e ln 2 + 2 (s + s^3/3 + s^5/5 + ...)                    |s| <= 0.172, ten terms
//! ```

use crate::tasks;
use pulp::Arch;
use rayon::prelude::*;

/// Number of values that one task handles.
const NUMBERS_PER_TASK: usize = 4096;

/// `sqrt(1/2)` as bits: the lower bound of the mantissa `m`.
const CUT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();

/// `ln 2` in two parts; the first ends in enough zeros that its product with an exponent is exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);

/// Replaces every number by its natural logarithm.
pub(crate) fn take_logarithms(values: &mut [f64]) {
    let arch = Arch::new();
    let take = |block: &mut [f64]| {
        arch.dispatch(
            #[inline(always)]
            || logarithms(block),
        );
    };
    let blocks = values.par_chunks_mut(NUMBERS_PER_TASK);
    tasks::fork(|| blocks.for_each(|block| tasks::branch(|| take(block))));
}

/// As [`take_logarithms`], on the calling thread, with the instructions of the calling function.
#[inline(always)]
pub(crate) fn logarithms(block: &mut [f64]) {
    if block.iter().all(|x| x.is_normal() && *x > 0.0) {
        block.iter_mut().for_each(|x| *x = ln(*x));
    } else {
        block.iter_mut().for_each(|x| *x = x.ln());
    }
}

/// The logarithm of a positive normal number.
#[inline(always)]
fn ln(x: f64) -> f64 {
    let above = x.to_bits().wrapping_sub(CUT) as i64;
    let exponent = (above >> 52) as i32;
    let m = f64::from_bits(x.to_bits().wrapping_sub((above as u64) & 0xFFF0_0000_0000_0000));
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let mut series = 1.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        series = series * z + 1.0 / odd;
    }
    let e = f64::from(exponent);
    e * LN_2_HIGH + (2.0 * s + (2.0 * s * z * series + e * LN_2_LOW))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_standard_library() {
        let mut x = 3e-308;
        let mut numbers: Vec<f64> = vec![1.0, 0.5, 2.0, f64::MAX, f64::MIN_POSITIVE];
        while x < 1e300 {
            numbers.push(x);
            x *= 1.000_937;
        }
        numbers.extend((1..1000).map(|i| 1.0 + f64::from(i - 500) * 1e-9));
        let mut taken = numbers.clone();
        take_logarithms(&mut taken);
        for (x, taken) in numbers.iter().zip(&taken) {
            let error = (taken - x.ln()).abs();
            assert!(error <= 4.0 * f64::EPSILON * x.ln().abs(), "ln {x}: {taken}, {}", x.ln());
        }
        assert_eq!(taken[0], 0.0);
    }

    #[test]
    fn what_has_no_ordinary_logarithm_is_left_to_the_standard_library() {
        let mut values = [0.0, 1e-310, f64::INFINITY, 2.0];
        let expected = values.map(f64::ln);
        take_logarithms(&mut values);
        assert_eq!(values, expected);
    }
}
