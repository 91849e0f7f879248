//! Theorem 4.1: exact moments in, exact parameters out; by every method.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may")]

use svtd::Method;
use svtd::decomposition::ReadOff;
use svtd::evaluation::{match_topics, topic_error};
use svtd::linalg::Matrix;
use svtd::moments::{ExactMoments, Moments, Rows};
use svtd::recovery::recover;
use svtd::synthetic::{LdaSource, SingleTopicSource};
use svtd::whitening::{Scaling, Whitening};

/// Runs the pipeline on exact moments and asserts that the parameters come back to 1e-8.
fn assert_exact(moments: &dyn Moments, truth: &Matrix, weights: &[f64], what: &str) {
    let k = truth.n_columns();
    for scaling in [Scaling::Scaled, Scaling::Plain] {
        let whitening = Whitening::fit(moments, k, scaling).unwrap();
        for method in [Method::Joint, Method::Svtd] {
            for rows in [Rows::Kept, Rows::Removed] {
                let case = format!("{what}, {scaling:?}, {method:?}, {rows:?}");
                let found = method.decompose(moments, &whitening, rows);
                assert!(found.note.is_none(), "{case}: {:?}", found.note);
                for read_off in [ReadOff::Diagonals(rows), ReadOff::Columns] {
                    let columns = found.columns(moments, &whitening, read_off);
                    assert_parameters(moments, &whitening, columns, truth, weights, &case);
                }
            }
        }
        for seed in 0..N_SEEDS {
            for method in rivals(seed) {
                let case = format!("{what}, {scaling:?}, {method:?}");
                let found = method.decompose(moments, &whitening, Rows::Kept);
                assert!(found.note.is_none(), "{case}: {:?}", found.note);
                assert!(found.residual < 1e-7, "{case}: residual {}", found.residual);
                let columns = found.columns(moments, &whitening, ReadOff::Columns);
                assert_parameters(moments, &whitening, columns, truth, weights, &case);
            }
        }
    }
}

const N_SEEDS: u64 = 3;

fn rivals(seed: u64) -> [Method; 4] {
    [
        Method::TensorPower { seed },
        Method::Eigenvectors { seed },
        Method::SingularVectors { seed },
        Method::Als { seed },
    ]
}

fn assert_parameters(
    moments: &dyn Moments,
    whitening: &Whitening,
    columns: Matrix,
    truth: &Matrix,
    weights: &[f64],
    case: &str,
) {
    let recovered = recover(columns, moments.first(), whitening.scales());
    let (m, omega) = (&recovered.word_topic, &recovered.topic_weights);
    let matched = match_topics(truth, m);
    for (j, found) in matched.iter().enumerate() {
        let found = found.expect("every topic is matched");
        for (x, y) in truth.column(j).iter().zip(m.column(found)) {
            assert!((x - y).abs() < 1e-8, "{case}: {y} is not {x}");
        }
        let (x, y) = (weights[j], omega[found]);
        assert!((x - y).abs() < 1e-8, "{case}: weight {y} is not {x}");
    }
    assert!(topic_error(truth, m) < 1e-8 * truth.n_rows() as f64);
}

#[test]
fn single_topic_100_words_5_topics() {
    for seed in 0..3 {
        let source = SingleTopicSource::uniform(100, 5, seed);
        let moments = ExactMoments::single_topic(source.word_topic.clone(), &source.topic_weights);
        assert_exact(&moments, &source.word_topic, &source.topic_weights, "single topic");
    }
}

#[test]
fn single_topic_2000_words_20_topics() {
    let source = SingleTopicSource::zipf(2000, 20, 5.0, 1000.0, 5.0, 1);
    let moments = ExactMoments::single_topic(source.word_topic.clone(), &source.topic_weights);
    assert_exact(&moments, &source.word_topic, &source.topic_weights, "single topic");
}

#[test]
fn topics_that_mirror_each_other() {
    for (common, rare, n) in [(0.75, 0.25, 4), (0.6, 0.4, 8), (1.0, 0.0, 6)] {
        let half = n / 2;
        let truth = Matrix::from_fn(n, 2, |i, j| {
            (if (i < half) == (j == 0) { common } else { rare }) / half as f64
        });
        let moments = ExactMoments::single_topic(truth.clone(), &[0.5, 0.5]);
        let whitening = Whitening::fit(&moments, 2, Scaling::Scaled).unwrap();
        let found = Method::Joint.decompose(&moments, &whitening, Rows::Kept);
        let columns = found.columns(&moments, &whitening, ReadOff::Diagonals(Rows::Kept));
        assert_parameters(&moments, &whitening, columns, &truth, &[0.5; 2], "mirror");
    }
}

#[test]
fn many_equal_topics_that_share_nothing() {
    for k in [3, 17, 20, 40] {
        let truth = Matrix::from_fn(2 * k, k, |i, j| if i / 2 == j { 0.5 } else { 0.0 });
        let weights = vec![1.0 / k as f64; k];
        let moments = ExactMoments::single_topic(truth.clone(), &weights);
        let whitening = Whitening::fit(&moments, k, Scaling::Scaled).unwrap();
        let found = Method::Joint.decompose(&moments, &whitening, Rows::Kept);
        let columns = found.columns(&moments, &whitening, ReadOff::Diagonals(Rows::Kept));
        assert_parameters(&moments, &whitening, columns, &truth, &weights, "equal");
    }
}

#[test]
fn lda_100_words_5_topics() {
    for seed in 0..3 {
        let source = LdaSource::uniform(100, 5, 2.0, seed);
        assert_lda_exact(&source);
    }
}

#[test]
fn lda_2000_words_20_topics() {
    assert_lda_exact(&LdaSource::zipf(2000, 20, 5.0, 1000.0, 1.0, 4));
}

fn assert_lda_exact(source: &LdaSource) {
    let k = source.alpha.len();
    // Uneven on purpose: equal weights would make the second moment's spectrum degenerate.
    let alpha: Vec<f64> = (0..k).map(|j| 0.05 + 0.1 * (j + 1) as f64).collect();
    let alpha0: f64 = alpha.iter().sum();
    let weights: Vec<f64> = alpha.iter().map(|a| a / alpha0).collect();
    let moments = ExactMoments::lda(source.word_topic.clone(), &alpha);
    assert_exact(&moments, &source.word_topic, &weights, "lda");
}
