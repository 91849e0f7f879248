//! Measures directions on documents that were not used to find them, and makes the directions conjugate.

use std::ops::Range;

use pulp::Arch;

use crate::linalg::{Matrix, dot};
use crate::moments::table::Table;
use crate::moments::weighed::Weighed;
use crate::questions::{ConjugateDirections, Directions, Request};

/// Later directions are made conjugate to a direction if it exceeds this many standard errors.
const CLEAR_ENOUGH: f64 = 2.0;

/// A sum of terms over documents, and of their squares.
#[derive(Clone, Copy, Default)]
pub(super) struct Spread {
    sum: f64,
    squares: f64,
}

impl Spread {
    /// The variance of the sum over `n` documents.
    pub fn variance(self, n: usize) -> f64 {
        self.squares - self.sum * self.sum / n.max(1) as f64
    }
}

/// Sums over documents for the directions.
pub(super) struct Measured {
    /// `Z'(w2 o Z)` with `Z = X V`: the pair moment along the directions, pairs of a token with itself included.
    pub gram: Matrix,
    /// Terms of `v_j'Q v_j` and their squares, pairs of a token with itself included.
    pub rough: Vec<Spread>,
}

/// Sums over documents for the conjugate directions.
pub(super) struct MeasuredConjugate {
    /// `sum_d w2_d ((x_d'u_j)^2 - sum_h x_dh u_hj^2)`: the pair moment along each conjugate direction.
    pub totals: Vec<f64>,
    /// Terms of `u_j'Q u_j` and their squares.
    pub spreads: Vec<Spread>,
    /// Terms of `u_b'Q v_j` and their squares: for every clear direction `b` one entry for every `j`.
    products: Vec<Vec<Spread>>,
    /// The clear directions `b`.
    clear: Vec<usize>,
}

impl MeasuredConjugate {
    /// Sums for `u_b'Q v_j`, for the clear directions `b` before `j`.
    pub fn products_before(&self, j: usize) -> impl Iterator<Item = (usize, Spread)> {
        let all = self.clear.iter().zip(&self.products);
        all.filter(move |(b, _)| **b < j).map(move |(b, products)| (*b, products[j]))
    }
}

impl Directions {
    /// Directions before they are made conjugate; `first` is `M1`.
    pub(super) fn new(v: Matrix, a1: f64, first: &[f64]) -> Self {
        let means = means(first, &v);
        Self { v, a1, means, conjugate: None }
    }

    /// These directions, with the conjugate ones added.
    pub(super) fn conjugate(self, conjugate: &Conjugate, first: &[f64]) -> Self {
        let means = means(first, &self.v.times(&conjugate.mixing));
        let (mixing, clear) = (conjugate.mixing.clone(), conjugate.clear.clone());
        Self { conjugate: Some(ConjugateDirections { mixing, means, clear }), ..self }
    }

    /// The number of values in an answer.
    fn n_sums(&self) -> usize {
        let k = self.means.len();
        self.conjugate
            .as_ref()
            .map_or(k * k + 2 * k, |conjugate| 3 * k + 2 * k * conjugate.clear.len())
    }

    /// Whether the tables have consistent sizes for this many features.
    pub(crate) fn fit(&self, n_features: usize) -> bool {
        let k = self.means.len();
        let conjugate =
            self.conjugate.as_ref().is_none_or(|ConjugateDirections { mixing, means, clear }| {
                (mixing.n_rows(), mixing.n_columns(), means.len()) == (k, k, k)
                    && clear.len() <= k
                    && clear.iter().all(|b| *b < k)
            });
        (self.v.n_rows(), self.v.n_columns()) == (n_features, k) && conjugate
    }

    /// Asks the documents for the sums.
    fn ask(&self, documents: &Weighed<'_>) -> Vec<f64> {
        let request = |counting, weighing| Request::Directions(counting, weighing, self.clone());
        documents.sum(self.n_sums(), request, |table| self.sums(table))
    }

    /// Measures the directions on documents.
    pub(super) fn measured(&self, documents: &Weighed<'_>) -> Measured {
        let (sums, k) = (self.ask(documents), self.means.len());
        let gram = Matrix::from_columns(k, k, sums[..k * k].to_vec());
        Measured { gram, rough: spreads(&sums[k * k..]) }
    }

    /// Measures the conjugate directions on documents.
    pub(super) fn measured_conjugate(&self, documents: &Weighed<'_>) -> MeasuredConjugate {
        let (sums, k) = (self.ask(documents), self.means.len());
        let (totals, rest) = sums.split_at(k);
        let (own, products) = rest.split_at(2 * k);
        MeasuredConjugate {
            totals: totals.to_vec(),
            spreads: spreads(own),
            products: products.chunks_exact((2 * k).max(1)).map(spreads).collect(),
            clear: self
                .conjugate
                .as_ref()
                .map_or_else(Vec::new, |conjugate| conjugate.clear.clone()),
        }
    }

    /// The sums over the documents of a table.
    pub(crate) fn sums(&self, table: &Table<'_>) -> Vec<f64> {
        let z = table.products.forward(&self.v);
        let Some(conjugate) = &self.conjugate else {
            return table.sums(self.n_sums(), |range, sums| self.add(table, &z, range, sums));
        };
        let (mut u, zeta) = (self.v.times(&conjugate.mixing), z.times(&conjugate.mixing));
        u.values_mut().iter_mut().for_each(|value| *value *= *value);
        let own = table.products.forward(&u);
        table.sums(self.n_sums(), |range, sums| {
            self.add_conjugate(table, conjugate, [&z, &zeta, &own], range, sums);
        })
    }

    fn add(&self, table: &Table<'_>, z: &Matrix, range: Range<usize>, sums: &mut [f64]) {
        let k = self.means.len();
        let mut scaled = z.rows(range.clone());
        let rows = scaled.clone();
        scaled.scale_rows(&table.weights.second[range.clone()]);
        sums[..k * k].copy_from_slice(scaled.transpose_times(&rows).values());
        for (j, spread) in sums[k * k..].chunks_exact_mut(2).enumerate() {
            let one = (z.column(j), self.means[j]);
            self.add_products(table, [one, one], range.clone(), spread);
        }
    }

    fn add_conjugate(
        &self,
        table: &Table<'_>,
        conjugate: &ConjugateDirections,
        [z, zeta, own]: [&Matrix; 3],
        range: Range<usize>,
        sums: &mut [f64],
    ) {
        let k = self.means.len();
        let (w1, w2) = (&table.weights.first, &table.weights.second);
        let (totals, rest) = sums.split_at_mut(k);
        let (spreads, products) = rest.split_at_mut(2 * k);
        for (j, (total, spread)) in totals.iter_mut().zip(spreads.chunks_exact_mut(2)).enumerate() {
            let (zeta, own, mean) = (zeta.column(j), own.column(j), conjugate.means[j]);
            for d in range.clone() {
                let pairs = w2[d] * (zeta[d] * zeta[d] - own[d]);
                let term = pairs - 2.0 * self.a1 * w1[d] * zeta[d] * mean;
                *total += pairs;
                spread[0] += term;
                spread[1] += term * term;
            }
        }
        for (&b, products) in conjugate.clear.iter().zip(products.chunks_exact_mut((2 * k).max(1)))
        {
            for (j, spread) in products.chunks_exact_mut(2).enumerate().skip(b + 1) {
                let pair = [(zeta.column(b), conjugate.means[b]), (z.column(j), self.means[j])];
                self.add_products(table, pair, range.clone(), spread);
            }
        }
    }

    /// The terms of `a'Q b`, given `X a` and `a'M1`, `X b` and `b'M1`.
    fn add_products(
        &self,
        table: &Table<'_>,
        [(a, mean_a), (b, mean_b)]: [(&[f64], f64); 2],
        range: Range<usize>,
        spread: &mut [f64],
    ) {
        let columns =
            [&table.weights.first, &table.weights.second, a, b].map(|c| &c[range.clone()]);
        let terms = Terms { columns, a1: self.a1, mean_a, mean_b };
        let sums = Arch::new().dispatch(
            #[inline(always)]
            || terms.sums(),
        );
        spread.iter_mut().zip(sums).for_each(|(spread, sum)| *spread += sum);
    }
}

/// The terms `w2 x y - a1 w1 (x mean_b + y mean_a)` of documents.
struct Terms<'a> {
    /// `w1`, `w2`, `x` and `y` of each document.
    columns: [&'a [f64]; 4],
    a1: f64,
    mean_a: f64,
    mean_b: f64,
}

impl Terms<'_> {
    /// Their sum and the sum of their squares, in lanes that fit vector registers.
    #[inline(always)]
    fn sums(&self) -> [f64; 2] {
        const LANES: usize = 8;
        let (mut sums, mut squares) = ([0.0; LANES], [0.0; LANES]);
        let mut add = |lane: usize, [w1, w2, x, y]: [f64; 4]| {
            let term = w2 * x * y - self.a1 * w1 * (x * self.mean_b + y * self.mean_a);
            sums[lane] += term;
            squares[lane] += term * term;
        };
        let [w1, w2, x, y] = self.columns.map(|column| column.as_chunks::<LANES>());
        for (((w1, w2), x), y) in w1.0.iter().zip(w2.0).zip(x.0).zip(y.0) {
            (0..LANES).for_each(|l| add(l, [w1[l], w2[l], x[l], y[l]]));
        }
        for (l, w1) in w1.1.iter().enumerate() {
            add(l, [*w1, w2.1[l], x.1[l], y.1[l]]);
        }
        [sums.iter().sum(), squares.iter().sum()]
    }
}

/// `v_j'M1` for all directions.
fn means(first: &[f64], v: &Matrix) -> Vec<f64> {
    (0..v.n_columns()).map(|j| dot(first, v.column(j))).collect()
}

fn spreads(sums: &[f64]) -> Vec<Spread> {
    sums.as_chunks::<2>().0.iter().map(|&[sum, squares]| Spread { sum, squares }).collect()
}

/// Directions conjugate, with respect to `Q`, to the clear ones before them.
pub(super) struct Conjugate {
    /// `U = V mixing`; upper triangular.
    pub mixing: Matrix,
    /// `u_j'Q u_j`: what each direction adds to the clear ones before it.
    pub strengths: Vec<f64>,
    /// The clear directions, to which the later ones are conjugate.
    pub clear: Vec<usize>,
}

impl Conjugate {
    pub fn new(q: &Matrix, errors: &[f64]) -> Self {
        let k = errors.len();
        let mut conjugate =
            Self { mixing: Matrix::identity(k), strengths: vec![0.0; k], clear: Vec::new() };
        for (j, error) in errors.iter().enumerate() {
            let mut strength = q[(j, j)];
            for &b in &conjugate.clear {
                let product = dot(conjugate.mixing.column(b), q.column(j));
                let part = product / conjugate.strengths[b];
                strength -= part * product;
                for i in 0..=b {
                    let less = part * conjugate.mixing[(i, b)];
                    conjugate.mixing[(i, j)] -= less;
                }
            }
            conjugate.strengths[j] = strength;
            if strength > CLEAR_ENOUGH * error {
                conjugate.clear.push(j);
            }
        }
        conjugate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjugate_directions_are_so_and_keep_what_they_add() {
        let q = Matrix::from_columns(3, 3, vec![4.0, 2.0, 1.0, 2.0, 1.1, 0.7, 1.0, 0.7, 3.0]);
        let conjugate = Conjugate::new(&q, &[0.1, 0.5, 0.1]);
        // The second adds 1.1 - 2 * 2 / 4 only, which is not clear: the third is not made conjugate to it.
        assert_eq!(conjugate.clear, [0, 2]);
        assert!((conjugate.strengths[1] - 0.1).abs() < 1e-12);
        assert!((conjugate.strengths[2] - 2.75).abs() < 1e-12);
        let image = conjugate.mixing.transpose_times(&q.times(&conjugate.mixing));
        assert!(image[(0, 1)].abs() < 1e-12 && image[(0, 2)].abs() < 1e-12);
        assert!((image[(1, 1)] - 0.1).abs() < 1e-12);
    }
}
