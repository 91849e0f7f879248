//! What trust and z-scores ask of a document, by plain loops.

use super::{Row, counted, outer, posterior, times, weight};
use crate::questions::{
    ConjugateDirections, Directions, FeedbackRequest, Holding, Order, Settling,
};

/// A mixture at rest: what the document holds of each topic, and its part of `C'B`.
pub(super) fn settled(row: &Row, settling: &Settling) -> (Vec<f64>, Vec<f64>) {
    let (n, k) = (row.len(), settling.alpha.len());
    let mut mixture = settling.alpha.clone();
    let (mut held, mut sums) = (vec![0.0; k], vec![0.0; n * k]);
    let stages = settling.stages.iter().enumerate();
    for topics in stages.flat_map(|(s, topics)| vec![topics; if s == 0 { 3 } else { 1 }]) {
        let (mut sum, mut squares) = (vec![0.0; k], vec![0.0; k]);
        sums.fill(0.0);
        for i in (0..n).filter(|&i| row[i] > 0.0) {
            let explained: f64 = (0..k).map(|j| topics[(i, j)] * mixture[j]).sum();
            let share = row[i] / explained;
            for j in 0..k {
                sum[j] += share * topics[(i, j)];
                squares[j] += share * share / row[i] * topics[(i, j)].powi(2);
                sums[j * n + i] = f64::from(share as f32) * mixture[j];
            }
        }
        for j in 0..k {
            let (b, before) = (mixture[j], settling.alpha[j]);
            held[j] = b * sum[j];
            let (m, v) = (held[j] + before, (b * (sum[j] - b * squares[j])).max(0.0));
            mixture[j] = match settling.order {
                Order::Zeroth => m,
                Order::Second => m / (1.0 + v / (2.0 * m * m)),
            };
        }
    }
    (held, sums)
}

/// Numbers of documents and what they hold, in eight ranges to a power of two from 2^-40 on.
pub(super) fn ranges(held: &[Vec<f64>]) -> Vec<f64> {
    let (k, n) = (held[0].len(), 640);
    let mut sums = vec![0.0; 2 * n * k];
    for row in held {
        for (j, &held) in row.iter().enumerate().filter(|(_, held)| **held > 0.0) {
            let begins = |at: usize| 2_f64.powi(at as i32 / 8 - 40) * (1.0 + (at % 8) as f64 / 8.0);
            let at = (1..n).take_while(|&at| begins(at) <= held).count();
            sums[j * n + at] += 1.0;
            sums[n * k + j * n + at] += held;
        }
    }
    sums
}

/// How a document measures directions of the pair moment.
pub(super) fn measured(
    directions: &Directions,
    z: &[f64],
    own: &[f64],
    zeta: &[f64],
    w: [f64; 3],
) -> Vec<f64> {
    let Directions { means, a1, conjugate, .. } = directions;
    let k = means.len();
    let term = |x: f64, y: f64, mean_x: f64, mean_y: f64| {
        w[1] * x * y - a1 * w[0] * (x * mean_y + y * mean_x)
    };
    let mut sums = Vec::new();
    let Some(ConjugateDirections { means: conjugate_means, clear, .. }) = conjugate else {
        (0..k * k).for_each(|at| sums.push(w[1] * z[at % k] * z[at / k]));
        for j in 0..k {
            let term = term(z[j], z[j], means[j], means[j]);
            sums.extend([term, term * term]);
        }
        return sums;
    };
    (0..k).for_each(|j| sums.push(w[1] * (zeta[j] * zeta[j] - own[j])));
    for j in 0..k {
        let term =
            w[1] * (zeta[j] * zeta[j] - own[j]) - 2.0 * a1 * w[0] * zeta[j] * conjugate_means[j];
        sums.extend([term, term * term]);
    }
    for &b in clear {
        for j in 0..k {
            let term = if j > b { term(zeta[b], z[j], conjugate_means[b], means[j]) } else { 0.0 };
            sums.extend([term, term * term]);
        }
    }
    sums
}

/// How the posterior follows a change of the topics.
pub(super) fn feedback(raw: &Row, request: &FeedbackRequest) -> Vec<f64> {
    let FeedbackRequest { logarithms, weights, scores, clamped } = request;
    let (p, _) = posterior(raw, logarithms, weights);
    let (n, c, k) = (raw.len(), raw.iter().sum::<f64>(), p.len());
    let in_doubt = c > 0.0 && 1.0 - p.iter().copied().fold(0.0, f64::max) > 1e-3;
    if !in_doubt {
        return vec![0.0; n * k + 2 * k + 1];
    }
    let image = times(raw, &scores.words);
    let l = |j: usize| image[j] + scores.constants[j] - c * scores.per_word[j];
    let mean: f64 = (0..k).map(|j| p[j] * l(j)).sum();
    let moved = |j: usize| {
        let moved = p[j] * (l(j) - mean);
        if *clamped { moved.clamp(-p[j], 1.0 - p[j]) } else { moved }
    };
    let moved: Vec<f64> = (0..k).map(moved).collect();
    let mut sums: Vec<f64> = outer(raw, &moved).collect();
    sums.extend(&moved);
    sums.extend(moved.iter().map(|m| c * m));
    sums.push(raw.iter().filter(|x| **x > 0.0).count() as f64);
    sums
}

/// What a document holds of each topic.
pub(super) fn held(raw: &Row, holding: &Holding) -> Vec<f64> {
    match holding {
        Holding::Pairs(counting, _, b) => {
            let row = counted(raw, *counting);
            let w2 = weight(2, row.iter().sum());
            let own = |j: usize| (0..row.len()).map(|h| row[h] * b[(h, j)].powi(2)).sum::<f64>();
            let pairs = |(j, z): (usize, &f64)| w2 * (z * z - own(j)).max(0.0);
            times(&row, b).iter().enumerate().map(pairs).collect()
        }
        Holding::Posteriors(logarithms, weights) => {
            let c: f64 = raw.iter().sum();
            posterior(raw, logarithms, weights).0.iter().map(|p| c * p).collect()
        }
        Holding::Settled(settling) => settled(raw, settling).0,
    }
}
