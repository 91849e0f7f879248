//! Starts of latent classes, and the direction along which a class is cut in two.

use std::ops::Range;

use super::data::Records;
use super::items::{Item, ItemKind, widths};
use super::model::ClassModel;
use super::parameters::ClassParameters;
use super::spectral::{Spectral, item_of, scaled_pairs, spectral_classes};
use crate::krylov::leading_eigenpairs;
use crate::linalg::{Matrix, symmetric_eigen};
use crate::models::engine::{
    LatentModel, by_blocks, partition_responsibilities, pca_partition, signed,
};
use crate::models::table::MISSING;

/// Number of bins of a numeric item where a start needs categories.
const BINS: usize = 5;

/// Number of Lloyd steps after the partition.
const LLOYD_STEPS: usize = 20;

/// Added to the variance of an answer, so that rare answers do not decide a cut.
const VARIANCE_RIDGE: f64 = 0.02;

/// Number of patterns in one task.
const BLOCK: usize = 1024;

/// A symmetric matrix with at most this many rows is decomposed completely.
const SMALL_MATRIX: usize = 200;

impl ClassModel {
    /// The spectral start and the partition along principal components.
    pub(super) fn own_starts(&self, k: usize) -> Vec<(&'static str, ClassParameters)> {
        if !self.laws.is_empty() {
            return self.starts_of_bins(k);
        }
        let spectral = spectral_classes(&self.records, &self.frequencies, k, Spectral::START);
        let partition = self.partition_start(k);
        let named = [("moments", spectral), ("partition", partition)];
        named.into_iter().filter_map(|(name, start)| Some((name, start?))).collect()
    }

    /// With numeric items: the starts of the same records with numbers cut into quantile bins.
    fn starts_of_bins(&self, k: usize) -> Vec<(&'static str, ClassParameters)> {
        let binned = ClassModel::new(binned(&self.records), 1.0);
        let starts = binned.own_starts(k).into_iter();
        let on_all = |(name, start): (&'static str, ClassParameters)| {
            (name, self.parameters_from(&binned.responsibilities(&start)))
        };
        starts.map(on_all).collect()
    }

    /// Records partitioned along the leading directions of the pair moment.
    fn partition_start(&self, k: usize) -> Option<ClassParameters> {
        let n = self.records.n_categories();
        let jc = self.records.offsets().len() - 1;
        let (mut covariance, scales) = scaled_pairs(&self.records, &self.frequencies);
        let item_of = item_of(self.records.offsets());
        let gm: Vec<f64> = scales.iter().zip(&self.frequencies).map(|(g, m1)| g * m1).collect();
        for i in 0..n {
            for h in (0..n).filter(|&h| item_of[h] != item_of[i]) {
                covariance[(i, h)] -= gm[i] * gm[h];
            }
        }
        let vectors = leading(&covariance, (k - 1).min(n));
        let width = vectors.n_columns();
        // The score of an answer is its row, less the item's mean row.
        let mut table = vec![0.0; (n + 1) * width];
        for pair in self.records.offsets().windows(2) {
            for l in 0..width {
                let mean: f64 = (pair[0]..pair[1]).map(|i| gm[i] * vectors[(i, l)]).sum();
                for i in pair[0]..pair[1] {
                    table[i * width + l] = scales[i] * vectors[(i, l)] - mean;
                }
            }
        }
        let rows = self.records.n_patterns();
        let codes = &self.records.rows.codes;
        let points = Matrix::from_fn(rows, width, |u, l| {
            codes[u * jc..(u + 1) * jc].iter().map(|&c| table[c as usize * width + l]).sum()
        });
        let clusters = pca_partition(&points, Some(self.records.weights()), k, LLOYD_STEPS)?;
        Some(self.parameters_from(&partition_responsibilities(&clusters, k, 1.0)))
    }

    /// Scores along the direction in which answers within class `c` are still correlated.
    ///
    /// `z = (x - p_c)(p_c (1 - p_c) + .02)^(-1/2)`, 0 where missing; numbers by their deviation.
    /// The direction is the leading eigenvector of the covariance of `z` within the class, without
    /// the blocks of single items.
    pub(super) fn cut_score(&self, p: &ClassParameters, r: &[f64], c: usize) -> Vec<f64> {
        let standard = Standard::new(self, p, c);
        let covariance = standard.covariance(self, r);
        let vector = signed(leading(&covariance, 1).column(0));
        standard.scores(self, &vector)
    }
}

/// How answers are standardised within a class.
struct Standard {
    /// Probability of every category, then 0 for every numeric item.
    shift: Vec<f64>,
    scale: Vec<f64>,
    /// Centre and deviation of every numeric item.
    numeric: Vec<(f64, f64)>,
    item_of: Vec<usize>,
}

impl Standard {
    fn new(model: &ClassModel, p: &ClassParameters, c: usize) -> Self {
        let k = p.n_classes();
        let mut shift: Vec<f64> = p.probabilities.iter().skip(c).step_by(k).copied().collect();
        let mut scale: Vec<f64> =
            shift.iter().map(|p| (p * (1.0 - p) + VARIANCE_RIDGE).powf(-0.5)).collect();
        let mut item_of = item_of(model.records.offsets());
        let (jc, jn) = widths(model.records.items());
        let numeric = (0..jn).map(|l| {
            let variance = match model.laws[l] {
                super::parameters::Law::Poisson => p.centres[l * k + c],
                super::parameters::Law::Normal => p.variances[l * k + c],
            };
            (p.centres[l * k + c], variance.max(1e-12).sqrt())
        });
        let numeric: Vec<(f64, f64)> = numeric.collect();
        shift.extend(std::iter::repeat_n(0.0, jn));
        scale.extend(std::iter::repeat_n(1.0, jn));
        item_of.extend(jc..jc + jn);
        Self { shift, scale, numeric, item_of }
    }

    /// Indices and values of a row's answers: 1 for a category, a standardised number.
    fn entries(&self, model: &ClassModel, u: usize, into: &mut Vec<(usize, f64)>) {
        let n = model.records.n_categories();
        let (jc, jn) = widths(model.records.items());
        into.clear();
        let codes = &model.records.rows.codes[u * jc..(u + 1) * jc];
        into.extend(codes.iter().filter(|&&c| c as usize != n).map(|&c| (c as usize, 1.0)));
        let values = &model.records.rows.values[u * jn..(u + 1) * jn];
        for (l, (x, (centre, deviation))) in values.iter().zip(&self.numeric).enumerate() {
            if !x.is_nan() {
                into.push((n + l, (x - centre) / deviation));
            }
        }
    }

    fn covariance(&self, model: &ClassModel, r: &[f64]) -> Matrix {
        let width = self.shift.len();
        let weights = model.records.weights();
        let part = |range: Range<usize>| {
            // Pairs in the upper triangle, sums on the diagonal.
            let mut sums = vec![0.0; width * width];
            let mut entries = Vec::new();
            for u in range {
                let weight = weights[u] * r[u];
                self.entries(model, u, &mut entries);
                for (a, &(i, x)) in entries.iter().enumerate() {
                    let row = &mut sums[i * width..(i + 1) * width];
                    row[i] += weight * x;
                    entries[a + 1..].iter().for_each(|&(h, y)| row[h] += weight * x * y);
                }
            }
            sums
        };
        let add = |sum: &mut Vec<f64>, more: Vec<f64>| {
            sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
        };
        let block = BLOCK.max(width * width / 8);
        let sums = by_blocks(model.records.n_patterns(), block, part, add)
            .unwrap_or_else(|| vec![0.0; width * width]);
        let mass: f64 = r.iter().zip(weights).map(|(r, w)| r * w).sum::<f64>().max(1e-300);
        self.centred(&sums, mass)
    }

    /// `z` stands for `scale (x - [observed] shift)`: sums of products and sums of `x` are converted to those of
    /// `z`, and the product of means is subtracted.
    fn centred(&self, sums: &[f64], mass: f64) -> Matrix {
        let width = self.shift.len();
        let pairs = Matrix::from_fn(width, width, |i, h| {
            if self.item_of[i] == self.item_of[h] { 0.0 } else { sums[i.min(h) * width + i.max(h)] }
        });
        let items = self.item_of.last().map_or(0, |last| last + 1);
        // Row i, item c: the sum of x_i over rows that answer c.
        let mut by_item = Matrix::zeros(width, items);
        let mut singles = vec![0.0; items];
        for h in 0..width {
            let c = self.item_of[h];
            singles[c] += sums[h * width + h];
            (0..width).for_each(|i| by_item[(i, c)] += pairs[(i, h)]);
        }
        let mut both = Matrix::zeros(items, items);
        for i in 0..width {
            (0..items).for_each(|c| both[(self.item_of[i], c)] += by_item[(i, c)]);
        }
        let mean =
            |i: usize| (sums[i * width + i] - self.shift[i] * singles[self.item_of[i]]) / mass;
        let means: Vec<f64> = (0..width).map(mean).collect();
        Matrix::from_fn(width, width, |i, h| {
            let (b, c) = (self.item_of[i], self.item_of[h]);
            if b == c {
                return 0.0;
            }
            let product =
                pairs[(i, h)] - self.shift[h] * by_item[(i, c)] - self.shift[i] * by_item[(h, b)]
                    + self.shift[i] * self.shift[h] * both[(b, c)];
            self.scale[i] * self.scale[h] * (product / mass - means[i] * means[h])
        })
    }

    /// The score of every pattern.
    fn scores(&self, model: &ClassModel, vector: &[f64]) -> Vec<f64> {
        let offsets = model.records.offsets();
        let loading: Vec<f64> = vector.iter().zip(&self.scale).map(|(v, s)| v * s).collect();
        // The contribution of an item's shift, whatever the answer.
        let base: Vec<f64> = offsets
            .windows(2)
            .map(|pair| (pair[0]..pair[1]).map(|i| loading[i] * self.shift[i]).sum())
            .collect();
        let n = model.records.n_categories();
        let part = |range: Range<usize>| {
            let mut entries = Vec::new();
            let mut scores = Vec::with_capacity(range.len());
            for u in range {
                self.entries(model, u, &mut entries);
                let score = entries.iter().map(|&(i, x)| {
                    loading[i] * x - if i < n { base[self.item_of[i]] } else { 0.0 }
                });
                scores.push(score.sum());
            }
            scores
        };
        by_blocks(model.records.n_patterns(), BLOCK, part, |all: &mut Vec<f64>, more| {
            all.extend(more)
        })
        .unwrap_or_default()
    }
}

/// The leading eigenvectors of a symmetric matrix.
fn leading(matrix: &Matrix, k: usize) -> Matrix {
    let n = matrix.n_rows();
    if n <= SMALL_MATRIX {
        return symmetric_eigen(matrix).1.columns(0..k.min(n));
    }
    leading_eigenpairs(n, k, 1e-6, |block| matrix.times(block)).vectors
}

/// The same rows with numbers cut into quantile bins.
fn binned(records: &Records) -> Records {
    let (jc, jn) = widths(records.items());
    let rows = records.n_patterns();
    let edges: Vec<Vec<f64>> = (0..jn).map(|l| quantiles(records, l)).collect();
    let mut items: Vec<Item> = records.categorical().cloned().collect();
    for (item, edges) in records.numeric().zip(&edges) {
        let labels = (0..=edges.len()).map(|bin| bin.to_string()).collect();
        items.push(Item { name: item.name.clone(), kind: ItemKind::Categorical { labels } });
    }
    let n = records.n_categories() as u32;
    let mut codes = Vec::with_capacity(rows * (jc + jn));
    for u in 0..rows {
        for (b, &code) in records.rows.codes[u * jc..(u + 1) * jc].iter().enumerate() {
            codes.push(if code == n { MISSING } else { code - records.offsets()[b] as u32 });
        }
        for (l, edges) in edges.iter().enumerate() {
            let x = records.rows.values[u * jn + l];
            codes.push(if x.is_nan() {
                MISSING
            } else {
                edges.iter().filter(|e| x > **e).count() as u32
            });
        }
    }
    Records::with_rows(items, &codes, records.weights().to_vec())
}

/// Where a numeric item is cut: its inner quantiles, without repeats.
fn quantiles(records: &Records, l: usize) -> Vec<f64> {
    let jn = records.numeric().count();
    let mut values: Vec<f64> =
        records.rows.values.iter().skip(l).step_by(jn).filter(|x| !x.is_nan()).copied().collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let mut edges: Vec<f64> =
        (1..BINS).filter_map(|q| values.get(q * values.len() / BINS).copied()).collect();
    edges.dedup();
    // A cut at the largest value leaves nothing above it.
    edges.retain(|edge| values.get(last).is_some_and(|largest| edge < largest));
    edges
}
