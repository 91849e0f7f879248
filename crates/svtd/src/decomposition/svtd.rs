//! The paper's Algorithm 2, lines 3-9: one feature fixes the rotation.
//!
//! For a feature `r`, `H_r = O diag(mu_r1, ..., mu_rk) O'`, so its eigenvectors are `O` as long
//! as the values `mu_rj` differ. Remark 4.3 takes the feature whose two closest values lie
//! furthest apart:
//!
//! ```text
//! r = argmax_i  min_j ( sigma_j - sigma_(j+1) )(H_i)
//! ```
//!
//! # Pruning, exactly
//! `k` values with smallest gap `d` have a sum of squared deviations of at least
//! `d^2 k (k^2-1)/12`, hence
//!
//! ```text
//! gap_i <= sqrt( 12 (|H_i|^2 - trace(H_i)^2/k) / (k (k^2-1)) )
//! ```
//!
//! Features are visited in order of falling bound until no bound exceeds the best gap: this finds the same `r` as
//! examining all of them, with far fewer decompositions.
//!
//! # Departures from the paper
//! The text after Algorithm 2 takes `O` from the slice itself where line 5 takes it from `H_r`;
//! we follow line 5. Eigenvalues take the place of singular values: they agree when the data are
//! good, and do not confuse `mu` with `-mu` when they are not.

use rayon::prelude::*;

use super::{Decomposition, NO_GAP, joint, separation_and_residual};
use crate::linalg::Matrix;
use crate::moments::panels::feature_blocks;
use crate::moments::{Moments, Rows, unpack};
use crate::whitening::Whitening;

/// Features decomposed together while pruning; a constant, so that the result does not depend on the number of threads.
const BATCH: usize = 16;

/// Two gaps that differ by less than this, relatively, are tied: the lower feature wins.
const TIE: f64 = 1e-12;

/// Finds the pivot feature and takes the rotation from its slice.
///
/// When no feature separates the topics, the rotation is found by joint diagonalisation instead, and a note says
/// so.
pub fn decompose(moments: &dyn Moments, whitening: &Whitening, rows: Rows) -> Decomposition {
    let (n, k) = (moments.n_features(), whitening.n_topics());
    let mut best: Option<Candidate> = None;
    for range in feature_blocks(n, k) {
        let slices = moments.third_slices(whitening.basis(), rows, range.clone());
        best = best_feature(&slices, range.start, k, best);
    }
    match best {
        Some(found) if found.gap > NO_GAP * found.norm => Decomposition {
            pivot: Some(found.feature),
            separation: found.gap,
            residual: separation_and_residual(
                &moments.third_whitened(whitening.basis()),
                whitening,
                &found.vectors,
            )
            .1,
            rotation: found.vectors,
            joint: None,
            note: None,
        },
        _ => {
            let mut fallback =
                joint::decompose(&moments.third_whitened(whitening.basis()), whitening);
            fallback.note = Some(
                "no feature tells all topics apart, so the rotation was found jointly".to_owned(),
            );
            fallback
        }
    }
}

/// A feature with its gap and the eigenvectors of its slice.
struct Candidate {
    feature: usize,
    gap: f64,
    norm: f64,
    vectors: Matrix,
}

impl Candidate {
    /// Whether this candidate is better: its gap is clearly larger, or equal and its index lower.
    fn beats(&self, other: &Candidate) -> bool {
        if self.gap > other.gap * (1.0 + TIE) {
            return true;
        }
        self.gap >= other.gap * (1.0 - TIE) && self.feature < other.feature
    }
}

/// The feature with the largest gap among these slices and the best so far.
fn best_feature(
    slices: &Matrix,
    first_feature: usize,
    k: usize,
    mut best: Option<Candidate>,
) -> Option<Candidate> {
    let mut order: Vec<(f64, usize)> =
        (0..slices.n_rows()).into_par_iter().map(|row| (gap_bound(slices, row, k), row)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for batch in order.chunks(BATCH) {
        let reachable = |bound: f64| best.as_ref().is_none_or(|b| bound >= b.gap * (1.0 - TIE));
        if !batch.first().is_some_and(|&(bound, _)| reachable(bound)) {
            break;
        }
        let found: Vec<Candidate> = batch
            .par_iter()
            .map(|&(_, row)| candidate(&slices.row(row), first_feature + row, k))
            .collect();
        for one in found {
            if one.gap.is_finite() && best.as_ref().is_none_or(|b| one.beats(b)) {
                best = Some(one);
            }
        }
    }
    best
}

fn candidate(packed: &[f64], feature: usize, k: usize) -> Candidate {
    let slice = unpack(k, packed);
    let (gap, _, vectors) = joint::slice_eigen(&slice);
    Candidate { feature, gap, norm: slice.frobenius_norm(), vectors }
}

/// The largest gap that a slice of this norm and trace can have.
fn gap_bound(slices: &Matrix, row: usize, k: usize) -> f64 {
    let (mut square, mut trace, mut packed) = (0.0, 0.0, 0);
    for a in 0..k {
        for b in a..k {
            let value = slices[(row, packed)];
            square += if a == b { value * value } else { 2.0 * value * value };
            trace += if a == b { value } else { 0.0 };
            packed += 1;
        }
    }
    let k = k as f64;
    if k < 2.0 {
        return square.sqrt();
    }
    // The bound must hold despite rounding errors.
    let spread = (square - trace * trace / k).max(0.0);
    (12.0 * spread / (k * (k * k - 1.0))).sqrt() * (1.0 + 1e-9) + 1e-12 * square.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pruning_finds_the_same_feature_as_looking_at_all() {
        let k = 4;
        let n = 300;
        let slices = Matrix::from_fn(n, k * (k + 1) / 2, |i, p| {
            ((i * 31 + p * 17) as f64 * 0.61).sin() / (1.0 + i as f64 * 0.05)
        });
        let all = (0..n)
            .map(|i| candidate(&slices.row(i), i, k))
            .reduce(|best, one| if one.beats(&best) { one } else { best })
            .unwrap();
        let pruned = best_feature(&slices, 0, k, None).unwrap();
        assert_eq!(pruned.feature, all.feature);
        for i in 0..n {
            let gap = candidate(&slices.row(i), i, k).gap;
            assert!(gap <= gap_bound(&slices, i, k), "the bound holds for feature {i}");
        }
    }

    #[test]
    fn equal_gaps_go_to_the_lower_feature_also_across_blocks() {
        let slices = Matrix::from_fn(3, 3, |_, p| [1.0, 0.0, 3.0][p]);
        let first = best_feature(&slices, 0, 2, None);
        let second = best_feature(&slices, 3, 2, first).unwrap();
        assert_eq!(second.feature, 0);
    }
}
