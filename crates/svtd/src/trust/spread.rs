//! How much an estimate changes when groups are left out: standard errors and changes.

use rayon::prelude::*;

use super::groups::GROUPS;
use crate::linalg::Matrix;

/// Sums over the groups left out so far.
pub(crate) struct Spread<'a> {
    whole: &'a Matrix,
    sum: Matrix,
    squares: Matrix,
    changes: Matrix,
}

impl<'a> Spread<'a> {
    /// For the estimate `whole` from all documents.
    pub fn about(whole: &'a Matrix) -> Self {
        let (n, k) = (whole.n_rows(), whole.n_columns());
        Self {
            whole,
            sum: Matrix::zeros(n, k),
            squares: Matrix::zeros(n, k),
            changes: Matrix::zeros(GROUPS, k),
        }
    }

    /// Adds the estimate without group `g`.
    pub fn add(&mut self, g: usize, mut without: Matrix) {
        let n = self.whole.n_rows().max(1);
        let columns = without.values_mut().par_chunks_exact_mut(n);
        columns.zip(self.whole.values().par_chunks_exact(n)).for_each(|(column, whole)| {
            column.iter_mut().zip(whole).for_each(|(value, whole)| *value -= whole);
        });
        self.add_steps(g, &without);
    }

    /// Adds the change of the estimate without group `g`. An entry that is NaN counts as unchanged.
    fn add_steps(&mut self, g: usize, steps: &Matrix) {
        let n = self.whole.n_rows().max(1);
        let columns = self.sum.values_mut().par_chunks_exact_mut(n);
        let columns = columns.zip(self.squares.values_mut().par_chunks_exact_mut(n));
        let moved: Vec<f64> = columns
            .enumerate()
            .map(|(j, (sum, squares))| {
                let mut moved = 0.0;
                for ((sum, square), &step) in sum.iter_mut().zip(squares).zip(steps.column(j)) {
                    if step.is_finite() {
                        *sum += step;
                        *square += step * step;
                        moved += step.abs();
                    }
                }
                moved
            })
            .collect();
        for (j, moved) in moved.into_iter().enumerate() {
            self.changes[(g, j)] = moved;
        }
    }

    /// `SE^2 = (G-1)/G sum_g (theta_g - mean)^2` for every entry, and the L1 distance by which
    /// each topic (column) moved without each group (row).
    pub fn finish(self) -> (Matrix, Matrix) {
        let mut errors = self.squares;
        errors.values_mut().par_iter_mut().zip(self.sum.values()).for_each(|(square, sum)| {
            *square = standard_error(*square, *sum);
        });
        (errors, self.changes)
    }
}

/// `SE^2 = (G-1)/G sum_g (theta_g - mean)^2`.
pub(super) fn standard_error(squares: f64, sum: f64) -> f64 {
    let groups = GROUPS as f64;
    ((groups - 1.0) / groups * (squares - sum * sum / groups).max(0.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_mean_is_its_usual_standard_error() {
        // Twenty numbers, one a group: the jackknife of their mean is s / sqrt(20).
        let numbers: Vec<f64> = (0..GROUPS).map(|g| (g as f64 * 1.7).sin()).collect();
        let total: f64 = numbers.iter().sum();
        let mean = total / GROUPS as f64;
        let whole = Matrix::from_columns(1, 1, vec![mean]);
        let mut spread = Spread::about(&whole);
        for (g, x) in numbers.iter().enumerate() {
            let without = (total - x) / (GROUPS as f64 - 1.0);
            spread.add(g, Matrix::from_columns(1, 1, vec![without]));
        }
        let (errors, changes) = spread.finish();
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 19.0;
        assert!((errors[(0, 0)] - (variance / 20.0).sqrt()).abs() < 1e-14);
        let moved = ((total - numbers[3]) / 19.0 - mean).abs();
        assert!((changes[(3, 0)] - moved).abs() < 1e-14);
    }
}
