//! The documents' mixtures under given topics, and the sums they make: the sweeps of
//! [`cvb0`](super::cvb0) without exclusion, for weights of the documents that may be moved.
//!
//! ```text
//! c_di = x_di / sum_j A_ij B_dj        A: topics,  B = D + alpha: mixtures
//! D = B o (C A),   S = A o (C'B)       C: the numbers c on the pattern of the counts
//! ```
//!
//! [`trust`](super::trust) asks it what the sweeps would answer without some documents.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::cvb0::{ALPHA, ETA, LANES, padded};
use super::trust::{GROUPS, Groups};
use crate::corpus::{Corpus, SparseCounts};
use crate::linalg::Matrix;
use crate::moments::Counting;
use crate::moments::panels::{LeftOut, Products, Steps};

/// Topics, and the mixtures of all documents under them; rows padded to whole lanes.
#[derive(Clone)]
pub(super) struct Profile<'a> {
    rows: &'a SparseCounts,
    n_features: usize,
    alpha: Vec<f64>,
    /// `A`.
    topics: Vec<f64>,
    /// `B` after the last update, and before it.
    mixtures: Vec<f64>,
    before: Vec<f64>,
    /// `c`, in the order of the counts; made with `before`.
    shares: Vec<f32>,
}

impl<'a> Profile<'a> {
    /// All mixtures even.
    pub fn new(corpus: &'a Corpus, topics: &Matrix) -> Self {
        let (rows, k) = (corpus.rows(), topics.n_columns());
        let alpha: Vec<f64> = (0..padded(k)).map(|j| if j < k { ALPHA } else { 0.0 }).collect();
        let mixtures = alpha.repeat(rows.n_rows());
        let mut profile = Self {
            rows,
            n_features: topics.n_rows(),
            alpha,
            topics: Vec::new(),
            before: mixtures.clone(),
            mixtures,
            shares: vec![0.0; rows.n_nonzeros()],
        };
        profile.set_topics(topics);
        profile
    }

    /// Goes on with other topics.
    pub fn set_topics(&mut self, topics: &Matrix) {
        let width = self.alpha.len();
        let mut rows = vec![0.0; topics.n_rows() * width];
        for j in 0..topics.n_columns() {
            for (row, value) in rows.chunks_exact_mut(width).zip(topics.column(j)) {
                row[j] = *value;
            }
        }
        self.topics = rows;
    }

    /// Updates every document's `B = D + alpha` and leaves the shares `c` it used.
    pub fn settle(&mut self) {
        const DOCUMENTS: usize = 512;
        let (rows, width) = (self.rows, self.alpha.len());
        self.before.copy_from_slice(&self.mixtures);
        let mut pieces = Vec::new();
        let mut rest = &mut self.shares[..];
        for first in (0..rows.n_rows()).step_by(DOCUMENTS) {
            let last = rows.n_rows().min(first + DOCUMENTS);
            let (own, tail) = rest.split_at_mut(rows.offsets()[last] - rows.offsets()[first]);
            pieces.push(own);
            rest = tail;
        }
        let (topics, alpha) = (&self.topics, &self.alpha);
        let work = self.mixtures.par_chunks_mut(DOCUMENTS * width).zip(pieces).enumerate();
        work.for_each(|(piece, (mixtures, shares))| {
            let first = piece * DOCUMENTS;
            Arch::new().dispatch(Mix { rows, first, topics, alpha, mixtures, shares });
        });
    }

    /// The sums `S` of the last update, each document times its weight.
    pub fn sums(&self, weights: Option<&[f64]>) -> Matrix {
        let (width, k) = (self.alpha.len(), self.n_topics());
        let products = Products::new(self.rows, self.n_features, Counting::Raw);
        let before = unpadded(&self.before, width, k);
        let mut sums = products.backward_given(&self.shares, &before, weights);
        for j in 0..k {
            for (i, value) in sums.column_mut(j).iter_mut().enumerate() {
                *value *= self.topics[i * width + j];
            }
        }
        sums
    }

    /// How far `whole`, the smoothed sums `sums` of the last update, moves without each group of
    /// documents.
    pub fn left_out(&self, groups: &Groups, sums: &Matrix, whole: &Matrix) -> Steps {
        let (width, k) = (self.alpha.len(), self.n_topics());
        let mixtures = self.mixtures();
        let mut own_masses = Matrix::zeros(GROUPS, k);
        for j in 0..k {
            for (d, mixture) in mixtures.column(j).iter().enumerate() {
                own_masses[(groups.of(d), j)] += mixture - ALPHA;
            }
        }
        let smoothing = self.n_features as f64 * ETA;
        let mass = |j: usize| sums.column(j).iter().sum::<f64>() + smoothing;
        let products = Products::new(self.rows, self.n_features, Counting::Raw);
        let left_out = LeftOut {
            members: &groups.members(),
            shares: &unpadded(&self.before, width, k),
            factors: Some(&unpadded(&self.topics, width, k)),
            whole,
            masses: &(0..k).map(mass).collect::<Vec<f64>>(),
            own_masses: &own_masses,
            mixtures: &[],
        };
        products.left_out_given(&self.shares, &left_out)
    }

    /// `B`, documents x topics.
    pub fn mixtures(&self) -> Matrix {
        unpadded(&self.mixtures, self.alpha.len(), self.n_topics())
    }

    fn n_topics(&self) -> usize {
        self.alpha.iter().filter(|alpha| **alpha > 0.0).count()
    }
}

/// Updates the mixtures of some documents, compiled for each instruction set and chosen at run
/// time.
struct Mix<'a> {
    rows: &'a SparseCounts,
    first: usize,
    topics: &'a [f64],
    alpha: &'a [f64],
    mixtures: &'a mut [f64],
    shares: &'a mut [f32],
}

impl WithSimd for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let width = self.alpha.len();
        let mut sum = vec![0.0; width];
        let mut position = 0;
        for (offset, mixture) in self.mixtures.chunks_exact_mut(width).enumerate() {
            let (features, counts) = self.rows.row(self.first + offset);
            sum.fill(0.0);
            for (&i, &x) in features.iter().zip(counts) {
                let words = &self.topics[i as usize * width..][..width];
                let mut lanes = [0.0; LANES];
                for (a, b) in words.chunks_exact(LANES).zip(mixture.chunks_exact(LANES)) {
                    for l in 0..LANES {
                        lanes[l] += a[l] * b[l];
                    }
                }
                let explained: f64 = lanes.iter().sum();
                let share = if explained > 0.0 { f64::from(x) / explained } else { 0.0 };
                self.shares[position] = share as f32;
                position += 1;
                for (value, a) in sum.iter_mut().zip(words) {
                    *value += share * a;
                }
            }
            for ((b, value), alpha) in mixture.iter_mut().zip(&sum).zip(self.alpha) {
                *b = *b * value + alpha;
            }
        }
    }
}

/// The first `k` numbers of every row.
fn unpadded(rows: &[f64], width: usize, k: usize) -> Matrix {
    let mut matrix = Matrix::zeros(rows.len() / width, k);
    for j in 0..k {
        for (value, row) in matrix.column_mut(j).iter_mut().zip(rows.chunks_exact(width)) {
            *value = row[j];
        }
    }
    matrix
}
