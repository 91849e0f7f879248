//! The documents' mixtures under given topics, and their sums: the updates of
//! [`collapsed_vb`](crate::fit::collapsed_vb) without exclusion, with document weights that can be changed.
//!
//! ```text
//! c_di = x_di / sum_j A_ij B_dj        A: topics,  B = D + alpha: mixtures
//! D = B o (C A),   S = A o (C'B)       C: the numbers c on the pattern of the counts
//! ```
//!
//! To second order `B = (D + alpha) / (1 + V / 2(D + alpha)^2)`, `V` the variance of `D`.
//!
//! [`trust`](crate::trust) uses it to compute the result of the polish without some documents.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::corpus::{Corpus, SparseCounts};
use crate::fit::collapsed_vb::NARROW;
use crate::linalg::Matrix;
use crate::moments::Counting;
use crate::moments::panels::Products;
use crate::questions::Order;

/// Topics, and the mixtures of all documents under them; rows padded to whole lanes.
#[derive(Clone)]
pub(crate) struct Profile<'a> {
    rows: &'a SparseCounts,
    n_features: usize,
    order: Order,
    alpha: Vec<f64>,
    /// `A`: the probability of each word in each topic, a row for each word.
    topics: Vec<f64>,
    /// `B`: the mixture of each document after the last update, a row for each document.
    mixtures: Vec<f64>,
    /// `B` before the last update.
    before: Vec<f64>,
    /// `D + alpha` after the last update: words of each topic in each document, plus the prior. Empty to zeroth
    /// order, where it equals `B`.
    held: Vec<f64>,
    /// `c`: each count divided by `sum_j A_ij B_dj`, in the order of the counts; computed from `before`.
    shares: Vec<f32>,
}

impl<'a> Profile<'a> {
    /// All mixtures equal to the prior, with the Dirichlet parameter `alpha`.
    pub fn new(corpus: &'a Corpus, topics: &Matrix, alpha: &[f64], order: Order) -> Self {
        let rows = corpus.rows();
        let mut alpha = alpha.to_vec();
        alpha.resize(topics.n_columns().next_multiple_of(NARROW), 0.0);
        let mixtures = alpha.repeat(rows.n_rows());
        let held = if order == Order::Second { mixtures.clone() } else { Vec::new() };
        let mut profile = Self {
            rows,
            n_features: topics.n_rows(),
            order,
            alpha,
            topics: Vec::new(),
            before: mixtures.clone(),
            mixtures,
            held,
            shares: vec![0.0; rows.n_nonzeros()],
        };
        profile.set_topics(topics);
        profile
    }

    /// Continues with other topics.
    pub fn set_topics(&mut self, topics: &Matrix) {
        const WORDS: usize = 64;
        let width = self.alpha.len();
        self.topics.clear();
        self.topics.resize(topics.n_rows() * width, 0.0);
        // Few rows at a time, which stay in the cache while all topics are written.
        let pieces = self.topics.par_chunks_mut(WORDS * width).enumerate();
        pieces.for_each(|(piece, rows)| {
            for j in 0..topics.n_columns() {
                let column = &topics.column(j)[piece * WORDS..];
                for (row, value) in rows.chunks_exact_mut(width).zip(column) {
                    row[j] = *value;
                }
            }
        });
    }

    /// Updates every document's `B = D + alpha` and stores the shares `c` that it used.
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
        let held: Vec<&mut [f64]> = match self.order {
            Order::Zeroth => pieces.iter().map(|_| Default::default()).collect(),
            Order::Second => self.held.chunks_mut(DOCUMENTS * width).collect(),
        };
        let work = self.mixtures.par_chunks_mut(DOCUMENTS * width).zip(pieces).zip(held);
        work.enumerate().for_each(|(piece, ((mixtures, shares), held))| {
            let first = piece * DOCUMENTS;
            Arch::new().dispatch(Mix { rows, first, topics, alpha, mixtures, shares, held });
        });
    }

    /// `C'B` of the last update, each document times its weight: multiplied by the topics, word by word, these are
    /// the sums `S`. The multiplication is left to the code that adds up the sums of all documents.
    pub fn sums(&self, weights: Option<&[f64]>) -> Matrix {
        let products = Products::new(self.rows, self.n_features, Counting::Raw);
        let before = unpadded(&self.before, self.alpha.len(), self.n_topics());
        products.backward_given(&self.shares, &before, weights)
    }

    /// The sums of some documents, whose counts are the rows of `picked`, for the words of these rows.
    pub fn sums_of(&self, documents: &[usize], picked: &SparseCounts) -> Matrix {
        let width = self.alpha.len();
        let mut shares = Vec::with_capacity(picked.n_nonzeros());
        let mut before = Vec::with_capacity(documents.len() * width);
        for &d in documents {
            shares.extend_from_slice(
                &self.shares[self.rows.offsets()[d]..self.rows.offsets()[d + 1]],
            );
            before.extend_from_slice(&self.before[d * width..(d + 1) * width]);
        }
        let before = unpadded(&before, width, self.n_topics());
        let products = Products::new(picked, picked.n_columns(), Counting::Raw);
        products.backward_given(&shares, &before, None)
    }

    /// `D + alpha` of a document: the Dirichlet parameters of its mixture, given its words.
    pub fn mixture(&self, document: usize) -> &[f64] {
        &self.held()[document * self.alpha.len()..][..self.n_topics()]
    }

    /// The probability of a feature in every topic.
    pub fn probabilities(&self, feature: u32) -> &[f64] {
        &self.topics[feature as usize * self.alpha.len()..][..self.n_topics()]
    }

    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// `D`: the number of words of each topic in each document.
    pub fn holdings(&self) -> Matrix {
        let mut holdings = unpadded(self.held(), self.alpha.len(), self.n_topics());
        for (j, alpha) in self.alpha[..self.n_topics()].iter().enumerate() {
            holdings.column_mut(j).iter_mut().for_each(|held| *held = (*held - alpha).max(0.0));
        }
        holdings
    }

    /// `D + alpha` of all documents: words of each topic, plus the prior; a row for each document.
    fn held(&self) -> &[f64] {
        if self.order == Order::Second { &self.held } else { &self.mixtures }
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
    /// Empty for zeroth-order updates.
    held: &'a mut [f64],
}

impl WithSimd for Mix<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let width = self.alpha.len();
        let second = !self.held.is_empty();
        let (mut sum, mut squares) = (vec![0.0; width], vec![0.0; width]);
        let mut position = 0;
        for (offset, mixture) in self.mixtures.chunks_exact_mut(width).enumerate() {
            let (features, counts) = self.rows.row(self.first + offset);
            sum.fill(0.0);
            squares.fill(0.0);
            for (&i, &x) in features.iter().zip(counts) {
                let words = &self.topics[i as usize * width..][..width];
                let mut lanes = [0.0; NARROW];
                for (a, b) in words.chunks_exact(NARROW).zip(mixture.chunks_exact(NARROW)) {
                    for l in 0..NARROW {
                        lanes[l] += a[l] * b[l];
                    }
                }
                let [a, b, c, d, e, f, g, h] = lanes;
                let explained = ((a + e) + (c + g)) + ((b + f) + (d + h));
                let share = if explained > 0.0 { f64::from(x) / explained } else { 0.0 };
                self.shares[position] = share as f32;
                position += 1;
                for (value, a) in sum.iter_mut().zip(words) {
                    *value += share * a;
                }
                if second {
                    let each = share * share / f64::from(x);
                    for (value, a) in squares.iter_mut().zip(words) {
                        *value += each * a * a;
                    }
                }
            }
            if second {
                let held = &mut self.held[offset * width..][..width];
                for j in 0..width {
                    let b = mixture[j];
                    held[j] = b * sum[j] + self.alpha[j];
                    let variance = b * (sum[j] - b * squares[j]);
                    mixture[j] = geometric(held[j], variance.max(0.0));
                }
            } else {
                for ((b, value), alpha) in mixture.iter_mut().zip(&sum).zip(self.alpha) {
                    *b = *b * value + alpha;
                }
            }
        }
    }
}

/// As in [`collapsed_vb`](crate::fit::collapsed_vb): `m / (1 + v / 2m^2)`.
fn geometric(mean: f64, variance: f64) -> f64 {
    let double = 2.0 * mean * mean;
    if double > 0.0 { mean * double / (double + variance) } else { 0.0 }
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
