//! Moments that answer from memory the second time.
//!
//! Several methods ask the same of the same moments; and what a decomposition takes by itself can
//! only be timed when its moments are at hand. All questions must be about one whitening.

use std::ops::Range;
use std::sync::OnceLock;

use svtd::linalg::Matrix;
use svtd::moments::{Cube, Rows};
use svtd::{Moments, Whitening};

/// Moments with what was asked of them so far.
pub struct Remembered<M> {
    moments: M,
    cube: OnceLock<Cube>,
    kept: OnceLock<Matrix>,
    removed: OnceLock<Matrix>,
    towards: OnceLock<(Vec<f64>, Matrix)>,
}

impl<M> Remembered<M> {
    /// Nothing was asked yet.
    pub fn new(moments: M) -> Self {
        Self {
            moments,
            cube: OnceLock::new(),
            kept: OnceLock::new(),
            removed: OnceLock::new(),
            towards: OnceLock::new(),
        }
    }
}

impl<M: Moments> Moments for Remembered<M> {
    fn n_features(&self) -> usize {
        self.moments.n_features()
    }

    fn first(&self) -> &[f64] {
        self.moments.first()
    }

    fn second_times(&self, block: &Matrix) -> Matrix {
        self.moments.second_times(block)
    }

    fn third_whitened(&self, whitening: &Whitening) -> Cube {
        self.cube.get_or_init(|| self.moments.third_whitened(whitening)).clone()
    }

    fn third_slices(&self, whitening: &Whitening, rows: Rows, features: Range<usize>) -> Matrix {
        let place = match rows {
            Rows::Kept => &self.kept,
            Rows::Removed => &self.removed,
        };
        let all = 0..self.n_features();
        let slices = place.get_or_init(|| self.moments.third_slices(whitening, rows, all));
        Matrix::from_fn(features.len(), slices.n_columns(), |i, p| slices[(features.start + i, p)])
    }

    /// One direction is remembered, the first.
    fn third_towards(&self, whitening: &Whitening, direction: &[f64]) -> Matrix {
        let ask = || self.moments.third_towards(whitening, direction);
        let (asked, answer) = self.towards.get_or_init(|| (direction.to_vec(), ask()));
        if asked == direction { answer.clone() } else { ask() }
    }

    fn third_diagonals(&self, whitening: &Whitening, rotation: &Matrix) -> Matrix {
        self.moments.third_diagonals(whitening, rotation)
    }
}

#[cfg(test)]
mod tests {
    use svtd::Scaling;
    use svtd::moments::ExactMoments;
    use svtd::synthetic::SingleTopicSource;

    use super::*;

    #[test]
    fn what_is_remembered_is_what_was_said() {
        let source = SingleTopicSource::uniform(9, 3, 4);
        let exact = || ExactMoments::single_topic(source.word_topic.clone(), &source.topic_weights);
        let (asked, whitening) = (exact(), Whitening::fit(&exact(), 3, Scaling::Plain).unwrap());
        let remembered = Remembered::new(exact());
        for _ in 0..2 {
            assert_eq!(remembered.third_whitened(&whitening), asked.third_whitened(&whitening));
            for rows in [Rows::Kept, Rows::Removed] {
                let slices = |moments: &dyn Moments| moments.third_slices(&whitening, rows, 2..5);
                let (a, b) = (slices(&remembered), slices(&asked));
                assert!(a.values().iter().zip(b.values()).all(|(x, y)| (x - y).abs() < 1e-12));
            }
            for direction in [[0.1; 9], [0.2; 9]] {
                let towards = |moments: &dyn Moments| moments.third_towards(&whitening, &direction);
                assert_eq!(towards(&remembered), towards(&asked));
            }
        }
    }
}
