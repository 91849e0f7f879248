//! How topics move when groups of documents are left out, without a matrix for each group.
//!
//! Topics that are sums over documents, `w_ij = (S_ij + prior_i) / mass_j` with `S = X'Z`, become
//!
//! ```text
//! (S_ij + prior_i - o_ij) / m_j,       o = X_g'Z_g, m_j = mass_j less the group's own
//! step_ij = r_j w_ij - o_ij / m_j,     r_j = mass_j / m_j - 1
//! ```
//!
//! without a group. Words that the group does not use move by `r_j w_ij`, so only its own words are
//! visited: the sums of a group are made in a panel, folded into the totals over all groups, and
//! wiped out word by word.
//!
//! # Cost
//! Half a product with the counts, and a visit to every group's own words.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::counting::{DampedValue, EntryValue, GivenValue, RawValue};
use super::passes::{add_scaled, gather_columns};
use super::{Counting, NARROW, Panel, Products, WIDE};
use crate::corpus::SparseCounts;
use crate::linalg::Matrix;

/// Topics that are sums over documents, and the documents to leave out.
pub(crate) struct LeftOut<'a> {
    /// The documents of each group, rising.
    pub members: &'a [Vec<u32>],
    /// `Z`, documents x topics.
    pub shares: &'a Matrix,
    /// What every sum is multiplied by, features x topics, if by anything.
    pub factors: Option<&'a Matrix>,
    /// `w`, features x topics; each sums to one.
    pub whole: &'a Matrix,
    /// `mass_j`.
    pub masses: &'a [f64],
    /// What each group (row) has of the mass of each topic (column).
    pub own_masses: &'a Matrix,
    /// Mixtures of the groups whose steps are wanted: a factor for each group.
    pub mixtures: &'a [Vec<f64>],
}

/// Sums over the groups.
pub(crate) struct Steps {
    /// `sum_g step_ij`.
    pub sum: Matrix,
    /// `sum_g step_ij^2`.
    pub squares: Matrix,
    /// `sum_i |step_ij|` for each group (row) and topic (column).
    pub changes: Matrix,
    /// `sum_g factor_g step_ij` for each mixture.
    pub mixed: Vec<Matrix>,
}

impl Products<'_> {
    /// How far topics move without each group of documents.
    pub(crate) fn left_out(&self, left_out: &LeftOut<'_>) -> Steps {
        match self.counting {
            Counting::Raw => self.left_out_by(left_out, &RawValue),
            Counting::Damped => self.left_out_by(left_out, &DampedValue::new()),
        }
    }

    /// The same for a matrix with the pattern of the counts and `values` in their order.
    pub(crate) fn left_out_given(&self, values: &[f32], left_out: &LeftOut<'_>) -> Steps {
        self.left_out_by(left_out, &GivenValue(values))
    }

    fn left_out_by(&self, left_out: &LeftOut<'_>, value: &impl EntryValue) -> Steps {
        let (n, k, n_groups) =
            (self.n_features, left_out.whole.n_columns(), left_out.members.len());
        let n_mixtures = left_out.mixtures.len();
        let pass = LeftOutPass { rows: self.rows, left_out };
        let stacked =
            self.by_panels(k, (2 + n_mixtures) * n + n_groups, |panel| match panel.width {
                WIDE => pass.run_panel::<WIDE>(panel, value),
                _ => pass.run_panel::<NARROW>(panel, value),
            });
        let part = |from: usize, rows: usize| {
            let mut part = Matrix::zeros(rows, k);
            for j in 0..k {
                part.column_mut(j).copy_from_slice(&stacked.column(j)[from..from + rows]);
            }
            part
        };
        Steps {
            sum: part(0, n),
            squares: part(n, n),
            changes: part(2 * n, n_groups),
            mixed: (0..n_mixtures).map(|m| part((2 + m) * n + n_groups, n)).collect(),
        }
    }
}

struct LeftOutPass<'a> {
    rows: &'a SparseCounts,
    left_out: &'a LeftOut<'a>,
}

/// All groups, for a panel of topics; compiled for each instruction set.
struct Vectorised<'a, V, const W: usize> {
    pass: &'a LeftOutPass<'a>,
    columns: Range<usize>,
    value: &'a V,
    result: &'a mut [[f64; W]],
}

impl<V: EntryValue, const W: usize> WithSimd for Vectorised<'_, V, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.pass.run::<W>(self.columns, self.value, self.result);
    }
}

impl LeftOutPass<'_> {
    fn run_panel<const W: usize>(&self, panel: Panel<'_>, value: &impl EntryValue) {
        let mut result = vec![[0.0; W]; panel.n_rows()];
        let columns = panel.columns();
        Arch::new().dispatch(Vectorised { pass: self, columns, value, result: &mut result });
        panel.take(&result);
    }

    #[inline(always)]
    fn run<const W: usize>(
        &self,
        columns: Range<usize>,
        value: &impl EntryValue,
        result: &mut [[f64; W]],
    ) {
        let LeftOut { members, shares, factors, whole, masses, own_masses, mixtures } =
            *self.left_out;
        let whole = gather_columns::<W>(whole, columns.clone());
        let factors = factors.map(|factors| gather_columns::<W>(factors, columns.clone()));
        let shares: Vec<&[f64]> = columns.clone().map(|j| shares.column(j)).collect();
        let n = whole.len();
        let (sum, rest) = result.split_at_mut(n);
        let (squares, rest) = rest.split_at_mut(n);
        let (changes, mixed) = rest.split_at_mut(members.len());
        let mut mixed: Vec<&mut [[f64; W]]> = mixed.chunks_exact_mut(n.max(1)).collect();
        let mut own = vec![[0.0; W]; n];
        let mut is_own = vec![false; n];
        let (mut growths, mut growth_squares) = ([0.0; W], [0.0; W]);
        let mut mixed_growths = vec![[0.0; W]; mixtures.len()];
        for (g, documents) in members.iter().enumerate() {
            for &d in documents {
                let d = d as usize;
                let mut row = [0.0; W];
                row.iter_mut().zip(&shares).for_each(|(value, column)| *value = column[d]);
                let (features, counts) = self.rows.row(d);
                let first = self.rows.offsets()[d];
                for (e, (&i, &count)) in features.iter().zip(counts).enumerate() {
                    is_own[i as usize] = true;
                    let x = value.value(first + e, count);
                    add_scaled(&mut own[i as usize], x, &row);
                }
            }
            let (mut growth, mut scale) = ([0.0; W], [0.0; W]);
            for (place, j) in columns.clone().enumerate() {
                let left = (masses[j] - own_masses[(g, j)]).max(f64::MIN_POSITIVE);
                growth[place] = masses[j] / left - 1.0;
                scale[place] = 1.0 / left;
            }
            let (mut moved, mut unused) = ([0.0; W], [1.0; W]);
            // In the order of the words, which is that of memory.
            for i in (0..n).filter(|&i| is_own[i]) {
                if let Some(factors) = &factors {
                    (0..W).for_each(|j| own[i][j] *= factors[i][j]);
                }
                for j in 0..W {
                    let w = whole[i][j];
                    let (kept, lost) = (w * growth[j], own[i][j] * scale[j]);
                    let step = kept - lost;
                    sum[i][j] -= lost;
                    squares[i][j] += step * step - kept * kept;
                    moved[j] += step.abs();
                    unused[j] -= w;
                    own[i][j] = lost;
                }
                for (mixed, mixture) in mixed.iter_mut().zip(mixtures) {
                    add_scaled(&mut mixed[i], -mixture[g], &own[i]);
                }
                own[i] = [0.0; W];
            }
            is_own.fill(false);
            for (mixed, mixture) in mixed_growths.iter_mut().zip(mixtures) {
                add_scaled(mixed, mixture[g], &growth);
            }
            for j in 0..W {
                changes[g][j] = moved[j] + growth[j].abs() * unused[j].max(0.0);
                growths[j] += growth[j];
                growth_squares[j] += growth[j] * growth[j];
            }
        }
        for (i, w) in whole.iter().enumerate() {
            for j in 0..W {
                sum[i][j] += w[j] * growths[j];
                squares[i][j] += w[j] * w[j] * growth_squares[j];
            }
            for (mixed, growth) in mixed.iter_mut().zip(&mixed_growths) {
                (0..W).for_each(|j| mixed[i][j] += w[j] * growth[j]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Lengths, SingleTopicSource};

    #[test]
    fn steps_are_those_of_sums_made_without_each_group() {
        let corpus =
            SingleTopicSource::zipf(60, 3, 5.0, 100.0, 5.0, 1).draw(90, &Lengths::Fixed(9), 2).0;
        let products = Products::new(corpus.rows(), corpus.n_present(), Counting::Raw);
        let (n, k, n_groups) = (corpus.n_present(), 11, 4);
        let shares = Matrix::from_fn(90, k, |d, j| 0.1 + ((d * 7 + j * 3) % 5) as f64);
        let members: Vec<Vec<u32>> =
            (0..n_groups).map(|g| (g as u32..90).step_by(n_groups).collect()).collect();
        let topics = |weights: &[f64]| {
            let mut topics = products.backward(&shares, Some(weights));
            topics.values_mut().iter_mut().for_each(|value| *value += 0.3);
            let masses: Vec<f64> = (0..k).map(|j| topics.column(j).iter().sum()).collect();
            topics.scale_columns(&masses.iter().map(|m| 1.0 / m).collect::<Vec<f64>>());
            (topics, masses)
        };
        let (whole, masses) = topics(&[1.0; 90]);
        let without: Vec<(Matrix, Vec<f64>)> = (0..n_groups)
            .map(|g| {
                let stays = |d: usize| f64::from(u8::from(d % n_groups != g));
                topics(&(0..90).map(stays).collect::<Vec<f64>>())
            })
            .collect();
        let own_masses = Matrix::from_fn(n_groups, k, |g, j| masses[j] - without[g].1[j]);
        let (members, masses) = (&members[..], &masses[..]);
        let (shares, whole, own_masses) = (&shares, &whole, &own_masses);
        let mixtures = &[vec![1.0, -0.5, 0.25, 2.0]];
        let asked = LeftOut { members, shares, factors: None, whole, masses, own_masses, mixtures };
        let steps = products.left_out(&asked);
        let ones = Matrix::from_fn(n, k, |_, _| 1.0);
        let values: Vec<f32> = corpus.rows().counts().iter().map(|&x| x as f32).collect();
        let given = products.left_out_given(&values, &LeftOut { factors: Some(&ones), ..asked });
        for j in 0..k {
            for i in 0..n {
                let moved = without.iter().map(|(topics, _)| topics[(i, j)] - whole[(i, j)]);
                let sum: f64 = moved.clone().sum();
                let squares: f64 = moved.map(|step| step * step).sum();
                assert!((steps.sum[(i, j)] - sum).abs() < 1e-14);
                let moved = without.iter().map(|(topics, _)| topics[(i, j)] - whole[(i, j)]);
                let mixed: f64 = moved.zip(&mixtures[0]).map(|(step, factor)| step * factor).sum();
                assert!((steps.mixed[0][(i, j)] - mixed).abs() < 1e-14);
                assert!((steps.squares[(i, j)] - squares).abs() < 1e-15);
                assert_eq!(steps.squares[(i, j)], given.squares[(i, j)]);
            }
            for (g, (topics, _)) in without.iter().enumerate() {
                let pairs = topics.column(j).iter().zip(whole.column(j));
                let change: f64 = pairs.map(|(x, y)| (x - y).abs()).sum();
                assert!((steps.changes[(g, j)] - change).abs() < 1e-13);
            }
        }
    }
}
