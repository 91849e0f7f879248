//! Non-negative least squares.

use super::factors::{cholesky, solve_lower, solve_lower_transposed};
use super::{Matrix, dot};

/// Non-negative least squares on normal equations: `argmin_{x >= 0} x'G x - 2 h'x`.
///
/// The active-set method of Lawson and Hanson. `gram` is `k x k`; a direction in which it is
/// singular stays at zero.
pub fn non_negative_least_squares(gram: &Matrix, rhs: &[f64]) -> Vec<f64> {
    let k = rhs.len();
    let mut solution = vec![0.0; k];
    let mut passive = vec![false; k];
    let scale = rhs.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let mut refused = vec![false; k];
    for _ in 0..3 * k + 10 {
        let gradient: Vec<f64> = (0..k).map(|j| rhs[j] - dot(gram.column(j), &solution)).collect();
        let candidate = (0..k)
            .filter(|&j| !passive[j] && !refused[j] && gradient[j] > 1e-13 * scale)
            .max_by(|&a, &b| gradient[a].total_cmp(&gradient[b]).then(b.cmp(&a)));
        let Some(enter) = candidate else { break };
        passive[enter] = true;
        loop {
            let members: Vec<usize> = (0..k).filter(|&j| passive[j]).collect();
            let Some(trial) = solve_members(gram, rhs, &members) else {
                // The new variable makes the system singular: it adds nothing.
                passive[enter] = false;
                refused[enter] = true;
                break;
            };
            if trial.iter().all(|&value| value > 0.0) {
                solution.fill(0.0);
                for (&j, &value) in members.iter().zip(&trial) {
                    solution[j] = value;
                }
                refused.fill(false);
                break;
            }
            // Move towards the trial solution until the first variable reaches zero; that one leaves.
            let step = members
                .iter()
                .zip(&trial)
                .filter(|&(_, &value)| value <= 0.0)
                .map(|(&j, &value)| solution[j] / (solution[j] - value))
                .fold(1.0_f64, f64::min);
            let step = if step.is_finite() { step } else { 0.0 };
            for (&j, &value) in members.iter().zip(&trial) {
                solution[j] += step * (value - solution[j]);
                if value <= 0.0 && solution[j] <= 1e-15 {
                    solution[j] = 0.0;
                    passive[j] = false;
                }
            }
            if !passive[enter] {
                refused[enter] = true;
            }
        }
    }
    solution
}

fn solve_members(gram: &Matrix, rhs: &[f64], members: &[usize]) -> Option<Vec<f64>> {
    let m = members.len();
    let small = Matrix::from_fn(m, m, |a, b| gram[(members[a], members[b])]);
    let lower = cholesky(&small, 1e-13)?;
    let mut solution: Vec<f64> = members.iter().map(|&j| rhs[j]).collect();
    solve_lower(&lower, &mut solution);
    solve_lower_transposed(&lower, &mut solution);
    Some(solution)
}
