//! Small sums and means over one register, for any register width.

use pulp::Simd;
use pulp::bytemuck::cast_slice;

use super::LANES;

/// The sum of the lanes of a register, by halving.
#[inline(always)]
pub(super) fn halved<S: Simd>(simd: S, register: S::f32s) -> f32 {
    // Registers of x86 are halved by the library; others may be summed in another order.
    if cfg!(target_arch = "x86_64") && S::F32_LANES > 4 {
        return simd.reduce_sum_f32s(register);
    }
    let register = [register];
    let mut halves = [0.0; LANES];
    halves[..S::F32_LANES].copy_from_slice(cast_slice(&register));
    let mut len = S::F32_LANES / 2;
    while len > 0 {
        for j in 0..len {
            halves[j] += halves[j + len];
        }
        len /= 2;
    }
    halves[0]
}

/// The geometric mean of a variable with mean `m` and variance `v`, to second order: `m exp(-v / 2m^2)`, with `1 /
/// (1 + x)` in place of `exp(-x)`.
#[inline(always)]
pub(super) fn geometric<S: Simd>(simd: S, mean: S::f32s, variance: S::f32s) -> S::f32s {
    let square = simd.mul_f32s(mean, mean);
    let double = simd.add_f32s(square, square);
    let least = simd.splat_f32s(f32::MIN_POSITIVE);
    let part = simd.div_f32s(double, simd.add_f32s(simd.add_f32s(double, variance), least));
    simd.mul_f32s(mean, part)
}

/// `sum - squares`, which rounding may not make negative.
#[inline(always)]
pub(super) fn left<S: Simd>(simd: S, sum: S::f32s, squares: S::f32s) -> S::f32s {
    simd.max_f32s(simd.sub_f32s(sum, squares), simd.splat_f32s(0.0))
}

/// `1 / total`, and zero if the total is zero.
#[inline(always)]
pub(super) fn inverse_of(total: f32) -> f32 {
    if total > 0.0 { 1.0 / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, WithSimd};

    struct Sum([f32; LANES]);

    impl WithSimd for Sum {
        type Output = Vec<f32>;

        fn with_simd<S: Simd>(self, simd: S) -> Vec<f32> {
            S::as_simd_f32s(&self.0).0.iter().map(|&register| halved(simd, register)).collect()
        }
    }

    #[test]
    fn registers_are_summed_by_halving_on_this_machine() {
        let values: [f32; LANES] = std::array::from_fn(|j| 10_f32.powi(j as i32 % 5) / 3.0);
        let found = Arch::new().dispatch(Sum(values));
        let n = LANES / found.len();
        for (sum, lanes) in found.iter().zip(values.chunks_exact(n)) {
            let mut lanes = lanes.to_vec();
            while lanes.len() > 1 {
                let (low, high) = lanes.split_at(lanes.len() / 2);
                lanes = low.iter().zip(high).map(|(a, b)| a + b).collect();
            }
            assert_eq!(*sum, lanes[0]);
        }
    }
}
