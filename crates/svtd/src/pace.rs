//! Forecasts how many steps an iteration will take, from how fast it converges.
//!
//! The methods here converge about geometrically: each step divides the distance from the goal by the same factor.
//! Two measurements of the distance give the factor, and the factor gives the number of remaining steps. The
//! forecast is only reported to the progress callback and decides nothing.

/// Tracks the convergence of an iteration.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    first: Option<(usize, f64)>,
    expected: usize,
    most: usize,
}

impl Pace {
    /// An iteration that usually takes `expected` steps and never more than `most`.
    pub(crate) fn new(expected: usize, most: usize) -> Self {
        Self { first: None, expected: expected.min(most), most }
    }

    /// Records that after `steps` steps the distance from the goal is `ratio` times the tolerance.
    pub(crate) fn look(&mut self, steps: usize, ratio: f64) {
        let excess = ratio.max(1.0).ln();
        match self.first {
            Some((step, start)) if excess < start && step < steps => {
                let per_step = (start - excess) / (steps - step) as f64;
                self.expected = steps + (excess / per_step).ceil().min(self.most as f64) as usize;
            }
            Some(_) => {}
            None if excess.is_finite() => self.first = Some((steps, excess)),
            None => {}
        }
    }

    /// Expected total number of steps, when `done` are done and at least one more follows.
    pub(crate) fn expected(&self, done: usize) -> usize {
        self.expected.max(done + 1).min(self.most.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometric_iteration_is_forecast_exactly() {
        // A factor of 10 a step from 1e6: six steps after the first look.
        let mut pace = Pace::new(4, 100);
        assert_eq!(pace.expected(0), 4);
        for step in 2..8 {
            pace.look(step, 10_f64.powi(8 - step as i32));
            let expected = pace.expected(step);
            assert!(step == 2 || (8..=9).contains(&expected), "{step}: {expected}");
        }
    }

    #[test]
    fn a_forecast_never_lies_behind_nor_beyond_the_end() {
        let mut pace = Pace::new(3, 10);
        assert_eq!(pace.expected(7), 8);
        pace.look(1, 1e9);
        pace.look(2, 0.999e9);
        assert_eq!(pace.expected(2), 10);
        pace.look(3, f64::NAN);
        assert!(pace.expected(3) <= 10);
    }
}
