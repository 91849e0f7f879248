//! Moments that store their answers.
//!
//! Several methods need the same quantities of the same moments; and a decomposition alone can only be timed when
//! its moments are already computed. All questions must refer to one whitening.
//!
//! Where slices are the expensive part, as for stored moments of few words, the cube and the diagonals can be
//! computed [from them](Remembered::from_slices) as well.

use std::ops::Range;
use std::sync::OnceLock;

use svtd::Moments;
use svtd::linalg::Matrix;
use svtd::moments::{Basis, Cube, Rows};

/// Moments with the answers computed so far.
pub struct Remembered<M> {
    moments: M,
    from_slices: bool,
    cube: OnceLock<Cube>,
    kept: OnceLock<Matrix>,
    removed: OnceLock<Matrix>,
    towards: OnceLock<(Vec<f64>, Matrix)>,
}

impl<M> Remembered<M> {
    /// Starts without answers.
    pub fn new(moments: M) -> Self {
        Self {
            moments,
            from_slices: false,
            cube: OnceLock::new(),
            kept: OnceLock::new(),
            removed: OnceLock::new(),
            towards: OnceLock::new(),
        }
    }

    /// Starts without answers; slices with their rows kept also serve for the cube and the diagonals.
    pub fn from_slices(moments: M) -> Self {
        Self { from_slices: true, ..Self::new(moments) }
    }
}

impl<M: Moments> Remembered<M> {
    /// All slices.
    fn slices(&self, basis: &Basis, rows: Rows) -> &Matrix {
        let place = match rows {
            Rows::Kept => &self.kept,
            Rows::Removed => &self.removed,
        };
        let all = 0..self.n_features();
        place.get_or_init(|| self.moments.third_slices(basis, rows, all))
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

    fn third_whitened(&self, basis: &Basis) -> Cube {
        let ask = || {
            if self.from_slices {
                Cube::of_slices(basis, self.slices(basis, Rows::Kept))
            } else {
                self.moments.third_whitened(basis)
            }
        };
        self.cube.get_or_init(ask).clone()
    }

    fn third_slices(&self, basis: &Basis, rows: Rows, features: Range<usize>) -> Matrix {
        let slices = self.slices(basis, rows);
        Matrix::from_fn(features.len(), slices.n_columns(), |i, p| slices[(features.start + i, p)])
    }

    /// Only the first direction is stored.
    fn third_towards(&self, basis: &Basis, direction: &[f64]) -> Matrix {
        let ask = || self.moments.third_towards(basis, direction);
        let (asked, answer) = self.towards.get_or_init(|| (direction.to_vec(), ask()));
        if asked == direction { answer.clone() } else { ask() }
    }

    fn third_diagonals(&self, basis: &Basis, rotation: &Matrix) -> Matrix {
        if !self.from_slices {
            return self.moments.third_diagonals(basis, rotation);
        }
        let (slices, k) = (self.slices(basis, Rows::Kept), basis.n_columns());
        // Entry (a, b), a < b, of a packed triangle counts twice.
        let twice = |a: usize, b: usize| if a == b { 1.0 } else { 2.0 };
        let pairs = (0..k).flat_map(|a| (a..k).map(move |b| (a, b))).enumerate();
        let mut diagonals = Matrix::zeros(slices.n_rows(), k);
        for (p, (a, b)) in pairs {
            for j in 0..k {
                let factor = twice(a, b) * rotation[(a, j)] * rotation[(b, j)];
                for (target, h) in diagonals.column_mut(j).iter_mut().zip(slices.column(p)) {
                    *target += factor * h;
                }
            }
        }
        diagonals
    }
}

#[cfg(test)]
mod tests {
    use svtd::moments::ExactMoments;
    use svtd::synthetic::SingleTopicSource;
    use svtd::whitening::{Scaling, Whitening};

    use super::*;

    #[test]
    fn what_is_remembered_is_what_was_said() {
        let source = SingleTopicSource::uniform(9, 3, 4);
        let exact = || ExactMoments::single_topic(source.word_topic.clone(), &source.topic_weights);
        let (asked, whitening) = (exact(), Whitening::fit(&exact(), 3, Scaling::Plain).unwrap());
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-12);
        let rotation = Matrix::from_fn(3, 3, |i, j| ((i + 2 * j) as f64).cos());
        for (time, remembered) in
            [Remembered::new(exact()), Remembered::from_slices(exact())].iter().enumerate()
        {
            for _ in 0..2 {
                let (cube, said) = (
                    remembered.third_whitened(whitening.basis()),
                    asked.third_whitened(whitening.basis()),
                );
                assert!((0..3).all(|a| close(cube.slice(a), said.slice(a))), "{time}");
                let [a, b] = [remembered as &dyn Moments, &asked]
                    .map(|m| m.third_diagonals(whitening.basis(), &rotation));
                assert!(close(a.values(), b.values()), "{time}");
                for rows in [Rows::Kept, Rows::Removed] {
                    let slices =
                        |moments: &dyn Moments| moments.third_slices(whitening.basis(), rows, 2..5);
                    let (a, b) = (slices(remembered), slices(&asked));
                    assert!(close(a.values(), b.values()));
                }
                for direction in [[0.1; 9], [0.2; 9]] {
                    let towards = |moments: &dyn Moments| {
                        moments.third_towards(whitening.basis(), &direction)
                    };
                    assert!(close(towards(remembered).values(), towards(&asked).values()));
                }
            }
        }
    }
}
