//! Eigenvectors of the third moment along a random direction of the features.
//!
//! The paper's Remark 4.5, after Algorithm A of Anandkumar, Hsu and Kakade, *A Method of Moments for
//! Mixture Models and Hidden Markov Models* (2012). With `U` an orthonormal basis of the range of
//! `M2` and a random direction `eta` of the `n` features,
//!
//! ```text
//! B = (U' M3(eta) U) (U' M2 U)^-1 = (U'M) diag(mu_j'eta) (U'M)^-1
//! ```
//!
//! whose eigenvectors `xi_j` give the columns `U xi_j` of `M`, up to scale.
//!
//! # Distribution of the direction
//! Entries are uniform in `[0, 1]`, as in the published experiments of the paper. All of them are positive and a
//! topic's probabilities sum to one, so the values `mu_j'eta` of all topics are close to the mean of `eta`, and
//! noise easily mixes the topics: this is the weakest of the rivals, and more data helps it little. Directions with
//! entries of either sign, or drawn within the range of `M2` as by [`singular_vectors`](super::singular_vectors),
//! do better; but a comparison with the paper needs the paper's choice.
//!
//! # How we differ from the source
//! The source has three different views of a sample, whose moments are not symmetric, so its `B` is a general
//! matrix and can have complex eigenvalues. Ours are symmetric: `U'M2 U = S` is diagonal and
//!
//! ```text
//! B = S^(1/2) H S^(-1/2),   H = W' M3(eta) W
//! ```
//!
//! We diagonalise the symmetric `H`. Its eigenvectors `o_j` give those of `B`, `S^(1/2) o_j`, and
//! the columns `U S^(1/2) o_j = E o_j`: the same answer, never complex, better conditioned. With
//! a scaled whitening `U` is a basis of the scaled features.
//!
//! # Cost
//! Two passes over the data for `H`, and `O(k^3)` from there; the cube is only needed for the residual.

use rand::Rng;

use crate::decomposition::{Decomposition, from_contraction, generator, normalise};
use crate::moments::{Cube, Moments};
use crate::whitening::Whitening;

/// Finds the rotation along the direction that `seed` draws.
pub fn decompose(
    moments: &dyn Moments,
    cube: &Cube,
    whitening: &Whitening,
    seed: u64,
) -> Decomposition {
    let mut rng = generator(seed);
    let mut unit = || (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut direction: Vec<f64> = (0..moments.n_features()).map(|_| unit()).collect();
    normalise(&mut direction);
    from_contraction(&moments.third_towards(whitening.basis(), &direction), cube, whitening)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Matrix, symmetric_eigen};
    use crate::moments::{Counting, DocumentWeights, SingleTopicMoments};
    use crate::synthetic::{Lengths, SingleTopicSource};
    use crate::whitening::Scaling;

    #[test]
    fn the_matrix_of_algorithm_a_has_real_eigenvalues_on_any_sample() {
        // Ten documents for four topics: noise, where the source's own matrix may well be complex.
        for seed in 0..20 {
            let source = SingleTopicSource::uniform(12, 4, seed);
            let corpus = source.draw(10, &Lengths::Fixed(6), seed + 50).0;
            let moments =
                SingleTopicMoments::estimate(&corpus, &DocumentWeights::Paper, Counting::Raw);
            let moments = moments.unwrap();
            let Ok(whitening) = Whitening::fit(&moments, 4, Scaling::Plain) else { continue };
            let direction = vec![1.0 / 12.0_f64.sqrt(); moments.n_features()];
            let h = moments.third_towards(whitening.basis(), &direction);
            // B = S^(1/2) H S^(-1/2): the eigenvectors of H give those of B.
            let roots: Vec<f64> = whitening.eigenvalues()[..4].iter().map(|v| v.sqrt()).collect();
            let b = Matrix::from_fn(4, 4, |i, j| roots[i] * h[(i, j)] / roots[j]);
            let (values, vectors) = symmetric_eigen(&h);
            let mut found = vectors.clone();
            found.scale_rows(&roots);
            let mut scaled = found.clone();
            scaled.scale_columns(&values);
            scaled.add(-1.0, &b.times(&found));
            assert!(scaled.frobenius_norm() <= 1e-10 * found.frobenius_norm(), "seed {seed}");
            let decomposition =
                decompose(&moments, &moments.third_whitened(whitening.basis()), &whitening, seed);
            assert!(decomposition.rotation.values().iter().all(|v| v.is_finite()));
        }
    }
}
