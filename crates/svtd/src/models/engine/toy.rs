//! The smallest model the engine can search: a mixture of normals of variance one on a line.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

use super::LatentModel;
use crate::linalg::Matrix;

/// Points on a line.
pub struct Toy {
    points: Vec<f64>,
}

impl Toy {
    pub fn new(points: Vec<f64>) -> Self {
        Self { points }
    }
}

/// Points of a mixture given as (weight, mean), in turn.
pub fn drawn(components: &[(f64, f64)], n: usize) -> Vec<f64> {
    let mut generator = ChaCha8Rng::seed_from_u64(7);
    let noise = Normal::new(0.0, 1.0).unwrap();
    let mut points = Vec::new();
    for &(weight, mean) in components {
        for _ in 0..(weight * n as f64).round() as usize {
            points.push(mean + noise.sample(&mut generator));
        }
    }
    points
}

impl LatentModel for Toy {
    type Parameters = Vec<(f64, f64)>;

    fn n_rows(&self) -> usize {
        self.points.len()
    }

    fn n_components(&self, parameters: &Self::Parameters) -> usize {
        parameters.len()
    }

    fn step(&self, parameters: &Self::Parameters) -> (Self::Parameters, f64) {
        let r = self.responsibilities(parameters);
        let next = (0..parameters.len())
            .map(|j| {
                let mass: f64 = r.column(j).iter().sum();
                let sum: f64 = r.column(j).iter().zip(&self.points).map(|(r, x)| r * x).sum();
                (mass / self.points.len() as f64, sum / mass.max(1e-300))
            })
            .collect();
        (next, self.log_likelihood(parameters))
    }

    fn log_likelihood(&self, parameters: &Self::Parameters) -> f64 {
        let density = |x: f64| -> f64 {
            parameters.iter().map(|(w, m)| w * (-0.5 * (x - m).powi(2)).exp()).sum()
        };
        self.points.iter().map(|&x| density(x).ln()).sum()
    }

    fn n_free_parameters(&self, k: usize) -> usize {
        2 * k - 1
    }

    fn responsibilities(&self, parameters: &Self::Parameters) -> Matrix {
        let k = parameters.len();
        let mut r = Matrix::from_fn(self.points.len(), k, |u, j| {
            let (w, m) = parameters[j];
            w * (-0.5 * (self.points[u] - m).powi(2)).exp()
        });
        for u in 0..self.points.len() {
            let sum: f64 = (0..k).map(|j| r[(u, j)]).sum();
            (0..k).for_each(|j| r[(u, j)] /= sum.max(1e-300));
        }
        r
    }

    fn parameters_from(&self, responsibilities: &Matrix) -> Self::Parameters {
        let k = responsibilities.n_columns();
        let mean = self.points.iter().sum::<f64>() / self.points.len() as f64;
        let total = (self.points.len() + k) as f64;
        (0..k)
            .map(|j| {
                let column = responsibilities.column(j);
                let mass: f64 = 1.0 + column.iter().sum::<f64>();
                let sum: f64 = column.iter().zip(&self.points).map(|(r, x)| r * x).sum();
                (mass / total, (sum + mean) / mass)
            })
            .collect()
    }

    fn cuts(&self, parameters: &Self::Parameters, _: &Matrix, c: usize) -> Vec<Vec<f64>> {
        vec![self.points.iter().map(|x| x - parameters[c].1).collect()]
    }

    fn starts(&self, _: usize) -> Vec<(&'static str, Self::Parameters)> {
        Vec::new()
    }

    fn flatten(&self, parameters: &Self::Parameters) -> Vec<f64> {
        parameters.iter().flat_map(|&(w, m)| [w, m]).collect()
    }

    fn project(&self, flat: &[f64], safe: &Self::Parameters) -> Self::Parameters {
        let pairs = flat.chunks_exact(2).zip(safe);
        let weights: Vec<f64> =
            pairs.map(|(x, s)| if x[0] > 0.0 { x[0] } else { s.0 / 10.0 }).collect();
        let total: f64 = weights.iter().sum();
        let means = flat.chunks_exact(2).map(|x| x[1]);
        weights.iter().map(|w| w / total).zip(means).collect()
    }
}
