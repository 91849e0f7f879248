//! Standard errors by the delete-a-group jackknife.
//!
//! EM is run again on the data without each of [`GROUPS`] groups, forty steps from the full solution:
//!
//! ```text
//! SE^2 = (G-1)/G sum_g (theta_g - mean)^2,    interval: theta +- 2.09 SE
//! ```
//!
//! The standard error that treats responsibilities as known is never used: its 95 % intervals cover the truth in
//! only 83 of 100 cases.

use rayon::prelude::*;

use super::{LatentModel, climb};
use crate::trust::T_FACTOR;

/// Number of groups in the jackknife.
pub const GROUPS: usize = 20;

/// Half a 95 % interval in standard errors: Student's t with 19 degrees of freedom, as for topics.
pub const JACKKNIFE_FACTOR: f64 = T_FACTOR;

/// Number of EM steps from the full solution, without a group.
const STEPS: usize = 40;

/// Standard errors of what `estimates` reads off the parameters, and the estimates without each
/// group.
///
/// `without` is the model on the data less group `g` of [`GROUPS`]; a group that cannot be left
/// out (`None`, because nothing would remain) is skipped. Components keep their order, because every
/// climb begins at the full solution.
pub fn jackknife<M: LatentModel + Send>(
    parameters: &M::Parameters,
    without: impl Fn(usize) -> Option<M> + Sync,
    estimates: impl Fn(&M, &M::Parameters) -> Vec<f64> + Sync,
) -> Vec<f64> {
    let left_out: Vec<Vec<f64>> = (0..GROUPS)
        .into_par_iter()
        .filter_map(|g| {
            let model = without(g)?;
            let climbed = climb(&model, parameters.clone(), STEPS);
            Some(estimates(&model, &climbed.parameters))
        })
        .collect();
    spread(&left_out)
}

/// The jackknife's standard errors from the estimates without each group.
fn spread(left_out: &[Vec<f64>]) -> Vec<f64> {
    let groups = left_out.len() as f64;
    let n = left_out.first().map_or(0, Vec::len);
    (0..n)
        .map(|i| {
            let mean = left_out.iter().map(|e| e[i]).sum::<f64>() / groups;
            let squares: f64 = left_out.iter().map(|e| (e[i] - mean).powi(2)).sum();
            ((groups - 1.0) / groups * squares).sqrt()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::toy::{Toy, drawn};
    use super::*;

    #[test]
    fn the_error_of_a_mean_is_the_textbook_one() {
        // One component: its mean is the sample mean, whose standard error is 1/sqrt(N).
        let data = drawn(&[(1.0, 3.0)], 4000);
        let model = Toy::new(data.clone());
        let full = climb(&model, vec![(1.0, 0.0)], 100);
        let without = |g: usize| {
            let kept = data.iter().enumerate().filter(|(u, _)| u % GROUPS != g);
            Some(Toy::new(kept.map(|(_, x)| *x).collect()))
        };
        let errors = jackknife(&full.parameters, without, |model, p| model.flatten(p));
        let ratio = errors[1] * (4000.0_f64).sqrt();
        assert!((0.6..1.5).contains(&ratio), "{ratio}");
    }

    #[test]
    fn groups_that_agree_leave_no_error() {
        assert_eq!(spread(&vec![vec![0.5, 2.0]; 20]), [0.0, 0.0]);
    }
}
