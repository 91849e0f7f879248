//! A reference implementation of Theorem 2.1 and Algorithm 2, too simple to be wrong: dense arrays, plain loops
//! over all pairs and triples of words, explicit pseudo-inverses.
//!
//! The sparse code must agree with it on small random corpora, including empty documents and documents of one or
//! two words.

#![allow(clippy::needless_range_loop, reason = "plain loops are the point")]

use proptest::prelude::*;

use super::*;
use crate::corpus::Corpus;
use crate::linalg::positive_inverse;
use crate::whitening::{Scaling, Whitening};

/// Dense `M1`, `M2`, `M3` of a corpus.
struct Naive {
    n: usize,
    m1: Vec<f64>,
    m2: Vec<f64>,
    m3: Vec<f64>,
}

impl Naive {
    fn single_topic(corpus: &Corpus, weights: &MomentWeights, counting: Counting) -> Self {
        let n = corpus.n_present();
        let mut naive =
            Self { n, m1: vec![0.0; n], m2: vec![0.0; n * n], m3: vec![0.0; n * n * n] };
        for d in 0..corpus.n_documents() {
            let mut x = vec![0.0; n];
            for (word, count) in corpus.document(d).words() {
                x[corpus.feature_of_word()[word as usize] as usize] = counting.value(count);
            }
            let same = |a: usize, b: usize| f64::from(u8::from(a == b));
            for h in 0..n {
                naive.m1[h] += weights.first[d] * x[h];
                for l in 0..n {
                    // An ordered pair of distinct tokens, then a third one distinct from both.
                    let pair = x[h] * (x[l] - same(h, l));
                    naive.m2[h * n + l] += weights.second[d] * pair;
                    for m in 0..n {
                        let triple = pair * (x[m] - same(h, m) - same(l, m));
                        naive.m3[(h * n + l) * n + m] += weights.third[d] * triple;
                    }
                }
            }
        }
        naive
    }

    /// Theorem 3.1 on top.
    fn lda(mut self, alpha0: f64) -> Self {
        let n = self.n;
        let (m1, m2) = (self.m1.clone(), self.m2.clone());
        let c2 = 2.0 * alpha0 * alpha0 / ((alpha0 + 2.0) * (alpha0 + 1.0));
        for h in 0..n {
            for l in 0..n {
                self.m2[h * n + l] -= alpha0 / (alpha0 + 1.0) * m1[h] * m1[l];
                for m in 0..n {
                    let mixed =
                        m2[h * n + l] * m1[m] + m2[l * n + m] * m1[h] + m2[m * n + h] * m1[l];
                    self.m3[(h * n + l) * n + m] +=
                        c2 * m1[h] * m1[l] * m1[m] - alpha0 / (alpha0 + 2.0) * mixed;
                }
            }
        }
        self
    }

    fn second(&self) -> Matrix {
        Matrix::from_fn(self.n, self.n, |i, j| self.m2[i * self.n + j])
    }

    fn slice(&self, i: usize) -> Matrix {
        Matrix::from_fn(self.n, self.n, |h, l| self.m3[(i * self.n + h) * self.n + l])
    }

    /// `W' M3_i W`.
    fn kept(&self, i: usize, w: &Matrix) -> Matrix {
        w.transpose_times(&self.slice(i).times(w))
    }

    /// `E_i* M3_i (E_i*)'` with row `i` crossed out and the pseudo-inverse computed as printed.
    fn removed(&self, i: usize, e: &Matrix) -> Option<Matrix> {
        let keep: Vec<usize> = (0..self.n).filter(|&h| h != i).collect();
        let e_i = Matrix::from_fn(keep.len(), e.n_columns(), |a, j| e[(keep[a], j)]);
        let m3_i = Matrix::from_fn(keep.len(), keep.len(), |a, b| {
            self.m3[(i * self.n + keep[a]) * self.n + keep[b]]
        });
        let pseudo = positive_inverse(&e_i.transpose_times(&e_i))?.times(&e_i.transpose());
        Some(pseudo.times(&m3_i).times(&pseudo.transpose()))
    }
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1e-300_f64, |a, b| a.max(b.abs()));
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= tolerance * scale, "{what}: {x} is not {y} (scale {scale})");
    }
}

/// Random corpora of at most `n` words: mostly short documents, some empty, some of one word.
fn corpora(n: u32) -> impl Strategy<Value = Corpus> {
    let document = prop::collection::btree_map(0..n, 1..6_u32, 0..n as usize);
    prop::collection::vec(document, 4..25).prop_filter_map("needs triples", move |documents| {
        let mut builder = Corpus::builder(n as usize);
        for document in documents {
            builder.push_document(document).ok()?;
        }
        builder.push_document([(0, 2), (1, 3), (2, 1)]).ok()?;
        builder.push_document([(1, 1)]).ok()?;
        builder.push_document([(0, 1), (2, 1)]).ok()?;
        builder.push_document([]).ok()?;
        builder.build().ok()
    })
}

fn laws(n_documents: usize) -> [DocumentWeights; 4] {
    let own = (0..n_documents).map(|d| 0.5 + (d % 3) as f64).collect();
    [
        DocumentWeights::Optimal,
        DocumentWeights::Paper,
        DocumentWeights::Zou,
        DocumentWeights::Custom(own),
    ]
}

/// Compares every operator with its dense definition.
fn compare(moments: &dyn Moments, naive: &Naive, scaling: Scaling, k: usize) {
    assert_close(moments.first(), &naive.m1, 1e-12, "first moment");
    let identity = Matrix::identity(naive.n);
    let second = moments.second_times(&identity);
    assert_close(second.values(), naive.second().values(), 1e-11, "second moment");
    let Ok(whitening) = Whitening::fit(moments, k, scaling) else {
        return;
    };
    // Only well-conditioned whitenings can agree to 1e-10.
    if whitening.eigenvalues()[k - 1] < 1e-3 * whitening.eigenvalues()[0] {
        return;
    }
    let (w, e) = (whitening.unmixing(), whitening.factor());
    let whitened = w.transpose_times(&naive.second().times(w));
    assert_close(whitened.values(), Matrix::identity(k).values(), 1e-9, "W'M2 W = I");
    let slices: Vec<Matrix> = (0..naive.n).map(|i| naive.kept(i, w)).collect();
    let found = moments.third_slices(whitening.basis(), Rows::Kept, 0..naive.n);
    let rotation = rotation(k);
    let diagonals = moments.third_diagonals(whitening.basis(), &rotation);
    let all = slices.iter().flat_map(|h| h.values().to_vec()).collect::<Vec<f64>>();
    let unpacked: Vec<f64> =
        (0..naive.n).flat_map(|i| unpack(k, &found.row(i)).values().to_vec()).collect();
    assert_close(&unpacked, &all, 1e-10, "slices, rows kept");
    for (i, h) in slices.iter().enumerate() {
        let turned = rotation.transpose_times(&h.times(&rotation));
        let expected: Vec<f64> = (0..k).map(|j| turned[(j, j)]).collect();
        let scale = all.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        for (x, y) in diagonals.row(i).iter().zip(&expected) {
            assert!((x - y).abs() <= 1e-10 * scale, "diagonal {i}: {x} is not {y}");
        }
    }
    let direction: Vec<f64> = (0..naive.n).map(|i| (i as f64 * 0.7).cos()).collect();
    let mut along = Matrix::zeros(k, k);
    slices.iter().zip(&direction).for_each(|(h, eta)| along.add(*eta, h));
    let found = moments.third_towards(whitening.basis(), &direction);
    let scale = all.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    for (x, y) in found.values().iter().zip(along.values()) {
        assert!((x - y).abs() <= 1e-10 * scale, "along a direction: {x} is not {y}");
    }
    // T = sum_i w_i x H_i.
    let cube = moments.third_whitened(whitening.basis());
    let expected: Vec<f64> = (0..k)
        .flat_map(|a| {
            let mut slice = Matrix::zeros(k, k);
            slices.iter().enumerate().for_each(|(i, h)| slice.add(w[(i, a)], h));
            slice.values().to_vec()
        })
        .collect();
    let found: Vec<f64> = (0..k).flat_map(|a| cube.slice(a).to_vec()).collect();
    assert_close(&found, &expected, 1e-10, "cube");
    let part = moments.third_slices(whitening.basis(), Rows::Removed, 1..naive.n);
    let leverages = whitening.basis().leverages();
    for i in 1..naive.n {
        if leverages[i] < 0.7 {
            if let Some(expected) = naive.removed(i, e) {
                let found = unpack(k, &part.row(i - 1));
                let scale = expected.frobenius_norm().max(1e-3 * naive.kept(i, w).frobenius_norm());
                for (x, y) in found.values().iter().zip(expected.values()) {
                    assert!((x - y).abs() <= 1e-10 * scale, "removed {i}: {x} is not {y}");
                }
            }
        } else if leverages[i] > 0.9 {
            let found = unpack(k, &part.row(i - 1));
            assert_close(found.values(), slices[i].values(), 1e-8, "a heavy row is kept");
        }
    }
}

/// Some rotation of `k` axes.
fn rotation(k: usize) -> Matrix {
    let block =
        Matrix::from_fn(k, k, |i, j| ((3 * i + 7 * j) as f64).sin() + f64::from(u8::from(i == j)));
    crate::linalg::orthonormal_basis(block)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn implicit_single_topic_moments_agree_with_plain_loops(corpus in corpora(9), law in 0..4_usize, damped: bool, plain: bool) {
        let weights = &laws(corpus.n_documents())[law];
        let counting = if damped { Counting::Damped } else { Counting::Raw };
        let scaling = if plain { Scaling::Plain } else { Scaling::Scaled };
        let moments = SingleTopicMoments::estimate(&corpus, weights, counting).unwrap();
        let naive = Naive::single_topic(&corpus, moments.weights(), counting);
        compare(&moments, &naive, scaling, 3);
    }

    #[test]
    fn implicit_lda_moments_agree_with_plain_loops(corpus in corpora(9), law in 0..4_usize, alpha0 in 0.05..8.0_f64, plain: bool) {
        let weights = &laws(corpus.n_documents())[law];
        let scaling = if plain { Scaling::Plain } else { Scaling::Scaled };
        let moments = LdaMoments::estimate(&corpus, alpha0, weights, Counting::Raw).unwrap();
        let naive = Naive::single_topic(&corpus, moments.weights(), Counting::Raw).lda(alpha0);
        compare(&moments, &naive, scaling, 2);
    }

    #[test]
    fn moments_sum_to_one(corpus in corpora(7), law in 0..4_usize) {
        let weights = &laws(corpus.n_documents())[law];
        let moments = SingleTopicMoments::estimate(&corpus, weights, Counting::Raw).unwrap();
        let naive = Naive::single_topic(&corpus, moments.weights(), Counting::Raw);
        for values in [&naive.m1, &naive.m2, &naive.m3] {
            prop_assert!((values.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn three_documents_have_the_pair_moment_one_computes_by_hand() {
    // aab, bbb, c: pairs 6 + 6 + 0 = 12.
    let mut builder = Corpus::builder(3);
    builder.push_document([(0, 2), (1, 1)]).unwrap();
    builder.push_document([(1, 3)]).unwrap();
    builder.push_document([(2, 1)]).unwrap();
    let corpus = builder.build().unwrap();
    let moments =
        SingleTopicMoments::estimate(&corpus, &DocumentWeights::Paper, Counting::Raw).unwrap();
    let second = moments.second_times(&Matrix::identity(3));
    let feature = |word: usize| corpus.feature_of_word()[word] as usize;
    let (a, b, c) = (feature(0), feature(1), feature(2));
    assert!((second[(a, a)] - 2.0 / 12.0).abs() < 1e-15);
    assert!((second[(a, b)] - 2.0 / 12.0).abs() < 1e-15);
    assert!((second[(b, b)] - 6.0 / 12.0).abs() < 1e-15);
    assert_eq!(second[(c, b)], 0.0);
    assert!((moments.first()[b] - 4.0 / 7.0).abs() < 1e-15);
}

#[test]
fn three_drawn_words_are_three_words_of_the_document() {
    let mut builder = Corpus::builder(5);
    builder.push_document([(0, 7), (3, 2)]).unwrap();
    builder.push_document([(1, 1), (2, 1)]).unwrap();
    builder.push_document([(1, 1), (2, 1), (4, 1)]).unwrap();
    let corpus = builder.build().unwrap();
    let estimate = |seed| {
        let law = DocumentWeights::ThreeWords { seed };
        SingleTopicMoments::estimate(&corpus, &law, Counting::Raw).unwrap()
    };
    assert_eq!(estimate(1).lengths(), [3.0, 0.0, 3.0]);
    assert_eq!(estimate(1).first(), estimate(1).first());
    let differs = (2..30).any(|seed| estimate(seed).first() != estimate(1).first());
    assert!(differs, "another seed draws other words");
    // The third document has exactly three tokens: all are drawn.
    let feature = corpus.feature_of_word()[4] as usize;
    assert!((estimate(5).first()[feature] - 1.0 / 6.0).abs() < 1e-15);
}
